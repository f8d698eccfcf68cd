"""Issues: making, changing, closing and removing them. Source: facts and more on issues."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import count
from typing import Any, Final

from attrs import evolve

from fakeplat.core.bulk import no_collection
from fakeplat.core.errors import Conflict
from fakeplat.core.query import members as members_of
from fakeplat.domain import labels, milestones
from fakeplat.domain.authorship import AUTHORED, Authored
from fakeplat.domain.checks import BLANK, Faults, too_long
from fakeplat.model.issues import Award, Issue
from fakeplat.model.levels import Level
from fakeplat.model.projects import Project
from fakeplat.model.users import User
from fakeplat.model.world import World, WorldDraft
from fakeplat.policy.abilities import May
from fakeplat.policy.context import Context, Doing
from fakeplat.policy.features import has
from fakeplat.policy.rulings import can, level_on

_TASK: Final = re.compile(r"^\s*(?:[-*+]|\d+\.)\s+\[([ xX])\]\s", re.MULTILINE)
_ADMINISTERED: Final = (
    "assignee_ids",
    "assignee_id",
    "labels",
    "add_labels",
    "remove_labels",
    "milestone_id",
    "due_date",
    "discussion_locked",
    "weight",
    "health_status",
)
POSITION_STEP: Final = 500
ON_CLOSE: Final[list[Callable[[Doing, Issue], None]]] = []
ON_REMOVE: Final[list[Callable[[Doing, Issue], None]]] = []
"""What other areas do when an issue was closed, or removed."""


def create(cx: Doing, project: Project, author: User, **given: Any) -> Issue:
    """Make an issue. Takes the platform's parameters of POST /projects/:id/issues and any field of the record.

    What the author may not set is left out without a word; unknown labels are made where the author may.
    """
    given = allowed(cx, project, given, None)
    iid = given.get("iid")
    if iid is not None and cx.world.issues.find("iid", (project.id, iid)):
        raise Conflict("Duplicated issue")
    fields = _fields(cx, project, given, None)
    (issue,) = create_many(cx, project, [{"author_id": author.id, **fields}])
    return issue


def create_many(cx: Doing, project: Project, rows: Sequence[Mapping[str, Any]]) -> list[Issue]:
    """Make issues of a project from fields of the record, an author at least; nobody's rights are asked."""
    for row in rows:
        _faults(row).refuse()
    if not rows:
        return []
    table, now = cx.world.issues, cx.instant
    numbered = zip(count(table.next_id()), _iids(cx.world, project, rows), rows, strict=False)
    with no_collection():
        made = [Issue(**_settled(id_, iid, project.id, now, row)) for id_, iid, row in numbered]
        table.add_many(made)
    for issue in made:
        cx.emit("issue_created", issue)
    return made


def _iids(world: WorldDraft, project: Project, rows: Iterable[Mapping[str, Any]]) -> list[int]:
    """The number of each new issue: its own, or the next after all that the project had."""
    found, last = [], world.count_of("issue", project.id)
    for row in rows:
        iid = row.get("iid")
        found.append(last + 1 if iid is None else iid)
        last = max(last, found[-1])
    world.raise_to(last, "issue", project.id)
    return found


def _settled(id_: int, iid: int, project_id: int, now: str, row: Mapping[str, Any]) -> dict[str, Any]:
    settled = {**row, "id": id_, "iid": iid, "project_id": project_id}
    settled.setdefault("updated_at", settled.setdefault("created_at", now))
    settled.setdefault("relative_position", iid * POSITION_STEP)
    return settled


def allowed(cx: Context, project: Project, given: Mapping[str, Any], issue: Issue | None) -> dict[str, Any]:
    """What of the given parameters the caller may set; the rest is dropped as the platform does it."""
    dropped: set[str] = set()
    if not can(cx, May.ADMIN_ISSUE, project):
        dropped.update(_ADMINISTERED)
    if not can(cx, May.SET_ISSUE_TIMES, project):
        dropped.update(("created_at", "updated_at", "iid"))
    if not has(cx.world, "premium", project):
        dropped.update(("weight", "epic_id", "epic_iid"))
    if not has(cx.world, "ultimate", project):
        dropped.add("health_status")
    del issue
    return {name: value for name, value in given.items() if name not in dropped}


