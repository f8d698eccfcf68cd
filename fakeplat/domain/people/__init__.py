"""Users, groups, memberships, tokens and settings."""
