"""The console: a world and its records in a browser, under `/_fakeplat/`. Source: docs/console.md.

Nothing of it is imported before somebody opens it.
"""