def _faults(fields: Mapping[str, Any]) -> Faults:
    faults = Faults()
    if "title" in fields:
        faults.when(not fields["title"].strip(), "title", BLANK)
        too_long(faults, "title", fields["title"])
    too_long(faults, "description", fields.get("description"), 1_048_576)
    weight = fields.get("weight")
    faults.when(weight is not None and weight < 0, "weight", "must be greater than or equal to 0")
    return faults


def _fields(cx: Doing, project: Project, given: dict[str, Any], issue: Issue | None) -> dict[str, Any]:
    """Parameters as the record's fields."""
    fields = {**given}
    assignees = _assignees(cx, project, fields)
    if assignees is not None:
        fields["assignee_ids"] = assignees
    chosen = _labels(cx, project, fields, issue)
    if chosen is not None:
        fields["label_ids"] = chosen
    if "milestone_id" in fields:
        fields["milestone_id"] = _milestone(cx.world, project, fields["milestone_id"])
    return fields


def _assignees(cx: Context, project: Project, fields: dict[str, Any]) -> tuple[int, ...] | None:
    """The new assignees: those who may read the project, the first alone on the free tier; None for no change."""
    single = [fields.pop("assignee_id")] if "assignee_id" in fields else None
    several = fields.pop("assignee_ids", single)
    if several is None:
        return None if single is None else ()
    users = (cx.world.users.get(id_) for id_ in several if id_)
    ids = tuple(dict.fromkeys(user.id for user in users if user and _assignable(cx, project, user)))
    return ids if has(cx.world, "premium", project) else ids[:1]


def _assignable(cx: Context, project: Project, user: User) -> bool:
    return can(cx.as_user(user), May.READ_ISSUES, project)


def _milestone(world: World, project: Project, id_: int | None) -> int | None:
    usable = {milestone.id for milestone in milestones.usable(world, project)} if id_ else set()
    return id_ if id_ in usable else None


def _labels(cx: Doing, project: Project, fields: dict[str, Any], issue: Issue | None) -> tuple[int, ...] | None:
    before = issue.label_ids if issue else ()
    ids = list(before)
    changed = False
    if "labels" in fields:
        ids, changed = _label_ids(cx, project, fields.pop("labels") or ()), True
    if "add_labels" in fields:
        ids, changed = [*ids, *_label_ids(cx, project, fields.pop("add_labels") or ())], True
    if "remove_labels" in fields:
        gone = {label.id for title in fields.pop("remove_labels") or () if (label := _known(cx, project, title))}
        ids, changed = [id_ for id_ in ids if id_ not in gone], True
    return tuple(dict.fromkeys(ids)) if changed else None


def _known(cx: Doing, project: Project, title: str) -> Any:
    return labels.by_title(cx.world, project, title)


def _label_ids(cx: Doing, project: Project, titles: Iterable[str]) -> list[int]:
    found = []
    for title in dict.fromkeys(title.strip() for title in titles):
        label = _known(cx, project, title) if title else None
        if label is None and title and can(cx, May.ADMIN_LABEL, project):
            label = labels.create(cx, project, title, labels.DEFAULT_COLOR)
        if label is not None:
            found.append(label.id)
    return found


def update(cx: Doing, project: Project, issue: Issue, **given: Any) -> Issue:
    """Change an issue; ``state_event``: close or reopen. What the caller may not set is left out without a word."""
    given = allowed(cx, project, given, issue)
    event = given.pop("state_event", None)
    changed = put(cx, issue, _fields(cx, project, given, issue))
    if event == "close":
        return close(cx, changed)
    return reopen(cx, changed) if event == "reopen" else changed


def put(cx: Doing, issue: Issue, fields: Mapping[str, Any]) -> Issue:
    """Give fields of the record other values; nobody's rights are asked."""
    _faults(fields).refuse()
    differs = {name: value for name, value in fields.items() if getattr(issue, name) != value}
    if differs.keys() <= {"updated_at"}:
        return issue
    stamped = fields.get("updated_at") or cx.instant
    changed = cx.world.issues.replace(issue, evolve(issue, **{**differs, "updated_at": stamped}))
    cx.emit("issue_updated", changed)
    return changed


