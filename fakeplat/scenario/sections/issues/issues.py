"""Issues of projects."""

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Final, Unpack

from fakeplat.core.schema.mistakes import nearest_name
from fakeplat.core.schema.records import fields as fields_of
from fakeplat.core.schema.shapes import (
    COUNT,
    DATE,
    DATE_TIME,
    NULLABLE_TEXT,
    TEXT,
    Alias,
    Choice,
    Integer,
    ListOf,
    Nullable,
    Object,
)
from fakeplat.core.store.bitsets import iterate_bits
from fakeplat.domain.epics import epic_access
from fakeplat.domain.issuables.timelogs import count_unlogged, log_rest
from fakeplat.domain.issues import issues
from fakeplat.domain.issues.issues import IssueChanges, NewIssue
from fakeplat.domain.mail.daily_jobs import schedule_due_issue
from fakeplat.domain.people.namespaces import project_path
from fakeplat.domain.planning import iterations
from fakeplat.model.issues import Issue
from fakeplat.model.planning import Iteration
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.scenario import creation_order
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import ISSUES, EntryData, Section
from fakeplat.scenario.sections import serialization
from fakeplat.scenario.sections.issues.issuables import (
    DESCRIPTIONS,
    default_author,
    end_time,
    find_existing,
    get_by_reference,
    get_epic,
    resolve_references,
    serialize_references,
)

_REFERENCES: Final = (
    "project_id",
    "author_id",
    "assignee_ids",
    "label_ids",
    "milestone_id",
    "closed_by_id",
    "iteration_id",
    "parent_issue_id",
    "promoted_to_epic_id",
)
_FIELDS: Final = fields_of(
    Issue,
    without=("id", "moved_to_id", "duplicated_to_id", "updated_by_id", "last_edited_by_id", *_REFERENCES),
    iid=Integer(minimum=1),
    state=Choice("opened", "closed"),
    closed_at=Nullable(DATE_TIME),
    start_date=Nullable(DATE),
    due_date=Nullable(DATE),
    weight=Nullable(COUNT),
    sla_due_at=Nullable(DATE_TIME),
    last_edited_at=Nullable(DATE_TIME),
    child_position=Nullable(Integer()),
    health_status=Nullable(Choice("on_track", "needs_attention", "at_risk")),
)
_DESCRIPTIONS: Final = {
    **DESCRIPTIONS,
    "moved_to": "The issue to which this one was moved, as acme/site#7.",
    "promoted_to": "The epic to which this issue was promoted, as acme&1 (paid feature).",
    "iteration": "Title of an iteration of the project's groups (paid feature).",
    "parent": "The issue to which a task belongs, as acme/site#7.",
    "severity": "Severity of an incident.",
    "start_date": "Day on which the work begins.",
    "work_status": "Status of the work (paid feature); by default the one that follows from the state.",
    "child_position": "Place among those below the same issue.",
    "last_edited_at": "Time of the last change of the description.",
    "zoom_url": "Address of a Zoom meeting.",
    "sla_due_at": "Time until which an incident is to be resolved (paid feature).",
    "escalation_status": "Status of an incident; by default the one that follows from its state.",
}


def _create(entry: Entry) -> Issue:
    project = entry.owner
    existing = find_existing(entry, project, entry.world.issues, _list_issues)
    fields = {**entry.select(_FIELDS), **resolve_references(entry, project, ("closed_by",))}
    if "type" in entry.values:
        fields["kind"] = entry.values["type"]
    if "iteration" in entry.values:
        title = entry.values["iteration"]
        fields["iteration_id"] = _get_iteration(entry, project, title).id if title is not None else None
    issue = _create_new(entry, project, **fields) if existing is None else _update_existing(entry, existing, **fields)
    log_rest(entry.ctx, issue)
    for key, field in _DEFERRED.items():
        if key in entry.values:
            entry.defer(partial(_set_issue, entry, key, field))
    if "promoted_to" in entry.values:
        entry.defer(partial(_set_epic, entry))
    return issue


def _get_iteration(entry: Entry, project: Project, title: str) -> Iteration:
    found = iterations.find_available(entry.world, project, title)
    titles = [iterations.name_of(entry.world, one) for one in iterations.list_available(entry.world, project)]
    return found or entry.fail(f"unknown iteration {title!r}", "iteration", nearest_name(title, titles))


def _list_issues(world: World, project: Project) -> Iterator[Issue]:
    return (world.issues[id_] for id_ in iterate_bits(world.issues.bits("facts", ("project", project.id))))


def _create_new(entry: Entry, project: Project, **fields: Unpack[IssueChanges]) -> Issue:
    if "title" not in fields:
        entry.fail("needs 'title'")
    row: NewIssue = {
        "author_id": default_author(entry, project).id,
        "created_at": entry.created_at,
        "title": fields["title"],
        **fields,
    }
    if fields.get("state") == "closed":
        row = {**_closing_fields(entry, row), **row}
    issue = issues.insert(entry.ctx, project, **row)
    schedule_due_issue(entry.ctx, issue)
    return issue


