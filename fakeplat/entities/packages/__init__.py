"""Packages: views."""
