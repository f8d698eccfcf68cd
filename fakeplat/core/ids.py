"""A persistent, sorted sequence of ids: adding or removing one shares all but one chunk with the old sequence."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from itertools import chain
from operator import itemgetter
from typing import Final

CHUNK: Final = 512
_last = itemgetter(-1)

Chunks = tuple[tuple[int, ...], ...]


class Ids:
    """Ascending ids without repeats. ``len`` costs nothing, a slice costs what it returns."""

    __slots__ = ("_chunks", "_size")

    def __init__(self, chunks: Chunks = (), size: int = 0) -> None:
        self._chunks = chunks
        self._size = size

    @classmethod
    def of(cls, ascending: Iterable[int]) -> "Ids":
        """The sequence of ids that come in ascending order."""
        ids = tuple(ascending)
        return cls(tuple(ids[i : i + CHUNK] for i in range(0, len(ids), CHUNK)), len(ids))

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[int]:
        return chain.from_iterable(self._chunks)

    def __reversed__(self) -> Iterator[int]:
        return chain.from_iterable(map(reversed, reversed(self._chunks)))

    def __contains__(self, wanted: int) -> bool:
        at = self._chunk_of(wanted)
        if at == len(self._chunks):
            return False
        chunk = self._chunks[at]
        place = bisect_left(chunk, wanted)
        return place < len(chunk) and chunk[place] == wanted

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ids) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return f"Ids({tuple(self)!r})"

    def slice(self, start: int, stop: int, *, descending: bool = False) -> tuple[int, ...]:
        """The ids at places ``start`` to ``stop``, counted from the end that comes first."""
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

    def add(self, new: int) -> "Ids":
        """With one id more."""
        chunks = self._chunks
        if not chunks or new > chunks[-1][-1]:
            if chunks and len(chunks[-1]) < CHUNK:
                return Ids((*chunks[:-1], (*chunks[-1], new)), self._size + 1)
            return Ids((*chunks, (new,)), self._size + 1)
        at = self._chunk_of(new)
        chunk = chunks[at]
        place = bisect_left(chunk, new)
        if chunk[place] == new:
            return self
        grown = (*chunk[:place], new, *chunk[place:])
        parts = (grown,) if len(grown) <= 2 * CHUNK else (grown[:CHUNK], grown[CHUNK:])
        return Ids((*chunks[:at], *parts, *chunks[at + 1 :]), self._size + 1)

    def extend(self, ascending: tuple[int, ...]) -> "Ids":
        """With several ids more, all greater than any here."""
        if len(ascending) == 1:
            return self.add(ascending[0])
        chunks = self._chunks
        if chunks and len(chunks[-1]) < CHUNK:
            chunks, ascending, size = chunks[:-1], chunks[-1] + ascending, self._size + len(ascending)
        else:
            size = self._size + len(ascending)
        return Ids(chunks + tuple(ascending[i : i + CHUNK] for i in range(0, len(ascending), CHUNK)), size)

    def remove(self, old: int) -> "Ids":
        """Without one id."""
        if old not in self:
            return self
        at = self._chunk_of(old)
        chunk = self._chunks[at]
        place = bisect_left(chunk, old)
        rest = chunk[:place] + chunk[place + 1 :]
        return Ids((*self._chunks[:at], *((rest,) if rest else ()), *self._chunks[at + 1 :]), self._size - 1)

    def _chunk_of(self, wanted: int) -> int:
        return bisect_left(self._chunks, wanted, key=_last)


EMPTY: Final = Ids()
