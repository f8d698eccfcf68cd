"""Issues: lists, single issues and statistics.

Source: docs/platform/issues.md, docs/decisions/rulings.md (6).
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Final, Literal

from fakeplat.api import scopes
from fakeplat.api.issues import issuables
from fakeplat.api.scopes import GROUP, PROJECT, get_any_issue
from fakeplat.core.operations.errors import InvalidParams, NotFound, RecordNotFound
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import BOTH_DIRECTIONS, CursorPaged, Cursors, Order, Paged, Paging
from fakeplat.core.operations.scope import Segment
from fakeplat.core.params.params import (
    AnyCase,
    CommaList,
    DayOrNothing,
    IntegerNoneAny,
    IntegerNoneAnyCurrent,
    Moment,
    Named,
    NotBlank,
    Params,
    Rule,
    at_least_one_of,
    mutually_exclusive,
)
from fakeplat.core.release import Lifetime
from fakeplat.domain.issuables import creation_limit
from fakeplat.domain.issues import issue_search, issues
from fakeplat.domain.issues.issue_search import IssueFilter, ListGroup
from fakeplat.domain.merge_requests import issue_from_threads
from fakeplat.domain.notes import noteables
from fakeplat.domain.purging import purge
from fakeplat.entities.issues.issuables import time_stats
from fakeplat.entities.issues.issues import SINGLE, IssueView
from fakeplat.model.instance import Tier
from fakeplat.model.issues import Issue, Severity
from fakeplat.model.people import Group
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize
from fakeplat.policy.behaviours import (
    CONFIDENTIAL_IS_NOT_NULL,
    ISSUES_HAVE_CURSORS,
    ISSUES_OF_ALL_TYPES,
    ISSUES_TAKE_SEVERITIES,
    JOBS_READ_ISSUES,
)
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.features import has_feature

area: Final = Area("Issues", login=Login.WRITES)
ISSUE: Final = PROJECT / Segment("issues/:issue_iid", kind="integer", locate=scopes.get_issue, word="issue")
ANY_ISSUE: Final = PROJECT / Segment("issues/:issue_iid", kind="integer", locate=get_any_issue, word="issue")
"""Issues found whether or not the caller can read them; their operations require an ability (403)."""

IssueOrder = Annotated[
    Literal[
        "created_at",
        "updated_at",
        "priority",
        "due_date",
        "relative_position",
        "label_priority",
        "milestone_due",
        "popularity",
        "weight",
        "title",
    ],
    Lifetime(since="<=18.9", values=("title",)),
]


MilestoneWord = Literal["Any", "None", "Upcoming", "Started"]
# Types that lists are filtered by, but of which no issue is made: the platform makes an ordinary one instead.
_UNMADE_TYPES: Final = ("requirement", "ticket")
IssueType = Annotated[
    Literal["issue", "incident", "test_case", "task", "requirement", "ticket"],
    Lifetime(since="13.12", values=("test_case",)),
    Lifetime(since="<=16.11", values=("task",)),
    Lifetime(since=ISSUES_OF_ALL_TYPES.since, values=_UNMADE_TYPES),
]
_EXCLUSIVE: Final = (
    mutually_exclusive("milestone_id", "milestone"),
    mutually_exclusive("iteration_id", "iteration_title"),
)


_HEALTH_WORDS: Final = {"none": "None", "any": "Any"}


class NegatedIssueFilters(issuables.NegatedFilters):
    """Filters that exclude issues (``not``)."""

    assignee_id: int | None = None
    iids: CommaList[int] | None = None
    weight: int | None = None
    search: str | None = None
    in_: Annotated[str | None, Named("in")] = None
    milestone_id: Annotated[MilestoneWord | None, Lifetime(since="14.3")] = None
    iteration_id: Annotated[IntegerNoneAnyCurrent | None, Lifetime(since="13.6")] = None
    iteration_title: Annotated[str | None, Lifetime(since="13.6")] = None

    rules = (*issuables.NegatedFilters.rules, *_EXCLUSIVE)


class IssueFilters(issuables.TimeFilters, issuables.Filters):
    """Filters of all lists of issues."""

    not_: Annotated[NegatedIssueFilters | None, Named("not")] = None
    scope: issuables.ListScope | None = None
    my_reaction_emoji: str | None = None
    confidential: bool | None = None
    weight: IntegerNoneAny | None = None
    epic_id: IntegerNoneAny | None = None
    # An empty value is accepted and ignored; 0 selects the issues without a due date.
    due_date: Annotated[
        Literal["", "0", "any", "today", "tomorrow", "overdue", "week", "month", "next_month_and_previous_two_weeks"]
        | None,
        Lifetime(since="<=18.9", values=("any", "today", "tomorrow")),
    ] = None
    milestone_id: Annotated[MilestoneWord | None, Lifetime(since="14.3")] = None
    iteration_id: Annotated[IntegerNoneAnyCurrent | None, Lifetime(since="13.6")] = None
    iteration_title: Annotated[str | None, Lifetime(since="13.6")] = None
    health_status: Annotated[
        Literal["on_track", "needs_attention", "at_risk", "None", "Any", "none", "any"] | None,
        Lifetime(since="15.4"),
        Lifetime(since="15.5", values=("None", "Any", "none", "any")),
        AnyCase,
    ] = None

    rules = (*issuables.Filters.rules, *_EXCLUSIVE)


class IssueList(Paged, IssueFilters):
    """Filters and order of a list of issues."""

    state: Literal["opened", "closed", "all"] = "all"
    order_by: IssueOrder = "created_at"
    sort: Literal["asc", "desc"] = "desc"
    with_labels_details: bool = False
    closed_by_id: Annotated[int | None, Lifetime(since="<=18.9")] = None
    issue_type: Annotated[IssueType | None, Lifetime(since="13.12")] = None


class ListProjectIssues(CursorPaged, IssueList):
    """Filters and order of the list of a project's issues."""

    pagination: Annotated[str | None, ISSUES_HAVE_CURSORS] = None
    cursor: Annotated[str | None, ISSUES_HAVE_CURSORS] = None


