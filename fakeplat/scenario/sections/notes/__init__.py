"""Notes, discussions, emoji and to-dos: scenario keys."""
