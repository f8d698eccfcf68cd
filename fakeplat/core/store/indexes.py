"""Indexes of tables, as persistent maps.

``unique`` maps a key to one id. ``many`` and ``each`` map it to the ids of all records with the key. ``bits`` does
the same with one large integer that has a bit per id, so that conditions are combined in one operation. ``ordered``
maps a group to its records, sorted by a value. A key or value of None is not indexed.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, ClassVar, Final, Protocol

from immutables import Map

from fakeplat.core.store.bitsets import bits_of, iterate_bits
from fakeplat.core.store.frozen import frozen
from fakeplat.core.store.sorted_sequence import EMPTY, SortedSequence

DEFERRED_FROM: Final = 100


class HasId(Protocol):
    """An object with an id."""

    @property
    def id(self) -> int:
        """The id."""


class KeyTaken(Exception):
    """A unique index already has the key: ``email 'ada@example.test'``. Domain functions should have checked before."""


@frozen
class Index:
    """An index of a table.

    ``extract`` takes from a record all that its keys depend on, and ``keys`` computes the keys from that. If a change
    leaves the extract equal, the keys are not computed. An index that ``can_wait`` is built over many new records on
    first use. A unique index cannot wait, as it must reject a key that is taken.
    """

    name: str
    extract: Callable[[Any], Any]
    keys: Callable[[Any], Iterable[Hashable]]
    can_wait: ClassVar[bool] = True

    def with_records(self, entries: "Map[Any, Any]", records: Sequence[HasId]) -> "Map[Any, Any]":
        """Return the map with more records, whose ids are greater than all present ones."""
        raise NotImplementedError

    def ids(self, entry: Any) -> Iterable[int]:
        """Return the ids in an entry of the map."""
        raise NotImplementedError

    def with_record(self, entries: "Map[Any, Any]", new: HasId) -> "Map[Any, Any]":
        """Return the map with a record added."""
        for key in dict.fromkeys(self.keys(self.extract(new))):
            entries = self._insert(entries, key, new)
        return entries

    def with_changed_record(self, entries: "Map[Any, Any]", old: HasId, new: HasId) -> "Map[Any, Any]":
        """Return the map with a new version of a record; the map itself if the entries are the same."""
        # Entries of keys that stay are not touched: a cached value that read one of them stays valid.
        extract_before, extract_after = self.extract(old), self.extract(new)
        if extract_before == extract_after:
            return entries
        before, after = tuple(self.keys(extract_before)), tuple(self.keys(extract_after))
        for key in dict.fromkeys(before):
            if key not in after:
                entries = self._discard(entries, key, old)
        for key in dict.fromkeys(after):
            if key not in before:
                entries = self._insert(entries, key, new)
        return entries

    def without_record(self, entries: "Map[Any, Any]", old: HasId) -> "Map[Any, Any]":
        """Return the map with a record removed."""
        for key in dict.fromkeys(self.keys(self.extract(old))):
            entries = self._discard(entries, key, old)
        return entries

    def _insert(self, entries: "Map[Any, Any]", key: Hashable, record: Any) -> "Map[Any, Any]":
        raise NotImplementedError

    def _discard(self, entries: "Map[Any, Any]", key: Hashable, record: Any) -> "Map[Any, Any]":
        raise NotImplementedError


class Deferred:
    """An index's map over many new records, built on first use.

    It has the interface of a map; changes return a map. Loading many records then costs no more than creating them, and
    an index that is never used is never built.
    """

    __slots__ = ("_base", "_batches", "_built", "_index")

    def __init__(self, index: Index, entries: "Map[Any, Any]", batches: tuple[Sequence[HasId], ...]) -> None:
        self._index = index
        self._base = entries
        self._batches = batches
        self._built: Map[Any, Any] | None = None

    @classmethod
    def extend(cls, index: Index, entries: "Map[Any, Any] | Deferred", records: Sequence[HasId]) -> "Deferred":
        """Return a deferred map with more records; records that are not indexed yet are carried over."""
        # Several loads before the first use are indexed together.
        if isinstance(entries, Deferred) and entries._built is None:
            return cls(index, entries._base, (*entries._batches, records))
        return cls(index, entries.build() if isinstance(entries, Deferred) else entries, (records,))

    def build(self) -> "Map[Any, Any]":
        """Return the map, building it first if needed."""
        if self._built is None:
            self._built = self._index.with_records(self._base, list(chain.from_iterable(self._batches)))
            # The records belong to the table; keeping the batches would keep records alive that are deleted from it.
            self._batches = ()
        return self._built

    def get(self, key: Hashable, default: Any = None) -> Any:
        """Return the entry of a key, or the default."""
        return self.build().get(key, default)

    def __getitem__(self, key: Hashable) -> Any:
        return self.build()[key]

    def __contains__(self, key: Hashable) -> bool:
        return key in self.build()

    def __len__(self) -> int:
        return len(self.build())

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self.build())

    def set(self, key: Hashable, value: Any) -> "Map[Any, Any]":
        """Return a map with another value for a key."""
        return self.build().set(key, value)

    def delete(self, key: Hashable) -> "Map[Any, Any]":
        """Return a map without a key."""
        return self.build().delete(key)

    def mutate(self) -> Any:
        """Return a mutable copy of the map."""
        return self.build().mutate()


class _Single(Index):
    """An index with at most one key per record: the extract, unless it is None."""

    def with_record(self, entries: "Map[Any, Any]", new: HasId) -> "Map[Any, Any]":
        key = self.extract(new)
        return entries if key is None else self._insert(entries, key, new)

    def with_changed_record(self, entries: "Map[Any, Any]", old: HasId, new: HasId) -> "Map[Any, Any]":
        before, after = self.extract(old), self.extract(new)
        if before == after:
            return entries
        if before is not None:
            entries = self._discard(entries, before, old)
        return entries if after is None else self._insert(entries, after, new)

    def without_record(self, entries: "Map[Any, Any]", old: HasId) -> "Map[Any, Any]":
        key = self.extract(old)
        return entries if key is None else self._discard(entries, key, old)


class _Unique(_Single):
    can_wait: ClassVar[bool] = False

    def with_records(self, entries: "Map[Any, Any]", records: Sequence[HasId]) -> "Map[Any, Any]":
        # Duplicates among the new keys make the dictionary smaller than the number of keys.
        new = {key: record.id for record in records for key in self.keys(self.extract(record))}
        taken = [key for key in new if key in entries] if entries else []
        if taken or len(new) < sum(len(tuple(self.keys(self.extract(record)))) for record in records):
            raise KeyTaken(f"{self.name} {taken or 'twice among the new records'}")
        return entries.update(new)

    def ids(self, entry: int) -> Iterable[int]:
        return (entry,)

    def _insert(self, entries: "Map[Any, Any]", key: Hashable, record: Any) -> "Map[Any, Any]":
        if key in entries:
            raise KeyTaken(f"{self.name} {key!r}")
        return entries.set(key, record.id)

    def _discard(self, entries: "Map[Any, Any]", key: Hashable, _record: Any) -> "Map[Any, Any]":
        return entries.delete(key)


class _Each(Index):
    def with_records(self, entries: "Map[Any, Any]", records: Sequence[HasId]) -> "Map[Any, Any]":
        new = _group_ids_by_key(self, records)
        grown = entries.mutate()
        for key, ids in new.items():
            grown[key] = grown.get(key, EMPTY).extend(tuple(ids))
        return grown.finish()

    def ids(self, entry: Iterable[int]) -> Iterable[int]:
        return entry

    def _insert(self, entries: "Map[Any, Any]", key: Hashable, record: Any) -> "Map[Any, Any]":
        return entries.set(key, entries.get(key, EMPTY).add(record.id))

    def _discard(self, entries: "Map[Any, Any]", key: Hashable, record: Any) -> "Map[Any, Any]":
        rest = entries[key].remove(record.id)
        return entries.set(key, rest) if rest else entries.delete(key)


class _Many(_Single, _Each):
    """An index with one key per record, which many records may share."""


class _Bits(Index):
    def with_records(self, entries: "Map[Any, Any]", records: Sequence[HasId]) -> "Map[Any, Any]":
        new = _group_ids_by_key(self, records)
        grown = entries.mutate()
        for key, ids in new.items():
            grown[key] = grown.get(key, 0) | bits_of(ids)
        return grown.finish()

    def ids(self, entry: int) -> Iterable[int]:
        return iterate_bits(entry)

    def _insert(self, entries: "Map[Any, Any]", key: Hashable, record: Any) -> "Map[Any, Any]":
        return entries.set(key, entries.get(key, 0) | 1 << record.id)

    def _discard(self, entries: "Map[Any, Any]", key: Hashable, record: Any) -> "Map[Any, Any]":
        # The bit is known to be set, so exclusive or clears it.
        rest = entries[key] ^ 1 << record.id
        return entries.set(key, rest) if rest else entries.delete(key)


@frozen
class _Ordered(Index):
    """An index whose keys are groups; the records of a group are sorted by ``value``."""

    value: Callable[[Any], Any]

    def with_records(self, entries: "Map[Any, Any]", records: Sequence[HasId]) -> "Map[Any, Any]":
        new: dict[Hashable, list[tuple[Any, int]]] = {}
        for record in records:
            value = self.value(record)
            if value is not None:
                for key in self.keys(self.extract(record)):
                    new.setdefault(key, []).append((value, record.id))
        grown = entries.mutate()
        for key, items in new.items():
            grown[key] = _merge_sorted(grown.get(key, EMPTY), items)
        return grown.finish()

    def with_changed_record(self, entries: "Map[Any, Any]", old: HasId, new: HasId) -> "Map[Any, Any]":
        if self.value(old) == self.value(new) and self.extract(old) == self.extract(new):
            return entries
        # Even under the same keys the pair differs if the value does, so all entries are replaced.
        return self.with_record(self.without_record(entries, old), new)

    def _insert(self, entries: "Map[Any, Any]", key: Hashable, record: Any) -> "Map[Any, Any]":
        value = self.value(record)
        return entries if value is None else entries.set(key, entries.get(key, EMPTY).add((value, record.id)))

    def _discard(self, entries: "Map[Any, Any]", key: Hashable, record: Any) -> "Map[Any, Any]":
        value = self.value(record)
        if value is None:
            return entries
        rest = entries[key].remove((value, record.id))
        return entries.set(key, rest) if rest else entries.delete(key)


def _merge_sorted(sequence: "SortedSequence[Any]", items: list[tuple[Any, int]]) -> "SortedSequence[Any]":
    if len(items) == 1:
        return sequence.add(items[0])
    items.sort()
    # Records are usually created in order, so the new items often just follow the old ones.
    if not sequence or sequence.slice(len(sequence) - 1, len(sequence))[0] < items[0]:
        return sequence.extend(tuple(items))
    return SortedSequence.from_sorted(sorted([*sequence, *items]))


def _group_ids_by_key(index: Index, records: Sequence[HasId]) -> dict[Hashable, list[int]]:
    ids_by_key: dict[Hashable, list[int]] = {}
    extract, keys = index.extract, index.keys
    for record in records:
        for key in dict.fromkeys(keys(extract(record))):
            ids_by_key.setdefault(key, []).append(record.id)
    return ids_by_key


def _single_key(key: Hashable) -> Iterable[Hashable]:
    return () if key is None else (key,)


def _identity(keys: tuple[Hashable, ...]) -> tuple[Hashable, ...]:
    return keys


def _tuple_of(keys: Callable[[Any], Iterable[Hashable]]) -> Callable[[Any], tuple[Hashable, ...]]:
    return lambda record: tuple(keys(record))


def unique(name: str, key: Callable[[Any], Hashable]) -> Index:
    """Declare an index in which no two records share a key."""
    return _Unique(name, key, _single_key)


def many(name: str, key: Callable[[Any], Hashable]) -> Index:
    """Declare an index with one key per record, which many records may share."""
    return _Many(name, key, _single_key)


def each(name: str, keys: Callable[[Any], Iterable[Hashable]]) -> Index:
    """Declare an index with any number of keys per record."""
    return _Each(name, _tuple_of(keys), _identity)


def bits(name: str, keys: Callable[[Any], Iterable[Hashable]], extract: Callable[[Any], Any] | None = None) -> Index:
    """Declare an index that maps each key to an integer with a bit per record.

    With ``extract``, ``keys`` gets what that returns for a record instead of the record itself.
    """
    return _Bits(name, _tuple_of(keys), _identity) if extract is None else _Bits(name, extract, keys)


def ordered(name: str, groups: Callable[[Any], Iterable[Hashable]], value: Callable[[Any], Any]) -> Index:
    """Declare an index of each group's records, sorted by a value and then by id."""
    return _Ordered(name, _tuple_of(groups), _identity, value)
