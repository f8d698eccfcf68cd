"""Webhooks: records, payloads and the events that trigger them. Source: docs/platform/hooks-and-events.md."""
