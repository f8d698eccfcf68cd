"""Releases, their links, and evidence."""
