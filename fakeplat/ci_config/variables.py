"""Expansion of variables in the values of a CI configuration."""

import re
from collections.abc import Mapping
from typing import Final

# Accepts ``$NAME``, ``${NAME}`` and, as runners on Windows write it, ``%NAME%``.
_REFERENCE: Final = re.compile(r"\$(\w+)|\$\{(\w+)\}|%(\w+)%")


def expand(text: str, variables: Mapping[str, str]) -> str:
    """Replace references to variables by their values; those that are unknown by nothing."""
    return _REFERENCE.sub(lambda match: variables.get(next(filter(None, match.groups())), ""), text)
