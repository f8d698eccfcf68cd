"""Quotations of several lines between lines ``>>>``, except in code and HTML."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Final

_FENCE: Final = re.compile(r">>> *")
# The lines that begin and end code and HTML, in which a quotation is none.
_OPAQUE: Final = (
    (re.compile(r"```.*"), re.compile(r"``` *")),
    (re.compile(r"<[^>]+> *"), re.compile(r"</[^>]+> *")),
)


def quote_fenced_lines(text: str) -> str:
    """Mark the lines of quotations as quoted; blank lines replace the fences, so that lines keep their numbers."""
    return "\n".join(_Lines(text.replace("\r", "").split("\n")).list_quoted()) if ">>>" in text else text


class _Lines:
    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        # Where lines of each kind are, as searching for them from each line would take too long.
        self._ends = [
            [number for number, line in enumerate(lines) if closing.fullmatch(line)] for _, closing in _OPAQUE
        ]

    def list_quoted(self) -> Iterator[str]:
        number = 0
        while number < len(self._lines):
            end = self._find_end_of_quotation(number)
            if end is None:
                end = self._end_of_opaque(number)
                yield from self._lines[number : end + 1]
            else:
                yield from ("", *(f"> {line}" for line in self._lines[number + 1 : end]), "")
            number = end + 1

    def _find_end_of_quotation(self, start: int) -> int | None:
        """Return the line that ends the quotation whose first line is given; None if none begins there."""
        if not _FENCE.fullmatch(self._lines[start]):
            return None
        number = start + 1
        while number < len(self._lines):
            if number > start + 1 and _FENCE.fullmatch(self._lines[number]):
                return number
            number = self._end_of_opaque(number) + 1
        return None

    def _end_of_opaque(self, start: int) -> int:
        """Return the last line of the code or HTML that begins with a line; that line if none begins or none ends."""
        for (opening, _), ends in zip(_OPAQUE, self._ends, strict=True):
            if opening.fullmatch(self._lines[start]):
                place = bisect_right(ends, start)
                return ends[place] if place < len(ends) else start
        return start
