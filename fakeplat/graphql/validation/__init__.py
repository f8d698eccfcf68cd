"""Validation of queries and their variables, with the wording of the platform's library."""
