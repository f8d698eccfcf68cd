"""Persistent sorted sequences. A new version shares all chunks but one with the old one."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from itertools import accumulate, chain, pairwise
from operator import itemgetter
from typing import Any, Final, Generic, NamedTuple, TypeVar

CHUNK: Final = 512
SMALL_CHUNK: Final = 64
SMALL: Final = 4_096
"""A change copies a chunk and the list of chunks, so the chunks of sequences up to this size are smaller."""
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

    __slots__ = ("_chunks", "_ends", "_size")

    def __init__(self, chunks: "tuple[tuple[T, ...], ...]" = (), size: int = 0) -> None:
        self._chunks = chunks
        self._size = size
        self._ends: list[int] | None = None

    @classmethod
    def from_sorted(cls, ascending: Iterable[T]) -> "SortedSequence[T]":
        """Return a sequence of items, which must be ascending."""
        items = tuple(ascending)
        chunk_size = _choose_chunk_size(len(items))
        return cls(tuple(items[i : i + chunk_size] for i in range(0, len(items), chunk_size)), len(items))

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

    @property
    def last(self) -> T:
        """The greatest item; IndexError without items."""
        return self._chunks[-1][-1]

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

    def runs(
        self, start: int = 0, stop: int | None = None, *, descending: bool = False, longest: int = RUN
    ) -> "Iterator[SequenceSlice[T]]":
        """Iterate over the items at positions ``start`` to ``stop``, as runs of up to ``longest`` chunks.

        A chunk that is cut at either end is a run of its own. ``longest`` is a multiple of ``RUN``.
        """
        stop = self._size if stop is None else min(stop, self._size)
        if start >= stop:
            return
        cuts = self._cut(start, stop, longest)
        for first, last, from_, to in reversed(cuts) if descending else cuts:
            if to is None:
                yield SequenceSlice(self._chunks[first:last], is_uncut=True)
            else:
                yield SequenceSlice((self._chunks[first][from_:to],), is_uncut=False)

    def _cut(self, start: int, stop: int, longest: int) -> "list[tuple[int, int, int, int | None]]":
        """Return the runs between two positions: their chunks, and where the only chunk of a cut one is cut."""
        if start == 0 and stop == self._size:
            return [(at, end, 0, None) for at, end in _align(0, len(self._chunks), longest)]
        ends = self._get_ends()
        first, last = bisect_right(ends, start), bisect_left(ends, stop)
        # Positions within the first and the last chunk; ``ends`` has the position after each chunk.
        from_, to = start - (ends[first - 1] if first else 0), stop - (ends[last - 1] if last else 0)
        is_last_whole = to == len(self._chunks[last])
        if first == last:
            return [(first, first + 1, from_, None if from_ == 0 and is_last_whole else to)]
        inside = _align(first + (from_ > 0), last + is_last_whole, longest)
        cut_first = [(first, first + 1, from_, len(self._chunks[first]))] if from_ else []
        cut_last = [] if is_last_whole else [(last, last + 1, 0, to)]
        return [*cut_first, *((at, end, 0, None) for at, end in inside), *cut_last]

    def _get_ends(self) -> list[int]:
        """Return the position after each chunk."""
        if self._ends is None:
            self._ends = list(accumulate(map(len, self._chunks)))
        return self._ends

    def before(self, bound: Any) -> int:
        """Return the number of items less than a bound."""
        at = self._get_chunk(bound)
        before = self._get_ends()[at - 1] if at else 0
        return before + bisect_left(self._chunks[at], bound) if at < len(self._chunks) else before

    def add(self, new: T) -> "SortedSequence[T]":
        """Return the sequence with an item added."""
        chunks = self._chunks
        if not chunks:
            return SortedSequence(((new,),), 1)
        tail = chunks[-1]
        if new > tail[-1]:
            # Usually the tail has room.
            # Sums of tuples are faster than unpacking them, and this is the most frequent change of all.
            appended = chunks[:-1] + (tail + (new,),) if len(tail) < TAIL else _append(chunks, new)  # noqa: RUF005
            return SortedSequence(appended, self._size + 1)
        # Most sequences have one chunk, in which there is nothing to search for.
        at = self._get_chunk(new) if len(chunks) > 1 else 0
        chunk = chunks[at]
        index = bisect_left(chunk, new)
        if chunk[index] == new:
            return self
        # Chunks may grow to twice their size before they are split, so that splits are rare.
        enlarged = (*chunk[:index], new, *chunk[index:])
        half = _choose_chunk_size(self._size)
        parts = (enlarged,) if len(enlarged) <= 2 * half else (enlarged[:half], enlarged[half:])
        return SortedSequence((*chunks[:at], *parts, *chunks[at + 1 :]), self._size + 1)

    def extend(self, ascending: tuple[T, ...]) -> "SortedSequence[T]":
        """Return the sequence with ascending items added, all greater than the present ones."""
        if len(ascending) == 1:
            return self.add(ascending[0])
        chunks = self._chunks
        size = self._size + len(ascending)
        chunk_size = _choose_chunk_size(size)
        # The last chunk is filled first, so that many small additions do not leave many small chunks.
        if chunks and len(chunks[-1]) < chunk_size:
            chunks, ascending = chunks[:-1], chunks[-1] + ascending
        starts = range(0, len(ascending), chunk_size)
        return SortedSequence(chunks + tuple(ascending[at : at + chunk_size] for at in starts), size)

    def merge(self, items: list[T]) -> "SortedSequence[T]":
        """Return the sequence with items added, which are sorted in place; none of them is in it."""
        items.sort()
        # Records are usually created in order, so the new items often just follow the old ones.
        if not self or self.last < items[0]:
            return self.extend(tuple(items))
        if len(items) * CHUNK > self._size:
            return SortedSequence.from_sorted(sorted([*self, *items]))
        merged = self
        for item in items:
            merged = merged.add(item)
        return merged

    def remove(self, old: T) -> "SortedSequence[T]":
        """Return the sequence with an item removed; ``EMPTY`` without its last one."""
        chunks = self._chunks
        at = self._get_chunk(old) if len(chunks) != 1 else 0
        chunk = chunks[at] if at < len(chunks) else ()
        index = bisect_left(chunk, old)
        if index == len(chunk) or chunk[index] != old:
            return self
        if self._size == 1:
            return EMPTY
        rest = chunk[:index] + chunk[index + 1 :]
        if len(chunks) > 1:
            return SortedSequence(chunks[:at] + ((rest,) if rest else ()) + chunks[at + 1 :], self._size - 1)
        return SortedSequence((rest,), self._size - 1)

    def _get_chunk(self, item: T) -> int:
        # The first chunk whose last item is not less than this one is the only one that can contain it.
        return bisect_left(self._chunks, item, key=_last)


def _align(start: int, stop: int, longest: int) -> Iterator[tuple[int, int]]:
    """Iterate over the bounds of runs: those of ``longest`` chunks where one fits, those of ``RUN`` elsewhere."""
    # Runs begin at multiples of their lengths whatever the range, so that their cached bits can be used again.
    bounds = [start, *range((start // RUN + 1) * RUN, stop, RUN), stop]
    if longest > RUN:
        long_runs = range(-(-start // longest), stop // longest)
        within = range(long_runs.start * longest, long_runs.stop * longest) if long_runs else range(0)
        bounds = [bound for bound in bounds if bound not in within or bound % longest == 0]
    return pairwise(bounds) if start < stop else iter(())


def _choose_chunk_size(size: int) -> int:
    return SMALL_CHUNK if size <= SMALL else CHUNK


def _append(chunks: tuple[tuple[T, ...], ...], new: T) -> tuple[tuple[T, ...], ...]:
    """Return the chunks with an item added behind a full tail."""
    # Appending copies the tail, so that stays short. When it is full, it is merged with the chunk before while that has
    # room, to keep the number of chunks low.
    *rest, tail = chunks
    is_small = len(chunks) * TAIL <= SMALL
    if len(tail) == TAIL and rest and not is_small and len(rest[-1]) + TAIL <= CHUNK:
        return (*rest[:-1], rest[-1] + tail, (new,))
    return (*chunks, (new,))


Ids = SortedSequence[int]
"""Ids of records."""

EMPTY: Final[SortedSequence[Any]] = SortedSequence()
