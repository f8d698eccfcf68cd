"""Tables of frozen records with indexes, shared by all forks until written.

A table's whole content is one `Root`, which never changes; writing makes a new root that shares all that
it can with the old one. `Table` reads a root, `DraftTable` also replaces it in its draft. What a reader
saw is noted while its world collects `reads`, so that a kept answer can be checked later.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, cast, overload

from immutables import Map

from fakeplat.core.cache.dependencies import ALL, ROWS, Dependencies
from fakeplat.core.store.indexes import MANY, Deferred, Index, KeyTaken, bits, each, many, ordered, unique
from fakeplat.core.store.records import evolve_record
from fakeplat.core.store.references import Reference
from fakeplat.core.store.sorted_sequence import EMPTY, Ids, SortedSequence

if TYPE_CHECKING:
    from fakeplat.core.store.state import Draft, View


class Record(Protocol):
    """Whatever a table can hold: frozen, with an id."""

    @property
    def id(self) -> int:
        """The record's number in its table."""


__all__ = [
    "ALL",
    "ROWS",
    "DraftTable",
    "KeyTaken",
    "Record",
    "Root",
    "Rows",
    "RowsById",
    "Table",
    "TableOf",
    "bits",
    "each",
    "many",
    "ordered",
    "unique",
]

R = TypeVar("R", bound=Record)


class Root:
    """All that a table holds at one moment. ``maps[0]`` is id to record, then one map per index."""

    __slots__ = ("ids", "maps", "next_id")

    def __init__(self, maps: "tuple[Map[Any, Any], ...]", ids: Ids, next_id: int) -> None:
        self.maps = maps
        self.ids = ids
        self.next_id = next_id


class TableContents:
    """The tables' contents in one world, and who notes what is looked at, while somebody does.

    ``touched`` has a bit for each table that was written here.
    Faces of tables point here and not to their world, so that a world is gone as soon as nobody has it.
    """

    __slots__ = ("reads", "roots", "touched")

    def __init__(self, roots: tuple[Root, ...] | list[Root]) -> None:
        self.roots = roots
        self.reads: Dependencies | None = None
        self.touched = 0


class TableOf(Generic[R]):
    """Declares one table of a world: an attribute of the world's class."""

    def __init__(self, kind: type[R], *items: Index | Reference, first_id: int) -> None:
        self.kind = kind
        self.indexes = tuple(item for item in items if isinstance(item, Index))
        self.references = tuple(item for item in items if isinstance(item, Reference))
        self.first_id = first_id
        self.name = ""
        self.position = -1
        self.slots = {index.name: slot for slot, index in enumerate(self.indexes, 1)}
        unknown = {reference.index for reference in self.references} - self.slots.keys() - {""}
        if unknown:
            raise ValueError(f"references of {kind.__name__} use unknown indexes: {', '.join(sorted(unknown))}")

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def empty(self) -> Root:
        """The content of a table that holds nothing."""
        return Root(tuple(Map() for _ in range(len(self.indexes) + 1)), EMPTY, self.first_id)

    @overload
    def __get__(self, world: None, owner: type) -> "TableOf[R]": ...
    @overload
    def __get__(self, world: "Draft", owner: type) -> "DraftTable[R]": ...
    @overload
    def __get__(self, world: "View", owner: type) -> "Table[R]": ...
    def __get__(self, world: "View | None", owner: type) -> "TableOf[R] | Table[R]":
        if world is None:
            return self
        face = world.__dict__[self.name] = world.endpoint(self, world.contents)
        return face


