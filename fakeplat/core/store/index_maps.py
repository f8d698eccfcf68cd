"""The maps of a table's indexes, each of which catches up with the writes when it is asked.

A write notes the records that it replaces in a log, and leaves most maps as they are. When an index is asked, its map
gets what the log has since then. So an index that nobody asks costs next to nothing, and one that is asked seldom sees
only how a record was at first and how it is in the end. Only a unique index is kept up to date by every write, as it
has to reject a key that is taken.
"""

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any, Final, NamedTuple

from immutables import Map

from fakeplat.core.store.indexes import Index

MAX_WRITES: Final = 256
"""After so many writes, indexes that are in use catch up. For the others, the writes are joined to one."""
MAX_KEPT: Final = 4_000
"""So many replaced records are kept alive for indexes that nobody asks."""

Maps = tuple["Map[Any, Any]", ...]
Records = Sequence[Any]


class Write:
    """A write in the log: a record that was replaced by another, records that were added or removed, or all of that.

    ``slots`` has a bit for each index whose map lacks it at first. ``count`` is the number of writes up to here that
    are not joined, and ``kept`` that of the records that were replaced.
    """

    __slots__ = ("before", "count", "kept", "new", "old", "slots")

    def __init__(self, before: "Write | None", old: Records, new: Records, slots: int, count: int) -> None:
        self.before = before
        self.old = old
        self.new = new
        self.slots = slots
        self.count = count
        self.kept: int = len(old) if before is None else before.kept + len(old)


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


class IndexMaps:
    """The maps of all indexes by slot, and the log of the writes that some of them lack. It is immutable.

    ``pending`` has a bit for each map that may lack a write. ``applied``: the last write that each map has, if it has
    one that is in the log.
    """

    __slots__ = ("_applied", "_indexes", "_log", "maps", "pending")

    def __init__(
        self,
        indexes: tuple[Index[Any, Any], ...],
        maps: Maps,
        pending: int = 0,
        applied: tuple[Write | None, ...] = (),
        log: Write | None = None,
    ) -> None:
        self._indexes = indexes
        self.maps = maps
        self.pending = pending
        self._applied = applied or (None,) * len(indexes)
        self._log = log

    def with_write(self, old: Records, new: Records, concerned: ConcernedIndexes) -> "IndexMaps":
        """Return the maps after a write. KeyTaken if records have a unique key in common."""
        maps, pending, log = self.maps, concerned.others, self._log
        if concerned.unique:
            maps = self._with_unique(concerned.unique, old, new)
        elif not pending:
            return self
        if not pending:
            return IndexMaps(self._indexes, maps, self.pending, self._applied, log)
        count = 0 if log is None else log.count
        if count == MAX_WRITES:
            return self._joined().with_write(old, new, concerned)
        log = Write(log, old, new, pending, count + 1)
        return IndexMaps(self._indexes, maps, self.pending | pending, self._applied, log)

    def _with_unique(self, slots: tuple[int, ...], old: Records, new: Records) -> Maps:
        maps = [*self.maps]
        for slot in slots:
            maps[slot] = _apply(self._indexes[slot], maps[slot], old, new)
        return tuple(maps)

    def caught_up_at(self, slot: int) -> "IndexMaps":
        """Return the maps, of which the one in a slot lacks nothing."""
        index, maps, applied, log = self._indexes[slot], [*self.maps], [*self._applied], self._log
        # Mostly there is one write since the index was last asked.
        if log is not None and log.before is applied[slot] and log.count:
            maps[slot] = _apply(index, maps[slot], log.old, log.new)
        else:
            writes = [write for write in self._writes_since(applied[slot]) if write.slots >> slot & 1]
            maps[slot] = Changes.of(writes).apply(index, maps[slot])
        applied[slot] = log
        return IndexMaps(self._indexes, tuple(maps), self.pending & ~(1 << slot), tuple(applied), self._log)

    def caught_up(self) -> "IndexMaps":
        """Return the maps, which lack nothing, without a log."""
        return IndexMaps(self._indexes, self._catch_up(self.pending))

    def _joined(self) -> "IndexMaps":
        """Return the maps with the writes joined to one, which those lack that nobody has asked."""
        unasked = sum(1 << slot for slot, last in enumerate(self._applied) if last is None) & self.pending
        write = self._log
        if write is None or write.kept > MAX_KEPT or not unasked:
            return self.caught_up()
        writes = []
        while write is not None and write.count:
            writes.append(write)
            write = write.before
        changes = Changes.of(writes[::-1])
        old = [old for old, _ in changes.changed]
        new = [new for _, new in changes.changed if new is not None]
        joined = Write(write, old, [*new, *changes.added], unasked, 0)
        applied = tuple(None if unasked >> slot & 1 else joined for slot in range(len(self.maps)))
        return IndexMaps(self._indexes, self._catch_up(self.pending & ~unasked), unasked, applied, joined)

    def _catch_up(self, slots: int) -> Maps:
        """Return the maps, of which those in some slots lack nothing."""
        maps = [*self.maps]
        changes_since: dict[Write | None, Changes] = {}
        for slot, last in enumerate(self._applied):
            if slots >> slot & 1:
                if last not in changes_since:
                    changes_since[last] = Changes.of(self._writes_since(last))
                maps[slot] = changes_since[last].apply(self._indexes[slot], maps[slot])
        return tuple(maps)

    def _writes_since(self, last: Write | None) -> list[Write]:
        write, writes = self._log, []
        while write is not None and write is not last:
            writes.append(write)
            write = write.before
        return writes[::-1]


class Changes(NamedTuple):
    """What some writes did together: records at first and in the end (None if they were removed), and new ones."""

    changed: list[tuple[Any, Any]]
    added: Records

    @classmethod
    def of(cls, writes: list[Write]) -> "Changes":
        """Return the changes of some writes."""
        if not any(write.old for write in writes):
            return cls([], list(chain.from_iterable(write.new for write in writes)))
        first: dict[int, Any] = {}
        last: dict[int, Any] = {}
        for write in writes:
            for record in write.old:
                first.setdefault(record.id, record)
                last[record.id] = None
            for record in write.new:
                first.setdefault(record.id, None)
                last[record.id] = record
        changed = [(old, last[id_]) for id_, old in first.items() if old is not None]
        return cls(changed, [record for id_, record in last.items() if record is not None and first[id_] is None])

    def apply(self, index: Index[Any, Any], entries: "Map[Any, Any]") -> "Map[Any, Any]":
        """Return the map of an index after the changes."""
        for old, new in self.changed:
            if new is None:
                entries = index.without_record(entries, old)
            else:
                entries = index.with_changed_record(entries, old, new)
        return _add(index, entries, self.added)


def _apply(index: Index[Any, Any], entries: "Map[Any, Any]", old: Records, new: Records) -> "Map[Any, Any]":
    """Return the map of an index after a write that is not joined."""
    if not old:
        return _add(index, entries, new)
    return index.with_changed_record(entries, old[0], new[0]) if new else index.without_record(entries, old[0])


def _add(index: Index[Any, Any], entries: "Map[Any, Any]", new: Records) -> "Map[Any, Any]":
    if len(new) == 1:
        return index.with_record(entries, new[0])
    return index.with_records(entries, new) if new else entries
