"""Environments, deployments to them, freeze periods and feature flags."""
