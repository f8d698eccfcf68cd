"""Environments: types."""
