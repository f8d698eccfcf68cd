"""OpenPGP keys and signatures of the platform. Source: RFC 4880."""

import pytest

from fakeplat.core.openpgp import is_valid_signature, parse_public_key
from fakeplat.core.openpgp_signing import SigningKey
from fakeplat.core.rsa_keys import derive_key

WHEN = 1_600_000_000


@pytest.fixture(scope="module")
def key() -> SigningKey:
    return SigningKey(derive_key(1, "test"), "Acme (signs) <noreply@acme.example>", WHEN - 1)


def test_a_public_key_is_read_by_a_library(key: SigningKey) -> None:
    """The armored key has the fingerprint and the user id."""
    parsed = parse_public_key(key.public_key())
    assert parsed is not None
    assert key.fingerprint.hex().upper() == parsed.fingerprint
    assert [("Acme (signs)", "noreply@acme.example")] == [(user_id.name, user_id.email) for user_id in parsed.user_ids]


@pytest.mark.parametrize("document", [b"", b"a text\n", bytes(range(256)) * 100])
def test_a_detached_signature_is_valid(key: SigningKey, document: bytes) -> None:
    """A library takes the signature of a document for valid, and not for that of another one."""
    signature = key.sign_detached(document, WHEN).encode()
    assert is_valid_signature(signature, document, key.public_key())
    assert not is_valid_signature(signature, document + b"x", key.public_key())


def test_a_text_is_escaped_in_its_signed_form(key: SigningKey) -> None:
    """Lines that begin with a dash are escaped, and the signature is that of the text with line breaks of networks."""
    signed = key.sign_text("one  \n-two\n", WHEN)
    assert signed.startswith("-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\none  \n- -two\n-----BEGIN PGP SIGN")
    signature = signed[signed.index("-----BEGIN PGP SIGNATURE") :].encode()
    assert is_valid_signature(signature, b"one\r\n-two", key.public_key())


def test_the_same_key_and_time_give_the_same_signature(key: SigningKey) -> None:
    """Signatures do not depend on anything else."""
    assert key.sign_detached(b"x", WHEN) == key.sign_detached(b"x", WHEN)
    assert key.sign_detached(b"x", WHEN) != key.sign_detached(b"x", WHEN + 1)
