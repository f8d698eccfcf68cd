"""Customers of groups."""
