"""OpenPGP keys and signatures of the platform itself, made from an RSA key. See RFC 4880."""

import base64
import struct
from hashlib import sha1, sha256
from typing import Final

from fakeplat.core.rsa_keys import RsaKey
from fakeplat.core.store.frozen import frozen

_RSA: Final = 1
_SHA256: Final = 8
_VERSION: Final = 4
_BINARY, _TEXT, _CERTIFICATION = 0x00, 0x01, 0x13
"""Types of signatures: of a document, of a text, of a user id."""
_PUBLIC_KEY, _USER_ID, _SIGNATURE = 6, 13, 2
"""Tags of packets."""
_CREATED, _ISSUER, _KEY_FLAGS, _ISSUER_FINGERPRINT = 2, 16, 27, 33
"""Types of subpackets of a signature."""
_MAY_SIGN: Final = b"\x03"
_LINE: Final = 64
_CRC_START, _CRC_POLYNOMIAL = 0xB704CE, 0x1864CFB


@frozen
class SigningKey:
    """An RSA key as an OpenPGP key with one user id. ``created`` is in seconds since 1970."""

    key: RsaKey
    user_id: str
    created: int

    @property
    def _public_packet(self) -> bytes:
        numbers = _multiprecision(self.key.modulus) + _multiprecision(self.key.exponent)
        return struct.pack(">BIB", _VERSION, self.created, _RSA) + numbers

    @property
    def _fingerprinted(self) -> bytes:
        return b"\x99" + struct.pack(">H", len(self._public_packet)) + self._public_packet

    @property
    def fingerprint(self) -> bytes:
        """The fingerprint, of which the last eight bytes are the id of the key."""
        return sha1(self._fingerprinted, usedforsecurity=False).digest()

    def public_key(self) -> str:
        """Return the armored public key."""
        user_id = self.user_id.encode()
        certified = self._fingerprinted + b"\xb4" + struct.pack(">I", len(user_id)) + user_id
        certification = self._sign(_CERTIFICATION, certified, self.created, _subpacket(_KEY_FLAGS, _MAY_SIGN))
        packets = _packet(_PUBLIC_KEY, self._public_packet) + _packet(_USER_ID, user_id) + certification
        return _armor("PUBLIC KEY BLOCK", packets)

    def sign_detached(self, document: bytes, when: int) -> str:
        """Return the armored signature of a document."""
        return _armor("SIGNATURE", self._sign(_BINARY, document, when))

    def sign_text(self, text: str, when: int) -> str:
        """Return a text in the cleartext signature framework."""
        lines = text.removesuffix("\n").split("\n")
        # White space at the end of lines and the last line break are not signed.
        signed = "\r\n".join(line.rstrip(" \t\r") for line in lines).encode()
        escaped = "\n".join(f"- {line}" if line.startswith("-") else line for line in lines)
        signature = _armor("SIGNATURE", self._sign(_TEXT, signed, when))
        return f"-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n{escaped}\n{signature}"

    def _sign(self, kind: int, signed: bytes, when: int, further: bytes = b"") -> bytes:
        fingerprint = self.fingerprint
        hashed = (
            _subpacket(_CREATED, struct.pack(">I", when))
            + _subpacket(_ISSUER_FINGERPRINT, bytes([_VERSION]) + fingerprint)
            + further
        )
        head = struct.pack(">BBBBH", _VERSION, kind, _RSA, _SHA256, len(hashed)) + hashed
        message = signed + head + struct.pack(">BBI", _VERSION, 0xFF, len(head))
        issuer = _subpacket(_ISSUER, fingerprint[-8:])
        unhashed = struct.pack(">H", len(issuer)) + issuer
        number = _multiprecision(int.from_bytes(self.key.sign(message)))
        return _packet(_SIGNATURE, head + unhashed + sha256(message).digest()[:2] + number)


def _multiprecision(number: int) -> bytes:
    length = number.bit_length()
    return struct.pack(">H", length) + number.to_bytes((length + 7) // 8)


def _subpacket(kind: int, content: bytes) -> bytes:
    return bytes([len(content) + 1, kind]) + content


def _packet(tag: int, content: bytes) -> bytes:
    return struct.pack(">BBI", 0xC0 | tag, 0xFF, len(content)) + content


def _armor(kind: str, content: bytes) -> str:
    text = base64.b64encode(content).decode()
    lines = "\n".join(text[start : start + _LINE] for start in range(0, len(text), _LINE))
    check = base64.b64encode(_checksum(content).to_bytes(3)).decode()
    return f"-----BEGIN PGP {kind}-----\n\n{lines}\n={check}\n-----END PGP {kind}-----\n"


def _checksum(content: bytes) -> int:
    value = _CRC_START
    for byte in content:
        value ^= byte << 16
        for _ in range(8):
            value <<= 1
            if value & 0x1000000:
                value ^= _CRC_POLYNOMIAL
    return value
