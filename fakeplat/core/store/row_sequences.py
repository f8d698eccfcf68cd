"""Rows of a table in other orders than by id, fetched lazily: a slice costs what it returns."""

from collections.abc import Iterator, Sequence
from heapq import merge
from itertools import islice
from typing import Any, Generic, TypeVar, overload

from fakeplat.core.store.sorted_sequence import Ids, SortedSequence
from fakeplat.core.store.table import Record, RowsById, Table

R = TypeVar("R", bound=Record)


class RowSequence(Sequence[R], Generic[R]):
    """The base of rows that know the ids at their positions."""

    def __init__(self, table: Table[R], size: int) -> None:
        self._table = table
        self._size = size

    def _ids(self, start: int, stop: int) -> tuple[int, ...]:
        """Return the ids at positions ``start`` to ``stop``."""
        raise NotImplementedError

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[R]:
        return map(self._table.__getitem__, self._ids(0, self._size))

    @overload
    def __getitem__(self, index: int) -> R: ...
    @overload
    def __getitem__(self, index: slice) -> RowsById[R]: ...
    def __getitem__(self, index: int | slice) -> R | RowsById[R]:
        if isinstance(index, int):
            position = index if index >= 0 else self._size + index
            if not 0 <= position < self._size:
                raise IndexError(index)
            return self._table[self._ids(position, position + 1)[0]]
        positions = range(*index.indices(self._size))
        if not positions:
            return RowsById(self._table, ())
        first = min(positions[0], positions[-1])
        ids = self._ids(first, max(positions[0], positions[-1]) + 1)
        return RowsById(self._table, tuple(ids[position - first] for position in positions))


class MergedRows(RowSequence[R]):
    """The rows of several disjoint sets of ids together, by ascending or descending id."""

    def __init__(self, table: Table[R], sets: Sequence[Ids], *, descending: bool) -> None:
        super().__init__(table, sum(map(len, sets)))
        self._sets = sets
        self._descending = descending

    def _ids(self, start: int, stop: int) -> tuple[int, ...]:
        if len(self._sets) == 1:
            return self._sets[0].slice(start, stop, descending=self._descending)
        walks = [reversed(ids) if self._descending else iter(ids) for ids in self._sets]
        return tuple(islice(merge(*walks, reverse=self._descending), start, stop))


class SortedRows(RowSequence[R]):
    """The rows of a sorted index, ascending or descending by value and then by id."""

    def __init__(self, table: Table[R], pairs: SortedSequence[tuple[Any, int]], *, descending: bool) -> None:
        super().__init__(table, len(pairs))
        self._pairs = pairs
        self._descending = descending

    def _ids(self, start: int, stop: int) -> tuple[int, ...]:
        return tuple(id_ for _, id_ in self._pairs.slice(start, stop, descending=self._descending))
