"""Repositories: branches, tags, commits, files, pushes and protection."""
