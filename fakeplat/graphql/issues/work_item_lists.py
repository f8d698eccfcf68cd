"""Lists of work items: filters, orders and counts. Source: docs/platform/work-items.md."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final, TypedDict, TypeVar, Unpack, get_args

from graphql import GraphQLError

from fakeplat.core.release import Lifetime
from fakeplat.domain.alerts import incident_statuses
from fakeplat.domain.epics import epics
from fakeplat.domain.epics.epics import EpicFilter
from fakeplat.domain.issues import issue_search, issues, work_items
from fakeplat.domain.issues.issue_search import IssueFilter
from fakeplat.domain.issues.work_items import WorkItem
from fakeplat.domain.notes import awards, noteables
from fakeplat.domain.planning import labels
from fakeplat.entities.epics import EpicView
from fakeplat.graphql.ids import parse_id
from fakeplat.graphql.issues import planning_filters
from fakeplat.graphql.issues.issue_lists import NO_FILTER, STATES, in_iterations, with_weight
from fakeplat.graphql.issues.planning_filters import PlanningFilters
from fakeplat.graphql.issues.wildcards import check_exclusive, in_released_milestones
from fakeplat.graphql.issues.work_items import KINDS
from fakeplat.graphql.people.groups import GROUP, NAMESPACE
from fakeplat.graphql.people.users import CURRENT_USER
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import Enumeration, Input, Type
from fakeplat.model.epics import Epic
from fakeplat.model.issues import Issue, Severity
from fakeplat.model.people import Group, Namespace, User
from fakeplat.model.planning import Milestone
from fakeplat.model.projects import Project
from fakeplat.policy.context import ReadContext
from fakeplat.policy.levels import is_archived

_ORDERS: Final = (
    ("CREATED", "created_at", "creation", ""),
    ("UPDATED", "updated_at", "last update", ""),
    ("TITLE", "title", "title", ""),
    ("CLOSED_AT", "closed_at", "closing", "17.10"),
    ("DUE_DATE", "due_date", "due date", "17.9"),
    ("START_DATE", "start_date", "start date", "17.9"),
    ("POPULARITY", "popularity", "upvotes", "17.10"),
    ("PRIORITY", "priority", "due date of the milestone, then priority of labels", "17.10"),
    ("SEVERITY", "severity", "severity", "17.10"),
    ("ESCALATION_STATUS", "escalation_status", "status of incidents", "17.10"),
    ("LABEL_PRIORITY", "label_priority", "priority of labels", "<=18.5"),
    ("MILESTONE_DUE", "milestone_due", "due date of the milestone", "<=18.5"),
)
_NEWEST: Final = "<=18.9"
SORT: Final = Enumeration(
    "WorkItemSort",
    "The order of work items.",
    {
        **{
            f"{name}_{direction}": (
                (column, direction.lower()),
                f"By {words}, {order} first.",
                Lifetime(since=since),
            )
            for name, column, words, since in _ORDERS
            for direction, order in (("ASC", "lowest"), ("DESC", "highest"))
        },
        "RELATIVE_POSITION_ASC": (
            ("relative_position", "asc"),
            "By position in the manual order.",
            Lifetime(since="17.10"),
        ),
    },
    since="15.1",
)
Enumeration(
    "WorkItemParentWildcardId",
    "Whether there is a parent.",
    {"NONE": (False, "Those without a parent."), "ANY": (True, "Those with a parent.")},
    since="18.3",
)
Input(
    "WorkItemWidgetStatusFilterInput",
    "A status of work items, by its ID or its name.",
    '''
"""The global ID of the status."""
id: WorkItemsStatusesStatusID
"""The name of the status."""
name: String
''',
    since="18.0",
)
Input(
    "Timeframe",
    "A time with both ends.",
    '''
"""The first day."""
start: Date!
"""The last day."""
end: Date!
''',
    since="<=14.3",
)
Input(
    "HierarchyFilterInput",
    "Where the work items are among others.",
    '''
"""The IDs of parents."""
parentIds: [WorkItemID!]
"""Whether to include what is further below these."""
includeDescendantWorkItems: Boolean
"""Whether there is a parent."""
parentWildcardId: WorkItemParentWildcardId
''',
    since="18.3",
)
Input(
    "NegatedWorkItemFilterInput",
    "What the work items must not have.",
    '''
"""The usernames of assignees."""
assigneeUsernames: [String!]
"""The usernames of authors."""
authorUsername: [String!]
"""The names of labels."""
labelName: [String!]
"""The titles of milestones."""
milestoneTitle: [String!]
"""The kind of milestone."""
milestoneWildcardId: NegatedMilestoneWildcardId
"""The reaction of the caller."""
myReactionEmoji: String
"""The global IDs of parents."""
parentIds: [WorkItemID!]
"""The tags of releases of the milestone."""
releaseTag: [String!]
"""The types."""
types: [IssueType!]
"""The iterations."""
iterationId: [ID!] @lifetime(since: "<=18.9")
"""The weight."""
weight: String @lifetime(since: "<=18.9")
"""The health status."""
healthStatusFilter: [HealthStatus!] @lifetime(since: "<=18.9")
'''
    + planning_filters.NEGATED_FIELDS,
    since="<=18.3",
)
Input(
    "UnionedWorkItemFilterInput",
    "Filters of which the work items pass those that are given, each with at least one of its values.",
    '''
"""The usernames of assignees."""
assigneeUsernames: [String!]
"""The usernames of authors."""
authorUsernames: [String!]
"""The names of labels."""
labelNames: [String!]
'''
    + planning_filters.UNIONED_FIELDS,
    since="<=18.3",
)
_Words = TypedDict(
    "_Words", {"in": list[str] | None, "not": dict[str, Any] | None, "or": dict[str, Any] | None}, total=False
)


class Filters(_Words, PlanningFilters, total=False):
    """The arguments of lists and counts of work items."""

    sort: tuple[str, str] | None
    state: str | None
    search: str | None
    types: list[str] | None
    iid: str | None
    iids: list[str] | None
    ids: list[str] | None
    author_username: str | None
    confidential: bool | None
    label_name: list[str | None] | None
    assignee_usernames: list[str] | None
    assignee_wildcard_id: str | None
    milestone_title: list[str | None] | None
    milestone_wildcard_id: str | None
    my_reaction_emoji: str | None
    created_before: str | None
    created_after: str | None
    updated_before: str | None
    updated_after: str | None
    closed_before: str | None
    closed_after: str | None
    due_before: str | None
    due_after: str | None
    subscribed: bool | None
    parent_ids: list[str] | None
    parent_wildcard_id: bool | None
    release_tag: list[str] | None
    release_tag_wildcard_id: str | None
    include_descendants: bool | None
    include_ancestors: bool | None
    timeframe: dict[str, str] | None
    health_status_filter: str | None
    iteration_id: list[str | None] | None
    weight: str | None
    weight_wildcard_id: str | None
    hierarchy_filters: dict[str, Any] | None
    include_descendant_work_items: bool | None
    exclude_projects: bool | None
    exclude_group_work_items: bool | None
    include_archived: bool | None


_LATER: Final = '@lifetime(since: "<=18.5")'
_COMBINED: Final = '@lifetime(since: "<=18.3")'
_MOMENTS: Final = ("created", "updated", "closed", "due")
_COMMON: Final = f"""
assigneeUsernames: [String!] {_LATER}, milestoneTitle: [String] {_LATER}, labelName: [String] {_LATER},
assigneeWildcardId: AssigneeWildcardId {_LATER}, milestoneWildcardId: MilestoneWildcardId {_LATER},
confidential: Boolean {_LATER}, myReactionEmoji: String {_LATER}, subscribed: SubscriptionStatus {_LATER},
not: NegatedWorkItemFilterInput {_COMBINED}, or: UnionedWorkItemFilterInput {_COMBINED},
parentIds: [WorkItemID!] {_LATER}, parentWildcardId: WorkItemParentWildcardId {_LATER},
releaseTag: [String!] {_LATER}, releaseTagWildcardId: ReleaseTagWildcardId {_LATER},
crmContactId: String @lifetime(since: "{_NEWEST}"), crmOrganizationId: String @lifetime(since: "{_NEWEST}"),
hierarchyFilters: HierarchyFilterInput @lifetime(since: "18.3"),
includeDescendantWorkItems: Boolean @lifetime(since: "18.3"),
{", ".join(f"{name}{end}: Time {_LATER}" for name in _MOMENTS for end in ("Before", "After"))}
"""
_PAID: Final = f"""
healthStatusFilter: HealthStatusFilter @lifetime(since: "{_NEWEST}"),
status: WorkItemWidgetStatusFilterInput @lifetime(since: "{_NEWEST}"),
iterationId: [ID] @lifetime(since: "{_NEWEST}"), weight: String @lifetime(since: "{_NEWEST}"),
iterationCadenceId: [IterationsCadenceID!] @lifetime(since: "{_NEWEST}"),
iterationWildcardId: IterationWildcardId @lifetime(since: "{_NEWEST}"),
weightWildcardId: WeightWildcardId @lifetime(since: "{_NEWEST}"), {planning_filters.CUSTOM_FIELD}
"""
_BASE: Final = "state: IssuableState, search: String, types: [IssueType!], iids: [String!]"
_OF_ALL: Final = f"""{_BASE}, ids: [WorkItemID!], in: [IssuableSearchableField!] {_LATER},
    sort: WorkItemSort = CREATED_DESC, {_COMMON}"""
_ARGUMENTS: Final = f"{_OF_ALL}, iid: String, {_PAID}"
_BELOW: Final = f"""includeDescendants: Boolean {_LATER}, includeAncestors: Boolean {_LATER},
    timeframe: Timeframe {_LATER}, excludeProjects: Boolean = false @lifetime(since: "17.5"),
    excludeGroupWorkItems: Boolean = false @lifetime(since: "18.4"),
    includeArchived: Boolean = false @lifetime(since: "18.5")"""
_COUNTED: Final = f"""{_BASE}, iid: String, authorUsername: String, in: [IssuableSearchableField!], {_COMMON}, {_PAID},
    ids: [WorkItemID!] @lifetime(since: "{_NEWEST}"), sort: WorkItemSort = CREATED_DESC @lifetime(since: "{_NEWEST}")"""
_EXCLUSIVE: Final = (
    ("assigneeUsernames", "assigneeWildcardId"),
    ("milestoneTitle", "milestoneWildcardId"),
    ("releaseTag", "releaseTagWildcardId"),
    ("parentIds", "parentWildcardId"),
    ("hierarchyFilters", "parentIds"),
    ("hierarchyFilters", "parentWildcardId"),
    ("hierarchyFilters", "includeDescendantWorkItems"),
    ("iterationId", "iterationWildcardId"),
    ("weight", "weightWildcardId"),
)


@PROJECT.field(
    f'workItems({_ARGUMENTS}, authorUsername: String @lifetime(since: "15.9")): WorkItemConnection', since="15.1"
)
def project_work_items(ctx: ReadContext, project: Project, **filters: Unpack[Filters]) -> Sequence[WorkItem]:
    """The work items of the project."""
    return _select(ctx, project, _issues_of(ctx, [project]), filters)


@GROUP.field(f"workItems({_ARGUMENTS}, authorUsername: String, {_BELOW}): WorkItemConnection", since="16.3")
@NAMESPACE.field(f"workItems({_ARGUMENTS}, authorUsername: String, {_BELOW}): WorkItemConnection", since="18.1")
def namespace_work_items(
    ctx: ReadContext, container: Namespace | Project, **filters: Unpack[Filters]
) -> Sequence[WorkItem] | None:
    """The work items of the group: its epics, and with those below it also the issues."""
    if isinstance(container, Project):
        return project_work_items(ctx, container, **filters)
    if not isinstance(container, Group):
        return None
    includes_descendants = bool(filters.get("include_descendants"))
    wanted = EpicFilter(
        include_descendant_groups=includes_descendants, include_ancestor_groups=bool(filters.get("include_ancestors"))
    )
    found: list[WorkItem] = (
        [] if filters.get("exclude_group_work_items") else [*epics.list_epics(ctx, container, wanted)]
    )
    if includes_descendants and not filters.get("exclude_projects"):
        # Without the argument, archived projects are not left out.
        archived = filters.get("include_archived", True) is not False
        projects = issue_search.visible_in_group(ctx.world, container)
        found += _issues_of(ctx, [each for each in projects if archived or not is_archived(ctx.world, each)])
    return _select(ctx, container, found, filters)


@CURRENT_USER.field(f"workItems({_OF_ALL}, authorUsername: String): WorkItemConnection", since="17.10")
def work_items_of_user(ctx: ReadContext, _user: User, **filters: Unpack[Filters]) -> Sequence[WorkItem]:
    """The work items of projects that the caller sees; at least one filter is required."""
    if not any(value for name, value in filters.items() if name != "sort"):
        raise GraphQLError(NO_FILTER)
    return _select(ctx, None, _issues_of(ctx, ctx.world.projects.all()), filters)


COUNTS: Final = Type("WorkItemStateCountsType", "How many work items there are of each state.", since="16.7")
COUNTS.attributes({"all: Int": "Of any state.", "opened: Int": "Open ones.", "closed: Int": "Closed ones."})


@PROJECT.field(f"workItemStateCounts({_COUNTED}): WorkItemStateCountsType", since="16.7")
@GROUP.field(f"workItemStateCounts({_COUNTED}, {_BELOW}): WorkItemStateCountsType", since="16.7")
@NAMESPACE.field(f"workItemStateCounts({_COUNTED}, {_BELOW}): WorkItemStateCountsType", since="18.3")
def work_item_state_counts(
    ctx: ReadContext, container: Namespace | Project, **filters: Unpack[Filters]
) -> Mapping[str, int] | None:
    """How many work items of the namespace match the filters, by state."""
    found = namespace_work_items(ctx, container, **filters)
    if found is None:
        return None
    counts = Counter(item.state for item in found)
    return {"all": len(found), **{state: counts[state] for state in STATES}}


def _issues_of(ctx: ReadContext, projects: Iterable[Project]) -> Iterator[Issue]:
    for project in projects:
        yield from (issue for issue in issues.list_issues(ctx.world, project) if noteables.is_visible(ctx, issue))


def _select(
    ctx: ReadContext, container: Group | Project | None, items: Iterable[WorkItem], filters: Filters
) -> list[WorkItem]:
    """Return the work items of a project or group, or of the whole instance, that match the filters, sorted."""
    given: dict[str, Any] = {name: value for name, value in filters.items() if value is not None}
    check_exclusive(given, *_EXCLUSIVE)
    given |= given.pop("hierarchy_filters", {})
    check_exclusive(given, ("parentIds", "parentWildcardId"))
    if given.pop("include_descendant_work_items", False) and "parent_ids" in given:
        given["ancestor_ids"] = given.pop("parent_ids")
    column, direction = given.pop("sort", ("created_at", "desc"))
    places = given.pop("in", None)
    if "search" in given:
        items = [item for item in items if _has_text(item, given["search"], places)]
    key: issue_search.ListGroup = container.id if isinstance(container, Project) else "all"
    tests = [_build_test(ctx, name, value, key) for name, value in given.items() if name in _ALL_TESTS]
    tests += [_negate(_build_test(ctx, name, value, key)) for name, value in _list_excluded(given.get("not", {}))]
    alternatives = {name: values for name, values in given.get("or", {}).items() if name in _UNIONS}
    tests += [partial(_UNIONS[name], ctx, values) for name, values in alternatives.items() if values is not None]
    tests += planning_filters.list_tests(ctx, container, given)
    matching = [item for item in items if all(test(item) for test in tests)]
    return sort_items(ctx, matching, column, descending=direction == "desc")


Sorted = TypeVar("Sorted", bound=Issue | Epic)
ItemTest = Callable[[WorkItem], bool]


def _build_test(ctx: ReadContext, name: str, value: Any, key: issue_search.ListGroup) -> ItemTest:
    """Return the test of a filter. What the lists of issues select as a set is asked of that set."""
    if name not in _SELECTIONS:
        return lambda item: _TESTS[name](ctx, item, value)
    selected = _SELECTIONS[name](IssueFilter(ctx, key), value)
    return lambda item: isinstance(item, Issue) and bool(selected >> item.id & 1)


def _negate(test: ItemTest) -> ItemTest:
    return lambda item: not test(item)


def _list_excluded(negated: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the filters that exclude: each of several names on its own."""
    for name, value in negated.items():
        if name not in _EACH_EXCLUDES and name in _ALL_TESTS and value is not None:
            yield name, value
        for each in value or () if name in _EACH_EXCLUDES else ():
            yield name, each if name in _TAKE_ONE else [each]


