"""Certificates and private keys in PEM: what pages domains need of them.

Only the structure is read: subject, times and public key. No signature is checked.
"""

import re
from base64 import b64decode
from binascii import Error as InvalidBase64
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from fakeplat.core.store.frozen import frozen

_BLOCK: Final = re.compile(r"-----BEGIN (?P<kind>[A-Z0-9 ]+)-----(?P<body>.+?)-----END (?P=kind)-----", re.DOTALL)
# Tags of DER.
_INTEGER: Final = 0x02
_OCTET_STRING: Final = 0x04
_UTC_TIME: Final = 0x17
_SEQUENCE: Final = 0x30
_VERSION: Final = 0xA0
_PUBLIC_KEY: Final = 0xA1
_NAMES: Final = {
    bytes([0x55, 0x04, 3]): "CN",
    bytes([0x55, 0x04, 6]): "C",
    bytes([0x55, 0x04, 7]): "L",
    bytes([0x55, 0x04, 8]): "ST",
    bytes([0x55, 0x04, 10]): "O",
    bytes([0x55, 0x04, 11]): "OU",
    bytes([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 9, 1]): "emailAddress",
}

Node = tuple[int, bytes]


@frozen
class Certificate:
    """A certificate: its subject as ``/C=DE/CN=x.test``, its times, and the public key as encoded in it."""

    subject: str
    valid_from: datetime
    valid_until: datetime
    public_key: bytes


def parse_certificate(pem: str) -> Certificate | None:
    """Return the first certificate of a text; None if there is no valid one."""
    try:
        (_, certificate), *_ = _children(_decode(pem, "CERTIFICATE"))
        (_, content), *_ = _children(certificate)
        fields = [node for node in _children(content) if node[0] != _VERSION]
        _serial, _algorithm, _issuer, validity, subject, key_info, *_ = fields
        start, end = (_read_time(node) for node in _children(validity[1]))
        return Certificate(_read_name(subject[1]), start, end, _children(key_info[1])[1][1][1:])
    except (ValueError, IndexError, InvalidBase64):
        return None


def is_private_key(pem: str) -> bool:
    """Return whether a text contains a private key."""
    return _read_key(pem) is not None


def belong_together(certificate: Certificate, pem: str) -> bool:
    """Return whether a private key is that of a certificate. A key that does not contain its public part may be."""
    key = _read_key(pem)
    if key is None:
        return False
    public = _read_rsa(certificate.public_key) or certificate.public_key
    return key in (public, b"")


def _read_key(pem: str) -> Sequence[bytes] | bytes | None:
    """Return what identifies a private key: the numbers of RSA, or the point of a curve (empty if not there)."""
    try:
        match = next((match for match in _BLOCK.finditer(pem) if match["kind"].endswith("PRIVATE KEY")), None)
        return _read_key_content(_decode(pem, match["kind"])) if match else None
    except (ValueError, IndexError, InvalidBase64):
        return None


def _read_key_content(data: bytes) -> Sequence[bytes] | bytes:
    fields = _children(_children(data)[0][1])
    # PKCS #8 wraps the key: version, algorithm, key.
    if len(fields) > 2 and fields[1][0] == _SEQUENCE and fields[2][0] == _OCTET_STRING:
        return _read_key_content(fields[2][1])
    numbers = [content for tag, content in fields if tag == _INTEGER]
    if len(numbers) > 3:
        return numbers[1:3]
    points = [_children(content)[0][1][1:] for tag, content in fields if tag == _PUBLIC_KEY]
    return points[0] if points else b""


def _read_rsa(public_key: bytes) -> Sequence[bytes] | None:
    """Return modulus and exponent of an RSA key; None for a key of another kind."""
    if not public_key or public_key[0] != _SEQUENCE:
        return None
    return [content for _, content in _children(_children(public_key)[0][1])]


def _decode(pem: str, kind: str) -> bytes:
    match = next((match for match in _BLOCK.finditer(pem) if match["kind"] == kind), None)
    if match is None:
        raise ValueError(f"there is no {kind}")
    return b64decode("".join(match["body"].split()), validate=True)


def _children(data: bytes) -> list[Node]:
    """Return the values that follow each other in DER. ValueError if the last one is cut off."""
    nodes, at = [], 0
    while at < len(data):
        tag, length, at = data[at], data[at + 1], at + 2
        # A long length: the number of its bytes stands in its place.
        if length & 0x80:
            size = length & 0x7F
            length, at = int.from_bytes(data[at : at + size], "big"), at + size
        if at + length > len(data):
            raise ValueError("a value is cut off")
        nodes.append((tag, data[at : at + length]))
        at += length
    return nodes


def _read_name(data: bytes) -> str:
    pairs = (_children(_children(part)[0][1]) for _, part in _children(data))
    parts = ((_NAMES.get(kind, kind.hex()), value.decode("utf-8", "replace")) for (_, kind), (_, value) in pairs)
    return "".join(f"/{kind}={value}" for kind, value in parts)


def _read_time(node: Node) -> datetime:
    text = node[1].decode("ascii")
    # Years of two digits are those from 1950 to 2049.
    if node[0] == _UTC_TIME:
        text = f"{'19' if text >= '50' else '20'}{text}"
    return datetime.strptime(text, "%Y%m%d%H%M%SZ").replace(tzinfo=UTC)
