"""Snippets: operations."""
