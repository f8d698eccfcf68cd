"""Manual ordering of a project's issues. Source: docs/platform/issues.md ('Write ops')."""

from typing import Final

from fakeplat.core.operations.errors import Unprocessable
from fakeplat.core.store.bitsets import iterate_bits
from fakeplat.domain import signals
from fakeplat.domain.issues.issue_access import is_visible
from fakeplat.domain.issues.issues import POSITION_STEP
from fakeplat.model.issues import Issue
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext

_LAST: Final = float("inf")


def reorder(ctx: WriteContext, issue: Issue, before_id: int | None, after_id: int | None) -> Issue:
    """Move an issue between two others of its project; one of the two is enough.

    ``before_id`` is the id of the issue that comes before it. 422 if one of them is not another issue of the project
    that the caller can see.
    """
    neighbours = [_get_neighbour(ctx, issue, id_) for id_ in dict.fromkeys((before_id, after_id)) if id_]
    if not neighbours:
        raise _unprocessable("neither move_after_id nor move_before_id has a value")
    position = _find_position(ctx.world, issue, neighbours, behind=bool(before_id))
    if position is None:
        # Positions are integers, so repeated moves to the same spot use up the gap.
        _spread_positions(ctx, issue.project_id)
        neighbours = [ctx.world.issues[neighbour.id] for neighbour in neighbours]
        position = _find_position(ctx.world, issue, neighbours, behind=bool(before_id))
    before = ctx.world.issues[issue.id]
    moved = ctx.world.issues.change(before, relative_position=position, updated_at=ctx.now_iso)
    signals.issue_update_finished.send(ctx, before, moved)
    return moved


def _get_neighbour(ctx: WriteContext, issue: Issue, id_: int) -> Issue:
    neighbour = ctx.world.issues.get(id_)
    is_other = neighbour is not None and neighbour.project_id == issue.project_id and neighbour.id != issue.id
    if neighbour is None or not is_other or not is_visible(ctx, neighbour, ctx.world.projects[issue.project_id]):
        raise _unprocessable(f"{id_} is not the id of another issue of the project that the caller can see")
    return neighbour


def _unprocessable(reason: str) -> Unprocessable:
    return Unprocessable({"error": "Unprocessable Entity"}, reason=reason)


def _find_position(world: World, issue: Issue, neighbours: list[Issue], *, behind: bool) -> int | None:
    """Return a position between the neighbours; None if there is no gap."""
    bounds = sorted(place for neighbour in neighbours if (place := neighbour.relative_position) is not None)
    if len(bounds) < len(neighbours):
        return None
    # The place that the issue leaves is free.
    taken = [
        position for position, id_ in world.issues.sorted("relative_position", issue.project_id) if id_ != issue.id
    ]
    if len(bounds) == 2:
        low, high = bounds
    elif behind:
        low = bounds[0]
        # Behind the last issue, the middle of two steps is a full step away.
        high = min((position for position in taken if position > low), default=low + 2 * POSITION_STEP)
    else:
        high = bounds[0]
        low = max((position for position in taken if position < high), default=high - 2 * POSITION_STEP)
    middle = (low + high) // 2
    return middle if low < middle < high else None


def _spread_positions(ctx: WriteContext, project_id: int) -> None:
    """Renumber all issues of a project in their current order, with gaps between the positions."""
    issues = [ctx.world.issues[id_] for id_ in iterate_bits(ctx.world.issues.bits("facts", ("project", project_id)))]
    for number, issue in enumerate(sorted(issues, key=_position_key), 1):
        ctx.world.issues.change(issue, relative_position=number * POSITION_STEP)


def _position_key(issue: Issue) -> tuple[float, int]:
    return (_LAST if issue.relative_position is None else issue.relative_position, issue.id)
