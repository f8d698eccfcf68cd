"""Labels, milestones and boards: operations."""
