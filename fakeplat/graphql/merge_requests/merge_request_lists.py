"""Lists of merge requests: filters and sorting. Source: docs/platform/graphql.md, docs/platform/merge-requests.md."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import partial, reduce
from operator import or_
from typing import Any, Final, Literal, TypedDict, Unpack

from graphql import GraphQLError

from fakeplat.core.release import Lifetime
from fakeplat.core.store.bitsets import iterate_bits
from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.core.timestamps import DAY, SECOND, from_iso
from fakeplat.domain.issues import issue_search
from fakeplat.domain.issues.issue_search import ListGroup
from fakeplat.domain.merge_requests import merge_request_search
from fakeplat.domain.merge_requests.merge_request_search import MergeRequestFilter
from fakeplat.domain.notes import awards
from fakeplat.domain.reviews import diff_versions
from fakeplat.graphql.ids import parse_id
from fakeplat.graphql.issues.issuables import MERGE_REQUEST
from fakeplat.graphql.issues.wildcards import (
    check_exclusive,
    in_released_milestones,
    union_of_labels,
    union_of_users,
)
from fakeplat.graphql.lookups import find_visible_project
from fakeplat.graphql.merge_requests import review_filters
from fakeplat.graphql.merge_requests.review_filters import Role, match_reviews
from fakeplat.graphql.people.groups import GROUP
from fakeplat.graphql.people.users import CURRENT_USER, USER, is_activity_visible
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import Enumeration, Input, trim_lifetimes
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.people import Group, User
from fakeplat.model.projects import Project
from fakeplat.policy.authorization import can_see
from fakeplat.policy.context import ReadContext

NO_PROJECT: Final = "iids requires projectPath or projectId"

_TWO_YEARS: Final = 2 * 365.2425 * DAY
_SEARCHED: Final = ("title", "description")
_NEWEST: Final = ("created_at", "desc")
_SORTS: Final = {
    "CREATED_ASC": (("created_at", "asc"), "By creation time, oldest first."),
    "CREATED_DESC": (_NEWEST, "By creation time, newest first."),
    "UPDATED_ASC": (("updated_at", "asc"), "By the time of the last update, oldest first."),
    "UPDATED_DESC": (("updated_at", "desc"), "By the time of the last update, newest first."),
}
_LATER_SORTS: Final = {
    f"{name}_{direction}": ((column, direction.lower()), f"By {words}.", Lifetime(since=since))
    for name, column, words, since in (
        ("PRIORITY", "priority", "the due date of the milestone and the priority of labels", "<=13.7"),
        ("LABEL_PRIORITY", "label_priority", "the priority of labels", "<=13.7"),
        ("MILESTONE_DUE", "milestone_due", "the due date of the milestone", "<=13.7"),
        ("CLOSED_AT", "closed_at", "the time of closing", "<=14.3"),
        ("TITLE", "title", "title", "<=14.9"),
        ("POPULARITY", "popularity", "the number of upvotes", "<=18.5"),
    )
    for direction in ("ASC", "DESC")
}
Enumeration(
    "MergeRequestSort",
    "The sort order of merge requests.",
    {
        **_SORTS,
        **{name.lower(): sort for name, sort in _SORTS.items()},
        "MERGED_AT_ASC": (("merged_at", "asc"), "By the time of merging, oldest first."),
        "MERGED_AT_DESC": (("merged_at", "desc"), "By the time of merging, newest first."),
        **_LATER_SORTS,
    },
)
_FILTERS: Final = (
    "iids: [String!], sourceBranches: [String!], targetBranches: [String!], state: MergeRequestState, "
    "labels: [String!], mergedAfter: Time, mergedBefore: Time, milestoneTitle: String, "
    'sort: MergeRequestSort = CREATED_DESC, createdAfter: Time @lifetime(since: "<=14.9"), '
    'createdBefore: Time @lifetime(since: "<=14.9"), updatedAfter: Time @lifetime(since: "<=14.9"), '
    'updatedBefore: Time @lifetime(since: "<=14.9"), approved: Boolean @lifetime(since: "<=16.2", until: "<=18.9"), '
    'search: String @lifetime(since: "<=18.5"), in: [IssuableSearchableField!] @lifetime(since: "<=18.5"), '
    'labelName: [String] @lifetime(since: "<=18.5"), mergedBy: String @lifetime(since: "<=18.5"), '
    'approvedBy: [String!] @lifetime(since: "<=18.5"), myReactionEmoji: String @lifetime(since: "<=18.5"), '
    'deployedAfter: Time @lifetime(since: "<=18.5"), deployedBefore: Time @lifetime(since: "<=18.5"), '
    'deploymentId: String @lifetime(since: "<=18.5"), environmentName: String @lifetime(since: "<=18.5"), '
    'milestoneWildcardId: MilestoneWildcardId @lifetime(since: "<=18.5"), '
    'not: MergeRequestsResolverNegatedParams @lifetime(since: "<=14.0"), '
    'or: UnionedMergeRequestFilterInput @lifetime(since: "<=17.10"), releaseTag: String @lifetime(since: "<=18.5"), '
    'subscribed: SubscriptionStatus @lifetime(since: "<=18.5"), '
    f'{review_filters.FILTERS}, blobPath: String @lifetime(since: "17.7"), '
    'closedAfter: Time @lifetime(since: "<=18.9"), closedBefore: Time @lifetime(since: "<=18.9"), '
    'approver: [String!] @lifetime(since: "<=18.9")'
)
Input(
    "MergeRequestsResolverNegatedParams",
    "What the merge requests must not have.",
    '''
"""The names of labels, all of them together."""
labels: [String!]
"""The title of the milestone."""
milestoneTitle: String
"""The usernames of those who approved."""
approvedBy: [String!] @lifetime(since: "<=18.5")
"""The usernames of assignees."""
assigneeUsernames: [String!] @lifetime(since: "<=18.5")
"""The username of the author."""
authorUsername: String @lifetime(since: "<=18.5")
"""The names of labels, all of them together."""
labelName: [String!] @lifetime(since: "<=18.5")
"""The reaction of the caller."""
myReactionEmoji: String @lifetime(since: "<=18.5")
"""The tag of a release of the milestone."""
releaseTag: String @lifetime(since: "<=18.5")
"""The username of the reviewer."""
reviewerUsername: String @lifetime(since: "<=18.5")
"""The names of source branches."""
sourceBranches: [String!] @lifetime(since: "<=18.5")
"""The names of target branches."""
targetBranches: [String!] @lifetime(since: "<=18.5")
'''
    + review_filters.NEGATED_FIELDS,
    since="<=14.0",
)
Input(
    "UnionedMergeRequestFilterInput",
    "Filters that at least one of their values passes.",
    '''
"""The usernames of assignees."""
assigneeUsernames: [String!]
'''
    + review_filters.UNIONED_FIELDS,
    since="<=17.10",
)
_AUTHOR: Final = "authorUsername: String"
_ASSIGNEE: Final = (
    'assigneeUsername: String, assigneeUsernames: [String!] @lifetime(since: "<=18.5"), '
    'assigneeWildcardId: AssigneeWildcardId @lifetime(since: "<=18.5")'
)
_WILDCARD_REVIEWER: Final = 'reviewerWildcardId: ReviewerWildcardId @lifetime(since: "<=18.5")'
_NEWER_REVIEWER: Final = f'reviewerUsername: String @lifetime(since: "<=18.9"), {_WILDCARD_REVIEWER}'
_LATER_ASSIGNEE: Final = _ASSIGNEE.replace("String,", 'String @lifetime(since: "<=18.9"),', 1)
_REVIEWER: Final = f'reviewerUsername: String @lifetime(since: "13.8"), {_WILDCARD_REVIEWER}'
_LATER_REVIEWER: Final = _REVIEWER.replace("13.8", "<=18.5")
_DRAFT: Final = 'draft: Boolean @lifetime(since: "<=14.9")'
_USER_FILTERS: Final = (
    f'{_FILTERS}, projectPath: String, projectId: ID, {_DRAFT}, groupId: GroupID @lifetime(since: "<=16.3"), '
    'includeArchived: Boolean = false @lifetime(since: "<=18.5")'
)
_EXCLUSIVE: Final = (
    ("assigneeUsernames", "assigneeUsername", "assigneeWildcardId"),
    ("reviewerUsername", "reviewerWildcardId"),
    ("milestoneTitle", "milestoneWildcardId"),
)


_Words = TypedDict(
    "_Words", {"in": list[str] | None, "not": dict[str, Any] | None, "or": dict[str, Any] | None}, total=False
)


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
    deployed_after: str | None
    deployed_before: str | None
    deployment_id: str | None
    environment_name: str | None
    milestone_wildcard_id: str | None
    release_tag: str | None
    subscribed: bool | None
    assignee_usernames: list[str] | None
    assignee_wildcard_id: str | None
    reviewer_wildcard_id: str | None
    review_state: str | None
    review_states: list[str] | None
    ignored_reviewer_username: str | None
    blob_path: str | None
    closed_after: str | None
    closed_before: str | None
    approver: list[str] | None


class UserMergeRequestFilters(MergeRequestFilters, total=False):
    """The arguments of lists of a user's merge requests."""

    project_path: str | None
    project_id: str | None
    group_id: str | None
    include_archived: bool | None


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
    "includeSubgroups: Boolean = false, "
    'includeArchived: Boolean = false @lifetime(since: "<=14.10")): MergeRequestConnection'
)
def merge_requests_of_group(
    ctx: ReadContext,
    group: Group,
    include_subgroups: bool | None = False,
    include_archived: bool | None = True,
    **filters: Unpack[MergeRequestFilters],
) -> Sequence[MergeRequest]:
    """The merge requests of the projects in the group."""
    subgroups = bool(include_subgroups)
    return _filter_merge_requests(
        ctx,
        "all",
        lambda: issue_search.visible_in_group(ctx.world, group, subgroups=subgroups),
        (Group, group.id, "graphql", subgroups),
        filters,
        archived=bool(include_archived),
    )


