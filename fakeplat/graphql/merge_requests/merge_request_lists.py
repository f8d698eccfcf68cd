"""Lists of merge requests: filters and sorting. Source: docs/platform/graphql.md, docs/platform/merge-requests.md."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, Final, TypedDict, Unpack

from graphql import GraphQLError

from fakeplat.core.store.bitsets import iterate_bits
from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.core.timestamps import SECOND, from_iso
from fakeplat.domain.issues import issue_search
from fakeplat.domain.issues.issue_search import ListGroup
from fakeplat.domain.merge_requests import merge_request_search
from fakeplat.domain.merge_requests.merge_request_search import MergeRequestFilter
from fakeplat.graphql.ids import parse_id
from fakeplat.graphql.issues.issuables import MERGE_REQUEST
from fakeplat.graphql.lookups import find_visible_project
from fakeplat.graphql.people.groups import GROUP
from fakeplat.graphql.people.users import USER, is_activity_visible
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import Enumeration
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.people import Group, User
from fakeplat.model.projects import Project
from fakeplat.policy.authorization import can_see
from fakeplat.policy.context import ReadContext

NO_PROJECT: Final = "iids requires projectPath or projectId"

_SEARCHED: Final = ("title", "description")
_NEWEST: Final = ("created_at", "desc")
_SORTS: Final = {
    "CREATED_ASC": (("created_at", "asc"), "By creation time, oldest first."),
    "CREATED_DESC": (_NEWEST, "By creation time, newest first."),
    "UPDATED_ASC": (("updated_at", "asc"), "By the time of the last update, oldest first."),
    "UPDATED_DESC": (("updated_at", "desc"), "By the time of the last update, newest first."),
}
Enumeration(
    "MergeRequestSort",
    "The sort order of merge requests.",
    {
        **_SORTS,
        **{name.lower(): sort for name, sort in _SORTS.items()},
        "MERGED_AT_ASC": (("merged_at", "asc"), "By the time of merging, oldest first."),
        "MERGED_AT_DESC": (("merged_at", "desc"), "By the time of merging, newest first."),
    },
)
_FILTERS: Final = (
    "iids: [String!], sourceBranches: [String!], targetBranches: [String!], state: MergeRequestState, "
    "labels: [String!], mergedAfter: Time, mergedBefore: Time, milestoneTitle: String, "
    'sort: MergeRequestSort = CREATED_DESC, createdAfter: Time @lifetime(since: "<=14.9"), '
    'createdBefore: Time @lifetime(since: "<=14.9"), updatedAfter: Time @lifetime(since: "<=14.9"), '
    'updatedBefore: Time @lifetime(since: "<=14.9"), approved: Boolean @lifetime(since: "<=16.2"), '
    'search: String @lifetime(since: "<=18.5"), in: [IssuableSearchableField!] @lifetime(since: "<=18.5"), '
    'labelName: [String] @lifetime(since: "<=18.5"), mergedBy: String @lifetime(since: "<=18.5"), '
    'approvedBy: [String!] @lifetime(since: "<=18.5"), myReactionEmoji: String @lifetime(since: "<=18.5")'
)
_AUTHOR: Final = "authorUsername: String"
_ASSIGNEE: Final = "assigneeUsername: String"
_REVIEWER: Final = 'reviewerUsername: String @lifetime(since: "13.8")'
_LATER_REVIEWER: Final = _REVIEWER.replace("13.8", "<=18.5")
_DRAFT: Final = 'draft: Boolean @lifetime(since: "<=14.9")'
_USER_FILTERS: Final = f"{_FILTERS}, projectPath: String, projectId: ID, {_DRAFT}"


_Words = TypedDict("_Words", {"in": list[str] | None}, total=False)


class MergeRequestFilters(_Words, total=False):
    """The arguments of lists of merge requests. The enumerations have their internal values."""

    iids: list[str] | None
    source_branches: list[str] | None
    target_branches: list[str] | None
    state: str | None
    labels: list[str] | None
    merged_after: str | None
    merged_before: str | None
    milestone_title: str | None
    author_username: str | None
    assignee_username: str | None
    reviewer_username: str | None
    draft: bool | None
    sort: tuple[str, str] | None
    created_after: str | None
    created_before: str | None
    updated_after: str | None
    updated_before: str | None
    approved: bool | None
    search: str | None
    label_name: list[str | None] | None
    merged_by: str | None
    approved_by: list[str] | None
    my_reaction_emoji: str | None


class UserMergeRequestFilters(MergeRequestFilters, total=False):
    """The arguments of lists of a user's merge requests."""

    project_path: str | None
    project_id: str | None


