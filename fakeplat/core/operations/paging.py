"""Pagination of lists and its headers. Source: docs/platform/pagination.md, docs/platform/rate-limits.md."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Annotated, Any, Final, NamedTuple, TypeVar, overload
from urllib.parse import quote_plus

import orjson
from propcache.api import cached_property

from fakeplat.core.operations.errors import PageNotAllowed, Unprocessable
from fakeplat.core.operations.http_messages import Headers
from fakeplat.core.params.params import NotAmong, Params
from fakeplat.core.release import ALWAYS, Lifetime
from fakeplat.core.store.frozen import frozen
from fakeplat.core.store.indexes import HasId

T = TypeVar("T")
MAX_PAGE_SIZE: Final = 100
_NAME: Final = itemgetter(0)
DEFAULT_PAGE_SIZE: Final = 20
MAX_OFFSET: Final = 50_000
MAX_COUNTED: Final = 10_000
_FORWARD, _BACKWARD = "n", "p"
"""The directions that a cursor names, relative to its row."""
_CURSOR_HEADERS: Final = ("X-NEXT-CURSOR", "X-PREV-CURSOR")


class Paged(Params):
    """The parameters of paginated lists."""

    page: int = 1
    per_page: Annotated[int, NotAmong(0)] = DEFAULT_PAGE_SIZE


class TokenPaged(Paged):
    """The parameters of lists whose pages can begin after a row that is named."""

    pagination: str | None = None
    page_token: str | None = None

    @property
    def is_unpaged(self) -> bool:
        """Whether all rows are listed at once."""
        return False


class KeysetPaged(Paged):
    """The parameters of lists with keyset pagination."""

    pagination: str | None = None
    order_by: str = "created_at"
    sort: str = "desc"
    id_after: int | None = None
    id_before: int | None = None


class CursorPaged(Paged):
    """The parameters of lists whose pages can begin after a cursor."""

    pagination: str | None = None
    cursor: str | None = None

    @property
    def is_by_cursor(self) -> bool:
        """Whether the client asks for cursors instead of numbers of pages."""
        return self.pagination == "keyset"


class NamePaged(Paged):
    """The parameters of lists by name whose pages can begin after any name."""

    pagination: str | None = None
    last: str | None = None
    sort: str | None = None


Order = tuple[str, str]
"""A column and a direction: ``asc`` or ``desc``."""
BOTH_DIRECTIONS: Final = ("asc", "desc")


def requested_order(_ctx: object, p: Params) -> Order:
    """Return the order that a client asks for; by default the newest rows come first."""
    return getattr(p, "order_by", None) or "id", getattr(p, "sort", None) or "desc"


@frozen
class Cursors:
    """The orders in which a list has cursors: columns with their directions.

    ``order`` (of the context and the parameters) returns the order of the rows, or None if the list has no cursors
    then. Among equal values ids are in the direction of the order or, if ``ids_descend``, descending.
    """

    orders: Mapping[str, tuple[str, ...]]
    order: Callable[..., Order | None] = requested_order
    ids_descend: bool = False


BY_DESCENDING_ID: Final = Cursors({"id": ("desc",)})


@frozen
class Paging:
    """How a list is paginated.

    ``keyset``: also by keyset, if clients ask for that. ``limited`` is the kind of objects in the refusal of offsets
    beyond 50,000, in the releases ``limited_in``, and for anonymous callers only if ``limited_anonymously``; empty:
    there is no such limit. ``counted`` (of the
    parameters) returns whether the headers of a page contain the total; None: they do. ``token`` (of a row) returns
    what names it; with it, clients may ask for the page after a row (``pagination=keyset``), or after any name
    (`NamePaged`); ``token_prefix`` precedes an unknown name in the refusal. ``cursors``: they may ask
    for the page after a cursor that the page before named. ``uncounted``: the releases whose pages report no total;
    ``open_ended``: there, a full page always has a next one.
    """

    keyset: bool = False
    limited: str = ""
    limited_in: Lifetime = ALWAYS
    limited_anonymously: bool = False
    counted: Callable[..., bool] | None = None
    token: Callable[..., str] | None = None
    token_prefix: str = ""
    cursors: Cursors | None = None
    uncounted: Lifetime | None = None
    open_ended: bool = False


BY_OFFSET: Final = Paging()
BY_OFFSET_OR_KEYSET: Final = Paging(keyset=True, limited="Project")


class PageUrl:
    """The URL of a list with the values of all parameters that the endpoint has."""

    def __init__(self, url: str, params: Mapping[str, object]) -> None:
        self.url = url
        self.params = params

    def with_(self, **changes: object) -> str:
        """Return the URL with its parameters and some changes, sorted by name."""
        unchanged = [pair for pair in self._encode_params if pair[0] not in changes]
        pairs = sorted([*unchanged, *_encode_params(changes)], key=_NAME)
        return f"{self.url}?{'&'.join([text for _, text in pairs])}"

    @cached_property
    def _encode_params(self) -> list[tuple[str, str]]:
        return list(_encode_params(self.params))


# The Link header of every page repeats the same names and values several times.
_quote = lru_cache(4096)(quote_plus)


def _encode_params(params: Mapping[str, object]) -> Iterable[tuple[str, str]]:
    """Iterate over parameters as pairs of the name, to sort by, and the encoded text."""
    for key, value in params.items():
        for name, text in _flatten(key, value):
            yield name, f"{_quote(name)}={_quote(text)}"


def _flatten(name: str, value: object) -> Iterable[tuple[str, str]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _flatten(f"{name}[{key}]", inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _flatten(f"{name}[]", inner)
    elif value is not None:
        yield name, str(value).lower() if isinstance(value, bool) else str(value)


class FilteredPages(Sequence[T]):
    """Rows that are counted and paginated first, and filtered per page: a page may be shorter than its size."""

    def __init__(self, rows: Sequence[T], accepts: Callable[[T], bool]) -> None:
        self._rows = rows
        self._accepts = accepts

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> list[T]: ...
    def __getitem__(self, index: int | slice) -> T | list[T]:
        if isinstance(index, int):
            return self._rows[index]
        return [row for row in self._rows[index] if self._accepts(row)]


@frozen
class Page:
    """The rows of a page, and its headers."""

    rows: Sequence[object]
    headers: Headers


def by_offset(
    rows: Sequence[object],
    p: Paged,
    url: PageUrl,
    *,
    counts: bool,
    limited: str,
    counted: bool = True,
    open_ended: bool = False,
) -> Page:
    """Return a page by number.

    ``counts``: report the total even for more than 10,000 rows. ``limited``: refuse offsets beyond 50,000 of objects of
    this kind. ``counted``: whether the total is reported at all. ``open_ended``: a full page has a next one, which may
    be empty.
    """
    page = max(p.page or 1, 1)
    size = min(p.per_page, MAX_PAGE_SIZE) if p.per_page and p.per_page > 0 else DEFAULT_PAGE_SIZE
    if limited and page * size > MAX_OFFSET:
        raise PageNotAllowed(
            f"Offset pagination has a maximum allowed offset of {MAX_OFFSET} for requests that return objects of "
            f"type {limited}. Remaining records can be retrieved using keyset pagination."
        )
    # ``rows`` is often a query: its length is known without reading records, and the slice reads only one page.
    total = len(rows)
    # Division rounded up; an empty list has one empty page.
    pages = max(-(-total // size), 1)
    page_rows = rows[(page - 1) * size : page * size]
    previous_page = page - 1 if 1 < page <= pages else None
    is_full = open_ended and len(page_rows) == size
    next_page = page + 1 if page < pages or is_full else None
    counted = counted and (counts or total <= MAX_COUNTED)
    headers = [
        ("X-Per-Page", str(size)),
        ("X-Page", str(page)),
        ("X-Next-Page", str(next_page or "")),
        ("X-Prev-Page", str(previous_page or "")),
        ("Link", _links(url, p, previous_page, next_page, pages if counted else None)),
    ]
    if counted:
        headers += [("X-Total", str(total)), ("X-Total-Pages", str(pages))]
    return Page(page_rows, tuple(headers))


def _links(url: PageUrl, p: Paged, previous_page: int | None, next_page: int | None, last_page: int | None) -> str:
    # The links repeat the size that the client asked for, even if the page is cut to the maximum.
    per_page = p.per_page or DEFAULT_PAGE_SIZE
    numbers = (("prev", previous_page), ("next", next_page), ("first", 1), ("last", last_page))
    return ", ".join(f'<{url.with_(page=number, per_page=per_page)}>; rel="{rel}"' for rel, number in numbers if number)


def by_token(
    rows: Sequence[object], p: TokenPaged, url: PageUrl, token: Callable[..., str], *, prefix: str = ""
) -> Page:
    """Return the page after the row that the token of the parameters names, or the first one; 422 for another token.

    ``prefix`` precedes the token in the refusal.
    """
    size = min(p.per_page, MAX_PAGE_SIZE) if p.per_page and p.per_page > 0 else DEFAULT_PAGE_SIZE
    start = 0
    if p.page_token:
        names = [token(row) for row in rows]
        if p.page_token not in names:
            raise Unprocessable(
                f"Invalid page token: {prefix}{p.page_token}", reason="no row of the list has this name"
            )
        start = names.index(p.page_token) + 1
    page_rows = rows[start : start + size]
    if len(page_rows) < size:
        return Page(page_rows, ())
    link = f'<{url.with_(page_token=token(page_rows[-1]))}>; rel="next"'
    return Page(page_rows, (("Link", link),))


def by_name(rows: Sequence[object], p: NamePaged, url: PageUrl, name: Callable[..., str]) -> Page:
    """Return the page of rows whose names come after the one in the parameters, which needs not exist."""
    size = min(p.per_page, MAX_PAGE_SIZE) if p.per_page and p.per_page > 0 else DEFAULT_PAGE_SIZE
    descending = p.sort == "desc"
    ordered = sorted(rows, key=name, reverse=descending)
    if p.last:
        last = p.last
        ordered = [row for row in ordered if (name(row) < last if descending else name(row) > last)]
    page_rows = ordered[:size]
    if len(ordered) <= size:
        return Page(page_rows, ())
    order = "desc" if descending else "asc"
    link = f'<{url.with_(last=name(page_rows[-1]), per_page=size, sort=order)}>; rel="next"'
    return Page(page_rows, (("Link", link),))


class _Cursor(NamedTuple):
    """What a cursor names: the value and the id of a row, and whether the page ends before it."""

    value: Any
    id: int
    is_backward: bool

    def write(self, column: str) -> str:
        """Return the cursor as clients send it back."""
        named = {} if column == "id" else {column: self.value}
        direction = _BACKWARD if self.is_backward else _FORWARD
        return urlsafe_b64encode(orjson.dumps({**named, "id": str(self.id), "_kd": direction})).decode()


def _read_cursor(cursor: str, column: str) -> _Cursor | None:
    """Return what a cursor names, or None if it is none of this order."""
    try:
        named = orjson.loads(urlsafe_b64decode(cursor))
        id_ = int(named["id"])
        return _Cursor(id_ if column == "id" else named[column], id_, named.get("_kd") == _BACKWARD)
    except (ValueError, KeyError, TypeError):
        return None


def by_cursor(
    rows: Sequence[HasId], p: CursorPaged, url: PageUrl, cursors: Cursors, order: Order, *, has_headers: bool
) -> Page:
    """Return the page that the cursor of the parameters names, or the first one; 405 for an order without cursors.

    ``has_headers``: the cursors of the next and of the previous page are headers, too.
    """
    column, direction = order
    if direction not in cursors.orders.get(column, ()):
        raise PageNotAllowed("Keyset pagination is not yet available for this type of request")
    size = min(p.per_page, MAX_PAGE_SIZE) if p.per_page and p.per_page > 0 else DEFAULT_PAGE_SIZE
    last = _read_cursor(p.cursor, column) if p.cursor else None
    start, end = _find_bounds(rows, last, size, cursors, order)
    page_rows = rows[start:end]
    following = _cursor_of(page_rows[-1], column, is_backward=False) if page_rows and end < len(rows) else None
    previous = _cursor_of(page_rows[0], column, is_backward=True) if page_rows and start > 0 else None
    headers = [("Link", f'<{url.with_(cursor=following)}>; rel="next"')] if following else []
    if has_headers:
        named = zip(_CURSOR_HEADERS, (following, previous), strict=True)
        headers += [(name, cursor) for name, cursor in named if cursor]
    return Page(page_rows, tuple(headers))


def _cursor_of(row: HasId, column: str, *, is_backward: bool) -> str:
    return _Cursor(getattr(row, column), row.id, is_backward).write(column)


def _find_bounds(
    rows: Sequence[HasId], cursor: _Cursor | None, size: int, cursors: Cursors, order: Order
) -> tuple[int, int]:
    """Return the positions of a page's first row, and of the one after its last."""
    if cursor is None:
        return 0, size
    # A query would walk its order for each row that is asked for.
    rows = rows[0 : len(rows)]
    # The row may be gone, so the place is found by its value and its id.
    if cursor.is_backward:
        end = bisect_left(rows, True, key=lambda row: not _precedes(_place(row, order), cursor[:2], cursors, order))
        return max(end - size, 0), end
    start = bisect_left(rows, True, key=lambda row: _precedes(cursor[:2], _place(row, order), cursors, order))
    return start, start + size


