"""Notes, discussions, emoji and to-dos: operations."""
