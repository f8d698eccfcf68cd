"""How users want to see lists of work items. Source: docs/platform/work-items.md ('Preferences')."""

from collections.abc import Mapping
from typing import Any, Final, TypedDict, Unpack

from fakeplat.core.operations.errors import InvalidRecord
from fakeplat.domain.issues import work_item_preferences, work_items
from fakeplat.domain.issues.work_items import WorkItemType
from fakeplat.domain.people import namespaces
from fakeplat.domain.people.members import container_of
from fakeplat.graphql.errors import ResourceNotAvailable, collect_errors
from fakeplat.graphql.ids import parse_id
from fakeplat.graphql.issues.work_item_lists import SORT
from fakeplat.graphql.issues.work_item_widgets import list_available_kinds
from fakeplat.graphql.lookups import find_namespace, find_visible_project
from fakeplat.graphql.people.users import CURRENT_USER
from fakeplat.graphql.schema_builder import Type, mutation
from fakeplat.model.issues import WorkItemPreference
from fakeplat.model.people import Group, User
from fakeplat.model.projects import Container, Project, Routable
from fakeplat.policy.authorization import caller_name, can_see
from fakeplat.policy.context import ReadContext, WriteContext

_SINCE: Final = "17.10"
Order = tuple[str, str]
_OF_WIDGETS: Final = {
    "due_date": "START_AND_DUE_DATE",
    "start_date": "START_AND_DUE_DATE",
    "label_priority": "LABELS",
    "milestone_due": "MILESTONE",
}
"""The orders that only types with a widget have."""
PREFERENCE: Final = Type("WorkItemTypesUserPreference", "How a user wants to see lists of work items.", since=_SINCE)
PREFERENCE.attributes({"displaySettings: JSON": "What the lists show."})


@PREFERENCE.field("sort: WorkItemSort")
def sort_of(_ctx: ReadContext, preference: WorkItemPreference) -> Order | None:
    """The order."""
    return SORT.values[preference.sort.upper()][0] if preference.sort is not None else None


@PREFERENCE.field("namespace: Namespace!")
def namespace_of(ctx: ReadContext, preference: WorkItemPreference) -> Routable:
    """The project or group."""
    return container_of(ctx.world, preference.source)


@PREFERENCE.field("workItemType: WorkItemType")
def type_of(_ctx: ReadContext, preference: WorkItemPreference) -> WorkItemType | None:
    """The type, unless it is for all of them."""
    return work_items.find_type(preference.type_id) if preference.type_id is not None else None


@CURRENT_USER.field(
    "workItemPreferences(namespacePath: ID!, workItemTypeId: WorkItemsTypeID): WorkItemTypesUserPreference",
    since=_SINCE,
)
def preferences_of(
    ctx: ReadContext, user: User, namespace_path: str, work_item_type_id: str | None = None
) -> WorkItemPreference | None:
    """What the caller prefers in a project or group, for a type or for all of them."""
    container, kind = _require_container(ctx, namespace_path), _find_type(ctx, work_item_type_id)
    return work_item_preferences.find(ctx.world, user, container, kind)


def _require_container(ctx: ReadContext, full_path: str) -> Container:
    container = find_visible_project(ctx, full_path) or find_namespace(ctx, full_path)
    if not isinstance(container, Project | Group) or not can_see(ctx, container):
        raise ResourceNotAvailable(lambda: f"{full_path!r} is no project or group that {caller_name(ctx)} sees")
    return container


def _find_type(ctx: ReadContext, text: str | None) -> WorkItemType | None:
    return None if text is None else work_items.find_type(parse_id(ctx, text, "WorkItems::Type"))


class PreferenceInput(TypedDict, total=False):
    """What changes."""

    sort: Order | None
    display_settings: Any


@mutation(
    "workItemUserPreferenceUpdate",
    input_fields='''
"""The full path of the project or group."""
namespacePath: ID!
"""The global ID of the type; by default it is for all of them."""
workItemTypeId: WorkItemsTypeID
"""The order."""
sort: WorkItemSort = CREATED_ASC
"""What the lists show."""
displaySettings: JSON
''',
    payload_fields='"""What the caller prefers."""\nuserPreferences: WorkItemTypesUserPreference',
    since=_SINCE,
)
def update_preferences(
    ctx: WriteContext, namespace_path: str, work_item_type_id: str | None = None, **given: Unpack[PreferenceInput]
) -> Mapping[str, Any]:
    """Set how the caller wants to see lists of work items."""
    container, kind = _require_container(ctx, namespace_path), _find_type(ctx, work_item_type_id)
    changes: dict[str, Any] = {**given}
    with collect_errors(user_preferences=None):
        if changes.get("sort") is not None:
            changes["sort"] = _name_order(ctx, container, kind, changes["sort"])
        return {"user_preferences": work_item_preferences.set_preferences(ctx, container, kind, **changes)}


def _name_order(ctx: ReadContext, container: Container, kind: WorkItemType | None, order: Order) -> str:
    """Return the name of an order; 400 if only types with a widget have it that this one lacks."""
    name = SORT.get_name(order).lower()
    widget = _OF_WIDGETS.get(order[0])
    if widget is None or (kind is not None and widget in list_available_kinds(ctx, container, kind.kind)):
        return name
    path = namespaces.container_path(ctx.world, container)
    for_type = f" for work items type {kind.name}" if kind is not None else ""
    raise InvalidRecord({"sort": [f'value "{name}" is not available on {path}{for_type}']})
