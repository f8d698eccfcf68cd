"""Contacts of issues. Source: docs/platform/customer-relations.md ('Issues')."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from graphql import GraphQLError

from fakeplat.core.operations.errors import BadRequest
from fakeplat.domain.customer_relations import crm_access, issue_contacts
from fakeplat.domain.customer_relations.issue_contacts import ContactChanges
from fakeplat.domain.notes import noteables
from fakeplat.graphql.customer_relations.contacts import CHANGES_SINCE, KIND
from fakeplat.graphql.errors import MutationResult, collect_errors
from fakeplat.graphql.ids import parse_id
from fakeplat.graphql.issues.issuable_changes import build_identity_fields
from fakeplat.graphql.issues.issuables import ISSUE
from fakeplat.graphql.lookups import require_issue
from fakeplat.graphql.operation_mode import APPEND, REMOVE, REPLACE
from fakeplat.graphql.schema_builder import mutation
from fakeplat.model.customer_relations import CrmContact
from fakeplat.model.issues import Issue
from fakeplat.model.world import World
from fakeplat.policy.context import ReadContext, WriteContext

_DISABLED: Final = "Feature disabled"
_NO_CHANGE: Final = "You cannot combine replace_ids with add_ids or remove_ids"


@ISSUE.field("customerRelationsContacts: CustomerRelationsContactConnection", since=CHANGES_SINCE)
def contacts_of(ctx: ReadContext, issue: Issue) -> Sequence[CrmContact]:
    """The contacts, for those who may see them."""
    return issue_contacts.list_visible(ctx, issue)


@mutation(
    "issueSetCrmContacts",
    input_fields=f'''
{build_identity_fields("issue")}
"""The global IDs of contacts."""
contactIds: [CustomerRelationsContactID!]!
"""How the contacts change the present ones; by default they replace them."""
operationMode: MutationOperationMode = REPLACE
''',
    payload_fields='"""The issue."""\nissue: Issue',
    since=CHANGES_SINCE,
)
def issue_set_crm_contacts(
    ctx: WriteContext,
    project_path: str,
    iid: str,
    contact_ids: Sequence[str],
    operation_mode: str | None = REPLACE,
) -> Mapping[str, Any]:
    """Set the contacts of an issue."""
    project, issue = require_issue(ctx, project_path, iid)
    noteables.authorize_update(ctx, issue)
    if not crm_access.is_enabled(ctx.world, ctx.world.namespaces[project.namespace_id]):
        raise GraphQLError(_DISABLED)
    ids = [parse_id(ctx, text, KIND) for text in contact_ids]
    with collect_errors(issue=issue):
        errors = issue_contacts.change(ctx, issue, plan(ctx.world, issue, ids, operation_mode))
    # What can be added is, so the mutation counts in spite of its errors.
    return {"issue": ctx.world.issues[issue.id], "errors": MutationResult(errors)}


def plan(world: World, issue: Issue, ids: Sequence[int], mode: str | None) -> ContactChanges:
    """Return how contacts change those of an issue; 400 for none that is added or removed."""
    if mode not in (APPEND, REMOVE):
        return issue_contacts.replace(world, issue, ids)
    if not ids:
        raise BadRequest(_NO_CHANGE)
    return ContactChanges(added=ids) if mode == APPEND else ContactChanges(removed=ids)
