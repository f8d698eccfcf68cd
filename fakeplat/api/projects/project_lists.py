"""Lists of projects: filters, orders and views shared by several operations.

Source: docs/platform/projects.md, docs/platform/pagination.md, docs/decisions/rulings.md (5).
"""

from collections.abc import Iterable, Sequence
from typing import Annotated, Any, Final, Literal

from fakeplat.api.access_levels import PLANNER_SINCE, AccessLevel
from fakeplat.core.operations.errors import BadRequest
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import CommaList, Day, Moment
from fakeplat.core.release import Lifetime
from fakeplat.domain.people.namespaces import full_name, project_path
from fakeplat.domain.projects import custom_attributes, similarity
from fakeplat.domain.repository import repositories
from fakeplat.entities.people.namespaces import STATISTICS
from fakeplat.entities.projects.custom_attributes import CUSTOM_ATTRIBUTES
from fakeplat.entities.projects.projects import ProjectSimple, ProjectWithAccess
from fakeplat.model.people import Level, Visibility
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.authorization import can_see, is_feature_open
from fakeplat.policy.behaviours import BAD_REQUEST_WITH_REASON, PROJECTS_BY_STARS
from fakeplat.policy.context import ReadContext
from fakeplat.policy.levels import is_archived, member_level, project_level

_PLAIN_ORDERS: Final = ("id", "name", "path", "created_at", "updated_at", "last_activity_at")

ProjectOrder = Literal[
    "id",
    "name",
    "path",
    "created_at",
    "updated_at",
    "last_activity_at",
    "repository_size",
    "storage_size",
    "wiki_size",
    "packages_size",
    "similarity",
    "star_count",
]


class ProjectFilters(Paged):
    """Filters of every list of projects."""

    archived: bool | None = None
    visibility: Visibility | None = None
    search: str | None = None
    search_namespaces: bool | None = None
    owned: bool = False
    starred: bool = False
    imported: bool = False
    membership: bool = False
    with_issues_enabled: bool = False
    with_merge_requests_enabled: bool = False
    with_programming_language: str | None = None
    min_access_level: Annotated[AccessLevel | None, PLANNER_SINCE] = None
    id_after: int | None = None
    id_before: int | None = None
    last_activity_after: Moment | None = None
    last_activity_before: Moment | None = None
    repository_storage: str | None = None
    repository_checksum_failed: bool = False
    wiki_checksum_failed: bool = False
    custom_attributes: dict[str, str] | None = None


class ListProjects(ProjectFilters):
    """Filters, order and view of a list of projects."""

    topic: Annotated[CommaList[str] | None, Lifetime(since="<=13.12")] = None
    topic_id: Annotated[int | None, Lifetime(since="<=15.4")] = None
    include_hidden: Annotated[bool, Lifetime(since="<=16.6")] = False
    include_pending_delete: Annotated[bool, Lifetime(since="<=16.6")] = False
    marked_for_deletion_on: Annotated[Day | None, Lifetime(since="<=17.2")] = None
    active: Annotated[bool | None, Lifetime(since="<=18.1")] = None
    updated_after: Annotated[Moment | None, Lifetime(since="15.10")] = None
    updated_before: Annotated[Moment | None, Lifetime(since="15.10")] = None

    order_by: Annotated[
        ProjectOrder,
        Lifetime(since="13.6", values=("packages_size",)),
        Lifetime(since="14.1", values=("similarity",)),
        Lifetime(since=PROJECTS_BY_STARS.since, values=("star_count",)),
    ] = "created_at"
    sort: Literal["asc", "desc"] = "desc"
    simple: bool = False
    statistics: bool = False
    with_custom_attributes: bool = False
    pagination: str | None = None


def check_order_of_updated(ctx: ReadContext, p: ListProjects) -> None:
    """Refuse filters by ``updated_at`` with another order, which the list of all projects does not support."""
    if (p.updated_after or p.updated_before) and p.order_by != "updated_at":
        text = "`updated_at` filter and `updated_at` sorting must be paired"
        raise BadRequest(ctx.profile.choose(BAD_REQUEST_WITH_REASON).format(text))


