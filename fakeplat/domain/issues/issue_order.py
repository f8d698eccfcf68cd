"""Manual ordering of a project's issues. Source: docs/platform/issues.md ('Write ops')."""

from collections.abc import Iterable
from typing import Final

from fakeplat.core.operations.errors import Unprocessable
from fakeplat.core.store.bitsets import iterate_bits
from fakeplat.domain import signals
from fakeplat.domain.issues.issue_access import is_visible
from fakeplat.domain.issues.issue_links import is_readable
from fakeplat.domain.issues.issues import POSITION_STEP
from fakeplat.domain.planning.labels import groups_above
from fakeplat.model.issues import Issue
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.behaviours import ISSUES_ARE_SORTED_ACROSS_PROJECTS
from fakeplat.policy.context import ReadContext, WriteContext

_LAST: Final = float("inf")


def reorder(ctx: WriteContext, issue: Issue, before_id: int | None, after_id: int | None) -> Issue:
    """Move an issue between two others of its project, later also of its root group; one of the two is enough.

    ``before_id`` is the id of the issue that comes before it. 422 if one of them is not another such issue that the
    caller can see.
    """
    neighbours = [_get_neighbour(ctx, issue, id_) for id_ in dict.fromkeys((before_id, after_id)) if id_]
    if not neighbours:
        raise _unprocessable("neither move_after_id nor move_before_id has a value")
    position = _find_position(ctx.world, issue, neighbours, behind=bool(before_id))
    if position is None:
        # Positions are integers, so repeated moves to the same spot use up the gap.
        _spread_positions(ctx, {each.project_id for each in (issue, *neighbours)})
        neighbours = [ctx.world.issues[neighbour.id] for neighbour in neighbours]
        position = _find_position(ctx.world, issue, neighbours, behind=bool(before_id))
    before = ctx.world.issues[issue.id]
    moved = ctx.world.issues.change(before, relative_position=position, updated_at=ctx.now_iso)
    signals.issue_update_finished.send(ctx, before, moved)
    return moved


def _get_neighbour(ctx: WriteContext, issue: Issue, id_: int) -> Issue:
    neighbour = ctx.world.issues.get(id_)
    if neighbour is None or neighbour.id == issue.id or not _may_stand_by(ctx, issue, neighbour):
        raise _unprocessable(f"{id_} is not the id of another issue that the caller can see nearby")
    return neighbour


def _may_stand_by(ctx: ReadContext, issue: Issue, neighbour: Issue) -> bool:
    """Return whether the caller sees an issue of the same project, later also of the same root group."""
    project, other = (ctx.world.projects[each.project_id] for each in (issue, neighbour))
    if project is other:
        return is_visible(ctx, neighbour, other)
    return (
        ctx.profile.has(ISSUES_ARE_SORTED_ACROSS_PROJECTS)
        and _root_group(ctx.world, project) == _root_group(ctx.world, other) is not None
        and is_readable(ctx, neighbour)
    )


def _root_group(world: World, project: Project) -> int | None:
    groups = [*groups_above(world, project)]
    return groups[-1].id if groups else None


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


def _spread_positions(ctx: WriteContext, project_ids: Iterable[int]) -> None:
    """Renumber all issues of some projects in their current order, with gaps between the positions."""
    table = ctx.world.issues
    ids = (id_ for each in project_ids for id_ in iterate_bits(table.bits("facts", ("project", each))))
    issues = [table[id_] for id_ in ids]
    for number, issue in enumerate(sorted(issues, key=_position_key), 1):
        table.change(issue, relative_position=number * POSITION_STEP)


def _position_key(issue: Issue) -> tuple[float, int]:
    return (_LAST if issue.relative_position is None else issue.relative_position, issue.id)
