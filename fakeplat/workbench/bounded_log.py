"""A log that drops its oldest items when it has too many, or when they are too large."""

from collections import deque
from collections.abc import Callable, Iterator
from itertools import takewhile
from typing import Final, Generic, TypeVar, overload

T = TypeVar("T")

MAX_ITEMS: Final = 10_000
MEGABYTE: Final = 1024 * 1024
MAX_SIZE: Final = 64 * MEGABYTE


class BoundedLog(Generic[T]):
    """Items, oldest first. ``size_of`` estimates the bytes of an item, ``dropped`` counts what was dropped."""

    def __init__(self, size_of: Callable[[T], int]) -> None:
        self.dropped = 0
        self._size_of = size_of
        self._items: deque[T] = deque()
        self._size = 0

    def add(self, item: T, max_size: int = MAX_SIZE, size: int | None = None) -> None:
        """Add an item, whose size may be known, and drop the oldest ones that are over the limits."""
        self._items.append(item)
        self._size += self._size_of(item) if size is None else size
        if self._size > max_size or len(self._items) > MAX_ITEMS:
            self._drop_oldest(max_size)

    def grow(self, by: int, max_size: int = MAX_SIZE) -> None:
        """Account for an item that has become larger."""
        self._size += by
        self._drop_oldest(max_size)

    def _drop_oldest(self, max_size: int) -> None:
        while self._items and (self._size > max_size or len(self._items) > MAX_ITEMS):
            self._size -= self._size_of(self._items.popleft())
            self.dropped += 1

    def clear(self) -> None:
        """Remove all items."""
        self._items.clear()
        self._size = self.dropped = 0

    def __eq__(self, other: object) -> bool:
        # So that `== []` says whether there is anything.
        return [*self] == other if isinstance(other, list) else self is other

    __hash__ = object.__hash__

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[T]:
        # A copy, since the server's thread may add items during the iteration.
        return iter(self._items.copy())

    def newest(self, is_new: Callable[[T], bool]) -> list[T]:
        """Return the last items that are new, oldest first. Without any, this costs the same in a log of any size."""
        last = next(reversed(self._items), None)
        if last is None or not is_new(last):
            return []
        return [*takewhile(is_new, reversed(self._items.copy()))][::-1]

    @overload
    def __getitem__(self, index: int) -> T: ...

    @overload
    def __getitem__(self, index: slice) -> list[T]: ...

    def __getitem__(self, index: int | slice) -> T | list[T]:
        return self._items[index] if isinstance(index, int) else [*self][index]
