"""Creating, changing, closing and reopening issues. Source: docs/platform/issues.md."""

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, TypedDict, Unpack

from fakeplat.core.gc_pause import gc_paused
from fakeplat.core.operations.errors import Conflict
from fakeplat.core.store.bitsets import iterate_bits
from fakeplat.domain import signals
from fakeplat.domain.issuables import issuable_fields, issuable_records
from fakeplat.domain.issuables.issuable_records import IssuableChanges, IssuableParams, NewIssuable
from fakeplat.domain.issuables.resource_events import EventSource
from fakeplat.domain.issues import issue_access, issue_history
from fakeplat.domain.people import user_agents
from fakeplat.domain.planning import labels, milestones
from fakeplat.domain.quick_actions import quick_actions
from fakeplat.domain.validation import ValidationErrors
from fakeplat.model.issues import EscalationStatus, Issue, Kind, Severity, WorkStatus
from fakeplat.model.people import Group, User
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.behaviours import NEW_ISSUES_ARE_HIDDEN_LIKE_EPICS
from fakeplat.policy.context import WriteContext

if TYPE_CHECKING:
    from fakeplat.model.epics import Epic

# Accepts "- [ ] text", "* [x] text" and "1. [X] text".
_TASK: Final = re.compile(r"^[ \t]*(?:[-*+]|\d+\.)[ \t]+\[([ xX])\]\s(.*)", re.MULTILINE)
# A gap of this size can be halved eight times before the positions must be spread again.
POSITION_STEP: Final = 500


class IssueFields(TypedDict, total=False):
    """Fields that only records of issues have."""

    state: str
    kind: Kind
    due_date: str | None
    confidential: bool
    weight: int | None
    health_status: str | None
    relative_position: int | None
    moved_to_id: int | None
    start_date: str | None
    iteration_id: int | None
    severity: Severity
    parent_issue_id: int | None
    child_position: int | None
    work_status: WorkStatus | None
    escalation_status: EscalationStatus | None


class NewIssue(NewIssuable, IssueFields):
    """The fields of a new issue."""


class IssueChanges(IssuableChanges, IssueFields, total=False):
    """Changes of an issue."""


class IssueParams(IssuableParams, total=False):
    """The platform's parameters of POST and PUT, with ``kind`` under the name of the record."""

    kind: Kind
    due_date: str | None
    start_date: str | None
    confidential: bool
    iteration_id: int | None
    weight: int | None
    health_status: str | None
    epic_id: int | None
    epic_iid: int | None
    severity: Severity
    created_at: str
    updated_at: str


class NewIssueParams(IssueParams, total=False):
    """The platform's parameters of POST."""

    iid: int


def create(ctx: WriteContext, project: Project, author: User, **params: Unpack[NewIssueParams]) -> Issue:
    """Create an issue. Takes the platform's parameters of POST /projects/:id/issues.

    Parameters that the author may not set are silently ignored; unknown labels are created if the author may do so.
    """
    permitted, commands = quick_actions.extract_from_description(
        ctx, "issue", issue_access.permitted_params(ctx, project, params, is_new=True)
    )
    permitted = _without_useless_severity(ctx, permitted, permitted.get("kind", "issue"))
    # Only callers with the right to set times can send an iid: permitted_params has removed it for others.
    iid = permitted.get("iid")
    if iid is not None and ctx.world.issues.find("iid", (project.id, iid)):
        raise Conflict("Duplicated issue")
    attributes, chosen_epic = _choose_epic(ctx, project, permitted)
    fields = issuable_fields.resolve_fields(ctx, project, attributes, Ability.READ_ISSUES, ())
    if any(epic and epic.confidential for epic in chosen_epic) and ctx.profile.has(NEW_ISSUES_ARE_HIDDEN_LIKE_EPICS):
        fields["confidential"] = True
    plan = quick_actions.plan_commands(ctx, "issue", project, None, commands, fields)
    issue = insert(ctx, project, **{"author_id": author.id, **fields, **plan.fields})
    user_agents.record_user_agent(ctx, ("issue", issue.id))
    issue_history.record_created(ctx, issue, author)
    signals.issue_created.send(ctx, issue)
    _place(ctx, issue, chosen_epic)
    result: Issue = plan.apply(ctx, issue)
    return result


def insert(ctx: WriteContext, project: Project, **fields: Unpack[NewIssue]) -> Issue:
    """Insert an issue from fields of the record, without permission checks."""
    return create_many(ctx, project, [fields])[0]