_TAKE_ONE: Final = ("author_username", "health_status_filter")
_EACH_EXCLUDES: Final = (*_TAKE_ONE, "assignee_usernames", "iteration_id", "label_name")


def sort_items(ctx: ReadContext, items: Iterable[Sorted], column: str, *, descending: bool) -> list[Sorted]:
    """Sort by a value, those without one last; equal ones newest first."""
    value: Callable[[ReadContext, WorkItem], Any] = _VALUES.get(column, lambda _ctx, item: getattr(item, column, None))
    rows = sorted(items, key=lambda item: item.id, reverse=True)
    keys = {row.id: value(ctx, row) for row in rows}
    valued = sorted((row for row in rows if keys[row.id] is not None), key=lambda row: keys[row.id], reverse=descending)
    return [*valued, *(row for row in rows if keys[row.id] is None)]


def _milestone_of(ctx: ReadContext, item: WorkItem) -> Milestone | None:
    return ctx.world.milestones.get(item.milestone_id or 0) if isinstance(item, Issue) else None


def _milestone_due(ctx: ReadContext, item: WorkItem) -> str | None:
    milestone = _milestone_of(ctx, item)
    return milestone.due_date if milestone is not None else None


def _label_priority(ctx: ReadContext, item: WorkItem) -> int | None:
    return labels.highest_priority(ctx.world, item.project_id, item.label_ids) if isinstance(item, Issue) else None


