"""Validation of option names, with a suggestion for misspelled ones."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from fakeplat.core.operations.reasons import did_you_mean


class InvalidOption(ValueError):
    """An unknown option, or an invalid value of one."""


class UnknownName(KeyError):
    """Nothing has that name or number; the message lists those that exist."""

    def __init__(self, kind: str, name: object, known: Iterable[object]) -> None:
        listed = ", ".join(map(repr, known))
        super().__init__(f"there is no {kind} {name!r}; {f'there are {listed}' if listed else 'there are none'}")

    def __str__(self) -> str:
        return str(self.args[0])  # a KeyError shows the representation of its key


def refuse_unknown(
    options: Mapping[str, object], known: Sequence[str], where: str, within: Mapping[str, Collection[str]] | None = None
) -> None:
    """Raise InvalidOption for an unknown key, with the closest known key. ``within``: the keys of some of these."""
    for name in options:
        if name not in known:
            place = next((f"; it is a key of {place!r}" for place, keys in (within or {}).items() if name in keys), "")
            hint = place or did_you_mean(str(name), [*known]) or f"; known keys: {', '.join(known)}"
            raise InvalidOption(f"{where}: unknown key {name!r}{hint}")
