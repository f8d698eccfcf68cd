"""Alerts: endpoints, payloads, grouping and incidents."""
