"""Changes of several work items at once, and their order. Source: docs/platform/work-items.md."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypedDict, Unpack

from graphql import GraphQLError

from fakeplat.core.operations.errors import Refusal
from fakeplat.domain.issuables.issuable_records import StateEvent
from fakeplat.domain.issues import issue_moves, issue_order, work_items
from fakeplat.domain.issues.work_items import WorkItem
from fakeplat.domain.notes import noteables
from fakeplat.domain.people.namespaces import find_project_by_path, list_descendants
from fakeplat.graphql.errors import MutationFailed, ResourceNotAvailable
from fakeplat.graphql.ids import parse_id
from fakeplat.graphql.issues import work_item_changes
from fakeplat.graphql.issues.work_item_widgets import widgets
from fakeplat.graphql.lookups import find_container, find_namespace, find_visible_project, require_parent
from fakeplat.graphql.schema_builder import Enumeration, Scalar, mutation
from fakeplat.model.issues import Issue
from fakeplat.model.people import Group, Namespace
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import caller_name, can
from fakeplat.policy.context import ReadContext, WriteContext

Payload = Mapping[str, Any]
_MOST: Final = 100
Scalar("WorkItemsParentID", "The global ID of a project or group with work items.", since="17.4", until="<=18.9")
Enumeration(
    "WorkItemSubscriptionEvent",
    "A change of the caller's subscription.",
    {"SUBSCRIBE": ("subscribe", "Subscribe to it."), "UNSUBSCRIBE": ("unsubscribe", "Unsubscribe from it.")},
    since="18.2",
)


class BulkChanges(TypedDict, total=False):
    """What changes in all work items."""

    confidential: bool | None
    state_event: StateEvent | None
    subscription_event: str | None
    assignees_widget: Mapping[str, Any] | None
    milestone_widget: Mapping[str, Any] | None
    labels_widget: Mapping[str, Any] | None
    hierarchy_widget: Mapping[str, Any] | None


@mutation(
    "workItemBulkUpdate",
    input_fields='''
"""The IDs of at most 100 work items; those that the caller may not change are left out."""
ids: [WorkItemID!]!
"""The ID of the project or group; fullPath replaces it."""
parentId: WorkItemsParentID @lifetime(until: "<=18.9")
"""The full path of the project, or on paid tiers of the group."""
fullPath: ID @lifetime(since: "18.2", until: "<=18.9")
"""The full path of the project, or on paid tiers of the group."""
fullPath: ID! @lifetime(since: "<=18.9")
"""The labels."""
labelsWidget: WorkItemWidgetLabelsUpdateInput
"""The assignees."""
assigneesWidget: WorkItemWidgetAssigneesInput @lifetime(since: "18.2")
"""The milestone."""
milestoneWidget: WorkItemWidgetMilestoneInput @lifetime(since: "18.2")
"""The parent."""
hierarchyWidget: WorkItemWidgetHierarchyCreateInput @lifetime(since: "18.2")
"""Whether they are confidential."""
confidential: Boolean @lifetime(since: "18.2")
"""Whether to close or reopen them."""
stateEvent: WorkItemStateEvent @lifetime(since: "18.2")
"""Whether the caller subscribes to them."""
subscriptionEvent: WorkItemSubscriptionEvent @lifetime(since: "18.2")
''',
    payload_fields='"""How many work items were changed."""\nupdatedWorkItemCount: Int',
    since="17.4",
)
def update_work_items(
    ctx: WriteContext,
    ids: Sequence[str],
    parent_id: str | None = None,
    full_path: str | None = None,
    **changes: Unpack[BulkChanges],
) -> Payload:
    """Change several work items of a project or group."""
    if len(ids) > _MOST:
        raise GraphQLError(f"No more than {_MOST} work items can be updated at the same time")
    if (parent_id is None) == (full_path is None):
        raise GraphQLError("One and only one of [fullPath, parentId] arguments is required.")
    container = _require_container(ctx, parent_id, full_path)
    chosen = [_find_within(ctx, container, parse_id(ctx, text, "WorkItem", "Issue")) for text in dict.fromkeys(ids)]
    given = {name: value for name, value in changes.items() if value is not None}
    updated = 0
    for item in chosen:
        applicable = {} if item is None else _select_applicable(ctx, item, given)
        if item is not None and applicable:
            # A work item that refuses the changes stays as it was and is not counted.
            with ctx.attempt():
                work_item_changes.apply_changes(ctx, item, applicable)
                updated += 1
    return {"updated_work_item_count": updated}


def _require_container(ctx: ReadContext, parent_id: str | None, full_path: str | None) -> Project | Group:
    if full_path is not None:
        found = find_visible_project(ctx, full_path) or find_namespace(ctx, full_path)
    else:
        found = find_container(ctx, parent_id or "", "WorkItems::Parent")
    return require_parent(ctx, found, full_path or parent_id or "")


def _find_within(ctx: ReadContext, container: Project | Namespace, id_: int) -> WorkItem | None:
    """Return a work item of a project, or of a group and those below it, that the caller may change."""
    item = work_items.find_item(ctx, id_)
    if item is None or not noteables.can_update(ctx, item).allowed:
        return None
    own = noteables.container_of(ctx.world, item)
    if own.id == container.id:
        return item
    group_id = own.namespace_id if isinstance(own, Project) else own.id
    groups = [container, *list_descendants(ctx.world, container)] if isinstance(container, Group) else []
    return item if any(group.id == group_id for group in groups) else None


def _select_applicable(ctx: ReadContext, item: WorkItem, changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the changes of attributes, and of those widgets that the type of a work item has."""
    kinds = {f"{widget.kind.lower()}_widget" for widget in widgets(ctx, item)}
    return {name: value for name, value in changes.items() if not name.endswith("_widget") or name in kinds}


