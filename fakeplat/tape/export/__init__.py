"""Scenarios made of live servers and of tapes."""
