"""Packages of projects and groups, and the protocols of package managers."""
