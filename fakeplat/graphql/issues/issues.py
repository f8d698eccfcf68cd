"""Issues and incidents. Source: docs/platform/graphql.md, docs/platform/issues.md."""

from collections.abc import Sequence
from typing import Final, get_args

from fakeplat.core.release import Lifetime
from fakeplat.domain.alerts import incident_statuses
from fakeplat.domain.epics import epic_issues
from fakeplat.domain.issues import issue_links, issues, related_merge_requests
from fakeplat.domain.notes import noteables
from fakeplat.graphql.ids import parse_id
from fakeplat.graphql.issues.issuables import ISSUE, web_url
from fakeplat.graphql.schema_builder import QUERY, Enumeration
from fakeplat.model.issues import EscalationStatus, Issue, Severity
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.policy.context import ReadContext
from fakeplat.policy.features import has_feature

_STATUSES: Final = "<=15.0"
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
        "OBJECTIVE": ("objective", "An objective.", Lifetime(since="15.6")),
        "KEY_RESULT": ("key_result", "A key result.", Lifetime(since="15.7")),
        "TASK": ("task", "A task.", Lifetime(since="15.2")),
        "EPIC": ("epic", "An epic.", Lifetime(since="16.7")),
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


# Fields of later releases

Enumeration(
    "IssuableSeverity",
    "The severity of an incident.",
    {level.upper(): (level, f"The severity is {level}.") for level in get_args(Severity)},
    since="<=13.6",
)
Enumeration(
    "IssueEscalationStatus",
    "The status of an incident.",
    {status.upper(): (status, f"The incident is {status}.") for status in get_args(EscalationStatus)},
    since=_STATUSES,
)
ISSUE.attributes({"projectId: Int": "The ID of the project."}, since="<=14.1")


@ISSUE.field("escalationStatus: IssueEscalationStatus", since=_STATUSES)
def escalation_status(ctx: ReadContext, issue: Issue) -> EscalationStatus | None:
    """The status of an incident."""
    return incident_statuses.find_status(ctx.world, issue)


@ISSUE.field("severity: IssuableSeverity", since="<=13.6")
def severity(_ctx: ReadContext, issue: Issue) -> str:
    """The severity of an incident."""
    return issue.severity


@ISSUE.field("slaDueAt: Time", since="<=13.6")
def sla_due_at(ctx: ReadContext, issue: Issue) -> str | None:
    """Timestamp until which an incident is to be resolved; paid tiers only."""
    is_available = issue.kind == "incident" and has_feature(ctx.world, "premium", issue)
    return issue.sla_due_at if is_available else None


@ISSUE.field("createNoteEmail: String", since="<=13.9")
def create_note_email(_ctx: ReadContext, _issue: Issue) -> str | None:
    """The e-mail address for comments; null, because the instance does not receive mails."""
    return None


@ISSUE.field("name: String", since="<=18.5")
def name(_ctx: ReadContext, issue: Issue) -> str:
    """The title, as the name of a target of to-dos."""
    return issue.title


@ISSUE.field("hidden: Boolean", since="<=14.3")
def hidden(_ctx: ReadContext, _issue: Issue) -> bool:
    """Whether it is hidden because its author is banned; that is not the case here."""
    return False


@ISSUE.field("emailsDisabled: Boolean!", since="<=13.6")
def emails_disabled(ctx: ReadContext, issue: Issue) -> bool:
    """Whether the project sends no e-mails."""
    return bool(ctx.world.projects[issue.project_id].emails_disabled)


@ISSUE.field("emailsEnabled: Boolean!", since="<=16.3")
def emails_enabled(ctx: ReadContext, issue: Issue) -> bool:
    """Whether the project sends e-mails."""
    return not emails_disabled(ctx, issue)


@ISSUE.field("humanTimeEstimate: String", since="<=13.6")
def human_time_estimate(ctx: ReadContext, issue: Issue) -> str | None:
    """The time estimate as text."""
    return issues.format_duration(ctx.world, issue.time_estimate)


@ISSUE.field("humanTotalTimeSpent: String", since="<=13.6")
def human_total_time_spent(ctx: ReadContext, issue: Issue) -> str | None:
    """The total time spent as text."""
    return issues.format_duration(ctx.world, issue.total_time_spent)


@ISSUE.field("moved: Boolean", since="<=13.6")
def moved(ctx: ReadContext, issue: Issue) -> bool:
    """Whether the issue was moved to another project."""
    return issues.moved_to(ctx.world, issue) is not None


@ISSUE.field("movedTo: Issue", since="<=13.6")
def moved_to(ctx: ReadContext, issue: Issue) -> Issue | None:
    """The issue that this one became in another project."""
    heir = issues.moved_to(ctx.world, issue)
    return heir if heir is not None and noteables.is_visible(ctx, heir) else None


@ISSUE.field("mergeRequestsCount: Int!", since="<=14.3")
def merge_requests_count(ctx: ReadContext, issue: Issue) -> int:
    """Number of visible merge requests that close the issue."""
    return sum(noteables.is_visible(ctx, each) for each in ctx.world.merge_requests.where("closes", issue.id))


@ISSUE.field("relatedMergeRequests: MergeRequestConnection", since="<=16.2")
def related(ctx: ReadContext, issue: Issue) -> Sequence[MergeRequest]:
    """The merge requests that mention the issue or are mentioned in it."""
    return related_merge_requests.list_related_merge_requests(ctx, issue)


@ISSUE.field("hasEpic: Boolean!", since="<=15.8")
def has_epic(ctx: ReadContext, issue: Issue) -> bool:
    """Whether the issue is in an epic."""
    return epic_issues.find_link(ctx.world, issue) is not None


@ISSUE.field("hasParent: Boolean!", since="16.5")
def has_parent(ctx: ReadContext, issue: Issue) -> bool:
    """Whether there is an epic or an issue above it."""
    return issue.parent_issue_id is not None or has_epic(ctx, issue)


@ISSUE.field("blockedByIssues: IssueConnection", since="13.10")
def blocked_by_issues(ctx: ReadContext, issue: Issue) -> Sequence[Issue]:
    """The visible issues that block this one."""
    linked = issue_links.list_linked_issues(ctx, issue)
    return [other for other in linked if _link_type(ctx, issue, other) == "is_blocked_by"]


def _link_type(ctx: ReadContext, issue: Issue, other: Issue) -> str:
    link = issue_links.find_link_between(ctx.world, issue.id, other.id)
    return "" if link is None else issue_links.link_type_from(link, issue.id)


@ISSUE.field("blockedByCount: Int", since="<=13.6")
def blocked_by_count(ctx: ReadContext, issue: Issue) -> int:
    """Number of open issues that block this one."""
    return sum(other.state == "opened" for other in blocked_by_issues(ctx, issue))


@ISSUE.field("blockingCount: Int!", since="<=14.3")
def blocking_count(ctx: ReadContext, issue: Issue) -> int:
    """Number of open issues that this one blocks."""
    return issue_links.count_blocked(ctx.world, issue)