class ListIssues(IssueList, issuables.NonArchivedFilter):
    """Filters and order of a list of issues of several projects."""


class ListOwnIssues(ListIssues):
    """Filters and order of the list of all issues; by default those created by the caller."""

    scope: issuables.ListScope | None = "created_by_me"


class CountProjectIssues(IssueFilters):
    """Filters of the statistics of a project."""


class CountIssues(CountProjectIssues, issuables.NonArchivedFilter):
    """Filters of statistics of several projects."""


class CountOwnIssues(CountIssues):
    """Filters of the statistics of all issues; by default those created by the caller."""

    scope: issuables.ListScope | None = "created_by_me"


def _order(ctx: ReadContext, p: IssueList) -> Order:
    # Free tiers ignore the order by weight; they do not refuse it.
    is_ignored = p.order_by == "weight" and not has_feature(ctx.world, "premium", ctx.container)
    return "created_at" if is_ignored else p.order_by, p.sort


def _order_of_cursors(ctx: ReadContext, p: IssueList) -> Order | None:
    # In other orders the list ignores the wish for cursors.
    order = _order(ctx, p)
    return order if order[0] in _COLUMNS else None


_COLUMNS: Final = ("created_at", "updated_at", "due_date", "title", "relative_position", "weight")
_CURSORS: Final = Cursors(dict.fromkeys(_COLUMNS, BOTH_DIRECTIONS), _order_of_cursors, ids_descend=True)


@area.operation("GET", "issues", params=ListOwnIssues, view=IssueView, many=True, options=issuables.build_list_options)
def list_issues(ctx: ReadContext, p: ListOwnIssues) -> Sequence[Issue]:
    """List issues everywhere; by default the caller's own."""
    issuables.check_scope(ctx, p.scope, "issues")
    return _list_matching(ctx, p, ctx.world.projects.all, "all")


@area.operation(
    "GET",
    "issues",
    scope=GROUP,
    params=ListIssues,
    view=IssueView,
    many=True,
    options=issuables.build_group_list_options,
)
def list_group_issues(ctx: ReadContext, group: Group, p: ListIssues) -> Sequence[Issue]:
    """List the issues of a group and its subgroups."""
    return _list_matching(ctx, p, lambda: issue_search.visible_in_group(ctx.world, group), "all")


@area.operation(
    "GET",
    "issues",
    scope=PROJECT,
    params=ListProjectIssues,
    view=IssueView,
    many=True,
    paging=Paging(cursors=_CURSORS),
    options=issuables.build_project_list_options,
    job_token=JOBS_READ_ISSUES,
)
def list_project_issues(ctx: ReadContext, project: Project, p: ListProjectIssues) -> Sequence[Issue]:
    """List the issues of a project."""
    return _list_matching(ctx, p, lambda: [project], project.id)


