"""Contacts at customers. Source: docs/platform/customer-relations.md."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypedDict, Unpack, cast

from fakeplat.domain.customer_relations import contacts, customer_lists
from fakeplat.domain.customer_relations.contacts import Column, ContactFields
from fakeplat.domain.customer_relations.customer_lists import StateCounts
from fakeplat.graphql.customer_relations.customers import (
    ACTIVE_SINCE,
    COUNTS_SINCE,
    FILTERS_SINCE,
    SINCE,
    CustomerSearch,
    authorize_change,
    declare_counts,
    declare_state,
    list_orders,
    read_filters,
    reads_customers,
    require_group_for,
)
from fakeplat.graphql.customer_relations.organizations import KIND as ORGANIZATION_KIND
from fakeplat.graphql.errors import ResourceNotAvailable, collect_errors
from fakeplat.graphql.ids import parse_id
from fakeplat.graphql.people.groups import GROUP
from fakeplat.graphql.schema_builder import Enumeration, Scalar, Type, mutation
from fakeplat.model.customer_relations import CrmContact, CrmOrganization
from fakeplat.model.people import Group
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext

KIND: Final = "CustomerRelations::Contact"
CHANGES_SINCE: Final = "<=14.6"
Scalar("CustomerRelationsContactID", f"The global ID of a record of the type {KIND}.", since=CHANGES_SINCE)
CONTACT: Final = Type("CustomerRelationsContact", "A contact of a group.", gid=KIND, since=SINCE)
CONTACT.attributes(
    {
        "firstName: String!": "The first name.",
        "lastName: String!": "The last name.",
        "phone: String": "The number of the telephone.",
        "email: String": "The e-mail address.",
        "description: String": "The description.",
        "createdAt: Time!": "Timestamp of creation.",
        "updatedAt: Time!": "Timestamp of the last update.",
    }
)
declare_state(CONTACT)
Enumeration(
    "ContactSort",
    "The order of contacts.",
    list_orders("first_name", "last_name", "email", "phone", "description", "organization"),
    since=COUNTS_SINCE,
)
declare_counts("ContactStateCounts", "How many contacts are in which state.")


@CONTACT.field("organization: CustomerRelationsOrganization")
def organization_of(ctx: ReadContext, contact: CrmContact) -> CrmOrganization | None:
    """The customer, if the caller may see those of the group."""
    group = ctx.world.namespaces[contact.group_id]
    if contact.organization_id is None or not isinstance(group, Group):
        return None
    is_visible = reads_customers(ctx, Ability.READ_CRM_ORGANIZATION, group)
    return ctx.world.crm_organizations[contact.organization_id] if is_visible else None


@GROUP.field(
    f"""contacts(search: String @lifetime(since: "{FILTERS_SINCE}"),
    state: CustomerRelationsContactState @lifetime(since: "{FILTERS_SINCE}"),
    ids: [CustomerRelationsContactID!] @lifetime(since: "{FILTERS_SINCE}"),
    sort: ContactSort = LAST_NAME_ASC @lifetime(since: "{COUNTS_SINCE}")): CustomerRelationsContactConnection""",
    since=SINCE,
)
def contacts_of(ctx: ReadContext, group: Group, **arguments: Unpack[CustomerSearch]) -> Sequence[CrmContact]:
    """The contacts of the group, for those who may see them."""
    sort = arguments.get("sort")
    rows = contacts.list_contacts(ctx, group, **read_filters(ctx, arguments, KIND))
    if sort is None:
        return rows
    column, direction = sort
    return contacts.sort_by(ctx.world, rows, cast(Column, column), descending=direction == "desc")


@GROUP.field(
    "contactStateCounts(search: String, state: CustomerRelationsContactState): ContactStateCounts",
    since=COUNTS_SINCE,
)
def contact_counts_of(
    ctx: ReadContext, group: Group, search: str | None = None, state: str | None = None
) -> StateCounts | None:
    """How many contacts are in which state; null for those who may not see them."""
    if not reads_customers(ctx, Ability.READ_CRM_CONTACT, group):
        return None
    return customer_lists.count_states(contacts.list_contacts(ctx, group, search=search, state=state))


# Changes

_GIVES: Final = '"""The contact."""\ncontact: CustomerRelationsContact'
_FIELDS: Final = '''
"""The global ID of the customer."""
organizationId: CustomerRelationsOrganizationID
"""The number of the telephone."""
phone: String
"""The e-mail address."""
email: String
"""The description."""
description: String
'''
_NAMES: Final = '"""The first name."""\nfirstName: String{0}\n"""The last name."""\nlastName: String{0}'


class ContactInput(TypedDict, total=False):
    """The input of both mutations, as far as it is stored."""

    first_name: str
    last_name: str
    organization_id: str | None
    phone: str | None
    email: str | None
    description: str | None


def _to_fields(ctx: WriteContext, given: ContactInput) -> ContactFields:
    fields = cast(ContactFields, {**given})
    organization_id = given.get("organization_id")
    if organization_id is not None:
        fields["organization_id"] = parse_id(ctx, organization_id, ORGANIZATION_KIND)
    return fields


@mutation(
    "customerRelationsContactCreate",
    input_fields=f'"""The global ID of the group."""\ngroupId: GroupID!\n{_NAMES.format("!")}{_FIELDS}',
    payload_fields=_GIVES,
    since=CHANGES_SINCE,
)
def create_contact(ctx: WriteContext, group_id: str, **given: Unpack[ContactInput]) -> Mapping[str, Any]:
    """Add a contact to a group."""
    group = require_group_for(ctx, group_id, Ability.ADMIN_CRM_CONTACT)
    with collect_errors(contact=None):
        return {"contact": contacts.create(ctx, group, **_to_fields(ctx, given))}


@mutation(
    "customerRelationsContactUpdate",
    input_fields='"""The global ID of the contact."""\nid: CustomerRelationsContactID!\n'
    f"{_NAMES.format('')}{_FIELDS}"
    f'"""Whether it is active."""\nactive: Boolean @lifetime(since: "{ACTIVE_SINCE}")',
    payload_fields=_GIVES,
    since=CHANGES_SINCE,
)
def update_contact(
    ctx: WriteContext, id: str, active: bool | None = None, **given: Unpack[ContactInput]
) -> Mapping[str, Any]:
    """Change a contact."""
    found = ctx.world.crm_contacts.get(parse_id(ctx, id, KIND))
    if found is None:
        raise ResourceNotAvailable(f"there is no contact {id}")
    authorize_change(ctx, Ability.ADMIN_CRM_CONTACT, found)
    fields = _to_fields(ctx, given)
    if active is not None:
        fields["state"] = "active" if active else "inactive"
    with collect_errors(contact=None):
        return {"contact": contacts.update(ctx, found, **fields)}
