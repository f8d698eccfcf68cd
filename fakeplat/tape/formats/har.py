"""Import and export of HAR 1.2 (HTTP Archive). Source: docs/platform/external.md ('HAR')."""

import re
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NotRequired, TypedDict
from urllib.parse import parse_qsl, urlencode

import orjson

from fakeplat.core.operations.http_messages import REASON_PHRASES, Headers, Request, Response
from fakeplat.core.release import VERSION
from fakeplat.core.schema.shapes import TEXT, Integer, ListOf, Number, Object, Text
from fakeplat.core.timestamps import from_iso, to_iso
from fakeplat.tape.formats.imports import UNKNOWN_TIME, Recording, build_tape, with_content_type
from fakeplat.tape.formats.tape import Exchange, InvalidTape, Tape, body_value, checked

_PAIR: Final = Object.complete({"name": TEXT, "value": TEXT}, extensible=True)
_PARAMETER: Final = Object.complete({"name": TEXT, "value": TEXT}, optional=("value",), extensible=True)
_POST_DATA: Final = Object({"mimeType": TEXT, "text": TEXT, "params": ListOf(_PARAMETER)}, extensible=True)
_CONTENT: Final = Object({"mimeType": TEXT, "text": TEXT, "encoding": TEXT}, extensible=True)
_REQUEST: Final = Object.complete(
    {"method": Text("an HTTP method", "[A-Za-z]+"), "url": TEXT, "headers": ListOf(_PAIR), "postData": _POST_DATA},
    optional=("postData",),
    extensible=True,
)
_RESPONSE: Final = Object.complete(
    {"status": Integer(minimum=0, maximum=599), "headers": ListOf(_PAIR), "content": _CONTENT},
    optional=("content",),
    extensible=True,
)
_ENTRY: Final = Object.complete(
    {"startedDateTime": TEXT, "time": Number(minimum=-1), "request": _REQUEST, "response": _RESPONSE},
    optional=("startedDateTime", "time"),
    extensible=True,
)
_LOG: Final = Object.complete({"entries": ListOf(_ENTRY)}, extensible=True)
_ARCHIVE: Final = Object.complete({"log": _LOG}, extensible=True)
_BASE64: Final = "base64"
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
# ``multipart/form-data; boundary=----WebKitFormBoundary7MA4``, with or without quotes.
_MULTIPART: Final = re.compile(r"multipart/form-data.*?boundary=\"?([^\";,]+)", re.IGNORECASE)
# Browsers also record what they load without HTTP: ``data:``, ``blob:``, WebSockets and extensions.
_NON_HTTP_URL: Final = re.compile(r"(?:data|blob|about|file|javascript|wss?|[a-z]+-extension):", re.IGNORECASE)
# Browsers record the status 0 for a request that got no response.
_MIN_STATUS: Final = 100


class _Pair(TypedDict):
    name: str
    value: str


class _Parameter(TypedDict):
    name: str
    value: NotRequired[str]


class _PostData(TypedDict, total=False):
    mimeType: str
    text: str
    params: Sequence[_Parameter]
    _encoding: str


class _Content(TypedDict, total=False):
    mimeType: str
    text: str
    encoding: str


class _Request(TypedDict):
    method: str
    url: str
    headers: Sequence[_Pair]
    postData: NotRequired[_PostData]


class _Response(TypedDict):
    status: int
    headers: Sequence[_Pair]
    content: NotRequired[_Content]


class _Entry(TypedDict):
    startedDateTime: NotRequired[str]
    time: NotRequired[float]
    request: _Request
    response: _Response


def from_har(content: bytes, name: str = "HAR", users: Mapping[str, str] | None = None) -> Tape:
    """Convert an archive to a tape. Entries without a response (aborted, blocked) and non-HTTP URLs are dropped."""
    try:
        document = orjson.loads(content.removeprefix(_BYTE_ORDER_MARK))
    except orjson.JSONDecodeError as error:
        raise InvalidTape(f"{name}:{error.lineno}: is not valid JSON: {error.msg}") from None
    entries = checked(_ARCHIVE, document, name)["log"]["entries"]
    return build_tape(_read_recordings(entries, name), name, users)


def _read_recordings(entries: Iterable[_Entry], name: str) -> Iterator[Recording]:
    for number, entry in enumerate(entries):
        location = f"{name}: $.log.entries[{number}]"
        request, response = entry["request"], entry["response"]
        if response["status"] >= _MIN_STATUS and not _NON_HTTP_URL.match(request["url"]):
            post_data = request.get("postData", {})
            yield Recording(
                request["method"],
                request["url"],
                with_content_type(_read_headers(request["headers"]), post_data.get("mimeType", "")),
                _read_post_data(post_data, location),
                _build_response(response, location),
                max(entry.get("time", 0), 0),  # -1 is "unknown"
                _read_time(entry.get("startedDateTime")),
            )


