"""Issues: lists, single ones, statistics.

Source: docs/platform/specification.md ('Issues'), docs/platform/issues.md, docs/decisions/rulings.md (6).
"""

from collections.abc import Sequence
from typing import Annotated, Any, Final, Literal

from fakeplat.api.scopes import GROUP, PROJECT, find_any_issue, find_issue
from fakeplat.core.operations.errors import InvalidParams, NotFound, RecordNotFound, Unauthorized
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.operations.scope import Segment
from fakeplat.core.params.params import (
    CommaList,
    Day,
    IntegerNoneAny,
    Moment,
    Named,
    NotBlank,
    Params,
    at_least_one_of,
    mutually_exclusive,
)
from fakeplat.domain.issues import issue_search, issues
from fakeplat.domain.issues.issue_search import IssueFilter
from fakeplat.domain.merge_requests import issue_from_threads as follow_ups
from fakeplat.domain.notes import noteables
from fakeplat.domain.purging import purge
from fakeplat.entities.issuables import FROM_GROUP, FROM_PROJECT, LABEL_DETAILS, time_stats
from fakeplat.entities.issues import SINGLE, IssueView
from fakeplat.entities.namespaces import GroupView
from fakeplat.model.issues import Issue
from fakeplat.model.namespaces import Group
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.features import has_feature

area: Final = Area("Issues", login=Login.WRITES)
ISSUE: Final = PROJECT / Segment("issues/:issue_iid", kind="integer", locate=find_issue, word="issue")
ANY_ISSUE: Final = PROJECT / Segment("issues/:issue_iid", kind="integer", locate=find_any_issue, word="issue")
"""Issues that are found whether or not the caller sees them; their operations ask for an ability (403)."""

Orders = Literal[
    "created_at",
    "updated_at",
    "priority",
    "due_date",
    "relative_position",
    "label_priority",
    "milestone_due",
    "popularity",
    "weight",
]


class NotIssues(Params):
    """What issues must not have."""

    labels: CommaList[str] | None = None
    milestone: str | None = None
    author_id: int | None = None
    author_username: str | None = None
    assignee_id: int | None = None
    assignee_username: CommaList[str] | None = None
    my_reaction_emoji: str | None = None
    iids: CommaList[int] | None = None
    weight: int | None = None
    search: str | None = None
    in_: Annotated[str | None, Named("in")] = None

    rules = (
        mutually_exclusive("author_id", "author_username"),
        mutually_exclusive("assignee_id", "assignee_username"),
    )


class IssueFilters(Params):
    """Filters of all lists of issues."""

    labels: CommaList[str] | None = None
    milestone: str | None = None
    iids: CommaList[int] | None = None
    search: str | None = None
    in_: Annotated[str | None, Named("in")] = None
    author_id: int | None = None
    author_username: str | None = None
    assignee_id: IntegerNoneAny | None = None
    assignee_username: CommaList[str] | None = None
    created_after: Moment | None = None
    created_before: Moment | None = None
    updated_after: Moment | None = None
    updated_before: Moment | None = None
    not_: Annotated[NotIssues | None, Named("not")] = None
    scope: Literal["created-by-me", "assigned-to-me", "created_by_me", "assigned_to_me", "all"] | None = None
    my_reaction_emoji: str | None = None
    confidential: bool | None = None
    weight: IntegerNoneAny | None = None
    due_date: Literal["", "0", "overdue", "week", "month", "next_month_and_previous_two_weeks"] | None = None

    rules = (
        mutually_exclusive("author_id", "author_username"),
        mutually_exclusive("assignee_id", "assignee_username"),
    )


class NonArchivedOnly(Params):
    """Issues of archived projects are asked for."""

    non_archived: bool = True


class ListProjectIssues(Paged, IssueFilters):
    """A list of issues."""

    state: Literal["opened", "closed", "all"] = "all"
    order_by: Orders = "created_at"
    sort: Literal["asc", "desc"] = "desc"
    with_labels_details: bool = False


class ListIssues(ListProjectIssues, NonArchivedOnly):
    """A list of the issues of several projects."""


class ListOwnIssues(ListIssues):
    """The list of issues everywhere; by default those that the caller made."""

    scope: Literal["created-by-me", "assigned-to-me", "created_by_me", "assigned_to_me", "all"] | None = "created_by_me"


