"""Releases: views."""