def select_list_view(ctx: ReadContext, p: ListProjects) -> type[ProjectSimple | ProjectWithAccess]:
    """Return the simple view for anonymous callers and on request, else the full view with the caller's access."""
    return ProjectSimple if p.simple or ctx.viewer is None else ProjectWithAccess


def build_list_options(ctx: ReadContext, p: ListProjects, _project: Project | None) -> tuple[str, ...]:
    """Return the view options of a list of projects."""
    # The simple view has no statistics.
    options = [STATISTICS] if p.statistics and not p.simple else []
    if p.with_custom_attributes and ctx.admin:
        options.append(CUSTOM_ATTRIBUTES)
    return tuple(options)


def list_matching_projects(ctx: ReadContext, p: ListProjects, candidates: Iterable[Project]) -> Sequence[Project]:
    """Return the visible candidates (sorted by id) that match the filters, in the requested order."""
    matching = [project for project in candidates if can_see(ctx, project) and matches_filters(ctx, p, project)]
    if p.order_by == "similarity" and p.search and ctx.viewer is not None:
        # The platform ranks only what the caller is a member of.
        mine = [project for project in matching if project_level(ctx.world, project, ctx.viewer.id) >= Level.GUEST]
        return similarity.order_by_similarity(mine, p.search, p.sort)
    if p.order_by == "star_count":
        return order_by_stars(ctx.world, matching, p.sort)
    return order_projects(matching, p.order_by, p.sort)


def order_by_stars(world: World, projects: list[Project], sort: str) -> list[Project]:
    """Sort projects by the number of their stars."""
    return sorted(
        projects, key=lambda project: (len(world.stars.ids("project", project.id)), project.id), reverse=sort == "desc"
    )


def order_projects(projects: list[Project], order_by: str, sort: str) -> list[Project]:
    """Sort projects by a column, ties by id in the same direction; the orders by size fall back to ``created_at``."""
    if order_by == "id":
        return projects if sort == "asc" else projects[::-1]
    key = order_by if order_by in _PLAIN_ORDERS else "created_at"
    return sorted(projects, key=lambda project: (getattr(project, key), project.id), reverse=sort == "desc")


def matches_filters(ctx: ReadContext, p: ProjectFilters, project: Project) -> bool:
    """Whether a project passes all filters that were sent."""
    params = p.given()
    # The text is tested apart from the others, because it depends on a second parameter.
    if p.search and not matches_project_search(ctx, project, p.search, namespaces=bool(p.search_namespaces)):
        return False
    # False is tested as well: ``archived=false`` is a filter, while most other tests accept every project then.
    return all(test(ctx, params[name], project) for name, test in _TESTS.items() if params.get(name) is not None)


def _is_archived(ctx: ReadContext, operand: bool, project: Project) -> bool:
    return is_archived(ctx.world, project) == operand


def _has_visibility(_ctx: ReadContext, operand: str, project: Project) -> bool:
    return project.visibility == operand


def _is_owned(ctx: ReadContext, operand: bool, project: Project) -> bool:
    return not operand or (ctx.viewer is not None and project_level(ctx.world, project, ctx.viewer.id) == Level.OWNER)


def _is_starred(ctx: ReadContext, operand: bool, project: Project) -> bool:
    # Anonymous callers have no stars; the platform ignores the filter for them.
    return not operand or ctx.viewer is None or ctx.world.stars.find("pair", (ctx.viewer.id, project.id)) is not None


def _is_member(ctx: ReadContext, operand: bool, project: Project) -> bool:
    return not operand or (ctx.viewer is not None and project_level(ctx.world, project, ctx.viewer.id) >= Level.GUEST)


def _has_min_access_level(ctx: ReadContext, operand: int, project: Project) -> bool:
    # Unlike ``starred``, this filter leaves nothing for anonymous callers.
    if ctx.viewer is None:
        return False
    return max(project_level(ctx.world, project, ctx.viewer.id), _own_level(ctx, project)) >= operand


def _own_level(ctx: ReadContext, project: Project) -> int:
    return member_level(ctx.world, ("project", project.id), ctx.viewer.id) if ctx.viewer else Level.NONE


