"""The catalogue of components. Source: docs/platform/pipelines-jobs.md ('The catalogue of components')."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from fakeplat.core.release import ALWAYS, Lifetime
from fakeplat.domain.ci import catalog, ci_files
from fakeplat.domain.ci.catalog import Component
from fakeplat.domain.issues import issues
from fakeplat.domain.markup import markup
from fakeplat.domain.people import namespaces
from fakeplat.domain.repository import commits, repositories
from fakeplat.domain.repository.commits import ProjectCommit
from fakeplat.entities import urls
from fakeplat.graphql.ci.pipeline_inputs import DeclaredInput
from fakeplat.graphql.ids import parse_id
from fakeplat.graphql.lookups import require_project
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import QUERY, Enumeration, EnumValue, Scalar, Type, mutation
from fakeplat.model.people import Namespace, User
from fakeplat.model.projects import Project
from fakeplat.model.releases import Release
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize, can_see, level_on
from fakeplat.policy.context import ReadContext, WriteContext

_SINCE: Final = "<=16.2"
_VERSIONS_SINCE: Final = "<=16.9"
_NEWEST: Final = "<=18.9"
_WITHOUT_PROJECT: Final = "<=18.9"
"""The release from which clients ask the project for what a resource does not show."""
Scalar("CiCatalogResourceID", "The global ID of a record of the type CiCatalogResource.", since=_SINCE)
RESOURCE = Type(
    "CiCatalogResource", "A project of the catalogue.", gid="Ci::Catalog::Resource", has_count=True, since=_SINCE
)
RESOURCE.attributes({"name: String": "The name.", "description: String": "The description."})
VERSION = Type(
    "CiCatalogResourceVersion",
    "A version of a project of the catalogue.",
    gid="Ci::Catalog::Resources::Version",
    has_count=True,
    since=_VERSIONS_SINCE,
)
VERSION.attributes({"releasedAt: Time": "Timestamp of the release."})
COMPONENT = Type(
    "CiCatalogResourceComponent",
    "A component of a version.",
    gid="Ci::Catalog::Resources::Component",
    has_count=True,
    since=_VERSIONS_SINCE,
)
COMPONENT.attributes({"name: String": "The name."})
INPUT = Type("CiCatalogResourceComponentInput", "An input of a component.", since=_VERSIONS_SINCE, until=_NEWEST)
INPUT.attributes({"name: String": "The name."})


@INPUT.field("required: Boolean")
def is_required(_ctx: ReadContext, declared: DeclaredInput) -> bool:
    """Whether the input has no default."""
    return "default" not in declared.spec


@INPUT.field("default: String")
def default_of_input(_ctx: ReadContext, declared: DeclaredInput) -> str | None:
    """The default."""
    default = declared.spec.get("default")
    return None if default is None else str(default)


@RESOURCE.field("fullPath: ID", since="16.11")
def full_path(ctx: ReadContext, project: Project) -> str:
    """The full path of the project."""
    return urls.project_path(ctx, project)


@RESOURCE.field("icon: String")
def icon(ctx: ReadContext, project: Project) -> str | None:
    """The URL of the avatar of the project."""
    return urls.avatar_url(ctx, "project", project.id, project.avatar)


@RESOURCE.field("webPath: String")
def web_path(ctx: ReadContext, project: Project) -> str:
    """The path of the project."""
    return f"/{urls.project_path(ctx, project)}"


@RESOURCE.field("starCount: Int!")
def star_count(ctx: ReadContext, project: Project) -> int:
    """The number of users who starred the project."""
    return len(ctx.world.stars.ids("project", project.id))


@RESOURCE.field("latestReleasedAt: Time", since="16.5")
def latest_released_at(ctx: ReadContext, project: Project) -> str | None:
    """Timestamp of the release of the highest version."""
    latest = catalog.find_version(ctx.world, project)
    return latest.released_at if latest else None


@RESOURCE.field("visibilityLevel: VisibilityLevelsEnum", since="<=18.5")
def visibility_level(_ctx: ReadContext, project: Project) -> str:
    """The visibility of the project."""
    return project.visibility


@RESOURCE.field("archived: Boolean", since="<=18.5")
def is_archived(_ctx: ReadContext, project: Project) -> bool:
    """Whether the project is archived."""
    return project.archived


@RESOURCE.field("topics: [String!]", since="<=18.5")
def topics_of(_ctx: ReadContext, project: Project) -> Sequence[str]:
    """The topics of the project."""
    return project.tag_list


@RESOURCE.field("starrersPath: String", since="<=18.5")
def starrers_path(ctx: ReadContext, project: Project) -> str:
    """The path of the page of those who starred the project."""
    return f"{web_path(ctx, project)}/-/starrers"


@RESOURCE.field("forksCount: Int!", until="<=16.9")
def forks_count(ctx: ReadContext, project: Project) -> int:
    """Number of forks of the project."""
    return len(ctx.world.projects.ids("forked_from", project.id))


@RESOURCE.field("latestVersion: CiCatalogResourceVersion", since=_VERSIONS_SINCE, until=_NEWEST)
def latest_version(ctx: ReadContext, project: Project) -> Release | None:
    """The highest version."""
    return catalog.find_version(ctx.world, project)


@RESOURCE.field("rootNamespace: Namespace", until="<=16.9")
def root_namespace(ctx: ReadContext, project: Project) -> Namespace:
    """The top-level namespace of the project."""
    return namespaces.root_of(ctx.world, ctx.world.namespaces[project.namespace_id])


@RESOURCE.field("readmeHtml: String!", until=_WITHOUT_PROJECT)
def readme_html_of_project(ctx: ReadContext, project: Project) -> str:
    """The README of the default branch, rendered as HTML."""
    path = repositories.find_readme_path(ctx.world, project)
    text = path and ci_files.read_file_at(ctx.world, project, project.default_branch or "HEAD", path)
    return markup.render_html(ctx, text or "", project)


@RESOURCE.field("openIssuesCount: Int!", since="16.3", until=_WITHOUT_PROJECT)
def open_issues_count(ctx: ReadContext, project: Project) -> int:
    """The number of open issues of the project."""
    return issues.open_count(ctx.world, project)


@RESOURCE.field("openMergeRequestsCount: Int!", since="16.3", until=_WITHOUT_PROJECT)
def open_merge_requests_count(ctx: ReadContext, project: Project) -> int:
    """The number of open merge requests of the project."""
    bits = ctx.world.merge_requests.bits
    return (bits("facts", ("project", project.id)) & bits("facts", ("state", "opened"))).bit_count()


Enumeration(
    "CiCatalogResourceVersionSort",
    "The order of versions.",
    {
        f"{column.upper()}_{direction}": (
            (attribute, direction == "DESC"),
            f"By {column.replace('_', ' ')}, {direction.lower()}ending.",
        )
        for column, attribute in (("created", "catalog_version_at"), ("released_at", "released_at"))
        for direction in ("ASC", "DESC")
    },
    since=_VERSIONS_SINCE,
    until=_WITHOUT_PROJECT,
)


@RESOURCE.field(
    f'versions(sort: CiCatalogResourceVersionSort @lifetime(until: "{_WITHOUT_PROJECT}")): '
    "CiCatalogResourceVersionConnection",
    since=_VERSIONS_SINCE,
)
def versions_of(ctx: ReadContext, project: Project, sort: tuple[str, bool] | None = None) -> Sequence[Release]:
    """The versions, the highest first unless an order is given."""
    highest_first = catalog.list_versions(ctx.world, project)
    if sort is None:
        return highest_first
    column, descending = sort
    return sorted(highest_first, key=lambda release: getattr(release, column), reverse=descending)


@VERSION.field("readme: String", since="<=18.5", calls=1)
def readme_of(ctx: ReadContext, release: Release) -> str | None:
    """The README."""
    return catalog.read_readme(ctx.world, release)


@VERSION.field("readmeHtml: String")
def readme_html(ctx: ReadContext, release: Release) -> str:
    """The README, rendered as HTML."""
    return markup.render_html(ctx, readme_of(ctx, release), ctx.world.projects[release.project_id])


@VERSION.field("name: String")
def name_of_version(_ctx: ReadContext, release: Release) -> str:
    """The tag."""
    return release.tag_name


@VERSION.field("path: String")
def path_of_version(ctx: ReadContext, release: Release) -> str:
    """The path of the tag."""
    path = urls.project_path(ctx, ctx.world.projects[release.project_id])
    return f"/{path}/-/tags/{release.tag_name}"


@VERSION.field("tagName: String", until=_NEWEST)
def tag_name(_ctx: ReadContext, release: Release) -> str:
    """The tag."""
    return release.tag_name


@VERSION.field("tagPath: String", until=_NEWEST)
def tag_path(ctx: ReadContext, release: Release) -> str:
    """The path of the tag."""
    return path_of_version(ctx, release)


@VERSION.field("commit: Commit")
def commit_of_version(ctx: ReadContext, release: Release) -> ProjectCommit | None:
    """The commit of the tag."""
    return commits.find_commit(ctx.world, ctx.world.projects[release.project_id], f"refs/tags/{release.tag_name}")


@VERSION.field("createdAt: Time")
def created_at(_ctx: ReadContext, release: Release) -> str | None:
    """Timestamp of publication."""
    return release.catalog_version_at


@VERSION.field("author: User")
def author_of_version(ctx: ReadContext, release: Release) -> User | None:
    """The author of the release."""
    return ctx.world.users.get(release.author_id or 0)


@VERSION.field("components: CiCatalogResourceComponentConnection")
def components_of(ctx: ReadContext, release: Release) -> Sequence[Component]:
    """The components, by name."""
    return list(catalog.list_components(ctx.world, release))


@COMPONENT.field("inputs: [CiCatalogResourceComponentInput!]", until=_NEWEST)
@COMPONENT.field("inputs: [CiInputsSpec!]", since=_NEWEST)
def inputs_of(_ctx: ReadContext, component: Component) -> Sequence[DeclaredInput]:
    """The inputs."""
    return [DeclaredInput(name, spec) for name, spec in component.inputs.items()]


@COMPONENT.field("path: String", until=_NEWEST)
@COMPONENT.field("includePath: String", since="<=18.5")
def include_path(ctx: ReadContext, component: Component) -> str:
    """The address with which configurations include the component."""
    path = namespaces.project_path(ctx.world, ctx.world.projects[component.version.project_id])
    return f"{ctx.origin.partition('://')[2]}/{path}/{component.name}@{component.version.tag_name}"


@PROJECT.field("isCatalogResource: Boolean", since="15.11")
def is_catalog_resource(_ctx: ReadContext, project: Project) -> bool:
    """Whether the project is a resource of the catalogue."""
    return project.catalog_resource_at is not None


SortKey = Callable[[ReadContext, Project], str | int]
_SHORTEST_SEARCH: Final = 3
_FIRST_ENUM: Final = Lifetime(until="<=16.9")
_RELEASED: Final = Lifetime("<=16.9")
_COUNTED: Final = Lifetime("<=18.5")
_SORTS: Final[Mapping[str, tuple[SortKey, Lifetime]]] = {
    "NAME": (lambda _ctx, project: project.name.lower(), ALWAYS),
    "LATEST_RELEASED_AT": (lambda ctx, project: latest_released_at(ctx, project) or "", _RELEASED),
    "CREATED": (lambda _ctx, project: project.catalog_resource_at or "", ALWAYS),
    "STAR_COUNT": (star_count, _COUNTED),
    # Nobody counts the pipelines that use components, so that all are equal.
    "USAGE_COUNT": (lambda _ctx, _project: 0, _COUNTED),
    "UPDATED": (lambda _ctx, project: project.updated_at, _FIRST_ENUM),
}


def _list_sorts() -> Iterator[tuple[str, EnumValue]]:
    for name, (key, lifetime) in _SORTS.items():
        words = name.lower().replace("_", " ")
        yield f"{name}_ASC", ((key, False), f"By {words}, ascending.", lifetime)
        yield f"{name}_DESC", ((key, True), f"By {words}, descending.", lifetime)
        if name in ("CREATED", "UPDATED"):
            yield f"{name.lower()}_asc", ((key, False), f"By {words}, ascending.", _FIRST_ENUM)
            yield f"{name.lower()}_desc", ((key, True), f"By {words}, descending.", _FIRST_ENUM)


Enumeration("CiCatalogResourceSort", "The order of the projects of the catalogue.", dict(_list_sorts()), since=_SINCE)
Enumeration(
    "CiCatalogResourceScope",
    "Which projects of the catalogue are listed.",
    {
        "ALL": (False, "Those that the caller sees."),
        "NAMESPACES": (True, "Those of which the caller is a member.", _COUNTED),
    },
    since=_VERSIONS_SINCE,
)


@QUERY.field(
    f"""ciCatalogResources(search: String, sort: CiCatalogResourceSort,
    scope: CiCatalogResourceScope = ALL @lifetime(since: "{_VERSIONS_SINCE}"),
    topics: [String!] @lifetime(since: "<=18.5")): CiCatalogResourceConnection""",
    since=_SINCE,
)
def ci_catalog_resources(
    ctx: ReadContext,
    search: str | None = None,
    sort: tuple[SortKey, bool] | None = None,
    scope: bool | None = False,
    topics: Sequence[str] | None = None,
) -> Sequence[Project]:
    """The projects of the catalogue that the caller sees; those with the most stars come first."""
    if search is not None and len(search) < _SHORTEST_SEARCH:
        return ()
    found = [
        project
        for project in catalog.list_resources(ctx, search or "")
        if (not topics or set(topics) & set(project.tag_list)) and (not scope or level_on(ctx, project) > 0)
    ]
    key, descending = sort or (star_count, True)
    newest_first = sorted(found, key=lambda project: (project.catalog_resource_at or "", project.id), reverse=True)
    return sorted(newest_first, key=lambda project: key(ctx, project), reverse=descending)


@QUERY.field(
    "ciCatalogResource(id: CiCatalogResourceID, fullPath: ID): CiCatalogResource", single=True, since=_VERSIONS_SINCE
)
def ci_catalog_resource(ctx: ReadContext, id: str | None = None, full_path: str | None = None) -> Project | None:
    """A project of the catalogue."""
    project = (
        ctx.world.projects.get(parse_id(ctx, id, "Ci::Catalog::Resource"))
        if id is not None
        else namespaces.find_project_by_path(ctx.world, full_path or "")
    )
    is_shown = project is not None and project.catalog_resource_at is not None and can_see(ctx, project)
    return project if is_shown else None


_WHICH: Final = '''
"""The full path of the project."""
projectPath: ID!
'''


@mutation("catalogResourcesCreate", input_fields=_WHICH, payload_fields="", since=_SINCE)
def catalog_resources_create(ctx: WriteContext, project_path: str) -> Mapping[str, Any]:
    """Make a project a resource of the catalogue."""
    project = require_project(ctx, project_path)
    authorize(ctx, Ability.ADD_CATALOG_RESOURCE, project)
    if project.catalog_resource_at is None:
        catalog.add(ctx, project)
    return {}


@mutation("catalogResourcesDestroy", input_fields=_WHICH, payload_fields="", since=_VERSIONS_SINCE)
def catalog_resources_destroy(ctx: WriteContext, project_path: str) -> Mapping[str, Any]:
    """Take a project out of the catalogue."""
    project = require_project(ctx, project_path)
    authorize(ctx, Ability.ADD_CATALOG_RESOURCE, project)
    catalog.remove(ctx, project)
    return {}
