"""What webhooks send about each kind of event. Source: docs/platform/webhooks.md.

The keys of the payloads are in the platform's order. These modules are imported when a payload is first built.
"""
