"""The platform's actions and rules: the only code that changes a world."""
