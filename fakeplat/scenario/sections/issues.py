"""Issues of projects."""

from collections.abc import Iterable, Iterator
from typing import Any, Final

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
from fakeplat.domain.issues import issues
from fakeplat.domain.people.namespaces import project_path
from fakeplat.model.issues import Issue
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.scenario import creation_order
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import ISSUES, Section, Told
from fakeplat.scenario.sections import serialization as telling
from fakeplat.scenario.sections.issuables import default_author, find_by_reference, resolve_references

_REFERENCES: Final = ("project_id", "author_id", "assignee_ids", "label_ids", "milestone_id", "closed_by_id")
_OWN: Final = fields_of(
    Issue,
    without=("id", "moved_to_id", *_REFERENCES),
    iid=Integer(minimum=1),
    state=Choice("opened", "closed"),
    closed_at=Nullable(DATE_TIME),
    due_date=Nullable(DATE),
    weight=Nullable(COUNT),
    health_status=Nullable(Choice("on_track", "needs_attention", "at_risk")),
)
_ABOUT: Final = {
    "author": "A username; otherwise the project's creator.",
    "assignees": "Usernames.",
    "labels": "Titles; labels that are not there are made.",
    "milestone": "The title of a milestone of the project or of a group above it.",
    "closed_by": "A username; otherwise the author.",
    "moved_to": "The issue that this one has become, as acme/site#7.",
    creation_order.KEY: creation_order.DESCRIPTION,
}


def _make(entry: Entry) -> Issue:
    project = entry.owner
    found = _find(entry, project)
    fields = {**entry.given(_OWN), **resolve_references(entry, project, ("closed_by",))}
    if "type" in entry.said:
        fields["kind"] = entry.said["type"]
    issue = _created(entry, project, fields) if found is None else _changed(entry, found, fields)
    if "moved_to" in entry.said:
        entry.afterwards(lambda: _move(entry))
    return issue


def _find(entry: Entry, project: Project) -> Issue | None:
    """The issue with the number that is said, else the first with the title."""
    said, world = entry.said, entry.world
    if "iid" in said:
        return world.issues.find("iid", (project.id, said["iid"]))
    return next((issue for issue in _own(world, project) if issue.title == said.get("title")), None)


def _own(world: World, project: Project) -> Iterator[Issue]:
    return (world.issues[id_] for id_ in iterate_bits(world.issues.bits("facts", ("project", project.id))))


def _created(entry: Entry, project: Project, fields: dict[str, Any]) -> Issue:
    if "title" not in fields:
        entry.wrong("needs 'title'")
    author = {"author_id": default_author(entry, project).id}
    times = {"created_at": entry.created_at}
    closed = _closed(entry, {**author, **times, **fields}) if fields.get("state") == "closed" else {}
    (issue,) = issues.create_many(entry.ctx, project, [{**author, **times, **closed, **fields}])
    return issue


def _changed(entry: Entry, issue: Issue, fields: dict[str, Any]) -> Issue:
    if fields.get("state", issue.state) != issue.state:
        fields = {**_closed(entry, {"author_id": issue.author_id, **fields}), **fields}
    return issues.change_fields(entry.ctx, issue, fields)


def _closed(entry: Entry, fields: dict[str, Any]) -> dict[str, Any]:
    """When and by whom an issue was closed, where nothing is said of that."""
    if fields["state"] == "opened":
        return {"closed_at": None, "closed_by_id": None}
    closed_at = fields.get("updated_at") or fields.get("created_at") or entry.ctx.now_iso
    return {"closed_at": closed_at, "closed_by_id": fields["author_id"]}


def _move(entry: Entry) -> None:
    """Say what an issue has become, once that is there."""
    moved = entry.said["moved_to"]
    target = find_issue(entry, moved, "moved_to") if moved is not None else None
    entry.world.issues.change(entry.record(), moved_to_id=target.id if target else None)


def find_issue(entry: Entry, reference: str, key: str) -> Issue:
    """The issue that a full reference under a key names, as acme/site#7."""
    return find_by_reference(entry, entry.world.issues, reference, "#", key, "issue")


def format_reference(world: World, issue: Issue) -> str:
    """An issue as others name it: acme/site#7."""
    return f"{project_path(world, world.projects[issue.project_id])}#{issue.iid}"


def _tell(world: World, project: Project) -> Iterable[tuple[Issue, Told]] | None:
    return [(issue, _told(world, issue)) for issue in _own(world, project)] or None


def _told(world: World, issue: Issue) -> Told:
    always = ("closed_at",) if issue.state == "closed" else ()
    found = telling.non_default_fields(issue, _OWN, always=("relative_position", *always))
    if "kind" in found:
        found["type"] = found.pop("kind")
    expected = {"updated_at": issue.created_at, "relative_position": issue.iid * issues.POSITION_STEP}
    return {
        **telling.remove_defaults(found, **expected),
        "author": telling.username_of(world, issue.author_id),
        **_told_references(world, issue),
        **creation_order.turn_of(world, "issues", issue.id),
    }


def _told_references(world: World, issue: Issue) -> Told:
    milestone = world.milestones.get(issue.milestone_id) if issue.milestone_id else None
    moved_to = world.issues.get(issue.moved_to_id) if issue.moved_to_id else None
    found: Told = {
        "assignees": [telling.username_of(world, id_) for id_ in issue.assignee_ids],
        "labels": [world.labels[id_].title for id_ in issue.label_ids],
        "milestone": milestone.title if milestone else None,
        "moved_to": format_reference(world, moved_to) if moved_to else None,
    }
    closed_by = {"closed_by": telling.username_of(world, issue.closed_by_id)} if issue.state == "closed" else {}
    return {**{name: value for name, value in found.items() if value}, **closed_by}


SECTION: Final = Section(
    "issues",
    under=("project",),
    rank=ISSUES,
    keys=Object(
        {
            **{name: shape for name, shape in _OWN.items() if name != "kind"},
            "type": _OWN["kind"],
            "issue_type": Alias("type"),
            "author": TEXT,
            "assignees": ListOf(TEXT),
            "labels": ListOf(TEXT),
            "milestone": NULLABLE_TEXT,
            "closed_by": NULLABLE_TEXT,
            "moved_to": NULLABLE_TEXT,
            creation_order.KEY: COUNT,
        },
        descriptions=_ABOUT,
    ),
    make=_make,
    tell=_tell,
    named="title",
    whole="iid",
    cased=True,
    kind="issue",
)
