"""Issues: making, changing, closing and removing them. Source: docs/platform/issues.md."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import Any, Final

from fakeplat.core.gc_pause import gc_paused
from fakeplat.core.operations.errors import Conflict
from fakeplat.core.store import records
from fakeplat.core.store.bitsets import iterate_bits
from fakeplat.domain import signals
from fakeplat.domain.issues import issue_access, issue_history
from fakeplat.domain.people import events as activity
from fakeplat.domain.planning import issuable_fields as planning
from fakeplat.domain.planning import labels, milestones
from fakeplat.domain.projects import user_agents
from fakeplat.domain.quick_actions import quick_actions
from fakeplat.domain.validation import BLANK, ValidationErrors, too_long
from fakeplat.model.issues import Issue
from fakeplat.model.projects import Project
from fakeplat.model.users import User
from fakeplat.model.world import World, WorldDraft
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext, WriteContext

_TASK: Final = re.compile(r"^[ \t]*(?:[-*+]|\d+\.)[ \t]+\[([ xX])\]\s(.*)", re.MULTILINE)
POSITION_STEP: Final = 500


def create(ctx: WriteContext, project: Project, author: User, **given: Any) -> Issue:
    """Make an issue. Takes the platform's parameters of POST /projects/:id/issues and any field of the record.

    What the author may not set is left out without a word; unknown labels are made where the author may.
    """
    given, orders = quick_actions.from_description(ctx, "issue", issue_access.permitted_params(ctx, project, given))
    iid = given.get("iid")
    if iid is not None and ctx.world.issues.find("iid", (project.id, iid)):
        raise Conflict("Duplicated issue")
    fields = _fields(ctx, project, given, None)
    plan = quick_actions.plan_commands(ctx, "issue", project, None, orders, fields)
    (issue,) = create_many(ctx, project, [{"author_id": author.id, **fields, **plan.fields}])
    user_agents.record_user_agent(ctx, ("issue", issue.id))
    issue_history.record_created(ctx, issue, author)
    signals.issue_created.send(ctx, issue)
    done: Issue = plan.carry_out(ctx, issue)
    return done


def create_many(ctx: WriteContext, project: Project, rows: Sequence[Mapping[str, Any]]) -> list[Issue]:
    """Make issues of a project from fields of the record, an author at least; nobody's rights are asked."""
    for row in rows:
        _faults(row).refuse()
    if not rows:
        return []
    table, now = ctx.world.issues, ctx.now_iso
    numbered = zip(count(table.next_id()), _iids(ctx.world, project, rows), rows, strict=False)
    with gc_paused():
        made = [Issue(**_settled(id_, iid, project.id, now, row)) for id_, iid, row in numbered]
        table.add_many(made)
    for issue in made:
        ctx.emit("issue_created", issue)
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


def _faults(fields: Mapping[str, Any]) -> ValidationErrors:
    faults = ValidationErrors()
    if "title" in fields:
        faults.when(not fields["title"].strip(), "title", BLANK)
        too_long(faults, "title", fields["title"])
    too_long(faults, "description", fields.get("description"), 1_048_576)
    weight = fields.get("weight")
    faults.when(weight is not None and weight < 0, "weight", "must be greater than or equal to 0")
    return faults


def _fields(ctx: WriteContext, project: Project, given: dict[str, Any], issue: Issue | None) -> dict[str, Any]:
    """Parameters as the record's fields."""
    fields = {**given}
    assignees = planning.assignee_ids(ctx, project, fields, Ability.READ_ISSUES)
    if assignees is not None:
        fields["assignee_ids"] = assignees
    chosen = planning.label_ids(ctx, project, fields, issue.label_ids if issue else ())
    if chosen is not None:
        fields["label_ids"] = chosen
    if "milestone_id" in fields:
        fields["milestone_id"] = planning.milestone_id(ctx.world, project, fields["milestone_id"])
    return fields


def update(ctx: WriteContext, project: Project, issue: Issue, **given: Any) -> Issue:
    """Change an issue; ``state_event``: close or reopen. What the caller may not set is left out without a word."""
    given, orders = quick_actions.from_description(ctx, "issue", issue_access.permitted_params(ctx, project, given))
    event = given.pop("state_event", None)
    fields = _fields(ctx, project, given, issue)
    plan = quick_actions.plan_commands(ctx, "issue", project, issue, orders, fields)
    changed = change_fields(ctx, issue, {**fields, **plan.fields})
    if event is not None:
        changed = close(ctx, changed) if event == "close" else reopen(ctx, changed)
    done: Issue = plan.carry_out(ctx, changed)
    return done


