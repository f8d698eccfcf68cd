"""Lists of issues: filters and sorting. Source: docs/platform/graphql.md, docs/platform/issues.md."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, Final, TypedDict, Unpack

from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.domain.issues import issue_search
from fakeplat.domain.issues.issue_search import IssueFilter, ListGroup
from fakeplat.graphql.ids import parse_id
from fakeplat.graphql.people.groups import GROUP
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import Enumeration, Input
from fakeplat.model.issues import Issue
from fakeplat.model.people import Group
from fakeplat.model.projects import Project
from fakeplat.policy.context import ReadContext

_COLUMNS: Final = ("title", "description")

_ORDERS: Final = {
    "CREATED": ("created_at", "By creation time"),
    "UPDATED": ("updated_at", "By the time of the last update"),
    "DUE_DATE": ("due_date", "By due date"),
    "PRIORITY": ("priority", "By due date of the milestone, then by label priority"),
    "LABEL_PRIORITY": ("label_priority", "By label priority"),
    "MILESTONE_DUE": ("milestone_due", "By due date of the milestone"),
}
_DIRECTIONS: Final = {"ASC": ("asc", "ascending."), "DESC": ("desc", "descending.")}
_SORTS: Final = {
    f"{order}_{suffix}": ((column, direction), f"{description}, {adverb}")
    for order, (column, description) in _ORDERS.items()
    for suffix, (direction, adverb) in _DIRECTIONS.items()
}
Enumeration(
    "IssueSort",
    "The sort order of issues.",
    {
        **_SORTS,
        "RELATIVE_POSITION_ASC": (("relative_position", "asc"), "By position in the manual order."),
        # Older clients still use these spellings in lower case.
        **{name.lower(): _SORTS[name] for name in ("CREATED_ASC", "CREATED_DESC", "UPDATED_ASC", "UPDATED_DESC")},
    },
)
_FILTERS: Final = (
    "iid: String, iids: [String!], state: IssuableState, labelName: [String], milestoneTitle: [String], "
    "authorUsername: String, assigneeUsername: String, assigneeId: String, createdBefore: Time, createdAfter: Time, "
    "updatedBefore: Time, updatedAfter: Time, search: String, types: [IssueType!], sort: IssueSort = CREATED_DESC, "
    "assigneeUsernames: [String!], closedBefore: Time, closedAfter: Time, iterationId: [ID], weight: String, "
    'confidential: Boolean @lifetime(since: "<=14.9"), not: NegatedIssueFilterInput @lifetime(since: "<=14.0"), '
    'in: [IssuableSearchableField!] @lifetime(since: "<=15.8"), myReactionEmoji: String @lifetime(since: "<=14.3"), '
    'dueBefore: Time @lifetime(since: "<=18.5"), dueAfter: Time @lifetime(since: "<=18.5")'
)
Enumeration(
    "IssuableSearchableField",
    "Where to search for a text.",
    {"TITLE": ("title", "In the title."), "DESCRIPTION": ("description", "In the description.")},
    since="<=15.8",
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
''',
    since="<=14.0",
)


_Words = TypedDict("_Words", {"in": list[str] | None, "not": dict[str, Any] | None}, total=False)


class IssueFilters(_Words, total=False):
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


@PROJECT.field(f"issues({_FILTERS}): IssueConnection")
def issues_of_project(ctx: ReadContext, project: Project, **filters: Unpack[IssueFilters]) -> Sequence[Issue]:
    """The issues of the project."""
    return _filter_issues(ctx, project.id, lambda: [project], (Project, project.id), filters)


@PROJECT.field(f"issue({_FILTERS}): Issue", single=True)
def issue_of_project(ctx: ReadContext, project: Project, **filters: Unpack[IssueFilters]) -> Issue | None:
    """The first issue of the project that matches the filters."""
    first = issues_of_project(ctx, project, **filters)[:1]
    return first[0] if first else None


@GROUP.field(f"issues({_FILTERS}, includeSubgroups: Boolean = false): IssueConnection")
def issues_of_group(
    ctx: ReadContext, group: Group, include_subgroups: bool | None = False, **filters: Unpack[IssueFilters]
) -> Sequence[Issue]:
    """The issues of the projects in the group."""
    subgroups = bool(include_subgroups)
    return _filter_issues(
        ctx,
        "all",
        # A function, because the list is not needed if the visible projects of this scope are cached.
        lambda: issue_search.visible_in_group(ctx.world, group, subgroups=subgroups),
        (Group, group.id, "graphql", subgroups),
        filters,
    )


def _filter_issues(
    ctx: ReadContext,
    key: ListGroup,
    projects: Callable[[], Iterable[Project]],
    scope: Hashable,
    filters: IssueFilters,
) -> Sequence[Issue]:
    """Return the issues of projects that are visible to the caller and match the filters, sorted.

    ``key`` is the id of the one project, or "all"; ``scope`` identifies the set of projects in the cache.
    """
    active: dict[str, Any] = {name: value for name, value in filters.items() if value is not None}
    column, direction = active.pop("sort", ("created_at", "desc"))
    issue_filter = IssueFilter(ctx, key)
    selected = issue_filter.visible(issue_search.visible_projects(ctx, projects, scope, archived=True))
    # A selection is a set of ids in one integer: bit n is set if the issue with the id n is selected.
    for name in _CONDITIONS:
        if name in active:
            selected &= _CONDITIONS[name](issue_filter, active[name])
    # An empty list of iids matches nothing, unlike no list.
    numbers = [*active.get("iids", ()), *([active["iid"]] if "iid" in active else ())]
    if "iid" in active or "iids" in active:
        selected &= issue_filter.with_iids(map(_parse_number, numbers), key if key != "all" else None, selected)
    for name, value in active.get("not", {}).items():
        if value is not None:
            selected &= ~_exclude(issue_filter, name, value, selected)
    # The remaining conditions look at each record, so they come last, when few records are left.
    for name, (attribute, is_after) in _MOMENTS.items():
        if name in active:
            selected = issue_filter.passing(selected, _test_moment(attribute, active[name], is_after=is_after))
    if "types" in active:
        selected = issue_filter.passing(selected, lambda issue: issue.kind in active["types"])
    if active.get("search"):
        selected = issue_filter.containing_text(selected, active["search"], active.get("in") or _COLUMNS)
    return issue_search.order_issues(ctx, selected, key, column, direction)


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


def _in_iterations(issue_filter: IssueFilter, ids: Sequence[str | None]) -> int:
    selected = 0
    for id_ in ids:
        selected |= issue_filter.in_iteration("None" if id_ is None else _parse_iteration(issue_filter, id_))
    return selected


def _parse_iteration(issue_filter: IssueFilter, text: str) -> int:
    number = parse_number(text)
    return parse_id(issue_filter.ctx, text, "Iteration") if number is None else number


def _with_weight(issue_filter: IssueFilter, text: str) -> int:
    number = parse_number(text)
    return issue_filter.with_weight(text.title() if number is None else number)


_EXCLUSIONS: Final[dict[str, Callable[[IssueFilter, Any], int]]] = {
    "label_name": lambda issue_filter, title: issue_filter.with_labels([title]),
    "milestone_title": lambda issue_filter, title: issue_filter.in_milestone(title),
    "author_username": lambda issue_filter, name: issue_filter.by_users("author", [name]),
    "assignee_usernames": lambda issue_filter, name: issue_filter.by_users("assignee", [name]),
    "iteration_id": lambda issue_filter, id_: _in_iterations(issue_filter, [id_]),
    "weight": _with_weight,
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
    "iteration_id": _in_iterations,
    "weight": _with_weight,
    "my_reaction_emoji": lambda issue_filter, name: issue_filter.with_reaction(name),
    "created_after": _created_condition(True),
    "created_before": _created_condition(False),
    "updated_after": _updated_condition(True),
    "updated_before": _updated_condition(False),
}
