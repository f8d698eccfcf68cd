"""The platform's verbs and rules: what changes a world, and in which way only."""
