"""Issues: scenario keys."""