@USER.field(
    f"authoredMergeRequests({_USER_FILTERS}, {_ASSIGNEE}, {_NEWER_REVIEWER}, "
    'includeAssigned: Boolean = false @lifetime(since: "<=18.5")): MergeRequestConnection'
)
def authored_merge_requests(
    ctx: ReadContext, user: User, include_assigned: bool | None = False, **filters: Unpack[UserMergeRequestFilters]
) -> Sequence[MergeRequest] | None:
    """The merge requests that the user created."""
    roles = ("author", "assignee") if include_assigned else ("author",)
    return _filter_by_role(ctx, user, [Role(name, user.id) for name in roles], **filters)


@USER.field(f"assignedMergeRequests({_USER_FILTERS}, {_AUTHOR}, {_NEWER_REVIEWER}): MergeRequestConnection")
def assigned_merge_requests(
    ctx: ReadContext, user: User, **filters: Unpack[UserMergeRequestFilters]
) -> Sequence[MergeRequest] | None:
    """The merge requests assigned to the user."""
    return _filter_by_role(ctx, user, [Role("assignee", user.id)], **filters)


@USER.field(
    f"reviewRequestedMergeRequests({_USER_FILTERS}, {_AUTHOR}, {_LATER_ASSIGNEE}): MergeRequestConnection",
    since="<=13.8",
)
def review_requested_merge_requests(
    ctx: ReadContext, user: User, **filters: Unpack[UserMergeRequestFilters]
) -> Sequence[MergeRequest] | None:
    """The merge requests that the user is to review."""
    return _filter_by_role(ctx, user, [Role("reviewer", user.id)], **filters)