@mutation(
    "workItemsReorder",
    input_fields='''
"""The ID of the work item."""
id: WorkItemID!
"""The ID of the work item that comes before it."""
moveBeforeId: WorkItemID
"""The ID of the work item that comes after it."""
moveAfterId: WorkItemID
''',
    payload_fields='"""The work item."""\nworkItem: WorkItem',
    since="18.3",
)
def reorder_work_item(
    ctx: WriteContext, id: str, move_before_id: str | None = None, move_after_id: str | None = None
) -> Payload:
    """Move a work item between two others of its project."""
    if move_before_id is None and move_after_id is None:
        raise GraphQLError("At least one of move_before_id and move_after_id are required")
    item = work_items.find_item(ctx, parse_id(ctx, id, "WorkItem", "Issue"))
    if not isinstance(item, Issue) or not noteables.can_update(ctx, item).allowed:
        raise ResourceNotAvailable(lambda: f"{caller_name(ctx)} may not change {id}")
    before, after = (
        None if text is None else parse_id(ctx, text, "WorkItem", "Issue") for text in (move_before_id, move_after_id)
    )
    try:
        return {"work_item": issue_order.reorder(ctx, item, before, after)}
    except Refusal as refusal:
        raise MutationFailed(["Work item not found"], {"work_item": item}) from refusal


_MOVABLE: Final = ("issue", "incident")
_NO_TARGET: Final = "Cannot find target namespace."
_NO_USERS: Final = "User namespaces are not supported as target namespaces."
_NO_GROUPS: Final = "Cannot move work items from projects to groups."
_NO_RIGHT: Final = "You do not have permission to move items to this namespace."


@mutation(
    "workItemBulkMove",
    input_fields='''
"""The global IDs of at most 100 work items; those that the caller may not move are left out."""
ids: [WorkItemID!]!
"""The full path of the project or group in which they are."""
sourceFullPath: String!
"""The full path of the project or group to which they are moved."""
targetFullPath: String!
''',
    payload_fields='"""How many work items were moved."""\nmovedWorkItemCount: Int',
    since="18.2",
)
def move_work_items(ctx: WriteContext, ids: Sequence[str], source_full_path: str, target_full_path: str) -> Payload:
    """Move several work items of a project or group to a project."""
    if len(ids) > _MOST:
        raise GraphQLError(f"No more than {_MOST} work items can be moved at the same time")
    source, target = (_find_by_path(ctx, path) for path in (source_full_path, target_full_path))
    if target is None:
        raise GraphQLError(_NO_TARGET)
    refusal = _explain_refused_move(ctx, source, target)
    if refusal:
        raise MutationFailed([refusal], {"moved_work_item_count": None})
    moved = 0
    for text in dict.fromkeys(ids):
        item = _find_within(ctx, source, parse_id(ctx, text, "WorkItem", "Issue")) if source is not None else None
        if isinstance(item, Issue) and isinstance(target, Project) and item.kind in _MOVABLE:
            with ctx.attempt():
                issue_moves.move(ctx, ctx.world.projects[item.project_id], item, target)
                moved += 1
    return {"moved_work_item_count": moved}


def _find_by_path(ctx: ReadContext, full_path: str) -> Project | Namespace | None:
    return find_project_by_path(ctx.world, full_path) or find_namespace(ctx, full_path)


def _explain_refused_move(ctx: ReadContext, source: Project | Namespace | None, target: Project | Namespace) -> str:
    if not isinstance(target, Project | Group):
        return _NO_USERS
    if isinstance(target, Group):
        if isinstance(source, Project):
            return _NO_GROUPS
        return "" if can(ctx, Ability.ADMIN_EPIC, target) else _NO_RIGHT
    return "" if can(ctx, Ability.CREATE_ISSUE, target) else _NO_RIGHT
