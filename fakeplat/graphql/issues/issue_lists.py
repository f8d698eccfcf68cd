"""Lists of issues: filters and sorting. Source: docs/platform/graphql.md, docs/platform/issues.md."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, Final, TypedDict, Unpack

from graphql import GraphQLError

from fakeplat.core.release import Lifetime
from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.domain.issues import issue_search
from fakeplat.domain.issues.issue_search import IssueFilter, ListGroup
from fakeplat.graphql.ids import parse_number_or_id
from fakeplat.graphql.issues import planning_filters
from fakeplat.graphql.issues.planning_filters import PlanningFilters
from fakeplat.graphql.issues.wildcards import (
    check_exclusive,
    in_released_milestones,
    union_of_labels,
    union_of_users,
)
from fakeplat.graphql.people.groups import GROUP
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import QUERY, Enumeration, Input, Type, trim_lifetimes
from fakeplat.model.issues import Issue
from fakeplat.model.people import Group
from fakeplat.model.projects import Project
from fakeplat.policy.context import ReadContext

_COLUMNS: Final = ("title", "description")
_CUSTOM_FIELD: Final = "custom_field"

_ORDERS: Final = {
    "CREATED": ("created_at", "By creation time"),
    "UPDATED": ("updated_at", "By the time of the last update"),
    "DUE_DATE": ("due_date", "By due date"),
    "PRIORITY": ("priority", "By due date of the milestone, then by label priority"),
    "LABEL_PRIORITY": ("label_priority", "By label priority"),
    "MILESTONE_DUE": ("milestone_due", "By due date of the milestone"),
    "WEIGHT": ("weight", "By weight"),
}
_LATER_ORDERS: Final = {
    "BLOCKING_ISSUES": ("blocking_issues", "By the number of issues that it blocks", "<=14.3"),
    "CLOSED_AT": ("closed_at", "By the time of closing", "<=15.3"),
    "ESCALATION_STATUS": ("escalation_status", "By the status of incidents", "<=15.0"),
    "HEALTH_STATUS": ("health_status", "By health status", "<=15.8"),
    "POPULARITY": ("popularity", "By the number of upvotes", "<=14.3"),
    "SEVERITY": ("severity", "By severity", "<=13.6"),
    "SLA_DUE_AT": (
        "sla_due_at",
        "By the time until which incidents are to be resolved; only incidents",
        "<=13.6",
    ),
    "TITLE": ("title", "By title", "<=14.3"),
}
_DIRECTIONS: Final = {"ASC": ("asc", "ascending."), "DESC": ("desc", "descending.")}
_SORTS: Final = {
    f"{order}_{suffix}": ((column, direction), f"{description}, {adverb}")
    for order, (column, description) in _ORDERS.items()
    for suffix, (direction, adverb) in _DIRECTIONS.items()
}
_LATER_SORTS: Final = {
    f"{order}_{suffix}": ((column, direction), f"{description}, {adverb}", Lifetime(since=since))
    for order, (column, description, since) in _LATER_ORDERS.items()
    for suffix, (direction, adverb) in _DIRECTIONS.items()
}
Enumeration(
    "IssueSort",
    "The sort order of issues.",
    {
        **_SORTS,
        **_LATER_SORTS,
        "RELATIVE_POSITION_ASC": (("relative_position", "asc"), "By position in the manual order."),
        # Older clients still use these spellings in lower case.
        **{name.lower(): _SORTS[name] for name in ("CREATED_ASC", "CREATED_DESC", "UPDATED_ASC", "UPDATED_DESC")},
    },
)
_PLANNING: Final = (
    'crmContactId: String @lifetime(since: "<=16.2"), crmOrganizationId: String @lifetime(since: "<=16.2"), '
    'iterationCadenceId: [IterationsCadenceID!] @lifetime(since: "<=16.2"), '
    'iterationTitle: String @lifetime(since: "<=16.2"), '
    'status: WorkItemWidgetStatusFilterInput @lifetime(since: "18.0"), '
    f"{planning_filters.CUSTOM_FIELD}"
)
_FILTERS: Final = (
    "iid: String, iids: [String!], state: IssuableState, labelName: [String], milestoneTitle: [String], "
    "authorUsername: String, assigneeUsername: String, assigneeId: String, createdBefore: Time, createdAfter: Time, "
    "updatedBefore: Time, updatedAfter: Time, search: String, types: [IssueType!], sort: IssueSort = CREATED_DESC, "
    "assigneeUsernames: [String!], closedBefore: Time, closedAfter: Time, iterationId: [ID], weight: String, "
    'confidential: Boolean @lifetime(since: "<=14.9"), not: NegatedIssueFilterInput @lifetime(since: "<=14.0"), '
    'in: [IssuableSearchableField!] @lifetime(since: "<=15.8"), myReactionEmoji: String @lifetime(since: "<=14.3"), '
    'dueBefore: Time @lifetime(since: "<=18.5"), dueAfter: Time @lifetime(since: "<=18.5"), epicId: String, '
    'epicWildcardId: EpicWildcardId @lifetime(since: "<=16.2"), '
    'assigneeWildcardId: AssigneeWildcardId @lifetime(since: "<=16.2"), '
    'healthStatusFilter: HealthStatusFilter @lifetime(since: "<=15.8"), '
    'includeSubepics: Boolean @lifetime(since: "<=14.9"), '
    'milestoneWildcardId: MilestoneWildcardId @lifetime(since: "<=14.3"), '
    'or: UnionedIssueFilterInput @lifetime(since: "<=15.8"), '
    'subscribed: SubscriptionStatus @lifetime(since: "<=18.5"), '
    'weightWildcardId: WeightWildcardId @lifetime(since: "<=16.2"), '
    'iterationWildcardId: IterationWildcardId @lifetime(since: "<=14.0"), '
    f"{_PLANNING}"
)
_HEALTH: Final = 'healthStatus: HealthStatus @lifetime(since: "<=15.8", until: "<=16.2")'
"""The first name of ``healthStatusFilter``."""
_OF_RELEASES: Final = (
    'releaseTag: [String!] @lifetime(since: "<=14.9"), '
    'releaseTagWildcardId: ReleaseTagWildcardId @lifetime(since: "<=14.9")'
)
_STATUS_COUNT_FILTERS: Final = (
    "iid: String, iids: [String!], labelName: [String], milestoneTitle: [String], authorUsername: String, "
    "assigneeId: String, createdBefore: Time, createdAfter: Time, updatedBefore: Time, updatedAfter: Time, "
    "closedBefore: Time, closedAfter: Time, search: String, types: [IssueType!], "
    'iterationId: [ID], assigneeUsernames: [String!] @lifetime(since: "<=14.3"), '
    'assigneeUsername: String @lifetime(since: "<=14.3"), not: NegatedIssueFilterInput @lifetime(since: "<=14.0"), '
    'assigneeWildcardId: AssigneeWildcardId @lifetime(since: "<=16.2"), '
    'confidential: Boolean @lifetime(since: "<=14.9"), dueBefore: Time @lifetime(since: "<=18.5"), '
    'dueAfter: Time @lifetime(since: "<=18.5"), epicId: String @lifetime(since: "<=15.8"), '
    'epicWildcardId: EpicWildcardId @lifetime(since: "<=16.2"), '
    'healthStatusFilter: HealthStatusFilter @lifetime(since: "<=15.8"), '
    'in: [IssuableSearchableField!] @lifetime(since: "<=15.8"), '
    'includeSubepics: Boolean @lifetime(since: "<=15.8"), '
    'milestoneWildcardId: MilestoneWildcardId @lifetime(since: "<=14.3"), '
    'myReactionEmoji: String @lifetime(since: "<=14.3"), or: UnionedIssueFilterInput @lifetime(since: "<=15.8"), '
    'subscribed: SubscriptionStatus @lifetime(since: "<=18.5"), weight: String @lifetime(since: "<=15.8"), '
    'weightWildcardId: WeightWildcardId @lifetime(since: "<=16.2"), '
    'iterationWildcardId: IterationWildcardId @lifetime(since: "<=16.2"), '
    f"{_PLANNING}"
)
Enumeration(
    "IssuableSearchableField",
    "Where to search for a text.",
    {"TITLE": ("title", "In the title."), "DESCRIPTION": ("description", "In the description.")},
    since="<=14.3",
)
Input(
    "NegatedIssueFilterInput",
    "What the issues must not have.",
    '''
"""The numbers."""
iids: [String!]
"""The names of labels, all of them together."""
labelName: [String!]
"""The titles of milestones."""
milestoneTitle: [String!]
"""The usernames of authors."""
authorUsername: [String!] @lifetime(since: "<=14.3")
"""The usernames of assignees."""
assigneeUsernames: [String!]
"""The types."""
types: [IssueType!] @lifetime(since: "<=14.9")
"""The iterations."""
iterationId: [ID!]
"""The weight."""
weight: String
"""The health status."""
healthStatusFilter: HealthStatus @lifetime(since: "<=15.8")
"""The kind of milestone."""
milestoneWildcardId: NegatedMilestoneWildcardId @lifetime(since: "<=14.3")
"""The reaction of the caller."""
myReactionEmoji: String @lifetime(since: "<=14.3")
"""The tags of releases of the milestone."""
releaseTag: [String!] @lifetime(since: "<=14.9")
"""The number or the ID of an epic."""
epicId: String @lifetime(since: "<=16.2")
'''
    + planning_filters.NEGATED_FIELDS,
    since="<=14.0",
)
Input(
    "UnionedIssueFilterInput",
    "Filters of which the issues pass those that are given, each with at least one of its values.",
    '''
"""The usernames of assignees."""
assigneeUsernames: [String!]
"""The usernames of authors."""
authorUsernames: [String!]
"""The names of labels."""
labelNames: [String!] @lifetime(since: "<=16.2")
'''
    + planning_filters.UNIONED_FIELDS,
    since="<=15.8",
)


# Of all issues there are no lists by release, and their arguments came with the field.
_OF_ALL: Final = trim_lifetimes(_FILTERS, (15, 6))
_NO_FILTERS: Final = ("sort",)
NO_FILTER: Final = "You must provide at least one filter argument for this query"
_EXCLUSIVE: Final = (
    ("assigneeUsernames", "assigneeUsername", "assigneeWildcardId"),
    ("milestoneTitle", "milestoneWildcardId"),
    ("releaseTag", "releaseTagWildcardId"),
    ("weight", "weightWildcardId"),
    ("epicId", "epicWildcardId"),
    ("iterationId", "iterationWildcardId"),
)


_Words = TypedDict(
    "_Words", {"in": list[str] | None, "not": dict[str, Any] | None, "or": dict[str, Any] | None}, total=False
)


class IssueFilters(_Words, PlanningFilters, total=False):
    """The arguments of lists of issues. The enumerations have their internal values."""

    iid: str | None
    iids: list[str] | None
    state: str | None
    label_name: list[str | None] | None
    milestone_title: list[str | None] | None
    author_username: str | None
    assignee_username: str | None
    assignee_id: str | None
    created_before: str | None
    created_after: str | None
    updated_before: str | None
    updated_after: str | None
    search: str | None
    types: list[str] | None
    sort: tuple[str, str] | None
    assignee_usernames: list[str] | None
    closed_before: str | None
    closed_after: str | None
    iteration_id: list[str | None] | None
    weight: str | None
    confidential: bool | None
    my_reaction_emoji: str | None
    due_before: str | None
    due_after: str | None
    epic_id: str | None
    epic_wildcard_id: str | None
    assignee_wildcard_id: str | None
    health_status: str | None
    health_status_filter: str | None
    include_subepics: bool | None
    milestone_wildcard_id: str | None
    subscribed: bool | None
    weight_wildcard_id: str | None
    release_tag: list[str] | None
    release_tag_wildcard_id: str | None
    iteration_title: str | None


@PROJECT.field(f"issues({_FILTERS}, {_OF_RELEASES}, {_HEALTH}): IssueConnection")
def issues_of_project(ctx: ReadContext, project: Project, **filters: Unpack[IssueFilters]) -> Sequence[Issue]:
    """The issues of the project."""
    return _filter_issues(ctx, project, lambda: [project], (Project, project.id), filters)


@PROJECT.field(f"issue({_FILTERS}, {_OF_RELEASES}): Issue", single=True)
def issue_of_project(ctx: ReadContext, project: Project, **filters: Unpack[IssueFilters]) -> Issue | None:
    """The first issue of the project that matches the filters."""
    first = issues_of_project(ctx, project, **filters)[:1]
    return first[0] if first else None


STATES: Final = ("opened", "closed")
STATUS_COUNTS = Type("IssueStatusCountsType", "How many issues there are of each state.")
STATUS_COUNTS.attributes(
    {"all: Int": "Issues of any state.", "opened: Int": "Open issues.", "closed: Int": "Closed ones."}
)


@PROJECT.field(f"issueStatusCounts({_STATUS_COUNT_FILTERS}, {_OF_RELEASES}): IssueStatusCountsType")
def issue_status_counts(ctx: ReadContext, project: Project, **filters: Unpack[IssueFilters]) -> Mapping[str, int]:
    """How many issues of the project match the filters, by state."""
    counts = Counter(issue.state for issue in issues_of_project(ctx, project, **filters))
    return {"all": counts.total(), **{state: counts[state] for state in STATES}}


@GROUP.field(
    f"issues({_FILTERS}, {_HEALTH}, includeSubgroups: Boolean = false, "
    'includeArchived: Boolean = false @lifetime(since: "<=14.10")): IssueConnection'
)
def issues_of_group(
    ctx: ReadContext,
    group: Group,
    include_subgroups: bool | None = False,
    include_archived: bool | None = True,
    **filters: Unpack[IssueFilters],
) -> Sequence[Issue]:
    """The issues of the projects in the group."""
    subgroups = bool(include_subgroups)
    return _filter_issues(
        ctx,
        group,
        # A function, because the list is not needed if the visible projects of this scope are cached.
        lambda: issue_search.visible_in_group(ctx.world, group, subgroups=subgroups),
        (Group, group.id, "graphql", subgroups),
        filters,
        archived=bool(include_archived),
    )


@QUERY.field(
    f'issues({_OF_ALL}, includeArchived: Boolean = false @lifetime(since: "<=16.2")): IssueConnection', since="15.6"
)
def issues_of_instance(
    ctx: ReadContext, include_archived: bool | None = True, **filters: Unpack[IssueFilters]
) -> Sequence[Issue]:
    """The issues that the caller can see; at least one filter is required."""
    if not any(value is not None for name, value in filters.items() if name not in _NO_FILTERS):
        raise GraphQLError(NO_FILTER)
    return _filter_issues(
        ctx, None, ctx.world.projects.all, ("graphql", "all"), filters, archived=bool(include_archived)
    )


def _filter_issues(
    ctx: ReadContext,
    parent: Project | Group | None,
    projects: Callable[[], Iterable[Project]],
    scope: Hashable,
    filters: IssueFilters,
    *,
    archived: bool = True,
) -> Sequence[Issue]:
    """Return the issues of projects that are visible to the caller and match the filters, sorted.

    ``parent`` has them, if not the whole instance; ``scope`` identifies the set of projects in the cache.
    """
    active: dict[str, Any] = {name: value for name, value in filters.items() if value is not None}
    check_exclusive(active, *_EXCLUSIVE, first="only")
    key: ListGroup = parent.id if isinstance(parent, Project) else "all"
    column, direction = active.pop("sort", ("created_at", "desc"))
    issue_filter = IssueFilter(ctx, key)
    selected = issue_filter.visible(issue_search.visible_projects(ctx, projects, scope, archived=archived))
    # A selection is a set of ids in one integer: bit n is set if the issue with the id n is selected.
    for name in _CONDITIONS:
        if name in active:
            selected &= _CONDITIONS[name](issue_filter, active[name])
    # An empty list of iids matches nothing, unlike no list.
    numbers = [*active.get("iids", ()), *([active["iid"]] if "iid" in active else ())]
    if "iid" in active or "iids" in active:
        selected &= issue_filter.with_iids(map(_parse_number, numbers), key if key != "all" else None, selected)
    selected = _narrow_by_groups(issue_filter, active, selected)
    selected = _narrow_by_records(issue_filter, active, selected)
    for test in planning_filters.list_tests(ctx, parent, active):
        selected = issue_filter.passing(selected, test)
    if column == "sla_due_at":
        selected = issue_filter.passing(selected, lambda issue: issue.kind == "incident")
    return issue_search.order_issues(ctx, selected, key, column, direction)


def _narrow_by_groups(issue_filter: IssueFilter, active: Mapping[str, Any], selected: int) -> int:
    """Narrow a selection to what several arguments or an input say together."""
    for name, value in active.get("not", {}).items():
        if value is not None and name != _CUSTOM_FIELD:
            selected &= ~_exclude(issue_filter, name, value, selected)
    if "epic_id" in active:
        selected &= _in_epic(issue_filter, active["epic_id"], below=bool(active.get("include_subepics")))
    for name, values in active.get("or", {}).items():
        if values is not None and name != _CUSTOM_FIELD:
            selected &= _UNIONS[name](issue_filter, values)
    return selected


def _narrow_by_records(issue_filter: IssueFilter, active: Mapping[str, Any], selected: int) -> int:
    """Narrow a selection by the conditions without an index."""
    # The remaining conditions look at each record, so they come last, when few records are left.
    for name, (attribute, is_after) in _MOMENTS.items():
        if name in active:
            selected = issue_filter.passing(selected, _test_moment(attribute, active[name], is_after=is_after))
    if "types" in active:
        selected = issue_filter.passing(selected, lambda issue: issue.kind in active["types"])
    if active.get("search"):
        selected = issue_filter.containing_text(selected, active["search"], active.get("in") or _COLUMNS)
    return selected


_MOMENTS: Final = {
    "closed_before": ("closed_at", False),
    "closed_after": ("closed_at", True),
    "due_before": ("due_date", False),
    "due_after": ("due_date", True),
}


def _test_moment(attribute: str, moment: str, *, is_after: bool) -> Callable[[Any], bool]:
    """Return a test of a timestamp or a date, which excludes issues without one."""

    def test(issue: Any) -> bool:
        value = getattr(issue, attribute)
        # A date compares with the date of a moment.
        limit = moment[: len(value)] if value is not None else moment
        return value is not None and (value >= limit if is_after else value <= limit)

    return test


def _exclude(issue_filter: IssueFilter, name: str, values: Any, within: int) -> int:
    """Return the issues that a negated filter excludes."""
    if name == "iids":
        return issue_filter.with_iids(map(_parse_number, values), None, within)
    if name == "types":
        return issue_filter.passing(within, lambda issue: issue.kind in values)
    excluded = 0
    for value in values if isinstance(values, list) else [values]:
        excluded |= _EXCLUSIONS[name](issue_filter, value)
    return excluded


def _in_epic(issue_filter: IssueFilter, text: str, *, below: bool) -> int:
    """Return the issues in an epic, and with ``below`` those in the epics below it; in any or none for these words."""
    if text.lower() in ("none", "any"):
        return issue_filter.in_epic(text.title())
    selected, waiting = 0, [parse_number_or_id(issue_filter.ctx, text, "Epic")]
    while waiting:
        selected |= issue_filter.in_epic(current := waiting.pop())
        waiting += [*issue_filter.world.epics.ids("parent", current)] if below else []
    return selected


def in_iterations(issue_filter: IssueFilter, ids: Sequence[str | None]) -> int:
    """Return the issues in some iterations; null stands for none."""
    selected = 0
    for text in ids:
        wanted = "None" if text is None else parse_number_or_id(issue_filter.ctx, text, "Iteration")
        selected |= issue_filter.in_iteration(wanted)
    return selected


def with_weight(issue_filter: IssueFilter, text: str) -> int:
    """Return the issues with a weight, a number or a word."""
    number = parse_number(text)
    return issue_filter.with_weight(text.title() if number is None else number)


def _in_releases_to_exclude(issue_filter: IssueFilter, tag: str) -> int:
    """Return the issues of a release; in a group the filter is ignored, so that it excludes nothing."""
    return 0 if issue_filter.group == "all" else in_released_milestones(issue_filter, [tag])


_EXCLUSIONS: Final[dict[str, Callable[[IssueFilter, Any], int]]] = {
    "label_name": lambda issue_filter, title: issue_filter.with_labels([title]),
    "milestone_title": lambda issue_filter, title: issue_filter.in_milestone(title),
    "author_username": lambda issue_filter, name: issue_filter.by_users("author", [name]),
    "assignee_usernames": lambda issue_filter, name: issue_filter.by_users("assignee", [name]),
    "iteration_id": lambda issue_filter, id_: in_iterations(issue_filter, [id_]),
    "weight": with_weight,
    "health_status_filter": lambda issue_filter, status: issue_filter.with_health(status),
    "milestone_wildcard_id": lambda issue_filter, word: issue_filter.in_milestone(word),
    "my_reaction_emoji": lambda issue_filter, name: issue_filter.with_reaction(name),
    "release_tag": _in_releases_to_exclude,
    "iteration_wildcard_id": lambda issue_filter, word: issue_filter.in_iteration(word),
    "epic_id": lambda issue_filter, text: _in_epic(issue_filter, text, below=False),
}
_UNIONS: Final[dict[str, Callable[[IssueFilter, Sequence[str]], int]]] = {
    "assignee_usernames": lambda issue_filter, names: union_of_users(issue_filter, "assignee", names),
    "author_usernames": lambda issue_filter, names: union_of_users(issue_filter, "author", names),
    "label_names": union_of_labels,
}


def _parse_number(text: str) -> int:
    return parse_number(text) or 0


def _with_assignee(issue_filter: IssueFilter, text: str) -> int:
    word = text.lower()
    if word in ("none", "any"):
        return issue_filter.assigned(word.title())
    # 0 would select issues without an assignee; what is not a number selects none.
    return issue_filter.assigned(_parse_number(text) or -1)


def _in_milestones(issue_filter: IssueFilter, titles: Sequence[str | None]) -> int:
    selected = 0
    for title in titles:
        # A null among the titles selects the issues without a milestone.
        selected |= issue_filter.in_milestone(title or "none")
    return selected


def _created_condition(after: bool) -> Callable[[IssueFilter, str], int]:
    return lambda issue_filter, when: issue_filter.between("created_at", *((when, None) if after else (None, when)))


def _updated_condition(after: bool) -> Callable[[IssueFilter, str], int]:
    return lambda issue_filter, when: issue_filter.between("updated_at", *((when, None) if after else (None, when)))


_CONDITIONS: Final[dict[str, Callable[[IssueFilter, Any], int]]] = {
    "state": lambda issue_filter, state: (
        issue_filter.bits("all") if state == "all" else issue_filter.bits("state", state)
    ),
    "label_name": lambda issue_filter, titles: issue_filter.with_labels(
        [title for title in titles if title is not None]
    ),
    "milestone_title": _in_milestones,
    "author_username": lambda issue_filter, name: issue_filter.by_users("author", [name]),
    "assignee_username": lambda issue_filter, name: issue_filter.by_users("assignee", [name]),
    "assignee_usernames": lambda issue_filter, names: issue_filter.by_users("assignee", names),
    "assignee_id": _with_assignee,
    "confidential": lambda issue_filter, value: issue_filter.passing(
        issue_filter.bits("all"), lambda issue: issue.confidential == value
    ),
    "iteration_id": in_iterations,
    "iteration_title": lambda issue_filter, title: issue_filter.in_iteration_titled(title),
    "iteration_wildcard_id": lambda issue_filter, word: issue_filter.in_iteration(word),
    "weight": with_weight,
    "my_reaction_emoji": lambda issue_filter, name: issue_filter.with_reaction(name),
    "created_after": _created_condition(True),
    "created_before": _created_condition(False),
    "updated_after": _updated_condition(True),
    "updated_before": _updated_condition(False),
    "epic_wildcard_id": lambda issue_filter, word: issue_filter.in_epic(word),
    "assignee_wildcard_id": lambda issue_filter, word: issue_filter.assigned(word),
    "health_status": lambda issue_filter, status: issue_filter.with_health(status),
    "health_status_filter": lambda issue_filter, status: issue_filter.with_health(status),
    "milestone_wildcard_id": lambda issue_filter, word: issue_filter.in_milestone(word),
    "subscribed": lambda issue_filter, subscribed: issue_filter.with_subscription(subscribed),
    "weight_wildcard_id": lambda issue_filter, word: issue_filter.with_weight(word),
    "release_tag": in_released_milestones,
    "release_tag_wildcard_id": in_released_milestones,
}
