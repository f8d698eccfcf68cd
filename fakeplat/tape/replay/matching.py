"""Which recorded request is the one that was asked: equal but for order, secrets and ways of writing."""

import re
from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import unquote, unquote_plus

import orjson

from fakeplat.core.operations.http_messages import Request
from fakeplat.core.secret_names import kind_of
from fakeplat.core.store.frozen import frozen
from fakeplat.tape.formats.tape import PLACEHOLDER

_PLACEHOLDER: Final = re.compile(f"<{PLACEHOLDER}>")
_ANY: Final = "<any:1>"
_SEPARATOR: Final = re.compile(r"[&;]")
_BOUNDARY: Final = re.compile(r"boundary=\"?([^\";,]+)", re.IGNORECASE)

Pairs = tuple[tuple[str, str], ...]


@frozen
class RequestKey:
    """What of a request counts: path and query decoded, the query sorted and without secrets, the body as data."""

    method: str
    path: tuple[str, ...]
    query: Pairs
    body: Any

    @property
    def key(self) -> str:
        """The same text for the same essence, whichever placeholders stand in it."""
        return _PLACEHOLDER.sub(_ANY, repr(self))

    @property
    def has_secrets(self) -> bool:
        """Whether placeholders stand in it, each of which anything fits."""
        return _PLACEHOLDER.search(repr(self)) is not None


def request_key(request: Request) -> RequestKey:
    """What of a request counts."""
    path = tuple(unquote(part) for part in request.path.split("/"))
    return RequestKey(request.method, path, _pairs(request.query), _body(request))


def _pairs(text: str) -> Pairs:
    """The pairs of a query or form, sorted by name; those under the name of a secret are left out."""
    split = (part.partition("=") for part in _SEPARATOR.split(text) if part)
    named = ((unquote_plus(name), unquote_plus(value)) for name, _, value in split)
    return tuple(sorted((pair for pair in named if kind_of(pair[0]) is None), key=lambda pair: pair[0]))


def _body(request: Request) -> Any:
    body = request.body
    if not body:
        return None
    content_type = request.headers.get("content-type", "")
    kind = content_type.partition(";")[0].strip().lower()
    if kind == "application/x-www-form-urlencoded":
        return _pairs(body.decode("utf-8", "surrogateescape"))
    if kind == "multipart/form-data":
        return _parts(body, content_type)
    try:
        return _sorted(orjson.loads(body))
    except orjson.JSONDecodeError:
        return body.decode("utf-8", "surrogateescape")


def _sorted(value: Any) -> Any:
    """JSON with its objects sorted, so that equal documents are written equally."""
    if isinstance(value, dict):
        return {name: _sorted(value[name]) for name in sorted(value)}
    return [_sorted(item) for item in value] if isinstance(value, list) else value


def _parts(body: bytes, content_type: str) -> Any:
    """The parts of a multipart form, whose boundary is another one each time."""
    found = _BOUNDARY.search(content_type)
    mark = b"--" + found[1].strip().encode("utf-8", "surrogateescape") if found else None
    parts = body.split(mark)[1:-1] if mark else [body]
    return [part.strip(b"\r\n").decode("utf-8", "surrogateescape") for part in parts]


def describe_differences(recorded: RequestKey, asked: RequestKey) -> Iterator[str]:
    """How a request differs from a recorded one, in words."""
    if recorded.method != asked.method:
        yield f"the method is {recorded.method}"
    if not _fits(list(recorded.path), list(asked.path)):
        yield f"the path is {'/'.join(recorded.path)}"
    if not _fits([list(pair) for pair in recorded.query], [list(pair) for pair in asked.query]):
        yield from _query_differences(dict(recorded.query), dict(asked.query))
    yield from _differences("the body", recorded.body, asked.body)


def _query_differences(recorded: dict[str, str], asked: dict[str, str]) -> Iterator[str]:
    for name in sorted({*recorded, *asked}):
        if name not in asked:
            yield f"the query has {name}={recorded[name]}"
        elif name not in recorded:
            yield f"the query has no {name}"
        elif not _fits(recorded[name], asked[name]):
            yield f"the query has {name}={recorded[name]}"


def _differences(place: str, recorded: Any, asked: Any) -> Iterator[str]:
    if isinstance(recorded, dict) and isinstance(asked, dict):
        for name in sorted({*recorded, *asked}):
            if name not in asked or name not in recorded:
                yield f"{place} has {'no ' if name in asked else ''}{name!r}"
            else:
                yield from _differences(f"{place} at {name!r}", recorded[name], asked[name])
    elif not _fits(recorded, asked):
        yield f"{place} is {_short(recorded)}"


def _short(value: Any) -> str:
    text = "empty" if value is None else repr(value)
    return text if len(text) <= 80 else f"{text[:80]}…"


def is_same_request(recorded: RequestKey, asked: RequestKey) -> bool:
    """Whether a request is the recorded one."""
    return recorded.method == asked.method and _fits(
        [list(recorded.path), [list(pair) for pair in recorded.query], recorded.body],
        [list(asked.path), [list(pair) for pair in asked.query], asked.body],
    )


def _fits(recorded: Any, asked: Any) -> bool:
    if isinstance(recorded, str):
        return _text_fits(recorded, asked)
    if isinstance(recorded, dict) and isinstance(asked, dict):
        return recorded.keys() == asked.keys() and all(_fits(value, asked[name]) for name, value in recorded.items())
    if isinstance(recorded, list | tuple) and isinstance(asked, list | tuple):
        return len(recorded) == len(asked) and all(map(_fits, recorded, asked))
    return bool(recorded == asked) and isinstance(recorded, bool) == isinstance(asked, bool)


def _text_fits(recorded: str, asked: Any) -> bool:
    if recorded == asked:
        return True
    pieces = _PLACEHOLDER.split(recorded)
    if len(pieces) == 1 or not isinstance(asked, str | int):
        return False
    return re.fullmatch(".+".join(map(re.escape, pieces)), str(asked), re.DOTALL) is not None
