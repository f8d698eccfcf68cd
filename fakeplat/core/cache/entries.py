"""Things that are costly to make, kept until something that they read changes."""

from collections.abc import Callable, Hashable
from typing import Final, Generic, TypeVar

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


class Cache(BoundedCache[Hashable, CacheEntry[V]]):
    """A bounded memory of made things, fitting or not."""

    __slots__ = ()

    def __init__(self, limit: int = LIMIT, size_of: Callable[[V], int] | None = None) -> None:
        super().__init__(limit, size_of and (lambda made: size_of(made.thing)))
