"""Serialization of responses to bytes."""

from email.utils import formatdate
from functools import lru_cache
from http import HTTPStatus
from typing import Final, NamedTuple

from fakeplat.core.clock import wall
from fakeplat.core.operations.http_messages import BODILESS, Headers, Response
from fakeplat.core.release import VERSION
from fakeplat.core.timestamps import SECOND
from fakeplat.http.request_parser import RawRequest

CONTINUE: Final = b"HTTP/1.1 100 Continue\r\n\r\n"
_CONTENT_LENGTH: Final = "content-length"
_OWN: Final = frozenset((_CONTENT_LENGTH, "content-type", "date", "server", "connection"))
"""The headers that the server adds."""
_PHRASES: Final = {status.value: status.phrase for status in HTTPStatus}
# The last headers of a response of the platform differ from request to request: X-Request-Id and X-Runtime.
_CHANGING: Final = 2
_MAX_CACHED: Final = 512
_DEFAULT_TYPE_LINE: Final = "Content-Type: application/octet-stream\r\n"
_SERVER_LINE: Final = f"Server: fakeplat/{VERSION}\r\n"


class UnsendableResponse(ValueError):
    """A header contains a line break, which a client would read as two headers."""


class _Start(NamedTuple):
    """What many responses have in common: the first lines of their heads, and the own headers that they lack."""

    lines: str
    missing: frozenset[str]


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
    changing = headers[-_CHANGING:]
    # The first headers of a response mostly are those of an earlier one.
    start = _render_start(status, headers[:-_CHANGING], tuple([name for name, _ in changing]))
    added = _render_own(incoming, response, start.missing, has_body=has_body)
    return f"{start.lines}{_render(changing)}{added}"


@lru_cache(_MAX_CACHED)
def _render_start(status: int, headers: Headers, others: tuple[str, ...]) -> _Start:
    names = {name.lower() for name in (*(name for name, _ in headers), *others)}
    return _Start(f"{status} {_PHRASES.get(status, '')}\r\n{_render(headers)}", _OWN - names)


def _render(headers: Headers) -> str:
    """Return the lines of headers; UnsendableResponse."""
    lines = "".join([f"{name}: {value}\r\n" for name, value in headers])
    if not lines.count("\n") == lines.count("\r") == len(headers):
        raise UnsendableResponse(lines)
    return lines


def _render_own(incoming: RawRequest, response: Response, missing: frozenset[str], *, has_body: bool) -> str:
    """Return the lines of the missing headers."""
    size, lines = len(response.body), ""
    # The response to HEAD announces the length of the body that GET would have.
    if (size or has_body) and _CONTENT_LENGTH in missing and response.status not in BODILESS:
        lines = f"Content-Length: {size}\r\n"
    if size and has_body and "content-type" in missing:
        lines += _DEFAULT_TYPE_LINE
    if "date" in missing:
        lines += _render_date(wall() // SECOND)
    if "server" in missing:
        lines += _SERVER_LINE
    # The version's default is omitted.
    if incoming.keep_alive != (incoming.version != "1.0") and "connection" in missing:
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