@CURRENT_USER.field(
    f"assigneeOrReviewerMergeRequests({trim_lifetimes(_USER_FILTERS, (18, 5))}, "
    'authorUsername: String @lifetime(until: "<=18.9"), '
    'assignedReviewStates: [MergeRequestReviewState!] @lifetime(since: "<=18.9"), '
    'reviewerReviewStates: [MergeRequestReviewState!] @lifetime(since: "<=18.9")): MergeRequestConnection',
    since="<=18.5",
)
def assignee_or_reviewer_merge_requests(
    ctx: ReadContext,
    user: User,
    assigned_review_states: Sequence[str] | None = None,
    reviewer_review_states: Sequence[str] | None = None,
    **filters: Unpack[UserMergeRequestFilters],
) -> Sequence[MergeRequest] | None:
    """The merge requests that the user is assigned to, or is to review."""
    roles = [
        Role("assignee", user.id, assigned_review_states or ()),
        Role("reviewer", user.id, reviewer_review_states or ()),
    ]
    return _filter_by_role(ctx, user, roles, **filters)


def _filter_by_role(
    ctx: ReadContext,
    user: User,
    roles: Sequence[Role],
    project_path: str | None = None,
    project_id: str | None = None,
    group_id: str | None = None,
    include_archived: bool | None = True,
    **filters: Unpack[MergeRequestFilters],
) -> Sequence[MergeRequest] | None:
    """Return the merge requests in which a user has one of some roles; None if profile or project is hidden."""
    if not is_activity_visible(ctx, user):
        return None
    archived = bool(include_archived)
    if project_path is None and project_id is None:
        # The number of a merge request is unique only within its project.
        if filters.get("iids"):
            raise GraphQLError(NO_PROJECT)
        group = _find_group(ctx, group_id) if group_id is not None else None
        if group is not None:
            projects = partial(issue_search.visible_in_group, ctx.world, group)
            scope = (Group, group.id, "graphql", True)
            return _filter_merge_requests(ctx, "all", projects, scope, filters, roles, archived=archived)
        if group_id is not None:
            return ()
        return _filter_merge_requests(ctx, "all", ctx.world.projects.all, None, filters, roles, archived=archived)
    project = _find_project(ctx, project_path, project_id)
    return None if project is None else _filter_in_project(ctx, project, filters, roles, archived=archived)


