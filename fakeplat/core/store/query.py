"""Queries: selected records in an order, without reading records that no page contains.

The selection is an integer with a bit per record (see `core.store.indexes`): its bit count is the total, and combining
it with another condition is one operation. A page walks the order and takes the selected records; a selection of few
records is sorted directly.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from operator import itemgetter
from typing import Final, Generic, Protocol, TypeVar

from fakeplat.core.store.bitsets import chunk_bits, iterate_bits, iterate_bits_descending, run_bits
from fakeplat.core.store.row_sequences import RowSequence
from fakeplat.core.store.sorted_sequence import Pair, SequenceSlice, SortedSequence
from fakeplat.core.store.table import Record, Table

R = TypeVar("R", bound=Record)
_INFINITY: Final = float("inf")
_VALUE: Final = itemgetter(0)
_ID: Final = itemgetter(1)
_SORT_LIMIT: Final = 64
_SPARSE: Final = 16
_LONG_RUN: Final = 64
_UNCHECKED_CHUNKS: Final = 1
_FEW_HITS: Final = 64
_SHIFT_LIMIT: Final = 4_096


class IdSet(Protocol):
    """A set of selected ids."""

    def __contains__(self, id_: int, /) -> bool: ...


ChunkHits = tuple[tuple[Pair, ...], IdSet]
"""A chunk, and the set that tells which of its ids are selected."""


class Order(Generic[R]):
    """An order of records: sorted (value, id) pairs, and a function that returns a record's value.

    Records without a value come last. Among equal values the greater id comes first in both directions; if ``plain``,
    ids are in the direction of the order.
    """

    def __init__(
        self, pairs: "SortedSequence[Pair]", value: Callable[[R], object], *, descending: bool, plain: bool = False
    ) -> None:
        self.pairs = pairs
        self.value = value
        self.descending = descending
        self.plain = plain

    def walk(self, chosen: int) -> Iterator[int]:
        """Iterate over the selected ids of records that have a value."""
        chosen_bits = Bits(chosen)
        if self.descending:
            return self._walk_descending(chosen_bits)
        return map(_ID, self._chosen(chosen_bits, 0)) if self.plain else self._walk_ascending(chosen_bits)

    def sort(self, valued: list[Pair]) -> list[int]:
        """Return the ids of (value, id) pairs in this order."""
        if self.plain:
            return [id_ for _, id_ in sorted(valued, reverse=self.descending)]
        # Sorting is stable, also in reverse: equal values keep the order of descending ids.
        newest_first = sorted(valued, key=_ID, reverse=True)
        return [id_ for _, id_ in sorted(newest_first, key=_VALUE, reverse=self.descending)]

    def _walk_descending(self, chosen: "Bits") -> Iterator[int]:
        for chunk, hits in chosen.iterate_chunks_backwards(self.pairs.runs()):
            yield from (id_ for _, id_ in reversed(chunk) if id_ in hits)

    def _walk_ascending(self, chosen: "Bits") -> Iterator[int]:
        """Iterate over runs of equal values, each by descending id."""
        # A run must be reversed, so it is collected first. If it gets long (all values may be equal), collecting it
        # would read far more than a page: then its end is found by bisection, and it is walked backwards from there.
        run: list[Pair] = []
        start = 0
        while True:
            for pair in self._chosen(chosen, start):
                if run and pair[0] != run[0][0]:
                    yield from map(_ID, reversed(run))
                    run = []
                run.append(pair)
                if len(run) > _LONG_RUN:
                    break
            else:
                yield from map(_ID, reversed(run))
                return
            # (value, 0) is before all pairs of the value, as ids start at 1, and (value, infinity) is after them.
            run_start, start = self.pairs.before((run[0][0], 0)), self.pairs.before((run[0][0], _INFINITY))
            run = []
            yield from self._backwards(chosen, run_start, start)

    def _chosen(self, chosen: "Bits", start: int) -> Iterator[Pair]:
        for chunk, hits in chosen.iterate_chunks(self.pairs.runs(start)):
            yield from (pair for pair in chunk if pair[1] in hits)

    def _backwards(self, chosen: "Bits", start: int, end: int) -> Iterator[int]:
        for chunk, hits in chosen.iterate_chunks_backwards(self.pairs.runs(start, end)):
            yield from (id_ for _, id_ in reversed(chunk) if id_ in hits)


class Bits:
    """A selection that tests single ids, or whole chunks at once."""

    __slots__ = ("_bytes", "_number", "_shift_from")

    def __init__(self, number: int) -> None:
        self._number = number
        self._shift_from = max(number.bit_length() - _SHIFT_LIMIT, 0)
        self._bytes = b""

    def __contains__(self, id_: int, /) -> bool:
        # A shift copies the remaining bits, so it is cheap only for the greatest ids. These are also tested most: the
        # first page of most lists has the newest records. All others are looked up in a byte string, built on demand.
        if id_ >= self._shift_from:
            return bool(self._number >> id_ & 1)
        if not self._bytes:
            self._bytes = self._number.to_bytes((self._number.bit_length() + 7) // 8, "little")
        return bool(self._bytes[id_ >> 3] >> (id_ & 7) & 1)

    def iterate_chunks(self, runs: Iterable[SequenceSlice[Pair]]) -> Iterator[ChunkHits]:
        """Iterate over chunks that may contain selected ids: the first ones unchecked, others only if they do."""
        return self._iterate_hits((run, run.chunks) for run in runs)

    def iterate_chunks_backwards(self, runs: Sequence[SequenceSlice[Pair]]) -> Iterator[ChunkHits]:
        """Iterate in the same way from the end."""
        return self._iterate_hits((run, run.chunks[::-1]) for run in reversed(runs))

    def _iterate_hits(
        self, runs: Iterable[tuple[SequenceSlice[Pair], tuple[tuple[Pair, ...], ...]]]
    ) -> Iterator[ChunkHits]:
        # The first chunk is not checked: it often fills the page, and computing the bits of a new chunk costs more than
        # walking it once. After that, whole runs and chunks without a hit are skipped by a single operation.
        visited = 0
        for run, chunks in runs:
            if visited > _UNCHECKED_CHUNKS and not run_bits(run) & self._number:
                continue
            for chunk in chunks:
                visited += 1
                if visited <= _UNCHECKED_CHUNKS or not run.is_uncut:
                    yield chunk, self
                elif hits := chunk_bits(chunk) & self._number:
                    yield chunk, set(iterate_bits(hits)) if hits.bit_count() < _FEW_HITS else self


class Query(RowSequence[R]):
    """The selected records of a table in an order. ``len`` and the first pages are cheap for tables of any size."""

    def __init__(self, table: Table[R], chosen: int, order: Order[R]) -> None:
        super().__init__(table)
        self._chosen = chosen
        self._order = order
        self._size = chosen.bit_count()

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[R]:
        return map(self._table.__getitem__, self._ids())

    def _slice_ids(self, start: int, stop: int) -> tuple[int, ...]:
        return tuple(islice(self._ids(), start, stop))

    def _ids(self) -> Iterator[int]:
        # Walking the order to find a few records in a large table would skip far more than it returns.
        few = self._size <= _SORT_LIMIT and self._size * _SPARSE < len(self._order.pairs)
        return self._sort_few() if few else self._walk_order()

    def _sort_few(self) -> Iterator[int]:
        pairs = [(self._order.value(self._table[id_]), id_) for id_ in iterate_bits(self._chosen)]
        yield from self._order.sort([pair for pair in pairs if pair[0] is not None])
        yield from sorted((id_ for value, id_ in pairs if value is None), reverse=True)

    def _walk_order(self) -> Iterator[int]:
        remaining = self._size
        for id_ in self._order.walk(self._chosen):
            yield id_
            remaining -= 1
        if remaining:
            yield from self._without_value()

    def _without_value(self) -> Iterator[int]:
        for id_ in iterate_bits_descending(self._chosen):
            if self._order.value(self._table[id_]) is None:
                yield id_
