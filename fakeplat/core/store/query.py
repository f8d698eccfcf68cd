"""Chosen records in a chosen order, without looking at those that no page shows.

The choice is a number with a bit per record (see `core.indexes`): its size is the count, and meeting another
condition is one operation. A page walks the order and takes what is chosen; a choice of few records is
sorted by itself.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from operator import itemgetter
from typing import Any, Final, Generic, Protocol, TypeVar, overload

from fakeplat.core.store.bitsets import chunk_bits, iterate_bits, iterate_bits_descending, run_bits
from fakeplat.core.store.sorted_sequence import SequenceSlice, SortedSequence
from fakeplat.core.store.table import Record, RowsById, Table

R = TypeVar("R", bound=Record)
Pair = tuple[Any, int]
_BEYOND: Final = float("inf")
_VALUE: Final = itemgetter(0)
_ID: Final = itemgetter(1)
FEW: Final = 64
_SPARSE: Final = 16
_STEP: Final = 64
_UNSEEN: Final = 1
_RARE: Final = 64
_NEAR: Final = 4_096


class Has(Protocol):
    """What tells whether an id is chosen."""

    def __contains__(self, id_: int, /) -> bool: ...


Met = tuple[tuple[Pair, ...], Has]
"""A chunk, and what tells which of its ids are chosen."""


class Order(Generic[R]):
    """An order of records: sorted (value, id) pairs, and how to get a record's value.

    Records without a value come last; among equals the greater id comes first, whichever the direction; ``plain``: in
    the direction of the order.
    """

    def __init__(
        self, pairs: "SortedSequence[Pair]", value: Callable[[R], Any], *, descending: bool, plain: bool = False
    ) -> None:
        self.pairs = pairs
        self.value = value
        self.descending = descending
        self.plain = plain

    def walk(self, chosen: int) -> Iterator[int]:
        """The chosen ids of records that have a value."""
        whole = Bits(chosen)
        if self.descending:
            return self._down(whole)
        return map(_ID, self._chosen(whole, 0)) if self.plain else self._up(whole)

    def sort(self, valued: list[Pair]) -> list[int]:
        """The ids of (value, id) pairs in this order."""
        if self.plain:
            return [id_ for _, id_ in sorted(valued, reverse=self.descending)]
        newest_first = sorted(valued, key=_ID, reverse=True)
        return [id_ for _, id_ in sorted(newest_first, key=_VALUE, reverse=self.descending)]

    def _down(self, chosen: "Bits") -> Iterator[int]:
        for chunk, hits in chosen.met_backwards(self.pairs.runs()):
            yield from (id_ for _, id_ in reversed(chunk) if id_ in hits)

    def _up(self, chosen: "Bits") -> Iterator[int]:
        """Runs of equal values, each backwards; a long run is not gathered but walked from its end."""
        run: list[Pair] = []
        start = 0
        while True:
            for pair in self._chosen(chosen, start):
                if run and pair[0] != run[0][0]:
                    yield from map(_ID, reversed(run))
                    run = []
                run.append(pair)
                if len(run) > _STEP:
                    break
            else:
                yield from map(_ID, reversed(run))
                return
            begin, start = self.pairs.before((run[0][0], 0)), self.pairs.before((run[0][0], _BEYOND))
            run = []
            yield from self._backwards(chosen, begin, start)

    def _chosen(self, chosen: "Bits", start: int) -> Iterator[Pair]:
        for chunk, hits in chosen.met(self.pairs.runs(start)):
            yield from (pair for pair in chunk if pair[1] in hits)

    def _backwards(self, chosen: "Bits", start: int, end: int) -> Iterator[int]:
        for chunk, hits in chosen.met_backwards(self.pairs.runs(start, end)):
            yield from (id_ for _, id_ in reversed(chunk) if id_ in hits)


class Bits:
    """A choice that is asked for single ids, and for whole chunks at once."""

    __slots__ = ("_bytes", "_near", "_number")

    def __init__(self, number: int) -> None:
        self._number = number
        self._near = max(number.bit_length() - _NEAR, 0)
        self._bytes = b""

    def __contains__(self, id_: int, /) -> bool:
        if id_ >= self._near:  # of the greatest ids little is left after a shift; they are asked for most
            return bool(self._number >> id_ & 1)
        if not self._bytes:
            self._bytes = self._number.to_bytes((self._number.bit_length() + 7) // 8, "little")
        return bool(self._bytes[id_ >> 3] >> (id_ & 7) & 1)

    def met(self, runs: Iterable[SequenceSlice[Pair]]) -> Iterator[Met]:
        """The chunks that may have a chosen id: the first few unseen, of the others those that do have one."""
        return self._met((run, run.chunks) for run in runs)

    def met_backwards(self, runs: Sequence[SequenceSlice[Pair]]) -> Iterator[Met]:
        """The same from the end."""
        return self._met((run, run.chunks[::-1]) for run in reversed(runs))

    def _met(self, runs: Iterable[tuple[SequenceSlice[Pair], tuple[tuple[Pair, ...], ...]]]) -> Iterator[Met]:
        seen = 0
        for run, chunks in runs:
            if seen > _UNSEEN and not run_bits(run) & self._number:
                continue
            for chunk in chunks:
                seen += 1
                if seen <= _UNSEEN or not run.is_kept:
                    yield chunk, self
                elif hits := chunk_bits(chunk) & self._number:
                    yield chunk, set(iterate_bits(hits)) if hits.bit_count() < _RARE else self


class Query(Sequence[R]):
    """The chosen records of a table in an order; ``len`` and first pages cost little, whatever the table holds."""

    def __init__(self, table: Table[R], chosen: int, order: Order[R]) -> None:
        self._table = table
        self._chosen = chosen
        self._order = order
        self._size = chosen.bit_count()

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[R]:
        return map(self._table.__getitem__, self._ids())

    @overload
    def __getitem__(self, place: int) -> R: ...
    @overload
    def __getitem__(self, place: slice) -> RowsById[R]: ...
    def __getitem__(self, place: int | slice) -> R | RowsById[R]:
        if isinstance(place, int):
            at = place if place >= 0 else self._size + place
            if not 0 <= at < self._size:
                raise IndexError(place)
            return self[at : at + 1][0]
        places = range(*place.indices(self._size))
        if not places:
            return RowsById(self._table, ())
        first, last = min(places[0], places[-1]), max(places[0], places[-1])
        ids = list(islice(self._ids(), first, last + 1))
        return RowsById(self._table, tuple(ids[at - first] for at in places))

    def _ids(self) -> Iterator[int]:
        few = self._size <= FEW and self._size * _SPARSE < len(self._order.pairs)
        return self._sorted() if few else self._walked()

    def _sorted(self) -> Iterator[int]:
        found = [(self._order.value(self._table[id_]), id_) for id_ in iterate_bits(self._chosen)]
        yield from self._order.sort([pair for pair in found if pair[0] is not None])
        yield from sorted((id_ for value, id_ in found if value is None), reverse=True)

    def _walked(self) -> Iterator[int]:
        left = self._size
        for id_ in self._order.walk(self._chosen):
            yield id_
            left -= 1
        if left:
            yield from self._without_value()

    def _without_value(self) -> Iterator[int]:
        for id_ in iterate_bits_descending(self._chosen):
            if self._order.value(self._table[id_]) is None:
                yield id_
