"""What was looked at while something was made, so that it can be kept until one of these things changes.

Records, index entries and roots never change in place: what was made is still true while each thing that
it read is the same object. No write has to know who keeps what.
"""

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from fakeplat.core.table import Root

ROWS: Final = 0
ALL: Final = -1
WHOLE: Final = -2
"""What of a table was looked at, where it was no index: a record by id, all ids, everything."""

Seen = tuple[int, int, Hashable, object]
MOST: Final = 512


class Reads:
    """Places in tables and the objects found there.

    Who looks at more than ``MOST`` places depends on whole tables from then on (``coarse``): a search over many
    records, whose check must not cost as much as the search. ``personal`` says that the viewer mattered; ``until``
    is the world's time (ms) at which time alone would change the outcome. ``of`` is the record that all this is
    about, if there is one. ``roots`` are the tables' contents at which all this was last seen to hold.
    """

    __slots__ = ("_whole", "coarse", "of", "personal", "roots", "seen", "until")

    def __init__(self, of: object = None) -> None:
        self.of = of
        self.seen: list[Seen] = []
        self.roots: dict[int, Root] = {}
        self._whole: set[int] = set()
        self.coarse = False
        self.personal = False
        self.until: int | None = None

    def note(self, table: int, slot: int, key: Hashable, found: object, root: "Root") -> None:
        """Remember that this object stood at this place."""
        self.roots[table] = root
        if self.coarse:
            self.note_whole(table, root)
            return
        self.seen.append((table, slot, key, found))
        if len(self.seen) > MOST:
            self.coarsen()

    def coarsen(self) -> None:
        """Depend on the whole of each table that was looked at, and that will be."""
        self.coarse = True
        self.seen = [(table, WHOLE, None, root) for table, root in self.roots.items()]
        self._whole = set(self.roots)

    def note_whole(self, table: int, root: "Root") -> None:
        """Remember that a table as a whole was looked at."""
        self.roots[table] = root
        if table not in self._whole:
            self._whole.add(table)
            self.seen.append((table, WHOLE, None, root))

    def note_until(self, moment: int) -> None:
        """Remember that the outcome holds only before a moment."""
        if self.until is None or moment < self.until:
            self.until = moment

    def add(self, other: "Reads") -> None:
        """Take over all that another collection noted, which holds now."""
        self.seen += other.seen
        self.roots.update(other.roots)
        self.personal = self.personal or other.personal
        if other.until is not None:
            self.note_until(other.until)

    def copy(self) -> "Reads":
        """The same notes, to go on from separately."""
        made = Reads(self.of)
        made.add(self)
        return made

    def hold(self, roots: "Sequence[Root]") -> bool:
        """Whether every place still holds the same object; tables that are the same need no look."""
        changed = {table for table, root in self.roots.items() if roots[table] is not root}
        if not changed:
            return True
        for table, slot, key, found in self.seen:
            if table in changed:
                root = roots[table]
                now = root.maps[slot].get(key) if slot >= 0 else root.ids if slot == ALL else root
                if now is not found:
                    return False
        self.roots.update((table, roots[table]) for table in changed)
        return True