def _test_feature(feature: str) -> Any:
    def test(ctx: ReadContext, operand: bool, project: Project) -> bool:
        return not operand or is_feature_open(ctx, project, feature)

    return test


def _has_language(ctx: ReadContext, operand: str, project: Project) -> bool:
    return any(name.lower() == operand.lower() for name in repositories.languages(ctx.world, project))


def _is_id_after(_ctx: ReadContext, operand: int, project: Project) -> bool:
    return project.id > operand


def _is_id_before(_ctx: ReadContext, operand: int, project: Project) -> bool:
    return project.id < operand


def _is_active_after(_ctx: ReadContext, operand: str, project: Project) -> bool:
    # Times are ISO 8601 in UTC and of equal precision, so they compare as text.
    return project.last_activity_at >= operand


def _is_active_before(_ctx: ReadContext, operand: str, project: Project) -> bool:
    return project.last_activity_at <= operand


def _is_updated_after(_ctx: ReadContext, operand: str, project: Project) -> bool:
    return project.updated_at >= operand


def _is_updated_before(_ctx: ReadContext, operand: str, project: Project) -> bool:
    return project.updated_at <= operand


def _is_active(ctx: ReadContext, operand: bool, project: Project) -> bool:
    return operand == (not is_archived(ctx.world, project) and project.marked_for_deletion_on is None)


def _is_marked_on(_ctx: ReadContext, operand: str, project: Project) -> bool:
    return project.marked_for_deletion_on == operand


def _has_topics(_ctx: ReadContext, operand: Sequence[str], project: Project) -> bool:
    names = {name.lower() for name in project.tag_list}
    return all(topic.lower() in names for topic in operand)


def _has_topic_id(ctx: ReadContext, operand: int, project: Project) -> bool:
    topic = ctx.world.topics.get(operand)
    return topic is not None and _has_topics(ctx, [topic.name], project)


def _is_on_storage(ctx: ReadContext, operand: str, project: Project) -> bool:
    # For callers who are not administrators the platform ignores the filter.
    return not ctx.admin or project.repository_storage == operand


def _has_failed_checksum(ctx: ReadContext, operand: bool, _project: Project) -> bool:
    # No checksum ever fails here: the filter matches nothing on paid tiers, and free tiers ignore it.
    return not operand or not ctx.instance.has("premium")


def _has_attributes(ctx: ReadContext, operand: dict[str, str], project: Project) -> bool:
    return not ctx.admin or project.id in custom_attributes.find_matching_ids(ctx.world, "project", operand)


_TESTS: Final = {
    "archived": _is_archived,
    "visibility": _has_visibility,
    "owned": _is_owned,
    "starred": _is_starred,
    "membership": _is_member,
    "min_access_level": _has_min_access_level,
    "with_issues_enabled": _test_feature("issues"),
    "with_merge_requests_enabled": _test_feature("merge_requests"),
    "with_programming_language": _has_language,
    "id_after": _is_id_after,
    "id_before": _is_id_before,
    "last_activity_after": _is_active_after,
    "last_activity_before": _is_active_before,
    "updated_after": _is_updated_after,
    "updated_before": _is_updated_before,
    "active": _is_active,
    "marked_for_deletion_on": _is_marked_on,
    "topic": _has_topics,
    "topic_id": _has_topic_id,
    "repository_storage": _is_on_storage,
    "repository_checksum_failed": _has_failed_checksum,
    "wiki_checksum_failed": _has_failed_checksum,
    "custom_attributes": _has_attributes,
}


def matches_project_search(ctx: ReadContext, project: Project, search: str, *, namespaces: bool) -> bool:
    """Whether a project's name, path or description, or (with ``namespaces``) its full path or name contains a text."""
    lowered = search.lower()
    texts = [project.name, project.path, project.description or ""]
    if namespaces:
        namespace = ctx.world.namespaces[project.namespace_id]
        texts += [project_path(ctx.world, project), f"{full_name(ctx.world, namespace)} / {project.name}"]
    return any(lowered in text.lower() for text in texts)
