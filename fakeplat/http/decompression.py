"""Bodies that a client compressed."""

import zlib
from typing import Final

_GZIP: Final = 16 + zlib.MAX_WBITS
_RAW: Final = -zlib.MAX_WBITS


class CorruptBody(ValueError):
    """The body is not what its encoding says."""


class BodyTooLarge(ValueError):
    """The body is over the limit once it is unpacked."""


def decompress(body: bytes, encoding: str, limit: int) -> bytes:
    """The body without its Content-Encoding: gzip or deflate; with any other it stays. Broken, Outgrown."""
    window = _window(body, encoding.strip().lower())
    if window is None or not body:
        return body
    unpacking = zlib.decompressobj(window)
    try:
        content = unpacking.decompress(body, limit + 1)
    except zlib.error as error:
        raise CorruptBody(str(error)) from None
    if len(content) > limit:
        raise BodyTooLarge
    if not unpacking.eof:
        raise CorruptBody("it is cut off")
    return content


def _window(body: bytes, encoding: str) -> int | None:
    if encoding in ("gzip", "x-gzip"):
        return _GZIP
    if encoding != "deflate":
        return None
    return zlib.MAX_WBITS if body[0] & 0xF == zlib.DEFLATED else _RAW  # some send it without its frame
