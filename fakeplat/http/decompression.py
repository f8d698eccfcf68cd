"""Decompression of bodies."""

import zlib
from typing import Final

_GZIP: Final = 16 + zlib.MAX_WBITS
_RAW: Final = -zlib.MAX_WBITS


class CorruptBody(ValueError):
    """The body is not valid in its encoding."""


class BodyTooLarge(ValueError):
    """The decompressed body is over the limit."""


def decompress(body: bytes, encoding: str, limit: int) -> bytes:
    """Return a gzip or deflate body decompressed, any other unchanged; CorruptBody, BodyTooLarge."""
    window_bits = _window_bits(body, encoding.strip().lower())
    if window_bits is None or not body:
        return body
    decompressor = zlib.decompressobj(window_bits)
    try:
        # One byte over the limit is enough to refuse a body, however far a bomb would expand.
        content = decompressor.decompress(body, limit + 1)
    except zlib.error as error:
        raise CorruptBody(str(error)) from None
    if len(content) > limit:
        raise BodyTooLarge
    if not decompressor.eof:
        raise CorruptBody("it is truncated")
    return content


def decompress_beginning(body: bytes, encoding: str, limit: int) -> bytes:
    """Return at most ``limit`` bytes of a body of which only the beginning may be there; CorruptBody."""
    window_bits = _window_bits(body, encoding.strip().lower()) if body else None
    if window_bits is None:
        return body[:limit]
    try:
        return zlib.decompressobj(window_bits).decompress(body, limit)
    except zlib.error as error:
        raise CorruptBody(str(error)) from None


def _window_bits(body: bytes, encoding: str) -> int | None:
    if encoding in ("gzip", "x-gzip"):
        return _GZIP
    if encoding != "deflate":
        return None
    return zlib.MAX_WBITS if body[0] & 0xF == zlib.DEFLATED else _RAW  # some clients omit the zlib header
