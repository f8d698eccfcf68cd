"""Rows of a table in some order, fetched lazily: a slice costs what it returns."""

from collections.abc import Iterator, Sequence
from heapq import merge
from itertools import islice
from typing import TYPE_CHECKING, TypeVar, overload

from fakeplat.core.store.sorted_sequence import Ids, Pair, SortedSequence

if TYPE_CHECKING:
    from fakeplat.core.store.state import View
    from fakeplat.core.store.table import Record, Table

R = TypeVar("R", bound="Record")


class RowsById(Sequence[R]):
    """Records with given ids in any order, fetched lazily: the rows of a page, before rendering."""

    __slots__ = ("_ids", "_table")

    def __init__(self, table: "Table[R]", ids: tuple[int, ...]) -> None:
        self._table = table
        self._ids = ids

    def __len__(self) -> int:
        return len(self._ids)

    def __iter__(self) -> Iterator[R]:
        return iter(self._table.get_many(self._ids))

    @overload
    def __getitem__(self, index: int) -> R: ...
    @overload
    def __getitem__(self, index: slice) -> "RowsById[R]": ...
    def __getitem__(self, index: int | slice) -> "R | RowsById[R]":
        if isinstance(index, int):
            return self._table[self._ids[index]]
        return RowsById(self._table, self._ids[index])

    def in_world(self, world: "View") -> "RowsById[R]":
        """Return the records with the same ids in another world."""
        return RowsById(self._table.in_world(world), self._ids)


class RowSequence(Sequence[R]):
    """The base of rows that know the ids at their positions."""

    __slots__ = ("_table",)

    def __init__(self, table: "Table[R]") -> None:
        self._table = table

    def _slice_ids(self, start: int, stop: int) -> tuple[int, ...]:
        """Return the ids at positions ``start`` to ``stop``."""
        raise NotImplementedError

    def __iter__(self) -> Iterator[R]:
        return map(self._table.__getitem__, self._slice_ids(0, len(self)))

    @overload
    def __getitem__(self, index: int) -> R: ...
    @overload
    def __getitem__(self, index: slice) -> RowsById[R]: ...
    def __getitem__(self, index: int | slice) -> R | RowsById[R]:
        size = len(self)
        if isinstance(index, int):
            position = index if index >= 0 else size + index
            if not 0 <= position < size:
                raise IndexError(index)
            return self._table[self._slice_ids(position, position + 1)[0]]
        positions = range(*index.indices(size))
        if not positions:
            return RowsById(self._table, ())
        first = min(positions[0], positions[-1])
        ids = self._slice_ids(first, max(positions[0], positions[-1]) + 1)
        return RowsById(self._table, tuple(ids[position - first] for position in positions))


class Rows(RowSequence[R]):
    """Rows in the order of their ids."""

    __slots__ = ("_descending", "_ids")

    def __init__(self, table: "Table[R]", ids: Ids, *, descending: bool = False) -> None:
        self._table = table
        self._ids = ids
        self._descending = descending

    def __len__(self) -> int:
        return len(self._ids)

    def __iter__(self) -> Iterator[R]:
        ids = reversed(self._ids) if self._descending else iter(self._ids)
        return map(self._table.__getitem__, ids)

    def __reversed__(self) -> Iterator[R]:
        return iter(self.in_reverse())

    def in_reverse(self) -> "Rows[R]":
        """Return the same rows by descending id."""
        return Rows(self._table, self._ids, descending=not self._descending)

    def _slice_ids(self, start: int, stop: int) -> tuple[int, ...]:
        return self._ids.slice(start, stop, descending=self._descending)


class MergedRows(RowSequence[R]):
    """The rows of several disjoint sets of ids together, by ascending or descending id."""

    def __init__(self, table: "Table[R]", sets: Sequence[Ids], *, descending: bool) -> None:
        super().__init__(table)
        self._sets = sets
        self._size = sum(map(len, sets))
        self._descending = descending

    def __len__(self) -> int:
        return self._size

    def _slice_ids(self, start: int, stop: int) -> tuple[int, ...]:
        if len(self._sets) == 1:
            return self._sets[0].slice(start, stop, descending=self._descending)
        walks = [reversed(ids) if self._descending else iter(ids) for ids in self._sets]
        return tuple(islice(merge(*walks, reverse=self._descending), start, stop))


class SortedRows(RowSequence[R]):
    """The rows of a sorted index, ascending or descending by value and then by id."""

    def __init__(self, table: "Table[R]", pairs: SortedSequence[Pair], *, descending: bool) -> None:
        super().__init__(table)
        self._pairs = pairs
        self._descending = descending

    def __len__(self) -> int:
        return len(self._pairs)

    def _slice_ids(self, start: int, stop: int) -> tuple[int, ...]:
        return tuple(id_ for _, id_ in self._pairs.slice(start, stop, descending=self._descending))
