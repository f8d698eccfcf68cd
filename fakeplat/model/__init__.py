"""Frozen records, one module per area; `world` declares all tables."""