def change_fields(ctx: WriteContext, issue: Issue, fields: Mapping[str, Any]) -> Issue:
    """Give fields of the record other values; nobody's rights are asked."""
    _faults(fields).refuse()
    differs = {name: value for name, value in fields.items() if getattr(issue, name) != value}
    if differs.keys() <= {"updated_at"}:
        return issue
    stamped = fields.get("updated_at") or ctx.now_iso
    changed = ctx.world.issues.replace(issue, records.evolve_record(issue, **{**differs, "updated_at": stamped}))
    issue_history.record_changed(ctx, issue, changed)
    signals.issue_changed.send(ctx, issue, changed)
    ctx.emit("issue_updated", changed)
    return changed


def close(ctx: WriteContext, issue: Issue, by: User | None = None) -> Issue:
    """Close, in the name of who asks unless another is named; a closed issue stays as it is."""
    if issue.state == "closed":
        return issue
    user, now = by or ctx.user, ctx.now_iso
    closed_by = user.id if user else None
    closed = ctx.world.issues.change(issue, state="closed", closed_at=now, closed_by_id=closed_by, updated_at=now)
    issue_history.record_closed(ctx, closed, user)
    signals.issue_closed.send(ctx, closed)
    ctx.emit("issue_closed", closed)
    return closed


def reopen(ctx: WriteContext, issue: Issue) -> Issue:
    """Reopen; an open issue stays as it is."""
    if issue.state == "opened":
        return issue
    opened = ctx.world.issues.change(issue, state="opened", closed_at=None, closed_by_id=None, updated_at=ctx.now_iso)
    issue_history.record_reopened(ctx, opened)
    ctx.emit("issue_reopened", opened)
    return opened


def adopt_references(ctx: WriteContext, project: Project) -> None:
    """After a project moved: labels and milestones of groups that it left become its own, by title."""
    world = ctx.world
    known_milestones = {milestone.id for milestone in milestones.list_available(world, project)}
    for id_ in list(iterate_bits(world.issues.bits("facts", ("project", project.id)))):
        issue = world.issues[id_]
        found = (labels.project_copy(ctx, project, world.labels[label_id]).id for label_id in issue.label_ids)
        milestone_id = issue.milestone_id
        if milestone_id is not None and milestone_id not in known_milestones:
            milestone_id = milestones.promoted_copy(ctx, project, world.milestones[milestone_id]).id
        world.issues.change(issue, label_ids=tuple(dict.fromkeys(found)), milestone_id=milestone_id)


def moved_to(world: World, issue: Issue) -> Issue | None:
    """What an issue became in another project; None where it was not moved, or that one is gone."""
    return None if issue.moved_to_id is None else world.issues.get(issue.moved_to_id)


def count_tasks(description: str | None) -> tuple[int, int]:
    """How many tasks a text lists, and how many of them are done."""
    found = _TASK.findall(description or "")
    return len(found), sum(mark != " " for mark, _ in found)


def list_ticked_tasks(before: str, after: str) -> Iterator[tuple[str, bool]]:
    """The tasks that stand in both texts at the same place and are done in one only, and whether in the latter."""
    for (old_mark, old_text), (mark, text) in zip(_TASK.findall(before), _TASK.findall(after), strict=False):
        if old_text == text and (old_mark != " ") != (mark != " "):
            yield text.strip(), mark != " "


def open_count(world: World, project: Project) -> int:
    """How many open issues a project has that are not confidential."""
    facts = world.issues.bits
    opened = facts("facts", ("project", project.id)) & facts("facts", ("state", "opened"))
    return (opened & ~facts("facts", ("confidential", True))).bit_count()


def format_duration(seconds: int) -> str | None:
    """Seconds as the platform writes spans of work: ``1mo 2w 3d 4h 5m`` with 8 hours a day, 5 days a week."""
    if seconds == 0:
        return None
    rest, parts = abs(seconds), []
    for unit, size in (("mo", 576_000), ("w", 144_000), ("d", 28_800), ("h", 3_600), ("m", 60), ("s", 1)):
        number, rest = divmod(rest, size)
        if number:
            parts.append(f"{number}{unit}")
    return ("-" if seconds < 0 else "") + " ".join(parts)


def _seen_somewhere(ctx: ReadContext, issue: Issue) -> bool:
    project = ctx.world.projects[issue.project_id]
    return can(ctx, Ability.READ_ISSUES, project) and issue_access.is_visible(ctx, issue, project)


activity.TARGETS["issue"] = activity.Target(
    find=lambda world, id_: world.issues.get(id_),
    wire=lambda issue: "Issue",
    iid=lambda issue: int(issue.iid),
    title=lambda world, issue: str(issue.title),
    seen=_seen_somewhere,
)
