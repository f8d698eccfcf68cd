from collections.abc import Callable
from typing import Any

import pytest
from attrs import evolve, field, frozen
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, rule, run_state_machine_as_test
from typing_extensions import override

from fakeplat.core.store import roots
from fakeplat.core.store.indexes import KeyTaken, bits, each, many, ordered, unique
from fakeplat.core.store.state import Draft, State, View
from fakeplat.core.store.table import Sealed, TableOf


@frozen
class Note:
    """A record with something for each kind of index."""

    id: int
    name: str | None = None
    shelf: int | None = None
    tags: tuple[str, ...] = field(default=())


class Notes(View):
    """A world of two tables of the same kind."""

    notes = TableOf(
        Note,
        unique("name", lambda note: note.name),
        many("shelf", lambda note: note.shelf),
        each("tag", lambda note: note.tags),
        bits("tag_bits", lambda note: note.tags),
        ordered("tag_by_name", lambda note: note.tags, lambda note: note.name),
        first_id=101,
    )
    others = TableOf(Note, many("shelf", lambda note: note.shelf), first_id=1)


class NotesDraft(Notes, Draft):
    """A world of notes that verbs change."""


@pytest.fixture
def draft() -> Any:
    return NotesDraft(Notes.empty_state())


def build_state(*notes: Note) -> State:
    draft = NotesDraft(Notes.empty_state())
    draft.notes.add_many(notes)
    return draft.frozen()


Model = dict[int, Note]
names = st.one_of(st.none(), st.sampled_from("abcdef"))
contents = st.fixed_dictionaries(
    {
        "name": names,
        "shelf": st.one_of(st.none(), st.integers(1, 3)),
        "tags": st.lists(st.sampled_from("xyz"), unique=True).map(tuple),
    }
)


def has_clash(model: Model, note: Note) -> bool:
    return note.name is not None and any(note.name == other.name for other in model.values() if other.id != note.id)


def check_table(world: Notes, model: Model) -> None:
    """A table shows what a dict of the same records does, through every index."""
    rows = [model[id_] for id_ in sorted(model)]
    assert rows == list(world.notes) == list(world.notes.all())
    assert len(rows) == len(world.notes)
    assert bool(rows) == bool(world.notes)
    for name in "abcdef":
        assert next((row for row in rows if row.name == name), None) == world.notes.find("name", name)
    for shelf in (1, 2, 3):
        assert [row for row in rows if row.shelf == shelf] == list(world.notes.where("shelf", shelf))
    for tag in "xyz":
        tagged = [row for row in rows if tag in row.tags]
        assert tagged == list(world.notes.where("tag", tag))
        assert sum(1 << row.id for row in tagged) == world.notes.bits("tag_bits", tag)
        named = sorted((row.name, row.id) for row in tagged if row.name is not None)
        assert named == list(world.notes.sorted("tag_by_name", tag))
    groups = world.notes.sorted_groups("tag_by_name", "xyz")
    assert {tag: pairs for tag in "xyz" if (pairs := world.notes.sorted("tag_by_name", tag))} == groups


