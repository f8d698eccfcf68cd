"""Epics of groups."""
