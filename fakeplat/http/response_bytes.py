"""Serialization of responses to bytes."""

from collections.abc import Iterator
from email.utils import formatdate
from functools import lru_cache
from http import HTTPStatus
from typing import Final

from fakeplat.core.clock import wall
from fakeplat.core.operations.http_messages import Headers, Response
from fakeplat.core.release import VERSION
from fakeplat.core.timestamps import SECOND
from fakeplat.http.request_parser import RawRequest

CONTINUE: Final = b"HTTP/1.1 100 Continue\r\n\r\n"
# RFC 7230, 3.3.3: these responses end with their head, whatever the headers say.
_BODILESS: Final = frozenset((204, 304, *range(100, 200)))
_DEFAULT_TYPE: Final = "application/octet-stream"
_CONTENT_LENGTH: Final = "content-length"
_PHRASES: Final = {status.value: status.phrase for status in HTTPStatus}
_SERVER: Final = f"fakeplat/{VERSION}"


class UnsendableResponse(ValueError):
    """A header contains a line break, which a client would read as two headers."""


def head_and_body(incoming: RawRequest, response: Response) -> tuple[bytes, bytes]:
    """Return the head, with the headers that the server itself adds, and the body; UnsendableResponse."""
    sent = complete(incoming, response)
    version = "1.0" if incoming.version == "1.0" else "1.1"
    lines = [f"HTTP/{version} {sent.status} {_PHRASES.get(sent.status, '')}"]
    lines += [f"{name}: {value}" for name, value in sent.headers]
    head = "\r\n".join(lines)
    if head.count("\n") != len(lines) - 1 or head.count("\r") != len(lines) - 1:
        raise UnsendableResponse(head)
    return f"{head}\r\n\r\n".encode(errors="surrogateescape"), sent.body


def head_of_stream(incoming: RawRequest, response: Response, *, is_chunked: bool) -> bytes:
    """Return the head of a response whose length is unknown; it ends with its connection."""
    headers = (*response.headers, ("Transfer-Encoding", "chunked")) if is_chunked else response.headers
    # As for HEAD, no length is announced.
    head, _ = head_and_body(incoming._replace(method="HEAD", keep_alive=False), Response(response.status, headers))
    return head


def complete(incoming: RawRequest, response: Response) -> Response:
    """Return a response as a client gets it: with the headers that the server adds, and without a body for HEAD."""
    headers = _sendable_headers(response)
    has_body = response.status not in _BODILESS and incoming.method != "HEAD"
    added = _server_headers(incoming, response, headers, has_body=has_body)
    return Response(response.status, (*headers, *added), response.body if has_body else b"", response.delivery)


def _sendable_headers(response: Response) -> Headers:
    """Return the headers; a response that has no body has no length either."""
    if response.status not in _BODILESS:
        return response.headers
    return tuple(pair for pair in response.headers if pair[0].lower() != _CONTENT_LENGTH)


def _server_headers(
    incoming: RawRequest, response: Response, headers: Headers, *, has_body: bool
) -> Iterator[tuple[str, str]]:
    names, size = {name.lower() for name, _ in headers}, len(response.body)
    # The response to HEAD announces the length of the body that GET would have.
    if response.status not in _BODILESS and (size or has_body) and _CONTENT_LENGTH not in names:
        yield "Content-Length", str(size)
    if size and has_body and "content-type" not in names:
        yield "Content-Type", _DEFAULT_TYPE
    if "date" not in names:
        yield "Date", _date(wall() // SECOND)
    if "server" not in names:
        yield "Server", _SERVER
    # The version's default is omitted.
    if incoming.keep_alive != (incoming.version != "1.0") and "connection" not in names:
        yield "Connection", "keep-alive" if incoming.keep_alive else "close"


# The header changes once per second, which is its resolution.
@lru_cache(1)
def _date(second: int) -> str:
    return formatdate(second, usegmt=True)
