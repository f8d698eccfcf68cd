"""Contacts at customers. Source: docs/platform/customer-relations.md."""

from typing import Any, Final, Literal, TypedDict, Unpack

from attrs import evolve

from fakeplat.core.operations.errors import BadRequest
from fakeplat.domain.customer_relations import crm_access
from fakeplat.domain.customer_relations.customer_lists import CustomerFilter, Value, filter_rows, sort_rows
from fakeplat.domain.validation import BLANK, TAKEN, ValidationErrors, is_email, too_long
from fakeplat.model.customer_relations import CrmContact, State
from fakeplat.model.people import Group
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext

Column = Literal["first_name", "last_name", "email", "phone", "description", "organization"]
_SEARCHED: Final = ("first_name", "last_name", "email", "description")
_LENGTHS: Final = {"phone": 32, "first_name": 255, "last_name": 255, "email": 255, "description": 1024}
_WRONG_GROUP: Final = "contacts can only be added to root groups and groups configured as CRM targets"
_WRONG_ORGANIZATION: Final = "The specified organization was not found or does not belong to this group"


class ContactFields(TypedDict, total=False):
    """What users say of a contact."""

    first_name: str
    last_name: str
    phone: str | None
    email: str | None
    description: str | None
    organization_id: int | None
    state: State


def list_contacts(ctx: ReadContext, group: Group, **filters: Unpack[CustomerFilter]) -> list[CrmContact]:
    """Return the contacts that a group uses, by last and first name; none for those who may not see them."""
    source = crm_access.find_source(ctx.world, group)
    if source is None or not crm_access.may(ctx, Ability.READ_CRM_CONTACT, source):
        return []
    rows = filter_rows(ctx.world.crm_contacts.where("group", source.id), filters, _SEARCHED)
    return sorted(rows, key=lambda row: (row.last_name.lower(), row.first_name.lower(), row.id))


def sort_by(world: World, rows: list[CrmContact], column: Column, *, descending: bool) -> list[CrmContact]:
    """Return contacts by a column, or by the names of their organizations."""

    def value_of(contact: CrmContact) -> Value:
        if column != "organization":
            value: Value = getattr(contact, column)
            return value
        return world.crm_organizations[contact.organization_id].name if contact.organization_id is not None else None

    return sort_rows(rows, value_of, descending=descending)


def find_by_email(world: World, group_id: int, email: str) -> CrmContact | None:
    """Return the contact of a group with an address, in any case."""
    return world.crm_contacts.find("email", (group_id, email.lower()))


def create(ctx: WriteContext, group: Group, **fields: Unpack[ContactFields]) -> CrmContact:
    """Add a contact to a group, or refuse with 400."""
    table, now = ctx.world.crm_contacts, ctx.now_iso
    values: Any = {"created_at": now, "updated_at": now, **fields}
    return table.add(_check(ctx.world, CrmContact(id=table.next_id(), group_id=group.id, **values)))


def update(ctx: WriteContext, contact: CrmContact, **fields: Unpack[ContactFields]) -> CrmContact:
    """Change a contact, or refuse with 400."""
    changed = _check(ctx.world, evolve(contact, **fields))
    return ctx.world.crm_contacts.replace(contact, evolve(changed, updated_at=ctx.now_iso))


def _check(world: World, given: CrmContact) -> CrmContact:
    """Return a contact as it is stored."""
    organization = world.crm_organizations.get(given.organization_id or 0)
    if given.organization_id is not None and (organization is None or organization.group_id != given.group_id):
        raise BadRequest(_WRONG_ORGANIZATION)
    contact = evolve(
        given,
        first_name=(given.first_name or "").strip(),
        last_name=(given.last_name or "").strip(),
        phone=(given.phone or "").strip() or None,
    )
    errors = ValidationErrors()
    errors.when(not contact.first_name, "first_name", BLANK)
    errors.when(not contact.last_name, "last_name", BLANK)
    for column, length in _LENGTHS.items():
        too_long(errors, column, getattr(contact, column), length)
    _check_email(world, contact, errors)
    group = world.namespaces[contact.group_id]
    errors.when(not crm_access.can_have_customers(world, group), "base", _WRONG_GROUP)
    errors.refuse()
    return contact


def _check_email(world: World, contact: CrmContact, errors: ValidationErrors) -> None:
    if contact.email is None:
        return
    existing = find_by_email(world, contact.group_id, contact.email)
    errors.when(existing is not None and existing.id != contact.id, "email", TAKEN)
    errors.when(not is_email(contact.email), "email", "is invalid")
