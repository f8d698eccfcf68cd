"""RSA keys that follow from a seed, and signatures with them. See RFC 8017.

A key of a library is random, but the responses of a world must be the same in every process. Such a key protects
nothing: whoever knows the seed knows the key.
"""

from base64 import urlsafe_b64encode
from functools import cache
from hashlib import sha256
from math import gcd, lcm, prod
from typing import Final

from fakeplat.core.rng import random_bytes
from fakeplat.core.store.frozen import frozen

_BITS: Final = 2048
_EXPONENT: Final = 65537
_BLOCK: Final = 64
# What precedes a SHA-256 digest in a signature: its algorithm, in DER.
_SHA256: Final = bytes.fromhex("3031300d060960864801650304020105000420")
_BASES: Final = (2, 3, 5, 7, 11, 13, 17, 19)
_SIEVE: Final = prod(n for n in range(3, 2000, 2) if all(n % divisor for divisor in range(3, int(n**0.5) + 1, 2)))


@frozen
class RsaKey:
    """A private key; ``modulus`` and ``exponent`` are its public half."""

    modulus: int
    exponent: int
    private_exponent: int


@cache
def derive_key(seed: int, purpose: str) -> RsaKey:
    """Return the key of 2048 bits for a seed and a purpose. The first call takes about half a second."""
    first, second = (_find_prime(seed, f"{purpose} {name}") for name in ("p", "q"))
    private_exponent = pow(_EXPONENT, -1, lcm(first - 1, second - 1))
    return RsaKey(first * second, _EXPONENT, private_exponent)


def _find_prime(seed: int, purpose: str) -> int:
    size = _BITS // 2
    drawn = b"".join(random_bytes(seed, purpose, number, _BLOCK) for number in range(size // 8 // _BLOCK))
    # The two highest bits are set, so that the product of two primes has its full length.
    candidate = int.from_bytes(drawn) | 3 << size - 2 | 1
    while not _is_prime(candidate):
        candidate += 2
    return candidate


def _is_prime(number: int) -> bool:
    """Return whether a large odd number is probably prime (Miller and Rabin), and fits the exponent."""
    # A common divisor with the product of all small primes is cheaper to find than the test is to run.
    if gcd(_SIEVE, number) != 1 or number % _EXPONENT == 1:
        return False
    odd = number - 1
    twos = (odd & -odd).bit_length() - 1
    return all(_passes(number, base, odd >> twos, twos) for base in _BASES)


def _passes(number: int, base: int, odd: int, twos: int) -> bool:
    value = pow(base, odd, number)
    if value in (1, number - 1):
        return True
    return any((value := value * value % number) == number - 1 for _ in range(twos - 1))


def sign(key: RsaKey, message: bytes) -> bytes:
    """Return the signature of a message: RSASSA-PKCS1-v1_5 with SHA-256."""
    size = (key.modulus.bit_length() + 7) // 8
    digest = _SHA256 + sha256(message).digest()
    padded = b"\0\1" + b"\xff" * (size - len(digest) - 3) + b"\0" + digest
    return pow(int.from_bytes(padded), key.private_exponent, key.modulus).to_bytes(size)


def encode_base64url(data: bytes) -> str:
    """Return data in the form of JSON web tokens: base64 for URLs, without padding."""
    return urlsafe_b64encode(data).decode().rstrip("=")


def encode_number(number: int) -> str:
    """Return a number in the form of JSON web keys."""
    return encode_base64url(number.to_bytes((number.bit_length() + 7) // 8))
