"""The matrix of operations by release: which releases have each, and what this world answers."""

import csv
from collections.abc import Mapping, Sequence
from functools import cache
from io import StringIO
from typing import Final
from urllib.parse import urlencode

from fakeplat.catalog.unbuilt import unbuilt_operations
from fakeplat.console.lists import cut_page
from fakeplat.console.pages import TOOLS, ConsoleRequest, PageError, download, page
from fakeplat.console.rendering import render
from fakeplat.core.operations.http_messages import Response
from fakeplat.core.operations.operation import OPERATIONS
from fakeplat.core.release import PROFILES, Lifetime, Profile, Release, parse_release, profile_of
from fakeplat.core.store.frozen import frozen

_PATH: Final = f"{TOOLS}operations"
_CHOICES: Final[Mapping[str, str]] = {
    "": "all",
    "here": "those of this world's release",
    "elsewhere": "those of other releases only",
    "unbuilt": "those that are not built",
}


@frozen
class MatrixRow:
    """An operation of the platform. ``is_built``: whether it is served in its releases; otherwise it is 501."""

    name: str
    method: str
    path: str
    lifetime: Lifetime
    is_built: bool = True

    def answer(self, profile: Profile) -> str:
        """Return what a release answers: nothing if it has no such operation."""
        if not profile.has(self.lifetime):
            return ""
        return "served" if self.is_built else "not built"


@page("GET", "/_fakeplat/console/operations")
def show_operations(call: ConsoleRequest) -> Response:
    """Show the operations of the platform by release, optionally filtered."""
    rows, kept = _list_wanted(call), _parse_filters(call)
    slice_, paging = cut_page(call, len(rows))
    return render(
        call,
        "operations.html",
        rows=rows[slice_],
        total=len(rows),
        paging=paging,
        releases=_list_releases(call),
        here=_format_release(_release_of(call)),
        choices=_CHOICES,
        filters=kept,
        kept=f"&{urlencode(kept)}" if kept else "",
        table=f"{_PATH}.csv{'?' * bool(kept)}{urlencode(kept)}",
    )


@page("GET", "/_fakeplat/console/operations.csv")
def send_operations(call: ConsoleRequest) -> Response:
    """Send the same rows as a table for a spreadsheet."""
    releases, text = _list_releases(call), StringIO()
    writer = csv.writer(text)
    writer.writerow(("name", "method", "path", "since", "until", *releases))
    for row in _list_wanted(call):
        answers = (row.answer(profile) for profile in releases.values())
        writer.writerow((row.name, row.method, row.path, row.lifetime.since, row.lifetime.until, *answers))
    return download("operations.csv", "text/csv; charset=utf-8", text.getvalue())


@cache
def _list_rows() -> Sequence[MatrixRow]:
    """Return all operations, by path. Their modules stay unloaded."""
    rows = [
        *(MatrixRow(route.name, route.method, route.path, route.lifetime) for route in OPERATIONS.lazy_routes()),
        *(MatrixRow(row.name, row.method, row.path, row.lifetime, is_built=False) for row in unbuilt_operations()),
    ]
    return sorted(rows, key=lambda row: (row.path, row.method))


def _list_wanted(call: ConsoleRequest) -> Sequence[MatrixRow]:
    filters, profile = _parse_filters(call), call.view.world.profile
    text, shown = filters.get("q", "").lower(), filters.get("show", "")
    if shown not in _CHOICES:
        raise PageError(400, f"show: {shown!r} is none of {', '.join(filter(None, _CHOICES))}")
    rows = [row for row in _list_rows() if text in f"{row.method} {row.path} {row.name}".lower()]
    if shown == "unbuilt":
        return [row for row in rows if not row.is_built]
    return [row for row in rows if not shown or profile.has(row.lifetime) == (shown == "here")]


def _parse_filters(call: ConsoleRequest) -> dict[str, str]:
    given = {name: call.query.get(name, "").strip() for name in ("q", "show")}
    return {name: value for name, value in given.items() if value}


def _list_releases(call: ConsoleRequest) -> dict[str, Profile]:
    """Return the releases of the columns by name: those that are tested as a whole, and that of the world."""
    releases = sorted({*map(parse_release, PROFILES), _release_of(call)})
    return {_format_release(release): profile_of(release) for release in releases}


def _release_of(call: ConsoleRequest) -> Release:
    return call.view.world.instance.release


def _format_release(release: Release) -> str:
    return ".".join(map(str, release))
