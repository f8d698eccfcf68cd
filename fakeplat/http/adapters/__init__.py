"""Worlds without a port of their own, for clients and servers in the process."""
