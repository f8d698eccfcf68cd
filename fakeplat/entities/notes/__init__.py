"""Notes, discussions, emoji and to-dos: views."""
