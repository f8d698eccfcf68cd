"""Time-based one-time codes, as authenticator apps show them. See RFC 4226, RFC 6238."""

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
    # The library is imported with the first code: few worlds have two-factor authentication.
    from cryptography.hazmat.primitives.hashes import SHA1
    from cryptography.hazmat.primitives.twofactor.totp import TOTP

    totp = TOTP(decode_secret(secret), _DIGITS, SHA1(), _STEP // SECOND, enforce_key_length=False)  # noqa: S303
    return totp.generate(now // SECOND).decode()


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
