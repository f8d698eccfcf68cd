"""A recorded and a played answer, compared: status, the headers that matter, and the body, value by value."""

import re
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from fakeplat.core.operations.http_messages import Response
from fakeplat.core.operations.vendor_names import twin_of
from fakeplat.tape.export import record_kinds as kinds
from fakeplat.tape.export.recorded_requests import json_or_none
from fakeplat.tape.verify.drift import Difference, DriftKind
from fakeplat.tape.verify.references import (
    DATE,
    SECRET,
    TAG,
    Reference,
    References,
    Value,
    find_abbreviated_hashes,
    holds_hash,
    in_text,
    is_moment,
    replace_references,
    secrets_in,
)

_NATURAL: Final = ("web_url", "path_with_namespace", "full_path", "username", "iid", "key", "name", "title")
_LINK: Final = re.compile(r'<(.*?)>\s*;\s*rel="?(\w+)"?')
_NUMBERS: Final = (int, float)
_OWN_TYPES: Final = ("text/html", "application/x-git-")
_PACKED: Final = (b"\x1f\x8b", b"PK\x03\x04", b"BZh")
_TAR: Final = b"ustar"
_TAR_AT: Final = 257


class Location(NamedTuple):
    """Where a value stands: its JSON path and key, and the record that it is of, by kind and recorded id."""

    path: str
    key: str = ""
    kind: str = ""
    record: Hashable = None

    def below(self, key: str) -> "Location":
        """What stands under a key."""
        return self._replace(path=f"{self.path}.{key}" if key.isidentifier() else f"{self.path}[{key!r}]", key=key)

    def item(self, number: int) -> "Location":
        """An item of a list."""
        return self._replace(path=f"{self.path}[{number}]")


