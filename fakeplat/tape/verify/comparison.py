"""Comparison of a recorded and a played response: status, relevant headers, and the body value by value."""

import re
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from fakeplat.core.json_types import JsonObject, JsonValue
from fakeplat.core.operations.http_messages import Response
from fakeplat.core.operations.vendor_names import twin_of
from fakeplat.tape.records import record_kinds
from fakeplat.tape.records.recorded_requests import json_or_none
from fakeplat.tape.verify.drift import Difference, DriftKind
from fakeplat.tape.verify.references import (
    DATE,
    SECRET,
    TAG,
    Reference,
    References,
    Value,
    find_abbreviated_hashes,
    find_placeholders,
    find_references,
    holds_hash,
    is_timestamp,
    replace_references,
)

# The most specific first; ids are no names, because they differ between servers.
_NAME_KEYS: Final = ("web_url", "path_with_namespace", "full_path", "username", "iid", "key", "name", "title")
# ``<https://host/path?page=2>; rel="next"``.
_LINK: Final = re.compile(r'<(.*?)>\s*;\s*rel="?(\w+)"?')
_NUMBERS: Final = (int, float)
_SERVER_SPECIFIC_TYPES: Final = ("text/html", "application/x-git-")
# The first bytes of gzip, zip and bzip2.
_ARCHIVE_MAGIC: Final = (b"\x1f\x8b", b"PK\x03\x04", b"BZh")
_TAR_MAGIC: Final = b"ustar"
# A tar file has its magic number inside the header of the first file, at this offset.
_TAR_OFFSET: Final = 257


class Location(NamedTuple):
    """The location of a value: JSON path and key, and the record that it belongs to, by kind and recorded id."""

    path: str
    key: str = ""
    kind: str = ""
    record: Hashable = None

    def child(self, key: str) -> "Location":
        """Return the location of the value of a key."""
        return self._replace(path=f"{self.path}.{key}" if key.isidentifier() else f"{self.path}[{key!r}]", key=key)

    def item(self, number: int) -> "Location":
        """Return the location of an item of a list."""
        return self._replace(path=f"{self.path}[{number}]")


