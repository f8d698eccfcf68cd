"""Random values of a world: each is a digest of the seed, a purpose and a number, so runs are reproducible."""

from functools import lru_cache
from hashlib import blake2b


def random_bytes(seed: int, purpose: str, number: int, size: int = 16) -> bytes:
    """Return ``size`` bytes (at most 64), the same for the same seed, purpose and number."""
    digest = _begin_digest(seed, purpose, size).copy()
    digest.update(str(number).encode())
    return digest.digest()


# Most values are drawn for few purposes; a copy of what they have in common takes half the time.
@lru_cache(256)
def _begin_digest(seed: int, purpose: str, size: int) -> blake2b:
    return blake2b(f"{seed}/{purpose}/".encode(), digest_size=size)


def format_uuid(digits: str) -> str:
    """Return 32 hex digits in the form of a UUID."""
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
