"""RSA keys that follow from a seed. See RFC 8017.

A key of a library is random, but the responses of a world must be the same in every process. Such a key protects
nothing: whoever knows the seed knows the key. So it has eight primes instead of two, with which a signature takes a
tenth of the time. Nobody sees that in the public key.
"""

from functools import cache
from hashlib import sha256
from itertools import count
from math import gcd, prod
from typing import Final

from propcache.api import cached_property

from fakeplat.core.rng import random_bytes
from fakeplat.core.store.frozen import frozen

_BITS: Final = 2048
_EXPONENT: Final = 65537
_PRIMES: Final = 8
_BASES: Final = (2, 3, 5, 7, 11, 13, 17, 19)
_SIEVE: Final = prod(n for n in range(3, 2000, 2) if all(n % divisor for divisor in range(3, int(n**0.5) + 1, 2)))
_SHA256: Final = bytes.fromhex("3031300d060960864801650304020105000420")
"""What precedes a digest of SHA-256 in a signature: the name of the algorithm in DER."""


# cached_property stores its value in the ``__dict__``, which a class with slots does not have.
@frozen(slots=False)
class RsaKey:
    """A private key: the primes of its modulus, and the exponent of the public key."""

    primes: tuple[int, ...]
    exponent: int = _EXPONENT

    @cached_property
    def modulus(self) -> int:
        """The product of the primes."""
        return prod(self.primes)

    @cached_property
    def _factors(self) -> list[tuple[int, int, int]]:
        """Each prime, the exponent of a power modulo it, and the factor of that power in the sum of all."""
        others = [(prime, self.modulus // prime) for prime in self.primes]
        return [(prime, pow(self.exponent, -1, prime - 1), pow(other, -1, prime) * other) for prime, other in others]

    def sign(self, message: bytes) -> bytes:
        """Return the signature of a message (RSASSA-PKCS1-v1_5 with SHA-256)."""
        digest = _SHA256 + sha256(message).digest()
        padded = b"\x00\x01".ljust(_BITS // 8 - len(digest) - 1, b"\xff") + b"\x00" + digest
        return self._decrypt(int.from_bytes(padded)).to_bytes(_BITS // 8)

    def _decrypt(self, number: int) -> int:
        # With the Chinese remainder theorem: the powers by small primes are cheap.
        terms = (pow(number, exponent, prime) * factor for prime, exponent, factor in self._factors)
        return sum(terms) % self.modulus


@cache
def derive_key(seed: int, purpose: str) -> RsaKey:
    """Return the key of 2048 bits for a seed and a purpose."""
    return RsaKey(tuple(_get_prime(seed, f"{purpose} {number}") for number in range(_PRIMES)))


def _get_prime(seed: int, purpose: str) -> int:
    size = _BITS // _PRIMES
    # The four highest bits are set, so that the product of eight primes has its full length.
    first = int.from_bytes(random_bytes(seed, purpose, 0, size // 8)) | 15 << size - 4 | 1
    return next(candidate for candidate in count(first, 2) if _is_prime(candidate))


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
