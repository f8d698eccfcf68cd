"""Semantic versions, as npm has them (semver.org)."""

import re
from typing import Any, Final

_VERSION: Final = re.compile(
    r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)"
    r"(?:-((?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)(?:\.(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*))*))?"
    r"(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?",
    re.ASCII,
)


def is_version(text: str) -> bool:
    """Return whether a text is a semantic version."""
    return _VERSION.fullmatch(text) is not None


def precedence(text: str) -> tuple[Any, ...]:
    """Return the key by which versions are sorted; what is no version comes first."""
    match = _VERSION.fullmatch(text)
    if match is None:
        return (), ()
    numbers = tuple(int(match[group]) for group in (1, 2, 3))
    # A release comes after its pre-releases; among their parts, numbers come before words.
    release: tuple[Any, ...] = ((2, 0, ""),)
    return numbers, tuple(map(_part, match[4].split("."))) if match[4] else release


def _part(text: str) -> tuple[int, int, str]:
    return (0, int(text), "") if text.isdigit() else (1, 0, text)
