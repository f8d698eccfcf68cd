"""Queries: selected records in an order, without reading records that no page contains.

The selection is an integer with a bit per record (see `core.store.indexes`): its bit count is the total, and combining
it with another condition is one operation. A page walks the order and takes the selected records; a selection of few
records is sorted directly.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice, repeat
from operator import itemgetter
from typing import Final, Generic, Protocol, TypeVar

from fakeplat.core.store.bitsets import (
    LONG_RUN,
    chunk_bits,
    iterate_bits,
    iterate_bits_descending,
    run_bits,
    split_run,
)
from fakeplat.core.store.row_sequences import RowSequence
from fakeplat.core.store.sorted_sequence import RUN, Pair, SequenceSlice, SortedSequence
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
_FEW_MASKS: Final = 16


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
        for chunk, hits in chosen.iterate_chunks_backwards(self.pairs):
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
        for chunk, hits in chosen.iterate_chunks(self.pairs, start):
            yield from (pair for pair in chunk if pair[1] in hits)

    def _backwards(self, chosen: "Bits", start: int, end: int) -> Iterator[int]:
        for chunk, hits in chosen.iterate_chunks_backwards(self.pairs, start, end):
            yield from (id_ for _, id_ in reversed(chunk) if id_ in hits)


class Bits:
    """A selection that tests single ids, or whole chunks at once."""

    __slots__ = ("_bytes", "_masks", "_number", "_shift_from")

    def __init__(self, number: int) -> None:
        self._number = number
        self._shift_from = max(number.bit_length() - _SHIFT_LIMIT, 0)
        self._bytes = b""
        self._masks = 0

    def __contains__(self, id_: int, /) -> bool:
        # A shift copies the remaining bits, so it is cheap only for the greatest ids. These are also tested most: the
        # first page of most lists has the newest records. All others are looked up in a byte string, which costs as
        # much as some masks, each of which copies the lower bits.
        if id_ >= self._shift_from:
            return bool(self._number >> id_ & 1)
        if not self._bytes:
            self._masks += 1
            if self._masks <= _FEW_MASKS:
                return bool(self._number & 1 << id_)
            self._bytes = self._number.to_bytes((self._number.bit_length() + 7) // 8, "little")
        return bool(self._bytes[id_ >> 3] >> (id_ & 7) & 1)

    def iterate_chunks(self, pairs: SortedSequence[Pair], start: int = 0) -> Iterator[ChunkHits]:
        """Iterate over chunks that may contain selected ids: the first ones unchecked, others only if they do."""
        return self._iterate_hits(pairs.runs(start, longest=LONG_RUN), 1)

    def iterate_chunks_backwards(
        self, pairs: SortedSequence[Pair], start: int = 0, stop: int | None = None
    ) -> Iterator[ChunkHits]:
        """Iterate in the same way from the end."""
        return self._iterate_hits(pairs.runs(start, stop, descending=True, longest=LONG_RUN), -1)

    def _iterate_hits(self, runs: Iterable[SequenceSlice[Pair]], step: int) -> Iterator[ChunkHits]:
        # The first chunk is not checked: it often fills the page, and computing the bits of a new chunk costs more than
        # walking it once. After that, whole runs and chunks without a hit are skipped by a single operation.
        visited = 0
        for run in chain.from_iterable(map(self._split, runs, repeat(step))):
            if visited > _UNCHECKED_CHUNKS and not run_bits(run) & self._number:
                continue
            for chunk in run.chunks[::step]:
                visited += 1
                if visited <= _UNCHECKED_CHUNKS or not run.is_uncut:
                    yield chunk, self
                elif hits := chunk_bits(chunk) & self._number:
                    yield chunk, set(iterate_bits(hits)) if hits.bit_count() < _FEW_HITS else self

    def _split(self, run: SequenceSlice[Pair], step: int) -> Iterable[SequenceSlice[Pair]]:
        """Return the short runs of a long one, or none if it has no hit."""
        if len(run.chunks) <= RUN:
            return (run,)
        return split_run(run)[::step] if run_bits(run) & self._number else ()


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
