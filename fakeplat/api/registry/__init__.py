"""The container registry: operations."""
