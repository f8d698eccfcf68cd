"""Frozen records, one module per area; `world` lists every table once."""
