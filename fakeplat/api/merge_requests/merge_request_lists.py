"""Lists of merge requests.

Source: docs/platform/merge-requests.md, docs/decisions/rulings.md (1, 7, 20).
"""

from collections.abc import Callable, Sequence
from typing import Annotated, ClassVar, Final, Literal

from fakeplat.api.issues import issuables
from fakeplat.api.scopes import GROUP, PROJECT
from fakeplat.core.operations.operation import Area, Reading
from fakeplat.core.operations.paging import DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, Paged
from fakeplat.core.params.coercion import Failure
from fakeplat.core.params.none_any import ARRAY_NONE_ANY, read_array_none_any
from fakeplat.core.params.params import (
    ArrayNoneAny,
    As,
    IntegerNoneAny,
    Moment,
    Named,
    Params,
    ParamType,
    Rule,
    mutually_exclusive,
)
from fakeplat.core.release import Lifetime
from fakeplat.core.store.bitsets import bits_of
from fakeplat.domain.issues import issue_search
from fakeplat.domain.issues.issue_search import ListGroup
from fakeplat.domain.merge_requests import merge_checks, merge_request_search
from fakeplat.domain.merge_requests.merge_request_search import MergeRequestFilter
from fakeplat.entities.merge_requests.merge_requests import MergeRequestBasic, MergeRequestSimple
from fakeplat.model.deployments import Deployment
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.people import Group
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.behaviours import JOBS_READ_REPOSITORIES
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.documented import Ruling
from fakeplat.policy.features import has_feature

area: Final = Area("Merge requests", login=Ruling.MERGE_REQUESTS_REQUIRE_LOGIN.holds)
_MAX_APPROVED_BY: Final = 5
"""The limit of the specification and of the platform alike (``MergeRequests::ByApprovalsFinder``, 14.0)."""
_MAX_APPROVERS: Final = 5
"""The limit of the specification; the platform has none (``MergeRequests::ByApproversFinder``, 14.0)."""
_ANY: Final = -1
"""The bitset of all ids."""


MergeRequestScope = Annotated[
    Literal["created-by-me", "assigned-to-me", "created_by_me", "assigned_to_me", "reviews_for_me", "all"],
    Lifetime(since="<=18.9", values=("reviews_for_me",)),
]


class MergeRequestOrder(Paged):
    """The state and the order of merge requests."""

    state: Literal["opened", "closed", "locked", "merged", "all"] = "all"
    order_by: Annotated[
        Literal[
            "created_at",
            "updated_at",
            "title",
            "merged_at",
            "label_priority",
            "milestone_due",
            "popularity",
            "priority",
        ],
        Lifetime(since="14.8", values=("title",)),
        Lifetime(since="<=18.9", values=("merged_at", "label_priority", "milestone_due", "popularity", "priority")),
    ] = "created_at"
    sort: Literal["asc", "desc"] = "desc"


class NegatedFilters(issuables.NegatedFilters):
    """Filters that exclude merge requests (``not``)."""

    reviewer_id: Annotated[int | None, Lifetime(since="13.8")] = None
    reviewer_username: Annotated[str | None, Lifetime(since="13.8")] = None

    rules: ClassVar[tuple[Rule, ...]] = (mutually_exclusive("reviewer_id", "reviewer_username"),)


def _read_names(value: object) -> object:
    if isinstance(value, list):
        return [str(name) for name in value]
    # The words are those of the other filters by approvals.
    return [str(read_array_none_any(value))]


_NamesNoneAny = Annotated[
    list[str],
    As(
        ParamType(
            _read_names,
            {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"enum": ["None", "Any"]}]},
            (Failure(ARRAY_NONE_ANY),),
            strict=True,
        )
    ),
]


class ReviewFilters(Params):
    """Filters by reviewers, approvals, who merged, reactions and branches."""

    reviewer_id: Annotated[IntegerNoneAny | None, Lifetime(since="13.8")] = None
    reviewer_username: Annotated[str | None, Lifetime(since="13.8")] = None
    merge_user_id: Annotated[int | None, Lifetime(since="17.0")] = None
    merge_user_username: Annotated[str | None, Lifetime(since="17.0")] = None
    approved: Annotated[Literal["yes", "no"] | None, Lifetime(since="15.11")] = None
    draft: Annotated[bool | None, Lifetime(since="19.0")] = None
    source_project_id: Annotated[int | None, Lifetime(since="<=18.9")] = None
    approver_ids: ArrayNoneAny | None = None
    approved_by_ids: ArrayNoneAny | None = None
    approved_by_usernames: Annotated[_NamesNoneAny | None, Lifetime(since="15.2")] = None
    my_reaction_emoji: str | None = None
    source_branch: str | None = None
    target_branch: str | None = None
    wip: Literal["yes", "no"] | None = None

    rules: ClassVar[tuple[Rule, ...]] = (
        mutually_exclusive("reviewer_id", "reviewer_username"),
        mutually_exclusive("merge_user_id", "merge_user_username"),
        mutually_exclusive("draft", "wip"),
        mutually_exclusive("approved_by_ids", "approved_by_usernames"),
    )


