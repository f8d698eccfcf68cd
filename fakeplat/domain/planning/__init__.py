"""Labels, milestones, boards and time tracking."""
