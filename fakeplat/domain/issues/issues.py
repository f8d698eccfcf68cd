"""Issues: making, changing, closing and removing them. Source: docs/platform/issues.md."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import Any, Final

from fakeplat.core.bulk import no_collection
from fakeplat.core.operations.errors import Conflict
from fakeplat.core.store import records
from fakeplat.core.store.query import members as members_of
from fakeplat.domain import foreign_keys
from fakeplat.domain.checks import BLANK, Faults, too_long
from fakeplat.domain.issues import issue_history
from fakeplat.domain.people import activity
from fakeplat.domain.people.authorship import AUTHORED, Authored
from fakeplat.domain.planning import labels, milestones, planning
from fakeplat.domain.projects import user_agents
from fakeplat.model.issues import Issue
from fakeplat.model.levels import Level
from fakeplat.model.projects import Project
from fakeplat.model.users import User
from fakeplat.model.world import World, WorldDraft
from fakeplat.policy.abilities import May
from fakeplat.policy.context import Context, Doing
from fakeplat.policy.features import has
from fakeplat.policy.rulings import can, level_on

_TASK: Final = re.compile(r"^[ \t]*(?:[-*+]|\d+\.)[ \t]+\[([ xX])\]\s(.*)", re.MULTILINE)
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
ON_CREATE: Final[list[Callable[[Doing, Issue], None]]] = []
ON_CHANGE: Final[list[Callable[[Doing, Issue, Issue], None]]] = []
ON_CLOSE: Final[list[Callable[[Doing, Issue], None]]] = []
ON_REMOVE: Final[list[Callable[[Doing, Issue], None]]] = []
"""What other areas do when somebody made an issue; when one was changed (before, after), closed, or removed."""


def create(cx: Doing, project: Project, author: User, **given: Any) -> Issue:
    """Make an issue. Takes the platform's parameters of POST /projects/:id/issues and any field of the record.

    What the author may not set is left out without a word; unknown labels are made where the author may.
    """
    from fakeplat.domain.quick_actions import quick_actions  # quick actions know issues

    given, orders = quick_actions.from_description(cx, "issue", allowed(cx, project, given, None))
    iid = given.get("iid")
    if iid is not None and cx.world.issues.find("iid", (project.id, iid)):
        raise Conflict("Duplicated issue")
    fields = _fields(cx, project, given, None)
    plan = quick_actions.planned(cx, "issue", project, None, orders, fields)
    (issue,) = create_many(cx, project, [{"author_id": author.id, **fields, **plan.fields}])
    user_agents.note(cx, ("issue", issue.id))
    issue_history.begun(cx, issue, author)
    for follow in ON_CREATE:
        follow(cx, issue)
    done: Issue = plan.carry_out(cx, issue)
    return done


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
    assignees = planning.assignee_ids(cx, project, fields, May.READ_ISSUES)
    if assignees is not None:
        fields["assignee_ids"] = assignees
    chosen = planning.label_ids(cx, project, fields, issue.label_ids if issue else ())
    if chosen is not None:
        fields["label_ids"] = chosen
    if "milestone_id" in fields:
        fields["milestone_id"] = planning.milestone_id(cx.world, project, fields["milestone_id"])
    return fields


def assignable(cx: Context, project: Project, user: User) -> bool:
    """Whether issues of a project can be assigned to somebody."""
    return can(cx.as_user(user), May.READ_ISSUES, project)


def update(cx: Doing, project: Project, issue: Issue, **given: Any) -> Issue:
    """Change an issue; ``state_event``: close or reopen. What the caller may not set is left out without a word."""
    from fakeplat.domain.quick_actions import quick_actions  # quick actions know issues

    given, orders = quick_actions.from_description(cx, "issue", allowed(cx, project, given, issue))
    event = given.pop("state_event", None)
    fields = _fields(cx, project, given, issue)
    plan = quick_actions.planned(cx, "issue", project, issue, orders, fields)
    changed = put(cx, issue, {**fields, **plan.fields})
    if event is not None:
        changed = close(cx, changed) if event == "close" else reopen(cx, changed)
    done: Issue = plan.carry_out(cx, changed)
    return done


def put(cx: Doing, issue: Issue, fields: Mapping[str, Any]) -> Issue:
    """Give fields of the record other values; nobody's rights are asked."""
    _faults(fields).refuse()
    differs = {name: value for name, value in fields.items() if getattr(issue, name) != value}
    if differs.keys() <= {"updated_at"}:
        return issue
    stamped = fields.get("updated_at") or cx.instant
    changed = cx.world.issues.replace(issue, records.changed(issue, **{**differs, "updated_at": stamped}))
    issue_history.changed(cx, issue, changed)
    for follow in ON_CHANGE:
        follow(cx, issue, changed)
    cx.emit("issue_updated", changed)
    return changed


