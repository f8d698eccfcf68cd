"""Links of incidents to meetings, chats and other pages. Source: docs/platform/alerts.md ('Linked resources')."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, get_args

from fakeplat.core.operations.errors import InvalidRecord
from fakeplat.domain.alerts import resource_links
from fakeplat.domain.validation import join_words
from fakeplat.graphql.errors import MutationFailed, ResourceNotAvailable, error_messages
from fakeplat.graphql.ids import declare_id, parse_id
from fakeplat.graphql.issues.issuables import ISSUE
from fakeplat.graphql.lookups import WORK_ITEM
from fakeplat.graphql.schema_builder import Enumeration, Type, mutation
from fakeplat.model.alerts import ResourceLink, ResourceLinkType
from fakeplat.model.issues import Issue
from fakeplat.policy.authorization import caller_name
from fakeplat.policy.context import ReadContext, WriteContext

_SINCE: Final = "<=15.8"
_KIND: Final = "IncidentManagement::IssuableResourceLink"
_GIVES: Final = '"""The link."""\nissuableResourceLink: IssuableResourceLink'
Enumeration(
    "IssuableResourceLinkType",
    "Where a link of an incident leads.",
    {name: (name, f"{name.title()}.") for name in get_args(ResourceLinkType)},
    since=_SINCE,
)
LINK = Type("IssuableResourceLink", "A link of an incident to something elsewhere.", since=_SINCE)
LINK.attributes(
    {
        "link: String!": "The address.",
        "linkText: String": "The text.",
        "linkType: IssuableResourceLinkType!": "Where it leads.",
    }
)
declare_id(LINK, _KIND, "The global ID of the link.")


@LINK.field("issue: Issue!")
def incident_of(ctx: ReadContext, link: ResourceLink) -> Issue:
    """The incident."""
    return ctx.world.issues[link.incident_id]


@ISSUE.field("issuableResourceLinks(incidentId: IssueID!): IssuableResourceLinkConnection", since=_SINCE)
def links_of(ctx: ReadContext, _issue: Issue, incident_id: str) -> Sequence[ResourceLink]:
    """The links of the incident with a global ID, oldest first."""
    incident = _find_administered(ctx, incident_id)
    return resource_links.list_links(ctx, incident) if incident is not None else ()


def _find_administered(ctx: ReadContext, text: str) -> Issue | None:
    issue = ctx.world.issues.get(parse_id(ctx, text, ISSUE.name, WORK_ITEM))
    return issue if issue is not None and resource_links.may_administer(ctx, issue) else None


@mutation(
    "issuableResourceLinkCreate",
    input_fields='''
"""The global ID of the incident."""
id: IssueID!
"""The address."""
link: String!
"""The text."""
linkText: String
"""Where it leads."""
linkType: IssuableResourceLinkType
''',
    payload_fields=_GIVES,
    since=_SINCE,
)
def create_link(
    ctx: WriteContext, id: str, link: str, link_text: str | None = None, link_type: ResourceLinkType | None = None
) -> Mapping[str, Any]:
    """Add a link to an incident."""
    incident = _find_administered(ctx, id)
    if incident is None:
        raise ResourceNotAvailable(lambda: f"{caller_name(ctx)} may not link {id} to anything, or it is no incident")
    try:
        return {"issuable_resource_link": resource_links.create(ctx, incident, link, link_text, link_type)}
    except InvalidRecord as refusal:
        # One sentence for all of them, unlike the lists of other mutations.
        raise MutationFailed([join_words(error_messages(refusal))], {"issuable_resource_link": None}) from refusal


@mutation(
    "issuableResourceLinkDestroy",
    input_fields='"""The global ID of the link."""\nid: IncidentManagementIssuableResourceLinkID!',
    payload_fields=_GIVES,
    since=_SINCE,
)
def destroy_link(ctx: WriteContext, id: str) -> Mapping[str, Any]:
    """Delete a link of an incident."""
    link = ctx.world.resource_links.get(parse_id(ctx, id, _KIND))
    if link is None or not resource_links.may_administer(ctx, incident_of(ctx, link)):
        raise ResourceNotAvailable(lambda: f"{id} does not exist, or {caller_name(ctx)} may not delete it")
    resource_links.delete(ctx, link)
    return {"issuable_resource_link": link}