# The parameters of the last base come first, as in the platform's error messages.
class MergeRequestFilters(issuables.TimeFilters, ReviewFilters, issuables.Filters, MergeRequestOrder):
    """Filters of all lists of merge requests."""

    environment: str | None = None
    deployed_after: Moment | None = None
    deployed_before: Moment | None = None
    scope: MergeRequestScope | None = None
    not_: Annotated[NegatedFilters | None, Named("not")] = None
    view: Literal["simple"] | None = None
    with_labels_details: bool = False
    with_merge_status_recheck: bool = False


class ListProjectMergeRequests(MergeRequestFilters):
    """Filters and order of the list of a project's merge requests."""


class ListGroupMergeRequests(MergeRequestFilters, issuables.NonArchivedFilter):
    """Filters and order of the list of a group's merge requests."""


class ListMergeRequests(MergeRequestFilters):
    """Filters and order of the list of all merge requests; by default those created by the caller."""

    scope: MergeRequestScope | None = "created_by_me"


def _view(_ctx: ReadContext, p: MergeRequestFilters) -> type[MergeRequestSimple | MergeRequestBasic]:
    return MergeRequestSimple if p.view == "simple" else MergeRequestBasic


def _plan_recheck(
    p: MergeRequestFilters, rows: Callable[[], Sequence[MergeRequest]]
) -> Callable[[WriteContext], None] | None:
    """Return an action that checks the stale merge requests on the requested page, if there are any."""
    # `rows` is a function, because most requests do not ask for the recheck.
    if not p.with_merge_status_recheck:
        return None
    # The same page as that of the response: a negative size is the default, and pages start at 1.
    size = min(p.per_page, MAX_PAGE_SIZE) if p.per_page and p.per_page > 0 else DEFAULT_PAGE_SIZE
    first = (max(p.page or 1, 1) - 1) * size
    # Only ids are carried over: the records may have changed when the action runs.
    stale = [row.id for row in rows()[first : first + size] if merge_checks.is_stale(row)]

    def start_checks(write_ctx: WriteContext) -> None:
        for id_ in stale:
            merge_checks.start_check(write_ctx, write_ctx.world.merge_requests[id_])

    return start_checks if stale else None


def _plan_recheck_everywhere(
    ctx: ReadContext, _records: object, p: ListMergeRequests
) -> Callable[[WriteContext], None] | None:
    return _plan_recheck(p, lambda: _list_everywhere(ctx, p))


def _plan_recheck_of_group(
    ctx: ReadContext, _records: object, p: ListGroupMergeRequests
) -> Callable[[WriteContext], None] | None:
    return _plan_recheck(p, lambda: _list_by_group(ctx, ctx.records[0], p))


def _plan_recheck_of_project(
    ctx: ReadContext, _records: object, p: ListProjectMergeRequests
) -> Callable[[WriteContext], None] | None:
    return _plan_recheck(p, lambda: _list_by_project(ctx, ctx.records[0], p))


@area.operation(
    "GET",
    "merge_requests",
    params=ListMergeRequests,
    view=_view,
    many=True,
    options=issuables.build_list_options,
    reading=Reading(effect=_plan_recheck_everywhere),
)
def list_merge_requests(ctx: ReadContext, p: ListMergeRequests) -> Sequence[MergeRequest]:
    """List merge requests everywhere; by default the caller's own."""
    return _list_everywhere(ctx, p)


@area.operation(
    "GET",
    "merge_requests",
    scope=GROUP,
    params=ListGroupMergeRequests,
    view=_view,
    many=True,
    options=issuables.build_group_list_options,
    reading=Reading(effect=_plan_recheck_of_group),
)
def list_group_merge_requests(ctx: ReadContext, group: Group, p: ListGroupMergeRequests) -> Sequence[MergeRequest]:
    """List the merge requests of a group and its subgroups."""
    return _list_by_group(ctx, group, p)


@area.operation(
    "GET",
    "merge_requests",
    scope=PROJECT,
    ability=Ability.READ_MERGE_REQUESTS,
    params=ListProjectMergeRequests,
    view=_view,
    many=True,
    options=issuables.build_project_list_options,
    reading=Reading(effect=_plan_recheck_of_project),
    job_token=JOBS_READ_REPOSITORIES,
)
def list_project_merge_requests(
    ctx: ReadContext, project: Project, p: ListProjectMergeRequests
) -> Sequence[MergeRequest]:
    """List the merge requests of a project."""
    return _list_by_project(ctx, project, p)


def _list_everywhere(ctx: ReadContext, p: ListMergeRequests) -> Sequence[MergeRequest]:
    issuables.check_scope(ctx, p.scope, "merge requests")
    return _list_matching(ctx, p, ctx.world.projects.all, "all")


