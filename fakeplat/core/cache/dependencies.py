"""What was looked at while something was made, so that it can be kept until one of these things changes.

Records, index entries and roots never change in place: what was made is still true while each thing that
it read is the same object. No write has to know who keeps what.
"""

from collections.abc import Hashable
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from fakeplat.core.store.state import State
    from fakeplat.core.store.table import Root

ROWS: Final = 0
ALL: Final = -1
"""What of a table was looked at, where it was no index: a record by id, all ids."""

TablePlace = tuple[int, Hashable, object]
"""A slot of a table, the key there, and the object that was found."""

MOST: Final = 512


class TableReads:
    """What was looked at in one table: places and the objects found there, as ``root`` was the table's content.

    Who looks at more than ``MOST`` places depends on the whole table from then on (None): a search over many records,
    whose check must not cost as much as the search.
    """

    __slots__ = ("places", "root")

    def __init__(self, root: "Root", *, whole: bool) -> None:
        self.root = root
        self.places: list[TablePlace] | None = None if whole else []

    def note(self, *places: TablePlace) -> None:
        """Remember which objects stood at some places."""
        if self.places is not None:
            self.places += places
            if len(self.places) > MOST:
                self.places = None

    def hold(self, root: "Root") -> bool:
        """Whether every place holds the same object in another content of the table."""
        if self.places is None:
            return False
        for slot, key, found in self.places:
            now = root.ids if slot == ALL else root.maps[slot].get(key)
            if now is not found:
                return False
        self.root = root
        return True


class Dependencies:
    """What was looked at, by table, and in ``parts`` what was looked at for the parts of the whole.

    A part is kept by itself, and several wholes may have it: it is checked once for each state. ``coarse``: whole
    tables are noted, not places. ``personal`` says that the viewer mattered; ``until`` is the world's time (ms) at
    which time alone would change the outcome. ``of`` is the record that all this is about, if there is one. ``held_at``
    is the number of the state in which all this was last seen to hold, ``mask`` has a bit for each table.
    """

    __slots__ = ("coarse", "held_at", "mask", "of", "parts", "personal", "tables", "until")

    def __init__(self, of: object = None, *, coarse: bool = False) -> None:
        self.of = of
        self.coarse = coarse
        self.tables: dict[int, TableReads] = {}
        self.parts: list[Dependencies] = []
        self.personal = False
        self.until: int | None = None
        self.held_at = 0
        self.mask = 0

    def of_table(self, table: int, root: "Root") -> TableReads:
        """What was looked at in a table."""
        looks = self.tables.get(table)
        if looks is None:
            looks = self.tables[table] = TableReads(root, whole=self.coarse)
            self.mask |= 1 << table
        return looks

    def note_whole(self, table: int, root: "Root") -> None:
        """Remember that a table as a whole was looked at."""
        self.of_table(table, root).places = None

    def note_until(self, moment: int) -> None:
        """Remember that the outcome holds only before a moment."""
        if self.until is None or moment < self.until:
            self.until = moment

    def add(self, part: "Dependencies") -> None:
        """Depend on all that another collection noted, which holds now."""
        self.parts.append(part)
        self.mask |= part.mask
        self.personal = self.personal or part.personal
        if part.until is not None:
            self.note_until(part.until)

    def whole(self) -> "Dependencies":
        """Another collection, of which all that was noted so far is a part."""
        made = Dependencies()
        made.add(self)
        return made

    def hold(self, state: "State") -> bool:
        """Whether every place still holds the same object; tables that are the same need no look."""
        if self.held_at == state.number:
            return True
        untouched = self.held_at == state.follows and not self.mask & state.touched
        if untouched or self._found_in(state):
            self.held_at = state.number
            return True
        return False

    def _found_in(self, state: "State") -> bool:
        roots = state.roots
        for table, looks in self.tables.items():
            root = roots[table]
            if looks.root is not root and not looks.hold(root):
                return False
        return all(part.hold(state) for part in self.parts)
