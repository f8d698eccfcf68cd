"""RSA keys that follow from a seed. See RFC 8017.

A key of a library is random, but the responses of a world must be the same in every process. Such a key protects
nothing: whoever knows the seed knows the key.
"""

from functools import cache
from math import gcd, lcm, prod
from typing import TYPE_CHECKING, Final

from fakeplat.core.rng import random_bytes

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

_BITS: Final = 2048
_EXPONENT: Final = 65537
_BLOCK: Final = 64
_BASES: Final = (2, 3, 5, 7, 11, 13, 17, 19)
_SIEVE: Final = prod(n for n in range(3, 2000, 2) if all(n % divisor for divisor in range(3, int(n**0.5) + 1, 2)))


@cache
def derive_key(seed: int, purpose: str) -> "RSAPrivateKey":
    """Return the key of 2048 bits for a seed and a purpose. The first call takes about half a second."""
    from cryptography.hazmat.primitives.asymmetric import rsa

    first, second = (_get_prime(seed, f"{purpose} {name}") for name in ("p", "q"))
    exponent = pow(_EXPONENT, -1, lcm(first - 1, second - 1))
    return rsa.RSAPrivateNumbers(
        first,
        second,
        exponent,
        rsa.rsa_crt_dmp1(exponent, first),
        rsa.rsa_crt_dmq1(exponent, second),
        rsa.rsa_crt_iqmp(first, second),
        rsa.RSAPublicNumbers(_EXPONENT, first * second),
    ).private_key()


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
