"""Merge requests: scenario keys."""