class Comparison:
    """Compares the responses of a session in order. URLs in both responses have the recorded server's ``origin``."""

    def __init__(self, references: References, origin: str) -> None:
        self._references = references
        self._origin = origin

    def compare_responses(self, shows: str, recorded: Response, played: Response) -> Iterator[Difference]:
        """Compare two responses; ``shows`` is the kind of record in the body."""
        if recorded.status != played.status:
            # The bodies of different statuses cannot be compared.
            yield Difference(DriftKind.STATUS, "", recorded.status, _status_line(played))
            return
        yield from self._headers(dict(_lower_headers(recorded)), dict(_lower_headers(played)))
        if _is_server_specific(recorded) or (_is_archive(recorded) and _is_archive(played)):
            return
        before, after = json_or_none(recorded.body), json_or_none(played.body)
        if before is None or after is None:
            yield from self._texts(_text(recorded), _text(played), Location("$"))
        else:
            yield from self.compare_values(before, after, Location("$", shows, shows))

    def _headers(self, recorded: Mapping[str, str], played: Mapping[str, str]) -> Iterator[Difference]:
        for name, compare in _HEADERS.items():
            before, after = recorded.get(name), played.get(name)
            if before is None and after is None:
                continue
            if before is None or after is None or not compare(self, before, after):
                yield Difference(DriftKind.HEADER, name, before, after)
        yield from self._links(recorded.get("link", ""), played.get("link", ""))

    # Headers

    def equal(self, recorded: str, played: str) -> bool:
        """Whether two texts are equal."""
        return recorded == played

    def media_type(self, recorded: str, played: str) -> bool:
        """Whether two media types are equal, regardless of parameters."""
        return recorded.partition(";")[0].strip().lower() == played.partition(";")[0].strip().lower()

    def presence(self, recorded: str, played: str) -> bool:
        """Accept any two values, and note that they correspond."""
        self._references.note(TAG, recorded, played)
        return True

    def url(self, recorded: str, played: str) -> bool:
        """Whether two URLs are equal, apart from ids."""
        return not list(self._texts(recorded, played, Location("")))

    def _links(self, recorded: str, played: str) -> Iterator[Difference]:
        """Compare Link headers by relation."""
        before, after = ({rel: url for url, rel in _LINK.findall(text)} for text in (recorded, played))
        for rel in {**before, **after}:
            if rel not in before or rel not in after or not self.url(before[rel], after[rel]):
                yield Difference(DriftKind.HEADER, f"link {rel}", before.get(rel), after.get(rel))

    # Bodies

    def compare_values(self, recorded: Any, played: Any, location: Location) -> Iterator[Difference]:
        """Compare two JSON values."""
        if isinstance(recorded, dict) and isinstance(played, dict):
            yield from self._objects(recorded, played, location)
        elif isinstance(recorded, list) and isinstance(played, list):
            yield from self._lists(recorded, played, location)
        elif isinstance(recorded, str) and isinstance(played, str):
            yield from self._texts(recorded, played, location)
        elif _type(recorded) != _type(played):
            yield Difference(DriftKind.TYPE, location.path, recorded, played)
        elif isinstance(recorded, int) and not isinstance(recorded, bool) and (kind := _referenced_kind(location)):
            if not self._references.correspond(kind, recorded, played):
                yield Difference(DriftKind.REFERENCE, location.path, recorded, played)
        elif recorded != played:
            yield Difference(DriftKind.VALUE, location.path, recorded, played)

    def _objects(self, recorded: JsonObject, played: JsonObject, location: Location) -> Iterator[Difference]:
        kind = record_kinds.kind_of_word(location.key) if location.key else location.kind
        has_id = isinstance(recorded.get("id"), int | str)
        # Without an id of its own, an object belongs to the record around it.
        inside = location._replace(kind=kind, record=(kind, recorded["id"])) if has_id else location
        for key, value in recorded.items():
            # A server may use either of the two names of such a field.
            other = key if key in played else twin_of(key) or key
            below = inside.child(key)
            if other in played:
                yield from self.compare_values(value, played[other], below)
            else:
                yield Difference(DriftKind.MISSING, below.path, value)
        for key, value in played.items():
            if key not in recorded and twin_of(key) not in recorded:
                yield Difference(DriftKind.EXTRA, inside.child(key).path, None, value)

    def _lists(
        self, recorded: Sequence[JsonValue], played: Sequence[JsonValue], location: Location
    ) -> Iterator[Difference]:
        """Compare lists, matching the items by name if they have unique names, else by position."""
        before, after = _unique_names(recorded), _unique_names(played)
        if before is None or after is None or before == after:
            yield from self._items(recorded, played, location)
            return
        if sorted(before) == sorted(after):
            yield Difference(DriftKind.ORDER, location.path, before, after)
        positions = {name: number for number, name in enumerate(after)}
        for number, name in enumerate(before):
            if name in positions:
                yield from self.compare_values(recorded[number], played[positions[name]], location.item(number))
            else:
                yield Difference(DriftKind.MISSING, location.item(number).path, recorded[number])
        for number, name in enumerate(after):
            if name not in before:
                yield Difference(DriftKind.EXTRA, location.item(number).path, None, played[number])

    def _items(
        self, recorded: Sequence[JsonValue], played: Sequence[JsonValue], location: Location
    ) -> Iterator[Difference]:
        for number, (before, after) in enumerate(zip(recorded, played, strict=False)):
            yield from self.compare_values(before, after, location.item(number))
        shared = min(len(recorded), len(played))
        for number, value in enumerate(recorded[shared:], shared):
            yield Difference(DriftKind.MISSING, location.item(number).path, value)
        for number, value in enumerate(played[shared:], shared):
            yield Difference(DriftKind.EXTRA, location.item(number).path, None, value)

    def _texts(self, recorded: str, played: str, location: Location) -> Iterator[Difference]:
        if is_timestamp(recorded) and is_timestamp(played):
            yield from self._timestamps(recorded, played, location)
        elif find_placeholders(recorded):
            yield from self._secrets(recorded, played, location)
        else:
            # Any short hexadecimal word may be an abbreviated hash; only those of known hashes are replaced.
            translated = replace_references(recorded, find_abbreviated_hashes(recorded), self._played_value)
            before, after = find_references(translated, self._origin), find_references(played, self._origin)
            if _skeleton(translated, before) != _skeleton(played, after):
                yield Difference(DriftKind.VALUE, location.path, recorded, played)
            elif not all(self._is_same(*pair) for pair in zip(before, after, strict=True)):
                yield Difference(DriftKind.REFERENCE, location.path, recorded, played)

    def _played_value(self, kind: str, recorded: Value) -> Value:
        played = self._references.played(kind, recorded)
        return recorded if played is None else played

    def _is_same(self, recorded: Reference, played: Reference) -> bool:
        return self._references.correspond(recorded.kind, recorded.value, played.value)

    def _timestamps(self, recorded: str, played: str, location: Location) -> Iterator[Difference]:
        """Compare timestamps: equal ones of a record must stay equal, different ones of a field different."""
        self._references.note(DATE, recorded, played)
        # Timestamps of two fields may differ on a slow server and be equal on a fast one, so the reverse direction is
        # checked by field.
        scope = (DATE, location.record)
        if not self._references.correspond(scope, recorded, played, (*scope, location.key)):
            yield Difference(DriftKind.REFERENCE, location.path, recorded, played)

    def _secrets(self, recorded: str, played: str, location: Location) -> Iterator[Difference]:
        """Compare texts with placeholders: each matches any text, but the same one every time."""
        placeholders = find_placeholders(recorded)
        pieces, end = [], 0
        for match in placeholders:
            pieces += [re.escape(recorded[end : match.start()]), "(.+?)"]
            end = match.end()
        fit = re.fullmatch("".join([*pieces, re.escape(recorded[end:])]), played, re.DOTALL)
        if fit is None:
            yield Difference(DriftKind.VALUE, location.path, recorded, played)
        elif not all(
            self._references.correspond(SECRET, match[1], value)
            for match, value in zip(placeholders, fit.groups(), strict=True)
        ):
            yield Difference(DriftKind.REFERENCE, location.path, recorded, played)


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
"""The headers that are compared, besides Link, and how."""