def close(cx: Doing, issue: Issue, by: User | None = None) -> Issue:
    """Close, in the name of who asks unless another is named; a closed issue stays as it is."""
    if issue.state == "closed":
        return issue
    user, now = by or cx.user, cx.instant
    closed_by = user.id if user else None
    closed = cx.world.issues.change(issue, state="closed", closed_at=now, closed_by_id=closed_by, updated_at=now)
    issue_history.closed(cx, closed, user)
    for follow in ON_CLOSE:
        follow(cx, closed)
    cx.emit("issue_closed", closed)
    return closed


def reopen(cx: Doing, issue: Issue) -> Issue:
    """Reopen; an open issue stays as it is."""
    if issue.state == "opened":
        return issue
    opened = cx.world.issues.change(issue, state="opened", closed_at=None, closed_by_id=None, updated_at=cx.instant)
    issue_history.reopened(cx, opened)
    cx.emit("issue_reopened", opened)
    return opened


def remove(cx: Doing, issue: Issue) -> None:
    """Remove an issue with all that hangs on it."""
    world = cx.world
    for table in (world.awards, world.subscriptions):
        for record in list(table.where("subject", ("issue", issue.id))):
            table.remove(record)  # type: ignore[arg-type]  # each table meets only its own records
    user_agents.drop(cx, ("issue", issue.id))
    issue_history.drop(cx, issue)
    foreign_keys.clear(cx, "issues", issue.id)
    world.issues.remove(issue)
    for follow in ON_REMOVE:
        follow(cx, issue)
    cx.emit("issue_deleted", issue)


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


def heir(world: World, issue: Issue) -> Issue | None:
    """What an issue became in another project; None where it was not moved, or that one is gone."""
    return None if issue.moved_to_id is None else world.issues.get(issue.moved_to_id)


def sees(cx: Context, issue: Issue, project: Project) -> bool:
    """Whether an issue exists for the caller, who sees the project's issues."""
    if not issue.confidential or level_on(cx, project) >= Level.REPORTER:
        return True
    user = cx.user
    return user is not None and (user.id == issue.author_id or user.id in issue.assignee_ids)


def tasks(description: str | None) -> tuple[int, int]:
    """How many tasks a text lists, and how many of them are done."""
    found = _TASK.findall(description or "")
    return len(found), sum(mark != " " for mark, _ in found)


def ticked(before: str, after: str) -> Iterator[tuple[str, bool]]:
    """The tasks that stand in both texts at the same place and are done in one only, and whether in the latter."""
    for (old_mark, old_text), (mark, text) in zip(_TASK.findall(before), _TASK.findall(after), strict=False):
        if old_text == text and (old_mark != " ") != (mark != " "):
            yield text.strip(), mark != " "


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


def _seen_somewhere(cx: Context, issue: Issue) -> bool:
    project = cx.world.projects[issue.project_id]
    return can(cx, May.READ_ISSUES, project) and sees(cx, issue, project)


activity.TARGETS["issue"] = activity.Target(
    find=lambda world, id_: world.issues.get(id_),
    wire=lambda issue: "Issue",
    iid=lambda issue: int(issue.iid),
    title=lambda world, issue: str(issue.title),
    seen=_seen_somewhere,
)
