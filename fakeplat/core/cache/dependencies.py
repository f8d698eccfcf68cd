"""Dependencies of cached values: which records and index entries a computation read.

Records, index entries and roots are immutable. A cached value is therefore valid as long as every lookup gives the
same object as before. Writes do not have to know about caches.
"""

from collections.abc import Callable, Hashable
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from fakeplat.core.store.bitsets import iterate_bits

if TYPE_CHECKING:
    from fakeplat.core.store.state import State
    from fakeplat.core.store.table import Root

ROWS: Final = -2
ALL: Final = -1
"""Slots of lookups that use no index: a record by id, and the ids of all records."""

Lookup = tuple[int, Hashable, object]
"""A lookup: the slot of a table, the key, and the object found (None if there was none)."""

MAX_LOOKUPS: Final = 512
_EVERY_TABLE: Final = -1
"""The mask of all tables."""


class TableReads:
    """The lookups in one table, and the root in which they were last valid.

    After more than ``MAX_LOOKUPS`` lookups the dependency is on the whole table (``places`` is None). Otherwise
    checking a search over many records would cost as much as the search.
    """

    __slots__ = ("lookups", "root")

    def __init__(self, root: "Root", *, is_whole: bool) -> None:
        self.root = root
        self.lookups: list[Lookup] | None = None if is_whole else []

    def is_valid_in(self, root: "Root") -> bool:
        """Return whether every lookup finds the same object in a root of the table."""
        if self.root is root:
            return True
        if self.lookups is None:
            return False
        # Compare by identity: equality of large index entries would be slow, and an equal copy is rare.
        for slot, key, read in self.lookups:
            map_ = root.index_map(slot) if slot >= 0 else root.rows if slot == ROWS else None
            if (root.ids if map_ is None else map_.get(key)) is not read:
                return False
        # The next check in the same root needs no lookups.
        self.root = root
        return True


class Dependencies:
    """The lookups of a computation by table; ``parts`` are the dependencies of other cached values that it used.

    Several computations may share a part, which is checked once for each state. ``coarse``: note whole tables instead
    of lookups. ``personal``: the result depends on the viewer; ``viewer``: the one whose record was noted.
    ``until``: the world's time (ms) from which the result is no longer valid. ``record``: what was rendered, if any.
    ``held_at``: the number of the state in which the dependencies were last valid. ``mask`` has a bit for each table,
    including those of the parts, which ``parts_mask`` has.
    """

    __slots__ = ("coarse", "held_at", "mask", "parts", "parts_mask", "personal", "record", "tables", "until", "viewer")

    def __init__(self, record: object = None, *, coarse: bool = False) -> None:
        self.record = record
        self.coarse = coarse
        self.tables: dict[int, TableReads] = {}
        self.parts: list[Dependencies] = []
        self.personal = False
        self.viewer: object = None
        self.until: int | None = None
        # States are numbered from 1, and -1 stands for no predecessor, so 0 matches neither before the first check.
        self.held_at = 0
        self.mask = self.parts_mask = 0

    def note(self, table: int, root: "Root", *lookups: Lookup) -> None:
        """Note some lookups in a table."""
        # Every lookup of a computation passes here, hence no method per step.
        table_reads = self.tables.get(table)
        if table_reads is None:
            table_reads = self._add_table(table, root)
        if table_reads.lookups is not None:
            table_reads.lookups += lookups
            if len(table_reads.lookups) > MAX_LOOKUPS:
                table_reads.lookups = None

    def note_whole(self, table: int, root: "Root") -> None:
        """Note that the result depends on a whole table."""
        (self.tables.get(table) or self._add_table(table, root)).lookups = None

    def _add_table(self, table: int, root: "Root") -> TableReads:
        table_reads = self.tables[table] = TableReads(root, is_whole=self.coarse)
        self.mask |= 1 << table
        return table_reads

    def note_until(self, timestamp: int) -> None:
        """Note that the result is valid only before a timestamp (ms)."""
        if self.until is None or timestamp < self.until:
            self.until = timestamp

    def add(self, *parts: "Dependencies") -> None:
        """Add the dependencies of other cached values, which are valid now."""
        self.parts += parts
        for part in parts:
            self.parts_mask |= part.mask
            if part.personal:
                self.personal = True
            if part.until is not None:
                self.note_until(part.until)
        self.mask |= self.parts_mask

    def nested(self) -> "Dependencies":
        """Return new dependencies that have these as a part."""
        outer = Dependencies()
        outer.add(self)
        return outer

    def is_valid(self, state: "State", now: Callable[[], int]) -> bool:
        """Return whether the computation would give the same result in a state, at a time."""
        return (self.until is None or now() < self.until) and (self.held_at == state.number or self.is_valid_in(state))

    def is_valid_in(self, state: "State") -> bool:
        """Return whether every lookup finds the same in a state."""
        # Usually the state is the direct successor of the last one checked, and only what its write touched can differ.
        touched = state.touched if self.held_at == state.follows else _EVERY_TABLE
        if self.mask & touched:
            tables, roots = self.tables, state.roots
            for table in tables if touched == _EVERY_TABLE else _list_positions(touched):
                if table in tables and not tables[table].is_valid_in(roots[table]):
                    return False
            for part in self.parts if self.parts_mask & touched else ():
                if part.mask & touched and part.held_at != state.number and not part.is_valid_in(state):
                    return False
        self.held_at = state.number
        return True


@lru_cache(1024)
def _list_positions(mask: int) -> tuple[int, ...]:
    """Return the positions of the tables of a mask. Hundreds of cached values ask for those of one write."""
    return tuple(iterate_bits(mask))