def _find_group(ctx: ReadContext, id_: str) -> Group | None:
    group = ctx.world.namespaces.get(parse_id(ctx, id_, "Group"))
    return group if isinstance(group, Group) and can_see(ctx, group) else None


def _find_project(ctx: ReadContext, path: str | None, id_: str | None) -> Project | None:
    if path is not None:
        return find_visible_project(ctx, path)
    project = ctx.world.projects.get(parse_id(ctx, id_ or "", "Project"))
    return project if project is not None and can_see(ctx, project) else None


def _filter_in_project(
    ctx: ReadContext,
    project: Project,
    filters: MergeRequestFilters,
    roles: Sequence[Role] = (),
    *,
    archived: bool = True,
) -> Sequence[MergeRequest]:
    scope = (Project, project.id)
    return _filter_merge_requests(ctx, project.id, lambda: [project], scope, filters, roles, archived=archived)


def _filter_merge_requests(
    ctx: ReadContext,
    key: ListGroup,
    projects: Callable[[], Iterable[Project]],
    scope: Hashable,
    filters: MergeRequestFilters,
    roles: Sequence[Role] = (),
    *,
    archived: bool = True,
) -> Sequence[MergeRequest]:
    """Return the merge requests of projects that are visible to the caller and match filters and a role, sorted.

    ``key`` is the id of the one project, or "all"; ``scope`` identifies the set of projects in the cache.
    """
    active: dict[str, Any] = {name: value for name, value in filters.items() if value is not None}
    # An empty list matches nothing, unlike no list.
    if [] in active.values():
        return ()
    check_exclusive(active, *_EXCLUSIVE)
    _check_blob_path(ctx, active)
    _check_closed_range(active)
    column, direction = active.pop("sort", _NEWEST)
    merge_request_filter = MergeRequestFilter(ctx, key)
    visible = merge_request_search.visible_projects(ctx, projects, scope, archived=archived)
    selected = merge_request_filter.visible(visible)
    # A selection is a set of ids in one integer, as in the lists of issues.
    if roles:
        selected &= reduce(or_, (role.select(merge_request_filter) for role in roles))
    selected = _match_each(merge_request_filter, selected, active) & _match_groups(merge_request_filter, active)
    reviewer_id = roles[0].user_id if [role.name for role in roles] == ["reviewer"] else None
    selected = match_reviews(merge_request_filter, selected, active, reviewer_id)
    # The table has no sorted index of these columns.
    if column in _UNINDEXED:
        return _sort_by(ctx, selected, _UNINDEXED[column], descending=direction == "desc")
    return merge_request_search.order_merge_requests(ctx, selected, key, column, direction)