def _priority(ctx: ReadContext, item: WorkItem) -> tuple[str, int] | None:
    due, highest = _milestone_due(ctx, item), _label_priority(ctx, item)
    return None if due is None and highest is None else (due or "9999-12-31", 1 << 30 if highest is None else highest)


def _start_date(ctx: ReadContext, item: WorkItem) -> str | None:
    return item.start_date if isinstance(item, Issue) else EpicView(item, ctx).start_date()


def _due_date(ctx: ReadContext, item: WorkItem) -> str | None:
    return item.due_date if isinstance(item, Issue) else EpicView(item, ctx).due_date()


_VALUES: Final[dict[str, Callable[[ReadContext, WorkItem], Any]]] = {
    "due_date": _due_date,
    "start_date": _start_date,
    "milestone_due": _milestone_due,
    "label_priority": _label_priority,
    "priority": _priority,
    "popularity": lambda ctx, item: awards.count_awards(ctx.world, noteables.subject_of(item), "thumbsup"),
    "escalation_status": lambda ctx, item: incident_statuses.find_rank(ctx.world, item),
    "severity": lambda _ctx, item: get_args(Severity).index(item.severity) if isinstance(item, Issue) else 0,
}


def _has_text(item: WorkItem, text: str, places: Collection[str] | None) -> bool:
    texts = {"title": item.title, "description": item.description or ""}
    return any(text.lower() in value.lower() for place, value in texts.items() if places is None or place in places)


