"""Cassettes of VCR, as vcrpy writes them (YAML, version 1). Source: docs/platform/external.md ('VCR')."""

import zlib
from base64 import b64decode
from collections.abc import Iterable, Iterator, Mapping
from email.utils import parsedate_to_datetime
from typing import Any, Final

from attrs import evolve

from fakeplat.core.operations.http_messages import Headers, Response
from fakeplat.core.schema.shapes import ANYTHING, TEXT, Constant, Integer, ListOf, MapOf, Nullable, Object, Text
from fakeplat.core.timestamps import from_iso, to_iso
from fakeplat.scenario.errors import ScenarioError
from fakeplat.scenario.parsing import parse
from fakeplat.tape.formats.imports import UNKNOWN, Recording, tape_of
from fakeplat.tape.formats.tape import InvalidTape, Tape, checked

_HEADERS: Final = Nullable(MapOf(ANYTHING, names=TEXT))
_REQUEST: Final = Object.complete(
    {"method": Text("an HTTP method", "[A-Za-z]+"), "uri": TEXT, "headers": _HEADERS, "body": ANYTHING},
    optional=("headers", "body"),
    extensible=True,
)
_RESPONSE: Final = Object.complete(
    {
        "status": Object.complete({"code": Integer(minimum=100, maximum=599)}, extensible=True),
        "headers": _HEADERS,
        "body": ANYTHING,
    },
    optional=("headers", "body"),
    extensible=True,
)
_INTERACTION: Final = Object.complete({"request": _REQUEST, "response": _RESPONSE}, extensible=True)
_CASSETTE: Final = Object.complete({"version": Constant(1), "interactions": ListOf(_INTERACTION)}, extensible=True)
_ANY_FORMAT: Final = zlib.MAX_WBITS | 32


def from_cassette(content: bytes, name: str = "cassette", users: Mapping[str, str] | None = None) -> Tape:
    """The tape of a cassette."""
    try:
        document = parse(content, ".yaml")
    except ScenarioError as error:
        mistake = error.mistakes[0]
        raise InvalidTape(f"{name}:{mistake.line or 1}: {mistake.text}") from None
    except (ValueError, TypeError, AttributeError, RecursionError) as error:  # what YAML's own tags make of odd values
        raise InvalidTape(f"{name}: is no cassette: {type(error).__name__}") from None
    return tape_of(_recordings(checked(_CASSETTE, document, name)["interactions"], name), name, users)


def _recordings(interactions: Iterable[Any], name: str) -> Iterator[Recording]:
    for number, interaction in enumerate(interactions):
        place = f"{name}: $.interactions[{number}]"
        asked, answered = interaction["request"], interaction["response"]
        response = _response(answered, f"{place}.response")
        body = _body(asked.get("body"), f"{place}.request.body")
        at = _date(response.headers)
        yield Recording(asked["method"], asked["uri"], _headers(asked.get("headers")), body, response, at=at)


def _headers(given: Any) -> Headers:
    """Each value is a text, or a list of those that stood under one name."""
    listed = ((name, value if isinstance(value, list) else [value]) for name, value in (given or {}).items())
    return tuple((name, _text(value)) for name, values in listed for value in values)


def _text(value: object) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)


def _response(answered: Any, place: str) -> Response:
    response = Response(
        answered["status"]["code"], _headers(answered.get("headers")), _body(answered.get("body"), f"{place}.body")
    )
    encodings = [value.lower() for name, value in response.headers if name.lower() == "content-encoding"]
    if not response.body or not encodings or encodings == ["identity"]:
        return response
    return evolve(response, body=_inflated(response.body, encodings, place))


def _inflated(body: bytes, encodings: list[str], place: str) -> bytes:
    if encodings not in (["gzip"], ["deflate"]):
        raise InvalidTape(f"{place} is compressed with {', '.join(encodings)}; record it with gzip or without")
    try:
        return zlib.decompress(body, _ANY_FORMAT)
    except zlib.error:
        return body  # a cassette that was decoded on recording keeps the header


def _body(given: Any, place: str) -> bytes:
    """None, a text, bytes, or one of these (or base64) inside of a map."""
    match given:
        case None:
            return b""
        case str(text):
            return text.encode("utf-8", "replace")
        case bytes(content):
            return content
        case {"base64_string": str() | bytes() as encoded}:
            return _decoded(encoded, place)
        case {"string": inner} if not isinstance(inner, dict):
            return _body(inner, place)
    raise InvalidTape(f"{place} is neither text nor base64")


def _decoded(encoded: str | bytes, place: str) -> bytes:
    try:
        return b64decode("".join(encoded.split()) if isinstance(encoded, str) else encoded, validate=True)
    except ValueError:
        raise InvalidTape(f"{place} is no base64") from None


def _date(headers: Headers) -> str:
    """When the answer was given, as far as the server said it."""
    found = next((value for name, value in headers if name.lower() == "date"), "")
    try:
        return to_iso(from_iso(parsedate_to_datetime(found).isoformat()))
    except (ValueError, OverflowError):
        return UNKNOWN
