"""Issues and incidents. Source: docs/platform/graphql.md, docs/platform/issues.md."""

from typing import Final

from fakeplat.core.release import Lifetime
from fakeplat.domain.notes import noteables
from fakeplat.graphql.ids import parse_id
from fakeplat.graphql.issues.issuables import ISSUE, web_url
from fakeplat.graphql.schema_builder import QUERY, Enumeration
from fakeplat.model.issues import Issue
from fakeplat.policy.context import ReadContext
from fakeplat.policy.features import has_feature

_STATES: Final = {"opened": ("opened", "The issue is open."), "closed": ("closed", "The issue is closed.")}

Enumeration("IssueState", "The state of an issue.", _STATES)
Enumeration("IssuableState", "The state of issues, in a filter.", {**_STATES, "all": ("all", "Issues in any state.")})
Enumeration(
    "IssueType",
    "The type of an issue.",
    {
        "ISSUE": ("issue", "A regular issue."),
        "INCIDENT": ("incident", "An incident."),
        "TEST_CASE": ("test_case", "A test case."),
        "REQUIREMENT": ("requirement", "A requirement.", Lifetime(since="<=14.0")),
        "TASK": ("task", "A task.", Lifetime(since="15.2")),
    },
)
Enumeration(
    "HealthStatus",
    "The health status of an issue.",
    {
        "onTrack": ("on_track", "The issue is on track."),
        "needsAttention": ("needs_attention", "The issue needs attention."),
        "atRisk": ("at_risk", "The issue is at risk of being late."),
    },
)

ISSUE.attributes(
    {
        "iid: ID!": "The number within the project.",
        "state: IssueState!": "The state.",
        "confidential: Boolean!": "Whether the issue is confidential.",
        "closedAt: Time": "Timestamp of closing.",
        "dueDate: Time": "The due date.",
        "relativePosition: Int": "The position in the manual order.",
    }
)


@ISSUE.field("type: IssueType")
def kind(_ctx: ReadContext, issue: Issue) -> str:
    """The type of an issue."""
    return issue.kind


@ISSUE.field("webPath: String!")
def web_path(ctx: ReadContext, issue: Issue) -> str:
    """The path of the issue's page."""
    return web_url(ctx, issue).removeprefix(ctx.origin)


@ISSUE.field("weight: Int")
def weight(ctx: ReadContext, issue: Issue) -> int | None:
    """The weight; paid tiers only."""
    return issue.weight if has_feature(ctx.world, "premium", issue) else None


@ISSUE.field("healthStatus: HealthStatus")
def health_status(ctx: ReadContext, issue: Issue) -> str | None:
    """The health status; paid tiers only."""
    return issue.health_status if has_feature(ctx.world, "ultimate", issue) else None


@QUERY.field("issue(id: IssueID!): Issue", single=True)
def issue(ctx: ReadContext, id: str) -> Issue | None:  # the argument's name on the wire
    """The issue with a global ID."""
    record = ctx.world.issues.get(parse_id(ctx, id, "Issue"))
    return record if record is not None and noteables.is_visible(ctx, record) else None
