"""Tables of records, and the pages of lists: of the whole world, and of what belongs to a project or group."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple
from urllib.parse import quote, urlencode

from fakeplat.console.cells import Cell, Table
from fakeplat.console.kinds import LISTS, common_columns, kind_of
from fakeplat.console.lookup import find_container, list_above
from fakeplat.console.pages import ConsoleRequest, PageError, page
from fakeplat.console.rendering import render
from fakeplat.core.operations.entity import Entity
from fakeplat.core.operations.http_messages import Response
from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.domain.releases import releases
from fakeplat.entities import urls
from fakeplat.model.projects import Container, Project
from fakeplat.workbench.inspected.kinds import list_parts
from fakeplat.workbench.inspection import RecordView, WorldView

_PER_PAGE: Final = 50
_ADDRESSES: Final[Mapping[str, Callable[[Mapping[str, Any]], str]]] = {
    "tags": lambda row: f"tags/{quote(row['name'])}",
    "wikis": lambda row: f"wikis/{quote(row['slug'])}",
    "environments": lambda row: f"environments/{row['id']}",
    "feature_flag_user_lists": lambda row: f"feature_flags_user_lists/{row['iid']}",
    "labels": lambda row: f"issues?{urlencode({'label_name': row['name']})}",
}
"""The pages, below ``/-/``, of records that do not have their address in the API."""
_SYNONYMS: Final = {
    "project_members": "members",
    "group_members": "members",
    "alert_management": "alerts",
    "feature_flags_user_lists": "feature_flag_user_lists",
}
"""Lists that the platform's addresses call by another name than the API."""
Row = Mapping[str, Any]


class Paging(NamedTuple):
    """The number of a page of a list, and of the last one."""

    number: int
    last: int


@page("GET", "/_fakeplat/console/:name")
def show_list(call: ConsoleRequest, name: str) -> Response:
    """Show all records of a kind, newest first, optionally only those with a text."""
    world_list = LISTS.get(name)
    if world_list is None:
        raise PageError(404, f"the console has no page {call.request.path}")
    query = call.query.get("q", "").strip()
    records: Sequence[Any] = world_list.records(call.view.world)
    if query:
        records = [record for record in records if query.lower() in world_list.searched(record).lower()]
    table, paging = make_page(call, world_list.title, records)
    kept = {"q": query} if query else {}
    return render(call, "list.html", table=table, paging=paging, query=query, above=(), filters={}, kept=kept)


def show_part(call: ConsoleRequest, path: str) -> Response:
    """Show a list of the records that belong to a project or group, with the filters of its address."""
    owner_path, _, part = path.strip("/").rpartition("/-/")
    owner = find_container(call.view.world, owner_path) if owner_path else None
    name = _SYNONYMS.get(part, part)
    parts = list_parts(owner) if owner is not None else {}
    if owner is None or name not in parts:
        raise PageError(404, f"no record of this world has a page at /{path}")
    find, view = parts[name].find, parts[name].view
    filters = {key: call.query[key] for key in _FILTERS if call.query.get(key)}
    records = find(call.view.world, owner)
    if filters:
        tests = [_FILTERS[key](call.view, owner, value) for key, value in filters.items()]
        records = [record for record in records if all(test(RecordView(call.view, record, view)) for test in tests)]
    table, paging = make_page(call, title_of(name), records, view, name, owner)
    above = list_above(call.view, owner)
    return render(call, "list.html", table=table, paging=paging, query=None, above=above, filters=filters, kept=filters)


Test = Callable[[Row], bool]


def _by_state(_view: WorldView, _owner: Container, value: str) -> Test:
    return lambda row: value == "all" or row.get("state") == value


def _by_label(_view: WorldView, _owner: Container, value: str) -> Test:
    return lambda row: value in (row.get("labels") or ())


def _by_milestone(_view: WorldView, _owner: Container, value: str) -> Test:
    return lambda row: (row.get("milestone") or {}).get("title") == value


def _by_release(view: WorldView, owner: Container, value: str) -> Test:
    release = releases.find(view.world, owner, value) if isinstance(owner, Project) else None
    ids = {milestone.id for milestone in releases.list_milestones(view.world, release)} if release else set()
    return lambda row: (row.get("milestone") or {}).get("id") in ids


_FILTERS: Final[Mapping[str, Callable[[WorldView, Container, str], Test]]] = {
    "state": _by_state,
    "label_name": _by_label,
    "milestone_title": _by_milestone,
    "release_tag": _by_release,
}
"""The parameters of addresses that the platform itself shows, in releases and as links to labels."""


def make_page(
    call: ConsoleRequest,
    title: str,
    records: Sequence[Any],
    view: type[Entity[Any]] | None = None,
    part: str = "",
    owner: Container | None = None,
    *,
    newest_first: bool = False,
) -> tuple[Table, Paging]:
    """Return the table of the page that a request asks for, and which page it is.

    Ids ascend, so the page is cut from the end, unless the records come ``newest_first``.
    """
    total = len(records)
    slice_, paging = cut_page(call, total)
    # Histories are read from their newest commit on, and only as far as the slice needs.
    rows = records[slice_] if newest_first else [records[total - 1 - at] for at in range(slice_.start, slice_.stop)]
    return make_table(call.view, title, rows, view, part, owner, total=total), paging


def cut_page(call: ConsoleRequest, total: int) -> tuple[slice, Paging]:
    """Return which rows the page has that a request asks for, and its number. Any number leads to a page."""
    last = max(1, -(-total // _PER_PAGE))
    number = min(max(parse_number(call.query.get("page", "1")) or 1, 1), last)
    return slice((number - 1) * _PER_PAGE, min(number * _PER_PAGE, total)), Paging(number, last)


def make_table(
    view: WorldView,
    title: str,
    records: Sequence[Any],
    entity: type[Entity[Any]] | None = None,
    part: str = "",
    owner: Container | None = None,
    *,
    total: int | None = None,
    url: str | None = None,
) -> Table:
    """Return a table of records, which may be a ``part`` of an ``owner``."""
    rows: list[Row] = [RecordView(view, record, entity) for record in records]
    if owner is not None and part in _ADDRESSES:
        base = f"{urls.container_url(view.context, owner)}/-"
        rows = [{**row, "web_url": f"{base}/{_ADDRESSES[part](row)}"} for row in rows]
    kind = kind_of(records[0]) if records else None
    columns = kind.columns if kind else common_columns(rows)
    cells: list[list[Cell]] = [[column.cell(row) for column in columns] for row in rows]
    return Table(title, [column.heading for column in columns], cells, len(rows) if total is None else total, url)


def title_of(name: str) -> str:
    """Return the heading of a list."""
    return name.replace("_", " ").capitalize()
