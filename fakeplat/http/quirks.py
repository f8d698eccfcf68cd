"""Rewrites of requests that nginx accepts but httptools rejects."""

import re
from typing import Final

_NON_ASCII: Final = re.compile(rb"[\x80-\xff]")
_NON_ASCII_REQUEST_LINE: Final = re.compile(rb"[A-Z]+ \S*[\x80-\xff]\S* HTTP/1\.[01]\r\n")


def escape_target(data: bytes) -> bytes:
    """Percent-encode the non-ASCII bytes of a request line; return the data from this line on, or b"" if there is none.

    nginx accepts such bytes as they are, and curl sends them.
    """
    match = _NON_ASCII_REQUEST_LINE.search(data)
    if match is None:
        return b""
    return _NON_ASCII.sub(lambda byte: b"%%%02X" % ord(byte[0]), match[0]) + data[match.end() :]


def remove_upgrade(method: str, target: str, version: str, headers: dict[str, str]) -> bytes:
    """Return a request head without its Upgrade header, after which the parser would not parse the body."""
    lines = [f"{name}: {value}\r\n" for name, value in headers.items() if name != "upgrade"]
    return f"{method} {target} HTTP/{version}\r\n{''.join(lines)}\r\n".encode()
