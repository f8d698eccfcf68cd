"""Keys shared by issues and merge requests: author, assignees, labels, milestone; and references to them."""

from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

from fakeplat.core.schema.mistakes import nearest_name
from fakeplat.core.store.table import Record, Table
from fakeplat.domain.planning import labels, milestones
from fakeplat.model.people import User
from fakeplat.model.planning import Milestone
from fakeplat.model.projects import Project
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.sections.projects.projects import default_creator

R = TypeVar("R", bound=Record)


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


def get_by_reference(entry: Entry, table: Table[R], reference: str, sign: str, key: str, kind_name: str) -> R:
    """Return the record for a full reference such as acme/site#7; ``key`` is the key that contains it, for errors."""
    path, _, iid = reference.rpartition(sign)
    # ``isdigit`` alone also accepts superscripts, which ``int`` refuses.
    project = entry.loader.find("project", path) if iid.isascii() and iid.isdigit() else None
    record = table.find("iid", (project.id, int(iid))) if project else None
    return record or entry.fail(f"unknown {kind_name} {reference!r}", key)