class Comparison:
    """Compares answers of one session after the other; ``origin`` is the recorded server's, in both."""

    def __init__(self, references: References, origin: str) -> None:
        self._references = references
        self._origin = origin

    def answers(self, shows: str, recorded: Response, played: Response) -> Iterator[Difference]:
        """What differs; ``shows`` is the kind of record that the answer is about."""
        if recorded.status != played.status:
            yield Difference(DriftKind.STATUS, "", recorded.status, _told(played))
            return
        yield from self._headers(dict(_lower(recorded)), dict(_lower(played)))
        if _is_the_servers_own(recorded) or (_is_archive(recorded) and _is_archive(played)):
            return
        before, after = json_or_none(recorded.body), json_or_none(played.body)
        if before is None or after is None:
            yield from self._texts(_text(recorded), _text(played), Location("$"))
        else:
            yield from self.values(before, after, Location("$", shows, shows))

    def _headers(self, recorded: Mapping[str, str], played: Mapping[str, str]) -> Iterator[Difference]:
        for name, compare in _HEADERS.items():
            before, after = recorded.get(name), played.get(name)
            if before is None and after is None:
                continue
            if before is None or after is None or not compare(self, before, after):
                yield Difference(DriftKind.HEADER, name, before, after)
        yield from self._links(recorded.get("link", ""), played.get("link", ""))

    # headers

    def equal(self, recorded: str, played: str) -> bool:
        """The same text."""
        return recorded == played

    def media_type(self, recorded: str, played: str) -> bool:
        """The same type, whatever its parameters."""
        return recorded.partition(";")[0].strip().lower() == played.partition(";")[0].strip().lower()

    def presence(self, recorded: str, played: str) -> bool:
        """Both are there, whatever they say; the one is known for the other."""
        self._references.note(TAG, recorded, played)
        return True

    def url(self, recorded: str, played: str) -> bool:
        """The same address."""
        return not list(self._texts(recorded, played, Location("")))

    def _links(self, recorded: str, played: str) -> Iterator[Difference]:
        """The same addresses stand under the same relations."""
        before, after = ({rel: url for url, rel in _LINK.findall(text)} for text in (recorded, played))
        for rel in {**before, **after}:
            if rel not in before or rel not in after or not self.url(before[rel], after[rel]):
                yield Difference(DriftKind.HEADER, f"link {rel}", before.get(rel), after.get(rel))

    # bodies

    def values(self, recorded: Any, played: Any, spot: Location) -> Iterator[Difference]:
        """What differs between two JSON values."""
        if isinstance(recorded, dict) and isinstance(played, dict):
            yield from self._objects(recorded, played, spot)
        elif isinstance(recorded, list) and isinstance(played, list):
            yield from self._lists(recorded, played, spot)
        elif isinstance(recorded, str) and isinstance(played, str):
            yield from self._texts(recorded, played, spot)
        elif _type(recorded) != _type(played):
            yield Difference(DriftKind.TYPE, spot.path, recorded, played)
        elif isinstance(recorded, int) and not isinstance(recorded, bool) and (kind := _referred(spot)):
            if not self._references.same(kind, recorded, played):
                yield Difference(DriftKind.REFERENCE, spot.path, recorded, played)
        elif recorded != played:
            yield Difference(DriftKind.VALUE, spot.path, recorded, played)

    def _objects(self, recorded: Mapping[str, Any], played: Mapping[str, Any], spot: Location) -> Iterator[Difference]:
        kind = kinds.singular(spot.key) if spot.key else spot.kind
        named = isinstance(recorded.get("id"), int | str)
        inside = spot._replace(kind=kind, record=(kind, recorded["id"])) if named else spot
        for key, value in recorded.items():
            other = key if key in played else twin_of(key) or key
            below = inside.below(key)
            if other in played:
                yield from self.values(value, played[other], below)
            else:
                yield Difference(DriftKind.MISSING, below.path, value)
        for key, value in played.items():
            if key not in recorded and twin_of(key) not in recorded:
                yield Difference(DriftKind.EXTRA, inside.below(key).path, None, value)

    def _lists(self, recorded: Sequence[Any], played: Sequence[Any], spot: Location) -> Iterator[Difference]:
        """Items in their order; where names tell them apart, each with the one of the same name."""
        before, after = _names(recorded), _names(played)
        if before is None or after is None or before == after:
            yield from self._rows(recorded, played, spot)
            return
        if sorted(before) == sorted(after):
            yield Difference(DriftKind.ORDER, spot.path, before, after)
        places = {name: number for number, name in enumerate(after)}
        for number, name in enumerate(before):
            if name in places:
                yield from self.values(recorded[number], played[places[name]], spot.item(number))
            else:
                yield Difference(DriftKind.MISSING, spot.item(number).path, recorded[number])
        for number, name in enumerate(after):
            if name not in before:
                yield Difference(DriftKind.EXTRA, spot.item(number).path, None, played[number])

    def _rows(self, recorded: Sequence[Any], played: Sequence[Any], spot: Location) -> Iterator[Difference]:
        for number, (before, after) in enumerate(zip(recorded, played, strict=False)):
            yield from self.values(before, after, spot.item(number))
        shared = min(len(recorded), len(played))
        for number, value in enumerate(recorded[shared:], shared):
            yield Difference(DriftKind.MISSING, spot.item(number).path, value)
        for number, value in enumerate(played[shared:], shared):
            yield Difference(DriftKind.EXTRA, spot.item(number).path, None, value)

    def _texts(self, recorded: str, played: str, spot: Location) -> Iterator[Difference]:
        if is_moment(recorded) and is_moment(played):
            yield from self._moments(recorded, played, spot)
        elif secrets_in(recorded):
            yield from self._secrets(recorded, played, spot)
        else:
            meant = replace_references(recorded, find_abbreviated_hashes(recorded), self._meant)
            before, after = in_text(meant, self._origin), in_text(played, self._origin)
            if _skeleton(meant, before) != _skeleton(played, after):
                yield Difference(DriftKind.VALUE, spot.path, recorded, played)
            elif not all(self._same(*pair) for pair in zip(before, after, strict=True)):
                yield Difference(DriftKind.REFERENCE, spot.path, recorded, played)

    def _meant(self, kind: str, recorded: Value) -> Value:
        found = self._references.played(kind, recorded)
        return recorded if found is None else found

    def _same(self, recorded: Reference, played: Reference) -> bool:
        return self._references.same(recorded.kind, recorded.value, played.value)

    def _moments(self, recorded: str, played: str, spot: Location) -> Iterator[Difference]:
        """Of one record, a moment stays itself; of one field of it, another moment is another."""
        self._references.note(DATE, recorded, played)
        of = (DATE, spot.record)
        if not self._references.same(of, recorded, played, (*of, spot.key)):
            yield Difference(DriftKind.REFERENCE, spot.path, recorded, played)

    def _secrets(self, recorded: str, played: str, spot: Location) -> Iterator[Difference]:
        """Where the tape has a placeholder, anything may stand, but always the same."""
        found = secrets_in(recorded)
        pieces, at = [], 0
        for match in found:
            pieces += [re.escape(recorded[at : match.start()]), "(.+?)"]
            at = match.end()
        fitting = re.fullmatch("".join([*pieces, re.escape(recorded[at:])]), played, re.DOTALL)
        if fitting is None:
            yield Difference(DriftKind.VALUE, spot.path, recorded, played)
        elif not all(
            self._references.same(SECRET, match[1], value) for match, value in zip(found, fitting.groups(), strict=True)
        ):
            yield Difference(DriftKind.REFERENCE, spot.path, recorded, played)


