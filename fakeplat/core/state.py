"""One world's records at one moment, the frozen view that reads them and the draft that changes them.

A subclass of `View` lists its tables as class attributes (`TableOf`); a draft class adds nothing but the
verbs. Forking shares every root, so it costs the same whatever the world holds.
"""

from collections.abc import Hashable
from typing import Any, ClassVar, Self, TypeVar

from immutables import Map

from fakeplat.core.reads import Reads
from fakeplat.core.table import DraftTable, Record, Root, Table, TableOf

R = TypeVar("R", bound=Record)


class State:
    """An immutable moment of a world: one root per table, the counters that never go back, and what the
    world was set up with (``setup``, which no verb changes).
    """

    __slots__ = ("counters", "roots", "setup")

    def __init__(self, roots: tuple[Root, ...], counters: "Map[Hashable, int]", setup: Any) -> None:
        self.roots = roots
        self.counters = counters
        self.setup = setup


class View:
    """Reads a state. ``reads`` collects what is looked at, while somebody asks for that."""

    tables: ClassVar[tuple[TableOf[Any], ...]] = ()

    def __init_subclass__(cls) -> None:
        declared = [value for base in reversed(cls.__mro__) for value in vars(base).values()]
        cls.tables = tuple(value for value in declared if isinstance(value, TableOf))
        for position, table in enumerate(cls.tables):
            table.position = position

    def __init__(self, state: State) -> None:
        self.state = state
        self.roots: tuple[Root, ...] | list[Root] = state.roots
        self.reads: Reads | None = None

    @classmethod
    def nothing(cls, setup: Any = None) -> State:
        """The state in which every table is empty."""
        return State(tuple(table.empty() for table in cls.tables), Map(), setup)

    def face(self, table: TableOf[R]) -> Table[R]:
        """The face of one table in this world."""
        return Table(table, self)

    def count_of(self, *key: Hashable) -> int:
        """How often a counter was taken."""
        return self.state.counters.get(key, 0)

    def moment(self) -> State:
        """What is seen now, for good."""
        return self.state


class Draft(View):
    """A fork of a state that verbs change. Dropping it undoes everything."""

    roots: list[Root]

    def __init__(self, state: State) -> None:
        super().__init__(state)
        self.roots = list(state.roots)
        self.counters = state.counters

    def face(self, table: TableOf[R]) -> DraftTable[R]:
        """The writing face of one table."""
        return DraftTable(table, self)

    def put(self, position: int, root: Root) -> None:
        """Take a table's new content."""
        self.roots[position] = root

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
        return State(tuple(self.roots), self.counters, self.state.setup)

    def moment(self) -> State:
        """What is seen now, for good."""
        return self.frozen()

    def fork(self) -> Self:
        """A draft that goes on from here and can be dropped."""
        return type(self)(self.frozen())