class CountProjectIssues(IssueFilters):
    """The filters of statistics."""


class CountIssues(CountProjectIssues, NonArchivedOnly):
    """The filters of the statistics of several projects."""


class CountOwnIssues(CountIssues):
    """The filters of statistics everywhere."""

    scope: Literal["created-by-me", "assigned-to-me", "created_by_me", "assigned_to_me", "all"] | None = "created_by_me"


def _list_options(ctx: ReadContext, p: Any, issue: Issue | None) -> tuple[str, ...]:
    del ctx, issue
    return (LABEL_DETAILS,) if p.with_labels_details else ()


def _project_list_options(ctx: ReadContext, p: Any, issue: Issue | None) -> tuple[str, ...]:
    return (*_list_options(ctx, p, issue), FROM_PROJECT)


def _group_list_options(ctx: ReadContext, p: Any, issue: Issue | None) -> tuple[str, ...]:
    group = ctx.records[0]
    return (*_list_options(ctx, p, issue), f"{FROM_GROUP}{GroupView(group, ctx).full_path()}")


@area.operation("GET", "issues", params=ListOwnIssues, view=IssueView, many=True, options=_list_options)
def list_issues(ctx: ReadContext, p: ListOwnIssues) -> Sequence[Issue]:
    """List issues everywhere; by default the caller's own."""
    _check_scope(ctx, p)
    return _listed(ctx, p, ctx.world.projects.all, "all")


@area.operation("GET", "issues", scope=GROUP, params=ListIssues, view=IssueView, many=True, options=_group_list_options)
def list_group_issues(ctx: ReadContext, group: Group, p: ListIssues) -> Sequence[Issue]:
    """List the issues of a group and its subgroups."""
    return _listed(ctx, p, lambda: issue_search.visible_in_group(ctx.world, group), "all")


@area.operation(
    "GET",
    "issues",
    scope=PROJECT,
    params=ListProjectIssues,
    view=IssueView,
    many=True,
    options=_project_list_options,
)
def list_project_issues(ctx: ReadContext, project: Project, p: ListProjectIssues) -> Sequence[Issue]:
    """List the issues of a project."""
    return _listed(ctx, p, lambda: [project], project.id)


def _check_scope(ctx: ReadContext, p: IssueFilters) -> None:
    if ctx.viewer is None and p.scope != "all":
        raise Unauthorized(reason="nobody is signed in; without a login only scope=all is listed")


def _listed(ctx: ReadContext, p: ListProjectIssues, projects: Any, container: Any) -> Sequence[Issue]:
    chooser = IssueFilter(ctx, container)
    chosen = _chosen(chooser, p, projects)
    if p.state != "all":
        chosen &= chooser.bits("state", p.state)
    order_by = (
        p.order_by if p.order_by != "weight" or has_feature(ctx.world, "premium", ctx.container) else "created_at"
    )
    return issue_search.order_issues(ctx, chosen, container, order_by, p.sort)


def _chosen(chooser: IssueFilter, p: IssueFilters, projects: Any) -> int:
    """What passes all filters but the state, whatever is linear last."""
    ctx = chooser.ctx
    issue_search.check_assignees(ctx, p.assignee_username or ())
    sight = issue_search.visible_projects(
        ctx, projects, issue_search.scope_key(ctx), archived=not getattr(p, "non_archived", False)
    )
    chosen = chooser.visible(sight)
    for name, condition in _CONDITIONS.items():
        value = p.given().get(name)
        if value not in (None, "", []):
            chosen &= condition(chooser, value)
    chosen = chooser.timed(_scoped(chooser, p.scope, chosen), p)
    if p.iids:
        chosen &= chooser.numbered(p.iids, sight.open[0] if chooser.group != "all" and sight.open else None, chosen)
    if p.weight is not None and has_feature(ctx.world, "premium", ctx.container):
        chosen &= chooser.weighing(p.weight)
    if p.search:
        chosen = chooser.found(chosen, p.search, issue_search.search_columns(p.in_))
    return chosen & ~_excluded(chooser, p.not_, chosen) if p.not_ else chosen


