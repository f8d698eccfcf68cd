"""What types of work items can have and become. Source: docs/platform/work-items.md."""

from collections.abc import Sequence
from typing import Final

from fakeplat.core.store.frozen import frozen
from fakeplat.domain.issues import issue_access, work_items
from fakeplat.domain.issues.work_items import EPIC, WorkItemType
from fakeplat.graphql.ids import parse_id
from fakeplat.graphql.issues.work_item_widgets import WIDGETS
from fakeplat.graphql.issues.work_items import WORK_ITEM_TYPE
from fakeplat.graphql.schema_builder import Interface, Type
from fakeplat.policy.context import ReadContext
from fakeplat.policy.features import has_feature

_SINCE: Final = "16.7"
_NAME: Final = "WorkItemWidgetDefinition"
_OWN: Final = {"ASSIGNEES": "Assignees", "HIERARCHY": "Hierarchy", "LABELS": "Labels"}
_PAID: Final = ("test_case", "requirement")


@frozen
class Definition:
    """A widget of a type."""

    owner: WorkItemType
    kind: str


def _type_of(definition: Definition) -> str:
    return f"{_NAME}{_OWN.get(definition.kind, 'Generic')}"


Interface(
    _NAME,
    "A widget of a type.",
    {"type: WorkItemWidgetType!": "The type of the widget."},
    since=_SINCE,
    type_of=_type_of,
)
_TYPES: Final = {
    name: Type(f"{_NAME}{name}", "A widget of a type of work items.", implements=(_NAME,), since=_SINCE)
    for name in (*_OWN.values(), "Generic")
}


def kind_of(_ctx: ReadContext, definition: Definition) -> str:
    """The type of the widget."""
    return definition.kind


for _type in _TYPES.values():
    _type.field("type: WorkItemWidgetType!")(kind_of)


@WORK_ITEM_TYPE.field(f"widgetDefinitions: [{_NAME}!]", since=_SINCE)
def widget_definitions(ctx: ReadContext, kind: WorkItemType) -> Sequence[Definition]:
    """The widgets that work items of the type have."""
    return [
        Definition(kind, name)
        for name, declared in WIDGETS.items()
        if declared.belongs_to(ctx.profile, kind.kind) and (not declared.tier or has_feature(ctx.world, declared.tier))
    ]


@WORK_ITEM_TYPE.field("supportedConversionTypes: [WorkItemType!]", since="17.8")
def supported_conversion_types(ctx: ReadContext, kind: WorkItemType) -> Sequence[WorkItemType]:
    """The types that work items of the type can get, by name."""
    if kind.kind == EPIC:
        return ()
    is_paid = has_feature(ctx.world, "ultimate")
    others = (other for other in work_items.TYPES if other.kind not in (EPIC, kind.kind, *issue_access.OKRS))
    return sorted((other for other in others if is_paid or other.kind not in _PAID), key=lambda other: other.name)


@_TYPES["Hierarchy"].field("allowedChildTypes: WorkItemTypeConnection")
def allowed_child_types(_ctx: ReadContext, definition: Definition) -> Sequence[WorkItemType]:
    """The types of the work items right below."""
    return [other for other in work_items.TYPES if definition.owner.kind in other.parents]


@_TYPES["Hierarchy"].field("allowedParentTypes: WorkItemTypeConnection", since="<=18.5")
def allowed_parent_types(_ctx: ReadContext, definition: Definition) -> Sequence[WorkItemType]:
    """The types of the work items above."""
    return [other for other in work_items.TYPES if other.kind in definition.owner.parents]


@WORK_ITEM_TYPE.field(f"unavailableWidgetsOnConversion(target: WorkItemsTypeID!): [{_NAME}!]", since="<=18.5")
def unavailable_widgets(ctx: ReadContext, kind: WorkItemType, target: str) -> Sequence[Definition]:
    """The widgets that a work item of the type loses when it gets another type."""
    other = work_items.find_type(parse_id(ctx, target, "WorkItems::Type"))
    if other is None:
        return ()
    kept = {definition.kind for definition in widget_definitions(ctx, other)}
    return [definition for definition in widget_definitions(ctx, kind) if definition.kind not in kept]
