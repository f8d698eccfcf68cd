"""Webhooks: records, payloads and the events that trigger them. Source: docs/platform/webhooks.md."""