def create_many(ctx: WriteContext, project: Project, rows: Sequence[NewIssue]) -> list[Issue]:
    """Insert issues of a project from fields of the record, without permission checks."""
    for row in rows:
        _validate_fields(**row).refuse()
    if not rows:
        return []
    table = ctx.world.issues
    completed = issuable_records.complete_rows(ctx, "issue", project, table.next_id(), rows)
    with gc_paused():
        created = [Issue(**{"relative_position": fields["iid"] * POSITION_STEP, **fields}) for fields in completed]
        table.add_many(created)
    return created


def _validate_fields(**fields: Unpack[IssueChanges]) -> ValidationErrors:
    errors = ValidationErrors()
    issuable_records.validate_texts(errors, fields)
    weight = fields.get("weight")
    errors.when(weight is not None and weight < 0, "weight", "must be greater than or equal to 0")
    start, due = fields.get("start_date"), fields.get("due_date")
    ends_early = start is not None and due is not None and due < start
    errors.when(ends_early, "due_date", "must be greater than or equal to start date")
    return errors


def update(ctx: WriteContext, project: Project, issue: Issue, **params: Unpack[IssueParams]) -> Issue:
    """Change an issue; ``state_event``: close or reopen. Parameters that the caller may not set are ignored."""
    permitted, commands = quick_actions.extract_from_description(
        ctx, "issue", issue_access.permitted_params(ctx, project, params)
    )
    permitted = _without_useless_severity(ctx, permitted, permitted.get("kind", issue.kind))
    event = permitted.pop("state_event", None)
    attributes, chosen_epic = _choose_epic(ctx, project, permitted)
    fields = issuable_fields.resolve_fields(ctx, project, attributes, Ability.READ_ISSUES, issue.label_ids)
    plan = quick_actions.plan_commands(ctx, "issue", project, issue, commands, fields)
    changed = change_fields(ctx, issue, **{**fields, **plan.fields})
    _place(ctx, issue, chosen_epic)
    final = changed
    if event is not None:
        final = close(ctx, changed) if event == "close" else reopen(ctx, changed)
    if permitted:
        signals.issue_update_finished.send(ctx, issue, changed)
    result: Issue = plan.apply(ctx, final)
    return result


def _without_useless_severity(ctx: WriteContext, params: dict[str, Any], kind: Kind) -> dict[str, Any]:
    if "severity" not in params or kind == "incident":
        return params
    return ctx.ignore(params, {"severity"}, "only incidents have a severity")


def _choose_epic(
    ctx: WriteContext, project: Project, params: dict[str, Any]
) -> tuple[dict[str, Any], tuple[()] | tuple["Epic | None"]]:
    """Return the parameters without those that choose an epic, and the chosen one (None for no epic), if any."""
    sent = params.keys() & {"epic_id", "epic_iid"}
    if not sent:
        return params, ()
    if not isinstance(ctx.world.namespaces[project.namespace_id], Group):
        return ctx.ignore(params, sent, "projects outside of groups have no epics"), ()
    from fakeplat.domain.epics import epic_issues

    id_, iid = (params.get(name) for name in ("epic_id", "epic_iid"))
    chosen = None
    if id_:
        chosen = epic_issues.get_eligible(ctx, project, ctx.world.epics.get(id_))
    elif iid:
        chosen = epic_issues.get_by_iid(ctx, project, iid)
    return {name: value for name, value in params.items() if name not in sent}, (chosen,)


def _place(ctx: WriteContext, issue: Issue, chosen: tuple[()] | tuple["Epic | None"]) -> None:
    if chosen:
        from fakeplat.domain.epics import epic_issues

        epic_issues.place(ctx, issue, *chosen)


def update_fields(ctx: WriteContext, issue: Issue, **fields: Unpack[IssueChanges]) -> Issue:
    """Change fields of the record as an update of its own, which others are told of if it changes anything."""
    changed = change_fields(ctx, issue, **fields)
    if changed is not issue:
        signals.issue_update_finished.send(ctx, issue, changed)
    return changed


def change_fields(ctx: WriteContext, issue: Issue, **fields: Unpack[IssueChanges]) -> Issue:
    """Change fields of the record and record the differences, without permission checks."""
    dates: IssueChanges = {"start_date": issue.start_date, "due_date": issue.due_date, **fields}
    _validate_fields(**dates).refuse()
    changes = issuable_records.find_changes(ctx, issue, fields)
    if not changes:
        return issue
    updated_by_id = issue.updated_by_id if ctx.user is None else ctx.user.id
    if "description" in changes and ctx.user is not None:
        changes |= {"last_edited_at": ctx.now_iso, "last_edited_by_id": ctx.user.id}
    changed = ctx.world.issues.change(issue, updated_by_id=updated_by_id, **changes)
    issue_history.record_changed(ctx, issue, changed)
    signals.issue_fields_changed.send(ctx, issue, changed)
    return changed


