"""The list of everything by release: what begins, ends and changes, and what of it a client uses."""
