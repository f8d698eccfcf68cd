"""Snippets and their files."""
