"""Lines of the git protocol (pkt-line): four hexadecimal digits of length, then the line; `0000` ends a section."""

import re
from collections.abc import Iterator

from fakeplat.git.errors import BadRequest

FLUSH = b"0000"
# Separates the parts of a request or response of protocol version 2.
DELIMITER = b"0001"
# git's LARGE_PACKET_MAX, which includes the digits of the length. A side band takes one more byte.
MAX_LINE = 65_520

_LENGTH = re.compile(rb"[0-9a-fA-F]{4}")


def encode_line(line: bytes | str) -> bytes:
    """Encode a line."""
    content = line.encode(errors="surrogateescape") if isinstance(line, str) else line
    return b"%04x" % (len(content) + 4) + content


def encode_sideband(band: int, content: bytes) -> Iterator[bytes]:
    """Encode bytes for a side band, in lines of maximal length."""
    for start in range(0, len(content), MAX_LINE - 5):
        yield encode_line(bytes([band]) + content[start : start + MAX_LINE - 5])


class Lines:
    """A reader of the lines of a request."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._at = 0

    @property
    def rest(self) -> bytes:
        """The bytes that were not read yet."""
        return self._content[self._at :]

    @property
    def is_at_end(self) -> bool:
        """Whether all bytes were read."""
        return self._at >= len(self._content)

    def section(self) -> Iterator[bytes]:
        """Yield the lines up to the next flush or the end, without their line feeds."""
        while not self.is_at_end:
            line = self.next()
            if line is None:
                return
            yield line

    def part(self) -> Iterator[bytes]:
        """Yield the lines up to the next delimiter, flush or the end, without their line feeds."""
        while not self.is_at_end:
            if self._content.startswith(DELIMITER, self._at):
                self._at += len(DELIMITER)
                return
            line = self.next()
            if line is None:
                return
            yield line

    def next(self) -> bytes | None:
        """Return the next line without its line feed, None for a flush; BadRequest if it is truncated or malformed."""
        line = self.packet()
        return None if line is None else line.removesuffix(b"\n")

    def packet(self) -> bytes | None:
        """Return the next line unchanged (data on a side band may end with a line feed), None for a flush."""
        length = self._content[self._at : self._at + 4]
        if not _LENGTH.fullmatch(length):
            raise BadRequest("bad line length character")
        size = int(length, 16)
        # Lengths 1 to 3 are at most used by protocol version 2. A flush has length 0, and takes four bytes.
        if size in {1, 2, 3} or self._at + max(size, 4) > len(self._content):
            raise BadRequest("the remote end hung up unexpectedly")
        line = self._content[self._at + 4 : self._at + size]
        self._at += max(size, 4)
        return line if size else None


def decode_text(line: bytes) -> str:
    """Decode a line; bytes that are not UTF-8 become lone surrogates."""
    return line.decode(errors="surrogateescape")
