"""Serialization of responses to bytes."""

from collections.abc import Sequence
from email.utils import formatdate
from functools import lru_cache
from http import HTTPStatus
from typing import Final

from fakeplat.core.clock import wall
from fakeplat.core.operations.http_messages import BODILESS, Headers, Response
from fakeplat.core.release import VERSION
from fakeplat.core.timestamps import SECOND
from fakeplat.http.request_parser import RawRequest

CONTINUE: Final = b"HTTP/1.1 100 Continue\r\n\r\n"
_DEFAULT_TYPE: Final = "application/octet-stream"
_CONTENT_LENGTH: Final = "content-length"
_PHRASES: Final = {status.value: status.phrase for status in HTTPStatus}
# The last headers of a response of the platform differ from request to request: X-Request-Id and X-Runtime.
_CHANGING: Final = 2
_MAX_CACHED: Final = 512
_SERVER: Final = f"fakeplat/{VERSION}"


class UnsendableResponse(ValueError):
    """A header contains a line break, which a client would read as two headers."""


def head_and_body(incoming: RawRequest, response: Response) -> tuple[bytes, bytes]:
    """Return the head, with the headers that the server itself adds, and the body; UnsendableResponse."""
    status, has_body = response.status, _has_body(incoming, response)
    headers = response.headers if status not in BODILESS else _sendable_headers(response)
    # The first headers of a response mostly are those of an earlier one, so their lines are cached.
    repeated, names = _render_repeated(headers[:-_CHANGING])
    changing = headers[-_CHANGING:]
    names = names.union([name.lower() for name, _ in changing])
    others = _render([*changing, *_server_headers(incoming, response, names, has_body=has_body)])
    version = "1.0" if incoming.version == "1.0" else "1.1"
    head = f"HTTP/{version} {status} {_PHRASES.get(status, '')}\r\n{repeated}{others}\r\n"
    return head.encode(errors="surrogateescape"), response.body if has_body else b""


def _render(headers: Sequence[tuple[str, str]]) -> str:
    """Return the lines of headers; UnsendableResponse."""
    lines = "".join([f"{name}: {value}\r\n" for name, value in headers])
    if not lines.count("\n") == lines.count("\r") == len(headers):
        raise UnsendableResponse(lines)
    return lines


@lru_cache(_MAX_CACHED)
def _render_repeated(headers: Headers) -> tuple[str, frozenset[str]]:
    return _render(headers), _lower_names(headers)


def _lower_names(headers: Headers) -> frozenset[str]:
    return frozenset([name.lower() for name, _ in headers])


def head_of_stream(incoming: RawRequest, response: Response, *, is_chunked: bool) -> bytes:
    """Return the head of a response whose length is unknown; it ends with its connection."""
    headers = (*response.headers, ("Transfer-Encoding", "chunked")) if is_chunked else response.headers
    # As for HEAD, no length is announced.
    head, _ = head_and_body(incoming._replace(method="HEAD", keep_alive=False), Response(response.status, headers))
    return head


def complete(incoming: RawRequest, response: Response) -> Response:
    """Return a response as a client gets it: with the headers that the server adds, and without a body for HEAD."""
    headers, has_body = _sendable_headers(response), _has_body(incoming, response)
    added = _server_headers(incoming, response, _lower_names(headers), has_body=has_body)
    return Response(response.status, (*headers, *added), response.body if has_body else b"", response.delivery)


def _has_body(incoming: RawRequest, response: Response) -> bool:
    return response.status not in BODILESS and incoming.method != "HEAD"


def _sendable_headers(response: Response) -> Headers:
    """Return the headers; a response that has no body has no length either."""
    if response.status not in BODILESS:
        return response.headers
    return tuple(pair for pair in response.headers if pair[0].lower() != _CONTENT_LENGTH)


def _server_headers(
    incoming: RawRequest, response: Response, names: frozenset[str], *, has_body: bool
) -> list[tuple[str, str]]:
    added, size = [], len(response.body)
    # The response to HEAD announces the length of the body that GET would have.
    if response.status not in BODILESS and (size or has_body) and _CONTENT_LENGTH not in names:
        added.append(("Content-Length", str(size)))
    if size and has_body and "content-type" not in names:
        added.append(("Content-Type", _DEFAULT_TYPE))
    if "date" not in names:
        added.append(("Date", _date(wall() // SECOND)))
    if "server" not in names:
        added.append(("Server", _SERVER))
    # The version's default is omitted.
    if incoming.keep_alive != (incoming.version != "1.0") and "connection" not in names:
        added.append(("Connection", "keep-alive" if incoming.keep_alive else "close"))
    return added


# The header changes once per second, which is its resolution.
@lru_cache(1)
def _date(second: int) -> str:
    return formatdate(second, usegmt=True)
