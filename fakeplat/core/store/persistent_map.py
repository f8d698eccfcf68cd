"""Persistent maps: a change returns a new map, which shares most of its content with the old one.

`Map` is `immutables.Map`. Where that library has no wheel it is `PersistentMap`, which needs no compiler but is slower:
reading takes half as long again, changing twice as long or more.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping
from itertools import chain
from typing import TYPE_CHECKING, Final, TypeVar, overload

from typing_extensions import override

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
D = TypeVar("D")
_BUCKET_SIZE: Final = 32
"""The mean number of entries in a bucket up to which small maps keep their number of buckets."""
_GROWTH: Final = 4


class PersistentMap(Mapping[K, V]):
    """A persistent hash table: a list of buckets, which are dictionaries. A change copies the list and a bucket."""

    __slots__ = ("_buckets", "_count", "_mask")

    def __init__(self, entries: Mapping[K, V] | Iterable[tuple[K, V]] = ()) -> None:
        contents = dict(entries)
        size = 1
        while len(contents) > _capacity(size):
            size *= _GROWTH
        self._count = len(contents)
        self._mask = size - 1
        self._buckets: list[dict[K, V]] = [{} for _ in range(size)]
        for key, value in contents.items():
            self._buckets[hash(key) & self._mask][key] = value

    @override
    def __getitem__(self, key: K) -> V:
        return self._buckets[hash(key) & self._mask][key]

    @overload
    def get(self, key: K, /) -> V | None: ...
    @overload
    def get(self, key: K, default: V | D, /) -> V | D: ...
    @override
    def get(self, key: K, default: object = None, /) -> object:
        """Return the value of a key, or the default."""
        return self._buckets[hash(key) & self._mask].get(key, default)

    @override
    def __contains__(self, key: object) -> bool:
        return key in self._buckets[hash(key) & self._mask]

    @override
    def __iter__(self) -> Iterator[K]:
        return chain.from_iterable(self._buckets)

    @override
    def __len__(self) -> int:
        return self._count

    def set(self, key: K, value: V) -> "PersistentMap[K, V]":
        """Return a map in which a key has a value."""
        return self.update({key: value})

    def update(self, entries: Mapping[K, V]) -> "PersistentMap[K, V]":
        """Return a map in which some keys have other values."""
        buckets, count = self._buckets.copy(), self._count
        for key, value in entries.items():
            slot = hash(key) & self._mask
            bucket = buckets[slot]
            if bucket is self._buckets[slot]:
                bucket = buckets[slot] = bucket.copy()
            before = len(bucket)
            bucket[key] = value
            count += len(bucket) - before
        if count > _capacity(len(buckets)):
            return PersistentMap(chain.from_iterable(bucket.items() for bucket in buckets))
        return self._with_buckets(buckets, count)

    def delete(self, key: K) -> "PersistentMap[K, V]":
        """Return a map without a key; KeyError if there is none."""
        buckets, slot = self._buckets.copy(), hash(key) & self._mask
        bucket = buckets[slot] = buckets[slot].copy()
        del bucket[key]
        return self._with_buckets(buckets, self._count - 1)

    def _with_buckets(self, buckets: list[dict[K, V]], count: int) -> "PersistentMap[K, V]":
        changed: PersistentMap[K, V] = PersistentMap.__new__(PersistentMap)
        changed._buckets, changed._count, changed._mask = buckets, count, self._mask
        return changed


def _capacity(size: int) -> int:
    """Return the greatest number of entries for a number of buckets, which are few and small, or many and large."""
    return size * max(_BUCKET_SIZE, size // 2)


if TYPE_CHECKING:
    from immutables import Map as Map  # noqa: PLC0414  # exported
else:
    try:
        from immutables import Map
    except ImportError:
        Map = PersistentMap
