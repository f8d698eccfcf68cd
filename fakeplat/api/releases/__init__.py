"""Releases: operations, and pages outside the API."""
