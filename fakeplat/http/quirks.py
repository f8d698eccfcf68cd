"""What web servers take and the parser does not, said so that it does."""

import re
from typing import Final

_BEYOND_ASCII: Final = re.compile(rb"[\x80-\xff]")
_LINE: Final = re.compile(rb"[A-Z]+ \S*[\x80-\xff]\S* HTTP/1\.[01]\r\n")


def escape_target(data: bytes) -> bytes:
    """From a request line with bytes outside ASCII on, these percent-encoded; empty where there is no such line.

    nginx takes them as they are, and curl sends what it is given.
    """
    line = _LINE.search(data)
    if line is None:
        return b""
    return _BEYOND_ASCII.sub(lambda byte: b"%%%02X" % ord(byte[0]), line[0]) + data[line.end() :]


def remove_upgrade(method: str, target: str, version: str, headers: dict[str, str]) -> bytes:
    """A head that asks for no other protocol: the parser leaves the body of one that does to that protocol."""
    kept = [f"{name}: {value}\r\n" for name, value in headers.items() if name != "upgrade"]
    return f"{method} {target} HTTP/{version}\r\n{''.join(kept)}\r\n".encode()
