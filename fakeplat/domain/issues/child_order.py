"""The order of the work items below another one. Source: docs/platform/work-items.md ('Order of children')."""

from typing import Final

from fakeplat.core.operations.errors import BadRequest
from fakeplat.domain.epics import epic_access, epic_issues, positions
from fakeplat.domain.issues import issue_access, work_items
from fakeplat.domain.issues.work_items import WorkItem
from fakeplat.model.epics import Epic
from fakeplat.policy.context import ReadContext, WriteContext

_NOT_FOUND: Final = "No matching work item found. Make sure that you are adding a valid work item ID."


def reorder(
    ctx: WriteContext, item: WorkItem, parent: WorkItem | None, neighbour: WorkItem | None, *, is_after: bool = False
) -> None:
    """Put a work item below another one, before or after a neighbour there, as the caller; 400 if they may not do so.

    Without a neighbour it becomes the first, if it was not below that one before.
    """
    if parent is None or not (_may_arrange(ctx, item) and _may_arrange(ctx, parent)):
        raise BadRequest(_NOT_FOUND)
    before = work_items.find_parent(ctx, item)
    if before is None or before.id != parent.id:
        work_items.set_parent(ctx, item, parent)
    if neighbour is not None and neighbour.id != item.id:
        _place(ctx, item, parent, neighbour, is_after=is_after)


def _may_arrange(ctx: ReadContext, item: WorkItem) -> bool:
    if isinstance(item, Epic):
        return epic_access.decide_on(ctx, item, epic_access.linking_ability(ctx)).allowed
    return issue_access.decide_on_links(ctx, ctx.world.projects[item.project_id]).allowed


def _place(ctx: WriteContext, item: WorkItem, parent: WorkItem, neighbour: WorkItem, *, is_after: bool) -> None:
    others = [child for child in work_items.list_all_children(ctx.world, parent) if child.id != item.id]
    index = [child.id for child in others].index(neighbour.id) + is_after
    position = positions.find_gap([work_items.find_position(ctx.world, child) for child in others], index)
    if position is not None:
        _set_position(ctx, item, position)
        return
    for number, child in enumerate([*others[:index], item, *others[index:]], 1):
        _set_position(ctx, child, number * positions.STEP)


def _set_position(ctx: WriteContext, child: WorkItem, position: int) -> None:
    world = ctx.world
    if isinstance(child, Epic):
        world.epics.change(world.epics[child.id], relative_position=position)
        return
    link = epic_issues.find_link(world, child)
    if link is None:
        world.issues.change(world.issues[child.id], child_position=position)
    else:
        world.epic_issues.change(link, relative_position=position)
