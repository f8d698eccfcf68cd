"""What issues and merge requests have in common."""
