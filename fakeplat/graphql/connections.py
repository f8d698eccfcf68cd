"""Connections: pages of rows with cursors. A page has at most 100 rows, which is also the default.

A cursor contains a record's id and its index: a page starts after the record wherever it is now, or at the index if the
record has been deleted.
"""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from typing import Any, Final, Protocol

import orjson
from graphql import GraphQLError

from fakeplat.core.operations.paging import MAX_PAGE_SIZE
from fakeplat.core.store.frozen import frozen
from fakeplat.graphql.schema_builder import Type

PAGING: Final = ("after", "before", "first", "last")
INVALID_CURSOR: Final = "Please provide a valid cursor"
BOTH_ENDS: Final = "Can only provide either `first` or `last`, not both"

PAGE_INFO: Final = Type("PageInfo", "The position of a page.")
PAGE_INFO.attributes(
    {
        "hasNextPage: Boolean!": "Whether there are rows after the page.",
        "hasPreviousPage: Boolean!": "Whether there are rows before the page.",
        "startCursor: String": "The cursor of the first row.",
        "endCursor: String": "The cursor of the last row.",
    }
)


class Node(Protocol):
    """A record with an id."""

    @property
    def id(self) -> int | str:
        """The id."""


@frozen
class Edge:
    """A row and its cursor. ``owner`` is the record that has the rows."""

    node: Any
    cursor: str
    owner: object = None


@frozen
class PageInfo:
    """The position of a page."""

    has_next_page: bool
    has_previous_page: bool
    start_cursor: str | None
    end_cursor: str | None


@frozen
class Connection:
    """A page of rows; ``start`` is the index of its first row among all ``rows``, which the record ``owner`` has."""

    nodes: Sequence[Any]
    start: int
    rows: Sequence[Any]
    owner: object = None

    @property
    def edges(self) -> list[Edge]:
        """The rows with their cursors."""
        return [Edge(node, self._cursor_at(at), self.owner) for at, node in enumerate(self.nodes)]

    @property
    def count(self) -> int:
        """The number of all rows."""
        return len(self.rows)

    @property
    def page_info(self) -> PageInfo:
        """The position of the page."""
        ends = (self._cursor_at(0), self._cursor_at(len(self.nodes) - 1)) if self.nodes else (None, None)
        return PageInfo(self.start + len(self.nodes) < self.count, self.start > 0, *ends)

    def _cursor_at(self, at: int) -> str:
        return _make_cursor(self.nodes[at], self.start + at)


def paginate(
    rows: Sequence[Node],
    *,
    after: str | None = None,
    before: str | None = None,
    first: int | None = None,
    last: int | None = None,
    owner: object = None,
    limit: int = MAX_PAGE_SIZE,
) -> Connection:
    """Return the page of a record's rows that the arguments select, at most ``limit``; an empty cursor is ignored."""
    if first is not None and last is not None:
        raise GraphQLError(BOTH_ENDS)
    # Index plus one if the row still exists; if it does not, the row now at its index is the next one.
    start = sum(_get_index(rows, after)) if after else 0
    end = _get_index(rows, before)[0] if before else len(rows)
    # With ``last`` the page is the end of what the cursors leave, with ``first`` or neither its beginning.
    if last is not None:
        start = max(start, end - min(page_size(last), limit))
    else:
        end = min(end, start + min(page_size(first), limit))
    # The two cursors may be in the wrong order, or beyond the end of a list that has become shorter.
    return Connection(rows[start:end] if start < end else (), min(start, len(rows)), rows, owner)


def page_size(limit: int | None) -> int:
    """Return the largest number of rows of a page."""
    return MAX_PAGE_SIZE if limit is None else min(max(limit, 0), MAX_PAGE_SIZE)


def _make_cursor(row: Node, index: int) -> str:
    return urlsafe_b64encode(orjson.dumps({"id": str(row.id), "place": index})).decode()


def _get_index(rows: Sequence[Node], cursor: str) -> tuple[int, bool]:
    """Return the index where a cursor's row is or was, and whether it still exists."""
    id_, index = _parse_cursor(cursor)
    # Usually nothing has changed before the row, so no search is needed.
    if index < len(rows) and str(rows[index].id) == id_:
        return index, True
    moved_to = next((i for i, row in enumerate(rows) if str(row.id) == id_), None)
    return (min(index, len(rows)), False) if moved_to is None else (moved_to, True)


def _parse_cursor(cursor: str) -> tuple[str, int]:
    try:
        data = orjson.loads(urlsafe_b64decode(cursor))
        return str(data["id"]), max(int(data["place"]), 0)
    except (ValueError, TypeError, KeyError):
        raise GraphQLError(INVALID_CURSOR) from None
