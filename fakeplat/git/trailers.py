"""Trailers of commits: the lines ``Key: value`` of the last paragraph of a message, as ``git interpret-trailers``."""

import re
from collections.abc import Iterator
from typing import Final

_TRAILER: Final = re.compile(r"(?P<key>[A-Za-z0-9-]+)[ \t]*:[ \t]*(?P<value>.*)")
_OWN: Final = ("Signed-off-by: ", "(cherry picked from commit ")
"""What git itself writes: with such a line, other lines may stand in the paragraph, too."""


def parse_trailers(message: str) -> list[tuple[str, str]]:
    """Return the trailers of a message in their order; keys may be repeated."""
    paragraphs = re.split(r"\n[ \t]*\n", message.strip("\n"))
    # The title is no trailer, even if it looks like one.
    lines = paragraphs[-1].strip().split("\n") if len(paragraphs) > 1 else []
    return list(_read_lines(lines)) if _is_block(lines) else []


def _is_block(lines: list[str]) -> bool:
    """Return whether the lines are trailers only, or a quarter of them and one that git wrote."""
    own = sum(line.startswith(_OWN) for line in lines)
    trailers = sum(line.startswith(_OWN) or _TRAILER.fullmatch(line) is not None for line in lines)
    others = sum(not line.startswith((" ", "\t")) for line in lines) - trailers
    return trailers > 0 and (others == 0 or (own > 0 and trailers * 3 >= others))


def _read_lines(lines: list[str]) -> Iterator[tuple[str, str]]:
    key, values = "", [""]
    for line in lines:
        if line.startswith((" ", "\t")):
            values.append(line.strip())
            continue
        if key:
            yield key, " ".join(values).strip()
        match = _TRAILER.fullmatch(line)
        key, values = (match["key"], [match["value"]]) if match else ("", [""])
    if key:
        yield key, " ".join(values).strip()
