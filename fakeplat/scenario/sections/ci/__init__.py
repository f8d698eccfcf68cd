"""CI: scenario keys."""
