"""Chosen records in a chosen order, without looking at those that no page shows.

The choice is a number with a bit per record (see `core.indexes`): its size is the count, and meeting another
condition is one operation. A page walks the order and takes what is chosen; a choice of few records is
sorted by itself.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from operator import itemgetter
from typing import Any, Final, Generic, TypeVar, overload

from fakeplat.core.ids import Sorted
from fakeplat.core.table import Record, Table

R = TypeVar("R", bound=Record)
FEW: Final = 64
_STEP: Final = 64
_NONZERO: Final = re.compile(rb"[^\x00]")
_PLACES: Final = [[bit for bit in range(8) if byte >> bit & 1] for byte in range(256)]


def members(chosen: int) -> Iterator[int]:
    """The ids whose bits are set, ascending."""
    whole = chosen.to_bytes((chosen.bit_length() + 7) // 8, "little")
    for found in _NONZERO.finditer(whole):
        at = found.start()
        for bit in _PLACES[whole[at]]:
            yield at * 8 + bit


class Order(Generic[R]):
    """An order of records: sorted (value, id) pairs, and how to get a record's value.

    Records without a value come last; among equals the greater id comes first, whichever the direction.
    """

    def __init__(self, pairs: "Sorted[tuple[Any, int]]", value: Callable[[R], Any], *, descending: bool) -> None:
        self.pairs = pairs
        self.value = value
        self.descending = descending

    def walk(self) -> Iterator[int]:
        """The ids of the records that have a value."""
        return self._down() if self.descending else self._up()

    def _down(self) -> Iterator[int]:
        return map(_ID, reversed(self.pairs))

    def _up(self) -> Iterator[int]:
        """Runs of equal values, each backwards; a long run is not gathered but cut from its end."""
        run: list[tuple[Any, int]] = []
        at, items = 0, iter(self.pairs)
        while True:
            pair = next(items, None)
            if run and (pair is None or pair[0] != run[0][0]):
                yield from map(_ID, reversed(run))
                run = []
            if pair is None:
                return
            run.append(pair)
            at += 1
            if len(run) > _STEP:
                start, at, run = at - len(run), self.pairs.before((pair[0], _BEYOND)), []
                yield from self._backwards(start, at)
                items = self.pairs.from_place(at)

    def _backwards(self, start: int, end: int) -> Iterator[int]:
        for at in range(end, start, -_STEP):
            yield from map(_ID, reversed(self.pairs.slice(max(at - _STEP, start), at)))


_BEYOND: Final = float("inf")
_ID: Final = itemgetter(1)


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
    def __getitem__(self, place: slice) -> list[R]: ...
    def __getitem__(self, place: int | slice) -> R | list[R]:
        if isinstance(place, int):
            at = place if place >= 0 else self._size + place
            if not 0 <= at < self._size:
                raise IndexError(place)
            return self[at : at + 1][0]
        places = range(*place.indices(self._size))
        if not places:
            return []
        first, last = min(places[0], places[-1]), max(places[0], places[-1])
        ids = list(islice(self._ids(), first, last + 1))
        return [self._table[ids[at - first]] for at in places]

    def _ids(self) -> Iterator[int]:
        return self._sorted() if self._size <= FEW else self._walked()

    def _sorted(self) -> Iterator[int]:
        found = [(self._order.value(self._table[id_]), id_) for id_ in members(self._chosen)]
        valued = [(value, -id_) for value, id_ in found if value is not None]
        if self._order.descending:
            valued.sort(key=lambda pair: pair[1])
            valued.sort(key=lambda pair: pair[0], reverse=True)
        else:
            valued.sort()
        yield from (-id_ for _, id_ in valued)
        yield from sorted((id_ for value, id_ in found if value is None), reverse=True)

    def _walked(self) -> Iterator[int]:
        whole = self._chosen.to_bytes((self._chosen.bit_length() + 7) // 8 + 1, "little")
        size, left = len(whole), self._size
        for id_ in self._order.walk():
            at = id_ >> 3
            if at < size and whole[at] >> (id_ & 7) & 1:
                yield id_
                left -= 1
                if not left:
                    return
        yield from self._without_value()

    def _without_value(self) -> Iterator[int]:
        for id_ in reversed(list(members(self._chosen))):
            if self._order.value(self._table[id_]) is None:
                yield id_