def _update_existing(entry: Entry, issue: Issue, **fields: Unpack[IssueChanges]) -> Issue:
    if fields.get("state", issue.state) != issue.state:
        # Only a change of state has a time of closing; what the entry states comes last and wins.
        fields = {**_closing_fields(entry, {"author_id": issue.author_id, **fields}), **fields}
    return issues.change_fields(entry.ctx, issue, **fields)


def _closing_fields(entry: Entry, fields: NewIssue | IssueChanges) -> IssueChanges:
    """Return when and by whom an issue was closed, as defaults."""
    if fields["state"] == "opened":
        return {"closed_at": None, "closed_by_id": None}
    return {"closed_at": end_time(entry, fields), "closed_by_id": fields["author_id"]}


_DEFERRED: Final = {"moved_to": "moved_to_id", "parent": "parent_issue_id"}


def _set_issue(entry: Entry, key: str, field: str) -> None:
    """Set an issue to which one refers, once all issues exist."""
    reference = entry.values[key]
    target = get_issue(entry, reference, key) if reference is not None else None
    entry.world.issues.change(entry.record(), **{field: target.id if target else None})


def _set_epic(entry: Entry) -> None:
    """Set the epic to which an issue was promoted, once all epics exist."""
    reference = entry.values["promoted_to"]
    epic = get_epic(entry, reference, "promoted_to") if reference is not None else None
    entry.world.issues.change(entry.record(), promoted_to_epic_id=epic.id if epic else None)


def get_issue(entry: Entry, reference: str, key: str) -> Issue:
    """Return the issue for a full reference such as acme/site#7; ``key`` contains it."""
    return get_by_reference(entry, entry.world.issues, reference, "#", key, "issue")


def format_reference(world: World, issue: Issue) -> str:
    """Return the full reference of an issue: acme/site#7."""
    return f"{project_path(world, world.projects[issue.project_id])}#{issue.iid}"


def _export(world: World, project: Project) -> Iterable[tuple[Issue, EntryData]] | None:
    return [(issue, _serialize(world, issue)) for issue in _list_issues(world, project)] or None


def _serialize(world: World, issue: Issue) -> EntryData:
    always = ("closed_at",) if issue.state == "closed" else ()
    data = serialization.non_default_fields(issue, _FIELDS, always=("relative_position", *always))
    if "kind" in data:
        data["type"] = data.pop("kind")
    # New issues are placed at the end, in equal steps, so most positions follow from the number.
    defaults = {"updated_at": issue.created_at, "relative_position": issue.iid * issues.POSITION_STEP}
    data["total_time_spent"] = count_unlogged(world, issue)
    return {
        **serialization.remove_defaults(data, total_time_spent=0, **defaults),
        "author": serialization.username_of(world, issue.author_id),
        **_serialize_references(world, issue),
        **creation_order.turn_of(world, "issues", issue.id),
    }


def _serialize_references(world: World, issue: Issue) -> EntryData:
    moved_to = world.issues.get(issue.moved_to_id) if issue.moved_to_id else None
    iteration = world.iterations.get(issue.iteration_id) if issue.iteration_id else None
    parent = world.issues.get(issue.parent_issue_id) if issue.parent_issue_id else None
    epic = world.epics.get(issue.promoted_to_epic_id) if issue.promoted_to_epic_id else None
    references: EntryData = {
        "iteration": iterations.name_of(world, iteration) if iteration else None,
        "parent": format_reference(world, parent) if parent else None,
        **serialize_references(world, issue),
        "moved_to": format_reference(world, moved_to) if moved_to else None,
        "promoted_to": epic_access.format_reference(world, epic) if epic else None,
    }
    closed_by = {"closed_by": serialization.username_of(world, issue.closed_by_id)} if issue.state == "closed" else {}
    return {**{name: value for name, value in references.items() if value}, **closed_by}


SECTION: Final = Section(
    "issues",
    within=("project",),
    rank=ISSUES,
    keys=Object(
        {
            **{name: shape for name, shape in _FIELDS.items() if name != "kind"},
            "type": _FIELDS["kind"],
            "issue_type": Alias("type"),
            "author": TEXT,
            "assignees": ListOf(TEXT),
            "labels": ListOf(TEXT),
            "milestone": NULLABLE_TEXT,
            "iteration": NULLABLE_TEXT,
            "closed_by": NULLABLE_TEXT,
            "moved_to": NULLABLE_TEXT,
            "parent": NULLABLE_TEXT,
            "promoted_to": NULLABLE_TEXT,
            creation_order.KEY: COUNT,
        },
        descriptions=_DESCRIPTIONS,
    ),
    create=_create,
    export=_export,
    name_key="title",
    identity_key="iid",
    case_sensitive=True,
    kind="issue",
    record=Issue,
)
