"""Ways to find records by something other than their id, as persistent maps.

``unique``: a key leads to one id. ``many`` and ``each``: to the ids of all records with the key. ``bits``: the
same as one large number with a bit per id, so that several conditions meet in one operation. ``ordered``: the
records of a group, sorted by a value. A key (or value) of None is not indexed.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import lru_cache
from typing import Any, Protocol

from attrs import frozen
from immutables import Map

from fakeplat.core.ids import EMPTY, Sorted

Shared = "Map[Any, Any]"


class Numbered(Protocol):
    """Whatever has an id."""

    @property
    def id(self) -> int:
        """The number."""


class Taken(Exception):
    """A unique index has the key already: a mistake of the verb that did not look first."""


@frozen
class Index:
    """One index of a table. ``keys`` gives the keys under which a record stands."""

    name: str
    keys: Callable[[Any], Iterable[Hashable]]

    def grown(self, shared: "Map[Any, Any]", records: Sequence[Numbered]) -> "Map[Any, Any]":
        """With records whose ids are greater than all that are there."""
        raise NotImplementedError

    def moved(self, shared: "Map[Any, Any]", old: Numbered | None, new: Numbered | None) -> "Map[Any, Any]":
        """With one record replaced, added (no old one) or removed (no new one)."""
        before = dict.fromkeys(self.keys(old)) if old is not None else {}
        after = dict.fromkeys(self.keys(new)) if new is not None else {}
        if before == after:
            return shared
        for key in before:
            if key not in after:
                shared = self._without(shared, key, old)
        for key in after:
            if key not in before:
                shared = self._with(shared, key, new)
        return shared

    def _with(self, shared: "Map[Any, Any]", key: Hashable, record: Any) -> "Map[Any, Any]":
        raise NotImplementedError

    def _without(self, shared: "Map[Any, Any]", key: Hashable, record: Any) -> "Map[Any, Any]":
        raise NotImplementedError


class _Unique(Index):
    def grown(self, shared: "Map[Any, Any]", records: Sequence[Numbered]) -> "Map[Any, Any]":
        grown = shared.mutate()
        for record in records:
            for key in self.keys(record):
                if key in grown:
                    raise Taken(f"{self.name} {key!r}")
                grown[key] = record.id
        return grown.finish()

    def _with(self, shared: "Map[Any, Any]", key: Hashable, record: Any) -> "Map[Any, Any]":
        if key in shared:
            raise Taken(f"{self.name} {key!r}")
        return shared.set(key, record.id)

    def _without(self, shared: "Map[Any, Any]", key: Hashable, record: Any) -> "Map[Any, Any]":
        return shared.delete(key)


class _Many(Index):
    def grown(self, shared: "Map[Any, Any]", records: Sequence[Numbered]) -> "Map[Any, Any]":
        new = _by_key(self, records)
        grown = shared.mutate()
        for key, ids in new.items():
            grown[key] = grown.get(key, EMPTY).extend(tuple(ids))
        return grown.finish()

    def _with(self, shared: "Map[Any, Any]", key: Hashable, record: Any) -> "Map[Any, Any]":
        return shared.set(key, shared.get(key, EMPTY).add(record.id))

    def _without(self, shared: "Map[Any, Any]", key: Hashable, record: Any) -> "Map[Any, Any]":
        rest = shared[key].remove(record.id)
        return shared.set(key, rest) if rest else shared.delete(key)


class _Bits(Index):
    def grown(self, shared: "Map[Any, Any]", records: Sequence[Numbered]) -> "Map[Any, Any]":
        new = _by_key(self, records)
        grown = shared.mutate()
        for key, ids in new.items():
            grown[key] = grown.get(key, 0) | bits_of(ids)
        return grown.finish()

    def _with(self, shared: "Map[Any, Any]", key: Hashable, record: Any) -> "Map[Any, Any]":
        return shared.set(key, shared.get(key, 0) | 1 << record.id)

    def _without(self, shared: "Map[Any, Any]", key: Hashable, record: Any) -> "Map[Any, Any]":
        rest = shared[key] ^ 1 << record.id
        return shared.set(key, rest) if rest else shared.delete(key)


def bits_of(ids: Sequence[int]) -> int:
    """The number that has a bit for each id."""
    if len(ids) == 1:
        return 1 << ids[0]
    found = bytearray((max(ids, default=0) >> 3) + 1)
    for id_ in ids:
        found[id_ >> 3] |= 1 << (id_ & 7)
    return int.from_bytes(found, "little")


def bits_between(pairs: "Sorted[tuple[Any, int]]", start: int, stop: int) -> int:
    """The number that has a bit for each id among the (value, id) pairs at some places."""
    found = 0
    for part, whole in pairs.parts(start, stop):
        found |= chunk_bits(part) if whole else bits_of([id_ for _, id_ in part])
    return found


@lru_cache(1024)
def _bits_by_identity(chunk: "_Same") -> int:
    return bits_of([id_ for _, id_ in chunk.chunk])


class _Same:
    """A chunk that is equal to itself alone: chunks never change, and comparing them would cost their length."""

    __slots__ = ("chunk",)

    def __init__(self, chunk: tuple[tuple[Any, int], ...]) -> None:
        self.chunk = chunk

    def __hash__(self) -> int:
        return id(self.chunk)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.chunk is self.chunk


def chunk_bits(chunk: tuple[tuple[Any, int], ...]) -> int:
    """The number that has a bit for each id of a chunk of pairs, remembered for the chunk."""
    return _bits_by_identity(_Same(chunk))


@frozen
class _Ordered(Index):
    """``value`` is what the records of a group (each key is a group) are sorted by."""

    value: Callable[[Any], Any]

    def grown(self, shared: "Map[Any, Any]", records: Sequence[Numbered]) -> "Map[Any, Any]":
        new: dict[Hashable, list[tuple[Any, int]]] = {}
        for record in records:
            value = self.value(record)
            if value is not None:
                for key in self.keys(record):
                    new.setdefault(key, []).append((value, record.id))
        grown = shared.mutate()
        for key, items in new.items():
            grown[key] = _merged(grown.get(key, EMPTY), items)
        return grown.finish()

    def moved(self, shared: "Map[Any, Any]", old: Any, new: Any) -> "Map[Any, Any]":
        before, after = self._places(old), self._places(new)
        for key, item in before.items():
            if after.get(key) != item:
                rest = shared[key].remove(item)
                shared = shared.set(key, rest) if rest else shared.delete(key)
        for key, item in after.items():
            if before.get(key) != item:
                shared = shared.set(key, shared.get(key, EMPTY).add(item))
        return shared

    def _places(self, record: Any) -> dict[Hashable, tuple[Any, int]]:
        value = None if record is None else self.value(record)
        return {} if value is None else dict.fromkeys(self.keys(record), (value, record.id))


def _merged(old: "Sorted[Any]", items: list[tuple[Any, int]]) -> "Sorted[Any]":
    if len(items) == 1:
        return old.add(items[0])
    items.sort()
    if not old or old.slice(len(old) - 1, len(old))[0] < items[0]:
        return old.extend(tuple(items))
    return Sorted.of(sorted([*old, *items]))


def _by_key(index: Index, records: Sequence[Numbered]) -> dict[Hashable, list[int]]:
    found: dict[Hashable, list[int]] = {}
    for record in records:
        for key in dict.fromkeys(index.keys(record)):
            found.setdefault(key, []).append(record.id)
    return found


def _one(key: Callable[[Any], Hashable]) -> Callable[[Any], Iterable[Hashable]]:
    def keys(record: Any) -> Iterable[Hashable]:
        found = key(record)
        return () if found is None else (found,)

    return keys


def unique(name: str, key: Callable[[Any], Hashable]) -> Index:
    """An index whose keys are never shared."""
    return _Unique(name, _one(key))


def many(name: str, key: Callable[[Any], Hashable]) -> Index:
    """An index of all records with the same key."""
    return _Many(name, _one(key))


def each(name: str, keys: Callable[[Any], Iterable[Hashable]]) -> Index:
    """An index of all records that have a key among theirs."""
    return _Many(name, keys)


def bits(name: str, keys: Callable[[Any], Iterable[Hashable]]) -> Index:
    """An index whose keys lead to one number each, with a bit per record."""
    return _Bits(name, keys)


def ordered(name: str, groups: Callable[[Any], Iterable[Hashable]], value: Callable[[Any], Any]) -> Index:
    """The records of each group, sorted by a value and then by id."""
    return _Ordered(name, groups, value)
