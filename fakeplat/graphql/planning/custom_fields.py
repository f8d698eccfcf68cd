"""Custom fields of groups, and their mutations. Source: docs/platform/work-items.md ('Custom fields')."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypedDict, Unpack

from fakeplat.core.store.frozen import frozen
from fakeplat.domain.issues.work_items import WorkItemType, find_type
from fakeplat.domain.planning import custom_fields
from fakeplat.domain.planning.custom_fields import FieldInput, NewOption
from fakeplat.graphql.errors import ResourceNotAvailable, collect_errors
from fakeplat.graphql.ids import declare_id, parse_id
from fakeplat.graphql.lookups import find_namespace
from fakeplat.graphql.people.groups import GROUP, NAMESPACE
from fakeplat.graphql.schema_builder import Enumeration, Input, Interface, Type, mutation
from fakeplat.model.people import Group, Namespace, User
from fakeplat.model.planning import CustomField, CustomFieldValue, FieldType, SelectOption
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import caller_name, can, can_see
from fakeplat.policy.context import ReadContext, WriteContext

CUSTOM_FIELD: Final = "Issuables::CustomField"
CUSTOM_FIELD_OPTION: Final = "Issuables::CustomFieldSelectOption"
_SINCE: Final = "17.5"
_CHANGES: Final = "<=17.10"
_VALUES: Final = "17.9"
_GIVES: Final = '"""The field."""\ncustomField: CustomField'
_WHICH: Final = '"""The ID of the field."""\nid: IssuablesCustomFieldID!'
_INPUT: Final = '''
"""The options to select from, in their order."""
selectOptions: [CustomFieldSelectOptionInput!]
"""The IDs of the types of work items that have the field."""
workItemTypeIds: [WorkItemsTypeID!]
'''

Enumeration(
    "CustomFieldType",
    "The type of a custom field.",
    {
        kind.upper(): (kind, f"{kind.replace('_', ' ').capitalize()}.")
        for kind in (*custom_fields.SELECTS, "number", "text")
    },
    since=_SINCE,
)
OPTION = Type("CustomFieldSelectOption", "An option of a custom field.", since=_SINCE)
OPTION.attributes({"value: String!": "The text."})
FIELD = Type("CustomField", "A field that a group adds to work items.", since=_SINCE, has_count=True)
FIELD.attributes(
    {
        "name: String!": "The name.",
        "fieldType: CustomFieldType!": "The type.",
        "createdAt: Time!": "Timestamp of creation.",
        "updatedAt: Time!": "Timestamp of the last update.",
        "selectOptions: [CustomFieldSelectOption!]": "The options to select from.",
    }
)
declare_id(OPTION, CUSTOM_FIELD_OPTION, "The global ID of the option.")
declare_id(FIELD, CUSTOM_FIELD, "The global ID of the field.")


@FIELD.field("active: Boolean!")
def is_active(_ctx: ReadContext, field: CustomField) -> bool:
    """Whether the field is not archived."""
    return field.archived_at is None


@FIELD.field("workItemTypes: [WorkItemType!]")
def types_of(_ctx: ReadContext, field: CustomField) -> Sequence[WorkItemType]:
    """The types of work items that have the field, by name."""
    return custom_fields.list_types(field.work_item_types)


@FIELD.field("createdBy: User", since=_CHANGES)
def creator_of(ctx: ReadContext, field: CustomField) -> User | None:
    """Who created the field."""
    return ctx.world.users.get(field.created_by_id) if field.created_by_id is not None else None


@FIELD.field("updatedBy: User", since=_CHANGES)
def updater_of(ctx: ReadContext, field: CustomField) -> User | None:
    """Who updated the field last."""
    return ctx.world.users.get(field.updated_by_id) if field.updated_by_id is not None else None


# Values


@frozen
class FieldValue:
    """The value that a work item has for a field, if it has one."""

    field: CustomField
    value: CustomFieldValue | None


_VALUE: Final = "WorkItemCustomFieldValue"
_TYPE_NAMES: Final[Mapping[FieldType, str]] = {
    "single_select": "WorkItemSelectFieldValue",
    "multi_select": "WorkItemSelectFieldValue",
    "number": "WorkItemNumberFieldValue",
    "text": "WorkItemTextFieldValue",
}
Interface(
    _VALUE,
    "The value of a custom field.",
    {"customField: CustomField!": "The field."},
    since=_VALUES,
    type_of=lambda value: _TYPE_NAMES[value.field.field_type],
)
SELECTED, NUMBER, TEXT = (
    Type(f"WorkItem{name}FieldValue", f"The value of a custom field: {words}.", implements=(_VALUE,), since=_VALUES)
    for name, words in (("Select", "selected options"), ("Number", "a number"), ("Text", "a text"))
)


def field_of(_ctx: ReadContext, value: FieldValue) -> CustomField:
    """The field."""
    return value.field


for _type in (SELECTED, NUMBER, TEXT):
    _type.field("customField: CustomField!")(field_of)


@SELECTED.field("selectedOptions: [CustomFieldSelectOption!]")
def options_of(_ctx: ReadContext, value: FieldValue) -> Sequence[SelectOption] | None:
    """The selected options in the order of the field; null if there are none."""
    return custom_fields.list_selected(value.field, value.value) or None


@NUMBER.field("value: Float")
def number_of(_ctx: ReadContext, value: FieldValue) -> float | None:
    """The number."""
    return value.value.number if value.value is not None else None


@TEXT.field("value: String")
def text_of(_ctx: ReadContext, value: FieldValue) -> str | None:
    """The text."""
    return value.value.text if value.value is not None else None


# Fields of groups

_FILTERS: Final = (
    'workItemTypeIds: [WorkItemsTypeID!] @lifetime(since: "<=17.10", until: "<=18.9"), '
    'workItemTypeId: WorkItemsTypeID @lifetime(since: "<=18.9"), '
    'fieldType: CustomFieldType @lifetime(since: "<=18.9")'
)


@NAMESPACE.field(
    f"customFields(active: Boolean, search: String, {_FILTERS}): CustomFieldConnection",
    since="17.10",
)
@GROUP.field(
    f'customFields(active: Boolean, search: String @lifetime(since: "<=17.10"), {_FILTERS}): CustomFieldConnection',
    since=_SINCE,
)
def fields_of(
    ctx: ReadContext,
    group: Namespace,
    active: bool | None = None,
    search: str | None = None,
    work_item_type_ids: Sequence[str] | None = None,
    work_item_type_id: str | None = None,
    field_type: str | None = None,
) -> Sequence[CustomField]:
    """The fields of the group: active ones first, by name. Without any types, those that no type has."""
    if not _may_read(ctx, group):
        return ()
    types = [work_item_type_id] if work_item_type_id is not None else work_item_type_ids
    kinds = None if types is None else _parse_types(ctx, types)
    return [
        field
        for field in custom_fields.list_fields(ctx.world, group)
        if active in (None, field.archived_at is None)
        and field_type in (None, field.field_type)
        and (search or "").lower() in field.name.lower()
        and (kinds is None or _has_types(field, kinds))
    ]


def _may_read(ctx: ReadContext, group: Namespace) -> bool:
    return isinstance(group, Group) and can_see(ctx, group) and custom_fields.is_enabled(ctx, group)


def _parse_types(ctx: ReadContext, ids: Sequence[str]) -> list[str]:
    found = (find_type(parse_id(ctx, text, "WorkItems::Type")) for text in ids)
    return [kind.kind for kind in found if kind is not None]


def _has_types(field: CustomField, kinds: Sequence[str]) -> bool:
    return any(kind in field.work_item_types for kind in kinds) if kinds else not field.work_item_types


@GROUP.field("customField(id: IssuablesCustomFieldID!): CustomField", since="17.6")
def find_field(ctx: ReadContext, group: Group, id: str) -> CustomField | None:  # the argument's name on the wire
    """A field of the group."""
    found = ctx.world.custom_fields.get(parse_id(ctx, id, CUSTOM_FIELD))
    return found if found is not None and found.group_id == group.id and _may_read(ctx, group) else None


# Mutations

Input(
    "CustomFieldSelectOptionInput",
    "An option of a custom field.",
    '"""The ID of an option to keep; without it, the option is new."""\nid: IssuablesCustomFieldSelectOptionID\n'
    '"""The text."""\nvalue: String!',
    since=_CHANGES,
)


class FieldArguments(TypedDict, total=False):
    """The arguments of both mutations that set attributes."""

    name: str
    select_options: Sequence[Mapping[str, Any]] | None
    work_item_type_ids: Sequence[str] | None


def _to_input(ctx: ReadContext, arguments: FieldArguments) -> FieldInput:
    given: FieldInput = {}
    if arguments.get("name") is not None:
        given["name"] = arguments["name"]
    options, types = arguments.get("select_options"), arguments.get("work_item_type_ids")
    if options is not None:
        given["select_options"] = [_to_option(ctx, option) for option in options]
    if types is not None:
        given["work_item_types"] = _parse_types(ctx, types)
    return given


def _to_option(ctx: ReadContext, option: Mapping[str, Any]) -> NewOption:
    text = option.get("id")
    return {"id": None if text is None else parse_id(ctx, text, CUSTOM_FIELD_OPTION), "value": option["value"]}


def _may_change(ctx: ReadContext, group: object) -> bool:
    return (
        isinstance(group, Group)
        and custom_fields.is_enabled(ctx, group)
        and can(ctx, Ability.ADMIN_CUSTOM_FIELD, group)
    )


def _require_field(ctx: ReadContext, text: str) -> CustomField:
    field = ctx.world.custom_fields.get(parse_id(ctx, text, CUSTOM_FIELD))
    if field is None or not _may_change(ctx, ctx.world.namespaces[field.group_id]):
        raise ResourceNotAvailable(
            lambda: f"{text} does not exist, or {caller_name(ctx)} is no Maintainer of its group"
        )
    return field


@mutation(
    "customFieldCreate",
    input_fields=f'''
"""The full path of the group."""
groupPath: ID!
"""The type."""
fieldType: CustomFieldType!
"""The name."""
name: String!
{_INPUT}''',
    payload_fields=_GIVES,
    since=_CHANGES,
)
def create_custom_field(
    ctx: WriteContext, group_path: str, field_type: FieldType, **arguments: Unpack[FieldArguments]
) -> Mapping[str, Any]:
    """Create a custom field of a top-level group."""
    group = find_namespace(ctx, group_path)
    if not isinstance(group, Group) or not _may_change(ctx, group):
        raise ResourceNotAvailable(lambda: f"{caller_name(ctx)} is no Maintainer of {group_path!r}")
    with collect_errors(custom_field=None):
        return {"custom_field": custom_fields.create(ctx, group, field_type, **_to_input(ctx, arguments))}


@mutation(
    "customFieldUpdate",
    input_fields=f'{_WHICH}\n"""The name."""\nname: String\n{_INPUT}',
    payload_fields=_GIVES,
    since=_CHANGES,
)
def update_custom_field(ctx: WriteContext, id: str, **arguments: Unpack[FieldArguments]) -> Mapping[str, Any]:
    """Change a custom field; options that are not sent are removed."""
    field = _require_field(ctx, id)
    with collect_errors(custom_field=None):
        return {"custom_field": custom_fields.update(ctx, field, **_to_input(ctx, arguments))}


@mutation("customFieldArchive", input_fields=_WHICH, payload_fields=_GIVES, since=_CHANGES)
def archive_custom_field(ctx: WriteContext, id: str) -> Mapping[str, Any]:
    """Archive a custom field, which work items then do not show any more."""
    field = _require_field(ctx, id)
    with collect_errors(custom_field=None):
        return {"custom_field": custom_fields.archive(ctx, field)}


@mutation("customFieldUnarchive", input_fields=_WHICH, payload_fields=_GIVES, since=_CHANGES)
def unarchive_custom_field(ctx: WriteContext, id: str) -> Mapping[str, Any]:
    """Make an archived custom field active again."""
    field = _require_field(ctx, id)
    with collect_errors(custom_field=None):
        return {"custom_field": custom_fields.unarchive(ctx, field)}
