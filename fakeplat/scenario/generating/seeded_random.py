"""Many numbers that a seed decides, cheaply."""

from collections.abc import Iterator, Sequence
from itertools import count
from struct import unpack
from typing import Final, TypeVar

from fakeplat.core.rng import random_bytes

T = TypeVar("T")
_SIZE: Final = 64
_ONE_NUMBER: Final = 1 << 32


def _numbers(seed: int, purpose: str) -> Iterator[int]:
    for number in count():
        yield from unpack("<16I", random_bytes(seed, purpose, number, _SIZE))


class SeededRandom:
    """Throws that are the same for the same seed and purpose."""

    __slots__ = ("_numbers",)

    def __init__(self, seed: int, purpose: str) -> None:
        self._numbers = _numbers(seed, purpose)

    def below(self, bound: int) -> int:
        """A number from 0 up to, but not, the bound."""
        number = next(self._numbers)
        if bound > _ONE_NUMBER:
            number = number * _ONE_NUMBER + next(self._numbers)
        return number % bound

    def pick(self, things: Sequence[T]) -> T:
        """One of some things."""
        return things[next(self._numbers) % len(things)]

    def some(self, things: Sequence[T], most: int) -> tuple[T, ...]:
        """At most that many different things, perhaps none."""
        picked = (self.pick(things) for _ in range(self.below(most + 1))) if things else ()
        return tuple(dict.fromkeys(picked))

    def hits(self, percent: int) -> bool:
        """True that often."""
        return next(self._numbers) % 100 < percent

    def moments(self, count_: int, since: int, until: int) -> list[int]:
        """Ascending moments (ms) of a span."""
        return sorted(since + self.below(until - since) for _ in range(count_))
