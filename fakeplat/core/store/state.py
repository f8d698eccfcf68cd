"""One world's records at one moment, the frozen view that reads them and the draft that changes them.

A subclass of `View` lists its tables as class attributes (`TableOf`); a draft class adds nothing but the
verbs. Forking shares every root, so it costs the same whatever the world holds.
"""

from collections.abc import Hashable, Sequence
from itertools import count
from typing import Any, ClassVar, Final, Self

from immutables import Map

from fakeplat.core.cache.dependencies import Dependencies
from fakeplat.core.store.table import DraftTable, Root, Table, TableContents, TableOf


class State:
    """An immutable moment of a world: one root per table, the counters that never go back, and what the
    world was set up with (``setup``, which no verb changes).

    ``number`` is this moment's own in the process, from 1; ``follows`` is that of the moment from which it came by
    changes, ``touched`` has a bit for each table that they touched.
    """

    __slots__ = ("counters", "follows", "number", "roots", "setup", "touched")

    def __init__(
        self,
        roots: tuple[Root, ...],
        counters: "Map[Hashable, int]",
        setup: Any,
        *,
        follows: int = -1,
        touched: int = 0,
    ) -> None:
        self.roots = roots
        self.counters = counters
        self.setup = setup
        self.number = next(_numbers)
        self.follows = follows
        self.touched = touched


_numbers: Final = count(1)


class View:
    """Reads a state. ``reads`` collects what is looked at, while somebody asks for that.

    ``passing``: it may be dropped, and what it shows with it.
    """

    tables: ClassVar[tuple[TableOf[Any], ...]] = ()
    passing: ClassVar[bool] = False
    endpoint: ClassVar[type[Table[Any]]] = Table

    def __init_subclass__(cls) -> None:
        declared = [value for base in reversed(cls.__mro__) for value in vars(base).values()]
        cls.tables = tuple(value for value in declared if isinstance(value, TableOf))
        for position, table in enumerate(cls.tables):
            table.position = position

    def __init__(self, state: State) -> None:
        self.state = state
        self.contents = TableContents(state.roots)

    @property
    def roots(self) -> Sequence[Root]:
        """Each table's content."""
        return self.contents.roots

    @property
    def reads(self) -> Dependencies | None:
        """Who notes what is looked at."""
        return self.contents.reads

    @reads.setter
    def reads(self, reads: Dependencies | None) -> None:
        self.contents.reads = reads

    @classmethod
    def nothing(cls, setup: Any = None) -> State:
        """The state in which every table is empty."""
        return State(tuple(table.empty() for table in cls.tables), Map(), setup)

    def count_of(self, *key: Hashable) -> int:
        """How often a counter was taken."""
        return self.state.counters.get(key, 0)

    def moment(self) -> State:
        """What is seen now, for good."""
        return self.state


class Draft(View):
    """A fork of a state that verbs change. Dropping it undoes everything."""

    passing: ClassVar[bool] = True
    endpoint: ClassVar[type[Table[Any]]] = DraftTable

    def __init__(self, state: State) -> None:
        super().__init__(state)
        self.contents.roots = list(state.roots)
        self.counters = state.counters

    def count_of(self, *key: Hashable) -> int:
        """How often a counter was taken."""
        return self.counters.get(key, 0)

    def next(self, *key: Hashable) -> int:
        """The next number, from 1, of a counter that never gives one twice (an iid, say)."""
        number = self.counters.get(key, 0) + 1
        self.counters = self.counters.set(key, number)
        return number

    def raise_to(self, number: int, *key: Hashable) -> None:
        """Let a counter go on after a number that was chosen by hand."""
        if number > self.counters.get(key, 0):
            self.counters = self.counters.set(key, number)

    def frozen(self) -> State:
        """The state that the draft has come to."""
        before, touched = self.state, self.contents.touched
        return State(tuple(self.roots), self.counters, before.setup, follows=before.number, touched=touched)

    def moment(self) -> State:
        """What is seen now, for good."""
        return self.frozen()

    def fork(self) -> Self:
        """A draft that goes on from here and can be dropped."""
        return type(self)(self.frozen())
