"""Labels, milestones and boards: scenario keys."""