def _place(row: HasId, order: Order) -> tuple[Any, int]:
    return getattr(row, order[0]), row.id


def _precedes(place: tuple[Any, int], other: tuple[Any, int], cursors: Cursors, order: Order) -> bool:
    """Return whether a row comes before another one; rows without a value come last."""
    (value, id_), (other_value, other_id) = place, other
    is_descending = order[1] == "desc"
    if value == other_value:
        return id_ > other_id if is_descending or cursors.ids_descend else id_ < other_id
    if value is None or other_value is None:
        return other_value is None
    return bool(value > other_value if is_descending else value < other_value)


def by_keyset(rows: Sequence[HasId], p: KeysetPaged, url: PageUrl, *, repeats_link: bool) -> Page:
    """Return the first page of rows that were filtered by key; only lists ordered by id support that.

    ``repeats_link``: the link is sent under its old name, too.
    """
    if p.order_by != "id":
        raise PageNotAllowed("Keyset pagination is not yet available for this type of request")
    size = min(p.per_page, MAX_PAGE_SIZE) if p.per_page and p.per_page > 0 else DEFAULT_PAGE_SIZE
    page_rows = rows[:size]
    if not page_rows:
        return Page(page_rows, ())
    key = "id_after" if p.sort == "asc" else "id_before"
    link = f'<{url.with_(**{key: page_rows[-1].id})}>; rel="next"'
    return Page(page_rows, (("Link", link), ("Links", link)) if repeats_link else (("Link", link),))