_CONDITIONS: Final[dict[str, Any]] = {
    "confidential": lambda chooser, value: chooser.bits("confidential", value),
    "author_id": lambda chooser, value: chooser.bits("author", value),
    "author_username": lambda chooser, value: chooser.by_users("author", [value]),
    "assignee_id": lambda chooser, value: chooser.assigned(value),
    "assignee_username": lambda chooser, value: chooser.by_users("assignee", value),
    "labels": lambda chooser, value: chooser.labelled(value),
    "milestone": lambda chooser, value: chooser.in_milestone(value),
    "due_date": lambda chooser, value: chooser.due(value),
    "my_reaction_emoji": lambda chooser, value: chooser.reacted(value),
}


def _scoped(chooser: IssueFilter, scope: str | None, chosen: int) -> int:
    user = chooser.ctx.viewer
    if scope in (None, "all") or user is None:
        return chosen
    return chosen & chooser.bits("author" if "created" in str(scope) else "assignee", user.id)


def _excluded(chooser: IssueFilter, p: NotIssues, chosen: int) -> int:
    """Those of the chosen that have something which they must not have."""
    given, found = p.given(), 0
    for title in given.get("labels") or ():
        found |= chooser.any_label(title)
    if given.get("milestone"):
        found |= chooser.in_milestone(given["milestone"])
    for name, fact in (("author_id", "author"), ("assignee_id", "assignee"), ("weight", "weight")):
        if given.get(name) is not None:
            found |= chooser.bits(fact, given[name])
    if given.get("author_username"):
        found |= chooser.by_users("author", [given["author_username"]])
    if given.get("assignee_username"):
        found |= chooser.by_users("assignee", given["assignee_username"])
    if given.get("my_reaction_emoji"):
        found |= chooser.reacted(given["my_reaction_emoji"])
    if given.get("iids"):
        found |= chooser.numbered(given["iids"], None, chosen)
    if given.get("search"):
        found |= chooser.found(chosen, given["search"], issue_search.search_columns(given.get("in_")))
    return found


@area.operation("GET", "issues_statistics", params=CountOwnIssues)
def get_issues_statistics(ctx: ReadContext, p: CountOwnIssues) -> dict[str, Any]:
    """Count issues everywhere; by default the caller's own."""
    _check_scope(ctx, p)
    return _statistics(ctx, p, ctx.world.projects.all, "all")


@area.operation("GET", "issues_statistics", scope=GROUP, params=CountIssues)
def get_group_issues_statistics(ctx: ReadContext, group: Group, p: CountIssues) -> dict[str, Any]:
    """Count the issues of a group and its subgroups."""
    return _statistics(ctx, p, lambda: issue_search.visible_in_group(ctx.world, group), "all")


@area.operation("GET", "issues_statistics", scope=PROJECT, params=CountProjectIssues)
def get_project_issues_statistics(ctx: ReadContext, project: Project, p: CountProjectIssues) -> dict[str, Any]:
    """Count the issues of a project."""
    return _statistics(ctx, p, lambda: [project], project.id)


def _statistics(ctx: ReadContext, p: IssueFilters, projects: Any, container: Any) -> dict[str, Any]:
    chooser = IssueFilter(ctx, container)
    chosen = _chosen(chooser, p, projects)
    closed, opened = (chosen & chooser.bits("state", state) for state in ("closed", "opened"))
    counts = {"all": chosen.bit_count(), "closed": closed.bit_count(), "opened": opened.bit_count()}
    return {"statistics": {"counts": counts}}


def _single(ctx: ReadContext, p: Params, issue: Issue) -> tuple[str, ...]:
    del ctx, p, issue
    return (SINGLE,)


@area.operation("GET", "", scope=ISSUE, view=IssueView, options=_single)
def get_issue(ctx: ReadContext, project: Project, issue: Issue) -> Issue:
    """Get an issue."""
    del ctx, project
    return issue


@area.operation(
    "GET",
    "issues/:id",
    login=Login.ALWAYS,
    view=IssueView,
    ability=Ability.ADMIN_USERS,
    options=_single,
    refusals=(404,),
)
def get_issue_by_id(ctx: ReadContext, id: int) -> Issue:
    """Get an issue by its global id. Administrators only."""
    found = ctx.world.issues.get(id)
    if found is None:
        raise NotFound("Issue", reason=f"no issue has the id {id}")
    return found


