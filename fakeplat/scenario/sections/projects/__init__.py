"""Projects: scenario keys."""
