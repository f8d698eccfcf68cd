"""Issues and incidents. Source: docs/platform/graphql.md, docs/platform/issues.md."""

from typing import Final

from fakeplat.domain.notes import noteables
from fakeplat.graphql.ids import id_of
from fakeplat.graphql.issuables import ISSUE, web_url
from fakeplat.graphql.schema_builder import QUERY, Enumeration
from fakeplat.model.issues import Issue
from fakeplat.policy.context import ReadContext
from fakeplat.policy.features import has_feature

_STATES: Final = {"opened": ("opened", "Is to be done."), "closed": ("closed", "Is done, or will not be.")}

Enumeration("IssueState", "Whether an issue is open.", _STATES)
Enumeration("IssuableState", "Which issues are asked for.", {**_STATES, "all": ("all", "All of them.")})
Enumeration(
    "IssueType",
    "What kind of issue it is.",
    {"ISSUE": ("issue", "An ordinary issue."), "INCIDENT": ("incident", "A disturbance of a service.")},
)
Enumeration(
    "HealthStatus",
    "Whether an issue will be done in time.",
    {
        "onTrack": ("on_track", "All goes well."),
        "needsAttention": ("needs_attention", "Somebody should look at it."),
        "atRisk": ("at_risk", "It will be late."),
    },
)

ISSUE.attributes(
    {
        "iid: ID!": "Its number within the project.",
        "state: IssueState!": "Whether it is open.",
        "confidential: Boolean!": "Whether only members with a say see it.",
        "closedAt: Time": "When it was closed.",
        "dueDate: Time": "When it is to be done.",
        "relativePosition: Int": "Its place in the order by hand.",
    }
)


@ISSUE.field("type: IssueType")
def kind(ctx: ReadContext, issue: Issue) -> str:
    """What kind of issue it is."""
    del ctx
    return issue.kind


@ISSUE.field("webPath: String!")
def web_path(ctx: ReadContext, issue: Issue) -> str:
    """The path of its page."""
    return web_url(ctx, issue).removeprefix(ctx.origin)


@ISSUE.field("weight: Int")
def weight(ctx: ReadContext, issue: Issue) -> int | None:
    """How much work it is; part of a paid tier."""
    return issue.weight if has_feature(ctx.world, "premium", issue) else None


@ISSUE.field("healthStatus: HealthStatus")
def health_status(ctx: ReadContext, issue: Issue) -> str | None:
    """Whether it will be done in time; part of a paid tier."""
    return issue.health_status if has_feature(ctx.world, "ultimate", issue) else None


@QUERY.field("issue(id: IssueID!): Issue", one=True)
def issue(ctx: ReadContext, id: str) -> Issue | None:  # its name on the wire
    """The issue with a global id."""
    found = ctx.world.issues.get(id_of(ctx, id, "Issue"))
    return found if found is not None and noteables.is_visible(ctx, found) else None
