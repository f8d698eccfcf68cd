"""Variables in texts: ``$NAME``, ``${NAME}`` and ``%NAME%``."""

import re
from collections.abc import Mapping
from typing import Final

_VARIABLE: Final = re.compile(r"\$(\w+)|\$\{(\w+)\}|%(\w+)%", re.ASCII)


def expand(text: str, variables: Mapping[str, str]) -> str:
    """Return a text with each variable replaced by its value, and by nothing if it is unknown."""

    def replace(match: re.Match[str]) -> str:
        name = match[1] or match[2] or match[3]
        # Names of variables do not start with a digit.
        return match[0] if name[0].isdigit() else variables.get(name, "")

    return _VARIABLE.sub(replace, text)


def find_names(text: str) -> list[str]:
    """Return the names of the variables in a text."""
    return [match[1] or match[2] or match[3] for match in _VARIABLE.finditer(text)]


def expand_known(text: str, variables: Mapping[str, str]) -> str:
    """Return a text with each variable that has a value replaced by it, and all others left as they are."""
    return _VARIABLE.sub(lambda match: variables.get(match[1] or match[2] or match[3], match[0]), text)
