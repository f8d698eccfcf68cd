"""Merge requests: operations."""
