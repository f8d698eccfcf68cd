"""Lists of projects. Source: docs/platform/graphql.md, docs/platform/projects.md."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, TypedDict, Unpack

from graphql import GraphQLError

from fakeplat.core.release import Lifetime
from fakeplat.domain import statistics
from fakeplat.domain.groups import group_searches
from fakeplat.domain.people import namespaces
from fakeplat.domain.projects import contributions, similarity
from fakeplat.domain.repository import repositories
from fakeplat.graphql.ids import parse_id
from fakeplat.graphql.people.groups import GROUP, NAMESPACE
from fakeplat.graphql.people.users import USER, is_activity_visible
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import QUERY, Enumeration, EnumValue, Scalar, with_lower_names
from fakeplat.model.people import Group, Namespace, User
from fakeplat.model.projects import Project
from fakeplat.policy.authorization import can_see, is_feature_open
from fakeplat.policy.behaviours import SEARCHED_PROJECTS_ARE_SORTED_BY_SIMILARITY
from fakeplat.policy.context import ReadContext
from fakeplat.policy.levels import is_archived, project_level

_NEWEST: Final = ("id", True)
_SIMILAR: Final = ("similarity", True)
_MOST_PATHS: Final = 50
_COLUMNS: Final = {"created": "created_at", "updated": "updated_at", "latest_activity": "last_activity_at"}
Enumeration(
    "ProjectArchived",
    "Which projects to list by whether they are archived.",
    {
        "ONLY": (True, "Those that are archived."),
        "INCLUDE": (None, "All."),
        "EXCLUDE": (False, "Those that are not archived."),
    },
    since="<=18.5",
)
Enumeration(
    "VisibilityLevelsEnum",
    "The visibility.",
    {level: (level, f"It is {level}.") for level in ("private", "internal", "public")},
)
_SORTS: Final[Mapping[str, EnumValue]] = {
    f"{name}_{direction}": ((column, direction == "DESC"), f"By {words}.")
    for name, column, words in (
        ("ID", "id", "ID"),
        ("NAME", "name", "name"),
        ("PATH", "path", "path"),
        ("CREATED", "created_at", "creation"),
        ("UPDATED", "updated_at", "the last update"),
        ("LATEST_ACTIVITY", "last_activity_at", "the last activity"),
        ("STARS", "stars", "the number of stars"),
        ("STORAGE_SIZE", "storage_size", "the size of all together"),
    )
    for direction in ("ASC", "DESC")
}
_LATER: Final = '@lifetime(since: "<=18.5")'
_LATER_VALUE: Final = Lifetime(since="<=18.5")
_SIZES: Final[Mapping[str, EnumValue]] = {
    f"{name}_SIZE_{direction}": ((column, direction == "DESC"), f"By the size of {words}.", Lifetime(since=since))
    for name, column, words, since in (
        ("STORAGE", "storage_size", "all together", "<=16.2"),
        ("BUILD_ARTIFACTS", "job_artifacts_size", "artifacts of jobs", "<=18.5"),
        ("LFS_OBJECTS", "lfs_objects_size", "large files", "<=18.5"),
        ("PACKAGES", "packages_size", "packages", "<=18.5"),
        ("REPOSITORY", "repository_size", "the repository", "<=18.5"),
        ("SNIPPETS", "snippets_size", "snippets", "<=18.5"),
        ("WIKI", "wiki_size", "the wiki", "<=18.5"),
    )
    for direction in ("ASC", "DESC")
}
Enumeration(
    "NamespaceProjectSort",
    "The order of the projects of a namespace.",
    {
        "SIMILARITY": (("similarity", True), "By similarity to the text of the search."),
        "ACTIVITY_DESC": (("last_activity_at", True), "By activity.", Lifetime(since="<=16.2")),
        "PATH_ASC": (("path", False), "By path, from A to Z.", _LATER_VALUE),
        "PATH_DESC": (("path", True), "By path, from Z to A.", _LATER_VALUE),
        "FULL_PATH_ASC": (("full_path", False), "By full path, from A to Z.", _LATER_VALUE),
        "FULL_PATH_DESC": (("full_path", True), "By full path, from Z to A.", _LATER_VALUE),
        "STORAGE": (("storage_size", True), "By storage, the largest first.", Lifetime(until="<=18.5")),
        **_SIZES,
    },
    since="<=13.6",
)
Enumeration(
    "ProjectSort",
    "The order of projects.",
    with_lower_names(_SORTS),
    since="<=18.2",
)
Scalar("ProjectID", "The global ID of a project.", since="14.0")
Scalar("GroupID", "The global ID of a group.", since="14.0")


class ProjectFilters(TypedDict, total=False):
    """The arguments of lists of projects."""

    search: str | None
    search_namespaces: bool | None
    membership: bool | None
    personal: bool | None
    topics: list[str] | None
    ids: list[str] | None
    full_paths: list[str] | None
    namespace_path: str | None
    with_issues_enabled: bool | None
    with_merge_requests_enabled: bool | None
    archived: bool | None
    archived_only: bool | None
    active: bool | None
    min_access_level: int | None
    programming_language_name: str | None
    aimed_for_deletion: bool | None
    not_aimed_for_deletion: bool | None
    marked_for_deletion_on: str | None
    visibility_level: str | None


Test = Callable[[ReadContext, Project, Any], bool]


def _has_text(ctx: ReadContext, project: Project, text: str, *, with_namespace: bool) -> bool:
    values = [project.name, project.path, project.description or ""]
    if with_namespace:
        values.append(namespaces.full_name(ctx.world, ctx.world.namespaces[project.namespace_id]))
        values.append(namespaces.project_path(ctx.world, project))
    return any(text.lower() in value.lower() for value in values)


def _has_level(ctx: ReadContext, project: Project, level: int) -> bool:
    return ctx.viewer is not None and project_level(ctx.world, project, ctx.viewer.id) >= level


def _is_personal(ctx: ReadContext, project: Project) -> bool:
    # For visitors this is no filter.
    return ctx.viewer is None or project.namespace_id == namespaces.user_namespace(ctx.world, ctx.viewer).id


def _is_active(ctx: ReadContext, project: Project) -> bool:
    return not is_archived(ctx.world, project) and project.marked_for_deletion_on is None


def _has_language(ctx: ReadContext, project: Project, name: str) -> bool:
    return name.lower() in map(str.lower, repositories.languages(ctx.world, project))


_TESTS: Final[Mapping[str, Test]] = {
    "membership": lambda ctx, project, wanted: not wanted or _has_level(ctx, project, 1),
    "personal": lambda ctx, project, wanted: not wanted or _is_personal(ctx, project),
    "topics": lambda _ctx, project, names: set(names) <= set(project.tag_list),
    "ids": lambda ctx, project, ids: project.id in [parse_id(ctx, text, "Project") for text in ids],
    "full_paths": lambda ctx, project, paths: (
        namespaces.project_path(ctx.world, project).lower() in map(str.lower, paths)
    ),
    "namespace_path": lambda ctx, project, path: (
        namespaces.full_path(ctx.world, ctx.world.namespaces[project.namespace_id]).lower() == path.lower()
    ),
    "with_issues_enabled": lambda ctx, project, wanted: not wanted or is_feature_open(ctx, project, "issues"),
    "with_merge_requests_enabled": lambda ctx, project, wanted: (
        not wanted or is_feature_open(ctx, project, "merge_requests")
    ),
    "archived": lambda ctx, project, wanted: is_archived(ctx.world, project) == wanted,
    "archived_only": lambda ctx, project, wanted: not wanted or is_archived(ctx.world, project),
    "active": lambda ctx, project, wanted: _is_active(ctx, project) == wanted,
    "min_access_level": _has_level,
    "programming_language_name": _has_language,
    "aimed_for_deletion": lambda _ctx, project, wanted: not wanted or project.marked_for_deletion_on is not None,
    "not_aimed_for_deletion": lambda _ctx, project, wanted: not wanted or project.marked_for_deletion_on is None,
    "marked_for_deletion_on": lambda _ctx, project, day: project.marked_for_deletion_on == day,
    "visibility_level": lambda _ctx, project, level: project.visibility == level,
}


def select_projects(
    ctx: ReadContext, candidates: Iterable[Project], sort: tuple[str, bool] | None, filters: ProjectFilters
) -> Sequence[Project]:
    """Return the visible projects that match the filters, in an order: by default the newest or most similar first."""
    given: dict[str, Any] = {name: value for name, value in filters.items() if value is not None}
    text, wide = given.pop("search", ""), given.pop("search_namespaces", False)
    tests = [(_TESTS[name], value) for name, value in given.items()]
    found = [
        project
        for project in candidates
        if can_see(ctx, project)
        and (not text or _has_text(ctx, project, text, with_namespace=wide))
        and all(test(ctx, project, value) for test, value in tests)
    ]
    is_searched = bool(text) and ctx.profile.has(SEARCHED_PROJECTS_ARE_SORTED_BY_SIMILARITY)
    column, descending = sort or (_SIMILAR if is_searched else _NEWEST)
    if column == "similarity":
        return similarity.order_by_similarity(found, text, "desc")
    return sorted(found, key=lambda project: (_sort_value(ctx, project, column), project.id), reverse=descending)


def _sort_value(ctx: ReadContext, project: Project, column: str) -> Any:
    if column == "full_path":
        return namespaces.project_path(ctx.world, project).lower()
    if column == "stars":
        return len(ctx.world.stars.ids("project", project.id))
    if column.endswith("_size"):
        return statistics.project_statistics(ctx, project)[column]
    value = getattr(project, column)
    return value.lower() if column in ("name", "path") else value


def parse_sort(text: str | None) -> tuple[str, bool] | None:
    """Return the column and the direction in a text such as ``name_asc``; one that is not known is the newest first."""
    if text in (None, "similarity"):
        return _SIMILAR if text else None
    name, _, direction = str(text).rpartition("_")
    column = _COLUMNS.get(name, name)
    if column not in ("id", "name", "path", *_COLUMNS.values()) or direction not in ("asc", "desc"):
        return _NEWEST
    return column, direction == "desc"


FILTERS: Final = f"""membership: Boolean, search: String, searchNamespaces: Boolean, sort: String, ids: [ID!],
        topics: [String!] @lifetime(since: "<=14.3"), fullPaths: [String!] @lifetime(since: "<=16.9"),
        withIssuesEnabled: Boolean @lifetime(since: "<=16.2"),
        withMergeRequestsEnabled: Boolean @lifetime(since: "<=16.2"),
        personal: Boolean {_LATER}, namespacePath: ID {_LATER}, archived: ProjectArchived {_LATER},
        minAccessLevel: AccessLevelEnum {_LATER}, programmingLanguageName: String {_LATER},
        aimedForDeletion: Boolean {_LATER}, notAimedForDeletion: Boolean {_LATER}, markedForDeletionOn: Date {_LATER},
        active: Boolean {_LATER}, visibilityLevel: VisibilityLevelsEnum {_LATER}"""
"""The arguments of lists of projects from everywhere."""


@QUERY.field(f"projects({FILTERS}): ProjectConnection")
def projects(ctx: ReadContext, sort: str | None = None, **filters: Unpack[ProjectFilters]) -> Sequence[Project]:
    """The projects visible to the caller."""
    if not filters.get("full_paths"):
        filters.pop("full_paths", None)
    if len(filters.get("full_paths") or ()) > _MOST_PATHS:
        raise GraphQLError(f"You cannot provide more than {_MOST_PATHS} full_paths")
    return select_projects(ctx, ctx.world.projects.all(), parse_sort(sort), filters)


_IN_NAMESPACE: Final = f"""projects(includeSubgroups: Boolean = false, search: String, ids: [ID!],
    sort: NamespaceProjectSort @lifetime(since: "<=13.6"), includeArchived: Boolean = true {_LATER},
    notAimedForDeletion: Boolean @lifetime(since: "<=16.2"), withIssuesEnabled: Boolean @lifetime(since: "<=16.2"),
    withMergeRequestsEnabled: Boolean @lifetime(since: "<=16.2"), archivedOnly: Boolean {_LATER},
    includeSiblingProjects: Boolean = false @lifetime(since: "17.2")): ProjectConnection!"""


@NAMESPACE.field(_IN_NAMESPACE)
@GROUP.field(_IN_NAMESPACE)
def projects_of_namespace(
    ctx: ReadContext,
    namespace: Namespace | Project,
    include_subgroups: bool | None = False,
    sort: tuple[str, bool] | None = None,
    include_archived: bool | None = True,
    include_sibling_projects: bool | None = False,
    **filters: Unpack[ProjectFilters],
) -> Sequence[Project]:
    """The projects in the namespace."""
    if isinstance(namespace, Project):
        group = ctx.world.namespaces[namespace.namespace_id]
        if not include_sibling_projects or not isinstance(group, Group):
            return ()
        namespace = group
    if not filters.get("ids"):
        filters.pop("ids", None)
    subgroups = namespaces.list_descendants(ctx.world, namespace) if include_subgroups else ()
    owners = (namespace, *subgroups)
    owned = [project for owner in owners for project in ctx.world.projects.where("namespace", owner.id)]
    if include_archived is False and not filters.get("archived_only"):
        owned = [project for project in owned if not is_archived(ctx.world, project)]
    return select_projects(ctx, owned, sort, filters)


@GROUP.field(
    "sharedProjects(search: String, sort: String, minAccessLevel: AccessLevelEnum, programmingLanguageName: String, "
    "active: Boolean): ProjectConnection",
    since="<=18.5",
)
def shared_projects(
    ctx: ReadContext, group: Group, sort: str | None = None, **filters: Unpack[ProjectFilters]
) -> Sequence[Project]:
    """The projects that are shared with the group."""
    return select_projects(ctx, group_searches.list_shared_projects(ctx.world, group), parse_sort(sort), filters)


@GROUP.field("projectsCount: Int!", since="<=16.9")
def count_projects(ctx: ReadContext, group: Namespace) -> int:
    """Number of the group's own projects."""
    return len(ctx.world.projects.where("namespace", group.id))


