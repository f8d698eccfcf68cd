"""Persistent tables: records, indexes, ids and scheduled tasks."""
