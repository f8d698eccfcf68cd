"""Redaction: replacement of secrets with placeholders before anything is written."""
