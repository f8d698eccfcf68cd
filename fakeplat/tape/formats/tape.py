"""The format of tapes, version 1: JSON lines in UTF-8. docs/tapes.md describes it, schema.json is the schema of a line.

The first line is the head. Each other line is an exchange, or says that an earlier one happened again
(``{"again": 3}``, the number of its line), or (``{"users": {"pat:1": "ada"}}``) whose placeholders became known while
the tape was running.
Secrets stand as placeholders: `<pat:1>`.
"""

from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import orjson
from attrs import evolve, field

from fakeplat.core.operations.http_messages import Request, Response
from fakeplat.core.schema.formats import check_date_time
from fakeplat.core.schema.mistakes import DocumentError
from fakeplat.core.schema.shapes import (
    ANYTHING,
    BASE64,
    TEXT,
    Constant,
    FormattedText,
    Integer,
    JsonSchema,
    ListOf,
    MapOf,
    Nullable,
    Number,
    Object,
    Shape,
    Text,
    Union,
    read_document,
)
from fakeplat.core.store.frozen import frozen

VERSION: Final = 1
PLACEHOLDER: Final = r"[a-z]+:[1-9][0-9]*"

TIME: Final = FormattedText(
    "a time such as 2020-11-20T09:00:00.000Z",
    check_date_time,
    {"format": "date-time"},
    pattern=r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)",
)
SEED: Final = Integer(minimum=-(2**63), maximum=2**64 - 1)
_USERS: Final = MapOf(Text("a username"), names=Text("a placeholder such as pat:1", PLACEHOLDER))
_BODY: Final = Union(TEXT, Object.complete({"base64": BASE64}), title='text, or {"base64": "…"}')
_FAKEPLAT: Final = Object.complete(
    {
        "scenario": TEXT,
        "seed": SEED,
        "clock": Object.complete({"kind": Text("real, virtual or auto", "real|virtual|auto"), "start": TIME}),
        "instance": MapOf(ANYTHING),
    },
    optional=("clock", "instance"),
)
_HEAD: Final = Object.complete(
    {
        "tape": Constant(VERSION),
        "recorded_at": TIME,
        "upstream": Text("an origin such as https://git.example.test", r"https?://[^/\s]+"),
        "users": _USERS,
        "fakeplat": Nullable(_FAKEPLAT),
    }
)
_REQUEST: Final = Object.complete(
    {
        "method": Text("an HTTP method", r"[A-Z]+"),
        "path": Text("a path, percent-encoded as it was sent", r"/[^?#\s]*"),
        "query": Text("a query as it was sent", r"[^#\s]*"),
        "headers": MapOf(TEXT, names=Text("a header's name in lower case", r"[^A-Z:\s]+")),
        "body": _BODY,
    }
)
_RESPONSE: Final = Object.complete(
    {
        "status": Integer(minimum=100, maximum=599),
        "headers": ListOf(ListOf(Text("a line of text", r"[^\r\n]+|"), length=2)),
        "body": _BODY,
    }
)
_EXCHANGE: Final = Object.complete({"request": _REQUEST, "response": _RESPONSE, "took": Number(minimum=0), "at": TIME})
_AGAIN: Final = Object.complete({"again": Integer(minimum=2), "took": Number(minimum=0), "at": TIME})
_AMENDMENT: Final = Object.complete({"users": _USERS})


class InvalidTape(ValueError):
    """A file that is no tape: one line that names the file, the line and what is wrong."""


@frozen
class InitialWorld:
    """Where the world of a recorded fakeplat began. ``clock`` is ``{"kind", "start"}``, ``instance`` its constants."""

    scenario: str
    seed: int
    clock: Mapping[str, str] = field(factory=dict)
    instance: Mapping[str, Any] = field(factory=dict)


@frozen
class Head:
    """What a tape says of itself. ``users`` says whose a placeholder was: ``{"pat:1": "ada"}``."""

    upstream: str
    recorded_at: str
    users: Mapping[str, str] = field(factory=dict)
    fakeplat: InitialWorld | None = None


@frozen
class Exchange:
    """A request and its answer; ``took`` in ms, ``at`` (ISO 8601) when it came, ``line`` where it stands.

    ``request.origin`` is the upstream's.
    """

    request: Request
    response: Response
    took: float = 0.0
    at: str = "1970-01-01T00:00:00.000Z"
    line: int = 0


@frozen
class Tape:
    """A whole tape; iterating gives its exchanges in order. ``head.users`` includes what was found out later."""

    head: Head
    exchanges: tuple[Exchange, ...]

    def __iter__(self) -> Iterator[Exchange]:
        return iter(self.exchanges)

    def __len__(self) -> int:
        return len(self.exchanges)


# reading


