"""Public SSH keys. Types, sizes and fingerprints are those that ssh-keygen prints for the keys."""

import pytest

from fakeplat.core.ssh_keys import PublicKey, normalize_public_key, parse_public_key
from tests.ssh_keys import DSA, ECDSA, ED25519, RSA


def parse_key(text: str) -> PublicKey:
    key = parse_public_key(text)
    assert key is not None
    return key


@pytest.mark.parametrize(
    ("text", "kind", "bits", "md5", "sha256"),
    [
        (
            RSA,
            "rsa",
            1024,
            "b7:50:a0:c4:a4:7f:8a:5e:0a:b8:94:7a:79:1c:21:74",
            "dIJ5uTDh1fEnsYUddaBoyD2lwa0HlJoz39+WUKtAvZ0",
        ),
        (
            DSA,
            "dsa",
            1024,
            "1b:7a:00:50:39:c2:44:69:15:88:b2:a3:80:de:d1:39",
            "N3PpcJ6tfpB3r9O+OSCYR7RHbbHp/0tgtOv1Nf1vNBU",
        ),
        (
            ECDSA,
            "ecdsa",
            521,
            "79:55:43:a7:b1:c5:66:44:5b:64:d4:5e:36:14:54:82",
            "bQ3uEFJTPckJ1JzsLkBNHPGl8tVBQoS/1mH/+N3PScA",
        ),
        (
            ED25519,
            "ed25519",
            256,
            "1c:84:45:bf:ed:fd:e2:a8:56:2f:09:93:ee:f3:1e:29",
            "o9KMiV1utrFhxXRHdDREnFRTRsokRrKuDrkQZzbpMs8",
        ),
    ],
    ids=["rsa", "dsa", "ecdsa", "ed25519"],
)
def test_a_key_has_a_type_a_size_and_fingerprints(text: str, kind: str, bits: int, md5: str, sha256: str) -> None:
    """Type, size and fingerprints of a key are those that ssh-keygen shows."""
    key = parse_key(text)
    assert (kind, bits, md5, sha256) == (key.type, key.bits, key.fingerprint, key.fingerprint_sha256)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ssh-rsa",
        "ssh-rsa x",
        "ssh-rsa AAAA",
        ED25519.replace("ssh-ed25519", "ssh-rsa"),
        ED25519.partition(" ")[2],
        RSA[:200],
        "ssh-ed25519 é",
        f"ssh-foo {RSA.split()[1]}",
    ],
    ids=range(9),
)
def test_invalid_keys(text: str) -> None:
    """Text without a key, an incomplete key, and a key of another algorithm than its first word are invalid."""
    assert parse_public_key(text) is None


def test_line_breaks_in_a_key_are_removed() -> None:
    """Normalizing a key removes line breaks and keeps one word of the comment."""
    algorithm, encoded, comment = RSA.split()
    broken = f"  {algorithm} {encoded[:50]}\n{encoded[50:90]} {encoded[90:]}\n {comment} and more"

    assert RSA == normalize_public_key(broken)
    assert "no key" == normalize_public_key("no key")
    assert "" == normalize_public_key("")
