"""OpenPGP keys and signatures: the armor of public keys, and whether a signature of some data is valid.

The library is an extra, and imported late: most worlds have no such keys.
"""

import re
from typing import Final

from fakeplat.core.extras import require_extra
from fakeplat.core.store.frozen import frozen

KEY_PREFIX: Final = "-----BEGIN PGP PUBLIC KEY BLOCK-----"
KEY_SUFFIX: Final = "-----END PGP PUBLIC KEY BLOCK-----"
_EXTRA: Final = "signatures"
_KEYID_LENGTH: Final = 16
_USER_ID: Final = re.compile(r"(?P<name>.*?)\s*<(?P<email>[^<>]+)>\s*", re.DOTALL)


@frozen
class UserId:
    """A user id of a key: a name and an e-mail address, which is in lower case."""

    name: str
    email: str


@frozen
class PgpKey:
    """A public key. Fingerprints are in upper case; ``subkeys`` are the fingerprints of its subkeys."""

    fingerprint: str
    subkeys: tuple[str, ...]
    user_ids: tuple[UserId, ...]


def keyid_of(fingerprint: str) -> str:
    """Return the id of a key with a fingerprint: its last 16 digits."""
    return fingerprint[-_KEYID_LENGTH:]


def parse_public_key(armor: str) -> PgpKey | None:
    """Return the key in an armor, or None if there is no valid one."""
    require_extra(_EXTRA)
    from pysequoia import Cert
    from pysequoia.packet import PacketPile, Tag

    try:
        cert = Cert.from_bytes(armor.encode())
        packets = list(PacketPile.from_bytes(armor.encode()))
    # What the library raises for texts that it cannot parse.
    except RuntimeError:
        return None
    subkeys = tuple(str(packet.fingerprint).upper() for packet in packets if packet.tag == Tag.PublicSubkey)
    return PgpKey(cert.fingerprint.upper(), subkeys, tuple(_parse_user_id(str(one)) for one in cert.user_ids))


def _parse_user_id(text: str) -> UserId:
    match = _USER_ID.fullmatch(text)
    return UserId(match["name"], match["email"].lower()) if match else UserId(text, "")


def read_issuer(signature: bytes) -> str | None:
    """Return the id of the key that made an armored signature, or None if it cannot be read."""
    require_extra(_EXTRA)
    from pysequoia import Sig

    try:
        sig = Sig.from_bytes(signature)
    except RuntimeError:
        return None
    issuer = sig.issuer_fingerprint or sig.issuer_key_id
    return keyid_of(issuer.upper()) if issuer else None


def is_valid_signature(signature: bytes, data: bytes, armor: str) -> bool:
    """Return whether a key, or one of its subkeys, made a detached signature of some data."""
    require_extra(_EXTRA)
    from pysequoia import Cert, Sig, verify

    cert = Cert.from_bytes(armor.encode())
    try:
        verify(bytes=data, store=lambda _ids: [cert], signature=Sig.from_bytes(signature))
    except RuntimeError:
        return False
    return True
