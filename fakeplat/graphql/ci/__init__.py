"""CI: types."""
