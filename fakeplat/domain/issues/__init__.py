"""Issues: changes, links, moves, order, search and history."""
