"""What certificates and provisioning profiles say of themselves. Source: docs/platform/secure-files.md.

Certificates need an extra; without it, their metadata stays unknown, as that of other files.
"""

import plistlib
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final
from xml.parsers.expat import ExpatError

from fakeplat.core.extras import is_installed
from fakeplat.core.timestamps import to_iso

if TYPE_CHECKING:
    from cryptography.x509 import Certificate, Name

Metadata = Mapping[str, Any]
_FIELDS: Final = {
    "id": "UUID",
    "platforms": "Platform",
    "team_name": "TeamName",
    "team_id": "TeamIdentifier",
    "app_name": "AppIDName",
    "app_id": "Name",
    "app_id_prefix": "ApplicationIdentifierPrefix",
    "xcode_managed": "IsXcodeManaged",
    "entitlements": "Entitlements",
    "devices": "ProvisionedDevices",
}
"""The metadata of a provisioning profile, and the keys that have it there."""
_START: Final = b"<?xml"
_END: Final = b"</plist>"


def read(name: str, content: bytes) -> Metadata | None:
    """Return the metadata of a file by the extension of its name; None for other and for unreadable files."""
    extension = name.rpartition(".")[2]
    if extension == "mobileprovision":
        return _read_profile(content)
    if extension not in ("cer", "p12") or not is_installed("certificates"):
        return None
    certificate = _parse_certificate(content) if extension == "cer" else _parse_key_store(content)
    return None if certificate is None else _describe(certificate)


def _parse_certificate(content: bytes) -> "Certificate | None":
    from cryptography.x509 import load_der_x509_certificate, load_pem_x509_certificate

    try:
        return load_pem_x509_certificate(content) if b"-----BEGIN" in content else load_der_x509_certificate(content)
    except ValueError:
        return None


def _parse_key_store(content: bytes) -> "Certificate | None":
    """Return the certificate of a store that has no password."""
    from cryptography.hazmat.primitives.serialization.pkcs12 import load_key_and_certificates

    try:
        return load_key_and_certificates(content, None)[1]
    except ValueError:
        return None


def _describe(certificate: "Certificate") -> Metadata:
    return {
        "issuer": _describe_name(certificate.issuer),
        "subject": _describe_name(certificate.subject),
        "id": str(certificate.serial_number),
        # The platform takes the beginning of the validity for its end.
        "expires_at": _to_text(certificate.not_valid_before_utc),
    }


def _to_text(time: datetime) -> str:
    return to_iso(int(time.timestamp() * 1000))


def _describe_name(name: "Name") -> dict[str, str]:
    return {attribute.rfc4514_attribute_name: str(attribute.value) for attribute in name}


def _read_profile(content: bytes) -> Metadata | None:
    """Return the metadata of a provisioning profile: a property list in a signed message."""
    start, end = content.find(_START), content.find(_END)
    try:
        properties = plistlib.loads(content[start : end + len(_END)])
    except (ValueError, ExpatError, plistlib.InvalidFileException):
        return None
    expires_at = properties.get("ExpirationDate")
    certificates = [_parse_certificate(each) for each in properties.get("DeveloperCertificates", ()) if _can_parse()]
    return {
        **{name: properties.get(key) for name, key in _FIELDS.items()},
        "expires_at": _to_text(expires_at.replace(tzinfo=UTC)) if isinstance(expires_at, datetime) else None,
        "certificate_ids": [str(each.serial_number) for each in certificates if each is not None],
    }


def _can_parse() -> bool:
    return is_installed("certificates")
