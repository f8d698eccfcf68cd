"""What stands for the same thing on the tape and in the answers that are played against it.

Ids, hashes, dates and secrets are another server's own: the first time that one is seen on both sides the two are
bound, and from then on they must mean each other.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Final, NamedTuple
from urllib.parse import unquote

from fakeplat.core.operations.operation import PREFIX
from fakeplat.tape.export import record_kinds as kinds
from fakeplat.tape.formats.tape import PLACEHOLDER

Value = str | int
HASH: Final = "hash"
SHORT: Final = "short hash"
SECRET: Final = "secret"
DATE: Final = "date"
TAG: Final = "etag"

_MOMENT: Final = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)? ?(Z|UTC|[+-]\d\d:?\d\d)")
_PLACEHOLDER: Final = re.compile(f"<({PLACEHOLDER})>")
_HASH: Final = re.compile(r"(?<![0-9A-Za-z])[0-9a-f]{32}(?:[0-9a-f]{8}|[0-9a-f]{32})?(?![0-9A-Za-z])")
_SHORT: Final = re.compile(r"(?<![0-9A-Za-z])[0-9a-f]{7,12}(?![0-9A-Za-z])")
_SHORTEST: Final = 7
_AVATAR: Final = re.compile(r"/(user|project|group)/avatar/(\d+)(?=/)")
_BOT: Final = re.compile(r"(?<![0-9A-Za-z])(project)_(\d+)(?=_bot)")
_QUERY_ID: Final = re.compile(r"[?&]((?:[\w\[\]]|%5[BD])+)=(\d+)(?=&|$)")
_CURSORS: Final = ("id_after", "id_before")


class Reference(NamedTuple):
    """A piece of a text that refers to something: ``start`` and ``end`` are its place."""

    start: int
    end: int
    kind: str
    text: str

    @property
    def value(self) -> Value:
        """What is referred to: ids are numbers."""
        return self.text if self.kind in (HASH, SHORT) else int(self.text)


class References:
    """Pairs of a recorded and a played value, by kind."""

    def __init__(self) -> None:
        self._played: dict[tuple[object, Value], Value] = {}
        self._recorded: dict[tuple[object, Value], Value] = {}
        self._hashes: dict[str, str] = {}

    def same(self, kind: object, recorded: Value, played: Value, back: object = None) -> bool:
        """Whether two values mean the same, bound now if neither was seen before.

        Another value of ``back`` (or of the kind) must not mean the same either.
        """
        back = kind if back is None else back
        if (kind, recorded) not in self._played and (back, played) not in self._recorded:
            self._played[kind, recorded] = played
            self._recorded[back, played] = recorded
            if kind == HASH:
                self._hashes[str(recorded)[:_SHORTEST]] = str(recorded)
            return True
        return self._played.setdefault((kind, recorded), played) == played and (
            self._recorded.setdefault((back, played), recorded) == recorded
        )

    def played(self, kind: object, recorded: Value) -> Value | None:
        """What a recorded value means, if it was bound; what begins a hash means as much of that hash's."""
        if kind == SHORT:
            return self._abbreviated(str(recorded))
        return self._played.get((kind, recorded))

    def _abbreviated(self, short: str) -> str | None:
        whole = self._hashes.get(short[:_SHORTEST])
        if whole is None or not whole.startswith(short):
            return None
        return str(self._played[HASH, whole])[: len(short)]

    def note(self, kind: object, recorded: Value, played: Value) -> None:
        """Bind without asking what it was bound to, the first time."""
        self._played.setdefault((kind, recorded), played)


def find_abbreviated_hashes(text: str) -> list[Reference]:
    """What may be the beginning of a hash; whether it is one can be told from the hashes that were seen."""
    return [Reference(*match.span(), SHORT, match[0]) for match in _SHORT.finditer(text)]


def holds_hash(text: str) -> bool:
    """Whether a hash stands in a text."""
    return _HASH.search(text) is not None


def replace_references(text: str, found: Iterable[Reference], swap: Callable[[str, Value], Value]) -> str:
    """A text with other values for its references; of two in the same place the first counts."""
    pieces, at = [], 0
    for one in sorted(found):
        if one.start >= at:
            pieces += [text[at : one.start], str(swap(one.kind, one.value))]
            at = one.end
    return "".join([*pieces, text[at:]])


def is_moment(text: str) -> bool:
    """Whether a text is a point in time."""
    return _MOMENT.fullmatch(text) is not None


def in_text(text: str, origin: str) -> list[Reference]:
    """The references in a text, URLs of the server at an origin among them, from left to right."""
    found = sorted({*_in_any(text), *_in_url(text, origin)})
    return [one for number, one in enumerate(found) if number == 0 or one.start >= found[number - 1].end]


def _in_any(text: str) -> Iterator[Reference]:
    for match in _HASH.finditer(text):
        yield Reference(*match.span(), HASH, match[0])
    for pattern in (_AVATAR, _BOT):
        for match in pattern.finditer(text):
            yield Reference(*match.span(2), kinds.singular(match[1]), match[2])


def _in_url(text: str, origin: str) -> Iterator[Reference]:
    for url in _urls_of(origin).finditer(text) if PREFIX in text else ():
        path, query = url[1], url[2] or ""
        yield from in_path("GET", path, url.start(1))
        for match in _QUERY_ID.finditer(query):
            kind = kind_of_parameter(innermost_key(unquote(match[1])), path)
            if kind is not None:
                start = url.start(2) + match.start(2)
                yield Reference(start, start + len(match[2]), kind, match[2])


@cache
def _urls_of(origin: str) -> re.Pattern[str]:
    """URLs of the API of the server at an origin, each with its path and its query."""
    return re.compile(rf"{re.escape(origin)}({re.escape(PREFIX)}/[^?#\s\"'<>)]*)(\?[^#\s\"'>)]*)?")


def in_path(method: str, path: str, offset: int = 0) -> Iterator[Reference]:
    """The ids in a path of the API."""
    parts = path.split("/")
    for place, kind in kinds.parameters(method, path):
        part = parts[place] if place < len(parts) else ""
        if part.isascii() and part.isdigit():
            start = offset + sum(len(before) + 1 for before in parts[:place])
            yield Reference(start, start + len(part), kind, part)


def kind_of_parameter(name: str, path: str) -> str | None:
    """The kind of record whose id a parameter is; None for no id."""
    if name == "id":
        return (kinds.owner_in_path(path) or (None,))[0]
    if name in _CURSORS:
        return kinds.kind_shown_at(kinds.resolve_route("GET", path).path)
    return kinds.kind_of_key(name)


def innermost_key(name: str) -> str:
    """The last word of a parameter's name: ``author_id`` of ``not[author_id]`` and of ``author_id[]``."""
    return next((word for word in reversed(re.split(r"[\[\]]+", name)) if word), name)


def secrets_in(text: str) -> list[re.Match[str]]:
    """The placeholders in a text."""
    return list(_PLACEHOLDER.finditer(text))


def fill_placeholders(text: str, secret: Callable[[str], str]) -> str:
    """A text with secrets for placeholders."""
    return _PLACEHOLDER.sub(lambda found: secret(found[1]), text)