def _list_by_group(ctx: ReadContext, group: Group, p: ListGroupMergeRequests) -> Sequence[MergeRequest]:
    return _list_matching(ctx, p, lambda: issue_search.visible_in_group(ctx.world, group), "all")


def _list_by_project(ctx: ReadContext, project: Project, p: ListProjectMergeRequests) -> Sequence[MergeRequest]:
    return _list_matching(ctx, p, lambda: [project], project.id)


def list_deployed(
    ctx: ReadContext, project: Project, deployment: Deployment, p: MergeRequestFilters
) -> Sequence[MergeRequest]:
    """Return those merge requests of a deployment that the caller may read and that pass the filters."""
    return _list_matching(ctx, p, lambda: [project], project.id, among=bits_of(deployment.merge_request_ids))


def _list_matching(
    ctx: ReadContext, p: MergeRequestFilters, projects: issuables.Projects, group: ListGroup, *, among: int = _ANY
) -> Sequence[MergeRequest]:
    request_filter = MergeRequestFilter(ctx, group)
    matching = _match_merge_requests(request_filter, p, projects) & among
    return merge_request_search.order_merge_requests(ctx, matching, group, p.order_by, p.sort)


def _match_merge_requests(
    request_filter: MergeRequestFilter, p: MergeRequestFilters, projects: issuables.Projects
) -> int:
    """Return the bitset of merge requests that pass all filters."""
    ctx = request_filter.ctx
    issue_search.check_assignees(ctx, p.assignee_username or ())
    visible = merge_request_search.visible_projects(
        ctx, projects, issue_search.scope_key(ctx), archived=not getattr(p, "non_archived", False)
    )
    # Anonymous callers have created nothing and are assigned to nothing.
    candidates = issuables.match_scope(request_filter, p.scope, request_filter.visible(visible), anonymous=0)
    if p.state != "all":
        candidates &= request_filter.bits("state", p.state)
    matching = issuables.match_filters(
        request_filter, p, _CONDITIONS, visible, request_filter.in_time_range(candidates, p)
    )
    if p.approved is not None:
        approved = request_filter.approved()
        matching &= approved if p.approved == "yes" else ~approved
    # Free tiers ignore the filters by who approved or may approve.
    if has_feature(ctx.world, "premium", ctx.container):
        matching &= _match_approvals(request_filter, p)
    if p.environment or p.deployed_after or p.deployed_before:
        matching &= request_filter.deployed(p.environment, p.deployed_after, p.deployed_before)
    matching = issuables.match_text(request_filter, p.search, p.in_, matching)
    return matching & ~issuables.match_excluded(request_filter, p.not_, _EXCLUDING_CONDITIONS) if p.not_ else matching


_REVIEWER_CONDITIONS: Final[issuables.Conditions[MergeRequestFilter]] = {
    "reviewer_id": lambda request_filter, value: request_filter.reviewed_by(value),
    "reviewer_username": lambda request_filter, value: request_filter.reviewed_by_name(value),
}
_EXCLUDING_CONDITIONS: Final[issuables.Conditions[MergeRequestFilter]] = {
    **issuables.EXCLUDING_CONDITIONS,
    **_REVIEWER_CONDITIONS,
}
_CONDITIONS: Final[issuables.Conditions[MergeRequestFilter]] = {
    **issuables.CONDITIONS,
    **_REVIEWER_CONDITIONS,
    "merge_user_id": lambda request_filter, value: request_filter.bits("merger", value),
    "merge_user_username": lambda request_filter, value: request_filter.merged_by_name(value),
    "source_project_id": lambda request_filter, value: request_filter.from_project(value),
    "draft": lambda request_filter, value: request_filter.bits("draft", value),
    "source_branch": lambda request_filter, value: request_filter.bits("source_branch", value),
    "target_branch": lambda request_filter, value: request_filter.bits("target_branch", value),
    "wip": lambda request_filter, value: request_filter.bits("draft", value == "yes"),
}


def _match_approvals(request_filter: MergeRequestFilter, p: MergeRequestFilters) -> int:
    matching = request_filter.bits("all")
    # An empty list is no filter, but the words ``None`` and ``Any`` are.
    if p.approved_by_ids not in (None, []):
        matching &= request_filter.approved_by(_limit_ids(p.approved_by_ids, _MAX_APPROVED_BY))
    if p.approved_by_usernames:
        matching &= request_filter.approved_by_names(p.approved_by_usernames)
    if p.approver_ids not in (None, []):
        is_limited = Ruling.APPROVED_BY_IDS_ARE_CUT_TO_FIVE.holds(request_filter.world)
        matching &= request_filter.approvable_by(_limit_ids(p.approver_ids, _MAX_APPROVERS if is_limited else None))
    return matching


def _limit_ids(operand: Sequence[int] | str, limit: int | None) -> Sequence[int] | str:
    """Return the first ``limit`` distinct ids (all for None); the words ``None`` and ``Any`` pass unchanged."""
    return operand if isinstance(operand, str) else list(dict.fromkeys(operand))[:limit]
