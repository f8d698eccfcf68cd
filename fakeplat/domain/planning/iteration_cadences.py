"""Cadences of iterations: sequences whose iterations are planned ahead, by users or by themselves.

An automatic cadence plans at midnight: iterations to come follow each other from the day of the week of its start, so
that the wanted number of them is ahead, and what is open in an iteration that ended moves to the next one.
Source: docs/platform/iterations.md.
"""

from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from typing import Any, Final, TypedDict, Unpack

from attrs import evolve

from fakeplat.core.store.bitsets import iterate_bits
from fakeplat.core.store.references import Subject
from fakeplat.core.store.scheduler import ScheduledTask, task_handler
from fakeplat.core.timestamps import add_days, from_iso
from fakeplat.domain.people import bots
from fakeplat.domain.planning import iterations
from fakeplat.domain.purging import purge
from fakeplat.domain.validation import BLANK, ValidationErrors, too_long
from fakeplat.model.people import Group
from fakeplat.model.planning import Iteration, IterationCadence, IterationEvent
from fakeplat.model.world import World
from fakeplat.policy.behaviours import ITERATIONS_HAVE_CADENCES
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.levels import ancestors_of

_PLAN: Final = "plan_iterations"
_NOT_INCLUDED: Final = "is not included in the list"
_START: Final = "The automation start date must come after the {} iteration {}."
_RETROACTIVE: Final = (
    "The automation start date would retroactively create a past iteration. {} is the earliest possible start date."
)
_LONGEST_DESCRIPTION: Final = 5000
_DURATIONS: Final = range(5)
_ADVANCES: Final = range(11)
_SCHEDULE: Final = ("start_date", "duration_in_weeks", "iterations_in_advance")


class CadenceFields(TypedDict, total=False):
    """The fields of a new cadence, or changes of one."""

    title: str
    description: str | None
    automatic: bool
    active: bool
    start_date: str | None
    duration_in_weeks: int | None
    iterations_in_advance: int | None
    roll_over: bool
    created_at: str
    updated_at: str


class CadenceFilter(TypedDict, total=False):
    """Which cadences to list."""

    id: int | None
    title: str | None
    duration_in_weeks: int | None
    automatic: bool | None
    active: bool | None
    include_ancestor_groups: bool | None


def list_own(world: World, group: Group) -> Sequence[IterationCadence]:
    """Return the cadences of a group itself."""
    return list(world.iteration_cadences.where("group", group.id))


def list_cadences(world: World, group: Group, **wanted: Unpack[CadenceFilter]) -> Sequence[IterationCadence]:
    """Return the cadences of a group, with those above if that is wanted, by title."""
    groups = [*ancestors_of(world, group)] if wanted.get("include_ancestor_groups") else [group]
    text = (wanted.get("title") or "").lower()
    exact = {name: wanted.get(name) for name in ("id", "duration_in_weeks", "automatic", "active")}
    found = [
        cadence
        for each in groups
        for cadence in world.iteration_cadences.where("group", each.id)
        if text in cadence.title.lower()
        and all(value is None or value == getattr(cadence, name) for name, value in exact.items())
    ]
    return sorted(found, key=lambda cadence: (cadence.title, cadence.id))


def create(
    ctx: WriteContext, group: Group, *, imported: bool = False, **fields: Unpack[CadenceFields]
) -> IterationCadence:
    """Create a cadence; an imported one may begin in the past, because its iterations follow."""
    times = {"created_at": ctx.now_iso, "updated_at": fields.get("created_at", ctx.now_iso)}
    values: dict[str, Any] = {"title": "", **times, **fields}
    table = ctx.world.iteration_cadences
    cadence = _without_schedule(IterationCadence(id=table.next_id(), group_id=group.id, **values))
    _list_errors(ctx, cadence, cadence if imported else None).refuse()
    return _plan_at_once(ctx, table.add(cadence))


def update(ctx: WriteContext, cadence: IterationCadence, **changes: Unpack[CadenceFields]) -> IterationCadence:
    """Change a cadence; one that is no longer automatic loses its schedule, but for the first day."""
    changed = evolve(cadence, **changes)
    if cadence.automatic:
        changed = _without_schedule(changed)
    _list_errors(ctx, changed, cadence).refuse()
    if changed != cadence:
        changed = ctx.world.iteration_cadences.replace(cadence, evolve(changed, updated_at=ctx.now_iso))
    if any(getattr(changed, name) != getattr(cadence, name) for name in _SCHEDULE):
        return _plan_at_once(ctx, changed)
    _schedule_next(ctx, changed)
    return changed


def delete(ctx: WriteContext, cadence: IterationCadence) -> None:
    """Delete a cadence with its iterations."""
    ctx.cancel_tasks(_subject(cadence))
    purge(ctx, cadence)