class IssueAttributes(Params):
    """What can be set of an issue when it is made and later."""

    description: str | None = None
    assignee_ids: CommaList[int] | None = None
    assignee_id: int | None = None
    milestone_id: int | None = None
    labels: CommaList[str] | None = None
    add_labels: CommaList[str] | None = None
    remove_labels: CommaList[str] | None = None
    due_date: Day | None = None
    confidential: bool | None = None
    discussion_locked: bool | None = None
    weight: int | None = None
    health_status: Literal["on_track", "needs_attention", "at_risk"] | None = None

    rules = (mutually_exclusive("assignee_ids", "assignee_id"),)


class CreateIssue(IssueAttributes):
    """A new issue."""

    title: str
    created_at: Moment | None = None
    iid: int | None = None
    merge_request_to_resolve_discussions_of: int | None = None
    discussion_to_resolve: str | None = None
    issue_type: Literal["issue", "incident"] | None = None


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
_PAID: Final = ("weight", "health_status")


class UpdateIssue(IssueAttributes):
    """Changes of an issue."""

    title: str | None = None
    state_event: Literal["close", "reopen"] | None = None
    created_at: Moment | None = None
    updated_at: Annotated[Moment | None, NotBlank] = None

    rules = (at_least_one_of(*_CHANGES).or_one_of(*_PAID),)


def _refuse_paid_only(ctx: ReadContext, p: UpdateIssue) -> None:
    """What only paid tiers have does not count as a change on others."""
    if not has_feature(ctx.world, "premium", ctx.container) and not set(_CHANGES).intersection(p.given()):
        raise InvalidParams(f"{', '.join(_CHANGES)} are missing, at least one parameter must be provided")


def _given(p: Params) -> dict[str, Any]:
    dropped = ("merge_request_to_resolve_discussions_of", "discussion_to_resolve")
    given = {name: value for name, value in p.given().items() if name not in dropped}
    if "issue_type" in given:
        given["kind"] = given.pop("issue_type")
    for name in ("confidential", "title", "created_at", "updated_at"):
        if given.get(name, "") is None:
            del given[name]
    return given


@area.operation(
    "POST", "issues", scope=PROJECT, params=CreateIssue, view=IssueView, options=_single, refusals=(400, 403, 409, 429)
)
def create_issue(ctx: WriteContext, project: Project, p: CreateIssue) -> Issue:
    """Create an issue."""
    author = ctx.signed_in_user
    ctx.count_action("issues_create", author.id, ctx.world.settings.issues_create_limit)
    authorize(ctx, Ability.CREATE_ISSUE, project)
    given = {name: value for name, value in _given(p).items() if value is not None}
    follow_up = follow_ups.find_threads(
        ctx, project, p.merge_request_to_resolve_discussions_of, p.discussion_to_resolve
    )
    if follow_up is None:
        return issues.create(ctx, project, author, **given)
    issue = issues.create(ctx, project, author, **{"description": follow_ups.describe_threads(ctx, follow_up), **given})
    follow_ups.resolve_threads(ctx, follow_up, issue)
    return issue


@area.operation("PUT", "", scope=ANY_ISSUE, params=UpdateIssue, view=IssueView, options=_single, refusals=(400, 403))
def update_issue(ctx: WriteContext, project: Project, issue: Issue, p: UpdateIssue) -> Issue:
    """Update an issue."""
    _refuse_paid_only(ctx, p)
    noteables.authorize_update(ctx, issue)
    return issues.update(ctx, project, issue, **_given(p))


def _find_named(ctx: ReadContext, project: Project, iid: int) -> Issue:
    try:
        return find_any_issue(ctx, project, iid)
    except RecordNotFound as missing:
        raise NotFound("Issue", reason=missing.why) from None


ISSUE_BY_NAME: Final = PROJECT / Segment("issues/:issue_iid", kind="integer", locate=_find_named, word="issue")


@area.operation("DELETE", "", scope=ISSUE_BY_NAME, refusals=(403, 412))
def delete_issue(ctx: WriteContext, project: Project, issue: Issue) -> None:
    """Delete an issue."""
    authorize(ctx, Ability.DESTROY_ISSUE, project)
    ctx.check_unmodified_since(issue.updated_at)
    purge(ctx, issue)


@area.operation("GET", "time_stats", scope=ISSUE)
def get_issue_time_stats(ctx: ReadContext, project: Project, issue: Issue) -> dict[str, Any]:
    """Get the estimated and spent time of an issue."""
    del ctx, project
    return time_stats(issue)