# `projects` is a function: it is called only if the set of visible projects is not memoized yet.
def _list_matching(ctx: ReadContext, p: IssueList, projects: issuables.Projects, group: ListGroup) -> Sequence[Issue]:
    issue_filter = IssueFilter(ctx, group)
    matching = _match_issues(issue_filter, p, projects)
    if p.state != "all":
        matching &= issue_filter.bits("state", p.state)
    return issue_search.order_issues(ctx, matching, group, *_order(ctx, p))


def _match_issues(issue_filter: IssueFilter, p: IssueFilters, projects: issuables.Projects) -> int:
    """Return the bitset of issues that pass all filters but the state."""
    ctx = issue_filter.ctx
    issue_search.check_assignees(ctx, p.assignee_username or ())
    # Only lists over several projects declare `non_archived`; a project's own list includes it when it is archived.
    visible = issue_search.visible_projects(
        ctx, projects, issue_search.scope_key(ctx), archived=not getattr(p, "non_archived", False)
    )
    candidates = issue_filter.visible(visible)
    # Without a caller the scope is ignored, unlike in lists of merge requests, where nothing is left.
    candidates = issuables.match_scope(issue_filter, p.scope, candidates, anonymous=candidates)
    matching = issuables.match_filters(issue_filter, p, _CONDITIONS, visible, issue_filter.in_time_range(candidates, p))
    matching &= _match_paid(issue_filter, p)
    matching = issuables.match_text(issue_filter, p.search, p.in_, matching)
    return matching & ~_match_excluded(issue_filter, p.not_, matching) if p.not_ else matching


def _match_paid(issue_filter: IssueFilter, p: IssueFilters) -> int:
    """Return the bitset of issues that pass the filters of paid tiers; the free tier ignores them."""
    matching, params = issue_filter.bits("all"), p.given()
    for name, (tier, match) in _PAID_CONDITIONS.items():
        operand = params.get(name)
        if operand is not None and has_feature(issue_filter.world, tier, issue_filter.ctx.container):
            matching &= match(issue_filter, operand)
    return matching


_PAID_CONDITIONS: Final[Mapping[str, tuple[Tier, Callable[[IssueFilter, Any], int]]]] = {
    "weight": ("premium", lambda issue_filter, value: issue_filter.with_weight(value)),
    "epic_id": ("premium", lambda issue_filter, value: issue_filter.in_epic(value)),
    "iteration_id": ("premium", lambda issue_filter, value: issue_filter.in_iteration(value)),
    "iteration_title": ("premium", lambda issue_filter, value: issue_filter.in_iteration_titled(value)),
    "health_status": (
        "ultimate",
        lambda issue_filter, value: issue_filter.with_health(_HEALTH_WORDS.get(value, value)),
    ),
}


_MILESTONE_WORDS: Final = {"Any": "any", "None": "none", "Upcoming": "#upcoming", "Started": "#started"}
_CONDITIONS: Final[issuables.Conditions[IssueFilter]] = {
    **issuables.CONDITIONS,
    "confidential": lambda issue_filter, value: issue_filter.bits("confidential", value),
    "due_date": lambda issue_filter, value: issue_filter.due_in(value),
    "milestone_id": lambda issue_filter, value: issue_filter.in_milestone(_MILESTONE_WORDS[value]),
    "closed_by_id": lambda issue_filter, value: issue_filter.bits("closed_by", value),
    "issue_type": lambda issue_filter, value: issue_filter.of_kind(value),
}
_EXCLUDING_CONDITIONS: Final[issuables.Conditions[IssueFilter]] = {
    **issuables.EXCLUDING_CONDITIONS,
    # Unlike in the filter itself, 0 is no word for issues without an assignee here.
    "assignee_id": lambda issue_filter, value: issue_filter.bits("assignee", value),
    "weight": lambda issue_filter, value: issue_filter.bits("weight", value),
    "milestone_id": lambda issue_filter, value: issue_filter.in_milestone(_MILESTONE_WORDS[value]),
    "iteration_id": lambda issue_filter, value: issue_filter.in_iteration(value),
    "iteration_title": lambda issue_filter, value: issue_filter.in_iteration_titled(value),
}


def _match_excluded(issue_filter: IssueFilter, p: NegatedIssueFilters, candidates: int) -> int:
    """Return the bitset of issues that ``not`` excludes; iids and text are matched among the candidates only."""
    excluded = issuables.match_excluded(issue_filter, p, _EXCLUDING_CONDITIONS)
    if p.iids:
        excluded |= issue_filter.with_iids(p.iids, None, candidates)
    return excluded | issuables.match_text(issue_filter, p.search, p.in_, candidates) if p.search else excluded


