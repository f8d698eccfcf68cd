"""Contacts of issues. Source: docs/platform/customer-relations.md ('Issues')."""

import re
from collections.abc import Collection, Iterable, Sequence
from typing import Final

from fakeplat.core.operations.errors import BadRequest
from fakeplat.core.store.frozen import frozen
from fakeplat.domain.customer_relations import contacts, crm_access
from fakeplat.domain.notes import noteables, system_notes
from fakeplat.domain.purging import purge
from fakeplat.domain.validation import join_words
from fakeplat.model.customer_relations import CrmContact, IssueContact
from fakeplat.model.issues import Issue
from fakeplat.model.people import Group
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext

_MOST_AT_ONCE: Final = 6
_TOO_MANY: Final = f"You can only add up to {_MOST_AT_ONCE} contacts at one time"
_NO_RIGHT: Final = "You have insufficient permissions to set customer relations contacts for this issue"
_UNKNOWN: Final = (
    "The resource that you are attempting to access does not exist or you don't have permission to perform this action"
)
# Quick actions name contacts as [contact:ada@example.test], the interface puts quotes around what has blanks.
_REFERENCE: Final = re.compile(r'^(?:\["?contact:)?|\]$')


@frozen
class ContactChanges:
    """Ids of contacts that an issue gets and loses."""

    added: Sequence[int] = ()
    removed: Collection[int] = ()


def list_of(world: World, issue: Issue) -> list[CrmContact]:
    """Return the contacts of an issue in the order in which they were added."""
    return [world.crm_contacts[link.contact_id] for link in world.issue_contacts.where("issue", issue.id)]


def list_visible(ctx: ReadContext, issue: Issue) -> list[CrmContact]:
    """Return the contacts of an issue that the caller sees."""
    if not ctx.world.issue_contacts:
        return []
    source = crm_access.find_source(ctx.world, ctx.world.projects[issue.project_id])
    is_visible = source is not None and crm_access.may(ctx, Ability.READ_CRM_CONTACT, source)
    return list_of(ctx.world, issue) if is_visible else []


def add(ctx: WriteContext, issue: Issue, contact: CrmContact) -> IssueContact:
    """Add a contact to an issue, unless it has it."""
    table, pair = ctx.world.issue_contacts, (issue.id, contact.id)
    return table.find("pair", pair) or table.add(IssueContact(table.next_id(), *pair))


def change(ctx: WriteContext, issue: Issue, changes: ContactChanges) -> list[str]:
    """Change the contacts of an issue, with a system note; return the errors of those that cannot be added.

    If some can be added, they are.
    """
    project = ctx.world.projects[issue.project_id]
    if not crm_access.sets_contacts_of(ctx, project):
        raise BadRequest(_NO_RIGHT)
    if len(changes.added) > _MOST_AT_ONCE:
        raise BadRequest(_TOO_MANY)
    present = {contact.id for contact in list_of(ctx.world, issue)}
    wanted = [id_ for id_ in dict.fromkeys(changes.added) if id_ not in present]
    source = crm_access.find_source(ctx.world, project)
    found = {id_: contact for id_ in wanted if (contact := _find_in(ctx.world, source, id_)) is not None}
    for contact in found.values():
        add(ctx, issue, contact)
    lost = present.intersection(changes.removed)
    purge(ctx, *(link for link in ctx.world.issue_contacts.where("issue", issue.id) if link.contact_id in lost))
    errors = [f"{id_}: {_UNKNOWN}" for id_ in wanted if id_ not in found]
    if errors:
        return [f"Issue customer relations contacts {join_words(errors)}"]
    _record(ctx, noteables.touch_updated_at(ctx, issue), len(found), len(lost))
    return []


def _find_in(world: World, source: Group | None, id_: int) -> CrmContact | None:
    contact = world.crm_contacts.get(id_)
    return contact if contact is not None and source is not None and contact.group_id == source.id else None


def _record(ctx: WriteContext, issue: Issue, added: int, removed: int) -> None:
    counts = (("added", added), ("removed", removed))
    parts = [f"{verb} {count} contact{'' if count == 1 else 's'}" for verb, count in counts if count]
    if parts:
        system_notes.write(ctx, noteables.subject_of(issue), ctx.signed_in_user, " and ".join(parts))


def replace(world: World, issue: Issue, ids: Sequence[int]) -> ContactChanges:
    """Return the changes after which an issue has certain contacts."""
    present = [contact.id for contact in list_of(world, issue)]
    return ContactChanges(
        added=[id_ for id_ in ids if id_ not in present], removed=[id_ for id_ in present if id_ not in ids]
    )


def parse_addresses(references: Iterable[str]) -> list[str]:
    """Return the addresses in references to contacts."""
    return [_REFERENCE.sub("", reference).replace('"', "") for reference in references]


def add_by_addresses(ctx: WriteContext, issue: Issue, references: Sequence[str]) -> None:
    """Add the contacts with some addresses, in any case, to an issue; unknown ones are left out."""
    if len(references) > _MOST_AT_ONCE:
        raise BadRequest(_TOO_MANY)
    source = crm_access.find_source(ctx.world, ctx.world.projects[issue.project_id])
    found = (
        contacts.find_by_email(ctx.world, source.id, address)
        for address in parse_addresses(references)
        if source is not None
    )
    change(ctx, issue, ContactChanges(added=[contact.id for contact in found if contact is not None]))


def remove_by_addresses(ctx: WriteContext, issue: Issue, references: Sequence[str]) -> None:
    """Remove the contacts with exactly these addresses from an issue."""
    addresses = parse_addresses(references)
    lost = [contact.id for contact in list_of(ctx.world, issue) if contact.email in addresses]
    change(ctx, issue, ContactChanges(removed=lost))


def copy(ctx: WriteContext, issue: Issue, moved: Issue) -> None:
    """Give a moved issue the contacts of the original, if both projects use the customers of one group."""
    source = crm_access.find_source(ctx.world, ctx.world.projects[moved.project_id])
    for contact in list_of(ctx.world, issue):
        if _find_in(ctx.world, source, contact.id) is not None:
            add(ctx, moved, contact)


def drop_foreign(ctx: WriteContext, project: Project) -> None:
    """Remove contacts from the issues of a project that uses the customers of another group now."""
    world, source = ctx.world, crm_access.find_source(ctx.world, project)
    links = [link for link in world.issue_contacts.all() if world.issues[link.issue_id].project_id == project.id]
    purge(ctx, *(link for link in links if _find_in(world, source, link.contact_id) is None))
