"""Lints: mistakes of API clients that the platform does not refuse, found in the journal.

Requests that a test makes itself do not count.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import get_close_matches
from itertools import pairwise
from typing import Final

from fakeplat.catalog import known_operations
from fakeplat.core.operations.operation import OPERATIONS
from fakeplat.core.timestamps import SECOND
from fakeplat.workbench.journal_entries import JournalEntry

Lint = Callable[[Sequence[JournalEntry]], Iterator[str]]

_HEADERS: Final = ("private-token", "job-token", "deploy-token", "authorization", "sudo")
_SIMILAR: Final = 0.85
_TOKENS: Final = ("private_token", "access_token", "job_token")
_API: Final = "/api/"
_PAGING: Final = ("page", "per_page", "cursor", "id_after", "id_before", "pagination", *_TOKENS)
# Clients that ask for a few rows want the first ones only.
_MIN_PER_PAGE: Final = 20
_MANY_READS: Final = 10
_MANY_POLLS: Final = 10
_PAUSE: Final = 0.05
_IS_AN_ID: Final = ", not its iid"


def find_lints(entries: Iterable[JournalEntry]) -> list[str]:
    """Return what is wrong with the clients that made some requests, each mistake once."""
    by_clients = [entry for entry in entries if entry.is_by_client]
    return list(dict.fromkeys(text for lint in _LINTS for text in lint(by_clients)))


def _find_unread_pages(entries: Sequence[JournalEntry]) -> Iterator[str]:
    """Lists of which only the first pages were read."""
    lists: dict[tuple[str | None, str], list[JournalEntry]] = defaultdict(list)
    for entry in entries:
        if entry.method == "GET" and "x-per-page" in entry.response.headers:
            lists[entry.user, entry.path.partition("?")[0]].append(entry)
    for pages in lists.values():
        for page in pages:
            following = page.response.headers.get("x-next-page")
            if following and not any(_continues(other, page, following) for other in pages):
                yield from _describe_unread_page(page, following)


def _continues(entry: JournalEntry, page: JournalEntry, following: str) -> bool:
    """Return whether a request read the following page. The link to it has further parameters: the defaults."""
    return entry.query.get("page") == following and _filters_of(page) <= _filters_of(entry)


def _filters_of(entry: JournalEntry) -> set[tuple[str, str]]:
    return {(name, str(value)) for name, value in entry.query.items() if name not in _PAGING}


def _describe_unread_page(page: JournalEntry, following: str) -> Iterator[str]:
    headers = page.response.headers
    per_page, total = int(headers["x-per-page"]), headers.get("x-total")
    if "per_page" in page.query and per_page < _MIN_PER_PAGE:
        return
    rows = int(headers.get("x-page") or 1) * per_page
    amount = f"{rows} of {total} rows" if total else f"{rows} rows"
    yield f"{page.operation}: {amount} were read; page {following} was never requested (GET {page.path})"


def _find_ignored_waits(entries: Sequence[JournalEntry]) -> Iterator[str]:
    """Requests that were repeated before the time in Retry-After had passed."""
    for refused, repeated in _consecutive(entries):
        wait = refused.response.headers.get("retry-after", "")
        if refused.status not in (429, 503) or not wait.isdecimal() or _target(refused) != _target(repeated):
            continue
        waited = max(repeated.started - refused.started, repeated.world_time - refused.world_time) / SECOND
        if waited < int(wait):
            yield f"{refused.operation}: repeated after {waited:.1f} s, although Retry-After was {wait} s ({refused!r})"


def _find_polling(entries: Sequence[JournalEntry]) -> Iterator[str]:
    """The same record, read again and again without a pause, while the clock runs by itself."""
    polls: dict[tuple[str, str], int] = defaultdict(int)
    for first, second in _consecutive(entries):
        paused = (second.started - first.started) / SECOND > _PAUSE
        moved_by_clock = second.world_time - first.world_time > SECOND
        if first.method != "GET" or _target(first) != _target(second) or paused or moved_by_clock:
            polls.pop(_target(first), None)
            continue
        polls[_target(first)] += 1
        if polls[_target(first)] == _MANY_POLLS:
            yield f"{first.operation}: polled without a pause (GET {first.path})"


def _consecutive(entries: Sequence[JournalEntry]) -> Iterator[tuple[JournalEntry, JournalEntry]]:
    """Yield each request of a user with the next one."""
    users: dict[str | None, list[JournalEntry]] = defaultdict(list)
    for entry in entries:
        users[entry.user].append(entry)
    for requests in users.values():
        yield from pairwise(requests)


def _target(entry: JournalEntry) -> tuple[str, str]:
    return entry.method, entry.path


def _find_single_reads(entries: Sequence[JournalEntry]) -> Iterator[str]:
    """Records of a kind that were read one by one, although an operation lists them."""
    reads: dict[tuple[str | None, str], set[str]] = defaultdict(set)
    for entry in entries:
        operation = entry.operation
        if operation is not None and operation in OPERATIONS and (entry.method, entry.status) == ("GET", 200):
            reads[entry.user, operation].add(entry.path)
    for (_, operation), paths in reads.items():
        listing = _listing_of(operation) if len(paths) >= _MANY_READS else None
        if listing is not None:
            yield f"{operation}: {len(paths)} records were read one by one; {listing} returns many at once"


def _listing_of(operation: str) -> str | None:
    """Return the operation that lists the records of another one, which reads a single one."""
    path, _, parameter = OPERATIONS[operation].path.rpartition("/")
    if not parameter.startswith((":", "*")):
        return None
    return next((known.name for known in known_operations() if (known.method, known.path) == ("GET", path)), None)


def _find_misspelt_headers(entries: Sequence[JournalEntry]) -> Iterator[str]:
    """Headers that are nearly those that the platform knows."""
    for entry in entries:
        for name in entry.headers:
            meant = _meant_header(name.lower())
            if meant is not None:
                yield f"the header {name} means nothing to the platform; did you mean {meant.title()}? ({entry!r})"


def _meant_header(name: str) -> str | None:
    if name in _HEADERS:
        return None
    plain = name.replace("_", "-").removeprefix("x-")
    return next(iter(get_close_matches(plain, _HEADERS, 1, _SIMILAR)), None)


def _find_tokens_in_queries(entries: Sequence[JournalEntry]) -> Iterator[str]:
    """Tokens in URLs, which servers and proxies log."""
    for entry in entries:
        names = [name for name in _TOKENS if name in entry.query]
        if names and entry.path.startswith(_API):
            yield f"{entry.operation}: {names[0]} is in the query, and so in logs; send the header PRIVATE-TOKEN"


def _find_ids_as_iids(entries: Sequence[JournalEntry]) -> Iterator[str]:
    """Ids of records where their numbers in the project belong."""
    for entry in entries:
        if entry.status == 404 and _IS_AN_ID in (entry.reason or ""):
            yield f"{entry.operation}: an id was sent as iid ({entry.reason})"


_LINTS: Final[tuple[Lint, ...]] = (
    _find_unread_pages,
    _find_ignored_waits,
    _find_polling,
    _find_single_reads,
    _find_misspelt_headers,
    _find_tokens_in_queries,
    _find_ids_as_iids,
)
