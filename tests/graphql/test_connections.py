"""Pages of rows: their sizes, their cursors, and what they say of what lies around them."""

from collections.abc import Iterator
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fakeplat.graphql.schema  # noqa: F401  # declares all types
from fakeplat.graphql.connections import Connection, paginate
from fakeplat.graphql.schema_builder import CONNECTION, TYPES
from fakeplat.harness.fake import Fakeplat
from fakeplat.model.planning import Label
from tests.graphql.queries import WORLD, list_messages, query_data, query_project, query_refused

pytestmark = [pytest.mark.every_release, pytest.mark.fakeplat(scenario=WORLD)]

PAGE = """{ count nodes { iid } edges { cursor node { iid } }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor } }"""


def query_page(fake: Fakeplat, **paging: Any) -> Any:
    """A page of the three issues of acme/site, which are 3, 2 and 1."""
    query = """query($first: Int, $last: Int, $after: String, $before: String) { project(fullPath: "acme/site") {
        issues(first: $first, last: $last, after: $after, before: $before) %s } }"""
    return query_data(fake, "ada", query % PAGE, **paging)["project"]["issues"]


def list_iids(connection: Any) -> list[str]:
    return [issue["iid"] for issue in connection["nodes"]]


def test_a_page_says_where_it_stands(fakeplat: Fakeplat) -> None:
    """Nodes and edges have the same rows, and the page's cursors are those of its first and last edge."""
    first = query_page(fakeplat, first=2)
    second = query_page(fakeplat, first=2, after=first["pageInfo"]["endCursor"])

    assert (["3", "2"], ["1"]) == (list_iids(first), list_iids(second))
    assert [edge["node"] for edge in first["edges"]] == first["nodes"]
    assert [first["edges"][0]["cursor"], first["edges"][-1]["cursor"]] == [
        first["pageInfo"]["startCursor"],
        first["pageInfo"]["endCursor"],
    ]
    assert [(True, False), (False, True)] == [
        (page["pageInfo"]["hasNextPage"], page["pageInfo"]["hasPreviousPage"]) for page in (first, second)
    ]
    assert [3, 3] == [first["count"], second["count"]]


def test_pages_go_backwards_too(fakeplat: Fakeplat) -> None:
    """``last`` takes rows from the end, and ``before`` limits them to those before a cursor."""
    last = query_page(fakeplat, last=1)
    before = query_page(fakeplat, last=1, before=last["pageInfo"]["startCursor"])

    assert (["1"], ["2"]) == (list_iids(last), list_iids(before))
    assert (True, True) == (before["pageInfo"]["hasPreviousPage"], before["pageInfo"]["hasNextPage"])


def test_an_empty_page_has_no_cursors(fakeplat: Fakeplat) -> None:
    """``first: 0`` gives no rows and no cursors, and the total count."""
    none = query_page(fakeplat, first=0)

    assert ([], [], 3) == (none["nodes"], none["edges"], none["count"])
    assert {"hasNextPage": True, "hasPreviousPage": False, "startCursor": None, "endCursor": None} == none["pageInfo"]


@pytest.mark.parametrize(("asked", "rows"), [(None, 100), (100, 100), (5000, 100), (7, 7), (-1, 0)])
def test_a_page_has_at_most_a_hundred_rows(fakeplat: Fakeplat, asked: int | None, rows: int) -> None:
    """A page has at most 100 rows, which is also the default."""
    fakeplat.load({"generate": [{"into": "acme/docs", "issues": 120}]})
    first = "" if asked is None else f"(first: {asked})"
    project = query_project(fakeplat, "ada", f"issues{first} {{ nodes {{ iid }} }}", "acme/docs")

    assert rows == len(project["issues"]["nodes"])


def test_an_empty_cursor_is_none(fakeplat: Fakeplat) -> None:
    """An empty cursor gives the first page."""
    assert query_page(fakeplat, first=2) == query_page(fakeplat, first=2, after="", before="")


