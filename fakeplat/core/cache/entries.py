"""A cache of values with their dependencies.

Values that depend on the viewer (`Dependencies.personal`) are cached per viewer; all others are shared.
"""

from collections.abc import Callable, Hashable
from typing import Any, Final, Generic, TypeVar

from fakeplat.core.cache.bounded import BoundedCache
from fakeplat.core.cache.dependencies import Dependencies
from fakeplat.core.store.state import State

V = TypeVar("V")
LIMIT: Final = 20_000


class CacheEntry(Generic[V]):
    """A cached value and its dependencies."""

    __slots__ = ("reads", "value")

    def __init__(self, value: V, reads: Dependencies, state: State | None) -> None:
        self.value = value
        self.reads = reads
        if state is not None:
            reads.held_at = state.number


_PER_VIEWER: Final[CacheEntry[Any]] = CacheEntry(None, Dependencies(), None)
"""Marks a key whose values are cached per viewer."""


class Cache(BoundedCache[Hashable, CacheEntry[V]]):
    """A bounded cache of entries, which may have become invalid."""

    __slots__ = ()

    def __init__(self, limit: int = LIMIT, size_of: Callable[[V], int] | None = None) -> None:
        super().__init__(limit, size_of and (lambda entry: 0 if entry is _PER_VIEWER else size_of(entry.value)))

    def find(self, key: Hashable, viewer: Hashable) -> CacheEntry[V] | None:
        """Return the entry for a viewer, or the one that all viewers share, or None."""
        # Whether a value is personal is known only after it was computed. So the shared key is looked up first, and
        # holds a marker if the value was personal.
        entry = self.get(key)
        return self.get((_PER_VIEWER, key, viewer)) if entry is _PER_VIEWER else entry

    def discard_invalid(self, state: State, now: Callable[[], int], mask: int) -> None:
        """Remove the invalid entries that read some of the tables of a mask."""
        for key, entry in list(self.items()):
            if entry.reads.mask & mask and not entry.reads.is_valid(state, now):
                self.discard(key)

    def store(self, key: Hashable, viewer: Hashable, entry: CacheEntry[V]) -> None:
        """Store an entry: for the viewer if it is personal, otherwise for all viewers."""
        if entry.reads.personal:
            self.put(key, _PER_VIEWER)
            self.put((_PER_VIEWER, key, viewer), entry)
        else:
            self.put(key, entry)