def _referenced_kind(location: Location) -> str | None:
    """Return the kind of record that a number is the id of; None for other numbers."""
    return location.kind or None if location.key == "id" else record_kinds.kind_of_key(location.key)


def _skeleton(text: str, references: Sequence[Reference]) -> list[str]:
    """Split a text into the parts around its references and the kinds of these."""
    pieces, end = [], 0
    for reference in references:
        pieces += [text[end : reference.start], reference.kind]
        end = reference.end
    return [*pieces, text[end:]]


def _unique_names(rows: Sequence[Any]) -> list[str] | None:
    """Return the unique names of the items of a list; None if there are none.

    Names that contain a hash are skipped because hashes differ between servers.
    """
    if not rows or not all(isinstance(row, dict) for row in rows):
        return None if rows else []
    for key in _NAME_KEYS:
        if all(key in row for row in rows):
            names = [str(row[key]) for row in rows]
            if any(map(holds_hash, names)):
                continue
            return names if len({*names}) == len(names) else None
    return None


def _is_server_specific(response: Response) -> bool:
    """Whether the body is specific to the server: HTML pages and git packs."""
    return any(
        word in value
        for name, value in _lower_headers(response)
        if name == "content-type"
        for word in _SERVER_SPECIFIC_TYPES
    )


def _is_archive(response: Response) -> bool:
    """Whether the body is an archive of files, which contains hashes and timestamps."""
    body = response.body
    return body.startswith(_ARCHIVE_MAGIC) or body[_TAR_OFFSET:].startswith(_TAR_MAGIC)


def _type(value: object) -> object:
    if value is None or isinstance(value, bool):
        return type(value)
    # JSON has one number type: 1 and 1.0 are equal.
    return float if isinstance(value, _NUMBERS) else type(value)


def _lower_headers(response: Response) -> Iterator[tuple[str, str]]:
    return ((name.lower(), value) for name, value in response.headers)


def _text(response: Response) -> str:
    return response.body.decode("utf-8", "replace")


def _status_line(response: Response) -> str:
    """Return the status and the beginning of the body."""
    return f"{response.status} {_text(response)[:200]}".strip()
