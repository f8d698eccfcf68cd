"""Persistent tables of frozen records with indexes.

The content of a table is one `Root`. The first write of a draft gives it a root of its own, which shares as much as
possible with the old one; further writes change that, until the draft is frozen. `Table` reads a root; `DraftTable`
also writes it. While a world collects `reads`, every lookup is noted there, so that a cached answer can be validated
later.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, cast, overload

import attrs

from fakeplat.core.cache.dependencies import ALL, ROWS, Dependencies
from fakeplat.core.store.indexes import Index, KeyTaken, bits, each, many, ordered, unique
from fakeplat.core.store.records import evolve_record
from fakeplat.core.store.references import Reference
from fakeplat.core.store.roots import EVERY, Changed, ConcernedIndexes, Records, Root
from fakeplat.core.store.row_sequences import Rows, RowsById
from fakeplat.core.store.sorted_sequence import EMPTY, Ids, Pair, SortedSequence

if TYPE_CHECKING:
    from fakeplat.core.store.state import Draft, View


class Record(Protocol):
    """A record of a table: frozen, with an id."""

    @property
    def id(self) -> int:
        """The record's id, unique in its table."""


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
E = TypeVar("E")
G = TypeVar("G", bound=Hashable)


class Sealed(Exception):
    """A draft was written after its changes were committed."""


class TableContents:
    """The roots of all tables in one world, and the dependencies that are being collected, if any.

    ``touched`` has a bit for each table that was written; ``owned`` for each whose root no other world has. Without an
    owned one, others may have ``roots`` itself. What ``is_sealed`` is not written any more.
    """

    # Tables refer to this object instead of their world, which has them in its ``__dict__``. Without that reference
    # cycle a world is freed as soon as it is dropped, although the garbage collector seldom runs.

    __slots__ = ("is_sealed", "owned", "reads", "roots", "touched")

    def __init__(self, roots: Sequence[Root]) -> None:
        self.roots = roots
        self.reads: Dependencies | None = None
        self.owned = self.touched = 0
        self.is_sealed = False

    def own_root(self, position: int) -> Root:
        """Return the root of a table, which no other world has."""
        return self.roots[position] if self.owned >> position & 1 else self._copy_root(position)

    def _copy_root(self, position: int) -> Root:
        if self.is_sealed:
            raise Sealed
        roots, bit = list(self.roots) if not self.owned else self.roots, 1 << position
        copied = roots[position] = roots[position].copy()  # type: ignore[index]  # owned
        self.roots = roots
        self.owned |= bit
        self.touched |= bit
        return copied


class TableOf(Generic[R]):
    """The declaration of a table, as a class attribute of `View`; on instances it is the `Table` or `DraftTable`.

    ``kind``: the class of its records, or the name of that (``users.User``) below the package of the declaration, which
    is then imported when it is needed.
    """

    def __init__(self, kind: type[R] | str, *items: Index[R, Any] | Reference, first_id: int) -> None:
        self._kind = kind
        self.indexes = (EVERY, *(item for item in items if isinstance(item, Index)))
        self.references = tuple(item for item in items if isinstance(item, Reference))
        self.first_id = first_id
        self.name = ""
        self.position = -1
        self.slots = {index.name: slot for slot, index in enumerate(self.indexes)}
        self.concerned = ConcernedIndexes.among(self.indexes, range(len(self.indexes)))
        self._concerned_by: dict[tuple[str, ...], ConcernedIndexes] = {}
        if len(self.slots) < len(self.indexes):
            raise ValueError(f"{_name_of(kind)} has two indexes of the same name")
        unknown = {reference.index for reference in self.references} - self.slots.keys() - {""}
        if unknown:
            raise ValueError(f"references of {_name_of(kind)} use unknown indexes: {', '.join(sorted(unknown))}")

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name
        if isinstance(self._kind, str):
            self._kind = f"{owner.__module__.rpartition('.')[0]}.{self._kind}"

    @property
    def kind(self) -> type[R]:
        """The class of the records."""
        if isinstance(self._kind, str):
            module, _, name = self._kind.rpartition(".")
            self._kind = cast("type[R]", getattr(import_module(module), name))
        return self._kind

    def concerned_by(self, changed: tuple[str, ...]) -> ConcernedIndexes:
        """Return the indexes that may change with some columns."""
        concerned = self._concerned_by.get(changed)
        if concerned is None:
            slots = self._find_concerned(set(changed))
            concerned = self._concerned_by[changed] = ConcernedIndexes.among(self.indexes, slots)
        return concerned

    def _find_concerned(self, changed: set[str]) -> Iterator[int]:
        # What is no column of its own may be computed from any.
        stored = {field.name for field in attrs.fields(cast("type[attrs.AttrsInstance]", self.kind))}
        for slot, index in enumerate(self.indexes):
            if index.columns is None or not stored.issuperset(index.columns) or not changed.isdisjoint(index.columns):
                yield slot

    def holds(self, kind: type) -> bool:
        """Return whether records of a class are in the table. It imports nothing."""
        # Not by the exact class: groups and user namespaces are records of one table.
        return any(self._kind in (cls, f"{cls.__module__}.{cls.__qualname__}") for cls in kind.__mro__)

    def empty(self) -> Root:
        """Return the content of an empty table."""
        return Root.empty(self.indexes, self.first_id)

    @overload
    def __get__(self, world: None, owner: type) -> "TableOf[R]": ...
    @overload
    def __get__(self, world: "Draft", owner: type) -> "DraftTable[R]": ...
    @overload
    def __get__(self, world: "View", owner: type) -> "Table[R]": ...
    def __get__(self, world: "View | None", owner: type) -> "TableOf[R] | Table[R]":
        if world is None:
            return self
        # A non-data descriptor: the next access finds the table in the instance's ``__dict__``.
        table = world.endpoint(self, world.contents)
        setattr(world, self.name, table)
        return table


