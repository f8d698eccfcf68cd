"""Time-based one-time codes, as authenticator apps show them. See RFC 4226, RFC 6238."""

from base64 import b32decode, b32encode
from binascii import Error
from hmac import compare_digest, digest
from typing import Final

from fakeplat.core.timestamps import SECOND

_DIGITS: Final = 6
_STEP: Final = 30 * SECOND


def encode_secret(secret: bytes) -> str:
    """Return a secret in the form in which users type it into an app: Base32 without padding."""
    return b32encode(secret).decode().rstrip("=")


def one_time_code(secret: str, now: int) -> str:
    """Return the code of a secret at a time (ms). ValueError for a secret that is not Base32."""
    return _code_of_step(_decode_secret(secret), now // _STEP)


def is_valid(secret: str, code: str, now: int) -> bool:
    """Return whether a code is that of the current step of 30 seconds, or of the one before or after."""
    key, step = _decode_secret(secret), now // _STEP
    # Clocks differ, and users are slow.
    return any(
        compare_digest(_code_of_step(key, number).encode(), code.encode("utf-8", "replace"))
        for number in range(max(step - 1, 0), step + 2)
    )


def _decode_secret(secret: str) -> bytes:
    compact = secret.replace(" ", "").upper()
    try:
        return b32decode(compact + "=" * (-len(compact) % 8))
    except Error:
        raise ValueError(f"{secret!r} is not Base32") from None


def _code_of_step(key: bytes, step: int) -> str:
    mac = digest(key, step.to_bytes(8), "sha1")
    offset = mac[-1] & 0xF
    number = int.from_bytes(mac[offset : offset + 4]) & 0x7FFF_FFFF
    return f"{number % 10**_DIGITS:0{_DIGITS}}"