class Table(Generic[R]):
    """The reading face of one table."""

    __slots__ = ("_at", "_contents", "_of")

    def __init__(self, of: TableOf[R], contents: TableContents) -> None:
        self._of = of
        self._at = of.position
        self._contents = contents

    def get(self, id_: int) -> R | None:
        """The record with that id, or None."""
        contents = self._contents
        root = contents.roots[self._at]
        found: R | None = root.maps[ROWS].get(id_)
        if contents.reads is not None:
            contents.reads.of_table(self._at, root).note((ROWS, id_, found))
        return found

    def __getitem__(self, id_: int) -> R:
        found = self.get(id_)
        if found is None:
            raise KeyError(f"{self._of.name} has no record {id_}")
        return found

    def fetch(self) -> "Callable[[int], R]":
        """A quick way to many records by id; whoever asks depends on the whole table."""
        root = self._root
        if self._contents.reads is not None:
            self._contents.reads.note_whole(self._at, root)
        return cast("Callable[[int], R]", root.maps[ROWS].__getitem__)

    def these(self, ids: Iterable[int]) -> list[R]:
        """The records with some ids, in that order; KeyError if one is not there."""
        contents = self._contents
        root = contents.roots[self._at]
        record = root.maps[ROWS].__getitem__
        found: list[R] = [record(id_) for id_ in ids]
        if contents.reads is not None:
            contents.reads.of_table(self._at, root).note(*[(ROWS, one.id, one) for one in found])
        return found

    def find(self, index: str, key: Hashable) -> R | None:
        """The one record under a key of a unique index, or None."""
        contents, slot = self._contents, self._of.slots[index]
        root = contents.roots[self._at]
        id_ = root.maps[slot].get(key)
        found: R | None = None if id_ is None else root.maps[ROWS].get(id_)
        if contents.reads is not None:
            contents.reads.of_table(self._at, root).note((slot, key, id_), (ROWS, id_, found))
        return found

    def ids(self, index: str, key: Hashable) -> Ids:
        """The ids of all records under a key."""
        found: Ids = self._look(self._of.slots[index], key) or EMPTY
        return found

    def matching(self, index: str, key: Hashable) -> Iterable[int]:
        """The ids of all records under a key of an index, whichever its kind; not of an ordered one."""
        slot = self._of.slots[index]
        entry = self._look(slot, key)
        return () if entry is None else self._of.indexes[slot - 1].ids(entry)

    def where(self, index: str, key: Hashable) -> "Rows[R]":
        """All records under a key, by ascending id."""
        return Rows(self, self.ids(index, key))

    def bits(self, index: str, key: Hashable) -> int:
        """A number with a bit for each record under a key."""
        found: int = self._look(self._of.slots[index], key) or 0
        return found

    def sorted(self, index: str, group: Hashable) -> "SortedSequence[tuple[Any, int]]":
        """The records of a group as (value, id), sorted; those without a value are not among them."""
        found: SortedSequence[tuple[Any, int]] = self._look(self._of.slots[index], group) or EMPTY
        return found

    def all(self) -> "Rows[R]":
        """Every record, by ascending id."""
        return Rows(self, self.every_id())

    def every_id(self) -> Ids:
        """The ids of all records."""
        root = self._root
        if self._contents.reads is not None:
            self._contents.reads.of_table(self._at, root).note((ALL, None, root.ids))
        return root.ids

    def __len__(self) -> int:
        return len(self.every_id())

    def __iter__(self) -> Iterator[R]:
        return iter(self.all())

    def seen_in(self, world: "View") -> "Table[R]":
        """The same table in another moment."""
        return Table(self._of, world.contents)

    @property
    def _root(self) -> Root:
        return self._contents.roots[self._at]

    def _look(self, slot: int, key: Hashable) -> Any:
        contents = self._contents
        root = contents.roots[self._at]
        found = root.maps[slot].get(key)
        if contents.reads is not None:
            contents.reads.of_table(self._at, root).note((slot, key, found))
        return found


class Rows(Sequence[R]):
    """Records in the order of their ids, fetched when asked for; ``len`` and slices cost no more than they give."""

    __slots__ = ("_descending", "_ids", "_table")

    def __init__(self, table: Table[R], ids: Ids, *, descending: bool = False) -> None:
        self._table = table
        self._ids = ids
        self._descending = descending

    def __len__(self) -> int:
        return len(self._ids)

    def __iter__(self) -> Iterator[R]:
        ids = reversed(self._ids) if self._descending else iter(self._ids)
        return map(self._table.__getitem__, ids)

    def __reversed__(self) -> Iterator[R]:
        return iter(self.backwards())

    def backwards(self) -> "Rows[R]":
        """The same records, the last one first."""
        return Rows(self._table, self._ids, descending=not self._descending)

    @overload
    def __getitem__(self, place: int) -> R: ...
    @overload
    def __getitem__(self, place: slice) -> "RowsById[R]": ...
    def __getitem__(self, place: int | slice) -> "R | RowsById[R]":
        if isinstance(place, int):
            at = place if place >= 0 else len(self) + place
            found = self._ids.slice(at, at + 1, descending=self._descending)
            if at < 0 or not found:
                raise IndexError(place)
            return self._table[found[0]]
        places = range(*place.indices(len(self)))
        if not places:
            return RowsById(self._table, ())
        first = min(places[0], places[-1])
        ids = self._ids.slice(first, max(places[0], places[-1]) + 1, descending=self._descending)
        return RowsById(self._table, tuple(ids[at - first] for at in places))


