"""A cache with a limited size."""

from collections.abc import Callable
from typing import Final, TypeVar

K = TypeVar("K")
V = TypeVar("V")
BYTES: Final = 64 * 1024 * 1024


class BoundedCache(dict[K, V]):
    """A dictionary of at most ``limit`` values, which evicts the older half when it is full. Threads may share it.

    With ``size_of`` it also evicts values while the sum of their sizes exceeds ``bytes_limit``.
    """

    # Evicting half at once needs no bookkeeping on reads, as an LRU cache would, and its cost is spread over many puts.

    __slots__ = ("_bytes", "_bytes_limit", "_limit", "_size_of")

    def __init__(self, limit: int, size_of: Callable[[V], int] | None = None, bytes_limit: int = BYTES) -> None:
        super().__init__()
        self._limit = limit
        self._size_of = size_of
        self._bytes_limit = bytes_limit
        self._bytes = 0

    def put(self, key: K, value: V) -> None:
        """Store a value, unless its own size exceeds the limit."""
        if len(self) >= self._limit:
            self._evict_older_half()
        if self._size_of is None or self._reserve(self._size_of(value), key):
            self[key] = value

    def discard(self, key: K) -> None:
        """Remove a value, if it is there."""
        self._release(self.pop(key, None))

    def clear(self) -> None:
        """Remove all values."""
        super().clear()
        self._bytes = 0

    def _reserve(self, size: int, key: K) -> bool:
        """Make room for a value; return False if it is larger than the limit."""
        if size > self._bytes_limit:
            return False
        # A value that is replaced frees its bytes before room is made for the new one.
        self._release(self.pop(key, None))
        while self._bytes + size > self._bytes_limit and self:
            self._evict_older_half()
        self._bytes += size
        return True

    def _evict_older_half(self) -> None:
        # Another thread may evict the same keys at the same time, hence the copy and the default.
        for key in list(self)[: (len(self) + 1) // 2]:
            self._release(self.pop(key, None))

    def _release(self, value: V | None) -> None:
        if value is not None and self._size_of is not None:
            self._bytes -= self._size_of(value)
