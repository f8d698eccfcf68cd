"""Verifying tapes against a platform or a server."""
