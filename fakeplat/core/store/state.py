"""States of a world, the views that read them, and the drafts that change them.

A subclass of `View` declares its tables as class attributes (`TableOf`). A draft shares every root with its state,
so creating one has a constant cost.
"""

from collections.abc import Hashable, Sequence
from itertools import count
from typing import Any, ClassVar, Final, Self

from fakeplat.core.cache.dependencies import Dependencies
from fakeplat.core.store.persistent_map import Map
from fakeplat.core.store.table import DraftTable, Root, Sealed, Table, TableContents, TableOf


class State:
    """An immutable state of a world: one root per table, the counters, and the ``setup``, which never changes.

    ``number`` identifies the state in the process, from 1. ``follows`` is the number of the state that it was derived
    from, and ``touched`` has a bit for each table that was changed since then.
    """

    __slots__ = ("counters", "follows", "number", "roots", "setup", "touched")

    def __init__(
        self,
        roots: Sequence[Root],
        counters: "Map[Hashable, int]",
        setup: object,
        *,
        follows: int = -1,
        touched: int = 0,
    ) -> None:
        self.roots = roots
        self.counters = counters
        self.setup: Any = setup
        self.number = next(_numbers)
        self.follows = follows
        self.touched = touched

    def tables_changed_since(self, earlier: "State") -> int:
        """Return a bit for each table that may differ from that of an earlier state."""
        return self.touched if self.follows == earlier.number else _ALL_TABLES


_ALL_TABLES: Final = -1
_numbers: Final = count(1)


class View:
    """Reads a state. ``reads`` collects the lookups while a cached value is being computed."""

    tables: ClassVar[tuple[TableOf[Any], ...]] = ()
    endpoint: ClassVar[type[Table[Any]]] = Table

    def __init_subclass__(cls) -> None:
        # Bases come first, so a subclass does not move the tables that it inherits.
        declared = [value for base in reversed(cls.__mro__) for value in vars(base).values()]
        cls.tables = tuple(value for value in declared if isinstance(value, TableOf))
        for position, table in enumerate(cls.tables):
            table.position = position

    def __init__(self, state: State) -> None:
        self.state = state
        self.contents = TableContents(state.roots)
        self.counters = state.counters

    @property
    def is_draft(self) -> bool:
        """Whether this is a draft, which may be discarded, so that nothing that it contains may be cached."""
        return False

    @property
    def roots(self) -> Sequence[Root]:
        """The content of each table."""
        return self.contents.roots

    @property
    def reads(self) -> Dependencies | None:
        """The dependencies that lookups are noted in, or None."""
        return self.contents.reads

    @reads.setter
    def reads(self, reads: Dependencies | None) -> None:
        self.contents.reads = reads

    @classmethod
    def empty_state(cls, setup: object = None) -> State:
        """Return a state in which every table is empty."""
        return State(tuple(table.empty() for table in cls.tables), Map(), setup)

    def get_counter(self, *key: Hashable) -> int:
        """Return the value of a counter."""
        return self.counters.get(key, 0)

    def current_state(self) -> State:
        """Return the current state."""
        return self.state


class Draft(View):
    """A changeable copy of a state. Dropping it discards all changes; `seal` makes it a view of them."""

    endpoint: ClassVar[type[Table[Any]]] = DraftTable

    @property
    def is_draft(self) -> bool:
        """Whether this is still a draft; a sealed one is a view."""
        return not self.contents.is_sealed

    def next(self, *key: Hashable) -> int:
        """Increment a counter (of iids, for example) and return its value, from 1."""
        if self.contents.is_sealed:
            raise Sealed
        number = self.counters.get(key, 0) + 1
        self.counters = self.counters.set(key, number)
        return number

    def raise_counter(self, number: int, *key: Hashable) -> None:
        """Raise a counter to a number that was chosen explicitly."""
        if self.contents.is_sealed:
            raise Sealed
        if number > self.counters.get(key, 0):
            self.counters = self.counters.set(key, number)

    def frozen(self) -> State:
        """Return the draft's current state."""
        # ``follows`` and ``touched`` let cached values skip their checks if they read none of the tables written here.
        base, contents = self.state, self.contents
        contents.owned = 0
        return State(contents.roots, self.counters, base.setup, follows=base.number, touched=contents.touched)

    def seal(self) -> None:
        """End the changes: from now on this is a view of the current state."""
        self.state = self.frozen()
        self.contents.touched = 0
        self.contents.is_sealed = True

    def current_state(self) -> State:
        """Return the current state."""
        return self.frozen() if self.is_draft else self.state

    def roll_back(self, state: State) -> None:
        """Go back to an earlier state of this draft, as `frozen` returned it."""
        if self.contents.is_sealed:
            raise Sealed
        self.contents.roots = state.roots
        self.contents.owned = 0
        self.counters = state.counters

    def fork(self) -> Self:
        """Return a draft of the current state."""
        return type(self)(self.current_state())
