"""Fast random numbers, determined by a seed."""

from collections.abc import Iterator, Sequence
from itertools import count
from struct import unpack
from typing import Final, TypeVar

from fakeplat.core.rng import random_bytes

T = TypeVar("T")
_SIZE: Final = 64
_ONE_NUMBER: Final = 1 << 32


def _numbers(seed: int, purpose: str) -> Iterator[int]:
    # Each hash yields 16 numbers, because hashing is the expensive part.
    for number in count():
        yield from unpack("<16I", random_bytes(seed, purpose, number, _SIZE))


class SeededRandom:
    """A random generator whose values depend only on the seed and the purpose."""

    __slots__ = ("_numbers",)

    def __init__(self, seed: int, purpose: str) -> None:
        self._numbers = _numbers(seed, purpose)

    def below(self, bound: int) -> int:
        """Return a number from 0 up to, but excluding, the bound."""
        number = next(self._numbers)
        if bound > _ONE_NUMBER:
            # Two numbers of 32 bits make one of 64 bits, which periods in milliseconds need.
            number = number * _ONE_NUMBER + next(self._numbers)
        return number % bound

    def pick(self, items: Sequence[T]) -> T:
        """Return one of the items."""
        return items[next(self._numbers) % len(items)]

    def some(self, items: Sequence[T], limit: int) -> tuple[T, ...]:
        """Return at most ``limit`` distinct items, possibly none."""
        picked = (self.pick(items) for _ in range(self.below(limit + 1))) if items else ()
        # Unlike a set, this drops duplicates without making the order depend on hashes.
        return tuple(dict.fromkeys(picked))

    def hits(self, percent: int) -> bool:
        """Return True with a probability of ``percent`` percent."""
        return next(self._numbers) % 100 < percent

    def moments(self, count_: int, since: int, until: int) -> list[int]:
        """Return ascending timestamps (ms) in a period."""
        return sorted(since + self.below(until - since) for _ in range(count_))
