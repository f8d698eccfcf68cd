"""CI: operations."""
