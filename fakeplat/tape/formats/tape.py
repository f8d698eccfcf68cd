"""The format of tapes, version 1: JSON lines in UTF-8. docs/tapes.md describes it, schema.json is the schema of a line.

The first line is the head. Every other line is an exchange, the repetition of an earlier exchange (``{"again": 3}``,
the number of its line), a delivery to a webhook, or the users of placeholders that became known during the recording
(``{"users": {"pat:1": "ada"}}``). Secrets are replaced with placeholders: `<pat:1>`.
"""

from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import orjson
from attrs import evolve, field

from fakeplat.core.json_types import JsonValue
from fakeplat.core.operations.http_messages import BODILESS, Request, Response
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
from fakeplat.tape.formats.tape_documents import (
    DeliveryDocument,
    EncodedBody,
    ExchangeDocument,
    HeadDocument,
    RepetitionDocument,
)

VERSION: Final = 1
PLACEHOLDER: Final = r"[a-z]+:[1-9][0-9]*"

TIME: Final = FormattedText(
    "a time such as 2020-11-20T09:00:00.000Z",
    check_date_time,
    {"format": "date-time"},
    pattern=r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)",
)
# From the smallest signed to the largest unsigned number of 64 bits: what orjson can read and write.
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
        "headers": ListOf(ListOf(Text("a line of text", r"[^\r\n\x00]+|"), length=2)),
        "body": _BODY,
    }
)
_EXCHANGE: Final = Object.complete({"request": _REQUEST, "response": _RESPONSE, "took": Number(minimum=0), "at": TIME})
_AGAIN: Final = Object.complete({"again": Integer(minimum=2), "took": Number(minimum=0), "at": TIME})
_DELIVERY: Final = Object.complete(
    {
        "delivery": Object.complete(
            {
                "receiver": Text("a kind of receiver and an id, such as hook:7", r"[a-z]+:[0-9]+"),
                "trigger": TEXT,
                "method": Text("an HTTP method", r"[A-Z]+"),
                "url": TEXT,
                "headers": MapOf(TEXT),
                "body": _BODY,
            }
        ),
        "response": Nullable(_RESPONSE),
        "error": Nullable(TEXT),
        "at": TIME,
    }
)
_AMENDMENT: Final = Object.complete({"users": _USERS})


class InvalidTape(ValueError):
    """Raised for a file that is not a valid tape; the one-line message names the file, the line and the error."""


@frozen
class InitialWorld:
    """The initial world of a recorded fakeplat. ``clock`` is ``{"kind", "start"}``, ``instance`` its constants."""

    scenario: str
    seed: int
    clock: Mapping[str, str] = field(factory=dict)
    instance: Mapping[str, Any] = field(factory=dict)


@frozen
class Head:
    """The head of a tape. ``users`` maps placeholders to usernames: ``{"pat:1": "ada"}``."""

    upstream: str
    recorded_at: str
    users: Mapping[str, str] = field(factory=dict)
    fakeplat: InitialWorld | None = None


@frozen
class Exchange:
    """A request and its response.

    ``took`` is the duration in ms, ``at`` the arrival time (ISO 8601), ``line`` the line number in the file.
    ``request.origin`` is the upstream's origin.
    """

    request: Request
    response: Response
    took: float = 0.0
    at: str = "1970-01-01T00:00:00.000Z"
    line: int = 0


@frozen
class RecordedDelivery:
    """A request of the platform to a webhook or an integration, and the response; without one, the ``error``.

    ``receiver`` is the kind and the id of its record, such as ``hook:7``. ``at`` and ``line`` are as for exchanges.
    """

    receiver: str
    trigger: str
    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes
    response: Response | None = None
    error: str | None = None
    at: str = "1970-01-01T00:00:00.000Z"
    line: int = 0


@frozen
class Tape:
    """A complete tape; iterates over its exchanges in order. ``head.users`` includes users found while recording."""

    head: Head
    exchanges: tuple[Exchange, ...]
    deliveries: tuple[RecordedDelivery, ...] = ()

    def __iter__(self) -> Iterator[Exchange]:
        return iter(self.exchanges)

    def __len__(self) -> int:
        return len(self.exchanges)


# Reading