def close(cx: Doing, issue: Issue, by: User | None = None) -> Issue:
    """Close, in the name of who asks unless another is named; a closed issue stays as it is."""
    if issue.state == "closed":
        return issue
    user, now = by or cx.user, cx.instant
    closed_by = user.id if user else None
    closed = cx.world.issues.change(issue, state="closed", closed_at=now, closed_by_id=closed_by, updated_at=now)
    for follow in ON_CLOSE:
        follow(cx, closed)
    cx.emit("issue_closed", closed)
    return closed


def reopen(cx: Doing, issue: Issue) -> Issue:
    """Reopen; an open issue stays as it is."""
    if issue.state == "opened":
        return issue
    opened = cx.world.issues.change(issue, state="opened", closed_at=None, closed_by_id=None, updated_at=cx.instant)
    cx.emit("issue_reopened", opened)
    return opened


def remove(cx: Doing, issue: Issue) -> None:
    """Remove an issue with all that hangs on it."""
    world = cx.world
    for table in (world.awards, world.subscriptions):
        for record in list(table.where("subject", ("issue", issue.id))):
            table.remove(record)  # type: ignore[arg-type]  # each table meets only its own records
    world.issues.remove(issue)
    for follow in ON_REMOVE:
        follow(cx, issue)
    cx.emit("issue_deleted", issue)


def award(cx: Doing, issue: Issue, user: User, name: str) -> Award:
    """Give an emoji to an issue; a second time changes nothing."""
    table, subject, now = cx.world.awards, ("issue", issue.id), cx.instant
    found = table.find("own", (subject, user.id, name))
    return found or table.add(Award(table.next_id(), subject, user.id, name, now, now))


def settle_in(cx: Doing, project: Project) -> None:
    """After a project moved: labels and milestones of groups that it left become its own, by title."""
    world = cx.world
    known_milestones = {milestone.id for milestone in milestones.usable(world, project)}
    for id_ in list(members_of(world.issues.bits("facts", ("project", project.id)))):
        issue = world.issues[id_]
        found = (labels.settled(cx, project, world.labels[label_id]).id for label_id in issue.label_ids)
        milestone_id = issue.milestone_id
        if milestone_id is not None and milestone_id not in known_milestones:
            milestone_id = milestones.own_copy(cx, project, world.milestones[milestone_id]).id
        world.issues.change(issue, label_ids=tuple(dict.fromkeys(found)), milestone_id=milestone_id)


def unassign(cx: Doing, user: User) -> None:
    """Take somebody who goes off all issues."""
    for id_ in list(members_of(cx.world.issues.bits("facts", ("assignee", user.id)))):
        issue = cx.world.issues[id_]
        cx.world.issues.change(issue, assignee_ids=tuple(other for other in issue.assignee_ids if other != user.id))


def drop(cx: Doing, project: Project) -> None:
    """Remove all issues of a project that goes."""
    for id_ in list(members_of(cx.world.issues.bits("facts", ("project", project.id)))):
        remove(cx, cx.world.issues[id_])


def sees(cx: Context, issue: Issue, project: Project) -> bool:
    """Whether an issue exists for the caller, who sees the project's issues."""
    if not issue.confidential or level_on(cx, project) >= Level.REPORTER:
        return True
    user = cx.user
    return user is not None and (user.id == issue.author_id or user.id in issue.assignee_ids)


def tasks(description: str | None) -> tuple[int, int]:
    """How many tasks a text lists, and how many of them are done."""
    found = _TASK.findall(description or "")
    return len(found), sum(mark != " " for mark in found)


def open_count(world: World, project: Project) -> int:
    """How many open issues a project has that are not confidential."""
    facts = world.issues.bits
    opened = facts("facts", ("project", project.id)) & facts("facts", ("state", "opened"))
    return (opened & ~facts("facts", ("confidential", True))).bit_count()


def duration(seconds: int) -> str | None:
    """Seconds as the platform writes spans of work: ``1mo 2w 3d 4h 5m`` with 8 hours a day, 5 days a week."""
    if seconds == 0:
        return None
    rest, parts = abs(seconds), []
    for unit, size in (("mo", 576_000), ("w", 144_000), ("d", 28_800), ("h", 3_600), ("m", 60), ("s", 1)):
        number, rest = divmod(rest, size)
        if number:
            parts.append(f"{number}{unit}")
    return ("-" if seconds < 0 else "") + " ".join(parts)


AUTHORED.append(Authored("issues", "author_id", "author", remove))
