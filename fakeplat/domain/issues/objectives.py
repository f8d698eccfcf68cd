"""Objectives and key results, and how far they have come. Source: docs/platform/work-items.md ('Objectives')."""

from typing import Final

from fakeplat.domain.issues.work_items import OBJECTIVE, type_of
from fakeplat.domain.notes import system_notes
from fakeplat.domain.people import bots
from fakeplat.domain.purging import purge
from fakeplat.domain.validation import ValidationErrors
from fakeplat.model.issues import Issue, Progress
from fakeplat.model.people import User
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext

_WHOLE: Final = 100
_SAME_VALUES: Final = "cannot be same as end value"


def find_progress(world: World, issue: Issue) -> Progress | None:
    """Return how far an objective or key result has come, None if nobody ever said it."""
    return world.work_item_progresses.find("issue", issue.id)


def set_values(
    ctx: WriteContext, issue: Issue, current: int, start: int | None = None, end: int | None = None
) -> Progress:
    """Set the values from which the percents follow, or refuse with 400; objectives above have the average."""
    before = _get_or_create(ctx, issue)
    first = before.start_value if start is None else start
    last = before.end_value if end is None else end
    errors = ValidationErrors()
    errors.when(first == last, "start_value", _SAME_VALUES)
    errors.refuse()
    percents = compute_percents(first, current, last)
    now = ctx.now_iso
    after = ctx.world.work_item_progresses.change(
        before, progress=percents, start_value=first, current_value=current, end_value=last, updated_at=now
    )
    ctx.world.issues.change(ctx.world.issues[issue.id], updated_at=now)
    if after.progress != before.progress:
        _record_change(ctx, issue, after.progress, ctx.signed_in_user)
    return after


def set_percents(ctx: WriteContext, issue: Issue, percents: int) -> Progress:
    """Set the percents themselves, as older releases do, or refuse with 400."""
    errors = ValidationErrors()
    errors.when(percents < 0, "progress", "must be greater than or equal to 0")
    errors.when(percents > _WHOLE, "progress", f"must be less than or equal to {_WHOLE}")
    errors.refuse()
    # They are the value of today between those that progress has by default.
    return set_values(ctx, issue, percents, 0, _WHOLE)


def _get_or_create(ctx: WriteContext, issue: Issue) -> Progress:
    table, now = ctx.world.work_item_progresses, ctx.now_iso
    return find_progress(ctx.world, issue) or table.add(Progress(table.next_id(), issue.id, now, now))


def remove_progress(ctx: WriteContext, issue: Issue) -> None:
    """Remove the progress of an issue that got another type."""
    progress = find_progress(ctx.world, issue)
    if progress is not None:
        purge(ctx, progress)
        body = f"removed the progress **{progress.progress}%**"
        system_notes.write(ctx, ("issue", issue.id), ctx.signed_in_user, body)


def compute_percents(start: int, current: int, end: int) -> int:
    """Return how much of the way from one value to another is done, from 0 to 100."""
    way = (current - start) / (end - start)
    # Half a percent is rounded up, unlike in Python.
    return int(min(max(way, 0), 1) * _WHOLE + 0.5)


def _record_change(ctx: WriteContext, issue: Issue, percents: int, user: User) -> None:
    """Tell of new percents, and pass them on to the objective above."""
    system_notes.write(ctx, ("issue", issue.id), user, f"changed progress to **{percents}%**")
    above = ctx.world.issues.get(issue.parent_issue_id or 0)
    if above is not None and type_of(above).kind == OBJECTIVE:
        _roll_up(ctx, above)


def _roll_up(ctx: WriteContext, objective: Issue) -> None:
    children = list(ctx.world.issues.where("parent", objective.id))
    known = (find_progress(ctx.world, child) for child in children)
    average = sum(progress.progress for progress in known if progress is not None) // len(children)
    before = _get_or_create(ctx, objective)
    if average != before.progress:
        ctx.world.work_item_progresses.change(before, progress=average, updated_at=ctx.now_iso)
        _record_change(ctx, objective, average, bots.get_or_create_bot(ctx, "automation_bot"))
