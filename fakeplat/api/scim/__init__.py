"""SCIM: operations."""
