"""Errors in documents, with their locations."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

JsonPath = tuple[str | int, ...]


class Mistake(NamedTuple):
    """An error in a document: its text, its location, and the name that was probably meant."""

    text: str
    path: JsonPath = ()
    nearest: str | None = None
    file: str | None = None
    line: int | None = None

    @property
    def json_path(self) -> str:
        """The location inside the document, as ``$.users[0].name``."""
        return "$" + "".join(_step(step) for step in self.path)

    def __str__(self) -> str:
        source = ":".join(str(part) for part in (self.file, self.line) if part is not None)
        hint = f", did you mean {self.nearest!r}?" if self.nearest is not None else ""
        return ": ".join(part for part in (source, self.json_path if self.path else "", self.text + hint) if part)


def _step(step: str | int) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    return f".{step}" if step.isidentifier() else f"[{step!r}]"


TOO_DEEP: Final = Mistake("is nested too deeply, or contains itself")


class DocumentError(ValueError):
    """A document is invalid. The message has one line per mistake."""

    def __init__(self, mistakes: Sequence[Mistake]) -> None:
        super().__init__("\n".join(map(str, mistakes)))
        self.mistakes = tuple(mistakes)


def nearest_name(name: object, known: Iterable[object]) -> str | None:
    """Return the known name that is most similar to a name, if one is similar enough."""
    from difflib import get_close_matches

    return next(iter(get_close_matches(str(name), [str(candidate) for candidate in known], 1)), None)
