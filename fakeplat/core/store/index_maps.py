"""The maps of a table's indexes, each of which catches up with the writes when it is asked.

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

from immutables import Map

from fakeplat.core.store.indexes import Index

MAX_WRITES: Final = 256
"""After so many writes, indexes that are in use catch up. For the others, the writes are joined to one."""
MAX_KEPT: Final = 4_000
"""So many replaced records are kept alive for indexes that nobody asks."""

Maps = tuple["Map[Any, Any]", ...]
Records = Sequence[Any]
Changed = Sequence[tuple[Any, Any]]
"""Records before and after a change; None after it if they were removed."""


class Write:
    """A write in the log: records that were changed or removed, records that were added, or all of that.

    ``slots`` has a bit for each index whose map lacks it at first. ``count`` is the number of writes up to here that
    are not joined, and ``kept`` that of the records that were replaced.
    """

    __slots__ = ("added", "before", "beginning", "changed", "count", "kept", "number", "slots")

    def __init__(self, before: "Write | None", changed: Changed, added: Records, slots: int, count: int) -> None:
        self.before = before
        self.changed = changed
        self.added = added
        self.slots = slots
        self.count = count
        self.kept: int = len(changed)
        self.number = 0
        self.beginning: Beginning | None = None
        if before is not None:
            self.kept += before.kept
            self.number = before.number + 1
            self.beginning = before.beginning

    def follows(self, last: "Write | None") -> bool:
        """Return whether this write is later than another one of the same log; None is before the first."""
        return last is None or last.number < self.number


class Beginning(NamedTuple):
    """What worlds have in common at first: the last write in the log, and by slot the maps that have caught up."""

    last: Write
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
        pending: int,
        applied: tuple[Write | None, ...],
        log: Write | None,
    ) -> None:
        self._indexes = indexes
        self.maps = maps
        self.pending = pending
        self._applied = applied
        self._log = log

    @classmethod
    def complete(cls, indexes: tuple[Index[Any, Any], ...], maps: Maps) -> "IndexMaps":
        """Return maps that lack nothing, without a log."""
        return cls(indexes, maps, 0, (None,) * len(indexes), None)

    def with_write(self, changed: Changed, added: Records, concerned: ConcernedIndexes) -> "IndexMaps":
        """Return the maps after a write. KeyTaken if records have a unique key in common."""
        maps, pending, log = self.maps, concerned.others, self._log
        if concerned.unique:
            maps = self._with_unique(concerned.unique, changed, added)
        elif not pending:
            return self
        if not pending:
            return IndexMaps(self._indexes, maps, self.pending, self._applied, log)
        count = 0 if log is None else log.count
        if count == MAX_WRITES:
            return self._joined().with_write(changed, added, concerned)
        log = Write(log, changed, added, pending, count + 1)
        return IndexMaps(self._indexes, maps, self.pending | pending, self._applied, log)

    def _with_unique(self, slots: tuple[int, ...], changed: Changed, added: Records) -> Maps:
        indexes, maps = self._indexes, [*self.maps]
        if changed or len(added) > 1:
            for slot in slots:
                maps[slot] = _apply(indexes[slot], maps[slot], changed, added)
        else:
            for slot in slots:
                maps[slot] = indexes[slot].with_record(maps[slot], added[0])
        return tuple(maps)

    def share(self) -> None:
        """Let the worlds that begin with this content share the maps that catch up with it."""
        if self._log is not None:
            self._log.beginning = Beginning(self._log, {})

    def caught_up_at(self, slot: int) -> "IndexMaps":
        """Return the maps, of which the one in a slot lacks nothing."""
        maps, applied, log = [*self.maps], [*self._applied], self._log
        entries, last = self._get_latest(slot)
        maps[slot] = _apply(self._indexes[slot], entries, *_sum_up(log, last, 1 << slot))
        applied[slot] = log
        return IndexMaps(self._indexes, tuple(maps), self.pending & ~(1 << slot), tuple(applied), log)

    def _get_latest(self, slot: int) -> "tuple[Map[Any, Any], Write | None]":
        """Return the latest known map in a slot, which other worlds may share, and the last write that it has."""
        entries, last = self.maps[slot], self._applied[slot]
        beginning = None if self._log is None else self._log.beginning
        if beginning is None or not beginning.last.follows(last):
            return entries, last
        if slot not in beginning.maps:
            lacking = _sum_up(beginning.last, last, 1 << slot)
            beginning.maps[slot] = _apply(self._indexes[slot], entries, *lacking)
        return beginning.maps[slot], beginning.last

    def caught_up(self) -> "IndexMaps":
        """Return the maps, which lack nothing, without a log."""
        return IndexMaps.complete(self._indexes, self._catch_up(self.pending))

    def _joined(self) -> "IndexMaps":
        """Return the maps with the writes joined to one, which those lack that nobody has asked since the last time."""
        log = self._log
        idle = self.pending & sum(
            1 << slot for slot, last in enumerate(self._applied) if last is None or not last.count
        )
        if log is None or log.kept > MAX_KEPT or not idle:
            return self.caught_up()
        before: Write | None = log
        beginning = None if log.beginning is None else log.beginning.last
        while before is not None and before.count and before is not beginning:
            before = before.before
        joined = Write(before, *_sum_up(log, before, idle), idle, 0)
        applied = tuple(last if idle >> slot & 1 else joined for slot, last in enumerate(self._applied))
        return IndexMaps(self._indexes, self._catch_up(self.pending & ~idle), idle, applied, joined)

    def _catch_up(self, slots: int) -> Maps:
        """Return the maps, of which those in some slots lack nothing."""
        maps = [*self.maps]
        lacking: dict[Write | None, tuple[Changed, Records]] = {}
        for slot, index in enumerate(self._indexes):
            if slots >> slot & 1:
                entries, last = self._get_latest(slot)
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
