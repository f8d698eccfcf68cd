"""The content of a table: its records, and the maps of its indexes, each of which catches up when it is asked.

A write notes the records that it replaces in a log, and leaves most maps as they are. When an index is asked, its map
gets what the log has since then. So an index that nobody asks costs next to nothing, and one that is asked seldom sees
only how a record was at first and how it is in the end. Only a unique index is kept up to date by every write, as it
has to reject a key that is taken.

Many worlds may begin with the same content, and thus with the same log. The first of them whose index is asked catches
up with that for all of them.
"""

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any, Final, NamedTuple

from fakeplat.core.store.indexes import Index, many
from fakeplat.core.store.persistent_map import Map
from fakeplat.core.store.sorted_sequence import EMPTY, Ids

MAX_WRITES: Final = 256
"""After so many writes, indexes that are in use catch up. For the others, the writes are joined to one."""
MAX_KEPT: Final = 4_000
"""So many replaced records are kept alive for indexes that nobody asks."""
EVERY: Final[Index[Any, Any]] = many("", lambda _: True, of=("id",))
"""The first index of each table: of all records, under one key."""
_EVERY_SLOT: Final = 0

Indexes = tuple[Index[Any, Any], ...]
Maps = tuple["Map[Any, Any]", ...]
Records = Sequence[Any]
Changed = Sequence[tuple[Any, Any]]
"""Records before and after a change; None after it if they were removed."""


class Write:
    """A write in the log: records that were changed or removed, records that were added, or all of that.

    ``slots`` has a bit for each index whose map lacks it at first. ``count`` is the number of writes up to here that
    are not joined, and ``kept`` that of the records that were replaced.
    """

    __slots__ = ("added", "before", "changed", "count", "kept", "slots")

    def __init__(self, before: "Write | None", changed: Changed, added: Records, slots: int, count: int) -> None:
        self.before = before
        self.changed = changed
        self.added = added
        self.slots = slots
        self.count = count
        self.kept: int = len(changed) if before is None else len(changed) + before.kept


Applied = tuple[Write | None, ...]


class Beginning(NamedTuple):
    """What worlds have in common at first: the last write in the log, and by slot the maps that have caught up with it.

    ``applied`` has the last write of each map before that.
    """

    last: Write
    applied: Applied
    maps: dict[int, "Map[Any, Any]"]


class ConcernedIndexes(NamedTuple):
    """The indexes that a write may change: the slots of unique ones, and a bit for each of the others."""

    unique: tuple[int, ...]
    others: int

    @classmethod
    def among(cls, indexes: Sequence[Index[Any, Any]], slots: Iterable[int]) -> "ConcernedIndexes":
        """Return those in some slots."""
        unique, others = [], 0
        for slot in slots:
            if indexes[slot].can_wait:
                others |= 1 << slot
            else:
                unique.append(slot)
        return cls(tuple(unique), others)


