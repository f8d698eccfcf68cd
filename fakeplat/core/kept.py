"""Things that are costly to make, kept until something that they read changes."""

from collections.abc import Callable, Hashable
from typing import Final, Generic, TypeVar

from fakeplat.core.reads import Reads
from fakeplat.core.state import State

V = TypeVar("V")
LIMIT: Final = 20_000


class Made(Generic[V]):
    """A thing and what it was made from."""

    __slots__ = ("reads", "state", "thing")

    def __init__(self, thing: V, reads: Reads, state: State | None) -> None:
        self.thing = thing
        self.reads = reads
        self.state = state

    def fits(self, state: State, now: Callable[[], int]) -> bool:
        """Whether it would come out the same if it were made now."""
        if self.reads.until is not None and now() >= self.reads.until:
            return False
        if self.state is state:
            return True
        if self.reads.hold(state.roots):
            self.state = state
            return True
        return False


class Kept(Generic[V]):
    """A bounded memory of made things; when it is full it forgets the older half."""

    __slots__ = ("_limit", "_made")

    def __init__(self, limit: int = LIMIT) -> None:
        self._made: dict[Hashable, Made[V]] = {}
        self._limit = limit

    def get(self, key: Hashable) -> Made[V] | None:
        """What was made under a key, fitting or not."""
        return self._made.get(key)

    def put(self, key: Hashable, made: Made[V]) -> None:
        """Keep a thing."""
        if len(self._made) >= self._limit:
            for old in list(self._made)[: self._limit // 2]:
                del self._made[old]
        self._made[key] = made

    def clear(self) -> None:
        """Forget everything."""
        self._made.clear()

    def __len__(self) -> int:
        return len(self._made)
