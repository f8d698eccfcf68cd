"""A cache that does not grow without end."""

from collections.abc import Callable
from typing import Final, TypeVar

K = TypeVar("K")
V = TypeVar("V")
BYTES: Final = 64 * 1024 * 1024


class BoundedCache(dict[K, V]):
    """A dictionary of at most ``limit`` values; when it is full it drops the older half. Threads may share it.

    With ``size_of`` it also drops values while their sizes add up to more than ``bytes_limit``.
    """

    __slots__ = ("_bytes", "_bytes_limit", "_limit", "_size_of")

    def __init__(self, limit: int, size_of: Callable[[V], int] | None = None, bytes_limit: int = BYTES) -> None:
        super().__init__()
        self._limit = limit
        self._size_of = size_of
        self._bytes_limit = bytes_limit
        self._bytes = 0

    def put(self, key: K, value: V) -> None:
        """Keep a value, unless it alone is over the limit."""
        if len(self) >= self._limit:
            self._drop_older_half()
        if self._size_of is None or self._has_room(self._size_of(value), key):
            self[key] = value

    def clear(self) -> None:
        """Drop everything."""
        super().clear()
        self._bytes = 0

    def _has_room(self, size: int, key: K) -> bool:
        """Make room for a value; False if there can be none."""
        if size > self._bytes_limit:
            return False
        self._subtract(self.pop(key, None))
        while self._bytes + size > self._bytes_limit and self:
            self._drop_older_half()
        self._bytes += size
        return True

    def _drop_older_half(self) -> None:
        for key in list(self)[: (len(self) + 1) // 2]:
            self._subtract(self.pop(key, None))

    def _subtract(self, value: V | None) -> None:
        if value is not None and self._size_of is not None:
            self._bytes -= self._size_of(value)
