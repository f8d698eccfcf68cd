"""Links between work items, what is above and below them, and the order there. Source: docs/platform/work-items.md."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, cast

from graphql import GraphQLError

from fakeplat.core.operations.errors import BadRequest
from fakeplat.domain.issues import child_order, work_items
from fakeplat.domain.issues.work_items import WorkItem
from fakeplat.domain.notes import noteables
from fakeplat.domain.validation import join_words
from fakeplat.graphql.errors import MutationFailed, collect_errors
from fakeplat.graphql.issues.work_items import load_item, reload, require_item
from fakeplat.graphql.schema_builder import Enumeration, mutation
from fakeplat.policy.context import ReadContext, WriteContext

Payload = Mapping[str, Any]
_PLACES: Final = "<=16.2"
_GIVES: Final = '"""The work item."""\nworkItem: WorkItem'
_WHICH: Final = '"""The global ID of the work item."""\nid: WorkItemID!'
_MESSAGE: Final = f'{_GIVES}\n"""A text about what was done."""\nmessage: String'
Enumeration(
    "RelativePositionType",
    "The side of a neighbour in an order.",
    {"BEFORE": (False, "Before it."), "AFTER": (True, "After it.")},
    since=_PLACES,
)


# Places


def change_hierarchy(ctx: WriteContext, item: WorkItem, widget: Mapping[str, Any] | None) -> None:
    """Change what is above and below a work item."""
    if widget is None:
        return
    if widget.get("adjacent_work_item_id") is not None or widget.get("relative_position") is not None:
        _place_child(ctx, item, widget)
        return
    if "parent_id" in widget:
        parent_id = widget["parent_id"]
        parent = None if parent_id is None else load_item(ctx, "parentId", parent_id)
        work_items.set_parent(ctx, reload(ctx, item), parent)
    for child_id in widget.get("children_ids") or ():
        child = load_item(ctx, "childrenIds", child_id)
        noteables.authorize_update(ctx, child)
        work_items.set_parent(ctx, child, reload(ctx, item))


_NO_PLACE: Final = "Relative position is not valid."
_PLACE_AND_CHILDREN: Final = "Relative position cannot be combined with childrenIds."
_NOT_BELOW_NEW_PARENT: Final = "The adjacent work item's parent must match the new parent work item."
_NOT_BELOW_PARENT: Final = "The adjacent work item's parent must match the current parent work item."


def _place_child(ctx: WriteContext, item: WorkItem, widget: Mapping[str, Any]) -> None:
    neighbour_id, is_after = widget.get("adjacent_work_item_id"), widget.get("relative_position")
    if neighbour_id is None or is_after is None:
        raise BadRequest(_NO_PLACE)
    if "children_ids" in widget:
        raise BadRequest(_PLACE_AND_CHILDREN)
    neighbour = load_item(ctx, "adjacentWorkItemId", neighbour_id)
    new_id = widget.get("parent_id")
    parent = load_item(ctx, "parentId", new_id) if new_id is not None else work_items.find_parent(ctx, item)
    above = work_items.find_parent(ctx, neighbour)
    if (above and above.id) != (parent and parent.id):
        raise BadRequest(_NOT_BELOW_PARENT if new_id is None else _NOT_BELOW_NEW_PARENT)
    child_order.reorder(ctx, reload(ctx, item), parent, neighbour, is_after=is_after)


# Changes


@mutation(
    "workItemAddLinkedItems",
    input_fields=f'''{_WHICH}
"""The IDs of the work items to link."""
workItemsIds: [WorkItemID!]!
"""The type of the links."""
linkType: WorkItemRelatedLinkType = RELATED
''',
    payload_fields=_MESSAGE,
    since="16.3",
)
def add_linked_items(
    ctx: WriteContext, id: str, work_items_ids: Sequence[str], link_type: str | None = None
) -> Payload:
    """Link work items to another one."""
    item, others = require_item(ctx, id), _require_others(ctx, work_items_ids)
    with collect_errors(work_item=item):
        for other in others:
            work_items.link(ctx, item, other, cast(Any, link_type or "relates_to"))
    return {"work_item": reload(ctx, item), "message": f"Successfully linked ID(s): {_join(others)}."}


@mutation(
    "workItemRemoveLinkedItems",
    input_fields=f'{_WHICH}\n"""The IDs of the work items to unlink."""\nworkItemsIds: [WorkItemID!]!',
    payload_fields=_MESSAGE,
    since="16.3",
)
def remove_linked_items(ctx: WriteContext, id: str, work_items_ids: Sequence[str]) -> Payload:
    """Remove the links of work items to another one."""
    item, others = require_item(ctx, id), _require_others(ctx, work_items_ids)
    with collect_errors(work_item=item):
        removed = [other for other in others if work_items.unlink(ctx, item, other)]
    if not removed:
        raise MutationFailed([f"IDs with errors: {_join(others)}."], {"work_item": item})
    return {"work_item": reload(ctx, item), "message": f"Successfully unlinked IDs: {_join(removed)}."}


_MOST_LINKS: Final = 10


def _require_others(ctx: ReadContext, ids: Sequence[str]) -> list[WorkItem]:
    if len(ids) > _MOST_LINKS:
        raise GraphQLError(f"No more than {_MOST_LINKS} work items can be modified at the same time.")
    return [require_item(ctx, text) for text in ids]


def _join(items: Iterable[WorkItem]) -> str:
    return join_words([str(item.id) for item in items])


@mutation(
    "workItemHierarchyAddChildrenItems",
    input_fields=f'{_WHICH}\n"""The global IDs of the work items to put below it."""\nchildrenIds: [WorkItemID!]!',
    payload_fields='"""The work items that are below it now."""\naddedChildren: [WorkItem!]!',
    since="18.2",
)
def add_children(ctx: WriteContext, id: str, children_ids: Sequence[str]) -> Payload:
    """Put work items below another one."""
    item = require_item(ctx, id)
    noteables.authorize_update(ctx, item)
    with collect_errors(added_children=[]):
        change_hierarchy(ctx, item, {"children_ids": children_ids})
    return {"added_children": [reload(ctx, require_item(ctx, text)) for text in children_ids]}


@mutation(
    "workItemsHierarchyReorder",
    input_fields=f'''{_WHICH}
"""The global ID of the work item next to it."""
adjacentWorkItemId: WorkItemID
"""The global ID of the work item above it."""
parentId: WorkItemID
"""On which side of the neighbour it is put."""
relativePosition: RelativePositionType
''',
    payload_fields=f'''{_GIVES}
"""The work item next to it."""
adjacentWorkItem: WorkItem
"""The work item above it."""
parentWorkItem: WorkItem
''',
    since="17.3",
)
def reorder_children(
    ctx: WriteContext,
    id: str,
    adjacent_work_item_id: str | None = None,
    parent_id: str | None = None,
    relative_position: bool | None = None,
) -> Payload:
    """Put a work item next to another one, or below another one."""
    if (adjacent_work_item_id is None) is not (relative_position is None):
        raise GraphQLError("Both adjacentWorkItemId and relativePosition are required.")
    item = require_item(ctx, id)
    neighbour = require_item(ctx, adjacent_work_item_id) if adjacent_work_item_id is not None else None
    parent = require_item(ctx, parent_id) if parent_id is not None else work_items.find_parent(ctx, item)
    above = work_items.find_parent(ctx, neighbour) if neighbour is not None else parent
    if (above and above.id) != (parent and parent.id):
        raise GraphQLError("The adjacent work item's parent must match the moving work item's parent.")
    shown = {"work_item": item, "adjacent_work_item": neighbour, "parent_work_item": parent}
    with collect_errors(**shown):
        child_order.reorder(ctx, item, parent, neighbour, is_after=bool(relative_position))
    return {name: record if record is None else reload(ctx, record) for name, record in shown.items()}