def read(path: Path) -> Tape:
    """Read a tape; UnusableTape says what is wrong with the first line that is."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InvalidTape(f"{path}: {error.strerror or error}") from None
    return parse(content, str(path))


def parse(content: bytes, name: str = "tape") -> Tape:
    """The tape that some bytes are."""
    lines = ((number, line) for number, line in enumerate(content.split(b"\n"), 1) if line.strip())
    whole = content.endswith(b"\n")
    last = content.count(b"\n") + 1
    head: Head | None = None
    exchanges: list[Exchange] = []
    by_line: dict[int, Exchange] = {}
    users: dict[str, str] = {}
    for number, line in lines:
        where = f"{name}:{number}"
        value = _value(line, where, broken_off=head is not None and number == last and not whole)
        if head is None:
            head = _head(checked(_HEAD, value, where), users)
        elif isinstance(value, dict) and "users" in value:
            users.update(checked(_AMENDMENT, value, where)["users"])
        elif isinstance(value, dict) and "again" in value:
            exchanges.append(_repeated(checked(_AGAIN, value, where), where, number, by_line))
        else:
            by_line[number] = _exchange(checked(_EXCHANGE, value, where), number, head.upstream)
            exchanges.append(by_line[number])
    if head is None:
        raise InvalidTape(f"{name}:1: is empty; a tape begins with its head")
    return Tape(head, tuple(exchanges))


def _value(line: bytes, where: str, *, broken_off: bool) -> Any:
    try:
        return orjson.loads(line)
    except orjson.JSONDecodeError as error:
        if broken_off:
            raise InvalidTape(f"{where}: the line breaks off; without it the tape can be used") from None
        raise InvalidTape(f"{where}: is no line of JSON: {error.msg}") from None


def checked(shape: Shape, value: Any, where: str) -> Any:
    """Read a document; UnusableTape names the first mistake in it."""
    try:
        return read_document(shape, value)
    except DocumentError as error:
        raise InvalidTape(f"{where}: {error.mistakes[0]}") from None


def _head(found: Any, users: dict[str, str]) -> Head:
    users.update(found["users"])
    origin = found["fakeplat"]
    return Head(found["upstream"], found["recorded_at"], users, None if origin is None else InitialWorld(**origin))


def _exchange(found: Any, line: int, upstream: str) -> Exchange:
    asked, answered = found["request"], found["response"]
    request = Request(asked["method"], asked["path"], asked["query"], asked["headers"], _bytes(asked["body"]), upstream)
    response = Response(answered["status"], answered["headers"], _bytes(answered["body"]))
    return Exchange(request, response, found["took"], found["at"], line)


def _repeated(found: Any, where: str, line: int, by_line: Mapping[int, Exchange]) -> Exchange:
    first = by_line.get(found["again"])
    if first is None:
        raise InvalidTape(f"{where}: $.again: line {found['again']} is no exchange before it")
    return evolve(first, took=found["took"], at=found["at"], line=line)


def _bytes(body: Any) -> bytes:
    return body.encode() if isinstance(body, str) else body["base64"]


# writing


def head_line(head: Head) -> bytes:
    """The first line."""
    return _line(
        {
            "tape": VERSION,
            "recorded_at": head.recorded_at,
            "upstream": head.upstream,
            "users": dict(head.users),
            "fakeplat": None if head.fakeplat is None else _beginning(head.fakeplat),
        }
    )


def _beginning(found: InitialWorld) -> dict[str, object]:
    more = {"clock": dict(found.clock), "instance": dict(found.instance)}
    return {"scenario": found.scenario, "seed": found.seed, **{name: value for name, value in more.items() if value}}


def users_line(users: Mapping[str, str]) -> bytes:
    """A line that says whose placeholders are."""
    return _line({"users": dict(users)})


def exchange_line(exchange: Exchange) -> bytes:
    """The line of an exchange."""
    request, response = exchange.request, exchange.response
    asked = {
        "method": request.method,
        "path": request.path,
        "query": request.query,
        "headers": dict(request.headers),
        "body": body_value(request.body),
    }
    answered = {"status": response.status, "headers": response.headers, "body": body_value(response.body)}
    return _line({"request": asked, "response": answered, "took": round(exchange.took, 3), "at": exchange.at})


def again_line(first: int, took: float, at: str) -> bytes:
    """The line of an exchange that is the one on another line once more: ``took`` in ms."""
    return b'{"again":%d,"took":%.3f,"at":"%b"}\n' % (first, took, at.encode())


def body_value(body: bytes) -> str | dict[str, str]:
    """A body as it stands on a tape: text where it is UTF-8, else base64."""
    try:
        return body.decode()
    except UnicodeDecodeError:
        return {"base64": b64encode(body).decode()}


def _line(value: object) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE)


def write(tape: Tape, path: Path) -> None:
    """Write a whole tape; OSError where that is not possible."""
    path.write_bytes(b"".join(lines(tape.head, tape)))


def lines(head: Head, exchanges: Iterable[Exchange]) -> Iterator[bytes]:
    """The lines of a tape."""
    yield head_line(head)
    yield from map(exchange_line, exchanges)


_KINDS: Final[Mapping[str, Shape]] = {"head": _HEAD, "exchange": _EXCHANGE, "again": _AGAIN, "users": _AMENDMENT}


def schema() -> JsonSchema:
    """The JSON Schema (draft 2020-12) of a line."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A line of a tape of fakeplat",
        "description": "The first line is a head; "
        "each other line is an exchange, repeats one, or amends the head's users.",
        "anyOf": [{"$ref": f"#/$defs/{name}"} for name in _KINDS],
        "$defs": {name: shape.schema() for name, shape in _KINDS.items()},
    }
