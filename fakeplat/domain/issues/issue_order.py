"""The order that people give to a project's issues by hand. Source: docs/platform/issues.md ('Write ops')."""

from typing import Final

from fakeplat.core.operations.errors import Unprocessable
from fakeplat.core.store.bitsets import iterate_bits
from fakeplat.domain.issues.issue_access import is_visible
from fakeplat.domain.issues.issues import POSITION_STEP
from fakeplat.model.issues import Issue
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext

_LAST: Final = float("inf")


def reorder(ctx: WriteContext, issue: Issue, before_id: int | None, after_id: int | None) -> Issue:
    """Put an issue right behind one and before another of its project; one of the two is enough.

    ``before_id`` is the id of the issue that comes before it. 422 where one of them is no other issue of the project
    that the caller sees.
    """
    around = [_neighbour(ctx, issue, id_) for id_ in dict.fromkeys((before_id, after_id)) if id_]
    if not around:
        raise _refused("neither move_after_id nor move_before_id says where to")
    position = _room(ctx.world, issue, around, behind=bool(before_id))
    if position is None:
        _spread(ctx, issue.project_id)
        around = [ctx.world.issues[one.id] for one in around]
        position = _room(ctx.world, issue, around, behind=bool(before_id))
    moved = ctx.world.issues.change(ctx.world.issues[issue.id], relative_position=position, updated_at=ctx.now_iso)
    ctx.emit("issue_reordered", moved)
    return moved


def _neighbour(ctx: WriteContext, issue: Issue, id_: int) -> Issue:
    found = ctx.world.issues.get(id_)
    near = found is not None and found.project_id == issue.project_id and found.id != issue.id
    if found is None or not near or not is_visible(ctx, found, ctx.world.projects[issue.project_id]):
        raise _refused(f"{id_} is the id of no other issue of the project that the caller sees")
    return found


def _refused(reason: str) -> Unprocessable:
    return Unprocessable({"error": "Unprocessable Entity"}, reason=reason)


def _room(world: World, issue: Issue, around: list[Issue], *, behind: bool) -> int | None:
    """A position between the neighbours, None where there is no room."""
    if any(one.relative_position is None for one in around):
        return None
    placed = [
        position for position, id_ in world.issues.sorted("relative_position", issue.project_id) if id_ != issue.id
    ]
    given = sorted(one.relative_position or 0 for one in around)
    if len(given) == 2:
        low, high = given
    elif behind:
        low = given[0]
        high = min((at for at in placed if at > low), default=low + 2 * POSITION_STEP)
    else:
        high = given[0]
        low = max((at for at in placed if at < high), default=high - 2 * POSITION_STEP)
    middle = (low + high) // 2
    return middle if low < middle < high else None


def _spread(ctx: WriteContext, project_id: int) -> None:
    """Give all issues of a project positions with room between them, in the order that they have."""
    issues = [ctx.world.issues[id_] for id_ in iterate_bits(ctx.world.issues.bits("facts", ("project", project_id)))]
    for number, issue in enumerate(sorted(issues, key=_place), 1):
        ctx.world.issues.change(issue, relative_position=number * POSITION_STEP)


def _place(issue: Issue) -> tuple[float, int]:
    return (_LAST if issue.relative_position is None else issue.relative_position, issue.id)
