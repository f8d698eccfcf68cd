"""How much users did in the projects of a group. Source: docs/platform/graphql.md ('Namespaces')."""

from collections.abc import Sequence
from datetime import date
from typing import Final, TypedDict, Unpack

from graphql import GraphQLError

from fakeplat.domain.analytics import group_contributions
from fakeplat.domain.analytics.group_contributions import Contribution
from fakeplat.graphql.people.groups import GROUP
from fakeplat.graphql.schema_builder import Type
from fakeplat.model.people import Group
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext
from fakeplat.policy.features import has_feature

_SINCE: Final = "<=15.8"
_MOST_DAYS: Final = 93
CONTRIBUTION: Final = Type("ContributionAnalyticsContribution", "How much a user did.", since=_SINCE)
CONTRIBUTION.attributes(
    {
        "user: User": "The user.",
        "issuesClosed: Int": "Number of issues closed.",
        "issuesCreated: Int": "Number of issues created.",
        "mergeRequestsApproved: Int": "Number of approvals of merge requests.",
        "mergeRequestsClosed: Int": "Number of merge requests closed.",
        "mergeRequestsCreated: Int": "Number of merge requests created.",
        "mergeRequestsMerged: Int": "Number of merge requests merged.",
        "repoPushed: Int": "Number of pushes.",
        "totalEvents: Int": "All together.",
    }
)


Days = TypedDict("Days", {"from": str, "to": str})
"""The first and the last day; the first one has the name of a keyword."""


@GROUP.field(
    "contributions(from: ISO8601Date!, to: ISO8601Date!): ContributionAnalyticsContributionConnection", since=_SINCE
)
def contributions(ctx: ReadContext, group: Group, **days: Unpack[Days]) -> Sequence[Contribution] | None:
    """How much each user did between two days, for members; paid tiers only."""
    if not has_feature(ctx.world, "premium", group) or not can(ctx, Ability.READ_NAMESPACE, group):
        return None
    first, last = days["from"], days["to"]
    length = (date.fromisoformat(last) - date.fromisoformat(first)).days
    if length > _MOST_DAYS:
        raise GraphQLError(f"The given date range is larger than {_MOST_DAYS} days")
    if length < 0:
        raise GraphQLError("The to date is earlier than the given from date")
    return group_contributions.list_contributions(ctx.world, group, first, last)