def _list_labels(ctx: ReadContext, item: WorkItem) -> set[str]:
    return {ctx.world.labels[id_].title for id_ in item.label_ids}


def _list_assignees(ctx: ReadContext, item: WorkItem) -> set[str]:
    assignee_ids = item.assignee_ids if isinstance(item, Issue) else ()
    return {ctx.world.users[id_].username for id_ in assignee_ids}


def _is_in_milestones(ctx: ReadContext, item: WorkItem, titles: Sequence[str]) -> bool:
    milestone = _milestone_of(ctx, item)
    return milestone is not None and milestone.title in titles


def _has_reaction(ctx: ReadContext, item: WorkItem, emoji: str) -> bool:
    given = awards.list_awards(ctx, noteables.subject_of(item))
    own = {award.name for award in given if ctx.viewer is not None and award.user_id == ctx.viewer.id}
    if emoji.lower() in ("none", "any"):
        return bool(own) == (emoji.lower() == "any")
    return emoji in own


def _has_choice(ctx: ReadContext, item: WorkItem, subscribed: bool) -> bool:
    user = ctx.viewer
    own = ctx.world.subscriptions.find("own", (noteables.subject_of(item), user.id)) if user is not None else None
    return own is not None and own.subscribed == subscribed


def _is_below(ctx: ReadContext, item: WorkItem, ids: Sequence[str]) -> bool:
    parent = work_items.find_parent(ctx, item)
    return parent is not None and parent.id in [parse_id(ctx, text, *KINDS) for text in ids]


