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

Place = tuple[int, int, Hashable]


class Reads:
    """Places in tables and the objects found there.

    While ``coarse``, whole tables are noted instead of places: for a search over many records.
    ``personal`` says that the viewer mattered; ``until`` is the world's time (ms) at which time alone
    would change the outcome. ``of`` is the record that all this is about, if there is one.
    """

    __slots__ = ("coarse", "of", "personal", "seen", "until")

    def __init__(self, of: object = None) -> None:
        self.of = of
        self.seen: dict[Place, object] = {}
        self.coarse = False
        self.personal = False
        self.until: int | None = None

    def note(self, table: int, slot: int, key: Hashable, found: object, root: "Root") -> None:
        """Remember that this object stood at this place."""
        if self.coarse:
            self.seen[(table, WHOLE, None)] = root
        else:
            self.seen[(table, slot, key)] = found

    def note_until(self, moment: int) -> None:
        """Remember that the outcome holds only before a moment."""
        if self.until is None or moment < self.until:
            self.until = moment

    def add(self, other: "Reads") -> None:
        """Take over all that another collection noted."""
        self.seen.update(other.seen)
        self.personal = self.personal or other.personal
        if other.until is not None:
            self.note_until(other.until)

    def hold(self, roots: "Sequence[Root]") -> bool:
        """Whether every place still holds the same object."""
        for (table, slot, key), found in self.seen.items():
            root = roots[table]
            now = root.maps[slot].get(key) if slot >= 0 else root.ids if slot == ALL else root
            if now is not found:
                return False
        return True