def _match_each(merge_request_filter: MergeRequestFilter, selected: int, active: Mapping[str, Any]) -> int:
    """Narrow a selection to those that match each argument that says something alone."""
    for name in _CONDITIONS:
        if name in active:
            selected &= _CONDITIONS[name](merge_request_filter, active[name])
    project_id = None if merge_request_filter.group == "all" else merge_request_filter.group
    if "iids" in active:
        numbers = [parse_number(text) or 0 for text in active["iids"]]
        selected = selected & merge_request_filter.with_iids(numbers, project_id, selected)
    if active.get("search"):
        selected = merge_request_filter.containing_text(selected, active["search"], active.get("in") or _SEARCHED)
    for name, condition in _MOMENTS.items():
        if name in active:
            selected = merge_request_filter.passing(selected, condition(active[name]))
    if "blob_path" in active:
        # The platform finds changed files only within a project.
        selected = _changing(merge_request_filter, selected, active["blob_path"]) if project_id is not None else 0
    return selected


def _match_groups(merge_request_filter: MergeRequestFilter, active: Mapping[str, Any]) -> int:
    """Return those that match what several arguments or an input say together."""
    selected = merge_request_filter.bits("all")
    if any(active.get(name) is not None for name in _DEPLOYED):
        selected &= merge_request_filter.deployed(*map(active.get, _DEPLOYED))
    negated = active.get("not", {})
    # Then that reviewer is the one who must not be alone.
    ignored = ("reviewer_username",) if negated.get("only_reviewer") else ()
    for name, value in negated.items():
        if value is not None and name not in ignored:
            selected &= ~_EXCLUSIONS.get(name, _CONDITIONS.get(name, _match_nothing))(merge_request_filter, value)
    names = active.get("or", {}).get("assignee_usernames")
    return selected if names is None else selected & union_of_users(merge_request_filter, "assignee", names)


def _check_blob_path(ctx: ReadContext, active: Mapping[str, Any]) -> None:
    """Refuse a search for a changed file that is not narrow enough."""
    if not active.get("blob_path"):
        return
    for name, field in (("target_branches", "targetBranches"), ("state", "state"), ("created_after", "createdAfter")):
        if not active.get(name):
            raise GraphQLError(f"{field} field must be specified to filter by blobPath")
    if from_iso(active["created_after"]) <= ctx.now() - 30 * DAY:
        raise GraphQLError("createdAfter must be within the last 30 days to filter by blobPath")


def _check_closed_range(active: Mapping[str, Any]) -> None:
    """Refuse a time of closing without both ends, or of more than two years."""
    after, before = active.get("closed_after"), active.get("closed_before")
    if after is None and before is None:
        return
    if after is None or before is None:
        raise GraphQLError("You must provide both closedAfter and closedBefore.")
    if before < after:
        raise GraphQLError("closedBefore must be on or after closedAfter.")
    if from_iso(before) - from_iso(after) > _TWO_YEARS:
        raise GraphQLError("Time between closedAfter and closedBefore must be 2 years or less.")


def _changing(merge_request_filter: MergeRequestFilter, chosen: int, path: str) -> int:
    """Return those of a selection that change a file."""
    world = merge_request_filter.world
    return merge_request_filter.passing(chosen, lambda each: path in diff_versions.list_changed_paths(world, each))