class Root:
    """The content of a table, which only a draft that owns it changes. ``rows`` maps ids to records.

    ``indexed`` has the maps of all indexes by slot, the last write that each of them has (if that is in the log), and a
    bit for each that may lack a write. It is replaced as a whole: threads that share a root may catch up at the same
    time.
    """

    __slots__ = ("_beginning", "_indexes", "_log", "indexed", "next_id", "rows")

    def __init__(
        self,
        rows: "Map[Any, Any]",
        next_id: int,
        indexes: Indexes,
        indexed: tuple[Maps, Applied, int],
        log: Write | None = None,
        beginning: Beginning | None = None,
    ) -> None:
        self.rows = rows
        self.next_id = next_id
        self.indexed = indexed
        self._indexes = indexes
        self._log = log
        self._beginning = beginning

    @classmethod
    def empty(cls, indexes: Indexes, first_id: int) -> "Root":
        """Return the content of an empty table."""
        return cls(Map(), first_id, indexes, ((Map(),) * len(indexes), (None,) * len(indexes), 0))

    def copy(self) -> "Root":
        """Return a root with the same content."""
        return Root(self.rows, self.next_id, self._indexes, self.indexed, self._log, self._beginning)

    @property
    def ids(self) -> Ids:
        """The ids of all records."""
        ids: Ids = self.index_map(_EVERY_SLOT).get(True, EMPTY)
        return ids

    def index_map(self, slot: int) -> "Map[Any, Any]":
        """Return the map of the index in a slot."""
        maps, _, lacking = self.indexed
        return self._catch_up_at(slot) if lacking >> slot & 1 else maps[slot]

    def maps_with(self, slots: tuple[int, ...], changed: Changed, added: Records) -> Maps:
        """Return the maps after a write to the unique indexes in some slots. KeyTaken if records share a key."""
        indexes, maps = self._indexes, [*self.indexed[0]]
        if changed or len(added) > 1:
            for slot in slots:
                maps[slot] = _apply(indexes[slot], maps[slot], changed, added)
        else:
            for slot in slots:
                maps[slot] = indexes[slot].with_record(maps[slot], added[0])
        return tuple(maps)

    def note_write(self, maps: Maps | None, changed: Changed, added: Records, slots: int) -> None:
        """Note a write that the maps in some slots lack. ``maps``: those after it, if it changed unique indexes."""
        before, applied, lacking = self.indexed
        self.indexed = before if maps is None else maps, applied, lacking | slots
        if slots:
            log = self._log
            count = 1 if log is None else log.count + 1
            self._log = Write(log, changed, added, slots, count)
            if count == MAX_WRITES:
                self._join_writes()

    def share(self) -> None:
        """Let the worlds that begin with this content share the maps that catch up with it."""
        if self._log is not None:
            self._beginning = Beginning(self._log, self.indexed[1], {})

    def drop_log(self) -> None:
        """Catch up with the log, and keep it no longer."""
        _, applied, lacking = self.indexed
        self.indexed = self._catch_up(lacking), (None,) * len(applied), 0
        self._log = self._beginning = None

    def _catch_up_at(self, slot: int) -> "Map[Any, Any]":
        """Return the map in a slot once it lacks nothing."""
        maps, applied, lacking = self.indexed
        entries, last = self._get_latest(slot, maps[slot], applied[slot])
        entries = _apply(self._indexes[slot], entries, *_sum_up(self._log, last, 1 << slot))
        after = slot + 1
        self.indexed = (
            (*maps[:slot], entries, *maps[after:]),
            (*applied[:slot], self._log, *applied[after:]),
            lacking & ~(1 << slot),
        )
        return entries

    def _get_latest(
        self, slot: int, entries: "Map[Any, Any]", last: Write | None
    ) -> "tuple[Map[Any, Any], Write | None]":
        """Return the latest known map in a slot, which other worlds may share, and the last write that it has."""
        beginning = self._beginning
        # One that has caught up since then is later.
        if beginning is None or beginning.applied[slot] is not last:
            return entries, last
        if slot not in beginning.maps:
            beginning.maps[slot] = _apply(self._indexes[slot], entries, *_sum_up(beginning.last, last, 1 << slot))
        return beginning.maps[slot], beginning.last

    def _join_writes(self) -> None:
        """Join the writes to one, which the maps lack that nobody has asked since the last time."""
        log = self._log
        _, applied, lacking = self.indexed
        idle = lacking & sum(1 << slot for slot, last in enumerate(applied) if last is None or not last.count)
        if log is None or log.kept > MAX_KEPT or not idle:
            self.drop_log()
            return
        before: Write | None = log
        beginning = None if self._beginning is None else self._beginning.last
        while before is not None and before.count and before is not beginning:
            before = before.before
        joined = Write(before, *_sum_up(log, before, idle), idle, 0)
        self.indexed = (
            self._catch_up(lacking & ~idle),
            tuple(last if idle >> slot & 1 else joined for slot, last in enumerate(applied)),
            idle,
        )
        self._log = joined

    def _catch_up(self, slots: int) -> Maps:
        """Return the maps, of which those in some slots lack nothing."""
        maps, applied = [*self.indexed[0]], self.indexed[1]
        lacking: dict[Write | None, tuple[Changed, Records]] = {}
        for slot, index in enumerate(self._indexes):
            if slots >> slot & 1:
                entries, last = self._get_latest(slot, maps[slot], applied[slot])
                if last not in lacking:
                    lacking[last] = _sum_up(self._log, last, slots)
                maps[slot] = _apply(index, entries, *lacking[last])
        return tuple(maps)


def _sum_up(log: Write | None, last: Write | None, slots: int) -> tuple[Changed, Records]:
    """Return what the writes after the last one did together to some indexes: records that changed, and new ones."""
    if log is None or log is last:
        return (), ()
    # Mostly there is one write since the index was last asked.
    if log.before is last:
        return log.changed, log.added
    if log.kept == (0 if last is None else last.kept):
        return (), _list_added(log, last)
    first: dict[int, Any] = {}
    final: dict[int, Any] = {}
    write: Write | None = log
    while write is not None and write is not last:
        if write.slots & slots:
            for record in write.added:
                first[record.id] = None
                final.setdefault(record.id, record)
            for old, new in write.changed:
                first[old.id] = old
                final.setdefault(old.id, new)
        write = write.before
    changed = [(old, final[id_]) for id_, old in first.items() if old is not None]
    return changed, [record for id_, record in final.items() if record is not None and first[id_] is None]


def _list_added(log: Write | None, last: Write | None) -> Records:
    added = []
    while log is not None and log is not last:
        added.append(log.added)
        log = log.before
    return [*chain.from_iterable(reversed(added))]


def _apply(index: Index[Any, Any], entries: "Map[Any, Any]", changed: Changed, added: Records) -> "Map[Any, Any]":
    """Return the map of an index after some records have changed and others were added."""
    for old, new in changed:
        entries = index.without_record(entries, old) if new is None else index.with_changed_record(entries, old, new)
    if not added:
        return entries
    return index.with_record(entries, added[0]) if len(added) == 1 else index.with_records(entries, added)
