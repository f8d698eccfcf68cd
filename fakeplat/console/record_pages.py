"""Pages of records: lists of the whole world, and the page of each record at the path of its `web_url`."""

from collections.abc import Sequence
from typing import Any, Final

import orjson

from fakeplat.console import diffs
from fakeplat.console.cells import Cell, Table, name_of, page_url, plain
from fakeplat.console.kinds import COMMIT, KINDS, LISTS, MILESTONE, Kind, common_columns
from fakeplat.console.lookup import Container, Found, find_container, find_record
from fakeplat.console.pages import ConsoleRequest, PageError, page
from fakeplat.console.rendering import render
from fakeplat.core.operations.entity import Entity
from fakeplat.core.operations.http_messages import Response
from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.domain.merge_requests import diff_versions
from fakeplat.domain.repository import commits, repositories
from fakeplat.entities import urls
from fakeplat.entities.repository.commits import CommitBasic
from fakeplat.model.jobs import Job
from fakeplat.model.labels import Milestone
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.namespaces import Group
from fakeplat.model.projects import Project
from fakeplat.workbench.inspected_kinds import RECORD_KINDS
from fakeplat.workbench.inspection import RecordView, WorldView

_PER_PAGE: Final = 50
_FIRST_ROWS: Final = 5
_NOTES: Final = "notes"
_TYPES: Final = {Milestone: MILESTONE, commits.ProjectCommit: COMMIT}


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
    table, paging = _page_of(call, world_list.title, records)
    return render(call, "list.html", title=world_list.title, table=table, paging=paging, query=query, above=())


@page("GET", "/_fakeplat/at/*path")
def show_record(call: ConsoleRequest, path: str) -> Response:
    """Show the record whose `web_url` has a path, or a list of the records that belong to it."""
    found = find_record(call.view.world, path)
    if found is None:
        return _show_part(call, path)
    return render(call, "record.html", **_describe(call.view, found))


def _show_part(call: ConsoleRequest, path: str) -> Response:
    owner_path, _, part = path.rpartition("/-/")
    owner = find_container(call.view.world, owner_path) if owner_path else None
    parts = RECORD_KINDS[type(owner)].parts if owner is not None else {}
    if owner is None or part not in parts:
        raise PageError(404, f"no record of this world has a page at /{path}")
    find, view = parts[part]
    table, paging = _page_of(call, _title(part), find(call.view.world, owner), view)
    above = _list_above(call.view, owner)
    return render(call, "list.html", title=table.title, table=table, paging=paging, query=None, above=above)


