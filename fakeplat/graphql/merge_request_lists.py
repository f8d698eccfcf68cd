"""Lists of merge requests: filters and orders. Source: docs/platform/graphql.md, docs/platform/merge-requests.md."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from graphql import GraphQLError

from fakeplat.core.store.bitsets import iterate_bits
from fakeplat.core.store.sorted_sequence import number_of
from fakeplat.domain.merge_requests import merge_request_search
from fakeplat.domain.merge_requests.merge_request_search import MergeRequestFilter
from fakeplat.domain.people.namespaces import list_descendants
from fakeplat.graphql.groups import GROUP
from fakeplat.graphql.ids import id_of
from fakeplat.graphql.lookups import project_at
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import Enumeration
from fakeplat.graphql.users import USER, shows_profile
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.namespaces import Group
from fakeplat.model.projects import Project
from fakeplat.model.users import User
from fakeplat.policy.authorization import can_see
from fakeplat.policy.context import ReadContext

NO_PROJECT: Final = "iids requires projectPath or projectId"

_NEWEST: Final = ("created_at", "desc")
_SORTS: Final = {
    "CREATED_ASC": (("created_at", "asc"), "By the time when they were made, the oldest first."),
    "CREATED_DESC": (_NEWEST, "By the time when they were made, the newest first."),
    "UPDATED_ASC": (("updated_at", "asc"), "By the time when they were last changed, the oldest first."),
    "UPDATED_DESC": (("updated_at", "desc"), "By the time when they were last changed, the newest first."),
}
Enumeration(
    "MergeRequestSort",
    "In which order merge requests come.",
    {
        **_SORTS,
        **{word.lower(): meaning for word, meaning in _SORTS.items()},
        "MERGED_AT_ASC": (("merged_at", "asc"), "By the time when they were merged, the oldest first."),
        "MERGED_AT_DESC": (("merged_at", "desc"), "By the time when they were merged, the newest first."),
    },
)
_FILTERS: Final = (
    "iids: [String!], sourceBranches: [String!], targetBranches: [String!], state: MergeRequestState, "
    "labels: [String!], mergedAfter: Time, mergedBefore: Time, milestoneTitle: String, "
    "sort: MergeRequestSort = CREATED_DESC"
)
_AUTHOR: Final = "authorUsername: String"
_ASSIGNEE: Final = "assigneeUsername: String"
_OF_USER: Final = f"{_FILTERS}, projectPath: String, projectId: ID"


@PROJECT.field(f"mergeRequests({_FILTERS}, {_AUTHOR}, {_ASSIGNEE}): MergeRequestConnection")
def merge_requests_of_project(ctx: ReadContext, project: Project, **wanted: Any) -> Sequence[MergeRequest]:
    """Its merge requests."""
    return _of_project(ctx, project, wanted)


@GROUP.field(
    f"mergeRequests({_FILTERS}, {_AUTHOR}, {_ASSIGNEE}, includeSubgroups: Boolean = false): MergeRequestConnection"
)
def merge_requests_of_group(
    ctx: ReadContext, group: Group, include_subgroups: bool | None = False, **wanted: Any
) -> Sequence[MergeRequest]:
    """The merge requests of its projects."""
    inner = tuple(list_descendants(ctx.world, group)) if include_subgroups else ()

    def projects() -> list[Project]:
        return [one for place in (group, *inner) for one in ctx.world.projects.where("namespace", place.id)]

    return _chosen(ctx, "all", projects, (Group, group.id, "graphql", bool(include_subgroups)), wanted)


@USER.field(f"authoredMergeRequests({_OF_USER}, {_ASSIGNEE}): MergeRequestConnection")
def authored_merge_requests(ctx: ReadContext, user: User, **wanted: Any) -> Sequence[MergeRequest] | None:
    """The merge requests that they made."""
    return _of_user(ctx, user, "author", **wanted)


@USER.field(f"assignedMergeRequests({_OF_USER}, {_AUTHOR}): MergeRequestConnection")
def assigned_merge_requests(ctx: ReadContext, user: User, **wanted: Any) -> Sequence[MergeRequest] | None:
    """The merge requests that are assigned to them."""
    return _of_user(ctx, user, "assignee", **wanted)


def _of_user(
    ctx: ReadContext,
    user: User,
    role: str,
    project_path: str | None = None,
    project_id: str | None = None,
    **wanted: Any,
) -> Sequence[MergeRequest] | None:
    """Those that somebody has a role in, everywhere or in one project; None for a profile or project that is hidden."""
    if not shows_profile(ctx, user):
        return None
    if project_path is None and project_id is None:
        if wanted.get("iids"):
            raise GraphQLError(NO_PROJECT)
        return _chosen(ctx, "all", ctx.world.projects.all, None, wanted, (role, user.id))
    project = _named_project(ctx, project_path, project_id)
    return None if project is None else _of_project(ctx, project, wanted, (role, user.id))


def _named_project(ctx: ReadContext, path: str | None, id_: str | None) -> Project | None:
    if path is not None:
        return project_at(ctx, path)
    found = ctx.world.projects.get(id_of(ctx, id_ or "", "Project"))
    return found if found is not None and can_see(ctx, found) else None


def _of_project(
    ctx: ReadContext, project: Project, wanted: dict[str, Any], *facts: tuple[str, int]
) -> Sequence[MergeRequest]:
    return _chosen(ctx, project.id, lambda: [project], (Project, project.id), wanted, *facts)


def _chosen(
    ctx: ReadContext,
    key: Any,
    projects: Callable[[], Iterable[Project]],
    place: Any,
    wanted: dict[str, Any],
    *facts: tuple[str, int],
) -> Sequence[MergeRequest]:
    """The merge requests of some projects that the caller sees, that have some facts and meet all that is wanted."""
    given = {name: value for name, value in wanted.items() if value is not None}
    if [] in given.values():
        return ()
    column, direction = given.pop("sort", _NEWEST)
    chooser = MergeRequestFilter(ctx, key)
    found = chooser.visible(merge_request_search.visible_projects(ctx, projects, place, archived=True))
    for fact in facts:
        found &= chooser.bits(*fact)
    for name in _CONDITIONS:
        if name in given:
            found &= _CONDITIONS[name](chooser, given[name])
    if "iids" in given:
        numbers = [number_of(text) or 0 for text in given["iids"]]
        found = found & chooser.numbered(numbers, key if key != "all" else None, found)
    for name, fits in _MERGED.items():
        if name in given:
            found = chooser.passing(found, fits(given[name]))
    if column == "merged_at":
        return _by_merging(ctx, found, descending=direction == "desc")
    return merge_request_search.order_merge_requests(ctx, found, key, column, direction)


def _by_merging(ctx: ReadContext, chosen: int, *, descending: bool) -> Sequence[MergeRequest]:
    """In the order in which they were merged, then those that were not; the newer of equals first."""
    newest_first = sorted(map(ctx.world.merge_requests.__getitem__, iterate_bits(chosen)), key=lambda one: -one.id)
    merged = [one for one in newest_first if one.merged_at]
    others = [one for one in newest_first if not one.merged_at]
    return [*sorted(merged, key=lambda one: one.merged_at or "", reverse=descending), *others]


def _any_of(fact: str) -> Callable[[MergeRequestFilter, Sequence[str]], int]:
    def choose(chooser: MergeRequestFilter, values: Sequence[str]) -> int:
        found = 0
        for value in values:
            found |= chooser.bits(fact, value)
        return found

    return choose


_MERGED: Final[dict[str, Callable[[str], Callable[[MergeRequest], bool]]]] = {
    "merged_after": lambda when: lambda one: one.merged_at is not None and one.merged_at >= when,
    "merged_before": lambda when: lambda one: one.merged_at is not None and one.merged_at <= when,
}
_CONDITIONS: Final[dict[str, Callable[[MergeRequestFilter, Any], int]]] = {
    "state": lambda chooser, state: chooser.bits("all") if state == "all" else chooser.bits("state", state),
    "labels": lambda chooser, titles: chooser.labelled(titles),
    "milestone_title": lambda chooser, title: chooser.in_milestone(title),
    "author_username": lambda chooser, name: chooser.by_users("author", [name]),
    "assignee_username": lambda chooser, name: chooser.by_users("assignee", [name]),
    "source_branches": _any_of("source_branch"),
    "target_branches": _any_of("target_branch"),
}
