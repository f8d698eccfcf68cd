"""Users, groups and members: types, fields and mutations."""
