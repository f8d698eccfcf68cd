"""Public SSH keys, as in the file of a key: ``ssh-ed25519 AAAA… comment``."""

import hashlib
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from typing import Final

from fakeplat.core.rsa_keys import RsaKey
from fakeplat.core.store.frozen import frozen

MAX_LENGTH: Final = 5000
_LENGTH: Final = 4
_ED25519_SIZE: Final = 32
_CURVES: Final = {"nistp256": 256, "nistp384": 384, "nistp521": 521}


@frozen
class PublicKey:
    """A public key: its type (``rsa``, ``dsa``, ``ecdsa``, ``ed25519``), its size and its fingerprints."""

    type: str
    bits: int
    blob: bytes

    @property
    def fingerprint(self) -> str:
        """The MD5 fingerprint: sixteen bytes in hex, with colons."""
        return hashlib.md5(self.blob).digest().hex(":")

    @property
    def fingerprint_sha256(self) -> str:
        """The SHA-256 fingerprint in base64, without padding and prefix."""
        return b64encode(hashlib.sha256(self.blob).digest()).decode().rstrip("=")


def parse_public_key(text: str) -> PublicKey | None:
    """Return the key in a text, or None if there is no valid one."""
    algorithm, _, rest = text.strip().partition(" ")
    encoded = rest.split()
    try:
        blob = b64decode(encoded[0] if encoded else "", validate=True)
        name, *parts = read_parts(blob)
        # The blob repeats the name of the algorithm.
        bits = _SIZES[algorithm](parts) if name == algorithm.encode() else 0
    except (KeyError, ValueError):
        return None
    return PublicKey(_TYPES[algorithm], bits, blob) if bits else None


def format_rsa_key(key: RsaKey, comment: str) -> str:
    """Return the public part of an RSA key as a text."""
    parts = (b"ssh-rsa", _encode_number(key.exponent), _encode_number(key.modulus))
    blob = b"".join(len(part).to_bytes(_LENGTH) + part for part in parts)
    return f"ssh-rsa {b64encode(blob).decode()} {comment}"


def _encode_number(number: int) -> bytes:
    # One bit more than the number has, as the highest one is the sign.
    return number.to_bytes(number.bit_length() // 8 + 1)


def normalize_public_key(text: str) -> str:
    """Return a key without the line breaks that copying added, and with one word of its comment at most."""
    algorithm, *words = text.split() or [""]
    # Longer texts are refused anyway, and trying each word of them would take long.
    for count in range(1, len(words) + 1 if len(text) <= MAX_LENGTH else 0):
        key = f"{algorithm} {''.join(words[:count])}"
        if parse_public_key(key) is not None:
            return " ".join((key, *words[count : count + 1]))
    return text


def read_parts(blob: bytes) -> list[bytes]:
    """Return the parts of a blob, each with its length in front. ValueError if a length is wrong."""
    parts, start = [], 0
    while start < len(blob):
        end = start + _LENGTH + int.from_bytes(blob[start : start + _LENGTH])
        if start + _LENGTH > len(blob) or end > len(blob):
            raise ValueError("a part of the key is incomplete")
        parts.append(blob[start + _LENGTH : end])
        start = end
    return parts


def _number_size(part: bytes) -> int:
    return int.from_bytes(part).bit_length()


def _rsa_size(parts: list[bytes]) -> int:
    _exponent, modulus = parts
    return _number_size(modulus)


def _dsa_size(parts: list[bytes]) -> int:
    prime, _divisor, _base, _public = parts
    return _number_size(prime)


def _ecdsa_size(parts: list[bytes]) -> int:
    curve, point = parts
    bits = _CURVES[curve.decode("ascii", "replace")]
    # An uncompressed point: a 4 and two coordinates.
    is_point = point[:1] == b"\x04" and len(point) == 1 + 2 * -(-bits // 8)
    return bits if is_point else 0


def _ed25519_size(parts: list[bytes]) -> int:
    (point,) = parts
    return 8 * _ED25519_SIZE if len(point) == _ED25519_SIZE else 0


_SIZES: Final[Mapping[str, Callable[[list[bytes]], int]]] = {
    "ssh-rsa": _rsa_size,
    "ssh-dss": _dsa_size,
    **{f"ecdsa-sha2-{curve}": _ecdsa_size for curve in _CURVES},
    "ssh-ed25519": _ed25519_size,
}
_TYPES: Final = {
    "ssh-rsa": "rsa",
    "ssh-dss": "dsa",
    **{f"ecdsa-sha2-{curve}": "ecdsa" for curve in _CURVES},
    "ssh-ed25519": "ed25519",
}
