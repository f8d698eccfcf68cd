"""Tapes: sessions with a server, recorded to a readable file, and replayed, verified or exported from it."""