def find_or_create_default(ctx: WriteContext, group: Group, start_date: str | None) -> IterationCadence | None:
    """Return the cadence of iterations that name none: the oldest one that is not automatic, or a new one."""
    if not ctx.profile.has(ITERATIONS_HAVE_CADENCES):
        return None
    manual = next((cadence for cadence in list_own(ctx.world, group) if not cadence.automatic), None)
    if manual is not None:
        return manual
    table, now = ctx.world.iteration_cadences, ctx.now_iso
    return table.add(
        IterationCadence(
            id=table.next_id(),
            group_id=group.id,
            title=f"{group.name} Iterations",
            created_at=now,
            updated_at=now,
            start_date=start_date or ctx.today,
            duration_in_weeks=2,
            iterations_in_advance=2,
        )
    )


def _without_schedule(cadence: IterationCadence) -> IterationCadence:
    if cadence.automatic:
        return cadence
    return evolve(cadence, duration_in_weeks=None, iterations_in_advance=None, roll_over=False)


def _list_errors(ctx: ReadContext, cadence: IterationCadence, before: IterationCadence | None) -> ValidationErrors:
    errors, duration, advance = ValidationErrors(), cadence.duration_in_weeks, cadence.iterations_in_advance
    errors.when(not (cadence.title or "").strip(), "title", BLANK)
    errors.when(cadence.automatic and not cadence.start_date, "start_date", BLANK)
    errors.when(duration is not None and duration not in _DURATIONS, "duration_in_weeks", _NOT_INCLUDED)
    errors.when(cadence.automatic and duration is None, "duration_in_weeks", BLANK)
    errors.when(advance is not None and advance not in _ADVANCES, "iterations_in_advance", _NOT_INCLUDED)
    errors.when(cadence.automatic and advance is None, "iterations_in_advance", BLANK)
    too_long(errors, "description", cadence.description, _LONGEST_DESCRIPTION)
    if cadence.automatic and cadence.start_date and duration is not None and _is_moved(cadence, before):
        error = _find_start_error(ctx, cadence, cadence.start_date, duration)
        errors.when(error, "base", str(error))
    return errors


def _is_moved(cadence: IterationCadence, before: IterationCadence | None) -> bool:
    moving = ("start_date", "duration_in_weeks", "automatic")
    return before is None or any(getattr(before, name) != getattr(cadence, name) for name in moving)


def _find_start_error(ctx: ReadContext, cadence: IterationCadence, start: str, duration: int) -> str | None:
    """Return what is wrong with the first day of an automatic cadence, None if nothing is."""
    current = _find_current(ctx, cadence)
    if current is not None:
        return _START.format("active", iterations.format_period(current)) if start <= current.due_date else None
    past = _list_past(ctx, cadence)
    if past and start <= past[-1].due_date:
        return _START.format("past", iterations.format_period(past[-1]))
    earliest = add_days(ctx.today, 1 - 7 * duration)
    return _RETROACTIVE.format(earliest) if start < earliest else None


# Planning


def _subject(cadence: IterationCadence) -> Subject:
    return ("iteration_cadences", cadence.id)


def _is_planning(cadence: IterationCadence) -> bool:
    return bool(cadence.active and cadence.automatic and cadence.duration_in_weeks and cadence.iterations_in_advance)


def _plan_at_once(ctx: WriteContext, cadence: IterationCadence) -> IterationCadence:
    """Let a cadence plan immediately after this request."""
    ctx.cancel_tasks(_subject(cadence), _PLAN)
    if _is_planning(cadence):
        ctx.schedule(_PLAN, _subject(cadence), ctx.now())
    return cadence


def _schedule_next(ctx: WriteContext, cadence: IterationCadence) -> None:
    """Let a cadence plan again when an iteration ends or begins."""
    ctx.cancel_tasks(_subject(cadence), _PLAN)
    own = iterations.list_by_date(ctx.world, cadence)
    days = [day for one in own for day in (one.start_date, add_days(one.due_date, 1)) if day > ctx.today]
    if _is_planning(cadence) and days:
        ctx.schedule(_PLAN, _subject(cadence), from_iso(f"{min(days)}T00:00:00.000Z"), recurring=True)


@task_handler(_PLAN)
def _plan(ctx: WriteContext, due: ScheduledTask) -> None:
    cadence = ctx.world.iteration_cadences[due.subject[1]]
    if not _is_planning(cadence):
        return
    for iteration, start in _list_moved(ctx, cadence):
        due_date = _due_date(cadence, start)
        if (iteration.start_date, iteration.due_date) != (start, due_date):
            ctx.world.iterations.change(iteration, start_date=start, due_date=due_date)
    group = ctx.world.namespaces[cadence.group_id]
    if isinstance(group, Group):
        for start in _list_missing(ctx, cadence):
            iterations.create(ctx, group, start_date=start, due_date=_due_date(cadence, start), cadence_id=cadence.id)
    if cadence.roll_over:
        _roll_over(ctx, cadence)
    _schedule_next(ctx, cadence)


