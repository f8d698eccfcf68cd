"""Replaying tapes."""
