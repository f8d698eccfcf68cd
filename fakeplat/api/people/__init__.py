"""Users, groups and members: operations."""
