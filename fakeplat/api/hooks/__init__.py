"""Webhooks: operations."""