@area.operation("GET", "issues_statistics", params=CountOwnIssues)
def get_issues_statistics(ctx: ReadContext, p: CountOwnIssues) -> dict[str, Any]:
    """Count issues everywhere; by default the caller's own."""
    issuables.check_scope(ctx, p.scope, "issues")
    return _count_issues(ctx, p, ctx.world.projects.all, "all")


@area.operation("GET", "issues_statistics", scope=GROUP, params=CountIssues)
def get_group_issues_statistics(ctx: ReadContext, group: Group, p: CountIssues) -> dict[str, Any]:
    """Count the issues of a group and its subgroups."""
    return _count_issues(ctx, p, lambda: issue_search.visible_in_group(ctx.world, group), "all")


@area.operation("GET", "issues_statistics", scope=PROJECT, params=CountProjectIssues)
def get_project_issues_statistics(ctx: ReadContext, project: Project, p: CountProjectIssues) -> dict[str, Any]:
    """Count the issues of a project."""
    return _count_issues(ctx, p, lambda: [project], project.id)


def _count_issues(ctx: ReadContext, p: IssueFilters, projects: issuables.Projects, group: ListGroup) -> dict[str, Any]:
    issue_filter = IssueFilter(ctx, group)
    matching = _match_issues(issue_filter, p, projects)
    closed, opened = (matching & issue_filter.bits("state", state) for state in ("closed", "opened"))
    counts = {"all": matching.bit_count(), "closed": closed.bit_count(), "opened": opened.bit_count()}
    return {"statistics": {"counts": counts}}


def _single_options(_ctx: ReadContext, _p: Params, _issue: Issue) -> tuple[str, ...]:
    return (SINGLE,)


@area.operation("GET", "", scope=ISSUE, view=IssueView, options=_single_options, job_token=JOBS_READ_ISSUES)
def get_issue(_ctx: ReadContext, _project: Project, issue: Issue) -> Issue:
    """Get an issue."""
    return issue


@area.operation(
    "GET",
    "issues/:id",
    login=Login.ALWAYS,
    view=IssueView,
    ability=Ability.ADMIN_USERS,
    options=_single_options,
    refusals=(404,),
)
def get_issue_by_id(ctx: ReadContext, id: int) -> Issue:
    """Get an issue by its global id. Administrators only."""
    issue = ctx.world.issues.get(id)
    if issue is None:
        raise NotFound("Issue", reason=f"no issue has the id {id}")
    return issue


class IssueAttributes(Params):
    """The attributes of an issue that can be set at creation and later."""

    description: str | None = None
    assignee_ids: CommaList[int] | None = None
    assignee_id: int | None = None
    milestone_id: int | None = None
    milestone: issuables.MilestoneTitle = None
    labels: CommaList[str] | None = None
    add_labels: CommaList[str] | None = None
    remove_labels: CommaList[str] | None = None
    due_date: DayOrNothing | None = None
    start_date: Annotated[DayOrNothing | None, Lifetime(since="19.1")] = None
    confidential: bool | None = None
    discussion_locked: bool | None = None
    severity: Annotated[Severity | None, ISSUES_TAKE_SEVERITIES] = None
    weight: int | None = None
    health_status: Literal["on_track", "needs_attention", "at_risk"] | None = None
    epic_id: int | None = None
    epic_iid: int | None = None

    rules: ClassVar[tuple[Rule, ...]] = (issuables.ONE_MILESTONE, mutually_exclusive("epic_id", "epic_iid"))


class CreateIssue(IssueAttributes):
    """A new issue."""

    title: str
    created_at: Moment | None = None
    iid: int | None = None
    merge_request_to_resolve_discussions_of: int | None = None
    discussion_to_resolve: str | None = None
    issue_type: IssueType | None = None


# In the order of the platform's error message, which lists these names.
_CHANGES: Final = (
    "assignee_id",
    "assignee_ids",
    "confidential",
    "created_at",
    "description",
    "discussion_locked",
    "due_date",
    "labels",
    "add_labels",
    "remove_labels",
    "milestone_id",
    "state_event",
    "title",
)
_TYPE_CHANGES: Final = Lifetime(since="<=14.1")
_PAID_CHANGES: Final = ("weight", "health_status", "epic_id", "epic_iid")
_UNKNOWN_ON_FREE_TIERS: Final = frozenset(("weight", "health_status"))
# The platform's message does not list them, although each is enough for a change.
_UNLISTED_CHANGES: Final = ("start_date", "milestone", "severity")


