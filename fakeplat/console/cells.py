"""The cells of tables: texts with a style and a link, and the tone of a status."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal
from urllib.parse import urlsplit, urlunsplit

from fakeplat.console.pages import RECORDS
from fakeplat.core.store.frozen import frozen

Style = Literal["text", "mono", "badge", "time"]
Row = Mapping[str, Any]

_TONES: Final[Mapping[str, Sequence[str]]] = {
    "good": (
        "opened",
        "open",
        "active",
        "success",
        "passed",
        "resolved",
        "available",
        "online",
        "public",
        "can_be_merged",
    ),
    "bad": ("failed", "blocked", "critical", "high", "banned", "conflict", "cannot_be_merged", "error"),
    "busy": ("running", "pending", "created", "triggered", "preparing", "waiting_for_resource", "checking", "medium"),
    "done": ("merged", "acknowledged", "manual", "scheduled", "internal", "low", "info"),
}
_HASH_LENGTH: Final = 8
_TONE_OF: Final = {text: tone for tone, texts in _TONES.items() for text in texts}


def tone(text: object) -> str:
    """Return the tone of a status: good, bad, busy, done or quiet."""
    return _TONE_OF.get(str(text), "quiet")


def status_tone(status: int) -> str:
    """Return the tone of an HTTP status; 0 means that there was no response."""
    return {1: "quiet", 2: "good", 3: "quiet", 4: "busy"}.get(status // 100, "bad")


@frozen
class Cell:
    """A text in a table, with its style and the page that it leads to, or the cells that it consists of."""

    text: str
    style: Style = "text"
    url: str | None = None
    parts: "Sequence[Cell]" = ()
    separator: str = ", "


@frozen
class Column:
    """A heading, and the function from a record's fields to the cell below it."""

    heading: str
    cell: Callable[[Row], Cell]


@frozen
class Table:
    """A table of records. ``total`` counts all, of which ``rows`` may be a part; ``url`` leads to all of them."""

    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    total: int
    url: str | None = None


def page_url(web_url: object) -> str | None:
    """Return the console's page of the record with a `web_url`, with its query and its fragment."""
    parts = urlsplit(web_url) if isinstance(web_url, str) else None
    if parts is None or not parts.path.strip("/"):
        return None
    return urlunsplit(("", "", f"{RECORDS}{parts.path}", parts.query, parts.fragment))


def web_url_of(row: Row) -> object:
    """Return the address of a record's page, which some records have among their links."""
    links = row.get("_links") or {}
    return row.get("web_url") or links.get("web_path") or links.get("self")


def plain(value: object) -> str:
    """Return a short text for any value of a field."""
    if value is None or value == "":
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return plain(next((value[name] for name in _NAMES if value.get(name)), None))
    if isinstance(value, list):
        return ", ".join(plain(part) for part in value) or "–"
    return str(value)


_NAMES: Final = ("full", "username", "name", "title", "path", "key", "iid", "id")
_NAMING: Final = ("title", "name", "username", "key", "token_name", "filename")


def name_of(row: Row) -> str:
    """Return what a record is called."""
    return next((str(row[name]) for name in _NAMING if row.get(name)), f"#{row.get('id')}")


def text(heading: str, name: str, style: Style = "text") -> Column:
    """Return a column with a field."""
    return Column(heading, lambda row: Cell(plain(row.get(name)), style))


def joined(cells: Sequence[Cell], separator: str = ", ") -> Cell:
    """Return a cell that consists of others."""
    return Cell(separator.join(cell.text for cell in cells) or plain(None), parts=cells, separator=separator)


def project_page(row: Row, rest: str) -> str | None:
    """Return a page of the project of a record, by the address of that."""
    base, separator, _ = str(row.get("web_url") or "").partition("/-/")
    return page_url(f"{base}/-/{rest}") if separator else None


def short_hash(sha: object) -> Cell:
    """Return the first characters of a hash."""
    return Cell(plain(sha)[:_HASH_LENGTH], "mono")


def commit_of(row: Row, sha: object) -> Cell:
    """Return the first characters of a hash, with a link to its commit."""
    return Cell(short_hash(sha).text, "mono", project_page(row, f"commit/{sha}"))


def link(heading: str, label: Callable[[Row], str], style: Style = "text") -> Column:
    """Return a column with a link to the record."""
    return Column(heading, lambda row: Cell(label(row), style, page_url(web_url_of(row))))


def related(heading: str, name: str) -> Column:
    """Return a column with a link to another record."""

    def cell(row: Row) -> Cell:
        other = row.get(name)
        return Cell(plain(other), "text", page_url(other.get("web_url")) if isinstance(other, Mapping) else None)

    return Column(heading, cell)
