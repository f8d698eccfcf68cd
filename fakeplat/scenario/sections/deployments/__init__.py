"""Environments, deployments, freeze periods and feature flags: scenario keys."""