class UpdateIssue(IssueAttributes):
    """Changes of an issue."""

    title: str | None = None
    state_event: Literal["close", "reopen"] | None = None
    issue_type: Annotated[IssueType | None, _TYPE_CHANGES] = None
    created_at: Moment | None = None
    updated_at: Annotated[Moment | None, NotBlank] = None

    # Paid attributes satisfy the rule as well, but the platform's message does not list them.
    rules = (at_least_one_of(*_CHANGES, "issue_type").unless_any_sent(*_PAID_CHANGES, *_UNLISTED_CHANGES),)


def _require_available_change(ctx: ReadContext, p: UpdateIssue) -> None:
    """Require a change that the tier has: on free tiers paid attributes do not count, but epics are not found."""
    if not has_feature(ctx.world, "premium", ctx.container) and not p.given().keys() - _UNKNOWN_ON_FREE_TIERS:
        names = (*_CHANGES, "issue_type") if ctx.profile.has(_TYPE_CHANGES) else _CHANGES
        raise InvalidParams(f"{', '.join(names)} are missing, at least one parameter must be provided")


def _collect_fields(ctx: ReadContext, project: Project, p: Params) -> dict[str, Any]:
    ignored = ("merge_request_to_resolve_discussions_of", "discussion_to_resolve")
    fields = {name: value for name, value in p.given().items() if name not in ignored}
    if "confidential" in fields and fields["confidential"] is None and ctx.profile.has(CONFIDENTIAL_IS_NOT_NULL):
        raise InvalidParams("confidential is empty")
    issuables.resolve_milestone(ctx, project, fields)
    if "issue_type" in fields:
        kind = fields.pop("issue_type")
        fields["kind"] = None if kind in _UNMADE_TYPES else kind
    # A null leaves these attributes unchanged, as if they were not sent.
    for name in ("confidential", "title", "kind", "severity", "created_at", "updated_at"):
        # The default distinguishes a null from a parameter that was not sent.
        if fields.get(name, "") is None:
            del fields[name]
    return fields


@area.operation(
    "POST",
    "issues",
    scope=PROJECT,
    params=CreateIssue,
    view=IssueView,
    options=_single_options,
    refusals=(400, 403, 404, 409, 429),
)
def create_issue(ctx: WriteContext, project: Project, p: CreateIssue) -> Issue:
    """Create an issue."""
    author = ctx.signed_in_user
    creation_limit.authorize_issue(ctx, project)
    # A new issue has the defaults where null was sent.
    fields = {name: value for name, value in _collect_fields(ctx, project, p).items() if value is not None}
    iid, discussion_id = p.merge_request_to_resolve_discussions_of, p.discussion_to_resolve
    return issue_from_threads.create_issue(ctx, project, author, iid, discussion_id, **fields)


@area.operation(
    "PUT", "", scope=ANY_ISSUE, params=UpdateIssue, view=IssueView, options=_single_options, refusals=(400, 403, 404)
)
def update_issue(ctx: WriteContext, project: Project, issue: Issue, p: UpdateIssue) -> Issue:
    """Update an issue."""
    # Checked before the right to update: a request without any change is 400, not 403.
    _require_available_change(ctx, p)
    noteables.authorize_update(ctx, issue)
    return issues.update(ctx, project, issue, **_collect_fields(ctx, project, p))


def _get_issue_or_refuse(ctx: ReadContext, project: Project, iid: int) -> Issue:
    try:
        return get_any_issue(ctx, project, iid)
    except RecordNotFound as refusal:
        raise NotFound("Issue", reason=refusal.why) from None


# Deleting and moving answer ``404 Issue Not Found``; the other operations omit the name of the record.
ISSUE_WITH_NAMED_404: Final = PROJECT / Segment(
    "issues/:issue_iid", kind="integer", locate=_get_issue_or_refuse, word="issue"
)


@area.operation("DELETE", "", scope=ISSUE_WITH_NAMED_404, refusals=(403, 412))
def delete_issue(ctx: WriteContext, project: Project, issue: Issue) -> None:
    """Delete an issue."""
    authorize(ctx, Ability.DESTROY_ISSUE, project)
    ctx.check_unmodified_since(issue.updated_at)
    purge(ctx, issue)


@area.operation("GET", "time_stats", scope=ISSUE)
def get_issue_time_stats(ctx: ReadContext, _project: Project, issue: Issue) -> dict[str, Any]:
    """Get the estimated and spent time of an issue."""
    return time_stats(ctx.world, issue)
