"""The bits of the ids in sorted (value, id) pairs, piece by piece, remembered for pieces that are kept as they are.

Chunks never change in place, so what was worked out for one holds for as long as it is the same object. Comparing
chunks would cost their length: they are known by identity.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from fakeplat.core.cache.bounded import BoundedCache
from fakeplat.core.store.sorted_sequence import SequenceSlice, SortedSequence

Pair = tuple[Any, int]
_MOST: Final = 4_096
_NONZERO: Final = re.compile(rb"[^\x00]")
_PLACES: Final = [[bit for bit in range(8) if byte >> bit & 1] for byte in range(256)]
_known: Final[BoundedCache[object, tuple[object, int]]] = BoundedCache(_MOST)
"""Bits by the identity of what they are of, which stands beside them: so no other can get its identity meanwhile."""


def bits_of(ids: Sequence[int]) -> int:
    """The number that has a bit for each id."""
    if len(ids) == 1:
        return 1 << ids[0]
    found = bytearray((max(ids, default=0) >> 3) + 1)
    for id_ in ids:
        found[id_ >> 3] |= 1 << (id_ & 7)
    return int.from_bytes(found, "little")


def bits_between(pairs: SortedSequence[Pair], start: int, stop: int) -> int:
    """The number that has a bit for each id among the pairs at some places."""
    found = 0
    for run in pairs.runs(start, stop):
        found |= run_bits(run)
    return found


def run_bits(run: SequenceSlice[Pair]) -> int:
    """The number that has a bit for each id of a run."""
    if not run.is_kept:
        return bits_of([id_ for chunk in run.chunks for _, id_ in chunk])
    if len(run.chunks) == 1:
        return chunk_bits(run.chunks[0])
    key = tuple(map(id, run.chunks))
    found = _known.get(key)
    if found is not None:
        return found[1]
    bits = 0
    for chunk in run.chunks:
        bits |= chunk_bits(chunk)
    return _remembered(key, run.chunks, bits)


def chunk_bits(chunk: tuple[Pair, ...]) -> int:
    """The number that has a bit for each id of a chunk that is kept."""
    found = _known.get(id(chunk))
    return found[1] if found is not None else _remembered(id(chunk), chunk, bits_of([id_ for _, id_ in chunk]))


def _remembered(key: object, of: object, bits: int) -> int:
    _known.put(key, (of, bits))
    return bits


def iterate_bits(chosen: int) -> Iterator[int]:
    """The ids whose bits are set, ascending."""
    start = max((chosen & -chosen).bit_length() - 1, 0) & ~7  # ids of one place lie together, far from 0
    near = chosen >> start
    whole = near.to_bytes((near.bit_length() + 7) // 8, "little")
    for found in _NONZERO.finditer(whole):
        at = found.start()
        for bit in _PLACES[whole[at]]:
            yield start + at * 8 + bit


def iterate_bits_descending(chosen: int) -> Iterator[int]:
    """The ids whose bits are set, the greatest first."""
    whole = chosen.to_bytes((chosen.bit_length() + 7) // 8, "little")
    for at in range(len(whole) - 1, -1, -1):
        if whole[at]:
            for bit in reversed(_PLACES[whole[at]]):
                yield at * 8 + bit
