"""Releases: types and fields."""