def _page_of(
    call: ConsoleRequest, title: str, records: Sequence[Any], view: type[Entity[Any]] | None = None
) -> tuple[Table, dict[str, int]]:
    total = len(records)
    last = max(1, -(-total // _PER_PAGE))
    number = min(max(parse_number(call.query.get("page", "1")) or 1, 1), last)
    # Newest first: ids ascend, so a page is cut from the end.
    end = total - (number - 1) * _PER_PAGE
    rows = [records[index] for index in range(end - 1, max(end - _PER_PAGE, 0) - 1, -1)]
    return _table(call.view, title, rows, view, total=total), {"number": number, "last": last}


def _table(
    view: WorldView,
    title: str,
    records: Sequence[Any],
    entity: type[Entity[Any]] | None = None,
    *,
    total: int | None = None,
    url: str | None = None,
) -> Table:
    rows = [RecordView(view, record, entity) for record in records]
    kind = _kind_of(records[0]) if records else None
    columns = kind.columns if kind else common_columns(rows)
    cells = [[column.cell(row) for column in columns] for row in rows]
    return Table(title, [column.heading for column in columns], cells, len(rows) if total is None else total, url)


def _kind_of(record: Any) -> Kind | None:
    return KINDS.get(type(record)) or _TYPES.get(type(record))


def _title(name: str) -> str:
    return name.replace("_", " ").capitalize()


def _describe(view: WorldView, found: Found) -> dict[str, Any]:
    """Return what the page of a record shows."""
    record, fields = found.record, RecordView(view, found.record, found.view)
    kind = _kind_of(record)
    state = fields.get("state") or fields.get("status")
    title = name_of(fields)
    texts = [fields.get(name) for name in ("description", "message", "content")]
    return {
        "title": title,
        "word": kind.word if kind else type(record).__name__,
        "state": state if isinstance(state, str) else None,
        "reference": _reference(fields),
        "above": _list_above(view, found.container, record),
        "web_url": fields.get("web_url"),
        # The message of a commit with one line is its title.
        "description": next((text for text in texts if text and text != title), None),
        "facts": _list_facts(kind, fields),
        "files": diffs.list_files(view, record),
        "log": record.log if isinstance(record, Job) else None,
        "notes": _list_notes(view, record),
        "tables": _list_tables(view, found),
        "fields": orjson.dumps(dict(fields), option=orjson.OPT_INDENT_2).decode(),
    }


def _reference(fields: RecordView) -> str | None:
    references = fields.get("references")
    if isinstance(references, dict):
        return plain(references)
    return next(
        (str(fields[name]) for name in ("path_with_namespace", "full_path", "username", "short_id") if name in fields),
        None,
    )


def _list_facts(kind: Kind | None, fields: RecordView) -> list[tuple[str, Cell]]:
    facts = [(column.heading, column.cell(fields)) for column in (kind.facts if kind else common_columns([fields]))]
    return [(heading, cell) for heading, cell in facts if cell.text != "–"]


def _list_notes(view: WorldView, record: Any) -> list[RecordView]:
    kind = RECORD_KINDS.get(type(record))
    find = kind.parts.get(_NOTES) if kind else None
    return [RecordView(view, note, find[1]) for note in find[0](view.world, record)] if find else []


def _list_tables(view: WorldView, found: Found) -> list[Table]:
    """Return the records that belong to a record: all, or the newest of a project or group."""
    record, kind = found.record, RECORD_KINDS.get(type(found.record))
    tables = [_table(view, "Commits", _list_commits(view, record), CommitBasic)] if _has_commits(record) else []
    for name, (find, entity) in kind.parts.items() if kind else ():
        rows = find(view.world, record) if name != _NOTES else ()
        is_owner = isinstance(record, Project | Group)
        # The rows of a part may be computed on access, without slices.
        count = len(rows)
        shown = [rows[at] for at in range(count - 1, max(count - _FIRST_ROWS, 0) - 1, -1)] if is_owner else list(rows)
        url = f"{_page_path(view, record)}/-/{name}" if is_owner and count > _FIRST_ROWS else None
        tables.append(_table(view, _title(name), shown, entity, total=count, url=url))
    return [table for table in tables if table.total]


def _has_commits(record: Any) -> bool:
    return isinstance(record, MergeRequest | Project)


def _list_commits(view: WorldView, record: MergeRequest | Project) -> Sequence[Any]:
    world = view.world
    if isinstance(record, MergeRequest):
        return diff_versions.list_commits(world, record, diff_versions.latest_refs(world, record))
    if repositories.open_repository(world, record).is_empty:
        return []
    criteria = commits.CommitFilter(record.default_branch or commits.HEAD)
    return commits.list_commits(view.context, record, criteria)[:_FIRST_ROWS]


def _page_path(view: WorldView, record: Project | Group) -> str:
    ctx = view.context
    url = urls.project_url(ctx, record) if isinstance(record, Project) else urls.namespace_url(ctx, record)
    return page_url(url) or ""


def _list_above(view: WorldView, container: Container | None, record: Any = None) -> list[Cell]:
    """Return links to the project and groups that a record belongs to, outermost first."""
    chain: list[Any] = []
    at: Any = container
    while at is not None:
        if at is not record:
            chain.insert(0, at)
        parent = at.namespace_id if isinstance(at, Project) else at.parent_id
        namespace = view.world.namespaces.get(parent) if parent is not None else None
        at = namespace if isinstance(namespace, Group) else None
    return [Cell(part.name, "text", _page_path(view, part)) for part in chain]
