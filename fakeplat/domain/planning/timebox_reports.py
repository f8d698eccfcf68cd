"""Reports of milestones and iterations: how many issues they had on which day, and how many of these were closed.

Source: docs/platform/milestones.md ('Reports').
"""

from collections.abc import Collection, Iterator
from typing import Any, Final, NamedTuple

from attrs import evolve

from fakeplat.core.operations.errors import BadRequest
from fakeplat.core.store.bitsets import iterate_bits
from fakeplat.core.store.frozen import frozen
from fakeplat.core.timestamps import add_days
from fakeplat.model.issues import Issue
from fakeplat.model.planning import Iteration, Milestone
from fakeplat.model.world import World

Timebox = Milestone | Iteration
_TIMEBOX: Final = 0
_STATE: Final = 1
_WEIGHT: Final = 2


@frozen
class DailyTotals:
    """The issues of a timebox at the end of a day."""

    date: str
    scope_count: int = 0
    scope_weight: int = 0
    completed_count: int = 0
    completed_weight: int = 0


class _Change(NamedTuple):
    """What happened to an issue: another timebox (its id or None), another state or another weight."""

    at: str
    id: int
    issue_id: int
    kind: int
    value: int | str | None


class _Status(NamedTuple):
    """The timebox of an issue, its state and its weight."""

    timebox_id: int | None = None
    state: str = "opened"
    weight: int = 0


def build_series(world: World, timebox: Timebox, project_ids: Collection[int] | None = None) -> list[DailyTotals]:
    """Return the totals of each day on which they changed, as far as the timebox lasts; 400 without both dates.

    ``project_ids``: only issues of these projects count. What happened before the first day counts for that one.
    """
    if timebox.start_date is None or timebox.due_date is None:
        raise BadRequest(f"{type(timebox).__name__} must have a start and due date")
    end = add_days(timebox.due_date, 1)
    changes = sorted(
        change
        for issue in _list_issues(world, timebox)
        if project_ids is None or issue.project_id in project_ids
        for change in _list_changes(world, timebox, issue)
        if change.at < end
    )
    series: list[DailyTotals] = []
    statuses: dict[int, _Status] = {}
    for change in changes:
        before = statuses.get(change.issue_id, _Status())
        after = _apply(before, change)
        statuses[change.issue_id] = after
        _count(series, max(change.at[:10], timebox.start_date), timebox.id, before, after)
    return series


def _kind_of(timebox: Timebox) -> str:
    return "milestone" if isinstance(timebox, Milestone) else "iteration"


def _events_of(world: World, timebox: Timebox) -> Any:
    """Return the table of the events that gave issues such a timebox."""
    return getattr(world, f"{_kind_of(timebox)}_events")


def _list_issues(world: World, timebox: Timebox) -> Iterator[Issue]:
    """Yield the issues that are or were in a timebox."""
    kind = _kind_of(timebox)
    ids = {*iterate_bits(world.issues.bits("facts", (kind, timebox.id)))}
    subjects = (event.subject for event in _events_of(world, timebox).where(kind, timebox.id))
    ids |= {id_ for subject_kind, id_ in subjects if subject_kind == "issue"}
    yield from (issue for id_ in sorted(ids) if (issue := world.issues.get(id_)) is not None)


def _list_changes(world: World, timebox: Timebox, issue: Issue) -> Iterator[_Change]:
    """Yield the changes of an issue; what a scenario declares without events was so from the creation on."""
    subject, field = ("issue", issue.id), f"{_kind_of(timebox)}_id"
    moves = list(_events_of(world, timebox).where("subject", subject))
    for event in moves:
        added_id = getattr(event, field) if event.action == "add" else None
        yield _Change(event.created_at, event.id, issue.id, _TIMEBOX, added_id)
    if not moves or moves[0].action == "remove":
        declared_id = getattr(moves[0] if moves else issue, field)
        yield _Change(issue.created_at, 0, issue.id, _TIMEBOX, declared_id)
    states = list(world.state_events.where("subject", subject))
    yield from (_Change(event.created_at, event.id, issue.id, _STATE, event.state) for event in states)
    if states and states[0].state == "reopened":
        yield _Change(issue.created_at, 0, issue.id, _STATE, "closed")
    elif not states and issue.state == "closed":
        yield _Change(issue.closed_at or issue.updated_at, 0, issue.id, _STATE, "closed")
    weights = list(world.weight_events.where("subject", subject))
    yield from (_Change(event.created_at, event.id, issue.id, _WEIGHT, event.weight) for event in weights)
    if not weights and issue.weight is not None:
        yield _Change(issue.created_at, 0, issue.id, _WEIGHT, issue.weight)


def _apply(status: _Status, change: _Change) -> _Status:
    if isinstance(change.value, str):
        return status._replace(state=change.value)
    if change.kind == _TIMEBOX:
        return status._replace(timebox_id=change.value)
    return status._replace(weight=change.value or 0)


def _count(series: list[DailyTotals], day: str, timebox_id: int, before: _Status, after: _Status) -> None:
    """Add the difference between two statuses of an issue to the totals of a day."""
    lost, won = (_totals_of(day, timebox_id, status) for status in (before, after))
    if lost == won:
        return
    if not series or series[-1].date != day:
        series.append(evolve(series[-1], date=day) if series else DailyTotals(day))
    total = series[-1]
    series[-1] = DailyTotals(
        day,
        total.scope_count + won.scope_count - lost.scope_count,
        total.scope_weight + won.scope_weight - lost.scope_weight,
        total.completed_count + won.completed_count - lost.completed_count,
        total.completed_weight + won.completed_weight - lost.completed_weight,
    )


def _totals_of(day: str, timebox_id: int, status: _Status) -> DailyTotals:
    if status.timebox_id != timebox_id:
        return DailyTotals(day)
    is_closed = status.state == "closed"
    return DailyTotals(day, 1, status.weight, int(is_closed), status.weight if is_closed else 0)
