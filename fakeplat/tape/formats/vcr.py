"""Import of VCR cassettes as vcrpy writes them (YAML, version 1). Source: docs/platform/external.md ('VCR')."""

import zlib
from base64 import b64decode
from collections.abc import Iterable, Iterator, Mapping
from email.utils import parsedate_to_datetime
from typing import Final, NotRequired, TypedDict

from attrs import evolve

from fakeplat.core.json_types import JsonValue
from fakeplat.core.operations.http_messages import Headers, Response
from fakeplat.core.schema.shapes import ANYTHING, TEXT, Constant, Integer, ListOf, MapOf, Nullable, Object, Text
from fakeplat.core.timestamps import from_iso, to_iso
from fakeplat.scenario.errors import ScenarioError
from fakeplat.scenario.parsing import parse
from fakeplat.tape.formats.imports import UNKNOWN_TIME, Recording, build_tape
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
# With 32 added to the window bits, zlib detects the header of either format by itself.
_GZIP_OR_ZLIB: Final = zlib.MAX_WBITS | 32


class _Request(TypedDict):
    method: str
    uri: str
    headers: NotRequired[Mapping[str, object] | None]
    body: NotRequired[JsonValue]


class _Status(TypedDict):
    code: int


class _Response(TypedDict):
    status: _Status
    headers: NotRequired[Mapping[str, object] | None]
    body: NotRequired[JsonValue]


class _Interaction(TypedDict):
    request: _Request
    response: _Response


def from_cassette(content: bytes, name: str = "cassette", users: Mapping[str, str] | None = None) -> Tape:
    """Convert a cassette to a tape."""
    try:
        document = parse(content, ".yaml")
    except ScenarioError as error:
        mistake = error.mistakes[0]
        raise InvalidTape(f"{name}:{mistake.line or 1}: {mistake.text}") from None
    # The constructors of YAML tags raise these for odd values.
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise InvalidTape(f"{name}: is not a cassette: {type(error).__name__}") from None
    return build_tape(_read_recordings(checked(_CASSETTE, document, name)["interactions"], name), name, users)


def _read_recordings(interactions: Iterable[_Interaction], name: str) -> Iterator[Recording]:
    for number, interaction in enumerate(interactions):
        location = f"{name}: $.interactions[{number}]"
        request, response_data = interaction["request"], interaction["response"]
        response = _build_response(response_data, f"{location}.response")
        body = _decode_body(request.get("body"), f"{location}.request.body")
        at = _get_date(response.headers)
        yield Recording(
            request["method"], request["uri"], _flatten_headers(request.get("headers")), body, response, at=at
        )


def _flatten_headers(headers: Mapping[str, object] | None) -> Headers:
    """Return the headers; a value is a string, or a list for a header that occurred several times."""
    listed = ((name, value if isinstance(value, list) else [value]) for name, value in (headers or {}).items())
    return tuple((name, _to_text(value)) for name, values in listed for value in values)


def _to_text(value: object) -> str:
    # Headers are bytes in some cassettes; latin-1 maps every byte to a character.
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)


def _build_response(response_data: _Response, location: str) -> Response:
    response = Response(
        response_data["status"]["code"],
        _flatten_headers(response_data.get("headers")),
        _decode_body(response_data.get("body"), f"{location}.body"),
    )
    encodings = [value.lower() for name, value in response.headers if name.lower() == "content-encoding"]
    if not response.body or not encodings or encodings == ["identity"]:
        return response
    return evolve(response, body=_decompress(response.body, encodings, location))


def _decompress(body: bytes, encodings: list[str], location: str) -> bytes:
    if encodings not in (["gzip"], ["deflate"]):
        raise InvalidTape(f"{location} is compressed with {', '.join(encodings)}; record it with gzip or without")
    try:
        return zlib.decompress(body, _GZIP_OR_ZLIB)
    except zlib.error:
        return body  # the recorder decoded the body but kept the header


def _decode_body(value: JsonValue, location: str) -> bytes:
    """Return a body given as null, text or bytes, or as a mapping that holds one of these or base64."""
    match value:
        case None:
            return b""
        case str(text):
            return text.encode("utf-8", "replace")
        case bytes(content):
            return content
        case {"base64_string": str() | bytes() as encoded}:
            return _decode_base64(encoded, location)
        case {"string": inner} if not isinstance(inner, dict):
            return _decode_body(inner, location)
    raise InvalidTape(f"{location} is neither text nor base64")


def _decode_base64(encoded: str | bytes, location: str) -> bytes:
    try:
        return b64decode("".join(encoded.split()) if isinstance(encoded, str) else encoded, validate=True)
    except ValueError:
        raise InvalidTape(f"{location} is not valid base64") from None


def _get_date(headers: Headers) -> str:
    """Return the time in the Date header, if there is one."""
    date = next((value for name, value in headers if name.lower() == "date"), "")
    try:
        return to_iso(from_iso(parsedate_to_datetime(date).isoformat()))
    except (ValueError, OverflowError):
        return UNKNOWN_TIME