Compare = Callable[[Comparison, str, str], bool]
_HEADERS: Final[Mapping[str, Compare]] = {
    "content-type": Comparison.media_type,
    "etag": Comparison.presence,
    "location": Comparison.url,
    "retry-after": Comparison.presence,
    "www-authenticate": Comparison.presence,
    **dict.fromkeys(
        ("x-total", "x-total-pages", "x-per-page", "x-page", "x-next-page", "x-prev-page", "allow"), Comparison.equal
    ),
}
"""The headers that are compared beside Link, and how; all others are the server's own affair."""


def _referred(spot: Location) -> str | None:
    """The kind of record whose id a number is; None for any other number."""
    return spot.kind or None if spot.key == "id" else kinds.kind_of_key(spot.key)


def _skeleton(text: str, found: Sequence[Reference]) -> list[str]:
    """A text without what it refers to, and the kinds of that."""
    pieces, at = [], 0
    for one in found:
        pieces += [text[at : one.start], one.kind]
        at = one.end
    return [*pieces, text[at:]]


def _names(rows: Sequence[Any]) -> list[str] | None:
    """What names the items of a list, each by itself; None where they are no objects with names of their own.

    A name that holds a hash is another one on another server.
    """
    if not rows or not all(isinstance(row, dict) for row in rows):
        return None if rows else []
    for key in _NATURAL:
        if all(key in row for row in rows):
            found = [str(row[key]) for row in rows]
            if any(map(holds_hash, found)):
                continue
            return found if len({*found}) == len(found) else None
    return None


def _is_the_servers_own(response: Response) -> bool:
    """Each server draws its own pages, and packs for git as it likes."""
    return any(word in value for name, value in _lower(response) if name == "content-type" for word in _OWN_TYPES)


def _is_archive(response: Response) -> bool:
    """Whether files were packed together; hashes and moments are packed with them."""
    body = response.body
    return body.startswith(_PACKED) or body[_TAR_AT:].startswith(_TAR)


def _type(value: Any) -> object:
    if value is None or isinstance(value, bool):
        return type(value)
    return float if isinstance(value, _NUMBERS) else type(value)


def _lower(response: Response) -> Iterator[tuple[str, str]]:
    return ((name.lower(), value) for name, value in response.headers)


def _text(response: Response) -> str:
    return response.body.decode("utf-8", "replace")


def _told(response: Response) -> str:
    """A status with what its answer says."""
    return f"{response.status} {_text(response)[:200]}".strip()
