"""Answers, as they go out over a connection."""

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
_BODILESS: Final = frozenset((204, 304, *range(100, 200)))
_BYTES: Final = "application/octet-stream"
_LENGTH: Final = "content-length"
_PHRASES: Final = {status.value: status.phrase for status in HTTPStatus}
_SERVER: Final = f"Server: fakeplat/{VERSION}"


class UnsendableResponse(ValueError):
    """A line break in a header: a client would read two."""


def head_and_body(asked: RawRequest, response: Response) -> tuple[bytes, bytes]:
    """What goes over the wire, with the headers that the server itself says. Unsendable."""
    status, headers, body = response.status, response.headers, response.body
    bodiless = status in _BODILESS
    if bodiless:
        headers = tuple(pair for pair in headers if pair[0].lower() != _LENGTH)
    is_shown = not bodiless and asked.method != "HEAD"
    version = "1.0" if asked.version == "1.0" else "1.1"
    lines = [f"HTTP/{version} {status} {_PHRASES.get(status, '')}"]
    lines += [f"{name}: {value}" for name, value in headers]
    lines += _added({name.lower() for name, _ in headers}, asked, len(body), bodiless=bodiless, is_shown=is_shown)
    head = "\r\n".join(lines)
    if head.count("\n") != len(lines) - 1 or head.count("\r") != len(lines) - 1:
        raise UnsendableResponse(head)
    return f"{head}\r\n\r\n".encode(errors="surrogateescape"), body if is_shown else b""


def _added(said: set[str], asked: RawRequest, size: int, *, bodiless: bool, is_shown: bool) -> list[str]:
    lines = []
    if not bodiless and (size or is_shown) and _LENGTH not in said:
        lines.append(f"Content-Length: {size}")
    if size and is_shown and "content-type" not in said:
        lines.append(f"Content-Type: {_BYTES}")
    if "date" not in said:
        lines.append(_date(wall() // SECOND))
    if "server" not in said:
        lines.append(_SERVER)
    if asked.stays != (asked.version != "1.0") and "connection" not in said:  # the usual of a version is not said
        lines.append("Connection: keep-alive" if asked.stays else "Connection: close")
    return lines


@lru_cache(1)
def _date(second: int) -> str:
    return f"Date: {formatdate(second, usegmt=True)}"