def _read_headers(pairs: Iterable[_Pair]) -> Headers:
    """Return the headers without the pseudo-headers of HTTP/2."""
    return tuple((pair["name"], pair["value"]) for pair in pairs if not pair["name"].startswith(":"))


def _read_post_data(post_data: _PostData, location: str) -> bytes:
    # Some tools record a form only as params; the text, where there is one, is exact.
    pairs = [(pair["name"], pair.get("value", "")) for pair in post_data.get("params", ())]
    if post_data.get("text") or not pairs:
        return _decode_text(post_data.get("text", ""), post_data.get("_encoding", ""), f"{location}.request.postData")
    multipart = _MULTIPART.match(post_data.get("mimeType", ""))
    return urlencode(pairs).encode() if multipart is None else _multipart_form(pairs, multipart[1])


def _multipart_form(pairs: list[tuple[str, str]], boundary: str) -> bytes:
    head = f'--{boundary}\r\nContent-Disposition: form-data; name="'
    return "".join([*(f'{head}{name}"\r\n\r\n{value}\r\n' for name, value in pairs), f"--{boundary}--\r\n"]).encode()


def _build_response(response: _Response, location: str) -> Response:
    content = response.get("content", {})
    body = _decode_text(content.get("text", ""), content.get("encoding", ""), f"{location}.response.content")
    headers = with_content_type(_read_headers(response["headers"]), content.get("mimeType", "") if body else "")
    return Response(response["status"], headers, body)


def _decode_text(text: str, encoding: str, location: str) -> bytes:
    if encoding != _BASE64:
        return text.encode()
    try:
        return b64decode(text, validate=True)
    except ValueError:
        raise InvalidTape(f"{location} is not valid base64") from None


def _read_time(text: str | None) -> str:
    try:
        return to_iso(from_iso(text)) if text else UNKNOWN_TIME
    except (ValueError, OverflowError):
        return UNKNOWN_TIME


def to_har(tape: Tape) -> dict[str, Any]:
    """Convert a tape to an archive; secrets stay placeholders."""
    return {
        "log": {
            "version": "1.2",
            "creator": {"name": "fakeplat", "version": VERSION},
            "entries": [_entry(exchange) for exchange in tape],
        }
    }


def _entry(exchange: Exchange) -> dict[str, Any]:
    return {
        "startedDateTime": exchange.at,
        "time": exchange.took,
        "request": _request_entry(exchange.request),
        "response": _response_entry(exchange.response),
        "cache": {},
        "timings": {"send": 0, "wait": exchange.took, "receive": 0},
    }


def _request_entry(request: Request) -> dict[str, Any]:
    query = f"?{request.query}" if request.query else ""
    post_data = {"postData": _post_data(request)} if request.body else {}
    return {
        "method": request.method,
        "url": f"{request.origin}{request.path}{query}",
        "httpVersion": "HTTP/1.1",
        "cookies": [],
        "headers": _pairs(tuple(request.headers.items())),
        "queryString": _pairs(tuple(parse_qsl(request.query, keep_blank_values=True))),
        **post_data,
        "headersSize": -1,
        "bodySize": len(request.body),
    }


def _post_data(request: Request) -> dict[str, Any]:
    body = body_value(request.body)
    # HAR 1.2 has no encoding of request bodies; a name with an underscore is a custom field.
    text = {"text": body} if isinstance(body, str) else {"text": body[_BASE64], "_encoding": _BASE64}
    return {"mimeType": request.headers.get("content-type", ""), "params": [], **text}


def _response_entry(response: Response) -> dict[str, Any]:
    headers = {name.lower(): value for name, value in response.headers}
    body = response.body
    body_data = body_value(body)
    text = (
        {"text": body_data} if isinstance(body_data, str) else {"text": b64encode(body).decode(), "encoding": _BASE64}
    )
    return {
        "status": response.status,
        "statusText": REASON_PHRASES.get(response.status, ""),
        "httpVersion": "HTTP/1.1",
        "cookies": [],
        "headers": _pairs(response.headers),
        "content": {"size": len(body), "mimeType": headers.get("content-type", ""), **text},
        "redirectURL": headers.get("location", ""),
        "headersSize": -1,
        "bodySize": len(body),
    }


def _pairs(pairs: Headers) -> list[dict[str, str]]:
    return [{"name": name, "value": value} for name, value in pairs]
