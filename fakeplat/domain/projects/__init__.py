"""Projects and what belongs to them."""
