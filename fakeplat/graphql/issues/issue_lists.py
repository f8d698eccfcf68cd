"""Lists of issues: filters and sorting. Source: docs/platform/graphql.md, docs/platform/issues.md."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, Final, TypedDict, Unpack

from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.domain.issues import issue_search
from fakeplat.domain.issues.issue_search import IssueFilter, ListGroup
from fakeplat.graphql.people.groups import GROUP
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import Enumeration
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
    "updatedBefore: Time, updatedAfter: Time, search: String, types: [IssueType!], sort: IssueSort = CREATED_DESC"
)


class IssueFilters(TypedDict, total=False):
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
    # The remaining conditions look at each record, so they come last, when few records are left.
    if "types" in active:
        selected = issue_filter.passing(selected, lambda issue: issue.kind in active["types"])
    if active.get("search"):
        selected = issue_filter.containing_text(selected, active["search"], _COLUMNS)
    return issue_search.order_issues(ctx, selected, key, column, direction)


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
    "assignee_id": _with_assignee,
    "created_after": _created_condition(True),
    "created_before": _created_condition(False),
    "updated_after": _updated_condition(True),
    "updated_before": _updated_condition(False),
}
