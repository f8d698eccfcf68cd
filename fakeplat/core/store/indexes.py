"""Ways to find records by something other than their id, as persistent maps.

``unique``: a key leads to one id. ``many`` and ``each``: to the ids of all records with the key. ``bits``: the
same as one large number with a bit per id, so that several conditions meet in one operation. ``ordered``: the
records of a group, sorted by a value. A key (or value) of None is not indexed.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, ClassVar, Final, Protocol

from immutables import Map

from fakeplat.core.store.bitsets import bits_of, iterate_bits
from fakeplat.core.store.frozen import frozen
from fakeplat.core.store.sorted_sequence import EMPTY, SortedSequence

MANY: Final = 100


class HasId(Protocol):
    """Whatever has an id."""

    @property
    def id(self) -> int:
        """The number."""


class KeyTaken(Exception):
    """A unique index has the key already: a mistake of the verb that did not look first."""


@frozen
class Index:
    """One index of a table.

    ``of`` gives what decides where a record stands, and ``keys`` the keys under which something of that kind stands:
    while the first is the same, nobody asks for the second. An index that ``can_wait`` is built over many new records
    when it is first looked at; a unique one cannot, as it must refuse a key that is taken.
    """

    name: str
    of: Callable[[Any], Any]
    keys: Callable[[Any], Iterable[Hashable]]
    can_wait: ClassVar[bool] = True

    def grown(self, shared: "Map[Any, Any]", records: Sequence[HasId]) -> "Map[Any, Any]":
        """With records whose ids are greater than all that are there."""
        raise NotImplementedError

    def ids(self, entry: Any) -> Iterable[int]:
        """The ids in what stands under a key."""
        raise NotImplementedError

    def same(self, old: HasId, new: HasId) -> bool:
        """Whether two records stand at the same places."""
        return bool(self.of(old) == self.of(new))

    def added(self, shared: "Map[Any, Any]", new: HasId) -> "Map[Any, Any]":
        """With one record more."""
        for key in dict.fromkeys(self.keys(self.of(new))):
            shared = self._with(shared, key, new)
        return shared

    def moved(self, shared: "Map[Any, Any]", old: HasId, new: HasId) -> "Map[Any, Any]":
        """With one record in the place of another."""
        before, after = tuple(self.keys(self.of(old))), tuple(self.keys(self.of(new)))
        for key in dict.fromkeys(before):
            if key not in after:
                shared = self._without(shared, key, old)
        for key in dict.fromkeys(after):
            if key not in before:
                shared = self._with(shared, key, new)
        return shared

    def removed(self, shared: "Map[Any, Any]", old: HasId) -> "Map[Any, Any]":
        """Without one record."""
        for key in dict.fromkeys(self.keys(self.of(old))):
            shared = self._without(shared, key, old)
        return shared

    def _with(self, shared: "Map[Any, Any]", key: Hashable, record: Any) -> "Map[Any, Any]":
        raise NotImplementedError

    def _without(self, shared: "Map[Any, Any]", key: Hashable, record: Any) -> "Map[Any, Any]":
        raise NotImplementedError


class Deferred:
    """An index's map over many new records, built when it is first looked at.

    It stands where a map stands; what it is changed to is a map. Loading many records so costs what making them
    costs, and an order that nobody asks for is never built.
    """

    __slots__ = ("_batches", "_built", "_index", "_shared")

    def __init__(self, index: Index, shared: "Map[Any, Any]", batches: tuple[Sequence[HasId], ...]) -> None:
        self._index = index
        self._shared = shared
        self._batches = batches
        self._built: Map[Any, Any] | None = None

    @classmethod
    def over(cls, index: Index, shared: "Map[Any, Any] | Deferred", records: Sequence[HasId]) -> "Deferred":
        """The map with more records, put off together with what was put off before."""
        if isinstance(shared, Deferred) and shared._built is None:
            return cls(index, shared._shared, (*shared._batches, records))
        return cls(index, shared.built() if isinstance(shared, Deferred) else shared, (records,))

    def built(self) -> "Map[Any, Any]":
        """The map itself."""
        if self._built is None:
            self._built = self._index.grown(self._shared, list(chain.from_iterable(self._batches)))
            self._batches = ()
        return self._built

    def get(self, key: Hashable, default: Any = None) -> Any:
        """What stands under a key."""
        return self.built().get(key, default)

    def __getitem__(self, key: Hashable) -> Any:
        return self.built()[key]

    def __contains__(self, key: Hashable) -> bool:
        return key in self.built()

    def __len__(self) -> int:
        return len(self.built())

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self.built())

    def set(self, key: Hashable, value: Any) -> "Map[Any, Any]":
        """With another value under a key."""
        return self.built().set(key, value)

    def delete(self, key: Hashable) -> "Map[Any, Any]":
        """Without a key."""
        return self.built().delete(key)

    def mutate(self) -> Any:
        """A map to be changed in place."""
        return self.built().mutate()


class _Single(Index):
    """An index with one key for a record at most: what ``of`` gives, unless that is None."""

    def added(self, shared: "Map[Any, Any]", new: HasId) -> "Map[Any, Any]":
        key = self.of(new)
        return shared if key is None else self._with(shared, key, new)

    def moved(self, shared: "Map[Any, Any]", old: HasId, new: HasId) -> "Map[Any, Any]":
        return self.added(self.removed(shared, old), new)

    def removed(self, shared: "Map[Any, Any]", old: HasId) -> "Map[Any, Any]":
        key = self.of(old)
        return shared if key is None else self._without(shared, key, old)


class _Unique(_Single):
    can_wait: ClassVar[bool] = False

    def grown(self, shared: "Map[Any, Any]", records: Sequence[HasId]) -> "Map[Any, Any]":
        new = {key: record.id for record in records for key in self.keys(self.of(record))}
        taken = [key for key in new if key in shared] if shared else []
        if taken or len(new) < sum(len(tuple(self.keys(self.of(record)))) for record in records):
            raise KeyTaken(f"{self.name} {taken or 'twice among the new ones'}")
        return shared.update(new)

    def ids(self, entry: int) -> Iterable[int]:
        return (entry,)

    def _with(self, shared: "Map[Any, Any]", key: Hashable, record: Any) -> "Map[Any, Any]":
        if key in shared:
            raise KeyTaken(f"{self.name} {key!r}")
        return shared.set(key, record.id)

    def _without(self, shared: "Map[Any, Any]", key: Hashable, record: Any) -> "Map[Any, Any]":
        return shared.delete(key)


class _Each(Index):
    def grown(self, shared: "Map[Any, Any]", records: Sequence[HasId]) -> "Map[Any, Any]":
        new = _by_key(self, records)
        grown = shared.mutate()
        for key, ids in new.items():
            grown[key] = grown.get(key, EMPTY).extend(tuple(ids))
        return grown.finish()

    def ids(self, entry: Iterable[int]) -> Iterable[int]:
        return entry

    def _with(self, shared: "Map[Any, Any]", key: Hashable, record: Any) -> "Map[Any, Any]":
        return shared.set(key, shared.get(key, EMPTY).add(record.id))

    def _without(self, shared: "Map[Any, Any]", key: Hashable, record: Any) -> "Map[Any, Any]":
        rest = shared[key].remove(record.id)
        return shared.set(key, rest) if rest else shared.delete(key)


class _Many(_Single, _Each):
    """One key leads to many records."""


class _Bits(Index):
    def grown(self, shared: "Map[Any, Any]", records: Sequence[HasId]) -> "Map[Any, Any]":
        new = _by_key(self, records)
        grown = shared.mutate()
        for key, ids in new.items():
            grown[key] = grown.get(key, 0) | bits_of(ids)
        return grown.finish()

    def ids(self, entry: int) -> Iterable[int]:
        return iterate_bits(entry)

    def _with(self, shared: "Map[Any, Any]", key: Hashable, record: Any) -> "Map[Any, Any]":
        return shared.set(key, shared.get(key, 0) | 1 << record.id)

    def _without(self, shared: "Map[Any, Any]", key: Hashable, record: Any) -> "Map[Any, Any]":
        rest = shared[key] ^ 1 << record.id
        return shared.set(key, rest) if rest else shared.delete(key)


@frozen
class _Ordered(Index):
    """``value`` is what the records of a group (each key is a group) are sorted by."""

    value: Callable[[Any], Any]

    def grown(self, shared: "Map[Any, Any]", records: Sequence[HasId]) -> "Map[Any, Any]":
        new: dict[Hashable, list[tuple[Any, int]]] = {}
        for record in records:
            value = self.value(record)
            if value is not None:
                for key in self.keys(self.of(record)):
                    new.setdefault(key, []).append((value, record.id))
        grown = shared.mutate()
        for key, items in new.items():
            grown[key] = _merged(grown.get(key, EMPTY), items)
        return grown.finish()

    def same(self, old: HasId, new: HasId) -> bool:
        return bool(self.value(old) == self.value(new)) and super().same(old, new)

    def moved(self, shared: "Map[Any, Any]", old: HasId, new: HasId) -> "Map[Any, Any]":
        return self.added(self.removed(shared, old), new)

    def _with(self, shared: "Map[Any, Any]", key: Hashable, record: Any) -> "Map[Any, Any]":
        value = self.value(record)
        return shared if value is None else shared.set(key, shared.get(key, EMPTY).add((value, record.id)))

    def _without(self, shared: "Map[Any, Any]", key: Hashable, record: Any) -> "Map[Any, Any]":
        value = self.value(record)
        if value is None:
            return shared
        rest = shared[key].remove((value, record.id))
        return shared.set(key, rest) if rest else shared.delete(key)


def _merged(old: "SortedSequence[Any]", items: list[tuple[Any, int]]) -> "SortedSequence[Any]":
    if len(items) == 1:
        return old.add(items[0])
    items.sort()
    if not old or old.slice(len(old) - 1, len(old))[0] < items[0]:
        return old.extend(tuple(items))
    return SortedSequence.of(sorted([*old, *items]))


def _by_key(index: Index, records: Sequence[HasId]) -> dict[Hashable, list[int]]:
    found: dict[Hashable, list[int]] = {}
    of, keys = index.of, index.keys
    for record in records:
        for key in dict.fromkeys(keys(of(record))):
            found.setdefault(key, []).append(record.id)
    return found


def _one(key: Hashable) -> Iterable[Hashable]:
    return () if key is None else (key,)


def _themselves(keys: tuple[Hashable, ...]) -> tuple[Hashable, ...]:
    return keys


def _gathered(keys: Callable[[Any], Iterable[Hashable]]) -> Callable[[Any], tuple[Hashable, ...]]:
    return lambda record: tuple(keys(record))


def unique(name: str, key: Callable[[Any], Hashable]) -> Index:
    """An index whose keys are never shared."""
    return _Unique(name, key, _one)


def many(name: str, key: Callable[[Any], Hashable]) -> Index:
    """An index of all records with the same key."""
    return _Many(name, key, _one)


def each(name: str, keys: Callable[[Any], Iterable[Hashable]]) -> Index:
    """An index of all records that have a key among theirs."""
    return _Each(name, _gathered(keys), _themselves)


def bits(name: str, keys: Callable[[Any], Iterable[Hashable]], of: Callable[[Any], Any] | None = None) -> Index:
    """An index whose keys lead to one number each, with a bit per record.

    ``keys`` may be worked out of what ``of`` takes from a record instead of the record itself.
    """
    return _Bits(name, _gathered(keys), _themselves) if of is None else _Bits(name, of, keys)


def ordered(name: str, groups: Callable[[Any], Iterable[Hashable]], value: Callable[[Any], Any]) -> Index:
    """The records of each group, sorted by a value and then by id."""
    return _Ordered(name, _gathered(groups), _themselves, value)
