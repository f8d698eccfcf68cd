"""Merge requests: views."""
