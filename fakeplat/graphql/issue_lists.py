"""Lists of issues: filters and orders. Source: docs/platform/graphql.md, docs/platform/issues.md."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from fakeplat.core.store.sorted_sequence import number_of
from fakeplat.domain.issues import issue_search
from fakeplat.domain.issues.issue_search import IssueFilter
from fakeplat.domain.people.namespaces import list_descendants
from fakeplat.graphql.groups import GROUP
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import Enumeration
from fakeplat.model.issues import Issue
from fakeplat.model.namespaces import Group
from fakeplat.model.projects import Project
from fakeplat.policy.context import ReadContext

_COLUMNS: Final = ("title", "description")

_ORDERS: Final = {
    "CREATED": ("created_at", "By the time when they were made"),
    "UPDATED": ("updated_at", "By the time when they were last changed"),
    "DUE_DATE": ("due_date", "By due date"),
    "PRIORITY": ("priority", "By the due date of the milestone, then by the priority of labels"),
    "LABEL_PRIORITY": ("label_priority", "By the priority of labels"),
    "MILESTONE_DUE": ("milestone_due", "By the due date of the milestone"),
}
_WAYS: Final = {"ASC": ("asc", "lowest first."), "DESC": ("desc", "highest first.")}
_SORTS: Final = {
    f"{order}_{way}": ((column, direction), f"{told}, {first}")
    for order, (column, told) in _ORDERS.items()
    for way, (direction, first) in _WAYS.items()
}
Enumeration(
    "IssueSort",
    "In which order issues come.",
    {
        **_SORTS,
        "RELATIVE_POSITION_ASC": (("relative_position", "asc"), "As they were put in order by hand."),
        **{word.lower(): _SORTS[word] for word in ("CREATED_ASC", "CREATED_DESC", "UPDATED_ASC", "UPDATED_DESC")},
    },
)
_FILTERS: Final = (
    "iid: String, iids: [String!], state: IssuableState, labelName: [String], milestoneTitle: [String], "
    "authorUsername: String, assigneeUsername: String, assigneeId: String, createdBefore: Time, createdAfter: Time, "
    "updatedBefore: Time, updatedAfter: Time, search: String, types: [IssueType!], sort: IssueSort = CREATED_DESC"
)


@PROJECT.field(f"issues({_FILTERS}): IssueConnection")
def issues_of_project(ctx: ReadContext, project: Project, **wanted: Any) -> Sequence[Issue]:
    """Its issues."""
    return _chosen(ctx, project.id, lambda: [project], project, wanted)


@PROJECT.field(f"issue({_FILTERS}): Issue", one=True)
def issue_of_project(ctx: ReadContext, project: Project, **wanted: Any) -> Issue | None:
    """The first of its issues that is asked for."""
    found = issues_of_project(ctx, project, **wanted)[:1]
    return found[0] if found else None


@GROUP.field(f"issues({_FILTERS}, includeSubgroups: Boolean = false): IssueConnection")
def issues_of_group(
    ctx: ReadContext, group: Group, include_subgroups: bool | None = False, **wanted: Any
) -> Sequence[Issue]:
    """The issues of its projects."""
    inner = tuple(list_descendants(ctx.world, group)) if include_subgroups else ()

    def projects() -> list[Project]:
        return [one for place in (group, *inner) for one in ctx.world.projects.where("namespace", place.id)]

    return _chosen(ctx, "all", projects, (group, bool(include_subgroups)), wanted)


def _chosen(
    ctx: ReadContext, key: Any, projects: Callable[[], Iterable[Project]], place: Any, wanted: dict[str, Any]
) -> Sequence[Issue]:
    """The issues of some projects that the caller sees and that meet all that is wanted, in the wanted order."""
    given = {name: value for name, value in wanted.items() if value is not None}
    column, direction = given.pop("sort", ("created_at", "desc"))
    chooser = IssueFilter(ctx, key)
    found = chooser.visible(issue_search.visible_projects(ctx, projects, _place_key(place), archived=True))
    for name in _CONDITIONS:
        if name in given:
            found &= _CONDITIONS[name](chooser, given[name])
    numbers = [*given.get("iids", ()), *([given["iid"]] if "iid" in given else ())]
    if "iid" in given or "iids" in given:
        found &= chooser.numbered(map(_number, numbers), key if key != "all" else None, found)
    if "types" in given:
        found = chooser.passing(found, lambda one: one.kind in given["types"])
    if given.get("search"):
        found = chooser.found(found, given["search"], _COLUMNS)
    return issue_search.order_issues(ctx, found, key, column, direction)


def _place_key(place: Any) -> Any:
    if isinstance(place, Project):
        return Project, place.id
    group, deep = place
    return Group, group.id, "graphql", deep


def _number(text: str) -> int:
    return number_of(text) or 0


def _assigned(chooser: IssueFilter, text: str) -> int:
    word = text.lower()
    if word in ("none", "any"):
        return chooser.assigned(word.title())
    return chooser.assigned(_number(text) or -1)


def _in_milestones(chooser: IssueFilter, titles: Sequence[str | None]) -> int:
    found = 0
    for title in titles:
        found |= chooser.in_milestone(title or "none")
    return found


def _created(after: bool) -> Callable[[IssueFilter, str], int]:
    return lambda chooser, when: chooser.between("created_at", *((when, None) if after else (None, when)))


def _updated(after: bool) -> Callable[[IssueFilter, str], int]:
    return lambda chooser, when: chooser.between("updated_at", *((when, None) if after else (None, when)))


_CONDITIONS: Final[dict[str, Callable[[IssueFilter, Any], int]]] = {
    "state": lambda chooser, state: chooser.bits("all") if state == "all" else chooser.bits("state", state),
    "label_name": lambda chooser, titles: chooser.labelled([title for title in titles if title is not None]),
    "milestone_title": _in_milestones,
    "author_username": lambda chooser, name: chooser.by_users("author", [name]),
    "assignee_username": lambda chooser, name: chooser.by_users("assignee", [name]),
    "assignee_id": _assigned,
    "created_after": _created(True),
    "created_before": _created(False),
    "updated_after": _updated(True),
    "updated_before": _updated(False),
}
