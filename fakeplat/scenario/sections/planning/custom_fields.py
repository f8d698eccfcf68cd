"""Custom fields of groups, and their values under issues and epics."""

from collections.abc import Sequence
from typing import Any, Final

from fakeplat.core.schema.mistakes import nearest_name
from fakeplat.core.schema.shapes import DATE_TIME, TEXT, Choice, ListOf, Nullable, Number, Union
from fakeplat.domain.issues.work_items import TYPES
from fakeplat.domain.notes import noteables
from fakeplat.domain.planning import custom_fields
from fakeplat.model.planning import CustomField, CustomFieldValue
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section
from fakeplat.scenario.section import ISSUES, EntryData

_KINDS: Final = tuple(kind.kind for kind in TYPES)
_TIMES: Final = ("created_at", "updated_at", "archived_at")


def _create(entry: Entry) -> CustomField:
    values = entry.values
    existing = next(
        (field for field in custom_fields.list_fields(entry.world, entry.owner) if field.name == values["name"]), None
    )
    field = existing or custom_fields.create(
        entry.ctx,
        entry.owner,
        values["field_type"],
        name=values["name"],
        select_options=[{"value": value} for value in values.get("select_options", ())],
        work_item_types=values.get("work_item_types", ()),
    )
    creator = entry.user_or_none("created_by")
    times = {"created_at": entry.created_at, "updated_at": values.get("created_at", entry.created_at)}
    creator_id = creator.id if creator else None
    return entry.world.custom_fields.change(field, **{**times, **entry.select(_TIMES)}, created_by_id=creator_id)


def _serialize(world: World, field: CustomField) -> EntryData:
    creator = world.users.get(field.created_by_id) if field.created_by_id is not None else None
    data: EntryData = {
        "name": field.name,
        "field_type": field.field_type,
        "select_options": [option.value for option in field.select_options],
        "work_item_types": list(field.work_item_types),
        "created_by": creator.username if creator else None,
        "created_at": field.created_at,
        "updated_at": field.updated_at if field.updated_at != field.created_at else None,
        "archived_at": field.archived_at,
    }
    return {name: value for name, value in data.items() if value}


FIELDS: Final = derive_section(
    "custom_fields",
    CustomField,
    within=("group",),
    keys={
        "name": TEXT,
        "field_type": Choice(*custom_fields.SELECTS, "number", "text"),
        "select_options": ListOf(TEXT),
        "work_item_types": ListOf(Choice(*_KINDS)),
        "created_by": TEXT,
        "created_at": DATE_TIME,
        "updated_at": DATE_TIME,
        "archived_at": Nullable(DATE_TIME),
    },
    required=("name", "field_type"),
    create=_create,
    serialize=_serialize,
    name_key="name",
    case_sensitive=True,
)


def _create_value(entry: Entry) -> CustomFieldValue | None:
    field, value = _get_field(entry), entry.values["value"]
    given: dict[str, Any] = {"text_value": value, "number_value": value}
    if field.field_type in custom_fields.SELECTS:
        given["selected_option_ids"] = _get_options(entry, field, [value] if isinstance(value, str) else value)
    elif isinstance(value, str) != (field.field_type == "text"):
        entry.fail(f"{field.name} has the type {field.field_type}", "value")
    return custom_fields.set_value(entry.ctx, noteables.subject_of(entry.owner), field, given)


def _get_field(entry: Entry) -> CustomField:
    fields = {field.name: field for field in custom_fields.list_declared(entry.world, entry.owner)}
    name = entry.values["name"]
    return (
        fields[name] if name in fields else entry.fail(f"no custom field {name!r}", "name", nearest_name(name, fields))
    )


def _get_options(entry: Entry, field: CustomField, names: Sequence[str]) -> list[int]:
    ids = {option.value: option.id for option in field.select_options}
    unknown = next((name for name in names if name not in ids), None)
    return (
        [ids[name] for name in names]
        if unknown is None
        else entry.fail(f"unknown option {unknown!r}", "value", nearest_name(unknown, ids))
    )


def _serialize_value(world: World, value: CustomFieldValue) -> EntryData:
    field = world.custom_fields[value.field_id]
    selected = [option.value for option in custom_fields.list_selected(field, value)]
    return {"name": field.name, "value": value.text or selected if value.number is None else value.number}


VALUES: Final = derive_section(
    "custom_field_values",
    CustomFieldValue,
    within=("issue", "epic"),
    rank=ISSUES,
    keys={"name": TEXT, "value": Union(TEXT, Number(), ListOf(TEXT))},
    required=("name", "value"),
    create=_create_value,
    serialize=_serialize_value,
    name_key="name",
    value_key="value",
    case_sensitive=True,
)
