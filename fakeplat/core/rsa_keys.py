"""RSA keys that follow from a seed. See RFC 8017.

A key of a library is random, but the responses of a world must be the same in every process. Such a key protects
nothing: whoever knows the seed knows the key.
"""

from functools import cache
from hashlib import sha256
from math import gcd, lcm, prod
from typing import Final

from fakeplat.core.rng import random_bytes
from fakeplat.core.store.frozen import frozen

_BITS: Final = 2048
_EXPONENT: Final = 65537
_BLOCK: Final = 64
_BASES: Final = (2, 3, 5, 7, 11, 13, 17, 19)
_SIEVE: Final = prod(n for n in range(3, 2000, 2) if all(n % divisor for divisor in range(3, int(n**0.5) + 1, 2)))
_SHA256: Final = bytes.fromhex("3031300d060960864801650304020105000420")
"""What precedes a digest of SHA-256 in a signature: the name of the algorithm in DER."""


@frozen
class RsaKey:
    """A private key: the two primes of its modulus, and the private exponent."""

    primes: tuple[int, int]
    private_exponent: int
    exponent: int = _EXPONENT

    @property
    def modulus(self) -> int:
        """The product of the primes."""
        return prod(self.primes)

    def sign(self, message: bytes) -> bytes:
        """Return the signature of a message (RSASSA-PKCS1-v1_5 with SHA-256)."""
        digest = _SHA256 + sha256(message).digest()
        padded = b"\x00\x01".ljust(_BITS // 8 - len(digest) - 1, b"\xff") + b"\x00" + digest
        return self._decrypt(int.from_bytes(padded)).to_bytes(_BITS // 8)

    def _decrypt(self, number: int) -> int:
        # With the Chinese remainder theorem, which is four times as fast as the power by the modulus.
        first, second = self.primes
        of_first, of_second = (pow(number, self.private_exponent % (prime - 1), prime) for prime in self.primes)
        return of_second + (of_first - of_second) * pow(second, -1, first) % first * second


@cache
def derive_key(seed: int, purpose: str) -> RsaKey:
    """Return the key of 2048 bits for a seed and a purpose. The first call takes about half a second."""
    first, second = (_get_prime(seed, f"{purpose} {name}") for name in ("p", "q"))
    return RsaKey((first, second), pow(_EXPONENT, -1, lcm(first - 1, second - 1)))


def _get_prime(seed: int, purpose: str) -> int:
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
