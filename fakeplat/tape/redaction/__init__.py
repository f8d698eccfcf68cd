"""Redaction: secrets are replaced before anything is written."""
