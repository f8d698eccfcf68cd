"""Random values of a world: each is a digest of the seed, a purpose and a number, so runs are reproducible."""

from hashlib import blake2b


def random_bytes(seed: int, purpose: str, number: int, size: int = 16) -> bytes:
    """Return ``size`` bytes (at most 64), the same for the same seed, purpose and number."""
    return blake2b(f"{seed}/{purpose}/{number}".encode(), digest_size=size).digest()


def format_uuid(digits: str) -> str:
    """Return 32 hex digits in the form of a UUID."""
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
