"""Issues: views."""
