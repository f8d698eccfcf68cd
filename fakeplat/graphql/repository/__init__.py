"""Repositories: types."""
