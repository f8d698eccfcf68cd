"""Sets of ids as integers with a bit per id, computed from sorted (value, id) pairs and cached chunk by chunk.

Chunks are immutable, so the bits of a chunk are valid as long as it is the same object. The cache's keys are the
identities of chunks, because comparing chunks would cost their length.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from fakeplat.core.cache.bounded import BoundedCache
from fakeplat.core.store.sorted_sequence import RUN, Pair, SequenceSlice, SortedSequence

_MAX_CACHED: Final = 4_096
_MAX_BYTES: Final = 64 * 1024 * 1024
LONG_RUN: Final = 16 * RUN
_CHUNK_BYTES: Final = 16 * 1024
"""Bits of a run are made of those of its chunks if these are at most so long; many long ones would fill the cache."""
_NONZERO_BYTE: Final = re.compile(rb"[^\x00]")
_BITS_OF_BYTE: Final = [[bit for bit in range(8) if byte >> bit & 1] for byte in range(256)]
_cache: Final[BoundedCache[object, tuple[object, int]]] = BoundedCache(
    _MAX_CACHED, lambda entry: entry[1].bit_length() >> 3, _MAX_BYTES
)
"""Bits by the identity of a chunk or of several.

Each entry also holds the chunks. While they are alive, no other object can get the same identity.
"""


def bits_of(ids: Sequence[int]) -> int:
    """Return an integer with a bit for each id."""
    if len(ids) == 1:
        return 1 << ids[0]
    bits = bytearray((max(ids, default=0) >> 3) + 1)
    for id_ in ids:
        bits[id_ >> 3] |= 1 << (id_ & 7)
    return int.from_bytes(bits, "little")


def bits_between(pairs: SortedSequence[Pair], start: int, stop: int) -> int:
    """Return an integer with a bit for each id of the pairs at positions ``start`` to ``stop``."""
    bits = 0
    for run in pairs.runs(start, stop, longest=LONG_RUN):
        bits |= run_bits(run)
    return bits


def run_bits(run: SequenceSlice[Pair]) -> int:
    """Return an integer with a bit for each id of a run."""
    if not run.is_uncut:
        return bits_of([id_ for chunk in run.chunks for _, id_ in chunk])
    if len(run.chunks) == 1:
        return chunk_bits(run.chunks[0])
    key = tuple(map(id, run.chunks))
    cached = _cache.get(key)
    return cached[1] if cached is not None else _store(key, run.chunks, _compute_run_bits(run.chunks))


def _compute_run_bits(chunks: tuple[tuple[Pair, ...], ...]) -> int:
    if len(chunks) > RUN:
        parts = [run_bits(part) for part in split_run(SequenceSlice(chunks, is_uncut=True))]
    elif chunks[-1][-1][1] >> 3 <= _CHUNK_BYTES:
        # After a write all chunks but one have their bits already.
        parts = [chunk_bits(chunk) for chunk in chunks]
    else:
        return bits_of([id_ for chunk in chunks for _, id_ in chunk])
    bits = 0
    for part in parts:
        bits |= part
    return bits


def split_run(run: SequenceSlice[Pair]) -> list[SequenceSlice[Pair]]:
    """Return the short runs of a long one."""
    chunks = run.chunks
    return [SequenceSlice(chunks[at : at + RUN], is_uncut=True) for at in range(0, len(chunks), RUN)]


def chunk_bits(chunk: tuple[Pair, ...]) -> int:
    """Return an integer with a bit for each id of a chunk that belongs to a sequence."""
    cached = _cache.get(id(chunk))
    return cached[1] if cached is not None else _store(id(chunk), chunk, bits_of([id_ for _, id_ in chunk]))


def _store(key: object, owner: object, bits: int) -> int:
    _cache.put(key, (owner, bits))
    return bits


def iterate_bits(bits: int) -> Iterator[int]:
    """Iterate over the ids whose bits are set, ascending."""
    # Ids of one project are close together and far from 0, so leading zero bytes are shifted out first.
    offset = max((bits & -bits).bit_length() - 1, 0) & ~7
    # `bits & -bits` is the lowest bit that is set; its position is rounded down to a whole byte.
    shifted = bits >> offset
    data = shifted.to_bytes((shifted.bit_length() + 7) // 8, "little")
    for match in _NONZERO_BYTE.finditer(data):
        index = match.start()
        for bit in _BITS_OF_BYTE[data[index]]:
            yield offset + index * 8 + bit


def iterate_bits_descending(bits: int) -> Iterator[int]:
    """Iterate over the ids whose bits are set, descending."""
    # Whole bytes are skipped if they are empty; shifting the integer bit by bit would copy it each time.
    data = bits.to_bytes((bits.bit_length() + 7) // 8, "little")
    for index in range(len(data) - 1, -1, -1):
        if data[index]:
            for bit in reversed(_BITS_OF_BYTE[data[index]]):
                yield index * 8 + bit
