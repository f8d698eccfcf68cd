"""Keywords that do not exist are refused, with the nearest that does."""

from collections.abc import Mapping, Sequence
from typing import Any

from fakeplat.core.operations.reasons import did_you_mean


class InvalidOption(ValueError):
    """An option that does not exist, or a value that it cannot have."""


def refuse_unknown(given: Mapping[str, Any], known: Sequence[str], where: str) -> None:
    """Refuse a key that does not exist, and name the nearest that does."""
    for name in given:
        if name not in known:
            hint = did_you_mean(str(name), [*known]) or f"; there are {', '.join(known)}"
            raise InvalidOption(f"{where}: no key {name!r}{hint}")
