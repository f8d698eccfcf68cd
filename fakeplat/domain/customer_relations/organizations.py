"""Organizations of customers. Source: docs/platform/customer-relations.md."""

from typing import Any, Final, TypedDict, Unpack

from attrs import evolve

from fakeplat.domain.customer_relations import crm_access
from fakeplat.domain.customer_relations.customer_lists import CustomerFilter, filter_rows
from fakeplat.domain.validation import BLANK, TAKEN, ValidationErrors, too_long
from fakeplat.model.customer_relations import CrmOrganization, State
from fakeplat.model.people import Group
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext

_SEARCHED: Final = ("name", "description")
_LONGEST_DESCRIPTION: Final = 1024
_WRONG_GROUP: Final = "organizations can only be added to root groups and groups configured as CRM targets"


class OrganizationFields(TypedDict, total=False):
    """What users say of an organization."""

    name: str
    default_rate: float | None
    description: str | None
    state: State


def list_organizations(ctx: ReadContext, group: Group, **filters: Unpack[CustomerFilter]) -> list[CrmOrganization]:
    """Return the organizations that a group uses, by name; none for those who may not see them."""
    source = crm_access.find_source(ctx.world, group)
    if source is None or not crm_access.may(ctx, Ability.READ_CRM_ORGANIZATION, source):
        return []
    rows = filter_rows(ctx.world.crm_organizations.where("group", source.id), filters, _SEARCHED)
    return sorted(rows, key=lambda row: (row.name.lower(), row.id))


def find_by_name(world: World, group_id: int, name: str) -> CrmOrganization | None:
    """Return the organization of a group with a name, in any case."""
    return world.crm_organizations.find("name", (group_id, name.lower()))


def create(ctx: WriteContext, group: Group, **fields: Unpack[OrganizationFields]) -> CrmOrganization:
    """Add an organization to a group, or refuse with 400."""
    table, now = ctx.world.crm_organizations, ctx.now_iso
    values: Any = {"created_at": now, "updated_at": now, **fields}
    return table.add(_check(ctx.world, CrmOrganization(id=table.next_id(), group_id=group.id, **values)))


def update(ctx: WriteContext, organization: CrmOrganization, **fields: Unpack[OrganizationFields]) -> CrmOrganization:
    """Change an organization, or refuse with 400."""
    changed = _check(ctx.world, evolve(organization, **fields))
    return ctx.world.crm_organizations.replace(organization, evolve(changed, updated_at=ctx.now_iso))


def _check(world: World, given: CrmOrganization) -> CrmOrganization:
    organization = evolve(given, name=(given.name or "").strip())
    errors, group = ValidationErrors(), world.namespaces[organization.group_id]
    existing = find_by_name(world, organization.group_id, organization.name)
    errors.when(not organization.name, "name", BLANK)
    errors.when(existing is not None and existing.id != organization.id, "name", TAKEN)
    too_long(errors, "name", organization.name)
    too_long(errors, "description", organization.description, _LONGEST_DESCRIPTION)
    errors.when(not crm_access.can_have_customers(world, group), "base", _WRONG_GROUP)
    errors.refuse()
    return organization
