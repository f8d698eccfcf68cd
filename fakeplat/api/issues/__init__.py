"""Issues: operations."""
