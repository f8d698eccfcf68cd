"""A memory that does not grow without end."""

from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Bounded(dict[K, V]):
    """When it is full it forgets the older half. Threads may share it."""

    __slots__ = ("_limit",)

    def __init__(self, limit: int) -> None:
        super().__init__()
        self._limit = limit

    def put(self, key: K, value: V) -> None:
        """Keep a thing."""
        if len(self) >= self._limit:
            for old in list(self)[: self._limit // 2]:
                self.pop(old, None)
        self[key] = value
