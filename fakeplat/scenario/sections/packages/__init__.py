"""Packages: scenario keys."""
