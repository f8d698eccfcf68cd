"""Repositories: views."""
