"""Quick actions: commands in the text of issues, merge requests and notes."""
