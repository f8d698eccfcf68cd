"""The console: a world and its records in a browser, under `/_fakeplat/`. Source: docs/console.md.

The pages are declared in modules of their own, which are imported with the first request of one of them; until then
the console costs nothing.
"""

from fakeplat.console.pages import ConsoleRequest, answer

__all__ = ["ConsoleRequest", "answer"]
