"""Organizations and contacts of customers, under groups, and the contacts of issues."""

from typing import Any, Final

from fakeplat.core.schema.mistakes import nearest_name
from fakeplat.core.schema.shapes import DATE_TIME, NULLABLE_TEXT, TEXT, Choice, Nullable, Number
from fakeplat.domain.customer_relations import contacts, crm_access, issue_contacts, organizations
from fakeplat.model.customer_relations import CrmContact, CrmOrganization, IssueContact
from fakeplat.model.issues import Issue
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section
from fakeplat.scenario.section import ISSUES, EntryData

_STATE: Final = Choice("active", "inactive")
_TIMES: Final = {"created_at": DATE_TIME, "updated_at": DATE_TIME}


def _select(entry: Entry, *names: str) -> dict[str, Any]:
    times = {"created_at": entry.created_at, "updated_at": entry.created_at}
    return {**times, **entry.select((*names, *_TIMES))}


def _create_organization(entry: Entry) -> CrmOrganization:
    values = _select(entry, "name", "default_rate", "description", "state")
    existing = organizations.find_by_name(entry.world, entry.owner.id, values["name"])
    if existing is not None:
        return entry.world.crm_organizations.change(existing, **values)
    return organizations.create(entry.ctx, entry.owner, **values)


ORGANIZATIONS: Final = derive_section(
    "crm_organizations",
    CrmOrganization,
    within=("group",),
    keys={
        "name": TEXT,
        "default_rate": Nullable(Number()),
        "description": NULLABLE_TEXT,
        "state": _STATE,
        **_TIMES,
    },
    required=("name",),
    create=_create_organization,
    name_key="name",
)


def _create_contact(entry: Entry) -> CrmContact:
    values = _select(entry, "first_name", "last_name", "phone", "email", "description", "state")
    if entry.values.get("organization") is not None:
        values["organization_id"] = _get_organization(entry).id
    email = values.get("email")
    existing = contacts.find_by_email(entry.world, entry.owner.id, email) if email else None
    if existing is not None:
        return entry.world.crm_contacts.change(existing, **values)
    return contacts.create(entry.ctx, entry.owner, **values)


def _get_organization(entry: Entry) -> CrmOrganization:
    name = entry.values["organization"]
    known = [each.name for each in entry.world.crm_organizations.where("group", entry.owner.id)]
    found = organizations.find_by_name(entry.world, entry.owner.id, name)
    return found or entry.fail(f"unknown organization {name!r}", "organization", nearest_name(name, known))


def _serialize_organization(world: World, contact: CrmContact) -> EntryData:
    id_ = contact.organization_id
    return {} if id_ is None else {"organization": world.crm_organizations[id_].name}


CONTACTS: Final = derive_section(
    "crm_contacts",
    CrmContact,
    within=("group",),
    rank=ISSUES,
    keys={
        "first_name": TEXT,
        "last_name": TEXT,
        "phone": NULLABLE_TEXT,
        "email": NULLABLE_TEXT,
        "description": NULLABLE_TEXT,
        "state": _STATE,
        **_TIMES,
    },
    further_keys={"organization": NULLABLE_TEXT},
    required=("first_name", "last_name"),
    create=_create_contact,
    parts=_serialize_organization,
)


def _name_of(contact: CrmContact) -> str:
    return contact.email or f"{contact.first_name} {contact.last_name}"


def _add_contact(entry: Entry) -> IssueContact:
    issue: Issue = entry.owner
    source = crm_access.find_source(entry.world, entry.world.projects[issue.project_id])
    known = list(entry.world.crm_contacts.where("group", source.id)) if source is not None else []
    name = entry.values["contact"]
    found = next((contact for contact in known if name in (contact.email, _name_of(contact))), None)
    contact = found or entry.fail(
        f"unknown contact {name!r}", "contact", nearest_name(name, [_name_of(contact) for contact in known])
    )
    return issue_contacts.add(entry.ctx, issue, contact)


def _serialize_contact(world: World, link: IssueContact) -> EntryData:
    return {"contact": _name_of(world.crm_contacts[link.contact_id])}


ISSUE_CONTACTS: Final = derive_section(
    "issue_contacts",
    IssueContact,
    within=("issue",),
    rank=ISSUES,
    keys={"contact": TEXT},
    required=("contact",),
    create=_add_contact,
    serialize=_serialize_contact,
    name_key="contact",
    case_sensitive=True,
)