@MERGE_REQUEST.total("totalTimeToMerge: Float", since="<=13.12")
def total_time_to_merge(_ctx: ReadContext, rows: Sequence[MergeRequest]) -> float | None:
    """Seconds from the creation to the merge, of all merged ones together."""
    spans = [from_iso(row.merged_at) - from_iso(row.created_at) for row in rows if row.merged_at is not None]
    return sum(spans) / SECOND if spans else None


@PROJECT.field(f"mergeRequests({_FILTERS}, {_AUTHOR}, {_ASSIGNEE}, {_REVIEWER}, {_DRAFT}): MergeRequestConnection")
def merge_requests_of_project(
    ctx: ReadContext, project: Project, **filters: Unpack[MergeRequestFilters]
) -> Sequence[MergeRequest]:
    """The merge requests of the project."""
    return _filter_in_project(ctx, project, filters)


@PROJECT.field("openMergeRequestsCount: Int", since="<=16.9")
def open_merge_requests_count(ctx: ReadContext, project: Project) -> int:
    """Number of open merge requests."""
    return len(_filter_in_project(ctx, project, {"state": "opened"}))


@GROUP.field(
    f"mergeRequests({_FILTERS}, {_AUTHOR}, {_ASSIGNEE}, {_LATER_REVIEWER}, {_DRAFT}, "
    "includeSubgroups: Boolean = false): MergeRequestConnection"
)
def merge_requests_of_group(
    ctx: ReadContext, group: Group, include_subgroups: bool | None = False, **filters: Unpack[MergeRequestFilters]
) -> Sequence[MergeRequest]:
    """The merge requests of the projects in the group."""
    subgroups = bool(include_subgroups)
    return _filter_merge_requests(
        ctx,
        "all",
        lambda: issue_search.visible_in_group(ctx.world, group, subgroups=subgroups),
        (Group, group.id, "graphql", subgroups),
        filters,
    )


@USER.field(f"authoredMergeRequests({_USER_FILTERS}, {_ASSIGNEE}): MergeRequestConnection")
def authored_merge_requests(
    ctx: ReadContext, user: User, **filters: Unpack[UserMergeRequestFilters]
) -> Sequence[MergeRequest] | None:
    """The merge requests that the user created."""
    return _filter_by_role(ctx, user, "author", **filters)


@USER.field(f"assignedMergeRequests({_USER_FILTERS}, {_AUTHOR}): MergeRequestConnection")
def assigned_merge_requests(
    ctx: ReadContext, user: User, **filters: Unpack[UserMergeRequestFilters]
) -> Sequence[MergeRequest] | None:
    """The merge requests assigned to the user."""
    return _filter_by_role(ctx, user, "assignee", **filters)


@USER.field(f"reviewRequestedMergeRequests({_USER_FILTERS}, {_AUTHOR}): MergeRequestConnection", since="<=13.8")
def review_requested_merge_requests(
    ctx: ReadContext, user: User, **filters: Unpack[UserMergeRequestFilters]
) -> Sequence[MergeRequest] | None:
    """The merge requests that the user is to review."""
    return _filter_by_role(ctx, user, "reviewer", **filters)


def _filter_by_role(
    ctx: ReadContext,
    user: User,
    role: str,
    project_path: str | None = None,
    project_id: str | None = None,
    **filters: Unpack[MergeRequestFilters],
) -> Sequence[MergeRequest] | None:
    """Return the merge requests in which a user has a role; None if the profile or the project is hidden."""
    if not is_activity_visible(ctx, user):
        return None
    if project_path is None and project_id is None:
        # The number of a merge request is unique only within its project.
        if filters.get("iids"):
            raise GraphQLError(NO_PROJECT)
        return _filter_merge_requests(ctx, "all", ctx.world.projects.all, None, filters, (role, user.id))
    project = _find_project(ctx, project_path, project_id)
    return None if project is None else _filter_in_project(ctx, project, filters, (role, user.id))


def _find_project(ctx: ReadContext, path: str | None, id_: str | None) -> Project | None:
    if path is not None:
        return find_visible_project(ctx, path)
    project = ctx.world.projects.get(parse_id(ctx, id_ or "", "Project"))
    return project if project is not None and can_see(ctx, project) else None


def _filter_in_project(
    ctx: ReadContext, project: Project, filters: MergeRequestFilters, *facts: tuple[str, int]
) -> Sequence[MergeRequest]:
    return _filter_merge_requests(ctx, project.id, lambda: [project], (Project, project.id), filters, *facts)


