"""Persistent, sorted sequences: adding or removing an item shares all but one chunk with the old sequence."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from itertools import accumulate, chain, pairwise
from operator import itemgetter
from typing import Any, Final, Generic, NamedTuple, TypeVar

CHUNK: Final = 512
RUN: Final = 16
TAIL: Final = 64
LONGEST_ID: Final = 18
_last = itemgetter(-1)

T = TypeVar("T", bound=Any)


def number_of(text: str) -> int | None:
    """The id that a text of nothing but digits means, or None; 0, which nothing has, for one that is too long."""
    if not (text.isascii() and text.isdigit()):
        return None
    return int(text) if len(text) <= LONGEST_ID else 0


class SequenceSlice(NamedTuple, Generic[T]):
    """Some chunks of a sequence, ascending; ``is_kept``: they are the very objects that it consists of."""

    chunks: tuple[tuple[T, ...], ...]
    is_kept: bool


class SortedSequence(Generic[T]):
    """Ascending items without repeats. ``len`` costs nothing, a slice costs what it returns."""

    __slots__ = ("_chunks", "_size")

    def __init__(self, chunks: "tuple[tuple[T, ...], ...]" = (), size: int = 0) -> None:
        self._chunks = chunks
        self._size = size

    @classmethod
    def of(cls, ascending: Iterable[T]) -> "SortedSequence[T]":
        """The sequence of items that come in ascending order."""
        items = tuple(ascending)
        return cls(tuple(items[i : i + CHUNK] for i in range(0, len(items), CHUNK)), len(items))

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[T]:
        return chain.from_iterable(self._chunks)

    def __reversed__(self) -> Iterator[T]:
        return chain.from_iterable(map(reversed, reversed(self._chunks)))

    def __contains__(self, wanted: T) -> bool:
        at = self._chunk_of(wanted)
        if at == len(self._chunks):
            return False
        chunk = self._chunks[at]
        place = bisect_left(chunk, wanted)
        return place < len(chunk) and chunk[place] == wanted

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SortedSequence) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return f"Sorted({tuple(self)!r})"

    def slice(self, start: int, stop: int, *, descending: bool = False) -> tuple[T, ...]:
        """The items at places ``start`` to ``stop``, counted from the end that comes first."""
        start, stop = min(start, self._size), min(stop, self._size)
        if start >= stop:
            return ()
        if descending:
            return self.slice(self._size - stop, self._size - start)[::-1]
        at = 0
        while start >= len(self._chunks[at]):
            start, stop, at = start - len(self._chunks[at]), stop - len(self._chunks[at]), at + 1
        found = self._chunks[at][start:stop]
        while stop > len(self._chunks[at]):
            stop, at = stop - len(self._chunks[at]), at + 1
            found += self._chunks[at][:stop]
        return found

    def runs(self, start: int = 0, stop: int | None = None) -> "list[SequenceSlice[T]]":
        """The items at places ``start`` to ``stop`` in the chunks that they are kept in, ``RUN`` chunks together.

        What is cut off at either end is a run of its own.
        """
        stop = self._size if stop is None else min(stop, self._size)
        if start >= stop:
            return []
        if start == 0 and stop == self._size:
            return self._kept(range(len(self._chunks)))
        ends = list(accumulate(map(len, self._chunks)))
        first, last = bisect_right(ends, start), bisect_left(ends, stop)
        from_, to = start - (ends[first - 1] if first else 0), stop - (ends[last - 1] if last else 0)
        if first == last:
            return [self._run(first, from_, to)]
        inside = range(first + (from_ > 0), last + (to == len(self._chunks[last])))
        found = self._kept(inside)
        if first < inside.start:
            found.insert(0, self._run(first, from_, len(self._chunks[first])))
        if inside.stop <= last:
            found.append(self._run(last, 0, to))
        return found

    def _kept(self, inside: range) -> "list[SequenceSlice[T]]":
        bounds = [inside.start, *range((inside.start // RUN + 1) * RUN, inside.stop, RUN), inside.stop]
        return [SequenceSlice(self._chunks[at:end], is_kept=True) for at, end in pairwise(bounds) if at < end]

    def _run(self, at: int, start: int, stop: int) -> "SequenceSlice[T]":
        chunk = self._chunks[at]
        whole = start == 0 and stop == len(chunk)
        return SequenceSlice((chunk if whole else chunk[start:stop],), is_kept=whole)

    def before(self, bound: Any) -> int:
        """How many items come before a bound."""
        at = self._chunk_of(bound)
        before = sum(map(len, self._chunks[:at]))
        return before + bisect_left(self._chunks[at], bound) if at < len(self._chunks) else before

    def add(self, new: T) -> "SortedSequence[T]":
        """With one item more."""
        chunks = self._chunks
        if not chunks or new > chunks[-1][-1]:
            return SortedSequence(_grown(chunks, new), self._size + 1)
        at = self._chunk_of(new)
        chunk = chunks[at]
        place = bisect_left(chunk, new)
        if chunk[place] == new:
            return self
        grown = (*chunk[:place], new, *chunk[place:])
        parts = (grown,) if len(grown) <= 2 * CHUNK else (grown[:CHUNK], grown[CHUNK:])
        return SortedSequence((*chunks[:at], *parts, *chunks[at + 1 :]), self._size + 1)

    def extend(self, ascending: tuple[T, ...]) -> "SortedSequence[T]":
        """With several items more, all greater than any here."""
        if len(ascending) == 1:
            return self.add(ascending[0])
        chunks = self._chunks
        if chunks and len(chunks[-1]) < CHUNK:
            chunks, ascending, size = chunks[:-1], chunks[-1] + ascending, self._size + len(ascending)
        else:
            size = self._size + len(ascending)
        return SortedSequence(chunks + tuple(ascending[i : i + CHUNK] for i in range(0, len(ascending), CHUNK)), size)

    def remove(self, old: T) -> "SortedSequence[T]":
        """Without one item."""
        chunks, at = self._chunks, self._chunk_of(old)
        chunk = chunks[at] if at < len(chunks) else ()
        place = bisect_left(chunk, old)
        if place == len(chunk) or chunk[place] != old:
            return self
        rest = chunk[:place] + chunk[place + 1 :]
        return SortedSequence((*chunks[:at], *((rest,) if rest else ()), *chunks[at + 1 :]), self._size - 1)

    def _chunk_of(self, wanted: T) -> int:
        return bisect_left(self._chunks, wanted, key=_last)


def _grown(chunks: tuple[tuple[T, ...], ...], new: T) -> tuple[tuple[T, ...], ...]:
    """With an item more at the end.

    The last chunk is short, so that little is copied; a full one is joined to the one before it while there is room.
    """
    if not chunks or len(chunks[-1]) > TAIL:
        return (*chunks, (new,))
    *rest, tail = chunks
    if len(tail) < TAIL:
        return (*rest, (*tail, new))
    if rest and len(rest[-1]) + TAIL <= CHUNK:
        return (*rest[:-1], rest[-1] + tail, (new,))
    return (*chunks, (new,))


Ids = SortedSequence[int]
"""Ids of records."""

EMPTY: Final[SortedSequence[Any]] = SortedSequence()
