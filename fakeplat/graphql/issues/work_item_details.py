"""Details of work items: edits, linked resources, contacts, and what their pages offer.

Source: docs/platform/work-items.md ('Details').
"""

from collections.abc import Sequence
from functools import reduce
from typing import Final

from graphql import GraphQLError

from fakeplat.core.store.frozen import frozen
from fakeplat.domain.customer_relations import crm_access, issue_contacts
from fakeplat.domain.issues import work_items
from fakeplat.domain.issues.work_items import WorkItem
from fakeplat.domain.notes import noteables
from fakeplat.graphql.ids import parse_id
from fakeplat.graphql.issues.work_item_widgets import list_available_kinds, widget_field
from fakeplat.graphql.issues.work_items import WORK_ITEM
from fakeplat.graphql.people.groups import GROUP, NAMESPACE
from fakeplat.graphql.schema_builder import Type
from fakeplat.model.customer_relations import CrmContact
from fakeplat.model.issues import Issue
from fakeplat.model.people import User
from fakeplat.model.projects import Routable
from fakeplat.policy.context import ReadContext
from fakeplat.policy.features import has_feature

_EDITS: Final = "<=15.8"
_LATER: Final = "<=18.5"


@widget_field("DESCRIPTION", "edited: Boolean!", since=_EDITS)
def is_edited(_ctx: ReadContext, item: WorkItem) -> bool:
    """Whether the description was changed after the creation."""
    return item.last_edited_at not in (None, item.created_at)


@widget_field("DESCRIPTION", "lastEditedAt: Time", since=_EDITS)
def last_edited_at(_ctx: ReadContext, item: WorkItem) -> str | None:
    """Timestamp of the last change of the description."""
    return item.last_edited_at


@widget_field("DESCRIPTION", "lastEditedBy: User", since=_EDITS)
def last_edited_by(ctx: ReadContext, item: WorkItem) -> User | None:
    """The user who changed the description last."""
    return ctx.world.users.get(item.last_edited_by_id or 0)


@frozen
class LinkedResource:
    """A Zoom meeting of an issue."""

    id: int
    url: str


RESOURCE: Final = Type("WorkItemLinkedResource", "Something elsewhere that belongs to a work item.", since=_LATER)
RESOURCE.attributes({"url: String!": "The address."})


@widget_field("LINKED_RESOURCES", "linkedResources: WorkItemLinkedResourceConnection")
def linked_resources(_ctx: ReadContext, item: Issue) -> Sequence[LinkedResource]:
    """The Zoom meeting, if there is one."""
    return [LinkedResource(item.id, item.zoom_url)] if item.zoom_url is not None else []


@widget_field("CRM_CONTACTS", "contacts: CustomerRelationsContactConnection")
def contacts(ctx: ReadContext, item: Issue) -> Sequence[CrmContact]:
    """The contacts, for those who may see them."""
    return issue_contacts.list_visible(ctx, item)


@widget_field("CRM_CONTACTS", "contactsAvailable: Boolean!")
def are_contacts_available(ctx: ReadContext, item: Issue) -> bool:
    """Whether there is any contact that it could have."""
    source = crm_access.find_source(ctx.world, ctx.world.projects[item.project_id])
    return source is not None and bool(ctx.world.crm_contacts.where("group", source.id))


@WORK_ITEM.field("showPlanUpgradePromotion: Boolean!", since="17.11")
def shows_promotion(ctx: ReadContext, item: WorkItem) -> bool:
    """Whether the page advertises paid tiers, which is the case in the free one."""
    return not has_feature(ctx.world, "premium", noteables.container_of(ctx.world, item))


_MOST_TYPES: Final = 100


@GROUP.field("workItemsWidgets(ids: [WorkItemsTypeID!]!, union: Boolean = false): [String!]", since="18.2")
@NAMESPACE.field("workItemsWidgets(ids: [WorkItemsTypeID!]!, union: Boolean = false): [String!]", since="18.2")
def widgets_of_types(
    ctx: ReadContext, container: Routable, ids: Sequence[str], union: bool | None = False
) -> Sequence[str]:
    """The widgets that work items of all these types have, or of any of them (``union``)."""
    if len(ids) > _MOST_TYPES:
        raise GraphQLError(f"No more than {_MOST_TYPES} work items can be loaded at the same time")
    found = (work_items.find_type(parse_id(ctx, text, "WorkItems::Type")) for text in dict.fromkeys(ids))
    kinds = [list_available_kinds(ctx, container, kind.kind) for kind in found if kind is not None]
    if union:
        return list(dict.fromkeys(name for names in kinds for name in names))
    return reduce(lambda common, names: [name for name in common if name in names], kinds) if kinds else []
