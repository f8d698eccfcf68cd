"""Custom fields of top-level groups, and their values on work items.

Source: docs/platform/work-items.md ('Custom fields').
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from html import escape
from typing import Any, Final, Required, TypedDict, Unpack

from attrs import evolve

from fakeplat.core.operations.errors import BadRequest
from fakeplat.core.store.references import Subject
from fakeplat.domain.issues.work_items import EPIC, TYPES, WorkItem, WorkItemType, type_of
from fakeplat.domain.notes import noteables, system_notes
from fakeplat.domain.people import namespaces
from fakeplat.domain.purging import purge
from fakeplat.domain.validation import BLANK, TAKEN, ValidationErrors, too_long
from fakeplat.model.people import Group, Namespace
from fakeplat.model.planning import CustomField, CustomFieldValue, FieldType, SelectOption
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.behaviours import CUSTOM_FIELDS_ARE_ENABLED
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.features import has_feature

SELECTS: Final = ("single_select", "multi_select")
ALREADY_ARCHIVED: Final = "Custom field is already archived."
ALREADY_ACTIVE: Final = "Custom field is already active."
_OPTION: Final = "custom field option"
"""The name of the counter for the ids of options, and where it starts."""
_FIRST_OPTION: Final = 29_970_000
_MOST_FIELDS: Final = 100
_MOST_ACTIVE: Final = 50
_MOST_ACTIVE_OF_TYPE: Final = 10
_MOST_OPTIONS: Final = 50
_LONGEST_TEXT: Final = 1024
_TOO_MANY: Final = "can only have a maximum of {} {}custom fields."


class NewOption(TypedDict, total=False):
    """An option: a new one, or with an id one that the field has."""

    id: int | None
    value: Required[str]


class FieldInput(TypedDict, total=False):
    """What users say of a field."""

    name: str
    select_options: Sequence[NewOption] | None
    work_item_types: Sequence[str] | None


# Fields


def is_enabled(ctx: ReadContext, group: Group | Project) -> bool:
    """Return whether a group, or the groups of a project, can have custom fields."""
    return ctx.profile.has(CUSTOM_FIELDS_ARE_ENABLED) and has_feature(ctx.world, "premium", group)


def list_fields(world: World, group: Namespace) -> list[CustomField]:
    """Return the fields of a group itself: active ones first, by name."""
    own = world.custom_fields.where("group", group.id)
    return sorted(own, key=lambda field: (field.archived_at is not None, field.name.lower(), field.id))


def list_active(ctx: ReadContext, item: WorkItem) -> list[CustomField]:
    """Return the active fields of the type of a work item, by name; none where groups cannot have any."""
    container = noteables.container_of(ctx.world, item)
    return list_declared(ctx.world, item) if is_enabled(ctx, container) else []


def list_declared(world: World, item: WorkItem) -> list[CustomField]:
    """Return the active fields that the top-level group has for the type of a work item, by name."""
    root, kind = _root_of(world, noteables.container_of(world, item)), type_of(item).kind
    fields = list_fields(world, root)
    return [field for field in fields if field.archived_at is None and kind in field.work_item_types]


def _root_of(world: World, container: Group | Project) -> Namespace:
    namespace = world.namespaces[container.namespace_id] if isinstance(container, Project) else container
    return namespaces.root_of(world, namespace)


def create(ctx: WriteContext, group: Group, field_type: FieldType, **given: Unpack[FieldInput]) -> CustomField:
    """Create a field; 400 if it is invalid."""
    table, now, user = ctx.world.custom_fields, ctx.now_iso, ctx.user
    field = CustomField(
        table.next_id(), group.id, given.get("name", ""), field_type, now, now, user.id if user is not None else None
    )
    field = _with_input(ctx, field, given)
    _check(ctx.world, field).refuse()
    return table.add(field)


def update(ctx: WriteContext, field: CustomField, **given: Unpack[FieldInput]) -> CustomField:
    """Change a field and its options; 400 if that makes it invalid."""
    changed = _with_input(ctx, field, given)
    _check(ctx.world, changed).refuse()
    if changed == field:
        return field
    _forget_options(ctx, field, {option.id for option in changed.select_options})
    return ctx.world.custom_fields.replace(
        field, evolve(changed, updated_by_id=ctx.signed_in_user.id, updated_at=ctx.now_iso)
    )


def archive(ctx: WriteContext, field: CustomField) -> CustomField:
    """Archive an active field; 400 for another one."""
    if field.archived_at is not None:
        raise BadRequest(ALREADY_ARCHIVED)
    return ctx.world.custom_fields.change(field, archived_at=ctx.now_iso, updated_at=ctx.now_iso)


def unarchive(ctx: WriteContext, field: CustomField) -> CustomField:
    """Make an archived field active again; 400 for another one, or if there are too many active ones."""
    if field.archived_at is None:
        raise BadRequest(ALREADY_ACTIVE)
    active = evolve(field, archived_at=None, updated_at=ctx.now_iso)
    _check(ctx.world, active).refuse()
    return ctx.world.custom_fields.replace(field, active)


def _with_input(ctx: WriteContext, field: CustomField, given: FieldInput) -> CustomField:
    changes: dict[str, Any] = {"name": given["name"]} if "name" in given else {}
    options, kinds = given.get("select_options"), given.get("work_item_types")
    if options is not None:
        changes["select_options"] = tuple(_build_option(ctx, field, option) for option in options)
    if kinds is not None:
        changes["work_item_types"] = tuple(kind.kind for kind in list_types(kinds))
    return evolve(field, **changes)


def list_types(kinds: Collection[str]) -> list[WorkItemType]:
    """Return the types of work items of some kinds, by name."""
    return sorted((each for each in TYPES if each.kind in kinds), key=lambda each: each.name)


def _build_option(ctx: WriteContext, field: CustomField, option: NewOption) -> SelectOption:
    id_ = option.get("id")
    if id_ is None:
        return SelectOption(_FIRST_OPTION + ctx.world.next(_OPTION), option["value"])
    if all(own.id != id_ for own in field.select_options):
        raise BadRequest(f"Select option ID {id_} is invalid.")
    return SelectOption(id_, option["value"])


def _forget_options(ctx: WriteContext, field: CustomField, kept: Collection[int]) -> None:
    """Remove the options that a field loses from the values of work items."""
    for value in list(ctx.world.custom_field_values.where("field", field.id)):
        remaining = tuple(id_ for id_ in value.selected if id_ in kept)
        if remaining != value.selected:
            _store(ctx, value, selected=remaining)


def _check(world: World, field: CustomField) -> ValidationErrors:
    errors = ValidationErrors()
    others = [other for other in world.custom_fields.where("group", field.group_id) if other.id != field.id]
    names = {other.name.lower() for other in others}
    errors.when(not field.name.strip(), "name", BLANK)
    too_long(errors, "name", field.name)
    errors.when(field.name.lower() in names, "name", TAKEN)
    _check_options(errors, field)
    group = world.namespaces[field.group_id]
    errors.when(group.parent_id is not None, "namespace", "must be a root group.")
    errors.when(len(others) >= _MOST_FIELDS, "namespace", _TOO_MANY.format(_MOST_FIELDS, ""))
    if field.archived_at is None:
        _check_active(errors, field, [other for other in others if other.archived_at is None])
    is_select = field.field_type in SELECTS
    errors.when(field.select_options and not is_select, "field_type", "does not support select options.")
    return errors


def _check_options(errors: ValidationErrors, field: CustomField) -> None:
    values = [option.value.lower() for option in field.select_options]
    for option in field.select_options:
        errors.when(not option.value.strip(), "select_options.value", BLANK)
        too_long(errors, "select_options.value", option.value)
        errors.when(values.count(option.value.lower()) > 1, "select_options.value", TAKEN)
    errors.when(len(values) > _MOST_OPTIONS, "select_options", f"exceeds the limit of {_MOST_OPTIONS}.")


def _check_active(errors: ValidationErrors, field: CustomField, others: Sequence[CustomField]) -> None:
    errors.when(len(others) >= _MOST_ACTIVE, "namespace", _TOO_MANY.format(_MOST_ACTIVE, "active "))
    for kind in list_types(field.work_item_types):
        if sum(kind.kind in other.work_item_types for other in others) >= _MOST_ACTIVE_OF_TYPE:
            limit = f"can only have a maximum of {_MOST_ACTIVE_OF_TYPE} active custom fields."
            errors.add("base", f"Work item type {kind.name} {limit}")


# Values


def find_value(world: World, field: CustomField, item: WorkItem) -> CustomFieldValue | None:
    """Return the value of a field of a work item."""
    return world.custom_field_values.find("own", (field.id, noteables.subject_of(item)))


def list_selected(field: CustomField, value: CustomFieldValue | None) -> list[SelectOption]:
    """Return the options that a value selects, in the order of the field."""
    return [] if value is None else [option for option in field.select_options if option.id in value.selected]


def set_values(ctx: WriteContext, item: WorkItem, values: Iterable[tuple[int, Mapping[str, Any]]]) -> None:
    """Set the values of some fields, given by their ids, with system notes; 400 for a field that the item lacks.

    Whoever may not set metadata of the work item changes nothing, as on the platform.
    """
    container = noteables.container_of(ctx.world, item)
    if not can(ctx, Ability.ADMIN_EPIC if type_of(item).kind == EPIC else Ability.ADMIN_ISSUE, container):
        return
    active = {field.id: field for field in list_active(ctx, item)}
    for id_, given in values:
        if id_ not in active:
            raise BadRequest(f"Invalid custom field ID: {id_}")
        _set_value(ctx, item, active[id_], given)


def _set_value(ctx: WriteContext, item: WorkItem, field: CustomField, given: Mapping[str, Any]) -> None:
    before = find_value(ctx.world, field, item)
    old = describe_value(field, before)
    after = set_value(ctx, noteables.subject_of(item), field, given)
    new = describe_value(field, after)
    if new != old:
        verb = f"changed {escape(field.name)} to" if new else f"removed {escape(field.name)}:"
        body = f'<p>{verb} <code class="idiff">{escape(new or old)}</code></p>'
        system_notes.write(ctx, noteables.subject_of(item), ctx.signed_in_user, body)


def set_value(
    ctx: WriteContext, subject: Subject, field: CustomField, given: Mapping[str, Any]
) -> CustomFieldValue | None:
    """Set the value of a field without a note, and return it; None if there is none any more."""
    content = _build_content(field, given)
    value = ctx.world.custom_field_values.find("own", (field.id, subject))
    if value is not None:
        return _store(ctx, value, **content)
    table = ctx.world.custom_field_values
    return table.add(CustomFieldValue(table.next_id(), field.id, subject, **content)) if _has_content(content) else None


def _has_content(content: Mapping[str, Any]) -> bool:
    """Return whether a value has any content; zero is one."""
    return any(each not in (None, ()) for each in content.values())


def _build_content(field: CustomField, given: Mapping[str, Any]) -> dict[str, Any]:
    if field.field_type == "text":
        text = given.get("text_value") or ""
        _check_text(text)
        return {"text": text if text.strip() else None}
    if field.field_type == "number":
        return {"number": given.get("number_value")}
    return {"selected": _list_chosen(field, given.get("selected_option_ids") or ())}


def _check_text(text: str) -> None:
    errors = ValidationErrors()
    too_long(errors, "value", text, _LONGEST_TEXT)
    if errors:
        raise BadRequest(f"Validation failed: {', '.join(errors.full_messages())}")


def _list_chosen(field: CustomField, given: Collection[int]) -> tuple[int, ...]:
    ids, known = tuple(dict.fromkeys(given)), {option.id for option in field.select_options}
    if field.field_type == "single_select" and len(ids) > 1:
        raise BadRequest("A custom field of type single select may only have a single selected option")
    unknown = [str(id_) for id_ in ids if id_ not in known]
    if unknown:
        raise BadRequest(f"Invalid custom field select option IDs: {','.join(unknown)}")
    return ids


def _store(ctx: WriteContext, value: CustomFieldValue, **content: Any) -> CustomFieldValue | None:
    if _has_content(content):
        return ctx.world.custom_field_values.change(value, **content)
    purge(ctx, value)
    return None


def describe_value(field: CustomField, value: CustomFieldValue | None) -> str:
    """Return a value as a system note shows it; empty if there is none."""
    if value is None:
        return ""
    if value.number is not None:
        return f"{value.number:.3f}".rstrip("0").rstrip(".")
    return value.text.strip() if value.text else ", ".join(option.value for option in list_selected(field, value))


def copy_values(ctx: WriteContext, item: WorkItem, copy: WorkItem) -> None:
    """Give the copy of a work item its values, unless it is below another top-level group."""
    world, table = ctx.world, ctx.world.custom_field_values
    one, other = (_root_of(world, noteables.container_of(world, each)) for each in (item, copy))
    if one.id == other.id:
        for value in list(table.where("subject", noteables.subject_of(item))):
            table.add(evolve(value, id=table.next_id(), subject=noteables.subject_of(copy)))
