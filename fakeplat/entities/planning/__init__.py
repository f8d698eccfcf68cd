"""Labels, milestones and boards: views."""