@pytest.mark.parametrize("cursor", ["x", "MQ==", "bnVsbA==", "e30=", "eyJpZCI6MX0=", "\u00e9"])
def test_what_is_no_cursor_is_an_error(fakeplat: Fakeplat, cursor: str) -> None:
    """An invalid cursor is an error."""
    query = """query($c: String) { project(fullPath: "acme/site") { issues(after: $c) { nodes { iid } } } }"""
    answered = query_refused(fakeplat, "ada", query, c=cursor)

    assert ["Please provide a valid cursor"] == list_messages(answered)
    assert {"project": {"issues": None}} == answered["data"]


def test_first_and_last_exclude_each_other(fakeplat: Fakeplat) -> None:
    """A connection with both `first` and `last` is an error."""
    query = '{ project(fullPath: "acme/site") { issues(first: 1, last: 1) { nodes { iid } } } }'

    assert ["Can only provide either `first` or `last`, not both"] == list_messages(
        query_refused(fakeplat, "ada", query)
    )


def test_following_cursors_meets_what_is_still_there(fakeplat: Fakeplat) -> None:
    """Rows that are added or deleted between pages neither repeat nor hide others."""
    cursor = query_page(fakeplat, first=1)["pageInfo"]["endCursor"]
    fakeplat.as_user("ada").post("projects/acme%2Fsite/issues", json={"title": "New"})
    assert ["2", "1"] == list_iids(query_page(fakeplat, after=cursor))

    fakeplat.as_user("ada").delete("projects/acme%2Fsite/issues/4")
    fakeplat.as_user("ada").delete("projects/acme%2Fsite/issues/3")
    assert ["2", "1"] == list_iids(query_page(fakeplat, after=cursor))


def build_labels(count: int) -> list[Label]:
    return [Label(id_, ("project", 1), str(id_), "#fff", "", "") for id_ in range(1, count + 1)]


@given(st.integers(0, 30), st.integers(1, 12))
def test_pages_forwards_are_the_list(count: int, size: int) -> None:
    """Following ``endCursor`` gives every row once, in order, and no superfluous page."""
    labels: list[Label] = []
    after, pages = None, 0
    while True:
        part: Connection = paginate(build_labels(count), first=size, after=after)
        labels += part.nodes
        pages += 1
        if not part.page_info.has_next_page:
            break
        after = part.page_info.end_cursor

    assert build_labels(count) == labels
    assert max(-(-count // size), 1) == pages


@given(st.integers(0, 30), st.integers(1, 12))
def test_pages_backwards_are_the_list(count: int, size: int) -> None:
    """Following ``startCursor`` with ``last`` gives every row once, in order."""
    labels: list[Label] = []
    before = None
    while True:
        part = paginate(build_labels(count), last=size, before=before)
        labels = [*part.nodes, *labels]
        if not part.page_info.has_previous_page:
            break
        before = part.page_info.start_cursor

    assert build_labels(count) == labels


def list_row_classes(annotation: Any) -> Iterator[Any]:
    """Yield the classes of the rows in an annotation such as ``Sequence[Issue | Epic] | None``."""
    arguments = get_args(annotation)
    if get_origin(annotation) in (Union, UnionType):
        yield from (kind for part in arguments if part is not NoneType for kind in list_row_classes(part))
    elif arguments:
        yield from list_row_classes(arguments[0])
    else:
        yield annotation


def test_rows_of_all_connections_have_ids() -> None:
    """Cursors contain the ids of rows, so rows of each connection have some."""
    resolved = {
        f"{type_.name}.{field.name}": get_type_hints(field.call)["return"]
        for type_ in TYPES.values()
        for field in type_.declared
        if field.kind.endswith(CONNECTION) and field.call is not None
    }
    rows = {name: [*list_row_classes(annotation)] for name, annotation in resolved.items()}

    assert len(rows) > 200
    assert {} == {
        name: kinds
        for name, kinds in rows.items()
        if not all(hasattr(kind, "id") or "id" in getattr(kind, "__annotations__", {}) for kind in kinds)
    }
