"""Tapes: sessions with a server, recorded to a file that people can read, and played again."""
