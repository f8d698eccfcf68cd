"""Repositories: scenario keys."""