class RowsById(Sequence[R]):
    """Records by id in any order, fetched when asked for: what a page shows, before anyone looked at it."""

    __slots__ = ("_ids", "_table")

    def __init__(self, table: Table[R], ids: tuple[int, ...]) -> None:
        self._table = table
        self._ids = ids

    def __len__(self) -> int:
        return len(self._ids)

    def __iter__(self) -> Iterator[R]:
        return iter(self._table.these(self._ids))

    @overload
    def __getitem__(self, place: int) -> R: ...
    @overload
    def __getitem__(self, place: slice) -> "RowsById[R]": ...
    def __getitem__(self, place: int | slice) -> "R | RowsById[R]":
        if isinstance(place, int):
            return self._table[self._ids[place]]
        return RowsById(self._table, self._ids[place])

    def seen_in(self, world: "View") -> "RowsById[R]":
        """The records with these ids as they are in another moment."""
        return RowsById(self._table.seen_in(world), self._ids)


class DraftTable(Table[R]):
    """The writing face: each verb puts a new root into the draft."""

    __slots__ = ()

    def next_id(self) -> int:
        """Take the next id; it is never given again in this world."""
        root = self._root
        self._put(Root(root.maps, root.ids, root.next_id + 1))
        return root.next_id

    def add(self, record: R) -> R:
        """Put in a record with an id of its own."""
        root, id_ = self._root, record.id
        indexed = zip(self._of.indexes, root.maps[1:], strict=True)
        grown = [index.added(shared, record) for index, shared in indexed]
        self._put(Root((root.maps[ROWS].set(id_, record), *grown), root.ids.add(id_), max(root.next_id, id_ + 1)))
        return record

    def add_many(self, records: Sequence[R]) -> None:
        """Put in records whose ids ascend beyond all that are there."""
        if not records:
            return
        root = self._root
        indexed = zip(self._of.indexes, root.maps[1:], strict=True)
        grown = [_grown(index, shared, records) for index, shared in indexed]
        ids = root.ids.extend(tuple(record.id for record in records))
        self._put(Root((_with_rows(root.maps[ROWS], records), *grown), ids, max(root.next_id, records[-1].id + 1)))

    def change(self, record: R, **changes: Any) -> R:
        """Replace a record by one with other values; the same values leave the record itself."""
        if all(getattr(record, name) == value for name, value in changes.items()):
            return record
        return self.replace(record, evolve_record(record, **changes))

    def replace(self, old: R, new: R) -> R:
        """Put a record in the place of another with the same id."""
        root = self._root
        indexed = zip(self._of.indexes, root.maps[1:], strict=True)
        moved = [shared if index.same(old, new) else index.moved(shared, old, new) for index, shared in indexed]
        self._put(Root((root.maps[ROWS].set(new.id, new), *moved), root.ids, root.next_id))
        return new

    def remove(self, record: R) -> None:
        """Take a record out."""
        root = self._root
        indexed = zip(self._of.indexes, root.maps[1:], strict=True)
        left = [index.removed(shared, record) for index, shared in indexed]
        self._put(Root((root.maps[ROWS].delete(record.id), *left), root.ids.remove(record.id), root.next_id))

    def _put(self, root: Root) -> None:
        contents = self._contents
        contents.roots[self._at] = root  # type: ignore[index]  # a draft's is a list
        contents.touched |= 1 << self._at


def _grown(index: Index, shared: Any, records: Sequence[Record]) -> Any:
    wait = index.can_wait and len(records) >= MANY
    return Deferred.over(index, shared, records) if wait else index.grown(shared, records)


def _with_rows(rows: "Map[int, Any]", records: Sequence[Record]) -> "Map[int, Any]":
    return rows.update({record.id: record for record in records})
