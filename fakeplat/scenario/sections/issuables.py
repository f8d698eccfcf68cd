"""What issues and merge requests say alike: author, assignees, labels, milestone, and how others name one."""

from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

from fakeplat.core.schema.mistakes import nearest_name
from fakeplat.core.store.table import Record, Table
from fakeplat.domain.planning import labels, milestones
from fakeplat.model.labels import Milestone
from fakeplat.model.projects import Project
from fakeplat.model.users import User
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.sections.projects import default_creator

R = TypeVar("R", bound=Record)


def default_author(entry: Entry, project: Project) -> User:
    """Who made it where nothing is said: the project's creator."""
    creator = entry.world.users.get(project.creator_id) if project.creator_id else None
    return creator or default_creator(entry.world, entry.world.namespaces[project.namespace_id])


def resolve_references(entry: Entry, project: Project, people: Iterable[str]) -> dict[str, Any]:
    """The fields that refer to other records; ``people`` are keys that name a user or nobody."""
    said, found = entry.said, dict[str, Any]()
    if "author" in said:
        found["author_id"] = entry.user("author").id
    for key in people:
        if key in said:
            user = entry.user_or_none(key)
            found[f"{key}_id"] = user.id if user else None
    if "assignees" in said:
        named = (entry.named_user(name, "assignees").id for name in said["assignees"])
        found["assignee_ids"] = tuple(dict.fromkeys(named))
    if "labels" in said:
        found["label_ids"] = tuple(_label_ids(entry, project, dict.fromkeys(said["labels"])))
    if "milestone" in said:
        found["milestone_id"] = _milestone(entry, project, said["milestone"]).id if said["milestone"] else None
    return found


def _label_ids(entry: Entry, project: Project, titles: Iterable[str]) -> Iterator[int]:
    for title in titles:
        label = labels.find_by_title(entry.world, project, title)
        yield label.id if label else labels.create_many(entry.ctx, project, [{"title": title}])[0].id


def _milestone(entry: Entry, project: Project, title: str) -> Milestone:
    usable = milestones.list_available(entry.world, project)
    found = next((milestone for milestone in usable if milestone.title == title), None)
    if found is None:
        entry.wrong(f"unknown milestone {title!r}", "milestone", nearest_name(title, [one.title for one in usable]))
    return found


def find_by_reference(entry: Entry, table: Table[R], reference: str, sign: str, key: str, words: str) -> R:
    """What a full reference under a key names, as acme/site#7."""
    path, _, iid = reference.rpartition(sign)
    project = entry.seeding.find("project", path) if iid.isascii() and iid.isdigit() else None
    found = table.find("iid", (project.id, int(iid))) if project else None
    return found or entry.wrong(f"unknown {words} {reference!r}", key)
