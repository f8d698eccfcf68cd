"""Broadcast messages."""
