"""Labels, milestones and boards: types, fields and mutations."""
