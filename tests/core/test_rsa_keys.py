"""RSA keys that follow from a seed. Source: RFC 8017."""

from hashlib import sha256

from fakeplat.core import rsa_keys

# The DER of the algorithm's identifier before a SHA-256 digest (RFC 8017, 9.2, note 1).
SHA256 = bytes.fromhex("3031300d060960864801650304020105000420")


def test_a_key_follows_from_the_seed() -> None:
    """It has 2048 bits; another seed gives another one."""
    key = rsa_keys.derive_key(1, "tests")

    assert (2048, 65537) == (key.modulus.bit_length(), key.exponent)
    assert key == rsa_keys.derive_key.__wrapped__(1, "tests")
    assert key.modulus != rsa_keys.derive_key(2, "tests").modulus


def test_the_public_half_verifies_a_signature() -> None:
    """It restores the digest of the message, after the padding."""
    key = rsa_keys.derive_key(1, "tests")
    signature = rsa_keys.sign(key, b"a message")

    restored = pow(int.from_bytes(signature), key.exponent, key.modulus).to_bytes(256)
    digest = SHA256 + sha256(b"a message").digest()
    assert b"\0\1" + b"\xff" * (253 - len(digest)) + b"\0" + digest == restored


def test_data_is_written_as_in_web_tokens() -> None:
    """The characters of URLs, without padding; a number has no leading zeros."""
    assert "-_8" == rsa_keys.encode_base64url(b"\xfb\xff")
    assert "AQAB" == rsa_keys.encode_number(65537)