class Forks(RuleBasedStateMachine):
    """Drafts of one world and forks of them, each beside a dict that is changed in the same way."""

    drafts = Bundle("drafts")

    @initialize(target=drafts)
    def begin(self) -> tuple[NotesDraft, Model]:
        self.every: list[tuple[NotesDraft, Model]] = []
        return self._kept(NotesDraft(Notes.empty_state()), {})

    def _kept(self, draft: NotesDraft, model: Model) -> tuple[NotesDraft, Model]:
        self.every.append((draft, model))
        return draft, model

    @rule(target=drafts, world=drafts)
    def fork(self, world: tuple[NotesDraft, Model]) -> tuple[NotesDraft, Model]:
        draft, model = world
        return self._kept(draft.fork(), dict(model))

    @rule(world=drafts, given=st.lists(contents, max_size=3))
    def add(self, world: tuple[NotesDraft, Model], given: list[dict[str, Any]]) -> None:
        draft, model = world
        records = [Note(draft.notes.next_id(), **content) for content in given]
        after = {**model, **{record.id: record for record in records}}
        if any(has_clash(after, record) for record in records):
            with pytest.raises(KeyTaken):
                draft.notes.add_many(records)
        else:
            draft.notes.add_many(records)
            model.update(after)

    @rule(world=drafts, data=st.data(), content=contents)
    def change(self, world: tuple[NotesDraft, Model], data: st.DataObject, content: dict[str, Any]) -> None:
        draft, model = world
        if not model:
            return
        old = model[data.draw(st.sampled_from(sorted(model)))]
        new = evolve(old, **content)
        if has_clash(model, new):
            with pytest.raises(KeyTaken):
                draft.notes.change(old, **content)
        else:
            assert new == draft.notes.change(old, **content)
            model[old.id] = new

    @rule(world=drafts, data=st.data())
    def remove(self, world: tuple[NotesDraft, Model], data: st.DataObject) -> None:
        draft, model = world
        if model:
            id_ = data.draw(st.sampled_from(sorted(model)))
            draft.notes.remove(model.pop(id_))
            assert draft.notes.get(id_) is None

    @rule(world=drafts, shelf=st.integers(1, 3))
    def ask_one_index(self, world: tuple[NotesDraft, Model], shelf: int) -> None:
        draft, model = world
        assert [model[id_] for id_ in sorted(model) if model[id_].shelf == shelf] == [
            *draft.notes.where("shelf", shelf)
        ]

    @rule(world=drafts)
    def share(self, world: tuple[NotesDraft, Model]) -> None:
        draft, _ = world
        draft.roots[Notes.notes.position].share()

    @override
    def teardown(self) -> None:
        for draft, model in self.every:
            check_table(draft, model)
            check_table(Notes(draft.frozen()), model)


@pytest.mark.parametrize(("writes", "kept"), [(256, 1_000), (1, 0), (1, 1_000), (2, 2), (3, 1_000)])
def test_forks_are_independent(monkeypatch: pytest.MonkeyPatch, writes: int, kept: int) -> None:
    """Each fork shows its own records through every index, however many writes the indexes may fall behind."""
    monkeypatch.setattr(roots, "MAX_WRITES", writes)
    monkeypatch.setattr(roots, "MAX_KEPT", kept)
    run_state_machine_as_test(Forks)


def test_a_name_of_another_record_is_refused_and_nothing_changes(draft: NotesDraft) -> None:
    """A write that would duplicate a unique key raises KeyTaken and leaves the table as it was."""
    draft.notes.add_many((Note(101, "a"), Note(102, "b")))
    before = draft.frozen()
    for clash in (
        lambda: draft.notes.add(Note(103, "a")),
        lambda: draft.notes.add_many((Note(103, "c"), Note(104, "c"))),
        lambda: draft.notes.change(draft.notes[101], name="b"),
    ):
        with pytest.raises(KeyTaken):
            clash()
    assert before.roots is draft.frozen().roots


def test_a_unique_key_is_free_again_once_its_record_gave_it_up(draft: NotesDraft) -> None:
    """Changing and removing a record free its unique key, and None is no key."""
    draft.notes.add_many((Note(101, "a"), Note(102, "b"), Note(103), Note(104)))
    draft.notes.change(draft.notes[101], name=None)
    draft.notes.remove(draft.notes[102])
    draft.notes.add_many((Note(105, "a"), Note(106, "b")))
    notes = [draft.notes.find("name", name) for name in "ab"]
    assert [105, 106] == [note.id for note in notes if note]


def test_a_key_that_a_record_has_twice_counts_once(draft: NotesDraft) -> None:
    """A record with a duplicate key is found once under it, and not at all after it is removed."""
    note = draft.notes.add(Note(101, tags=("x", "x")))
    assert [note] == list(draft.notes.where("tag", "x"))
    draft.notes.remove(note)
    assert [] == list(draft.notes.where("tag", "x"))


