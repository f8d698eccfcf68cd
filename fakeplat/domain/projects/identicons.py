"""Identicons: images drawn from a digest, so that every avatar URL is served."""

from functools import lru_cache
from hashlib import blake2b
from struct import pack
from typing import Final
from zlib import compress, crc32

_CELLS: Final = 5


@lru_cache(256)
def identicon(text: str, size: int) -> bytes:
    """Return a PNG of ``size`` by ``size`` pixels: a mirrored pattern in one colour, determined by the text."""
    digest = blake2b(text.encode(), digest_size=16).digest()
    colours = b"\xf0\xf0\xf0" + bytes(64 + part // 2 for part in digest[:3])
    rows = [_pixel_row(digest, y * _CELLS // size, size) for y in range(size)]
    header = pack(">IIBBBBB", size, size, 8, 3, 0, 0, 0)
    chunks = (_chunk(b"IHDR", header), _chunk(b"PLTE", colours), _chunk(b"IDAT", compress(b"".join(rows))))
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks) + _chunk(b"IEND", b"")


def _pixel_row(digest: bytes, cell_y: int, size: int) -> bytes:
    # One byte of the digest per row of cells; the first three bytes choose the colour.
    cells = [digest[3 + cell_y] >> min(x, _CELLS - 1 - x) & 1 for x in range(_CELLS)]
    return b"\x00" + bytes(cells[x * _CELLS // size] for x in range(size))


def _chunk(kind: bytes, data: bytes) -> bytes:
    return pack(">I", len(data)) + kind + data + pack(">I", crc32(kind + data))
