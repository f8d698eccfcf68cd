"""Replay of tapes: recorded responses to matching requests."""
