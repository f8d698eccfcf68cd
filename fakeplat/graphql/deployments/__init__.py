"""Environments and deployments: types and mutations."""
