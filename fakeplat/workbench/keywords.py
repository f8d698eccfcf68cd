"""Validation of option names, with a suggestion for misspelled ones."""

from collections.abc import Mapping, Sequence
from typing import Any

from fakeplat.core.operations.reasons import did_you_mean


class InvalidOption(ValueError):
    """An unknown option, or an invalid value of one."""


def refuse_unknown(options: Mapping[str, Any], known: Sequence[str], where: str) -> None:
    """Raise InvalidOption for an unknown key, with the closest known key."""
    for name in options:
        if name not in known:
            hint = did_you_mean(str(name), [*known]) or f"; known keys: {', '.join(known)}"
            raise InvalidOption(f"{where}: unknown key {name!r}{hint}")
