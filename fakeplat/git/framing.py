"""Where the parts of a session end: over SSH, neither requests nor packs are delimited by the end of the connection."""

import zlib
from typing import Final

from fakeplat.git.errors import BadRequest
from fakeplat.git.packs import Limits

_HEADER: Final = 12
_TRAILER: Final = 20
_OFS_DELTA: Final = 6
_REF_DELTA: Final = 7
_PIECE: Final = 1 << 20


class PackEnd:
    """Finds the end of a pack in a stream of bytes, without keeping its objects.

    The pack is read, and refused, by others: one that is damaged or over a limit counts as complete where that shows.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._inflated = 0
        self._remaining: int | None = None
        self._pending = bytearray()
        self._inflater: zlib._Decompress | None = None
        self.size = 0
        self.is_complete = False

    def feed(self, content: bytes) -> None:
        """Read on, until the pack is complete."""
        self.size += len(content)
        self._pending += content
        try:
            while not self.is_complete and self._step():
                pass
        except (zlib.error, BadRequest):
            self.is_complete = True
        if self.size > self._limits.compressed or self._inflated > self._limits.inflated:
            self.is_complete = True

    def _step(self) -> bool:
        """Read one element of the pack; return False if it is not there yet."""
        if self._remaining is None:
            return self._read_header()
        if self._inflater is not None:
            return self._inflate(self._inflater)
        if self._remaining == 0:
            self.is_complete = len(self._pending) >= _TRAILER
            return False
        return self._read_entry_header()

    def _read_header(self) -> bool:
        if len(self._pending) < _HEADER:
            return False
        if self._pending[:4] != b"PACK":
            raise BadRequest("pack signature mismatch")
        self._remaining = int.from_bytes(self._pending[8:_HEADER], "big")
        del self._pending[:_HEADER]
        return True

    def _read_entry_header(self) -> bool:
        """Read the type and size of an object and the base of a delta."""
        end = self._end_of_number(0)
        kind = self._pending[0] >> 4 & 7 if end else 0
        if end and kind == _OFS_DELTA:
            end = self._end_of_number(end)
        elif end and kind == _REF_DELTA:
            end += _TRAILER
        if not end or end > len(self._pending):
            return False
        del self._pending[:end]
        self._inflater = zlib.decompressobj()
        return True

    def _end_of_number(self, start: int) -> int:
        """Return the end of a number whose last byte has no highest bit; 0 if it is not there yet."""
        return next((at + 1 for at in range(start, len(self._pending)) if self._pending[at] < 0x80), 0)

    def _inflate(self, inflater: "zlib._Decompress") -> bool:
        if not self._pending:
            return False
        # In pieces, so that a small pack of a large content takes no memory.
        self._inflated += len(inflater.decompress(self._pending, _PIECE))
        self._pending = bytearray(inflater.unused_data if inflater.eof else inflater.unconsumed_tail)
        if self._inflated > self._limits.inflated:
            raise BadRequest("the pack is too large")
        if inflater.eof:
            self._inflater, self._remaining = None, (self._remaining or 0) - 1
        return bool(self._pending) or inflater.eof
