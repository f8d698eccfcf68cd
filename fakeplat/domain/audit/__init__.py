"""Kubernetes clusters of projects, groups and the instance."""
