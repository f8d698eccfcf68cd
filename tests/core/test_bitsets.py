"""Bits of long sorted sequences, and walks that skip what is not chosen."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from fakeplat.core.store.bitsets import bits_between, bits_of
from fakeplat.core.store.query import Bits
from fakeplat.core.store.sorted_sequence import CHUNK, RUN, SortedSequence

COUNT = 17 * RUN * CHUNK + 100
IDS = [at * 7919 % COUNT for at in range(COUNT)]
PAIRS: SortedSequence[tuple[Any, int]] = SortedSequence.from_sorted(
    (at // 3, id_) for at, id_ in enumerate(sorted(IDS, reverse=True))
)
FAR = SortedSequence.from_sorted((value, 1_000_000 + id_) for value, id_ in PAIRS)
"""Ids that are too great for bits of single chunks."""
places = st.integers(0, COUNT + 5)


@given(places, places, st.integers(0, COUNT - 1))
def test_bits_between_two_places(start: int, stop: int, changed: int) -> None:
    """The bits of a range of a sequence are those of its ids, also if it shares most chunks with another sequence."""
    for pairs in (PAIRS, PAIRS.remove(PAIRS.slice(changed, changed + 1)[0]), FAR):
        assert bits_of([id_ for _, id_ in pairs.slice(start, stop)] or [0]) | 1 == bits_between(pairs, start, stop) | 1


@given(st.lists(st.integers(0, COUNT - 1), max_size=5))
def test_chunks_without_a_chosen_id_are_skipped(chosen: list[int]) -> None:
    """All but a few chunks without a chosen id are skipped, and no chosen id is lost, in either direction."""
    whole = Bits(bits_of(chosen))
    for met in (list(whole.iterate_chunks(PAIRS)), list(whole.iterate_chunks_backwards(PAIRS))):
        assert set(chosen) == {id_ for chunk, hits in met for _, id_ in chunk if id_ in hits}
        assert len(met) <= 2 + len(chosen)
