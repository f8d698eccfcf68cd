"""Filters that lists of issues and of work items share: iterations, customers, statuses and custom fields.

Source: docs/platform/graphql.md.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, TypedDict

from graphql import GraphQLError

from fakeplat.domain.customer_relations import crm_access
from fakeplat.domain.issues import work_statuses
from fakeplat.domain.issues.work_items import WorkItem
from fakeplat.domain.people import namespaces
from fakeplat.domain.planning import custom_fields
from fakeplat.graphql.ids import parse_id
from fakeplat.graphql.schema_builder import Enumeration, Input
from fakeplat.model.issues import Issue
from fakeplat.model.people import Group
from fakeplat.model.planning import CustomField
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext

Container = Project | Group
ItemTest = Callable[[WorkItem], bool]
_MOST: Final = 100
_ONE_OF: Final = "One and only one of [{}] arguments is required."
_FIELD_FILTERS: Final = "[WorkItemWidgetCustomFieldFilterInputType!]"
CUSTOM_FIELD: Final = f'customField: {_FIELD_FILTERS} @lifetime(since: "17.10")'
NEGATED_FIELDS: Final = f'''
"""The kind of iteration."""
iterationWildcardId: IterationWildcardId @lifetime(since: "<=18.9")
"""Selected options of custom fields."""
customField: {_FIELD_FILTERS} @lifetime(since: "18.4")
'''
UNIONED_FIELDS: Final = f'''
"""Selected options of custom fields, at least one of each."""
customField: {_FIELD_FILTERS} @lifetime(since: "18.4")
'''
Enumeration(
    "IterationWildcardId",
    "The kind of the iteration.",
    {
        "NONE": ("None", "Those in no iteration."),
        "ANY": ("Any", "Those in an iteration."),
        "CURRENT": ("Current", "Those in an iteration of today."),
    },
    since="<=14.0",
)
Input(
    "WorkItemWidgetCustomFieldFilterInputType",
    "Selected options of a custom field, both by ID or by name.",
    f'''
"""The ID of the field."""
customFieldId: IssuablesCustomFieldID
"""The name of the field."""
customFieldName: String
"""The IDs of at most {_MOST} options."""
selectedOptionIds: [IssuablesCustomFieldSelectOptionID!]
"""The values of at most {_MOST} options."""
selectedOptionValues: [String!]
''',
    since="17.10",
)


class FieldFilter(TypedDict, total=False):
    """Selected options of a custom field."""

    custom_field_id: str | None
    custom_field_name: str | None
    selected_option_ids: list[str] | None
    selected_option_values: list[str] | None


class PlanningFilters(TypedDict, total=False):
    """The shared arguments."""

    crm_contact_id: str | None
    crm_organization_id: str | None
    custom_field: list[FieldFilter] | None
    iteration_cadence_id: list[str] | None
    iteration_wildcard_id: str | None
    status: Mapping[str, str | None] | None


def list_tests(ctx: ReadContext, parent: Container | None, given: Mapping[str, Any]) -> Iterator[ItemTest]:
    """Yield the tests of the shared filters among some arguments; ``parent`` is whose work items are listed."""
    if wanted := given.get("status"):
        yield lambda item: has_status(ctx, item, wanted)
    if cadences := given.get("iteration_cadence_id"):
        ids = {parse_id(ctx, text, "Iterations::Cadence") for text in cadences}
        yield lambda item: isinstance(item, Issue) and _cadence_of(ctx, item) in ids
    yield from _list_customer_tests(ctx, parent, given)
    if parent is None or custom_fields.is_enabled(ctx, parent):
        yield from _list_field_tests(ctx, parent, given.get("custom_field"), _has_all)
        yield from _list_field_tests(ctx, parent, given.get("not", {}).get("custom_field"), _has_none)
        yield from _list_field_tests(ctx, parent, given.get("or", {}).get("custom_field"), _has_any)


def has_status(ctx: ReadContext, item: WorkItem, wanted: Mapping[str, str | None]) -> bool:
    """Return whether a work item has a status, given by its id or its name."""
    if not isinstance(item, Issue) or not work_statuses.has_statuses(ctx, item):
        return False
    status, id_, name = work_statuses.status_of(item), wanted.get("id"), wanted.get("name")
    is_named = name is None or name.lower() == status.name.lower()
    return is_named and (id_ is None or parse_id(ctx, id_, work_statuses.GID) == status.id)


def _cadence_of(ctx: ReadContext, issue: Issue) -> int | None:
    iteration = ctx.world.iterations.get(issue.iteration_id or 0)
    return iteration.cadence_id if iteration is not None else None


# Customers


def _list_customer_tests(ctx: ReadContext, parent: Container | None, given: Mapping[str, Any]) -> Iterator[ItemTest]:
    """Yield the tests of customers; who may not see these gets all, as if there were no filter."""
    source = crm_access.find_source(ctx.world, parent) if parent is not None else None
    if source is None:
        return
    for name, ability in (("contact", Ability.READ_CRM_CONTACT), ("organization", Ability.READ_CRM_ORGANIZATION)):
        wanted = given.get(f"crm_{name}_id")
        if wanted and crm_access.may(ctx, ability, source):
            yield _customer_test(ctx, name, wanted)


def _customer_test(ctx: ReadContext, name: str, wanted: str) -> ItemTest:
    def test(item: WorkItem) -> bool:
        links = ctx.world.issue_contacts.where("issue", item.id) if isinstance(item, Issue) else ()
        contacts = [ctx.world.crm_contacts[link.contact_id] for link in links]
        return any(wanted == str(each.id if name == "contact" else each.organization_id) for each in contacts)

    return test


# Custom fields

Compare = Callable[[Sequence[int], Sequence[int]], bool]


def _has_all(selected: Sequence[int], wanted: Sequence[int]) -> bool:
    return set(wanted) <= set(selected)


def _has_none(selected: Sequence[int], wanted: Sequence[int]) -> bool:
    return set(wanted).isdisjoint(selected)


def _has_any(selected: Sequence[int], wanted: Sequence[int]) -> bool:
    return not set(wanted).isdisjoint(selected)


def _list_field_tests(
    ctx: ReadContext, parent: Container | None, filters: Sequence[FieldFilter] | None, compare: Compare
) -> Iterator[ItemTest]:
    for given in filters or ():
        _check_filter(given)
        field = _find_field(ctx, parent, given)
        wanted = None if field is None or field.field_type not in _SELECTABLE else _list_options(ctx, field, given)
        if field is None or wanted is None:
            yield lambda _item: False
        elif len(wanted) == len(given.get("selected_option_values") or wanted) or (wanted and compare is _has_any):
            yield _field_test(ctx, field, wanted, compare)
        elif compare is not _has_none:
            # An option that does not exist was asked for.
            yield lambda _item: False


def _check_filter(given: FieldFilter) -> None:
    ids, values = given.get("selected_option_ids"), given.get("selected_option_values")
    if (given.get("custom_field_id") is None) is (given.get("custom_field_name") is None):
        raise GraphQLError(_ONE_OF.format("customFieldId, customFieldName"))
    if (ids is None) is (values is None):
        raise GraphQLError(_ONE_OF.format("selectedOptionIds, selectedOptionValues"))
    for name, options in (("selectedOptionIds", ids), ("selectedOptionValues", values)):
        if len(options or ()) > _MOST:
            raise GraphQLError(f"{name} is too long (maximum is {_MOST})")


def _find_field(ctx: ReadContext, parent: Container | None, given: FieldFilter) -> CustomField | None:
    id_, name = given.get("custom_field_id"), (given.get("custom_field_name") or "").lower()
    if id_ is not None:
        return ctx.world.custom_fields.get(parse_id(ctx, id_, "Issuables::CustomField"))
    if parent is None:
        return None
    group = ctx.world.namespaces[parent.namespace_id] if isinstance(parent, Project) else parent
    fields = custom_fields.list_fields(ctx.world, namespaces.root_of(ctx.world, group))
    return next((each for each in fields if each.name.lower() == name), None)


def _list_options(ctx: ReadContext, field: CustomField, given: FieldFilter) -> list[int]:
    ids = given.get("selected_option_ids")
    if ids is not None:
        return [parse_id(ctx, text, "Issuables::CustomFieldSelectOption") for text in ids]
    values = {value.lower() for value in given.get("selected_option_values") or ()}
    return [option.id for option in field.select_options if option.value.lower() in values]


def _field_test(ctx: ReadContext, field: CustomField, wanted: Sequence[int], compare: Compare) -> ItemTest:
    def test(item: WorkItem) -> bool:
        value = custom_fields.find_value(ctx.world, field, item)
        return compare(value.selected if value is not None else (), wanted)

    return test


_SELECTABLE: Final = ("single_select", "multi_select")
