"""Pages of a list and the headers that say so. Source: docs/platform/pagination.md, docs/platform/rate-limits.md."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from operator import itemgetter
from typing import Annotated, Any, Final, TypeVar, overload
from urllib.parse import quote_plus

from fakeplat.core.operations.errors import PageNotAllowed
from fakeplat.core.operations.http_messages import Headers
from fakeplat.core.params.params import NotAmong, Params
from fakeplat.core.store.frozen import frozen

T = TypeVar("T")
LARGEST_PAGE: Final = 100
_NAME: Final = itemgetter(0)
DEFAULT_PAGE: Final = 20
LARGEST_OFFSET: Final = 50_000
LARGEST_COUNT: Final = 10_000


class Paged(Params):
    """``page`` and ``per_page``."""

    page: int = 1
    per_page: Annotated[int, NotAmong(0)] = DEFAULT_PAGE


class KeysetPaged(Paged):
    """Lists that can also be paged by key."""

    pagination: str | None = None
    order_by: str = "created_at"
    sort: str = "desc"
    id_after: int | None = None
    id_before: int | None = None


class PageUrl:
    """The URL of a list, and every parameter known to the endpoint with its value."""

    def __init__(self, url: str, params: Mapping[str, Any]) -> None:
        self.url = url
        self.params = params

    def with_(self, **changed: object) -> str:
        """The URL with its parameters and some others, sorted by name."""
        kept = [pair for pair in self._encoded if pair[0] not in changed]
        pairs = sorted([*kept, *_encoded(changed)], key=_NAME)
        return f"{self.url}?{'&'.join([text for _, text in pairs])}"

    @cached_property
    def _encoded(self) -> list[tuple[str, str]]:
        return list(_encoded(self.params))


_quoted = lru_cache(4096)(quote_plus)


def _encoded(params: Mapping[str, object]) -> Iterable[tuple[str, str]]:
    """Each pair as its name, to sort by, and its text in a query."""
    for key, value in params.items():
        for name, text in _pairs(key, value):
            yield name, f"{_quoted(name)}={_quoted(text)}"


def _pairs(name: str, value: object) -> Iterable[tuple[str, str]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _pairs(f"{name}[{key}]", inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _pairs(f"{name}[]", inner)
    elif value is not None:
        yield name, str(value).lower() if isinstance(value, bool) else str(value)


class FilteredPages(Sequence[T]):
    """Rows that are counted and cut into pages as they are, and only then filtered: a page may come out shorter."""

    def __init__(self, rows: Sequence[T], accepts: Callable[[T], bool]) -> None:
        self._rows = rows
        self._accepts = accepts

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, place: int) -> T: ...
    @overload
    def __getitem__(self, place: slice) -> list[T]: ...
    def __getitem__(self, place: int | slice) -> T | list[T]:
        if isinstance(place, int):
            return self._rows[place]
        return [row for row in self._rows[place] if self._accepts(row)]


@frozen
class Page:
    """What of a list goes out, and its headers."""

    rows: Sequence[Any]
    headers: Headers


def by_offset(
    rows: Sequence[Any], p: Paged, address: PageUrl, *, counts: bool, limited: bool, counted: bool = True
) -> Page:
    """One page by number.

    ``counts``: also say the total of a list longer than 10,000. ``limited``: refuse what lies beyond 50,000.
    ``counted``: whether the total is said at all.
    """
    page = max(p.page or 1, 1)
    size = min(p.per_page, LARGEST_PAGE) if p.per_page and p.per_page > 0 else DEFAULT_PAGE
    if limited and page * size > LARGEST_OFFSET:
        raise PageNotAllowed(
            f"Offset pagination has a maximum allowed offset of {LARGEST_OFFSET} for requests that return objects of "
            "type Project. Remaining records can be retrieved using keyset pagination."
        )
    total = len(rows)
    pages = max(-(-total // size), 1)
    chosen = rows[(page - 1) * size : page * size]
    before = page - 1 if 1 < page <= pages else None
    after = page + 1 if page < pages else None
    counted = counted and (counts or total <= LARGEST_COUNT)
    headers = [
        ("X-Per-Page", str(size)),
        ("X-Page", str(page)),
        ("X-Next-Page", str(after or "")),
        ("X-Prev-Page", str(before or "")),
        ("Link", _links(address, p, before, after, pages if counted else None)),
    ]
    if counted:
        headers += [("X-Total", str(total)), ("X-Total-Pages", str(pages))]
    return Page(chosen, tuple(headers))


def _links(address: PageUrl, p: Paged, before: int | None, after: int | None, last: int | None) -> str:
    per_page = p.per_page or DEFAULT_PAGE
    numbers = (("prev", before), ("next", after), ("first", 1), ("last", last))
    return ", ".join(
        f'<{address.with_(page=number, per_page=per_page)}>; rel="{rel}"' for rel, number in numbers if number
    )


def by_keyset(rows: Sequence[Any], p: KeysetPaged, address: PageUrl) -> Page:
    """The rows after a key; only lists ordered by id have one."""
    if p.order_by != "id":
        raise PageNotAllowed("Keyset pagination is not yet available for this type of request")
    size = min(p.per_page, LARGEST_PAGE) if p.per_page and p.per_page > 0 else DEFAULT_PAGE
    chosen = rows[:size]
    if not chosen:
        return Page(chosen, ())
    key = "id_after" if p.sort == "asc" else "id_before"
    link = f'<{address.with_(**{key: chosen[-1].id})}>; rel="next"'
    return Page(chosen, (("Link", link), ("Links", link)))
