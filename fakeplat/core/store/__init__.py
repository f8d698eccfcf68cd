"""Persistent tables: records, indexes, ids and work that is due."""
