"""Groups, their transfers, and their links to groups elsewhere."""
