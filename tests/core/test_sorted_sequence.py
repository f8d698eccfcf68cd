from bisect import insort

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from fakeplat.core.store.sorted_sequence import CHUNK, EMPTY, RUN, Ids

SEVERAL_CHUNKS = 3 * CHUNK
ids = st.lists(st.integers(min_value=1, max_value=2 * CHUNK), unique=True).map(sorted)
dense = st.integers(min_value=0, max_value=SEVERAL_CHUNKS).map(lambda size: list(range(1, size + 1)))
places = st.integers(min_value=0, max_value=SEVERAL_CHUNKS + 2)


class SortedIds(RuleBasedStateMachine):
    """Ids beside a sorted list that is changed in the same way."""

    @initialize(held=st.one_of(ids, dense))
    def begin(self, held: list[int]) -> None:
        self.ids = Ids.from_sorted(held)
        self.model = held

    @rule(new=st.integers(min_value=1, max_value=2 * SEVERAL_CHUNKS))
    def add(self, new: int) -> None:
        self.ids = self.ids.add(new)
        if new not in self.model:
            insort(self.model, new)

    @rule(first=st.integers(1, SEVERAL_CHUNKS), count=st.integers(1, 2 * CHUNK + 1))
    def add_a_run(self, first: int, count: int) -> None:
        for new in range(first, first + count):
            self.ids = self.ids.add(new)
        self.model = sorted({*self.model, *range(first, first + count)})

    @rule(count=st.integers(0, CHUNK + 1))
    def extend(self, count: int) -> None:
        start = self.model[-1] + 1 if self.model else 1
        more = range(start, start + count)
        self.ids = self.ids.extend(tuple(more))
        self.model = [*self.model, *more]

    @rule(old=st.integers(min_value=1, max_value=2 * SEVERAL_CHUNKS))
    def remove(self, old: int) -> None:
        self.ids = self.ids.remove(old)
        self.model = [id_ for id_ in self.model if id_ != old]

    @precondition(lambda self: self.model)
    @rule(data=st.data())
    def remove_a_run(self, data: st.DataObject) -> None:
        first, last = sorted(data.draw(st.tuples(*[st.integers(0, len(self.model) - 1)] * 2)))
        for old in self.model[first:last]:
            self.ids = self.ids.remove(old)
        self.model = self.model[:first] + self.model[last:]

    @rule(wanted=st.integers(0, 2 * SEVERAL_CHUNKS))
    def look(self, wanted: int) -> None:
        assert (wanted in self.model) == (wanted in self.ids)

    @rule(start=places, stop=places)
    def slice(self, start: int, stop: int) -> None:
        assert tuple(self.model[start:stop]) == self.ids.slice(start, stop)
        assert tuple(self.model[::-1][start:stop]) == self.ids.slice(start, stop, descending=True)

    @invariant()
    def holds_the_same(self) -> None:
        assert self.model == list(self.ids)
        assert self.model[::-1] == list(reversed(self.ids))
        assert len(self.model) == len(self.ids)


def test_ids_are_a_sorted_list() -> None:
    """Ids are sorted without duplicates, whatever is added, appended and removed."""
    run_state_machine_as_test(SortedIds)


@given(ids)
def test_adding_and_removing_leave_the_old_sequence_as_it_was(held: list[int]) -> None:
    """Adding and removing ids leave the original sequence as it was."""
    old = Ids.from_sorted(held)
    old.add(5).remove(7)
    assert held == list(old)


@pytest.mark.parametrize("at", [1, CHUNK, 2 * CHUNK - 1])
def test_adding_shares_all_chunks_but_one(at: int) -> None:
    """Adding an id in the middle copies one chunk and shares all others."""
    old = Ids.from_sorted(range(2, 20 * CHUNK, 2))
    new = old.add(at * 2 + 1)
    assert 1 == len(set(map(id, new._chunks)) - set(map(id, old._chunks)))


@pytest.mark.parametrize("held", [[], [1], list(range(1, SEVERAL_CHUNKS))])
def test_ids_that_are_there_already_or_not_at_all_change_nothing(held: list[int]) -> None:
    """Adding a present id and removing an absent one return the same sequence."""
    ids = Ids.from_sorted(held)
    assert ids is ids.remove(10 * SEVERAL_CHUNKS)
    assert all(ids is ids.add(id_) for id_ in held[::100])


def test_equal_sequences_are_equal_however_they_came_about() -> None:
    """Two sequences of the same ids are equal and hash alike, whatever their chunks."""
    removed, other = Ids.from_sorted(range(1, CHUNK + 2)).remove(1), Ids.from_sorted(range(2, CHUNK + 2))
    assert removed == other
    assert hash(removed) == hash(other)
    assert removed != EMPTY
    assert removed != tuple(removed)


LONG = Ids.from_sorted(range(40 * CHUNK)).remove(5).remove(20 * CHUNK)


@given(st.integers(0, 41 * CHUNK), st.integers(0, 41 * CHUNK))
def test_runs_are_the_items_at_some_places(start: int, stop: int) -> None:
    """The runs of a range are its items in order, and uncut runs share the chunks of the sequence."""
    runs = list(LONG.runs(start, stop))
    assert tuple(LONG)[start:stop] == tuple(item for run in runs for chunk in run.chunks for item in chunk)
    own = set(map(id, LONG._chunks))
    assert all({id(chunk) for chunk in run.chunks} <= own for run in runs if run.is_uncut)
    assert len(runs) <= 2 + 40 // RUN + 2
    assert runs[::-1] == list(LONG.runs(start, stop, descending=True))


@given(st.integers(0, 41 * CHUNK), st.integers(0, 41 * CHUNK))
def test_long_runs_begin_at_multiples_of_their_length(start: int, stop: int) -> None:
    """Long runs of a range have its items in order; those that are longer than others begin at their multiples."""
    runs = list(LONG.runs(start, stop, longest=2 * RUN))
    assert tuple(LONG)[start:stop] == tuple(item for run in runs for chunk in run.chunks for item in chunk)
    starts = [LONG._chunks.index(run.chunks[0]) for run in runs if len(run.chunks) > RUN]
    assert all(at % (2 * RUN) == 0 for at in starts)
    assert all(len(run.chunks) <= 2 * RUN for run in runs)