def test_the_same_values_leave_the_record_itself(draft: NotesDraft) -> None:
    """A change to the same values returns the same record and leaves the table as it was."""
    note = draft.notes.add(Note(101, "a", 1, ("x",)))
    before = draft.frozen()
    assert note is draft.notes.change(note, name="a", tags=("x",))
    assert before.roots is draft.frozen().roots


def test_what_an_index_does_not_see_shares_it(draft: NotesDraft) -> None:
    """A change of one value leaves the indexes of other values as they were."""
    note = draft.notes.add(Note(101, "a", 1, ("x",)))
    root, slots = draft.roots[Notes.notes.position], Notes.notes.slots
    maps, ids = {name: root.index_map(slot) for name, slot in slots.items()}, draft.notes.all_ids()
    draft.notes.change(note, shelf=2)
    root = draft.roots[Notes.notes.position]
    assert ["shelf"] == [name for name, slot in slots.items() if root.index_map(slot) is not maps[name]]
    assert ids is draft.notes.all_ids()


def test_a_fork_shares_everything_until_it_is_written() -> None:
    """A fork shares all tables with its origin, and a written fork those that were not written."""
    state = build_state(*[Note(id_, shelf=id_ % 7) for id_ in range(101, 10_101)])
    fork = NotesDraft(state).fork()
    assert all(mine is theirs for mine, theirs in zip(fork.roots, state.roots, strict=True))
    fork.others.add(Note(1))
    assert state.roots[Notes.notes.position] is fork.frozen().roots[Notes.notes.position]


def test_forks_catch_up_once_with_what_they_share() -> None:
    """What the first changed fork finds in an index, the next one has without building it again."""
    state = build_state(*[Note(id_, shelf=id_ % 7) for id_ in range(101, 200)])
    state.roots[Notes.notes.position].share()
    entries = []
    for shelf in (1, 2):
        fork = NotesDraft(state)
        fork.notes.change(fork.notes[103], shelf=shelf)
        assert fork.notes[103] in fork.notes.where("shelf", shelf)
        entries.append(fork.notes.ids("shelf", 4))
    assert entries[0] is entries[1]


def test_a_frozen_state_keeps_its_records_while_the_draft_goes_on(draft: NotesDraft) -> None:
    """What a draft writes after it was frozen is not in that state, and going back to it undoes the writes."""
    draft.notes.add(Note(101, "a"))
    state = draft.frozen()
    draft.notes.add(Note(draft.notes.next_id(), "b"))
    draft.notes.change(draft.notes[101], name="c")
    draft.others.add(Note(1))
    assert [Note(101, "a")] == list(Notes(state).notes)
    assert not Notes(state).others
    draft.roll_back(state)
    draft.notes.add(Note(draft.notes.next_id(), "d"))
    assert [Note(101, "a"), Note(102, "d")] == list(draft.notes)
    assert [Note(101, "a")] == list(Notes(state).notes)


@pytest.mark.parametrize(
    "write",
    [
        lambda draft: draft.notes.add(Note(102)),
        lambda draft: draft.notes.add_many((Note(102),)),
        lambda draft: draft.notes.change(draft.notes[101], name="b"),
        lambda draft: draft.notes.remove(draft.notes[101]),
        lambda draft: draft.notes.next_id(),
        lambda draft: draft.next("issue"),
        lambda draft: draft.raise_counter(9, "issue"),
        lambda draft: draft.roll_back(Notes.empty_state()),
    ],
    ids=["add", "add_many", "change", "remove", "next_id", "next", "raise_counter", "roll_back"],
)
def test_a_sealed_draft_is_a_view_that_nobody_changes(write: Callable[[NotesDraft], object], draft: NotesDraft) -> None:
    """Once its changes are committed, a draft shows them, and a further write is an error that changes nothing."""
    draft.notes.add(Note(101, "a"))
    draft.next("issue")
    draft.seal()
    with pytest.raises(Sealed):
        write(draft)
    assert ([Note(101, "a")], 1, False) == (list(draft.notes), draft.get_counter("issue"), draft.is_draft)
    assert [Note(101, "a")] == list(Notes(draft.state).notes)
    assert draft.state is draft.current_state()


