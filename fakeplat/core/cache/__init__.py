"""Caches that are valid as long as what they read is the same."""
