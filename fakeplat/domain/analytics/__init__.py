"""Figures about the work on projects and groups."""