def test_a_draft_that_is_dropped_changed_nothing() -> None:
    """Changes in a dropped draft do not appear in its origin."""
    state = build_state(Note(101, "a"))
    draft = NotesDraft(state)
    draft.notes.remove(draft.notes[101])
    draft.notes.add(Note(102, "b"))
    draft.next("iid", 1)
    assert [Note(101, "a")] == list(Notes(state).notes)
    assert 0 == Notes(state).get_counter("iid", 1)


def test_a_view_has_no_verbs() -> None:
    """The table of a read-only world has no methods that change it."""
    view = Notes(build_state(Note(101)))
    verbs = ("add", "add_many", "change", "next_id", "remove", "replace")
    assert [] == [verb for verb in verbs if hasattr(view.notes, verb)]


@pytest.mark.parametrize("taken", [lambda d: d.notes.next_id(), lambda d: d.notes.add(Note(d.notes.next_id())).id])
def test_an_id_is_never_given_again(taken: Any, draft: NotesDraft) -> None:
    """Ids ascend from the table's first one, whether their records were added, dropped or removed."""
    given = []
    for _ in range(3):
        given.append(taken(draft))
        for note in list(draft.notes):
            draft.notes.remove(note)
    assert [101, 102, 103] == given
    assert 104 == NotesDraft(draft.frozen()).notes.next_id()


def test_an_id_chosen_by_hand_moves_the_counter_on(draft: NotesDraft) -> None:
    """The next id follows the highest one that was added with an explicit id."""
    draft.notes.add(Note(150))
    assert 151 == draft.notes.next_id()


def test_a_counter_never_gives_a_number_twice(draft: NotesDraft) -> None:
    """Counters count from 1 by key, continue in forks, follow explicit numbers, and never go back."""
    assert [1, 2] == [draft.next("issue", 7), draft.next("issue", 7)]
    assert 1 == draft.next("issue", 8)
    fork = draft.fork()
    fork.raise_counter(9, "issue", 7)
    fork.raise_counter(4, "issue", 7)
    assert 10 == fork.next("issue", 7)
    assert (2, 3) == (draft.get_counter("issue", 7), draft.next("issue", 7))


def test_a_missing_record_is_named_in_the_error(draft: NotesDraft) -> None:
    """Indexing a missing record raises KeyError with the table and the id; get and find return None."""
    with pytest.raises(KeyError, match="notes has no record 999"):
        draft.notes[999]
    assert (None, None) == (draft.notes.get(999), draft.notes.find("name", "z"))
    assert [] == list(draft.notes.where("shelf", 99))


ROWS = [Note(id_) for id_ in (101, 103, 104, 107)]


@pytest.mark.parametrize(
    "indices",
    [
        slice(None),
        slice(1, 3),
        slice(-2, None),
        slice(None, -1),
        slice(2, 1),
        slice(50, 60),
        slice(None, None, 2),
        slice(None, None, -1),
        slice(3, 0, -2),
    ],
    ids=str,
)
@pytest.mark.parametrize("backwards", [False, True])
def test_rows_slice_like_a_list(indices: slice, backwards: bool) -> None:
    """Any slice of rows, with any step and in either direction, is the slice of a list of them."""
    rows = Notes(build_state(*ROWS)).notes.all()
    model = ROWS[::-1] if backwards else ROWS
    assert model[indices] == [*(rows.in_reverse() if backwards else rows)[indices]]


def test_rows_are_a_sequence() -> None:
    """Rows have a length, indexes from both ends, both directions, and IndexError beyond their ends."""
    rows = Notes(build_state(*ROWS)).notes.all()
    assert 4 == len(rows) == len(rows.in_reverse())
    assert [*ROWS, *ROWS] == [rows[index] for index in (0, 1, 2, 3, -4, -3, -2, -1)]
    assert ROWS[::-1] == list(reversed(rows)) == list(rows.in_reverse())
    assert ROWS == list(rows.in_reverse().in_reverse()) == list(reversed(rows.in_reverse()))
    assert ROWS[-1] == rows.in_reverse()[0]
    for outside in (4, -5):
        with pytest.raises(IndexError):
            rows[outside]
