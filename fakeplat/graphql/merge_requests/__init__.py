"""Merge requests: types, fields and mutations."""
