"""Repositories: operations."""
