"""Keys shared by issues and merge requests: author, assignees, labels, milestone, closed_by; and references to them."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, TypeVar

from fakeplat.core.schema.mistakes import nearest_name
from fakeplat.core.store.table import Record, Table
from fakeplat.domain.issuables.issuable_records import Issuable, IssuableChanges, NewIssuable
from fakeplat.domain.planning import labels, milestones
from fakeplat.model.epics import Epic
from fakeplat.model.issues import Issue
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.people import User
from fakeplat.model.planning import Milestone
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.scenario import creation_order
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import EntryData
from fakeplat.scenario.sections import serialization
from fakeplat.scenario.sections.projects.projects import default_creator

R = TypeVar("R", bound=Record)
T = TypeVar("T", Issue, MergeRequest)
DESCRIPTIONS: Final = {
    "author": "Username. Default: the project's creator.",
    "assignees": "Usernames.",
    "labels": "Titles. Missing labels are created in the project.",
    "milestone": "Title of a milestone of the project or of a parent group.",
    "closed_by": "Username. Default: the author.",
    creation_order.KEY: creation_order.DESCRIPTION,
}


def find_existing(
    entry: Entry, project: Project, table: Table[T], list_records: Callable[[World, Project], Iterable[T]]
) -> T | None:
    """Return the record with the entry's number or, without a number, the first one of the project with its title."""
    if "iid" in entry.values:
        return table.find("iid", (project.id, entry.values["iid"]))
    records = list_records(entry.world, project)
    return next((record for record in records if record.title == entry.values.get("title")), None)


def end_time(entry: Entry, fields: NewIssuable | IssuableChanges) -> str:
    """Return when a record was closed or merged whose entry does not say it."""
    return fields.get("updated_at") or fields.get("created_at") or entry.ctx.now_iso


def default_author(entry: Entry, project: Project) -> User:
    """Return the author of an issuable without ``author``: the project's creator."""
    creator = entry.world.users.get(project.creator_id) if project.creator_id else None
    return creator or default_creator(entry.world, entry.world.namespaces[project.namespace_id])


def resolve_references(entry: Entry, project: Project, people: Iterable[str]) -> dict[str, Any]:
    """Return the fields that refer to other records; ``people`` are keys with a username or null."""
    values, references = entry.values, dict[str, Any]()
    if "author" in values:
        references["author_id"] = entry.user("author").id
    for key in people:
        if key in values:
            user = entry.user_or_none(key)
            references[f"{key}_id"] = user.id if user else None
    if "assignees" in values:
        assignee_ids = (entry.get_user(name, "assignees").id for name in values["assignees"])
        # A name that is listed twice counts once; the order matters, since the first one is ``assignee``.
        references["assignee_ids"] = tuple(dict.fromkeys(assignee_ids))
    if "labels" in values:
        references["label_ids"] = tuple(_get_or_create_labels(entry, project, dict.fromkeys(values["labels"])))
    if "milestone" in values:
        references["milestone_id"] = (
            _get_milestone(entry, project, values["milestone"]).id if values["milestone"] else None
        )
    return references


def _get_or_create_labels(entry: Entry, project: Project, titles: Iterable[str]) -> Iterator[int]:
    for title in titles:
        label = labels.find_by_title(entry.world, project, title)
        yield label.id if label else labels.insert(entry.ctx, project, title=title).id


def _get_milestone(entry: Entry, project: Project, title: str) -> Milestone:
    available = milestones.list_available(entry.world, project)
    milestone = next((milestone for milestone in available if milestone.title == title), None)
    if milestone is None:
        entry.fail(
            f"unknown milestone {title!r}",
            "milestone",
            nearest_name(title, [candidate.title for candidate in available]),
        )
    return milestone


def serialize_references(world: World, record: Issuable) -> EntryData:
    """Return the assignees, labels and milestone; None or empty without any."""
    milestone = world.milestones.get(record.milestone_id) if record.milestone_id else None
    return {
        "assignees": [serialization.username_of(world, id_) for id_ in record.assignee_ids],
        "labels": [world.labels[id_].title for id_ in record.label_ids],
        "milestone": milestone.title if milestone else None,
    }


def get_by_reference(entry: Entry, table: Table[R], reference: str, sign: str, key: str, kind_name: str) -> R:
    """Return the record for a full reference such as acme/site#7; ``key`` is the key that contains it, for errors."""
    path, _, iid = reference.rpartition(sign)
    # ``isdigit`` alone also accepts superscripts, which ``int`` refuses.
    project = entry.loader.find("project", path) if iid.isascii() and iid.isdigit() else None
    record = table.find("iid", (project.id, int(iid))) if project else None
    return record or entry.fail(f"unknown {kind_name} {reference!r}", key)


def get_epic(entry: Entry, reference: str, key: str) -> Epic:
    """Return the epic for a full reference, as acme&1."""
    path, _, iid = reference.rpartition("&")
    group = entry.loader.find("group", path) if iid.isascii() and iid.isdigit() else None
    epic = entry.world.epics.find("iid", (group.id, int(iid))) if group else None
    return epic or entry.fail(f"unknown epic {reference!r}", key)
