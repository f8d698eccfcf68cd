"""Signatures made with SSH keys, as ``ssh-keygen -Y sign`` and git write them.

The library is an extra, and imported late: most worlds have no such signatures.
"""

import hashlib
from base64 import b64decode, b64encode
from typing import TYPE_CHECKING, Final

from fakeplat.core.extras import require_extra
from fakeplat.core.ssh_keys import read_parts
from fakeplat.core.store.frozen import frozen

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePublicKey

BEGIN: Final = b"-----BEGIN SSH SIGNATURE-----"
_END: Final = b"-----END SSH SIGNATURE-----"
_EXTRA: Final = "certificates"
_MAGIC: Final = b"SSHSIG"
_VERSION: Final = 1
_VERSION_LENGTH: Final = 4
_DIGESTS: Final = {b"sha256": hashlib.sha256, b"sha512": hashlib.sha512}


@frozen
class SshSignature:
    """A signature: the public key that made it, its purpose, the digest of the data, and the signature itself."""

    public_key: bytes
    namespace: bytes
    reserved: bytes
    digest: bytes
    algorithm: bytes
    value: bytes

    @property
    def fingerprint_sha256(self) -> str:
        """The SHA-256 fingerprint of the public key in base64, without padding and prefix."""
        return b64encode(hashlib.sha256(self.public_key).digest()).decode().rstrip("=")


def parse_signature(armor: bytes) -> SshSignature | None:
    """Return the signature in an armor, or None if there is no valid one."""
    text = armor.strip()
    if not (text.startswith(BEGIN) and text.endswith(_END)):
        return None
    try:
        blob = b64decode(b"".join(text.removeprefix(BEGIN).removesuffix(_END).split()), validate=True)
        start = len(_MAGIC) + _VERSION_LENGTH
        public_key, namespace, reserved, digest, signature = read_parts(blob[start:])
        algorithm, value = read_parts(signature)
    except ValueError:
        return None
    if blob[:start] != _MAGIC + _VERSION.to_bytes(_VERSION_LENGTH) or digest not in _DIGESTS:
        return None
    return SshSignature(public_key, namespace, reserved, digest, algorithm, value)


def is_valid_signature(signature: SshSignature, data: bytes) -> bool:
    """Return whether the key of a signature signed some data."""
    require_extra(_EXTRA)
    from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePublicKey
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
    from cryptography.hazmat.primitives.hashes import SHA256, SHA512
    from cryptography.hazmat.primitives.serialization import load_ssh_public_key

    signed = _signed_content(signature, data)
    try:
        (algorithm, *_) = read_parts(signature.public_key)
        key = load_ssh_public_key(algorithm + b" " + b64encode(signature.public_key))
        if isinstance(key, Ed25519PublicKey):
            key.verify(signature.value, signed)
        elif isinstance(key, RSAPublicKey):
            hashes = {b"rsa-sha2-256": SHA256(), b"rsa-sha2-512": SHA512()}
            key.verify(signature.value, signed, PKCS1v15(), hashes[signature.algorithm])
        elif isinstance(key, EllipticCurvePublicKey):
            _verify_ecdsa(key, signature.value, signed)
        else:
            return False
    except (InvalidSignature, UnsupportedAlgorithm, KeyError, ValueError):
        return False
    return True


def _signed_content(signature: SshSignature, data: bytes) -> bytes:
    digest = _DIGESTS[signature.digest](data).digest()
    parts = (signature.namespace, signature.reserved, signature.digest, digest)
    return _MAGIC + b"".join(len(part).to_bytes(4) + part for part in parts)


def _verify_ecdsa(key: "EllipticCurvePublicKey", value: bytes, signed: bytes) -> None:
    from cryptography.hazmat.primitives.asymmetric.ec import ECDSA
    from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
    from cryptography.hazmat.primitives.hashes import SHA256, SHA384, SHA512

    first, second = (int.from_bytes(part) for part in read_parts(value))
    # RFC 5656 chooses the digest by the size of the curve.
    digest = {256: SHA256, 384: SHA384}.get(key.curve.key_size, SHA512)
    key.verify(encode_dss_signature(first, second), signed, ECDSA(digest()))
