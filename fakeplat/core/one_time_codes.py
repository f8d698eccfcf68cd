"""Time-based one-time codes, as authenticator apps show them. See RFC 4226, RFC 6238."""

import hmac
from base64 import b32decode, b32encode
from binascii import Error
from hmac import compare_digest
from typing import Final

from fakeplat.core.timestamps import SECOND

_DIGITS: Final = 6
_STEP: Final = 30 * SECOND


def encode_secret(secret: bytes) -> str:
    """Return a secret in the form in which users type it into an app: Base32 without padding."""
    return b32encode(secret).decode().rstrip("=")


def one_time_code(secret: str, now: int) -> str:
    """Return the code of a secret at a time (ms); ValueError if the secret is not Base32."""
    digest = hmac.digest(decode_secret(secret), (now // _STEP).to_bytes(8), "sha1")
    # The last four bits say where in the digest the number begins, which has 31 bits.
    start = digest[-1] & 0xF
    number = int.from_bytes(digest[start : start + 4]) & 0x7FFFFFFF
    return f"{number % 10**_DIGITS:0{_DIGITS}}"


def is_valid(secret: str, code: str, now: int) -> bool:
    """Return whether a code is that of the current step of 30 seconds, or of the one before or after."""
    # Clocks differ, and users are slow.
    times = (max(now - _STEP, 0), now, now + _STEP)
    return any(compare_digest(one_time_code(secret, time).encode(), code.encode("utf-8", "replace")) for time in times)


def decode_secret(secret: str) -> bytes:
    """Return a secret as bytes; ValueError if it is not Base32."""
    compact = secret.replace(" ", "").upper()
    try:
        return b32decode(compact + "=" * (-len(compact) % 8))
    except Error:
        raise ValueError(f"{secret!r} is not Base32") from None