def read(path: Path) -> Tape:
    """Read a tape from a file. Raises InvalidTape for the first invalid line."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InvalidTape(f"{path}: {error.strerror or error}") from None
    return parse(content, str(path))


def parse(content: bytes, name: str = "tape") -> Tape:
    """Parse a tape; ``name`` is used in error messages."""
    lines = ((number, line) for number, line in enumerate(content.split(b"\n"), 1) if line.strip())
    ends_with_newline = content.endswith(b"\n")
    # Line numbers include empty lines, as in an editor.
    last_number = content.count(b"\n") + 1
    head: Head | None = None
    exchanges: list[Exchange] = []
    deliveries: list[RecordedDelivery] = []
    by_line: dict[int, Exchange] = {}
    users: dict[str, str] = {}
    for number, line in lines:
        where = f"{name}:{number}"
        # A recording that was interrupted ends in the middle of its last line, without a line break.
        data = _parse_line(
            line, where, is_incomplete=head is not None and number == last_number and not ends_with_newline
        )
        if head is None:
            head = _build_head(checked(_HEAD, data, where), users)
        elif isinstance(data, dict) and "users" in data:
            users.update(checked(_AMENDMENT, data, where)["users"])
        elif isinstance(data, dict) and "again" in data:
            exchanges.append(_build_repetition(checked(_AGAIN, data, where), where, number, by_line))
        elif isinstance(data, dict) and "delivery" in data:
            deliveries.append(_build_delivery(checked(_DELIVERY, data, where), number))
        else:
            by_line[number] = _build_exchange(checked(_EXCHANGE, data, where), number, head.upstream)
            _check_length(by_line[number], where)
            exchanges.append(by_line[number])
    if head is None:
        raise InvalidTape(f"{name}:1: is empty; a tape starts with its head")
    return Tape(head, tuple(exchanges), tuple(deliveries))


def _parse_line(line: bytes, where: str, *, is_incomplete: bool) -> Any:
    try:
        return orjson.loads(line)
    except orjson.JSONDecodeError as error:
        if is_incomplete:
            raise InvalidTape(f"{where}: the line is incomplete; delete it to use the rest of the tape") from None
        raise InvalidTape(f"{where}: is not valid JSON: {error.msg}") from None


def checked(shape: Shape, value: JsonValue, where: str) -> Any:
    """Read a document that matches a shape. Raises InvalidTape that locates the first mistake."""
    try:
        return read_document(shape, value)
    except DocumentError as error:
        raise InvalidTape(f"{where}: {error.mistakes[0]}") from None


def _build_head(data: HeadDocument, users: dict[str, str]) -> Head:
    users.update(data["users"])
    initial_world = data["fakeplat"]
    return Head(
        data["upstream"], data["recorded_at"], users, None if initial_world is None else InitialWorld(**initial_world)
    )


def _build_exchange(data: ExchangeDocument, line: int, upstream: str) -> Exchange:
    request_data, response_data = data["request"], data["response"]
    request = Request(
        request_data["method"],
        request_data["path"],
        request_data["query"],
        request_data["headers"],
        _decode_body(request_data["body"]),
        upstream,
    )
    response = Response(response_data["status"], response_data["headers"], _decode_body(response_data["body"]))
    return Exchange(request, response, data["took"], data["at"], line)


def _check_length(exchange: Exchange, where: str) -> None:
    """Raise InvalidTape for headers that contradict the length of the body, which is sent with its own length."""
    response = exchange.response
    is_bodiless = exchange.request.method == "HEAD" or response.status in BODILESS
    for name, value in response.headers:
        if name.lower() == "transfer-encoding":
            raise InvalidTape(f"{where}: $.response.headers: {name} is not allowed, as a tape has whole bodies")
        size = str(len(response.body))
        if name.lower() == "content-length" and not is_bodiless and value != size:
            raise InvalidTape(f"{where}: $.response.headers: {name} is {value!r}, but the body has {size} bytes")


def _build_delivery(data: DeliveryDocument, line: int) -> RecordedDelivery:
    request, response = data["delivery"], data["response"]
    return RecordedDelivery(
        request["receiver"],
        request["trigger"],
        request["method"],
        request["url"],
        request["headers"],
        _decode_body(request["body"]),
        response and Response(response["status"], response["headers"], _decode_body(response["body"])),
        data["error"],
        data["at"],
        line,
    )


def _build_repetition(data: RepetitionDocument, where: str, line: int, by_line: Mapping[int, Exchange]) -> Exchange:
    first = by_line.get(data["again"])
    if first is None:
        raise InvalidTape(f"{where}: $.again: line {data['again']} is not an earlier exchange")
    # The repetition shares request and response with the first exchange.
    return evolve(first, took=data["took"], at=data["at"], line=line)


def _decode_body(body: str | EncodedBody) -> bytes:
    return body.encode() if isinstance(body, str) else body["base64"]


# Writing


def head_line(head: Head) -> bytes:
    """Return the first line of a tape."""
    return _dump_line(
        {
            "tape": VERSION,
            "recorded_at": head.recorded_at,
            "upstream": head.upstream,
            "users": dict(head.users),
            "fakeplat": None if head.fakeplat is None else _initial_world_data(head.fakeplat),
        }
    )


def _initial_world_data(initial: InitialWorld) -> dict[str, object]:
    optional = {"clock": dict(initial.clock), "instance": dict(initial.instance)}
    return {
        "scenario": initial.scenario,
        "seed": initial.seed,
        **{name: value for name, value in optional.items() if value},
    }


def users_line(users: Mapping[str, str]) -> bytes:
    """Return a line that maps placeholders to usernames."""
    return _dump_line({"users": dict(users)})


def exchange_line(exchange: Exchange) -> bytes:
    """Return the line of an exchange."""
    request, response = exchange.request, exchange.response
    request_data = {
        "method": request.method,
        "path": request.path,
        "query": request.query,
        "headers": dict(request.headers),
        "body": body_value(request.body),
    }
    return _dump_line(
        {
            "request": request_data,
            "response": _response_data(response),
            "took": round(exchange.took, 3),
            "at": exchange.at,
        }
    )


def _response_data(response: Response) -> dict[str, object]:
    return {"status": response.status, "headers": response.headers, "body": body_value(response.body)}


def delivery_line(delivery: RecordedDelivery) -> bytes:
    """Return the line of a delivery."""
    request_data = {
        "receiver": delivery.receiver,
        "trigger": delivery.trigger,
        "method": delivery.method,
        "url": delivery.url,
        "headers": dict(delivery.headers),
        "body": body_value(delivery.body),
    }
    return _dump_line(
        {
            "delivery": request_data,
            "response": None if delivery.response is None else _response_data(delivery.response),
            "error": delivery.error,
            "at": delivery.at,
        }
    )


def again_line(first: int, took: float, at: str) -> bytes:
    """Return the line of an exchange that repeats the one on line ``first``; ``took`` is in ms."""
    # None of the values needs escaping, so the line is formatted without an encoder.
    return b'{"again":%d,"took":%.3f,"at":"%b"}\n' % (first, took, at.encode())


def body_value(body: bytes) -> str | dict[str, str]:
    """Return a body as written on a tape: text if it is valid UTF-8, else base64."""
    try:
        return body.decode()
    except UnicodeDecodeError:
        return {"base64": b64encode(body).decode()}


def _dump_line(value: object) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE)


def write(tape: Tape, path: Path) -> None:
    """Write a complete tape. Raises OSError."""
    path.write_bytes(b"".join([*lines(tape.head, tape), *map(delivery_line, tape.deliveries)]))


def lines(head: Head, exchanges: Iterable[Exchange]) -> Iterator[bytes]:
    """Iterate over the lines of a tape."""
    yield head_line(head)
    yield from map(exchange_line, exchanges)


_LINE_SHAPES: Final[Mapping[str, Shape]] = {
    "head": _HEAD,
    "exchange": _EXCHANGE,
    "again": _AGAIN,
    "delivery": _DELIVERY,
    "users": _AMENDMENT,
}


def schema() -> JsonSchema:
    """Return the JSON Schema (draft 2020-12) of a line."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A line of a tape of fakeplat",
        "description": "The first line is a head; "
        "each other line is an exchange, repeats one, is a delivery, or amends the head's users.",
        "anyOf": [{"$ref": f"#/$defs/{name}"} for name in _LINE_SHAPES],
        "$defs": {name: shape.schema() for name, shape in _LINE_SHAPES.items()},
    }
