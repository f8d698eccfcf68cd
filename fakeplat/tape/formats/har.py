"""HAR 1.2, the archive format of browsers' network tools, in and out. Source: docs/platform/external.md ('HAR')."""

import re
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator, Mapping
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode

import orjson

from fakeplat.core.operations.http_messages import Headers, Request, Response
from fakeplat.core.release import VERSION
from fakeplat.core.schema.shapes import TEXT, Integer, ListOf, Number, Object, Text
from fakeplat.core.timestamps import from_iso, to_iso
from fakeplat.tape.formats.imports import UNKNOWN, Recording, tape_of, with_content_type
from fakeplat.tape.formats.tape import Exchange, InvalidTape, Tape, body_value, checked

_PAIR: Final = Object.complete({"name": TEXT, "value": TEXT}, extensible=True)
_PARAMETER: Final = Object.complete({"name": TEXT, "value": TEXT}, optional=("value",), extensible=True)
_POSTED: Final = Object({"mimeType": TEXT, "text": TEXT, "params": ListOf(_PARAMETER)}, extensible=True)
_CONTENT: Final = Object({"mimeType": TEXT, "text": TEXT, "encoding": TEXT}, extensible=True)
_REQUEST: Final = Object.complete(
    {"method": Text("an HTTP method", "[A-Za-z]+"), "url": TEXT, "headers": ListOf(_PAIR), "postData": _POSTED},
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
_MARK: Final = b"\xef\xbb\xbf"
_MULTIPART: Final = re.compile(r"multipart/form-data.*?boundary=\"?([^\";,]+)", re.IGNORECASE)
_NOT_OVER_HTTP: Final = re.compile(r"(?:data|blob|about|file|javascript|wss?|[a-z]+-extension):", re.IGNORECASE)
_LEAST_STATUS: Final = 100


def from_har(content: bytes, name: str = "HAR", users: Mapping[str, str] | None = None) -> Tape:
    """The tape of an archive. Requests without an answer (aborted, blocked) and what is no HTTP are left out."""
    try:
        document = orjson.loads(content.removeprefix(_MARK))
    except orjson.JSONDecodeError as error:
        raise InvalidTape(f"{name}:{error.lineno}: is no JSON: {error.msg}") from None
    entries = checked(_ARCHIVE, document, name)["log"]["entries"]
    return tape_of(_recordings(entries, name), name, users)


def _recordings(entries: Iterable[Any], name: str) -> Iterator[Recording]:
    for number, entry in enumerate(entries):
        place = f"{name}: $.log.entries[{number}]"
        asked, answered = entry["request"], entry["response"]
        if answered["status"] >= _LEAST_STATUS and not _NOT_OVER_HTTP.match(asked["url"]):
            posted = asked.get("postData", {})
            yield Recording(
                asked["method"],
                asked["url"],
                with_content_type(_headers(asked["headers"]), posted.get("mimeType", "")),
                _posted(posted, place),
                _response(answered, place),
                max(entry.get("time", 0), 0),
                _time(entry.get("startedDateTime")),
            )


def _headers(pairs: Iterable[Any]) -> Headers:
    """Without the pseudo headers of HTTP/2."""
    return tuple((pair["name"], pair["value"]) for pair in pairs if not pair["name"].startswith(":"))


def _posted(posted: Any, place: str) -> bytes:
    pairs = [(pair["name"], pair.get("value", "")) for pair in posted.get("params", ())]
    if posted.get("text") or not pairs:
        return _decoded(posted.get("text", ""), posted.get("_encoding", ""), f"{place}.request.postData")
    parts = _MULTIPART.match(posted.get("mimeType", ""))
    return urlencode(pairs).encode() if parts is None else _form_of_parts(pairs, parts[1])


def _form_of_parts(pairs: list[tuple[str, str]], boundary: str) -> bytes:
    head = f'--{boundary}\r\nContent-Disposition: form-data; name="'
    return "".join([*(f'{head}{name}"\r\n\r\n{value}\r\n' for name, value in pairs), f"--{boundary}--\r\n"]).encode()


def _response(answered: Any, place: str) -> Response:
    content = answered.get("content", {})
    body = _decoded(content.get("text", ""), content.get("encoding", ""), f"{place}.response.content")
    headers = with_content_type(_headers(answered["headers"]), content.get("mimeType", "") if body else "")
    return Response(answered["status"], headers, body)


def _decoded(text: str, encoding: str, place: str) -> bytes:
    if encoding != _BASE64:
        return text.encode()
    try:
        return b64decode(text, validate=True)
    except ValueError:
        raise InvalidTape(f"{place} is no base64") from None


def _time(text: str | None) -> str:
    try:
        return to_iso(from_iso(text)) if text else UNKNOWN
    except (ValueError, OverflowError):
        return UNKNOWN


def to_har(tape: Tape) -> dict[str, Any]:
    """The archive of a tape; secrets stay placeholders."""
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
        "request": _asked(exchange.request),
        "response": _answered(exchange.response),
        "cache": {},
        "timings": {"send": 0, "wait": exchange.took, "receive": 0},
    }


def _asked(request: Request) -> dict[str, Any]:
    query = f"?{request.query}" if request.query else ""
    posted = {"postData": _post_data(request)} if request.body else {}
    return {
        "method": request.method,
        "url": f"{request.origin}{request.path}{query}",
        "httpVersion": "HTTP/1.1",
        "cookies": [],
        "headers": _pairs(tuple(request.headers.items())),
        "queryString": _pairs(tuple(parse_qsl(request.query, keep_blank_values=True))),
        **posted,
        "headersSize": -1,
        "bodySize": len(request.body),
    }


def _post_data(request: Request) -> dict[str, Any]:
    shown = body_value(request.body)
    text = {"text": shown} if isinstance(shown, str) else {"text": shown[_BASE64], "_encoding": _BASE64}
    return {"mimeType": request.headers.get("content-type", ""), "params": [], **text}


def _answered(response: Response) -> dict[str, Any]:
    headers = {name.lower(): value for name, value in response.headers}
    body = response.body
    shown = body_value(body)
    text = {"text": shown} if isinstance(shown, str) else {"text": b64encode(body).decode(), "encoding": _BASE64}
    return {
        "status": response.status,
        "statusText": _phrase(response.status),
        "httpVersion": "HTTP/1.1",
        "cookies": [],
        "headers": _pairs(response.headers),
        "content": {"size": len(body), "mimeType": headers.get("content-type", ""), **text},
        "redirectURL": headers.get("location", ""),
        "headersSize": -1,
        "bodySize": len(body),
    }


def _phrase(status: int) -> str:
    return HTTPStatus(status).phrase if status in HTTPStatus._value2member_map_ else ""


def _pairs(pairs: Headers) -> list[dict[str, str]]:
    return [{"name": name, "value": value} for name, value in pairs]
