"""Serialization of responses to bytes."""

from email.utils import formatdate
from functools import lru_cache
from http import HTTPStatus
from typing import Final

from fakeplat.core.clock import wall
from fakeplat.core.operations.http_messages import Response
from fakeplat.core.release import VERSION
from fakeplat.core.timestamps import SECOND
from fakeplat.http.request_parser import RawRequest

CONTINUE: Final = b"HTTP/1.1 100 Continue\r\n\r\n"
# RFC 7230, 3.3.3: these responses end with their head, whatever the headers say.
_BODILESS: Final = frozenset((204, 304, *range(100, 200)))
_DEFAULT_TYPE: Final = "application/octet-stream"
_CONTENT_LENGTH: Final = "content-length"
_PHRASES: Final = {status.value: status.phrase for status in HTTPStatus}
_SERVER: Final = f"Server: fakeplat/{VERSION}"


class UnsendableResponse(ValueError):
    """A header contains a line break, which a client would read as two headers."""


def head_and_body(incoming: RawRequest, response: Response) -> tuple[bytes, bytes]:
    """Return the head, with the headers that the server itself adds, and the body; UnsendableResponse."""
    status, headers, body = response.status, response.headers, response.body
    is_bodiless = status in _BODILESS
    if is_bodiless:
        headers = tuple(pair for pair in headers if pair[0].lower() != _CONTENT_LENGTH)
    has_body = not is_bodiless and incoming.method != "HEAD"
    version = "1.0" if incoming.version == "1.0" else "1.1"
    lines = [f"HTTP/{version} {status} {_PHRASES.get(status, '')}"]
    lines += [f"{name}: {value}" for name, value in headers]
    names = {name.lower() for name, _ in headers}
    lines += _server_headers(names, incoming, len(body), is_bodiless=is_bodiless, has_body=has_body)
    head = "\r\n".join(lines)
    if head.count("\n") != len(lines) - 1 or head.count("\r") != len(lines) - 1:
        raise UnsendableResponse(head)
    return f"{head}\r\n\r\n".encode(errors="surrogateescape"), body if has_body else b""


def complete(incoming: RawRequest, response: Response) -> Response:
    """Return a response as a client gets it: with the headers that the server adds, and without a body for HEAD."""
    head, body = head_and_body(incoming, response)
    lines = head.decode(errors="surrogateescape").split("\r\n")[1:-2]
    pairs = (line.partition(": ") for line in lines)
    return Response(response.status, tuple((name, value) for name, _, value in pairs), body)


def _server_headers(
    names: set[str], incoming: RawRequest, size: int, *, is_bodiless: bool, has_body: bool
) -> list[str]:
    lines = []
    # The response to HEAD announces the length of the body that GET would have.
    if not is_bodiless and (size or has_body) and _CONTENT_LENGTH not in names:
        lines.append(f"Content-Length: {size}")
    if size and has_body and "content-type" not in names:
        lines.append(f"Content-Type: {_DEFAULT_TYPE}")
    if "date" not in names:
        lines.append(_date_header(wall() // SECOND))
    if "server" not in names:
        lines.append(_SERVER)
    if (
        incoming.keep_alive != (incoming.version != "1.0") and "connection" not in names
    ):  # the version's default is omitted
        lines.append("Connection: keep-alive" if incoming.keep_alive else "Connection: close")
    return lines


# The header changes once per second, which is its resolution.
@lru_cache(1)
def _date_header(second: int) -> str:
    return f"Date: {formatdate(second, usegmt=True)}"
