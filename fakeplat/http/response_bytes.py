"""Serialization of responses to bytes."""

from email.utils import formatdate
from functools import lru_cache
from http import HTTPStatus
from typing import Final, NamedTuple

from fakeplat.core.clock import wall
from fakeplat.core.operations.http_messages import BODILESS, REQUEST_ID, RUNTIME, Headers, Response
from fakeplat.core.release import VERSION
from fakeplat.core.timestamps import SECOND
from fakeplat.http.request_parser import RawRequest

CONTINUE: Final = b"HTTP/1.1 100 Continue\r\n\r\n"
_CONTENT_LENGTH: Final = "content-length"
_PHRASES: Final = {status.value: status.phrase for status in HTTPStatus}
_MAX_CACHED: Final = 512
_DEFAULT_TYPE_LINE: Final = "Content-Type: application/octet-stream\r\n"
_SERVER_LINE: Final = f"Server: fakeplat/{VERSION}\r\n"


class UnsendableResponse(ValueError):
    """A header contains a line break, which a client would read as two headers."""


class _Start(NamedTuple):
    """What many responses have in common: the first lines of their heads, and which headers of the server they lack."""

    lines: str
    lacks_length: bool
    lacks_type: bool
    lacks_date: bool
    lacks_server: bool
    lacks_connection: bool


def head_and_body(incoming: RawRequest, response: Response) -> tuple[bytes, bytes]:
    """Return the head, with the headers that the server itself adds, and the body; UnsendableResponse."""
    has_body = _has_body(incoming, response)
    version = "1.0" if incoming.version == "1.0" else "1.1"
    head = f"HTTP/{version} {_render_head(incoming, response, has_body=has_body)}\r\n"
    return head.encode(errors="surrogateescape"), response.body if has_body else b""


def _render_head(incoming: RawRequest, response: Response, *, has_body: bool) -> str:
    """Return the status and the lines of all headers; UnsendableResponse."""
    status = response.status
    headers = response.headers if status not in BODILESS else _sendable_headers(response)
    lines = ""
    if len(headers) > 1:
        (name, request_id), (last_name, runtime) = headers[-2:]
        # These two differ from response to response; the headers before them mostly are those of an earlier one.
        if name == REQUEST_ID and last_name == RUNTIME:
            lines = f"{REQUEST_ID}: {request_id}\r\n{RUNTIME}: {runtime}\r\n"
            _check_lines(lines, 2)
            headers = headers[:-2]
    start = _render_start(status, headers)
    return f"{start.lines}{lines}{_render_own(incoming, response, start, has_body=has_body)}"


@lru_cache(_MAX_CACHED)
def _render_start(status: int, headers: Headers) -> _Start:
    names = {name.lower() for name, _ in headers}
    lacking = [name not in names for name in (_CONTENT_LENGTH, "content-type", "date", "server", "connection")]
    return _Start(f"{status} {_PHRASES.get(status, '')}\r\n{_render(headers)}", *lacking)


def _render(headers: Headers) -> str:
    """Return the lines of headers; UnsendableResponse."""
    lines = "".join([f"{name}: {value}\r\n" for name, value in headers])
    _check_lines(lines, len(headers))
    return lines


def _check_lines(lines: str, count: int) -> None:
    if not lines.count("\n") == lines.count("\r") == count:
        raise UnsendableResponse(lines)


def _render_own(incoming: RawRequest, response: Response, start: _Start, *, has_body: bool) -> str:
    """Return the lines of the headers that the server adds."""
    size, lines = len(response.body), ""
    # The response to HEAD announces the length of the body that GET would have.
    if start.lacks_length and (has_body or (size and response.status not in BODILESS)):
        lines = f"Content-Length: {size}\r\n"
    if start.lacks_type and size and has_body:
        lines += _DEFAULT_TYPE_LINE
    if start.lacks_date:
        lines += _render_date(wall() // SECOND)
    if start.lacks_server:
        lines += _SERVER_LINE
    # The version's default is omitted.
    if start.lacks_connection and incoming.keep_alive != (incoming.version != "1.0"):
        lines += f"Connection: {'keep-alive' if incoming.keep_alive else 'close'}\r\n"
    return lines


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
    _, *lines = _render_head(incoming, response, has_body=has_body).split("\r\n")[:-1]
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
