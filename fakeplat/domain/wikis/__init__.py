"""Wikis of projects and groups."""