class Table(Generic[R]):
    """Reads a table of a world."""

    __slots__ = ("_contents", "_declaration", "_position")

    def __init__(self, declaration: TableOf[R], contents: TableContents) -> None:
        self._declaration = declaration
        self._position = declaration.position
        self._contents = contents

    def get(self, id_: int) -> R | None:
        """Return the record with an id, or None."""
        contents = self._contents
        root = contents.roots[self._position]
        record: R | None = root.rows.get(id_)
        # A miss is noted as well: what depends on an absent record changes when that is created.
        if contents.reads is not None:
            contents.reads.note(self._position, root, (ROWS, id_, record))
        return record

    def __getitem__(self, id_: int) -> R:
        # The most frequent lookup of all, hence without `get`.
        contents = self._contents
        root = contents.roots[self._position]
        record: R | None = root.rows.get(id_)
        if contents.reads is not None:
            contents.reads.note(self._position, root, (ROWS, id_, record))
        if record is None:
            raise KeyError(f"{self._declaration.name} has no record {id_}")
        return record

    def fetch(self) -> "Callable[[int], R]":
        """Return a fast function from id to record. The caller then depends on the whole table."""
        root = self._root
        if self._contents.reads is not None:
            self._contents.reads.note_whole(self._position, root)
        return cast("Callable[[int], R]", root.rows.__getitem__)

    def get_many(self, ids: Iterable[int]) -> list[R]:
        """Return the records with some ids, in that order. KeyError if one does not exist."""
        contents = self._contents
        root = contents.roots[self._position]
        get_record = root.rows.__getitem__
        records: list[R] = [get_record(id_) for id_ in ids]
        if contents.reads is not None:
            contents.reads.note(self._position, root, *[(ROWS, record.id, record) for record in records])
        return records

    def find(self, index: str, key: Hashable) -> R | None:
        """Return the record with a key of a unique index, or None."""
        contents, slot = self._contents, self._declaration.slots[index]
        root = contents.roots[self._position]
        # Not by `index_map`: a unique index lacks no write.
        id_ = root.indexed[0][slot].get(key)
        record: R | None = None if id_ is None else root.rows.get(id_)
        if contents.reads is not None:
            # Two lookups: the key may move to another record, and the record may change under the same key.
            contents.reads.note(self._position, root, (slot, key, id_), (ROWS, id_, record))
        return record

    def ids(self, index: str, key: Hashable) -> Ids:
        """Return the ids of all records with a key."""
        ids: Ids | None = self._lookup(self._declaration.slots[index], key)
        return EMPTY if ids is None else ids

    def matching(self, index: str, key: Hashable) -> Iterable[int]:
        """Return the ids of all records with a key of an index of any kind except ``ordered``."""
        slot = self._declaration.slots[index]
        entry = self._lookup(slot, key)
        return () if entry is None else self._declaration.indexes[slot].ids(entry)

    def where(self, index: str, key: Hashable) -> "Rows[R]":
        """Return all records with a key, by ascending id."""
        ids: Ids | None = self._lookup(self._declaration.slots[index], key)
        return Rows(self, EMPTY if ids is None else ids)

    def newest(self, index: str, key: Hashable) -> R | None:
        """Return the record with a key that has the greatest id, or None."""
        ids: Ids | None = self._lookup(self._declaration.slots[index], key)
        return None if ids is None else self[ids.last]

    def bits(self, index: str, key: Hashable) -> int:
        """Return an integer with a bit for each record with a key."""
        entry: int = self._lookup(self._declaration.slots[index], key) or 0
        return entry

    def sorted(self, index: str, group: Hashable) -> "SortedSequence[Pair]":
        """Return the sorted (value, id) pairs of a group's records, except those without a value."""
        entry: SortedSequence[Pair] | None = self._lookup(self._declaration.slots[index], group)
        return EMPTY if entry is None else entry

    def sorted_groups(self, index: str, groups: Iterable[G]) -> "dict[G, SortedSequence[Pair]]":
        """Return the sorted (value, id) pairs of some groups, without those that have none."""
        contents, slot = self._contents, self._declaration.slots[index]
        root = contents.roots[self._position]
        get_entry = root.index_map(slot).get
        entries = {group: get_entry(group) for group in groups}
        if contents.reads is not None:
            contents.reads.note(self._position, root, *[(slot, group, entry) for group, entry in entries.items()])
        return {group: entry for group, entry in entries.items() if entry is not None}

    def all(self) -> "Rows[R]":
        """Return all records, by ascending id."""
        return Rows(self, self.all_ids())

    def all_ids(self) -> Ids:
        """Return the ids of all records."""
        root = self._root
        if self._contents.reads is not None:
            self._contents.reads.note(self._position, root, (ALL, None, root.ids))
        return root.ids

    def __len__(self) -> int:
        return len(self.all_ids())

    def __bool__(self) -> bool:
        # Asked with each event of many worlds that have no such record.
        return self.all_ids() is not EMPTY

    def __iter__(self) -> Iterator[R]:
        return iter(self.all())

    def in_world(self, world: "View") -> "Table[R]":
        """Return the same table in another world."""
        return Table(self._declaration, world.contents)

    @property
    def _root(self) -> Root:
        return self._contents.roots[self._position]

    def _lookup(self, slot: int, key: Hashable) -> Any:
        contents = self._contents
        root = contents.roots[self._position]
        entry = root.index_map(slot).get(key)
        if contents.reads is not None:
            contents.reads.note(self._position, root, (slot, key, entry))
        return entry


