"""The sections of all areas: what scenarios may contain, and how it is created and exported."""
