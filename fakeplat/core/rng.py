"""Random values of a world: each is a digest of the seed, a purpose and a number, so runs are reproducible."""

from hashlib import blake2b


def random_bytes(seed: int, purpose: str, number: int, size: int = 16) -> bytes:
    """Return ``size`` bytes (at most 64), the same for the same seed, purpose and number."""
    return blake2b(f"{seed}/{purpose}/{number}".encode(), digest_size=size).digest()