def close(ctx: WriteContext, issue: Issue, by: User | None = None, **source: Unpack[EventSource]) -> Issue:
    """Close an issue, as the caller unless ``by`` names another user; no-op if it is closed.

    ``source``: the commit or the merge request that closes it.
    """
    if issue.state == "closed":
        return issue
    user, now = by or ctx.user, ctx.now_iso
    closed_by = user.id if user else None
    closed = ctx.world.issues.change(
        issue, state="closed", closed_at=now, closed_by_id=closed_by, updated_at=now, work_status=None
    )
    issue_history.record_closed(ctx, closed, user, **source)
    signals.issue_closed.send(ctx, closed)
    signals.issue_state_changed.send(ctx, issue, closed, user)
    return closed


def mark_duplicate(ctx: WriteContext, issue: Issue, canonical: Issue) -> Issue:
    """Close an issue as a duplicate of another one."""
    return ctx.world.issues.change(close(ctx, issue), duplicated_to_id=canonical.id)


def reopen(ctx: WriteContext, issue: Issue) -> Issue:
    """Reopen an issue, which is then no longer moved, promoted or a duplicate; no-op if it is open."""
    if issue.state == "opened":
        return issue
    reopened = ctx.world.issues.change(
        issue,
        state="opened",
        closed_at=None,
        closed_by_id=None,
        moved_to_id=None,
        duplicated_to_id=None,
        promoted_to_epic_id=None,
        updated_at=ctx.now_iso,
        work_status=None,
    )
    issue_history.record_reopened(ctx, reopened)
    signals.issue_state_changed.send(ctx, issue, reopened, ctx.user)
    return reopened


def adopt_references(ctx: WriteContext, project: Project) -> None:
    """Replace labels and milestones of groups that a moved project left by copies in the project, matched by title."""
    world = ctx.world
    available = {milestone.id for milestone in milestones.list_available(world, project)}
    for id_ in list(iterate_bits(world.issues.bits("facts", ("project", project.id)))):
        issue = world.issues[id_]
        label_ids = (labels.project_copy(ctx, project, world.labels[label_id]).id for label_id in issue.label_ids)
        milestone_id = issue.milestone_id
        if milestone_id is not None and milestone_id not in available:
            milestone_id = milestones.get_or_create_copy(ctx, project, world.milestones[milestone_id]).id
        world.issues.change(issue, label_ids=tuple(dict.fromkeys(label_ids)), milestone_id=milestone_id)


def moved_to(world: World, issue: Issue) -> Issue | None:
    """Return the issue that an issue was moved to; None if it was not moved or the copy was deleted."""
    return None if issue.moved_to_id is None else world.issues.get(issue.moved_to_id)


def count_tasks(description: str | None) -> tuple[int, int]:
    """Return the number of tasks in a text, and how many of them are completed."""
    tasks = _TASK.findall(description or "")
    return len(tasks), sum(mark != " " for mark, _ in tasks)


def list_ticked_tasks(before: str, after: str) -> Iterator[tuple[str, bool]]:
    """Yield the tasks that were ticked or unticked, with their new state; they have the same index in both texts."""
    for (old_mark, old_text), (mark, text) in zip(_TASK.findall(before), _TASK.findall(after), strict=False):
        # A task whose text changed as well is another task.
        if old_text == text and (old_mark != " ") != (mark != " "):
            yield text.strip(), mark != " "


def list_issues(world: World, project: Project) -> Iterator[Issue]:
    """Yield the issues of a project, whether or not the caller can see them."""
    return (world.issues[id_] for id_ in iterate_bits(world.issues.bits("facts", ("project", project.id))))


def open_count(world: World, project: Project) -> int:
    """Return the number of open issues of a project that are not confidential."""
    bits = world.issues.bits
    open_issues = bits("facts", ("project", project.id)) & bits("facts", ("state", "opened"))
    return (open_issues & ~bits("facts", ("confidential", True))).bit_count()


def format_duration(world: World, seconds: int) -> str | None:
    """Format seconds as a duration of work: ``1mo 2w 3d 4h 5m``, with 8 hours a day and 5 days a week; None for 0.

    The largest unit is hours if the settings say so.
    """
    if seconds == 0:
        return None
    remaining, parts = abs(seconds), []
    # A month has 4 weeks: 4 * 5 * 8 hours are 576,000 seconds.
    units = (("mo", 576_000), ("w", 144_000), ("d", 28_800), ("h", 3_600), ("m", 60), ("s", 1))
    for unit, size in units[3:] if world.settings.time_tracking_limit_to_hours else units:
        number, remaining = divmod(remaining, size)
        if number:
            parts.append(f"{number}{unit}")
    return ("-" if seconds < 0 else "") + " ".join(parts)
