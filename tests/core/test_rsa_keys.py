"""RSA keys that follow from a seed. Source: RFC 8017."""

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicNumbers
from cryptography.hazmat.primitives.hashes import SHA256

from fakeplat.core import rsa_keys


def test_a_key_follows_from_the_seed() -> None:
    """The RSA key has 2048 bits and is derived from the seed."""
    key = rsa_keys.derive_key(1, "tests")

    assert (2048, 65537) == (key.modulus.bit_length(), key.exponent)
    assert key == rsa_keys.derive_key.__wrapped__(1, "tests")
    assert key != rsa_keys.derive_key(2, "tests")


def test_a_library_verifies_the_signatures() -> None:
    """A signature is verified with the public key for its message and no other one."""
    key = rsa_keys.derive_key(1, "tests")
    signature = key.sign(b"a message")
    public_key = RSAPublicNumbers(key.exponent, key.modulus).public_key()

    public_key.verify(signature, b"a message", PKCS1v15(), SHA256())
    with pytest.raises(InvalidSignature):
        public_key.verify(signature, b"another message", PKCS1v15(), SHA256())
