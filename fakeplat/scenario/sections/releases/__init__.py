"""Releases: scenario keys."""
