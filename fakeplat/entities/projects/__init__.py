"""Projects: views."""
