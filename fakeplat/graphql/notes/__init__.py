"""Notes, discussions, emoji and to-dos: types, fields and mutations."""
