"""Persistent sorted sequences. A new version shares all chunks but one with the old one."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from itertools import accumulate, chain, pairwise
from operator import itemgetter
from typing import Any, Final, Generic, NamedTuple, TypeVar

CHUNK: Final = 512
RUN: Final = 16
TAIL: Final = 64
# So many digits always fit into 64 bits.
MAX_ID_DIGITS: Final = 18
_last = itemgetter(-1)

T = TypeVar("T", bound=Any)
Pair = tuple[Any, int]
"""A value and the id of the record that has it."""


def parse_number(text: str) -> int | None:
    """Return the id that a text of digits stands for, or None for any other text.

    A text that is too long gives 0, which no record has.
    """
    if not (text.isascii() and text.isdigit()):
        return None
    return int(text) if len(text) <= MAX_ID_DIGITS else 0


class SequenceSlice(NamedTuple, Generic[T]):
    """Some chunks of a sequence, ascending; ``is_uncut``: they are the sequence's own chunks, not cut copies."""

    chunks: tuple[tuple[T, ...], ...]
    is_uncut: bool


class SortedSequence(Generic[T]):
    """Ascending items without duplicates. A slice costs what it returns."""

    __slots__ = ("_chunks", "_size")

    def __init__(self, chunks: "tuple[tuple[T, ...], ...]" = (), size: int = 0) -> None:
        self._chunks = chunks
        self._size = size

    @classmethod
    def from_sorted(cls, ascending: Iterable[T]) -> "SortedSequence[T]":
        """Return a sequence of items, which must be ascending."""
        items = tuple(ascending)
        return cls(tuple(items[i : i + CHUNK] for i in range(0, len(items), CHUNK)), len(items))

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[T]:
        return chain.from_iterable(self._chunks)

    def __reversed__(self) -> Iterator[T]:
        return chain.from_iterable(map(reversed, reversed(self._chunks)))

    def __contains__(self, item: T) -> bool:
        chunk_index = self._get_chunk(item)
        if chunk_index == len(self._chunks):
            return False
        chunk = self._chunks[chunk_index]
        index = bisect_left(chunk, item)
        return index < len(chunk) and chunk[index] == item

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SortedSequence) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return f"Sorted({tuple(self)!r})"

    def slice(self, start: int, stop: int, *, descending: bool = False) -> tuple[T, ...]:
        """Return the items at positions ``start`` to ``stop``, counted from the end if descending."""
        start, stop = min(start, self._size), min(stop, self._size)
        if start >= stop:
            return ()
        if descending:
            return self.slice(self._size - stop, self._size - start)[::-1]
        at = 0
        while start >= len(self._chunks[at]):
            start, stop, at = start - len(self._chunks[at]), stop - len(self._chunks[at]), at + 1
        items = self._chunks[at][start:stop]
        while stop > len(self._chunks[at]):
            stop, at = stop - len(self._chunks[at]), at + 1
            items += self._chunks[at][:stop]
        return items

    def runs(self, start: int = 0, stop: int | None = None) -> "list[SequenceSlice[T]]":
        """Return the items at positions ``start`` to ``stop`` as runs of up to ``RUN`` chunks.

        A chunk that is cut at either end is a run of its own.
        """
        stop = self._size if stop is None else min(stop, self._size)
        if start >= stop:
            return []
        if start == 0 and stop == self._size:
            return self._whole_chunks(range(len(self._chunks)))
        ends = list(accumulate(map(len, self._chunks)))
        first, last = bisect_right(ends, start), bisect_left(ends, stop)
        # Positions within the first and the last chunk; ``ends`` has the position after each chunk.
        from_, to = start - (ends[first - 1] if first else 0), stop - (ends[last - 1] if last else 0)
        if first == last:
            return [self._run(first, from_, to)]
        inside = range(first + (from_ > 0), last + (to == len(self._chunks[last])))
        runs = self._whole_chunks(inside)
        if first < inside.start:
            runs.insert(0, self._run(first, from_, len(self._chunks[first])))
        if inside.stop <= last:
            runs.append(self._run(last, 0, to))
        return runs

    def _whole_chunks(self, inside: range) -> "list[SequenceSlice[T]]":
        # Runs begin at multiples of RUN whatever the range, so that their cached bits can be used again.
        bounds = [inside.start, *range((inside.start // RUN + 1) * RUN, inside.stop, RUN), inside.stop]
        return [SequenceSlice(self._chunks[at:end], is_uncut=True) for at, end in pairwise(bounds) if at < end]

    def _run(self, at: int, start: int, stop: int) -> "SequenceSlice[T]":
        chunk = self._chunks[at]
        is_whole = start == 0 and stop == len(chunk)
        return SequenceSlice((chunk if is_whole else chunk[start:stop],), is_uncut=is_whole)

    def before(self, bound: Any) -> int:
        """Return the number of items less than a bound."""
        at = self._get_chunk(bound)
        before = sum(map(len, self._chunks[:at]))
        return before + bisect_left(self._chunks[at], bound) if at < len(self._chunks) else before

    def add(self, new: T) -> "SortedSequence[T]":
        """Return the sequence with an item added."""
        chunks = self._chunks
        if not chunks or new > chunks[-1][-1]:
            return SortedSequence(_append(chunks, new), self._size + 1)
        at = self._get_chunk(new)
        chunk = chunks[at]
        index = bisect_left(chunk, new)
        if chunk[index] == new:
            return self
        # Chunks may grow to twice their size before they are split, so that splits are rare.
        enlarged = (*chunk[:index], new, *chunk[index:])
        parts = (enlarged,) if len(enlarged) <= 2 * CHUNK else (enlarged[:CHUNK], enlarged[CHUNK:])
        return SortedSequence((*chunks[:at], *parts, *chunks[at + 1 :]), self._size + 1)

    def extend(self, ascending: tuple[T, ...]) -> "SortedSequence[T]":
        """Return the sequence with ascending items added, all greater than the present ones."""
        if len(ascending) == 1:
            return self.add(ascending[0])
        chunks = self._chunks
        # The last chunk is filled first, so that many small additions do not leave many small chunks.
        if chunks and len(chunks[-1]) < CHUNK:
            chunks, ascending, size = chunks[:-1], chunks[-1] + ascending, self._size + len(ascending)
        else:
            size = self._size + len(ascending)
        return SortedSequence(chunks + tuple(ascending[i : i + CHUNK] for i in range(0, len(ascending), CHUNK)), size)

    def remove(self, old: T) -> "SortedSequence[T]":
        """Return the sequence with an item removed."""
        chunks, at = self._chunks, self._get_chunk(old)
        chunk = chunks[at] if at < len(chunks) else ()
        index = bisect_left(chunk, old)
        if index == len(chunk) or chunk[index] != old:
            return self
        rest = chunk[:index] + chunk[index + 1 :]
        return SortedSequence((*chunks[:at], *((rest,) if rest else ()), *chunks[at + 1 :]), self._size - 1)

    def _get_chunk(self, item: T) -> int:
        # The first chunk whose last item is not less than this one is the only one that can contain it.
        return bisect_left(self._chunks, item, key=_last)


def _append(chunks: tuple[tuple[T, ...], ...], new: T) -> tuple[tuple[T, ...], ...]:
    """Return the chunks with an item added at the end."""
    # Appending copies the last chunk, so that stays short. When it is full, it is merged with the one before while that
    # has room, to keep the number of chunks low.
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
