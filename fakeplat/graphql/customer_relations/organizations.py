"""Organizations of customers. Source: docs/platform/customer-relations.md."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Unpack

from graphql import GraphQLError

from fakeplat.core.operations.errors import InvalidRecord
from fakeplat.domain.customer_relations import customer_lists, organizations
from fakeplat.domain.customer_relations.customer_lists import StateCounts
from fakeplat.domain.customer_relations.organizations import OrganizationFields
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
from fakeplat.graphql.errors import ResourceNotAvailable, collect_errors
from fakeplat.graphql.ids import parse_id
from fakeplat.graphql.people.groups import GROUP
from fakeplat.graphql.schema_builder import Enumeration, Scalar, Type, mutation
from fakeplat.model.customer_relations import CrmOrganization
from fakeplat.model.people import Group
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext

KIND: Final = "CustomerRelations::Organization"
Scalar("CustomerRelationsOrganizationID", f"The global ID of a record of the type {KIND}.", since=SINCE)
ORGANIZATION: Final = Type("CustomerRelationsOrganization", "A customer of a group.", gid=KIND, since=SINCE)
ORGANIZATION.attributes(
    {
        "name: String!": "The name.",
        "defaultRate: Float": "What an hour costs.",
        "description: String": "The description.",
        "createdAt: Time!": "Timestamp of creation.",
        "updatedAt: Time!": "Timestamp of the last update.",
    }
)
declare_state(ORGANIZATION)
Enumeration(
    "OrganizationSort",
    "The order of customers.",
    list_orders("name", "description", "default_rate"),
    since=COUNTS_SINCE,
)
declare_counts("OrganizationStateCounts", "How many customers are in which state.")


@GROUP.field(
    f"""organizations(search: String @lifetime(since: "{FILTERS_SINCE}"),
    state: CustomerRelationsOrganizationState @lifetime(since: "{FILTERS_SINCE}"),
    ids: [CustomerRelationsOrganizationID!] @lifetime(since: "{FILTERS_SINCE}"),
    sort: OrganizationSort = NAME_ASC @lifetime(since: "{COUNTS_SINCE}")): CustomerRelationsOrganizationConnection""",
    since=SINCE,
)
def organizations_of(ctx: ReadContext, group: Group, **arguments: Unpack[CustomerSearch]) -> Sequence[CrmOrganization]:
    """The customers of the group, for those who may see them."""
    sort = arguments.get("sort")
    rows = organizations.list_organizations(ctx, group, **read_filters(ctx, arguments, KIND))
    if sort is None:
        return rows
    column, direction = sort
    return customer_lists.sort_rows(rows, lambda row: getattr(row, column), descending=direction == "desc")


@GROUP.field(
    "organizationStateCounts(search: String, state: CustomerRelationsOrganizationState): OrganizationStateCounts",
    since=COUNTS_SINCE,
)
def organization_counts_of(
    ctx: ReadContext, group: Group, search: str | None = None, state: str | None = None
) -> StateCounts | None:
    """How many customers are in which state; null for those who may not see them."""
    if not reads_customers(ctx, Ability.READ_CRM_ORGANIZATION, group):
        return None
    return customer_lists.count_states(organizations.list_organizations(ctx, group, search=search, state=state))


# Changes

_GIVES: Final = '"""The customer."""\norganization: CustomerRelationsOrganization'
_FIELDS: Final = '''
"""What an hour costs."""
defaultRate: Float
"""The description."""
description: String
'''


@mutation(
    "customerRelationsOrganizationCreate",
    input_fields=f'"""The global ID of the group."""\ngroupId: GroupID!\n"""The name."""\nname: String!{_FIELDS}',
    payload_fields=_GIVES,
    since=SINCE,
)
def create_organization(ctx: WriteContext, group_id: str, **fields: Unpack[OrganizationFields]) -> Mapping[str, Any]:
    """Add a customer to a group."""
    group = require_group_for(ctx, group_id, Ability.ADMIN_CRM_ORGANIZATION)
    with collect_errors(organization=None):
        return {"organization": organizations.create(ctx, group, **fields)}


@mutation(
    "customerRelationsOrganizationUpdate",
    input_fields='"""The global ID of the customer."""\nid: CustomerRelationsOrganizationID!\n'
    f'"""The name."""\nname: String{_FIELDS}'
    f'"""Whether it is still one."""\nactive: Boolean @lifetime(since: "{ACTIVE_SINCE}")',
    payload_fields=_GIVES + "!",
    since=SINCE,
)
def update_organization(
    ctx: WriteContext, id: str, active: bool | None = None, **fields: Unpack[OrganizationFields]
) -> Mapping[str, Any]:
    """Change a customer."""
    found = ctx.world.crm_organizations.get(parse_id(ctx, id, KIND))
    if found is None:
        raise ResourceNotAvailable(f"there is no customer {id}")
    authorize_change(ctx, Ability.ADMIN_CRM_ORGANIZATION, found)
    if active is not None:
        fields["state"] = "active" if active else "inactive"
    try:
        return {"organization": organizations.update(ctx, found, **fields)}
    except InvalidRecord as refusal:
        # A payload without the organization, which must not be null, is none.
        raise GraphQLError(refusal.full_messages()[0]) from None