def _has_ancestor(ctx: ReadContext, item: WorkItem, ids: Sequence[str]) -> bool:
    parent = work_items.find_parent(ctx, item)
    return parent is not None and (_is_below(ctx, item, ids) or _has_ancestor(ctx, parent, ids))


def is_within(ctx: ReadContext, item: WorkItem, timeframe: Mapping[str, str]) -> bool:
    """Return whether the days of a work item, of which one may be open, overlap with a time."""
    first, last = _start_date(ctx, item), _due_date(ctx, item)
    if first is None and last is None:
        return False
    return (first or last or "") <= timeframe["end"] and (last or first or "") >= timeframe["start"]


def _compare(
    read: Callable[[ReadContext, WorkItem], str | None], *, is_after: bool
) -> Callable[[ReadContext, WorkItem, str], bool]:
    """Return a test of a timestamp or a date, which excludes work items without one."""

    def test(ctx: ReadContext, item: WorkItem, moment: str) -> bool:
        value = read(ctx, item)
        if value is None:
            return False
        # A date compares with the date of a moment.
        limit = moment[: len(value)]
        return value >= limit if is_after else value <= limit

    return test


_READ: Final[dict[str, Callable[[ReadContext, WorkItem], str | None]]] = {
    "created": lambda _ctx, item: item.created_at,
    "updated": lambda _ctx, item: item.updated_at,
    "closed": lambda _ctx, item: item.closed_at,
    "due": _due_date,
}


