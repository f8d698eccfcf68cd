"""pkt-lines: four hexadecimal digits of length, then the line; `0000` ends a section."""

import re
from collections.abc import Iterator

from fakeplat.git.errors import BadRequest

FLUSH = b"0000"
LARGEST = 65_520

_LENGTH = re.compile(rb"[0-9a-fA-F]{4}")


def encode_line(line: bytes | str) -> bytes:
    """A line as it is sent."""
    content = line.encode(errors="surrogateescape") if isinstance(line, str) else line
    return b"%04x" % (len(content) + 4) + content


def encode_sideband(band: int, content: bytes) -> Iterator[bytes]:
    """Bytes on a side band, in lines as long as they may be."""
    for start in range(0, len(content), LARGEST - 5):
        yield encode_line(bytes([band]) + content[start : start + LARGEST - 5])


class Lines:
    """The lines of a request. ``rest`` is what comes behind those that were read."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._at = 0

    @property
    def rest(self) -> bytes:
        """What was not read yet."""
        return self._content[self._at :]

    @property
    def ended(self) -> bool:
        """Whether all is read."""
        return self._at >= len(self._content)

    def section(self) -> Iterator[bytes]:
        """The lines up to the next flush or the end, without their line feeds."""
        while not self.ended:
            line = self.next()
            if line is None:
                return
            yield line

    def next(self) -> bytes | None:
        """The next line without its line feed; None for a flush. BadRequest if it is cut off or no line."""
        line = self.packet()
        return None if line is None else line.removesuffix(b"\n")

    def packet(self) -> bytes | None:
        """The same with its line feed, as what stands on a side band needs it."""
        head = self._content[self._at : self._at + 4]
        if not _LENGTH.fullmatch(head):
            raise BadRequest("bad line length character")
        size = int(head, 16)
        if size in {1, 2, 3} or self._at + max(size, 4) > len(self._content):
            raise BadRequest("the remote end hung up unexpectedly")
        line = self._content[self._at + 4 : self._at + size]
        self._at += max(size, 4)
        return line if size else None


def decode_text(line: bytes) -> str:
    """A line as text."""
    return line.decode(errors="surrogateescape")
