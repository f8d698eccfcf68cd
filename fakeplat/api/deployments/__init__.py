"""Environments, deployments, freeze periods and feature flags: operations."""
