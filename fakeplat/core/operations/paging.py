"""Pagination of lists and its headers. Source: docs/platform/pagination.md, docs/platform/rate-limits.md."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Annotated, Any, Final, TypeVar, overload
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
    """The parameters of lists by descending id whose pages can begin after a cursor."""

    pagination: str | None = None
    cursor: str | None = None


class OrderedCursorPaged(CursorPaged):
    """The parameters of lists in a requested order whose pages can begin after a cursor."""

    order_by: str = "id"
    sort: str = "desc"


class NamePaged(Paged):
    """The parameters of lists by name whose pages can begin after any name."""

    pagination: str | None = None
    last: str | None = None
    sort: str | None = None


@frozen
class Paging:
    """How a list is paginated.

    ``keyset``: also by keyset, if clients ask for that. ``limited`` is the kind of objects in the refusal of offsets
    beyond 50,000, in the releases ``limited_in``, and for anonymous callers only if ``limited_anonymously``; empty:
    there is no such limit. ``counted`` (of the
    parameters) returns whether the headers of a page contain the total; None: they do. ``token`` (of a row) returns
    what names it; with it, clients may ask for the page after a row (``pagination=keyset``), or after any name
    (`NamePaged`); ``token_prefix`` precedes an unknown name in the refusal. ``cursor``: they may ask
    for the page after a cursor that the page before named, or only anonymous callers
    (``cursor_anonymously``). ``uncounted``: the releases whose pages report no total;
    ``open_ended``: there, a full page always has a next one.
    """

    keyset: bool = False
    limited: str = ""
    limited_in: Lifetime = ALWAYS
    limited_anonymously: bool = False
    counted: Callable[..., bool] | None = None
    token: Callable[..., str] | None = None
    token_prefix: str = ""
    cursor: bool = False
    cursor_anonymously: bool = False
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


def by_cursor(rows: Sequence[HasId], p: CursorPaged, url: PageUrl) -> Page:
    """Return the page of rows after the cursor of the parameters, or the first one.

    The rows are sorted by descending id, unless the parameters name their order.
    """
    size = min(p.per_page, MAX_PAGE_SIZE) if p.per_page and p.per_page > 0 else DEFAULT_PAGE_SIZE
    order = p.order_by if isinstance(p, OrderedCursorPaged) else "id"
    descending = not isinstance(p, OrderedCursorPaged) or p.sort != "asc"
    last = _read_cursor(p.cursor, order) if p.cursor else None
    start = 0 if last is None else _position_after(rows, last, order, descending=descending)
    page_rows = rows[start : start + size]
    if start + size >= len(rows):
        return Page(page_rows, ())
    link = f'<{url.with_(cursor=_write_cursor(page_rows[-1], order))}>; rel="next"'
    return Page(page_rows, (("Link", link),))


_Place = tuple[Any, int]
"""The place of a row in an order: its value and its id."""


def _place(row: HasId, order: str) -> _Place:
    return getattr(row, order), row.id


def _position_after(rows: Sequence[HasId], last: _Place, order: str, *, descending: bool) -> int:
    # The row itself may be gone: what counts is where it would be.
    low, high = 0, len(rows)
    while low < high:
        middle = (low + high) // 2
        place = _place(rows[middle], order)
        is_before = place >= last if descending else place <= last
        low, high = (middle + 1, high) if is_before else (low, middle)
    return low


def _write_cursor(row: HasId, order: str) -> str:
    value, id_ = _place(row, order)
    # The direction is the next page: the platform has no links to previous ones.
    return urlsafe_b64encode(orjson.dumps({order: str(value), "id": str(id_), "_kd": "n"})).decode()


def _read_cursor(cursor: str, order: str) -> _Place | None:
    """Return the place that a cursor names, or None if it is none."""
    try:
        values = orjson.loads(urlsafe_b64decode(cursor))
        id_ = int(values["id"])
        return (id_ if order == "id" else values[order]), id_
    except (ValueError, KeyError, TypeError):
        return None


def by_keyset(rows: Sequence[HasId], p: KeysetPaged, url: PageUrl) -> Page:
    """Return the first page of rows that were filtered by key; only lists ordered by id support that."""
    if p.order_by != "id":
        raise PageNotAllowed("Keyset pagination is not yet available for this type of request")
    size = min(p.per_page, MAX_PAGE_SIZE) if p.per_page and p.per_page > 0 else DEFAULT_PAGE_SIZE
    page_rows = rows[:size]
    if not page_rows:
        return Page(page_rows, ())
    key = "id_after" if p.sort == "asc" else "id_before"
    link = f'<{url.with_(**{key: page_rows[-1].id})}>; rel="next"'
    return Page(page_rows, (("Link", link), ("Links", link)))
