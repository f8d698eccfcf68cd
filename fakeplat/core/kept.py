"""Things that are costly to make, kept until something that they read changes."""

from collections.abc import Callable, Hashable
from typing import Final, Generic, TypeVar

from fakeplat.core.reads import Reads
from fakeplat.core.state import State

V = TypeVar("V")
LIMIT: Final = 20_000


class Made(Generic[V]):
    """A thing and what it was made from."""

    __slots__ = ("reads", "thing")

    def __init__(self, thing: V, reads: Reads, state: State | None) -> None:
        self.thing = thing
        self.reads = reads
        if state is not None:
            reads.held_at = state.number

    def fits(self, state: State, now: Callable[[], int]) -> bool:
        """Whether it would come out the same if it were made now."""
        until = self.reads.until
        return (until is None or now() < until) and self.reads.hold(state)


class Kept(dict[Hashable, Made[V]]):
    """A bounded memory of made things, fitting or not; when it is full it forgets the older half."""

    __slots__ = ("_limit",)

    def __init__(self, limit: int = LIMIT) -> None:
        super().__init__()
        self._limit = limit

    def put(self, key: Hashable, made: Made[V]) -> None:
        """Keep a thing."""
        if len(self) >= self._limit:
            for old in list(self)[: self._limit // 2]:
                del self[old]
        self[key] = made
