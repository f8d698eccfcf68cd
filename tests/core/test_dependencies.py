"""What was looked at, and whether it is still there."""

from collections.abc import Callable
from typing import Any

import pytest
from attrs import frozen

from fakeplat.core.cache.dependencies import MAX_LOOKUPS, Dependencies
from fakeplat.core.cache.entries import CacheEntry
from fakeplat.core.store.indexes import many, ordered
from fakeplat.core.store.state import Draft, State, View
from fakeplat.core.store.table import TableOf


@frozen
class Book:
    """A record on a shelf."""

    id: int
    shelf: int = 1
    title: str = ""


class Library(View):
    """A world of two tables."""

    books = TableOf(
        Book,
        many("shelf", lambda book: book.shelf),
        ordered("by_title", lambda book: (book.shelf,), "title"),
        first_id=1,
    )
    loans = TableOf(Book, many("shelf", lambda book: book.shelf), first_id=1)


class LibraryDraft(Library, Draft):
    """A library that verbs change."""


Change = Callable[[LibraryDraft], object]
CHANGES: dict[str, tuple[Change, bool]] = {
    "nothing": (lambda draft: None, True),
    "another table": (lambda draft: draft.loans.add(Book(9)), True),
    "another record of the table": (lambda draft: draft.books.change(draft.books[2], title="Other"), True),
    "the same values": (lambda draft: draft.books.change(draft.books[1], title=""), True),
    "the record": (lambda draft: draft.books.change(draft.books[1], title="Other"), False),
    "the index": (lambda draft: draft.books.add(Book(9, shelf=7)), False),
}


@pytest.fixture
def state() -> State:
    draft = LibraryDraft(Library.empty_state())
    for id_ in (1, 2):
        draft.books.add(Book(id_))
    return draft.frozen()


def change_state(state: State, change: Change) -> State:
    draft = LibraryDraft(state)
    change(draft)
    return draft.frozen()


def record_dependencies(state: State, look: Callable[[Library], object], **how: Any) -> Dependencies:
    world = Library(state)
    world.reads = reads = Dependencies(**how)
    look(world)
    return CacheEntry("a thing", reads, state).reads


def read_all(world: Library) -> object:
    return world.books[1], world.books.ids("shelf", 7)


def find_dependents(part: Dependencies, state: State) -> Dependencies:
    whole = Dependencies()
    whole.add(part)
    return CacheEntry("a whole", whole, state).reads


@pytest.mark.parametrize("depth", [0, 1, 2], ids=["itself", "a part", "a part of a part"])
@pytest.mark.parametrize(("change", "holds"), CHANGES.values(), ids=CHANGES.keys())
def test_what_was_looked_at_holds_until_it_changes(state: State, change: Change, holds: bool, depth: int) -> None:
    """Dependencies hold until a record that was read changes, whatever else is written, and after a restore."""
    reads = record_dependencies(state, read_all)
    for _ in range(depth):
        reads = find_dependents(reads, state)
    later = change_state(change_state(state, lambda draft: draft.loans.add(Book(5))), change)
    assert [holds, True, holds, holds] == [
        reads.is_valid_in(moment) for moment in (change_state(state, change), state, later, later)
    ]


@pytest.mark.parametrize(
    ("change", "holds"),
    [
        (lambda draft: draft.books.add(Book(9, shelf=3)), True),
        (lambda draft: draft.books.add(Book(9, shelf=7)), False),
        (lambda draft: draft.books.change(draft.books[1], title="Other"), False),
    ],
    ids=["another group", "a group that was empty", "a group that had records"],
)
def test_sorted_groups_hold_until_one_of_them_changes(state: State, change: Change, holds: bool) -> None:
    """Dependencies on groups of a sorted index, also on empty ones, hold until a record of one changes."""
    reads = record_dependencies(state, lambda world: world.books.sorted_groups("by_title", (1, 7)))
    assert holds == reads.is_valid_in(change_state(state, change))


@pytest.mark.parametrize(("table", "holds"), [("books", False), ("loans", True)])
@pytest.mark.parametrize(
    ("how", "look"),
    [
        ({"coarse": True}, read_all),
        ({}, lambda world: [world.books.get(id_) for id_ in range(MAX_LOOKUPS + 1)]),
        ({}, lambda world: world.books.fetch()(1)),
    ],
    ids=["coarse", "very many places", "a quick way to many"],
)
def test_who_looks_at_much_depends_on_the_whole_table(
    state: State, how: Any, look: Any, table: str, holds: bool
) -> None:
    """Reading many records depends on every write to their table, and on no write to another table."""
    reads = record_dependencies(state, look, **how)
    assert holds == reads.is_valid_in(change_state(state, lambda draft: getattr(draft, table).add(Book(9))))


def test_what_was_never_seen_to_hold_is_looked_for(state: State) -> None:
    """Dependencies never checked before are checked correctly also in an unrelated state."""
    world = Library(state)
    world.reads = reads = Dependencies()
    read_all(world)
    assert not reads.is_valid_in(Library.empty_state())
    assert reads.is_valid_in(state)
