"""Connections: one page of rows with cursors. A page has at most 100 rows, which is also the usual size.

A cursor names a record and the place where it stood: a page begins behind the record wherever it is now, or, once it
is gone, where it was.
"""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from typing import Any, Final

import orjson
from attrs import field
from graphql import GraphQLError

from fakeplat.core.operations.paging import LARGEST_PAGE
from fakeplat.core.store.frozen import frozen
from fakeplat.graphql.schema_builder import Type

PAGING: Final = ("after", "before", "first", "last")
INVALID_CURSOR: Final = "Please provide a valid cursor"
BOTH_ENDS: Final = "Can only provide either `first` or `last`, not both"

PAGE_INFO: Final = Type("PageInfo", "Where a page stands.")
PAGE_INFO.attributes(
    {
        "hasNextPage: Boolean!": "Whether there are rows behind it.",
        "hasPreviousPage: Boolean!": "Whether there are rows before it.",
        "startCursor: String": "The cursor of its first row.",
        "endCursor: String": "The cursor of its last row.",
    }
)


@frozen
class Edge:
    """A row with its cursor."""

    node: Any
    cursor: str


@frozen
class PageInfo:
    """Where a page stands."""

    has_next_page: bool
    has_previous_page: bool
    start_cursor: str | None
    end_cursor: str | None


@frozen
class Connection:
    """A page of rows; ``start`` is the place of its first row among ``count``."""

    nodes: Sequence[Any]
    start: int
    count: int
    edges: list[Edge] = field(init=False)

    @edges.default
    def _with_cursors(self) -> list[Edge]:
        return [Edge(node, _cursor(node, self.start + at)) for at, node in enumerate(self.nodes)]

    @property
    def page_info(self) -> PageInfo:
        """Where the page stands."""
        ends = (self.edges[0].cursor, self.edges[-1].cursor) if self.edges else (None, None)
        return PageInfo(self.start + len(self.nodes) < self.count, self.start > 0, *ends)


def paginate(
    rows: Sequence[Any],
    *,
    after: str | None = None,
    before: str | None = None,
    first: int | None = None,
    last: int | None = None,
) -> Connection:
    """The page that the paging arguments ask for; an empty cursor is none."""
    if first is not None and last is not None:
        raise GraphQLError(BOTH_ENDS)
    start = sum(_place(rows, after)) if after else 0
    end = _place(rows, before)[0] if before else len(rows)
    if last is not None:
        start = max(start, end - page_size(last))
    else:
        end = min(end, start + page_size(first))
    return Connection(rows[start:end] if start < end else (), min(start, len(rows)), len(rows))


def page_size(asked: int | None) -> int:
    """How many rows a page has at most."""
    return LARGEST_PAGE if asked is None else min(max(asked, 0), LARGEST_PAGE)


def _cursor(row: Any, place: int) -> str:
    return urlsafe_b64encode(orjson.dumps({"id": str(row.id), "place": place})).decode()


def _place(rows: Sequence[Any], cursor: str) -> tuple[int, bool]:
    """Where the row of a cursor stands, or would stand; and whether it is still there."""
    id_, place = _read(cursor)
    if place < len(rows) and str(rows[place].id) == id_:
        return place, True
    found = next((at for at, row in enumerate(rows) if str(row.id) == id_), None)
    return (min(place, len(rows)), False) if found is None else (found, True)


def _read(cursor: str) -> tuple[str, int]:
    try:
        told = orjson.loads(urlsafe_b64decode(cursor))
        return str(told["id"]), max(int(told["place"]), 0)
    except (ValueError, TypeError, KeyError):
        raise GraphQLError(INVALID_CURSOR) from None
