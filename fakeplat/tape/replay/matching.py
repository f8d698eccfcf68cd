"""Matching of requests with recorded ones, regardless of parameter order, secrets and encoding."""

import re
from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import unquote, unquote_plus

import orjson

from fakeplat.core.json_types import JsonValue
from fakeplat.core.operations.http_messages import Request
from fakeplat.core.secret_names import kind_of
from fakeplat.core.store.frozen import frozen
from fakeplat.tape.formats.tape import PLACEHOLDER

_PLACEHOLDER: Final = re.compile(f"<{PLACEHOLDER}>")
_ANY_PLACEHOLDER: Final = "<any:1>"
_SEPARATOR: Final = re.compile(r"[&;]")
_BOUNDARY: Final = re.compile(r"boundary=\"?([^\";,]+)", re.IGNORECASE)

Pairs = tuple[tuple[str, str], ...]


@frozen
class RequestKey:
    """The parts of a request that are matched: the decoded path, the sorted query without secrets, the parsed body."""

    method: str
    path: tuple[str, ...]
    query: Pairs
    body: Any

    @property
    def key(self) -> str:
        """A lookup key that is the same whatever placeholders the request contains."""
        # A second recording of a request can have other numbers in its placeholders.
        return _PLACEHOLDER.sub(_ANY_PLACEHOLDER, repr(self))

    @property
    def has_secrets(self) -> bool:
        """Whether the request contains placeholders, which match any text."""
        return _PLACEHOLDER.search(repr(self)) is not None


def request_key(request: Request) -> RequestKey:
    """Return the parts of a request that are matched."""
    path = tuple(unquote(part) for part in request.path.split("/"))
    return RequestKey(request.method, path, _parse_pairs(request.query), _parse_body(request))


def _parse_pairs(text: str) -> Pairs:
    """Parse a query or form, sorted by name and without parameters that hold secrets."""
    parts = (part.partition("=") for part in _SEPARATOR.split(text) if part)
    pairs = ((unquote_plus(name), unquote_plus(value)) for name, _, value in parts)
    # The sort is stable: the values of a repeated name, such as ids[], keep their order.
    return tuple(sorted((pair for pair in pairs if kind_of(pair[0]) is None), key=lambda pair: pair[0]))


def _parse_body(request: Request) -> Any:
    body = request.body
    if not body:
        return None
    content_type = request.headers.get("content-type", "")
    kind = content_type.partition(";")[0].strip().lower()
    if kind == "application/x-www-form-urlencoded":
        return _parse_pairs(body.decode("utf-8", "surrogateescape"))
    if kind == "multipart/form-data":
        return _split_parts(body, content_type)
    try:
        return _sort_keys(orjson.loads(body))
    except orjson.JSONDecodeError:
        return body.decode("utf-8", "surrogateescape")


def _sort_keys(value: JsonValue) -> JsonValue:
    """Sort the keys of JSON objects, so that equal documents have the same representation."""
    if isinstance(value, dict):
        return {name: _sort_keys(value[name]) for name in sorted(value)}
    return [_sort_keys(item) for item in value] if isinstance(value, list) else value


def _split_parts(body: bytes, content_type: str) -> Any:
    """Return the parts of a multipart form without the boundary, which clients generate anew each time."""
    match = _BOUNDARY.search(content_type)
    mark = b"--" + match[1].strip().encode("utf-8", "surrogateescape") if match else None
    # Before the first boundary is a preamble, after the last one the final ``--``.
    parts = body.split(mark)[1:-1] if mark else [body]
    return [part.strip(b"\r\n").decode("utf-8", "surrogateescape") for part in parts]


def describe_differences(recorded: RequestKey, actual: RequestKey) -> Iterator[str]:
    """Describe how a recorded request differs from an actual one."""
    if recorded.method != actual.method:
        yield f"the method is {recorded.method}"
    if not _matches(list(recorded.path), list(actual.path)):
        yield f"the path is {'/'.join(recorded.path)}"
    if not _matches([list(pair) for pair in recorded.query], [list(pair) for pair in actual.query]):
        yield from _describe_query(dict(recorded.query), dict(actual.query))
    yield from _describe_value("the body", recorded.body, actual.body)


def _describe_query(recorded: dict[str, str], actual: dict[str, str]) -> Iterator[str]:
    for name in sorted({*recorded, *actual}):
        if name not in actual:
            yield f"the query has {name}={recorded[name]}"
        elif name not in recorded:
            yield f"the query has no {name}"
        elif not _matches(recorded[name], actual[name]):
            yield f"the query has {name}={recorded[name]}"


def _describe_value(location: str, recorded: JsonValue, actual: JsonValue) -> Iterator[str]:
    if isinstance(recorded, dict) and isinstance(actual, dict):
        for name in sorted({*recorded, *actual}):
            if name not in actual or name not in recorded:
                yield f"{location} has {'no ' if name in actual else ''}{name!r}"
            else:
                yield from _describe_value(f"{location} at {name!r}", recorded[name], actual[name])
    elif not _matches(recorded, actual):
        yield f"{location} is {_shorten(recorded)}"


def _shorten(value: JsonValue) -> str:
    text = "empty" if value is None else repr(value)
    return text if len(text) <= 80 else f"{text[:80]}…"


def is_same_request(recorded: RequestKey, actual: RequestKey) -> bool:
    """Whether an actual request matches a recorded one."""
    return recorded.method == actual.method and _matches(
        [list(recorded.path), [list(pair) for pair in recorded.query], recorded.body],
        [list(actual.path), [list(pair) for pair in actual.query], actual.body],
    )


def _matches(recorded: JsonValue, actual: JsonValue) -> bool:
    if isinstance(recorded, str):
        return _text_matches(recorded, actual)
    if isinstance(recorded, dict) and isinstance(actual, dict):
        return recorded.keys() == actual.keys() and all(
            _matches(value, actual[name]) for name, value in recorded.items()
        )
    if isinstance(recorded, list | tuple) and isinstance(actual, list | tuple):
        return len(recorded) == len(actual) and all(map(_matches, recorded, actual))
    # True == 1 in Python, but not in JSON.
    return bool(recorded == actual) and isinstance(recorded, bool) == isinstance(actual, bool)


def _text_matches(recorded: str, actual: JsonValue) -> bool:
    if recorded == actual:
        return True
    pieces = _PLACEHOLDER.split(recorded)
    if len(pieces) == 1 or not isinstance(actual, str | int):
        return False
    # Each placeholder matches any text that is not empty.
    return re.fullmatch(".+".join(map(re.escape, pieces)), str(actual), re.DOTALL) is not None
