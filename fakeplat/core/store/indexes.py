"""Indexes of tables, as persistent maps.

``unique`` maps a key to one id. ``many`` and ``each`` map it to the ids of all records with the key. ``bits`` does
the same with one large integer that has a bit per id, so that conditions are combined in one operation. ``ordered``
maps a group to its records, sorted by a value. A key or value of None is not indexed.

A key is a column of the records, a tuple of columns, or a function of a record. The columns that a function reads can
be declared as well (``of``), so that a change of others does not have to ask it.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from inspect import isgeneratorfunction
from operator import attrgetter
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from fakeplat.core.store.bitsets import bits_of, iterate_bits
from fakeplat.core.store.frozen import frozen
from fakeplat.core.store.persistent_map import Map
from fakeplat.core.store.sorted_sequence import EMPTY, Ids, Pair, SortedSequence


class HasId(Protocol):
    """An object with an id."""

    @property
    def id(self) -> int:
        """The id."""


R = TypeVar("R", bound=HasId)
E = TypeVar("E")
Pairs = SortedSequence[Pair]
Columns = tuple[str, ...]
Key = str | Columns | Callable[[R], Any]


class KeyTaken(Exception):
    """A unique index already has the key: ``email 'ada@example.test'``. Domain functions should have checked before."""


@frozen
class Index(Generic[R, E]):
    """An index of a table of `R`, whose map has entries `E`.

    ``columns`` are those that the entries depend on; None if that is unknown. ``extract`` takes from a record all that
    its keys depend on, and ``keys`` computes the keys from that. If a change leaves the extract equal, the keys are not
    computed. An index that ``can_wait`` gets the writes when it is asked. A unique index cannot wait, as it must reject
    a key that is taken.
    """

    name: str
    columns: Columns | None
    extract: Callable[[R], Any]
    keys: Callable[[Any], Iterable[Hashable]]
    can_wait: ClassVar[bool] = True

    def with_records(self, entries: "Map[Hashable, E]", records: Sequence[R]) -> "Map[Hashable, E]":
        """Return the map with records added."""
        raise NotImplementedError

    def ids(self, entry: E) -> Iterable[int]:
        """Return the ids in an entry of the map."""
        raise NotImplementedError

    def with_record(self, entries: "Map[Hashable, E]", new: R) -> "Map[Hashable, E]":
        """Return the map with a record added."""
        for key in dict.fromkeys(self.keys(self.extract(new))):
            entries = self._insert(entries, key, new)
        return entries

    def with_changed_record(self, entries: "Map[Hashable, E]", old: R, new: R) -> "Map[Hashable, E]":
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

    def without_record(self, entries: "Map[Hashable, E]", old: R) -> "Map[Hashable, E]":
        """Return the map with a record removed."""
        for key in dict.fromkeys(self.keys(self.extract(old))):
            entries = self._discard(entries, key, old)
        return entries

    def _insert(self, entries: "Map[Hashable, E]", key: Hashable, record: R) -> "Map[Hashable, E]":
        raise NotImplementedError

    def _discard(self, entries: "Map[Hashable, E]", key: Hashable, record: R) -> "Map[Hashable, E]":
        raise NotImplementedError


class _Single(Index[R, E]):
    """An index with at most one key per record: the extract, unless it is None."""

    def with_record(self, entries: "Map[Hashable, E]", new: R) -> "Map[Hashable, E]":
        key = self.extract(new)
        return entries if key is None else self._insert(entries, key, new)

    def with_changed_record(self, entries: "Map[Hashable, E]", old: R, new: R) -> "Map[Hashable, E]":
        before, after = self.extract(old), self.extract(new)
        if before == after:
            return entries
        if before is not None:
            entries = self._discard(entries, before, old)
        return entries if after is None else self._insert(entries, after, new)

    def without_record(self, entries: "Map[Hashable, E]", old: R) -> "Map[Hashable, E]":
        key = self.extract(old)
        return entries if key is None else self._discard(entries, key, old)


class _Unique(_Single[R, int]):
    can_wait: ClassVar[bool] = False

    def with_records(self, entries: "Map[Hashable, int]", records: Sequence[R]) -> "Map[Hashable, int]":
        # Duplicates among the new keys make the dictionary smaller than the number of keys.
        new = {key: record.id for record in records for key in self.keys(self.extract(record))}
        taken = [key for key in new if key in entries] if entries else []
        if taken or len(new) < sum(len(tuple(self.keys(self.extract(record)))) for record in records):
            raise KeyTaken(f"{self.name} {taken or 'twice among the new records'}")
        return entries.update(new)

    def ids(self, entry: int) -> Iterable[int]:
        return (entry,)

    def with_record(self, entries: "Map[Hashable, int]", new: R) -> "Map[Hashable, int]":
        # The only kind of index that every added record is written to at once, hence without `_insert`.
        key = self.extract(new)
        if key is None:
            return entries
        if key in entries:
            raise KeyTaken(f"{self.name} {key!r}")
        return entries.set(key, new.id)

    def _insert(self, entries: "Map[Hashable, int]", _key: Hashable, record: R) -> "Map[Hashable, int]":
        return self.with_record(entries, record)

    def _discard(self, entries: "Map[Hashable, int]", key: Hashable, _record: R) -> "Map[Hashable, int]":
        return entries.delete(key)


class _Each(Index[R, Ids]):
    def with_records(self, entries: "Map[Hashable, Ids]", records: Sequence[R]) -> "Map[Hashable, Ids]":
        grown = {}
        for key, ids in self._group_ids(records).items():
            before = entries.get(key, EMPTY)
            grown[key] = before.merge(ids) if len(ids) > 1 else before.add(ids[0])
        return entries.update(grown)

    def _group_ids(self, records: Sequence[R]) -> dict[Hashable, list[int]]:
        return _group_ids_by_key(self, records)

    def ids(self, entry: Ids) -> Iterable[int]:
        return entry

    def _insert(self, entries: "Map[Hashable, Ids]", key: Hashable, record: R) -> "Map[Hashable, Ids]":
        return entries.set(key, entries.get(key, EMPTY).add(record.id))

    def _discard(self, entries: "Map[Hashable, Ids]", key: Hashable, record: R) -> "Map[Hashable, Ids]":
        rest = entries[key].remove(record.id)
        return entries.delete(key) if rest is EMPTY else entries.set(key, rest)


class _Many(_Single[R, Ids], _Each[R]):
    """An index with one key per record, which many records may share."""

    def _group_ids(self, records: Sequence[R]) -> dict[Hashable, list[int]]:
        ids_by_key = defaultdict[Hashable, list[int]](list)
        extract = self.extract
        for record in records:
            ids_by_key[extract(record)].append(record.id)
        ids_by_key.pop(None, None)
        return ids_by_key


class _Bits(Index[R, int]):
    def with_records(self, entries: "Map[Hashable, int]", records: Sequence[R]) -> "Map[Hashable, int]":
        new = _group_ids_by_key(self, records)
        return entries.update({key: entries.get(key, 0) | bits_of(ids) for key, ids in new.items()})

    def ids(self, entry: int) -> Iterable[int]:
        return iterate_bits(entry)

    def _insert(self, entries: "Map[Hashable, int]", key: Hashable, record: R) -> "Map[Hashable, int]":
        return entries.set(key, entries.get(key, 0) | 1 << record.id)

    def _discard(self, entries: "Map[Hashable, int]", key: Hashable, record: R) -> "Map[Hashable, int]":
        # The bit is known to be set, so exclusive or clears it.
        rest = entries[key] ^ 1 << record.id
        return entries.set(key, rest) if rest else entries.delete(key)


@frozen
class _Ordered(Index[R, Pairs]):
    """An index whose keys are groups; the records of a group are sorted by ``value``."""

    value: Callable[[R], Any]

    def with_records(self, entries: "Map[Hashable, Pairs]", records: Sequence[R]) -> "Map[Hashable, Pairs]":
        new: dict[Hashable, list[Pair]] = {}
        for record in records:
            value = self.value(record)
            if value is not None:
                for key in self.keys(self.extract(record)):
                    new.setdefault(key, []).append((value, record.id))
        return entries.update({key: entries.get(key, EMPTY).merge(items) for key, items in new.items()})

    def with_changed_record(self, entries: "Map[Hashable, Pairs]", old: R, new: R) -> "Map[Hashable, Pairs]":
        old_value, new_value = self.value(old), self.value(new)
        before, after = self.extract(old), self.extract(new)
        if old_value == new_value and before == after:
            return entries
        if before != after or old_value is None or new_value is None:
            return self.with_record(self.without_record(entries, old), new)
        # Even under the same keys the pair differs if the value does.
        for key in dict.fromkeys(self.keys(after)):
            entries = entries.set(key, entries[key].remove((old_value, old.id)).add((new_value, new.id)))
        return entries

    def _insert(self, entries: "Map[Hashable, Pairs]", key: Hashable, record: R) -> "Map[Hashable, Pairs]":
        value = self.value(record)
        return entries if value is None else entries.set(key, entries.get(key, EMPTY).add((value, record.id)))

    def _discard(self, entries: "Map[Hashable, Pairs]", key: Hashable, record: R) -> "Map[Hashable, Pairs]":
        value = self.value(record)
        if value is None:
            return entries
        rest = entries[key].remove((value, record.id))
        return entries.delete(key) if rest is EMPTY else entries.set(key, rest)


def _group_ids_by_key(index: Index[R, E], records: Sequence[R]) -> dict[Hashable, list[int]]:
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


def _comparable(keys: Callable[[R], Iterable[Hashable]]) -> Callable[[R], Iterable[Hashable]]:
    """Return a function with tuples for a generator; unlike two iterators, two tuples can be compared."""
    return (lambda record: tuple(keys(record))) if isgeneratorfunction(keys) else keys


def _getter(key: Key[R]) -> Callable[[R], Any]:
    if isinstance(key, str):
        return attrgetter(key)
    return attrgetter(*key) if isinstance(key, tuple) else key


def _columns(key: Key[R], of: Columns | None = None) -> Columns | None:
    if isinstance(key, str):
        return (key,)
    return key if isinstance(key, tuple) else of


def unique(name: str, key: Key[R], *, of: Columns | None = None) -> Index[R, int]:
    """Declare an index in which no two records share a key."""
    return _Unique(name, _columns(key, of), _getter(key), _single_key)


def many(name: str, key: Key[R], *, of: Columns | None = None) -> Index[R, Ids]:
    """Declare an index with one key per record, which many records may share."""
    return _Many(name, _columns(key, of), _getter(key), _single_key)


def each(name: str, keys: Key[R], *, of: Columns | None = None) -> Index[R, Ids]:
    """Declare an index with any number of keys per record."""
    return _Each(name, _columns(keys, of), _comparable(_getter(keys)), _identity)


def bits(name: str, keys: Callable[[Any], Iterable[Hashable]], columns: Columns | None = None) -> Index[R, int]:
    """Declare an index that maps each key to an integer with a bit per record.

    With ``columns``, of which there are at least two, ``keys`` gets their values instead of the record itself.
    """
    if columns is None:
        return _Bits(name, None, _comparable(keys), _identity)
    return _Bits(name, columns, attrgetter(*columns), keys)


def ordered(name: str, groups: Key[R], value: Key[R], *, of: Columns | None = None) -> Index[R, Pairs]:
    """Declare an index of each group's records, sorted by a value and then by id. ``groups`` gives any number."""
    before, after = _columns(groups, of), _columns(value, of)
    columns = None if before is None or after is None else (*before, *after)
    return _Ordered(name, columns, _comparable(_getter(groups)), _identity, _getter(value))
