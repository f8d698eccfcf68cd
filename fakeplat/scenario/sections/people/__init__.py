"""Users, groups and members: scenario keys."""
