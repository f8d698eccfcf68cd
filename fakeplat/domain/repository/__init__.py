"""Repositories: refs, commits, files, pushes and protection."""