_SORTED: Final = '@lifetime(since: "<=18.2")'


@USER.field(
    f"""starredProjects(search: String, sort: ProjectSort = NAME_ASC {_SORTED},
        minAccessLevel: AccessLevelEnum {_SORTED}, programmingLanguageName: String {_SORTED},
        active: Boolean {_LATER}): ProjectConnection""",
    since="<=13.6",
)
def starred_projects(
    ctx: ReadContext, user: User, sort: tuple[str, bool] | None = None, **filters: Unpack[ProjectFilters]
) -> Sequence[Project] | None:
    """The projects that the user starred."""
    if not is_activity_visible(ctx, user):
        return None
    return select_projects(
        ctx, [ctx.world.projects[star.project_id] for star in ctx.world.stars.where("user", user.id)], sort, filters
    )


@USER.field(
    "contributedProjects(search: String, sort: ProjectSort = LATEST_ACTIVITY_DESC, minAccessLevel: AccessLevelEnum, "
    "programmingLanguageName: String, includePersonal: Boolean = false): ProjectConnection",
    since="<=18.2",
)
def contributed_projects(
    ctx: ReadContext,
    user: User,
    sort: tuple[str, bool] | None = None,
    include_personal: bool | None = False,
    **filters: Unpack[ProjectFilters],
) -> Sequence[Project] | None:
    """The projects to which the user contributed lately; personal ones only if asked for."""
    if not is_activity_visible(ctx, user):
        return None
    own = namespaces.find_user_namespace(ctx.world, user)
    found = (
        project
        for project in contributions.list_projects(ctx, user)
        if include_personal or own is None or project.namespace_id != own.id
    )
    return select_projects(ctx, found, sort, filters)


@USER.field("projectCount: Int", since="<=18.2")
def project_count(ctx: ReadContext, user: User) -> int | None:
    """Number of the projects of which the user is a member; only the user and administrators see it."""
    if ctx.viewer is None or not (ctx.admin or ctx.viewer.id == user.id):
        return None
    return sum(project_level(ctx.world, project, user.id) > 0 for project in ctx.world.projects.all())


@PROJECT.field("forkedFrom: Project", since="<=18.5")
def forked_from(ctx: ReadContext, project: Project) -> Project | None:
    """The project that this one was forked from, if it is visible to the caller."""
    source = ctx.world.projects.get(project.forked_from_id) if project.forked_from_id is not None else None
    return source if source is not None and can_see(ctx, source) else None


@PROJECT.field("isForked: Boolean!", since="16.9")
def is_forked(_ctx: ReadContext, project: Project) -> bool:
    """Whether it is a fork."""
    return project.forked_from_id is not None
