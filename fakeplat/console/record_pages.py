"""The page of each record, at the path of its `web_url`."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import orjson

from fakeplat.console import diffs, files
from fakeplat.console.cells import Cell, Table, name_of, page_url, plain, web_url_of
from fakeplat.console.file_contents import FileContent, describe_readme, describe_snippet
from fakeplat.console.graphs import PipelineGraph, draw_pipeline
from fakeplat.console.kinds import common_columns, kind_of, word_of
from fakeplat.console.lists import make_table, show_part, title_of
from fakeplat.console.lookup import Found, container_page, find_record, list_above
from fakeplat.console.pages import RECORDS, ConsoleRequest, page
from fakeplat.console.rendering import render
from fakeplat.console.texts import Text, render_text, render_wiki_page
from fakeplat.core.operations.http_messages import Response
from fakeplat.domain.ci import jobs
from fakeplat.domain.repository import commits, repositories
from fakeplat.domain.repository.commits import ProjectCommit
from fakeplat.domain.reviews import diff_versions
from fakeplat.domain.wikis.pages import WikiPage
from fakeplat.entities.repository.commits import CommitBasic
from fakeplat.model.ci import Job, Pipeline
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.people import Group
from fakeplat.model.projects import Project
from fakeplat.model.snippets import Snippet
from fakeplat.workbench.inspected.kinds import list_parts
from fakeplat.workbench.inspection import RecordView, WorldView

_FIRST_ROWS: Final = 5
_NOTES: Final = "notes"


@page("GET", "/_fakeplat/at/*path")
def show_record(call: ConsoleRequest, path: str) -> Response:
    """Show the record whose `web_url` has a path, a list of the records that belong to it, or a file."""
    found = find_record(call.view.world, path)
    if found is not None:
        address = f"{call.request.origin}{call.request.path.removeprefix(RECORDS)}"
        return render(call, "record.html", **_describe(call.view, found), address=address)
    return files.find_file(call) or show_part(call, path)


def _describe(view: WorldView, found: Found) -> dict[str, Any]:
    """Return what the page of a record shows."""
    record, fields = found.record, RecordView(view, found.record, found.view)
    state = fields.get("state") or fields.get("status")
    project = found.container if isinstance(found.container, Project) else None
    return {
        "title": name_of(fields),
        "word": word_of(record),
        "state": state if isinstance(state, str) else None,
        "reference": _reference(fields),
        "above": list_above(view, found.container, record),
        "description": _render_description(view, found, fields),
        "facts": _list_facts(record, fields),
        "documents": _list_documents(view, record, fields),
        "files": diffs.list_files(view, record),
        "graph": _draw_jobs(view, record) if isinstance(record, Pipeline) else None,
        "log": record.log if isinstance(record, Job) else None,
        "notes": _list_notes(view, record, project),
        "tables": _list_tables(view, found),
        "fields": orjson.dumps(dict(fields), option=orjson.OPT_INDENT_2).decode(),
    }


def _render_description(view: WorldView, found: Found, fields: Mapping[str, object]) -> Text | None:
    record, project = found.record, found.container if isinstance(found.container, Project) else None
    if isinstance(record, WikiPage) and found.container is not None:
        return render_wiki_page(view, found.container, record)
    if isinstance(record, ProjectCommit):
        # A message is no Markdown. That of a commit with one line is its title.
        message = str(fields["message"]).strip()
        return Text(message) if message != fields["title"] else None
    source = fields.get("description")
    return render_text(view, source, project) if source and isinstance(source, str) else None


def _list_documents(view: WorldView, record: object, fields: Mapping[str, object]) -> list[FileContent]:
    """Return the README of a project, or the files of a snippet."""
    if isinstance(record, Snippet):
        return describe_snippet(view, record, str(fields["web_url"]))
    return describe_readme(view, record, record.default_branch) if isinstance(record, Project) else []


def _reference(fields: RecordView) -> str | None:
    references = fields.get("references")
    if isinstance(references, dict):
        return plain(references)
    return next(
        (str(fields[name]) for name in ("path_with_namespace", "full_path", "username", "short_id") if name in fields),
        None,
    )


def _list_facts(record: object, fields: RecordView) -> list[tuple[str, Cell]]:
    kind = kind_of(record)
    if kind:
        facts, title = [(column.heading, column.cell(fields)) for column in kind.facts], ""
    else:
        # The description has a place of its own, and the title is above the facts.
        shown, title = {name: value for name, value in fields.items() if name != "description"}, name_of(fields)
        facts = [(column.heading, column.cell(shown)) for column in common_columns([shown])]
    return [(heading, cell) for heading, cell in facts if cell.text not in ("–", title)]


def _list_notes(view: WorldView, record: object, project: Project | None) -> list[tuple[RecordView, Text]]:
    part = list_parts(record).get(_NOTES)
    if part is None:
        return []
    notes = [RecordView(view, note, part.view) for note in part.find(view.world, record)]
    # The headings of a note are below that of all notes.
    return [(note, render_text(view, note["body"], project, level=3)) for note in notes]


def _draw_jobs(view: WorldView, pipeline: Pipeline) -> PipelineGraph:
    rows = jobs.list_latest(view.world, pipeline.id)
    part = list_parts(pipeline)["jobs"]
    urls = {job.id: page_url(web_url_of(RecordView(view, job, part.view))) for job in rows}
    return draw_pipeline(rows, urls)


def _list_tables(view: WorldView, found: Found) -> list[Table]:
    """Return the records that belong to a record: all, or the newest of a project or group."""
    record = found.record
    tables = [make_table(view, "Commits", _list_commits(view, record), CommitBasic)] if _has_commits(record) else []
    for name, part in list_parts(record).items():
        rows = () if _is_shown_otherwise(record, name) else part.find(view.world, record)
        owner = record if isinstance(record, Project | Group) else None
        # The rows of a part may be computed on access, without slices.
        count = len(rows)
        shown = (
            list(rows) if owner is None else [rows[at] for at in range(count - 1, max(count - _FIRST_ROWS, 0) - 1, -1)]
        )
        url = f"{container_page(view, owner)}/-/{name}" if owner and count > _FIRST_ROWS else None
        tables.append(make_table(view, title_of(name), shown, part.view, name, owner, total=count, url=url))
    return [table for table in tables if table.total]


def _is_shown_otherwise(record: object, part: str) -> bool:
    """Return whether a page has more of a part than a table, or (the files of a repository) pages of their own."""
    return part in (_NOTES, "commits", "changes") or (part == "files" and isinstance(record, Project))


def _has_commits(record: object) -> bool:
    return isinstance(record, MergeRequest | Project)


def _list_commits(view: WorldView, record: MergeRequest | Project) -> Sequence[Any]:
    world = view.world
    if isinstance(record, MergeRequest):
        return diff_versions.list_commits(world, record, diff_versions.latest_refs(world, record))
    if repositories.open_repository(world, record).is_empty:
        return []
    criteria = commits.CommitFilter(record.default_branch or commits.HEAD)
    return commits.list_commits(view.context, record, criteria)[:_FIRST_ROWS]
