"""Users, groups and members: views."""
