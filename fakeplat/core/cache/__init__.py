"""Caches whose entries are valid as long as the records that they were computed from are unchanged."""
