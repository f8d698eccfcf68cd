"""Repositories: refs, commits, files, pushes and protection.

`fakeplat.git` is imported inside functions, because worlds without repositories should start without it.
"""