def _filter_merge_requests(
    ctx: ReadContext,
    key: ListGroup,
    projects: Callable[[], Iterable[Project]],
    scope: Hashable,
    filters: MergeRequestFilters,
    *facts: tuple[str, int],
) -> Sequence[MergeRequest]:
    """Return the merge requests of projects that are visible to the caller and match facts and filters, sorted.

    ``key`` is the id of the one project, or "all"; ``scope`` identifies the set of projects in the cache.
    """
    active: dict[str, Any] = {name: value for name, value in filters.items() if value is not None}
    # An empty list matches nothing, unlike no list.
    if [] in active.values():
        return ()
    column, direction = active.pop("sort", _NEWEST)
    merge_request_filter = MergeRequestFilter(ctx, key)
    selected = merge_request_filter.visible(merge_request_search.visible_projects(ctx, projects, scope, archived=True))
    # A selection is a set of ids in one integer, as in the lists of issues.
    for fact in facts:
        selected &= merge_request_filter.bits(*fact)
    for name in _CONDITIONS:
        if name in active:
            selected &= _CONDITIONS[name](merge_request_filter, active[name])
    if "iids" in active:
        numbers = [parse_number(text) or 0 for text in active["iids"]]
        selected = selected & merge_request_filter.with_iids(numbers, key if key != "all" else None, selected)
    if active.get("search"):
        selected = merge_request_filter.containing_text(selected, active["search"], active.get("in") or _SEARCHED)
    for name, condition in _MERGED_CONDITIONS.items():
        if name in active:
            selected = merge_request_filter.passing(selected, condition(active[name]))
    # The table has no sorted index of this column.
    if column == "merged_at":
        return _sort_by_merge_time(ctx, selected, descending=direction == "desc")
    return merge_request_search.order_merge_requests(ctx, selected, key, column, direction)


def _sort_by_merge_time(ctx: ReadContext, selected: int, *, descending: bool) -> Sequence[MergeRequest]:
    """Sort by the time of merging, those not merged last; equal ones newest first."""
    newest_first = sorted(
        map(ctx.world.merge_requests.__getitem__, iterate_bits(selected)), key=lambda merge_request: -merge_request.id
    )
    merged = [merge_request for merge_request in newest_first if merge_request.merged_at]
    unmerged = [merge_request for merge_request in newest_first if not merge_request.merged_at]
    # Python's sort is stable in both directions, so the newest stays first among equals.
    return [*sorted(merged, key=lambda merge_request: merge_request.merged_at or "", reverse=descending), *unmerged]


def _any_of(fact: str) -> Callable[[MergeRequestFilter, Sequence[str]], int]:
    def choose(merge_request_filter: MergeRequestFilter, values: Sequence[str]) -> int:
        selected = 0
        for value in values:
            selected |= merge_request_filter.bits(fact, value)
        return selected

    return choose


_MERGED_CONDITIONS: Final[dict[str, Callable[[str], Callable[[MergeRequest], bool]]]] = {
    "merged_after": lambda when: (
        lambda merge_request: merge_request.merged_at is not None and merge_request.merged_at >= when
    ),
    "merged_before": lambda when: (
        lambda merge_request: merge_request.merged_at is not None and merge_request.merged_at <= when
    ),
}
_CONDITIONS: Final[dict[str, Callable[[MergeRequestFilter, Any], int]]] = {
    "state": lambda selection, state: selection.bits("all") if state == "all" else selection.bits("state", state),
    "labels": lambda selection, titles: selection.with_labels(titles),
    "milestone_title": lambda selection, title: selection.in_milestone(title),
    "author_username": lambda selection, name: selection.by_users("author", [name]),
    "assignee_username": lambda selection, name: selection.by_users("assignee", [name]),
    "reviewer_username": lambda selection, name: selection.by_users("reviewer", [name]),
    "created_after": lambda selection, moment: selection.between("created_at", moment, None),
    "created_before": lambda selection, moment: selection.between("created_at", None, moment),
    "updated_after": lambda selection, moment: selection.between("updated_at", moment, None),
    "updated_before": lambda selection, moment: selection.between("updated_at", None, moment),
    "approved": lambda selection, is_approved: (
        selection.approved() if is_approved else selection.bits("all") & ~selection.approved()
    ),
    "label_name": lambda selection, titles: selection.with_labels([title for title in titles if title is not None]),
    "merged_by": lambda selection, name: selection.merged_by_name(name),
    "approved_by": lambda selection, names: selection.approved_by_names(names),
    "my_reaction_emoji": lambda selection, name: selection.with_reaction(name),
    "draft": lambda selection, is_draft: selection.bits("draft", is_draft),
    "source_branches": _any_of("source_branch"),
    "target_branches": _any_of("target_branch"),
}
