"""RSA keys that follow from a seed. Source: RFC 8017."""

from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.hashes import SHA256

from fakeplat.core import rsa_keys


def test_a_key_follows_from_the_seed() -> None:
    """It has 2048 bits; another seed gives another one."""
    numbers = rsa_keys.derive_key(1, "tests").public_key().public_numbers()

    assert (2048, 65537) == (numbers.n.bit_length(), numbers.e)
    assert numbers == rsa_keys.derive_key.__wrapped__(1, "tests").public_key().public_numbers()
    assert numbers != rsa_keys.derive_key(2, "tests").public_key().public_numbers()


def test_the_public_half_verifies_a_signature() -> None:
    """The library checks the numbers of the key, and raises for a signature of another message."""
    key = rsa_keys.derive_key(1, "tests")
    signature = key.sign(b"a message", PKCS1v15(), SHA256())

    key.public_key().verify(signature, b"a message", PKCS1v15(), SHA256())
