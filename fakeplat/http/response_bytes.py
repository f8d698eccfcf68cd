"""Serialization of responses to bytes."""

from email.utils import formatdate
from functools import lru_cache
from typing import Final, NamedTuple

from fakeplat.core.clock import wall
from fakeplat.core.operations.http_messages import (
    BODILESS,
    ETAG,
    REASON_PHRASES,
    REQUEST_ID,
    RUNTIME,
    Headers,
    Response,
)
from fakeplat.core.release import VERSION
from fakeplat.core.timestamps import SECOND
from fakeplat.http.request_parser import RawRequest

CONTINUE: Final = b"HTTP/1.1 100 Continue\r\n\r\n"
_CONTENT_LENGTH: Final = "content-length"
_OWN_NAMES: Final = (_CONTENT_LENGTH, "content-type", "date", "server", "connection")
"""The headers that the server adds, unless a response has its own."""
_MAX_CACHED: Final = 512
_DEFAULT_TYPE_LINE: Final = "Content-Type: application/octet-stream\r\n"
_SERVER_LINE: Final = f"Server: fakeplat/{VERSION}\r\n"


class UnsendableResponse(ValueError):
    """A header contains a line break, which a client would read as two headers."""


class _Frame(NamedTuple):
    """What many heads have in common: their first and last lines, and whether these have what the server would add."""

    start: str
    end: str
    has_length: bool
    has_type: bool
    has_date: bool


def head_and_body(incoming: RawRequest, response: Response) -> tuple[bytes, bytes]:
    """Return the head, with the headers that the server itself adds, and the body; UnsendableResponse."""
    has_body = _has_body(incoming, response)
    head = _render_head(incoming, response, has_body=has_body)
    return head.encode(errors="surrogateescape"), response.body if has_body else b""


def _render_head(incoming: RawRequest, response: Response, *, has_body: bool) -> str:
    """Return the lines of a head, with the empty one at its end; UnsendableResponse."""
    status = response.status
    headers = response.headers if status not in BODILESS else _sendable_headers(response)
    lines, count = _render_varying(headers)
    frame = _render_frame(incoming.version, incoming.keep_alive, status, headers[: len(headers) - count])
    return f"{frame.start}{lines}{_render_own(response, frame, has_body=has_body)}{frame.end}"


def _render_varying(headers: Headers) -> tuple[str, int]:
    """Return the lines and the number of the last headers, if they are those that the platform ends each response with.

    They differ from response to response.
    """
    if len(headers) < 3:
        return "", 0
    (tag_name, tag), (id_name, request_id), (last_name, runtime) = headers[-3:]
    if id_name != REQUEST_ID or last_name != RUNTIME or not (request_id.isprintable() and runtime.isprintable()):
        return "", 0
    lines = f"{REQUEST_ID}: {request_id}\r\n{RUNTIME}: {runtime}\r\n"
    return (f"{ETAG}: {tag}\r\n{lines}", 3) if tag_name == ETAG and tag.isprintable() else (lines, 2)


@lru_cache(_MAX_CACHED)
def _render_frame(version: str, keep_alive: bool, status: int, headers: Headers) -> _Frame:
    names = {name.lower() for name, _ in headers}
    has_length, has_type, has_date, has_server, has_connection = (name in names for name in _OWN_NAMES)
    protocol = "HTTP/1.0" if version == "1.0" else "HTTP/1.1"
    start = f"{protocol} {status} {REASON_PHRASES.get(status, '')}\r\n{_render(headers)}"
    end = "" if has_server else _SERVER_LINE
    # The version's default is omitted.
    if not has_connection and keep_alive != (version != "1.0"):
        end += f"Connection: {'keep-alive' if keep_alive else 'close'}\r\n"
    return _Frame(start, f"{end}\r\n", has_length, has_type, has_date)


def _render(headers: Headers) -> str:
    """Return the lines of headers; UnsendableResponse."""
    lines = "".join([f"{name}: {value}\r\n" for name, value in headers])
    if not lines.count("\n") == lines.count("\r") == len(headers):
        raise UnsendableResponse(lines)
    return lines


def _render_own(response: Response, frame: _Frame, *, has_body: bool) -> str:
    """Return the lines of the headers that the server adds, and that vary."""
    size = len(response.body)
    # The response to HEAD announces the length of the body that GET would have.
    has_length = frame.has_length or not (has_body or (size and response.status not in BODILESS))
    lines = "" if has_length else f"Content-Length: {size}\r\n"
    if not frame.has_type and size and has_body:
        lines += _DEFAULT_TYPE_LINE
    return lines if frame.has_date else lines + _render_date(wall() // SECOND)


# The header changes once per second, which is its resolution.
@lru_cache(1)
def _render_date(second: int) -> str:
    return f"Date: {formatdate(second, usegmt=True)}\r\n"


def head_of_stream(incoming: RawRequest, response: Response, *, is_chunked: bool) -> bytes:
    """Return the head of a response whose length is unknown; it ends with its connection."""
    headers = (*response.headers, ("Transfer-Encoding", "chunked")) if is_chunked else response.headers
    # As for HEAD, no length is announced.
    head, _ = head_and_body(incoming._replace(method="HEAD", keep_alive=False), Response(response.status, headers))
    return head


def complete(incoming: RawRequest, response: Response) -> Response:
    """Return a response as a client gets it: with the headers that the server adds, and without a body for HEAD."""
    has_body = _has_body(incoming, response)
    _, *lines = _render_head(incoming, response, has_body=has_body).split("\r\n")[:-2]
    pairs = [line.partition(": ") for line in lines]
    headers = tuple((name, value) for name, _, value in pairs)
    return Response(response.status, headers, response.body if has_body else b"", response.delivery)


def _has_body(incoming: RawRequest, response: Response) -> bool:
    return response.status not in BODILESS and incoming.method != "HEAD"


def _sendable_headers(response: Response) -> Headers:
    """Return the headers; a response that has no body has no length either."""
    if response.status not in BODILESS:
        return response.headers
    return tuple(pair for pair in response.headers if pair[0].lower() != _CONTENT_LENGTH)
