"""Things that are costly to make, kept until something that they read changes.

What depends on who looks (`Dependencies.personal`) is kept for each viewer by itself; anything else is shared by all.
"""

from collections.abc import Callable, Hashable
from typing import Any, Final, Generic, TypeVar

from fakeplat.core.cache.bounded import BoundedCache
from fakeplat.core.cache.dependencies import Dependencies
from fakeplat.core.store.state import State

V = TypeVar("V")
LIMIT: Final = 20_000


class CacheEntry(Generic[V]):
    """A thing and what it was made from."""

    __slots__ = ("reads", "thing")

    def __init__(self, thing: V, reads: Dependencies, state: State | None) -> None:
        self.thing = thing
        self.reads = reads
        if state is not None:
            reads.held_at = state.number

    def is_valid(self, state: State, now: Callable[[], int]) -> bool:
        """Whether it would come out the same if it were made now."""
        until = self.reads.until
        return (until is None or now() < until) and self.reads.hold(state)


_PER_VIEWER: Final[CacheEntry[Any]] = CacheEntry(None, Dependencies(), None)
"""Stands in the place of what is kept for each viewer."""


class Cache(BoundedCache[Hashable, CacheEntry[V]]):
    """A bounded memory of made things, fitting or not."""

    __slots__ = ()

    def __init__(self, limit: int = LIMIT, size_of: Callable[[V], int] | None = None) -> None:
        super().__init__(limit, size_of and (lambda made: 0 if made is _PER_VIEWER else size_of(made.thing)))

    def find(self, key: Hashable, viewer: Hashable) -> CacheEntry[V] | None:
        """Return what was kept for a viewer, or for everybody, or None."""
        made = self.get(key)
        return self.get((_PER_VIEWER, key, viewer)) if made is _PER_VIEWER else made

    def keep(self, key: Hashable, viewer: Hashable, made: CacheEntry[V]) -> None:
        """Keep a thing: for the viewer if it depends on who looks, or else for everybody."""
        if made.reads.personal:
            self.put(key, _PER_VIEWER)
            self.put((_PER_VIEWER, key, viewer), made)
        else:
            self.put(key, made)