def _list_moved(ctx: ReadContext, cadence: IterationCadence) -> Iterator[tuple[Iteration, str]]:
    """Yield the iterations to come with the days on which they begin by the schedule."""
    upcoming = [one for one in iterations.list_by_date(ctx.world, cadence) if one.start_date > ctx.today]
    start = _first_open_start(ctx, cadence) if upcoming else ""
    for iteration in upcoming:
        yield iteration, start
        start = add_days(start, _days(cadence))


def _first_open_start(ctx: ReadContext, cadence: IterationCadence) -> str:
    """Return the day on which the first iteration to come begins."""
    start, today = str(cadence.start_date), ctx.today
    if start > today:
        return start
    current = _find_current(ctx, cadence)
    if current is not None:
        return _next_start(cadence, current.due_date)
    past = _list_past(ctx, cadence)
    if not past:
        return start
    # As if iterations had followed each other from the last one on.
    first = _next_start(cadence, past[-1].due_date)
    if _due_date(cadence, first) < today:
        skipped = _days_between(first, today) // _days(cadence)
        return _next_start(cadence, add_days(first, skipped * _days(cadence) - 1))
    return first


def _list_missing(ctx: ReadContext, cadence: IterationCadence) -> Iterator[str]:
    """Yield the first days of the iterations that a cadence lacks."""
    own = iterations.list_by_date(ctx.world, cadence)
    start = _next_start(cadence, max(one.due_date for one in own)) if own else str(cadence.start_date)
    for _ in range(_count_missing(ctx, cadence, start)):
        yield start
        start = add_days(start, _days(cadence))


def _count_missing(ctx: ReadContext, cadence: IterationCadence, start: str) -> int:
    """Return how many iterations to create from a day on: those that are over, the current one, and those ahead."""
    advance, today = cadence.iterations_in_advance or 0, ctx.today
    if start <= today:
        return _days_between(start, today) // _days(cadence) + 1 + advance
    if start == cadence.start_date:
        return advance
    current = _find_current(ctx, cadence)
    last_day = current.due_date if current is not None else today
    return max(0, advance - (_days_between(last_day, start) - 1) // _days(cadence))


def _find_current(ctx: ReadContext, cadence: IterationCadence) -> Iteration | None:
    own = iterations.list_by_date(ctx.world, cadence)
    return next((one for one in own if one.start_date <= ctx.today <= one.due_date), None)


def _list_past(ctx: ReadContext, cadence: IterationCadence) -> list[Iteration]:
    return [one for one in iterations.list_by_date(ctx.world, cadence) if one.due_date < ctx.today]


def _roll_over(ctx: WriteContext, cadence: IterationCadence) -> None:
    """Move the open issues of the iteration that has just ended to the next one, in the name of the automation bot."""
    past, own = _list_past(ctx, cadence), iterations.list_by_date(ctx.world, cadence)
    ended = next((one for one in past if one.due_date == add_days(ctx.today, -1)), None)
    target = next((one for one in own if ended is not None and one.start_date >= ended.due_date), None)
    if ended is None or target is None or target.due_date <= ctx.today:
        return
    bot = bots.get_or_create_bot(ctx, "automation_bot")
    table = ctx.world.iteration_events
    for id_ in list(iterate_bits(ctx.world.issues.bits("facts", ("iteration", ended.id)))):
        issue = ctx.world.issues[id_]
        if issue.state == "opened":
            ctx.world.issues.change(issue, iteration_id=target.id, updated_at=ctx.now_iso)
            subject = ("issue", issue.id)
            table.add(IterationEvent(table.next_id(), subject, bot.id, ended.id, "remove", ctx.now_iso))
            table.add(IterationEvent(table.next_id(), subject, bot.id, target.id, "add", ctx.now_iso))


# Days


def _days(cadence: IterationCadence) -> int:
    return 7 * (cadence.duration_in_weeks or 0)


def _due_date(cadence: IterationCadence, start: str) -> str:
    return add_days(start, _days(cadence) - 1)


def _next_start(cadence: IterationCadence, day: str) -> str:
    """Return the next day of the cadence's day of the week after a day."""
    after = date.fromisoformat(day)
    weekday = date.fromisoformat(str(cadence.start_date)).weekday()
    return (after + timedelta((weekday - after.weekday() - 1) % 7 + 1)).isoformat()


def _days_between(first: str, second: str) -> int:
    return (date.fromisoformat(second) - date.fromisoformat(first)).days
