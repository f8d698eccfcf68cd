"""Certificates and private keys in PEM: what pages domains need of them. No chain of trust is checked.

The library is an extra, and imported late: most worlds have no certificates.
"""

from datetime import datetime
from typing import TYPE_CHECKING, Final

from fakeplat.core.extras import require_extra
from fakeplat.core.store.frozen import frozen

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.types import PublicKeyTypes
    from cryptography.x509 import Name

_BEGIN: Final = "-----BEGIN"
_EXTRA: Final = "certificates"
_EMAIL: Final = "1.2.840.113549.1.9.1"


@frozen
class Certificate:
    """A certificate: its subject as ``/C=DE/CN=x.test``, its times, and its public key in DER."""

    subject: str
    valid_from: datetime
    valid_until: datetime
    public_key: bytes


def parse_certificate(pem: str) -> Certificate | None:
    """Return the first certificate of a text; None if there is no valid one."""
    if _BEGIN not in pem:
        return None
    require_extra(_EXTRA)
    from cryptography.x509 import load_pem_x509_certificate

    try:
        found = load_pem_x509_certificate(pem.encode())
        times = found.not_valid_before_utc, found.not_valid_after_utc
        return Certificate(_describe_name(found.subject), *times, _to_der(found.public_key()))
    except ValueError:
        return None


def is_private_key(pem: str) -> bool:
    """Return whether a text contains a private key."""
    return _read_public_half(pem) is not None


def belong_together(certificate: Certificate, pem: str) -> bool:
    """Return whether a private key is that of a certificate."""
    return _read_public_half(pem) == certificate.public_key


def _read_public_half(pem: str) -> bytes | None:
    """Return the public key that belongs to a private key; None if there is no valid one."""
    if _BEGIN not in pem:
        return None
    require_extra(_EXTRA)
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        return _to_der(load_pem_private_key(pem.encode(), password=None).public_key())
    # An encrypted key without a password is a TypeError.
    except (ValueError, TypeError, UnsupportedAlgorithm):
        return None


def _to_der(key: "PublicKeyTypes") -> bytes:
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    return key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)


def _describe_name(name: "Name") -> str:
    parts = (
        ("emailAddress" if part.oid.dotted_string == _EMAIL else part.rfc4514_attribute_name, part.value)
        for part in name
    )
    return "".join(f"/{kind}={value!s}" for kind, value in parts)
