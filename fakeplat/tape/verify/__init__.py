"""Verification of tapes against a platform or a server."""
