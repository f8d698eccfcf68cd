"""Projects: operations."""