class DraftTable(Table[R]):
    """Reads and writes a table of a draft."""

    __slots__ = ()

    def next_id(self) -> int:
        """Return the next id, which is never used again in this world."""
        root = self._contents.own_root(self._position)
        id_ = root.next_id
        root.next_id = id_ + 1
        return id_

    def add(self, record: R) -> R:
        """Add a record, which has its id already."""
        root, id_ = self._write((), (record,), self._declaration.concerned), record.id
        root.rows = root.rows.set(id_, record)
        # A record may come with its own id, for example from a scenario; later ids must be greater.
        if id_ >= root.next_id:
            root.next_id = id_ + 1
        return record

    def add_many(self, records: Sequence[R]) -> None:
        """Add records, whose ids ascend and are greater than all present ones."""
        if not records:
            return
        root = self._write((), tuple(records), self._declaration.concerned)
        root.rows = root.rows.update({record.id: record for record in records})
        root.next_id = max(root.next_id, records[-1].id + 1)

    def change(self, record: R, **changes: object) -> R:
        """Replace a record by one with other values. If no value differs, return the record itself."""
        for name, value in changes.items():
            if getattr(record, name) != value:
                concerned = self._declaration.concerned_by(tuple(changes))
                return self._put(record, evolve_record(record, **changes), concerned)
        # A new but equal record would invalidate every cached value that read the old one.
        return record

    def replace(self, old: R, new: R) -> R:
        """Replace a record by another one with the same id."""
        return self._put(old, new, self._declaration.concerned)

    def _put(self, old: R, new: R, concerned: ConcernedIndexes) -> R:
        root = self._write(((old, new),), (), concerned)
        root.rows = root.rows.set(new.id, new)
        return new

    def remove(self, record: R) -> None:
        """Remove a record."""
        root = self._write(((record, None),), (), self._declaration.concerned)
        root.rows = root.rows.delete(record.id)
        # What it had may be large, so no log may keep it alive.
        root.drop_log()

    def _write(self, changed: Changed, added: Records, concerned: ConcernedIndexes) -> Root:
        """Note a write in the indexes, and return the root; KeyTaken, which changes nothing."""
        # An index in which nothing changes keeps its map: what was looked up there stays valid in all caches.
        contents, position, unique = self._contents, self._position, concerned.unique
        maps = contents.roots[position].maps_with(unique, changed, added) if unique else None
        root = contents.own_root(position)
        root.note_write(maps, changed, added, concerned.others)
        return root


def _name_of(kind: type | str) -> str:
    return kind if isinstance(kind, str) else kind.__name__