def _match_nothing(_filter: MergeRequestFilter, _value: object) -> int:
    return 0


_UNINDEXED: Final[Mapping[str, Callable[[ReadContext, MergeRequest], Any]]] = {
    "merged_at": lambda _ctx, merge_request: merge_request.merged_at,
    "closed_at": lambda _ctx, merge_request: merge_request.closed_at,
    "title": lambda _ctx, merge_request: merge_request.title,
    "popularity": lambda ctx, merge_request: awards.count_awards(
        ctx.world, ("merge_request", merge_request.id), "thumbsup"
    ),
}


def _sort_by(
    ctx: ReadContext, selected: int, value: Callable[[ReadContext, MergeRequest], Any], *, descending: bool
) -> Sequence[MergeRequest]:
    """Sort by a value, those without one last; equal ones newest first."""
    rows = sorted(map(ctx.world.merge_requests.__getitem__, iterate_bits(selected)), key=lambda row: -row.id)
    valued = [row for row in rows if value(ctx, row) is not None]
    # Python's sort is stable in both directions, so the newest stays first among equals.
    ordered = sorted(valued, key=lambda row: value(ctx, row), reverse=descending)
    return [*ordered, *(row for row in rows if value(ctx, row) is None)]


def _any_of(fact: str) -> Callable[[MergeRequestFilter, Sequence[str]], int]:
    def choose(merge_request_filter: MergeRequestFilter, values: Sequence[str]) -> int:
        selected = 0
        for value in values:
            selected |= merge_request_filter.bits(fact, value)
        return selected

    return choose


def _is_after(column: Literal["merged_at", "closed_at"], when: str, merge_request: MergeRequest) -> bool:
    moment = getattr(merge_request, column)
    return moment is not None and moment >= when


def _is_before(column: Literal["merged_at", "closed_at"], when: str, merge_request: MergeRequest) -> bool:
    moment = getattr(merge_request, column)
    return moment is not None and moment <= when


_MOMENTS: Final[dict[str, Callable[[str], Callable[[MergeRequest], bool]]]] = {
    "merged_after": lambda when: partial(_is_after, "merged_at", when),
    "merged_before": lambda when: partial(_is_before, "merged_at", when),
    "closed_after": lambda when: partial(_is_after, "closed_at", when),
    "closed_before": lambda when: partial(_is_before, "closed_at", when),
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
    "approver": lambda selection, names: selection.approvable_by_names(names),
    "my_reaction_emoji": lambda selection, name: selection.with_reaction(name),
    "draft": lambda selection, is_draft: selection.bits("draft", is_draft),
    "source_branches": _any_of("source_branch"),
    "target_branches": _any_of("target_branch"),
    "milestone_wildcard_id": lambda selection, word: selection.in_milestone(word),
    "release_tag": lambda selection, tag: in_released_milestones(selection, [tag]),
    "subscribed": lambda selection, subscribed: selection.with_subscription(subscribed),
    "assignee_usernames": lambda selection, names: selection.by_users("assignee", names),
    "assignee_wildcard_id": lambda selection, word: selection.assigned(word),
    "reviewer_wildcard_id": lambda selection, word: selection.reviewed_by(word),
    "deployment_id": lambda selection, id_: selection.deployed_by(parse_number(id_) or 0),
}
# Each of the values excludes on its own.
_EXCLUSIONS: Final[dict[str, Callable[[MergeRequestFilter, Any], int]]] = {
    "labels": union_of_labels,
    "label_name": union_of_labels,
    "assignee_usernames": lambda selection, names: union_of_users(selection, "assignee", names),
    "approved_by": lambda selection, names: reduce(or_, (selection.approved_by_names([name]) for name in names), 0),
    "release_tag": lambda selection, tag: 0 if selection.group == "all" else in_released_milestones(selection, [tag]),
}
_DEPLOYED: Final = ("environment_name", "deployed_after", "deployed_before")