_UNIONS: Final[dict[str, Callable[[ReadContext, Sequence[str], WorkItem], bool]]] = {
    "assignee_usernames": lambda ctx, names, item: not _list_assignees(ctx, item).isdisjoint(names),
    "author_usernames": lambda ctx, names, item: ctx.world.users[item.author_id].username in names,
    "label_names": lambda ctx, titles, item: not _list_labels(ctx, item).isdisjoint(titles),
}
_SELECTIONS: Final[dict[str, Callable[[IssueFilter, Any], int]]] = {
    "health_status_filter": lambda selection, word: selection.with_health(word),
    "iteration_id": in_iterations,
    "iteration_wildcard_id": lambda selection, word: selection.in_iteration(word),
    "milestone_wildcard_id": lambda selection, word: selection.in_milestone(word),
    "weight": with_weight,
    "weight_wildcard_id": lambda selection, word: selection.with_weight(word),
    "release_tag": in_released_milestones,
    "release_tag_wildcard_id": in_released_milestones,
}
_TESTS: Final[dict[str, Callable[[ReadContext, WorkItem, Any], bool]]] = {
    "state": lambda _ctx, item, value: value in ("all", item.state),
    "types": lambda _ctx, item, value: work_items.type_of(item).kind in value,
    "iid": lambda _ctx, item, value: str(item.iid) == value,
    "iids": lambda _ctx, item, value: str(item.iid) in value,
    "ids": lambda ctx, item, value: item.id in [parse_id(ctx, text, *KINDS) for text in value],
    "author_username": lambda ctx, item, value: ctx.world.users[item.author_id].username == value,
    "confidential": lambda _ctx, item, value: item.confidential == value,
    "label_name": lambda ctx, item, titles: _list_labels(ctx, item).issuperset(titles),
    "assignee_usernames": lambda ctx, item, names: _list_assignees(ctx, item).issuperset(names),
    "assignee_wildcard_id": lambda ctx, item, word: bool(_list_assignees(ctx, item)) == (word == "Any"),
    "milestone_title": _is_in_milestones,
    "my_reaction_emoji": _has_reaction,
    "subscribed": _has_choice,
    "ancestor_ids": _has_ancestor,
    "parent_ids": _is_below,
    "parent_wildcard_id": lambda ctx, item, wanted: (work_items.find_parent(ctx, item) is not None) == wanted,
    "timeframe": is_within,
    **{f"{name}_before": _compare(read, is_after=False) for name, read in _READ.items()},
    **{f"{name}_after": _compare(read, is_after=True) for name, read in _READ.items()},
}
_ALL_TESTS: Final = {*_TESTS, *_SELECTIONS}
