"""Notes: discussions, mentions, award emoji, to-dos and subscriptions."""
