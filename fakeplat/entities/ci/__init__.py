"""CI: views."""
