"""Versions of a merge request's changes, and positions in them."""
