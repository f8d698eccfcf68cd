"""Correspondence of values on the tape and in the played responses.

Ids, hashes, dates and secrets differ between servers. The first time that one appears on both sides, the two values
are bound; from then on they must always correspond.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Final, NamedTuple
from urllib.parse import unquote

from fakeplat.core.operations.operation import PREFIX
from fakeplat.tape.formats.tape import PLACEHOLDER
from fakeplat.tape.records import record_kinds

Value = str | int
HASH: Final = "hash"
SHORT: Final = "short hash"
SECRET: Final = "secret"
DATE: Final = "date"
TAG: Final = "etag"

_MOMENT: Final = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)? ?(Z|UTC|[+-]\d\d:?\d\d)")
_PLACEHOLDER: Final = re.compile(f"<({PLACEHOLDER})>")
# MD5 (32 hex digits), SHA-1 (40) or SHA-256 (64), not inside a longer word.
_HASH: Final = re.compile(r"(?<![0-9A-Za-z])[0-9a-f]{32}(?:[0-9a-f]{8}|[0-9a-f]{32})?(?![0-9A-Za-z])")
# From git's shortest usual abbreviation, 7 digits, up; the platform shows 8.
_SHORT: Final = re.compile(r"(?<![0-9A-Za-z])[0-9a-f]{7,12}(?![0-9A-Za-z])")
_MIN_SHORT_HASH: Final = 7
# The id in ``/uploads/-/system/user/avatar/7/photo.png``.
_AVATAR: Final = re.compile(r"/(user|project|group)/avatar/(\d+)(?=/)")
# The id in ``project_7_bot``, the username of an access token's user.
_BOT: Final = re.compile(r"(?<![0-9A-Za-z])(project)_(\d+)(?=_bot)")
# ``author_id=7``, ``not[author_id]=7`` or the same with encoded brackets.
_QUERY_ID: Final = re.compile(r"[?&]((?:[\w\[\]]|%5[BD])+)=(\d+)(?=&|$)")
_CURSORS: Final = ("id_after", "id_before")


class Reference(NamedTuple):
    """A reference in a text, from ``start`` to ``end``."""

    start: int
    end: int
    kind: str
    text: str

    @property
    def value(self) -> Value:
        """The referenced value; ids are numbers."""
        return self.text if self.kind in (HASH, SHORT) else int(self.text)


class References:
    """Pairs of recorded and played values, by kind."""

    def __init__(self) -> None:
        self._played: dict[tuple[object, Value], Value] = {}
        self._recorded: dict[tuple[object, Value], Value] = {}
        self._hashes: dict[str, str] = {}

    def correspond(self, kind: object, recorded: Value, played: Value, back: object = None) -> bool:
        """Whether two values correspond; they are bound if neither is known yet.

        No other recorded value of the kind (or of ``back``, if given) may correspond to the same played value.
        """
        back = kind if back is None else back
        if (kind, recorded) not in self._played and (back, played) not in self._recorded:
            self._played[kind, recorded] = played
            self._recorded[back, played] = recorded
            if kind == HASH:
                self._hashes[str(recorded)[:_MIN_SHORT_HASH]] = str(recorded)
            return True
        # One side may be known from a looser note; the other is then bound now.
        return self._played.setdefault((kind, recorded), played) == played and (
            self._recorded.setdefault((back, played), recorded) == recorded
        )

    def played(self, kind: object, recorded: Value) -> Value | None:
        """Return the bound played value, if any; that of an abbreviated hash has the same length."""
        if kind == SHORT:
            return self._played_abbreviation(str(recorded))
        return self._played.get((kind, recorded))

    def _played_abbreviation(self, short: str) -> str | None:
        full = self._hashes.get(short[:_MIN_SHORT_HASH])
        if full is None or not full.startswith(short):
            return None
        return str(self._played[HASH, full])[: len(short)]

    def note(self, kind: object, recorded: Value, played: Value) -> None:
        """Bind two values unless the recorded one is bound already."""
        self._played.setdefault((kind, recorded), played)


def find_abbreviated_hashes(text: str) -> list[Reference]:
    """Find what may be abbreviated hashes; only those of known hashes are."""
    return [Reference(*match.span(), SHORT, match[0]) for match in _SHORT.finditer(text)]


def holds_hash(text: str) -> bool:
    """Whether a text contains a hash."""
    return _HASH.search(text) is not None


def replace_references(text: str, references: Iterable[Reference], swap: Callable[[str, Value], Value]) -> str:
    """Replace references in a text; of overlapping ones, the first counts."""
    pieces, end = [], 0
    for reference in sorted(references):
        if reference.start >= end:
            pieces += [text[end : reference.start], str(swap(reference.kind, reference.value))]
            end = reference.end
    return "".join([*pieces, text[end:]])


def is_timestamp(text: str) -> bool:
    """Whether a text is a timestamp."""
    return _MOMENT.fullmatch(text) is not None


def find_references(text: str, origin: str) -> list[Reference]:
    """Find the references in a text from left to right, including those in URLs of the server at ``origin``."""
    references = sorted({*_find_in_text(text), *_find_in_urls(text, origin)})
    return [
        reference
        for number, reference in enumerate(references)
        if number == 0 or reference.start >= references[number - 1].end
    ]


def _find_in_text(text: str) -> Iterator[Reference]:
    for match in _HASH.finditer(text):
        yield Reference(*match.span(), HASH, match[0])
    for pattern in (_AVATAR, _BOT):
        for match in pattern.finditer(text):
            yield Reference(*match.span(2), record_kinds.kind_of_word(match[1]), match[2])


def _find_in_urls(text: str, origin: str) -> Iterator[Reference]:
    for url in _url_pattern(origin).finditer(text) if PREFIX in text else ():
        path, query = url[1], url[2] or ""
        yield from find_path_ids("GET", path, url.start(1))
        for match in _QUERY_ID.finditer(query):
            kind = kind_of_parameter(innermost_key(unquote(match[1])), path)
            if kind is not None:
                start = url.start(2) + match.start(2)
                yield Reference(start, start + len(match[2]), kind, match[2])


@cache
def _url_pattern(origin: str) -> re.Pattern[str]:
    """Return a pattern for API URLs of an origin, with groups for path and query."""
    return re.compile(rf"{re.escape(origin)}({re.escape(PREFIX)}/[^?#\s\"'<>)]*)(\?[^#\s\"'>)]*)?")


def find_path_ids(method: str, path: str, offset: int = 0) -> Iterator[Reference]:
    """Find the ids in an API path."""
    parts = path.split("/")
    for index, kind in record_kinds.find_id_segments(method, path):
        part = parts[index] if index < len(parts) else ""
        if part.isascii() and part.isdigit():
            start = offset + sum(len(before) + 1 for before in parts[:index])
            yield Reference(start, start + len(part), kind, part)


def kind_of_parameter(name: str, path: str) -> str | None:
    """Return the kind of record that a parameter is the id of; None if it is not an id."""
    if name == "id":
        return (record_kinds.owner_in_path(path) or (None,))[0]
    if name in _CURSORS:
        return record_kinds.kind_shown_at(record_kinds.resolve_route("GET", path).path)
    return record_kinds.kind_of_key(name)


def innermost_key(name: str) -> str:
    """Return the innermost key of a parameter name: ``author_id`` for ``not[author_id]`` and ``author_id[]``."""
    return next((word for word in reversed(re.split(r"[\[\]]+", name)) if word), name)


def find_placeholders(text: str) -> list[re.Match[str]]:
    """Find the placeholders in a text."""
    return list(_PLACEHOLDER.finditer(text))


def fill_placeholders(text: str, secret: Callable[[str], str]) -> str:
    """Replace the placeholders in a text with secrets."""
    return _PLACEHOLDER.sub(lambda match: secret(match[1]), text)
