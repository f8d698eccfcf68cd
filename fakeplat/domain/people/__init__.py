"""Users, groups and their memberships, tokens and settings."""
