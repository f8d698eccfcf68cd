"""References between tables: how they are found, cleared and replaced."""

from typing import Any

import pytest
from attrs import field, frozen

from fakeplat.core.store.indexes import bits, each, many, unique
from fakeplat.core.store.references import Link, cascade, clear, hand_over, keep, links_between
from fakeplat.core.store.state import Draft, View
from fakeplat.core.store.table import TableOf


@frozen
class Shelf:
    """What books stand on."""

    id: int
    name: str = ""


@frozen
class Loan:
    """A reader inside a book."""

    reader_id: int | None


@frozen
class Book:
    """A record with a reference of each form."""

    id: int
    shelf_id: int | None = None
    tags: tuple[int, ...] = ()
    about: tuple[str, int] | None = None
    kind: str = ""
    thing: int | None = None
    loans: tuple[Loan, ...] = field(default=())
    pinned: bool = True


class Library(View):
    """A world of shelves, readers and books."""

    shelves = TableOf(Shelf, first_id=1)
    readers = TableOf(Shelf, first_id=101)
    books = TableOf(
        Book,
        unique("about", lambda book: book.about),
        many("shelf", lambda book: book.shelf_id),
        each("tags", lambda book: book.tags),
        bits("facts", lambda book: [("thing", book.thing)]),
        cascade("shelf_id", "shelves"),
        clear("tags", "shelves", index="tags"),
        clear("loans", "readers", inner="reader_id"),
        cascade("about", {"shelf": "shelves", "reader": "readers"}),
        clear("thing", {"shelf": "shelves"}, index="facts", prefix="thing", kind_field="kind", also={"pinned": False}),
        first_id=1_001,
    )


class LibraryDraft(Library, Draft):
    """A library that verbs change."""


@pytest.fixture
def draft() -> Any:
    return LibraryDraft(Library.empty_state())


def find_link(target: str, name: str, kind: str = "") -> Link:
    """The reference of a field to a table."""
    links = links_between(Library.tables)[target]
    (link_,) = (each_ for each_ in links if (each_.reference.field, each_.kind) == (name, kind))
    return link_


@pytest.mark.parametrize(
    ("target", "name", "kind", "book"),
    [
        ("shelves", "shelf_id", "", {"shelf_id": 7}),
        ("shelves", "tags", "", {"tags": (6, 7)}),
        ("shelves", "about", "shelf", {"about": ("shelf", 7)}),
        ("readers", "about", "reader", {"about": ("reader", 7)}),
        ("shelves", "thing", "shelf", {"kind": "shelf", "thing": 7}),
        ("readers", "loans", "", {"loans": (Loan(None), Loan(7))}),
    ],
)
def test_records_that_name_another_are_found(draft: Any, target: str, name: str, kind: str, book: Any) -> None:
    """Records that reference another one are found through each kind of index, and no others."""
    draft.books.add(Book(1, kind="reader", thing=7, about=("shelf", 8), shelf_id=8, tags=(8,), loans=(Loan(8),)))
    naming = draft.books.add(Book(2, **book))
    assert [naming] == find_link(target, name, kind).records(draft, [7, 9])


def test_a_record_that_names_several_is_found_once(draft: Any) -> None:
    """A record that references several of the given ids is found once."""
    book = draft.books.add(Book(1, tags=(6, 7)))
    assert [book] == find_link("shelves", "tags").records(draft, [6, 7])


def test_clearing_leaves_nothing_of_what_is_deleted(draft: Any) -> None:
    """Clearing a reference sets a single id to None, removes it from lists, and changes dependent fields."""
    draft.books.add(Book(1, tags=(5, 7, 6), kind="shelf", thing=7, loans=(Loan(7), Loan(None))))
    find_link("shelves", "tags").clear(draft, [7])
    find_link("shelves", "thing", "shelf").clear(draft, [7])
    find_link("readers", "loans").clear(draft, [7])
    assert Book(1, tags=(5, 6), kind="shelf", thing=None, loans=(Loan(None),), pinned=False) == draft.books[1]


def test_what_is_deleted_itself_is_not_cleared(draft: Any) -> None:
    """The references of records that are deleted themselves are not cleared."""
    draft.books.add(Book(1, tags=(7,)))
    find_link("shelves", "tags").clear(draft, [7], spared=[1])
    assert (7,) == draft.books[1].tags


def test_another_record_takes_the_place_of_one(draft: Any) -> None:
    """Replacing a reference works for values of all forms and leaves no duplicates in lists."""
    draft.books.add(Book(1, shelf_id=7, tags=(7, 8), about=("shelf", 7)))
    for name, kind in (("shelf_id", ""), ("tags", ""), ("about", "shelf")):
        find_link("shelves", name, kind).replace(draft, 7, 8)
    assert Book(1, shelf_id=8, tags=(8,), about=("shelf", 8)) == draft.books[1]


def test_what_a_unique_index_has_already_is_not_replaced(draft: Any) -> None:
    """A reference is not replaced if the new value is already taken in a unique index."""
    draft.books.add(Book(1, about=("shelf", 7)))
    draft.books.add(Book(2, about=("shelf", 8)))
    find_link("shelves", "about", "shelf").replace(draft, 7, 8)
    assert [("shelf", 7), ("shelf", 8)] == [book.about for book in draft.books.all()]


def test_references_can_be_chosen_by_what_happens() -> None:
    """References can be selected by their action on deletion."""
    tables = (TableOf(Shelf, first_id=1), TableOf(Book, keep("thing", "it is history", to="shelves"), first_id=1))
    tables[0].name, tables[1].name = "shelves", "books"
    assert ["thing"] == [link.reference.field for link in links_between(tables, ("keep",))["shelves"]]
    assert () == links_between(tables, ("clear",))["shelves"]


def test_a_reference_uses_an_index_of_its_table() -> None:
    """A reference that uses an unknown index is refused; by default a cascade uses the index with its field's name."""
    with pytest.raises(ValueError, match="references of Book use unknown indexes: author, shelf"):
        TableOf(Book, cascade("shelf_id", "shelves"), hand_over("author_id", "readers"), first_id=1)
