"""Regular expressions that users write, in the syntax of RE2, which the platform uses for them.

Their run time grows only linearly with the text, so no expression can block the server.
"""

from functools import lru_cache
from typing import Any


class RegexpError(ValueError):
    """A regular expression is invalid. The message is that of RE2."""


class Regexp:
    """A compiled regular expression."""

    __slots__ = ("_compiled",)

    def __init__(self, compiled: Any) -> None:
        self._compiled = compiled

    def is_in(self, text: str) -> bool:
        """Return whether the expression matches anywhere in a text."""
        return self._compiled.search(text) is not None

    def find_all(self, text: str) -> list[str]:
        """Return all parts of a text that the expression matches."""
        return [match.group() for match in self._compiled.finditer(text)]


@lru_cache(256)
def compile_regexp(pattern: str) -> Regexp:
    """Compile a regular expression; RegexpError if it is invalid."""
    # Loading the library takes as long as starting a world, and few worlds need it.
    import re2

    options = re2.Options()
    options.log_errors = False
    try:
        return Regexp(re2.compile(pattern, options))
    except re2.error as error:
        message = error.args[0]
        raise RegexpError(message.decode(errors="replace") if isinstance(message, bytes) else str(message)) from None
