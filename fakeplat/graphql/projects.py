"""Projects. Source: docs/platform/graphql.md, docs/platform/projects.md."""

from collections.abc import Mapping, Sequence
from typing import Any

from fakeplat.core.store.frozen import frozen
from fakeplat.domain import statistics
from fakeplat.domain.issues import issues
from fakeplat.domain.markup import markup
from fakeplat.domain.people import namespaces
from fakeplat.domain.projects import projects
from fakeplat.domain.repository import repositories
from fakeplat.entities import urls
from fakeplat.graphql.lookups import find_visible_project, require_project_with_id
from fakeplat.graphql.people.groups import can_read_namespace
from fakeplat.graphql.schema_builder import QUERY, Type, mutation
from fakeplat.model.people import Group, Level, Namespace
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can, can_see, is_feature_open, level_on
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.levels import is_archived

PROJECT = Type(
    "Project",
    "A project.",
    gid="Project",
    implements=("ProjectInterface",),
    has_count=True,
    count_since="<=15.3",
)
PROJECT.attributes({"updatedAt: Time": "Timestamp of the last update."}, since="<=18.5")
PROJECT.attributes(
    {
        "name: String!": "The name.",
        "path: String!": "The last segment of the full path.",
        "description: String": "The description.",
        "visibility: String": "The visibility: private, internal or public.",
        "createdAt: Time": "Timestamp of creation.",
        "lastActivityAt: Time": "Timestamp of the last activity.",
        "lfsEnabled: Boolean": "Whether Git LFS is enabled.",
        "sharedRunnersEnabled: Boolean": "Whether shared runners are enabled.",
        "serviceDeskEnabled: Boolean": "Whether the service desk is enabled.",
        "requestAccessEnabled: Boolean": "Whether users can request membership.",
        "autocloseReferencedIssues: Boolean": "Whether issues referenced by merged changes are closed.",
        "importStatus: String": "The status of the import.",
        "onlyAllowMergeIfAllDiscussionsAreResolved: Boolean": "Whether merging requires all threads to be resolved.",
        "onlyAllowMergeIfPipelineSucceeds: Boolean": "Whether merging requires a successful pipeline.",
        "removeSourceBranchAfterMerge: Boolean": "Whether source branches are removed after merging by default.",
        "suggestionCommitMessage: String": "The template of messages of commits that apply suggestions.",
    }
)


def _feature_field(signature: str, feature: str, description: str, level: Level = Level.GUEST) -> None:
    def is_enabled(ctx: ReadContext, project: Project) -> bool:
        is_private = getattr(project, f"{feature}_access_level") == "private"
        return is_feature_open(ctx, project, feature) and (not is_private or level_on(ctx, project) >= level)

    PROJECT.field(signature, description=description)(is_enabled)


_feature_field("issuesEnabled: Boolean", "issues", "Whether issues are enabled for the caller.")
_feature_field(
    "mergeRequestsEnabled: Boolean",
    "merge_requests",
    "Whether merge requests are enabled for the caller.",
    Level.REPORTER,
)
_feature_field("wikiEnabled: Boolean", "wiki", "Whether the wiki is enabled for the caller.")
_feature_field("jobsEnabled: Boolean", "builds", "Whether CI jobs are enabled for the caller.")
_feature_field("snippetsEnabled: Boolean", "snippets", "Whether snippets are enabled for the caller.")


_feature_field(
    "containerRegistryEnabled: Boolean",
    "container_registry",
    "Whether the container registry is enabled for the caller.",
    Level.REPORTER,
)


@PROJECT.field("archived: Boolean")
def archived(ctx: ReadContext, project: Project) -> bool:
    """Whether the project or a group above it is archived, hence read-only."""
    return is_archived(ctx.world, project)


@PROJECT.field("fullPath: ID!")
def full_path(ctx: ReadContext, project: Project) -> str:
    """The full path, with the path of the namespace."""
    return urls.project_path(ctx, project)


@PROJECT.field("nameWithNamespace: String!")
def name_with_namespace(ctx: ReadContext, project: Project) -> str:
    """The full name, with the names of all ancestors."""
    above = namespaces.full_name(ctx.world, ctx.world.namespaces[project.namespace_id])
    return f"{above} / {project.name}"


@PROJECT.field("descriptionHtml: String")
def description_html(ctx: ReadContext, project: Project) -> str:
    """The description rendered as HTML."""
    return markup.render_html(ctx, project.description, project)


@PROJECT.field("webUrl: String")
def web_url(ctx: ReadContext, project: Project) -> str:
    """The URL of the project."""
    return urls.project_url(ctx, project)


@PROJECT.field("webPath: String!", since="<=18.5")
def web_path(ctx: ReadContext, project: Project) -> str:
    """The path of the project's page."""
    return web_url(ctx, project).removeprefix(ctx.origin)


@PROJECT.field("topics: [String!]", since="13.12")
def topics(_ctx: ReadContext, project: Project) -> Sequence[str]:
    """The topics."""
    return project.tag_list


@frozen
class Language:
    """A language of a repository, and its share in percent."""

    name: str
    share: float


LANGUAGE = Type("RepositoryLanguage", "A language of a repository.", since="<=15.8")
LANGUAGE.attributes({"name: String!": "The name.", "share: Float": "The share in percent."})


@PROJECT.field("languages: [RepositoryLanguage!]", since="<=15.8")
def languages(ctx: ReadContext, project: Project) -> Sequence[Language]:
    """The languages of the repository."""
    return [Language(name, share) for name, share in repositories.languages(ctx.world, project).items()]


STATISTICS = Type("ProjectStatistics", "Sizes of a project.")


@PROJECT.field("statistics: ProjectStatistics")
def statistics_of(ctx: ReadContext, project: Project) -> Mapping[str, int] | None:
    """The sizes, for those who may read them."""
    readable = can(ctx, Ability.READ_STATISTICS, project)
    return statistics.project_statistics(ctx, project) if readable else None


def _statistic(signature: str, key: str, description: str, since: str = "") -> None:
    def value(_ctx: ReadContext, sizes: Mapping[str, int]) -> float:
        # There is nothing that the parts of later releases count.
        return sizes.get(key, 0)

    STATISTICS.field(signature, since=since, description=description)(value)


_statistic("commitCount: Float!", "commit_count", "Number of commits.")
_statistic("storageSize: Float!", "storage_size", "Bytes in all.")
_statistic("repositorySize: Float!", "repository_size", "Bytes of the repository.")
_statistic("lfsObjectsSize: Float!", "lfs_objects_size", "Bytes of large files.")
_statistic("buildArtifactsSize: Float!", "job_artifacts_size", "Bytes of artifacts of jobs.")
_statistic("packagesSize: Float!", "packages_size", "Bytes of packages.")
_statistic("wikiSize: Float", "wiki_size", "Bytes of the wiki.")
_statistic("snippetsSize: Float", "snippets_size", "Bytes of snippets.")
_statistic("uploadsSize: Float", "uploads_size", "Bytes of uploaded files.", "<=13.7")
_statistic("pipelineArtifactsSize: Float", "pipeline_artifacts_size", "Bytes of artifacts of pipelines.", "<=14.3")
_statistic("containerRegistrySize: Float", "container_registry_size", "Bytes of the container registry.", "<=15.0")
# Forks cost less only on the hosted offering's namespaces, so that every factor is one.
_statistic("costFactoredStorageSize: Float!", "storage_size", "Bytes in all, as they count.", "16.2")
for _name, _key in (
    ("BuildArtifacts", "job_artifacts"),
    ("LfsObjects", "lfs_objects"),
    ("Packages", "packages"),
    ("Repository", "repository"),
    ("Snippets", "snippets"),
    ("Wiki", "wiki"),
):
    _statistic(f"costFactored{_name}Size: Float!", f"{_key}_size", "Bytes of this part, as they count.", "16.6")


@PROJECT.field("httpUrlToRepo: String")
def http_url_to_repo(ctx: ReadContext, project: Project) -> str:
    """The URL of the repository for git over HTTP."""
    return urls.http_url(ctx, project)


@PROJECT.field("sshUrlToRepo: String")
def ssh_url_to_repo(ctx: ReadContext, project: Project) -> str:
    """The URL of the repository for git over SSH."""
    return urls.ssh_url(ctx, project)


@PROJECT.field("avatarUrl: String")
def avatar_url(ctx: ReadContext, project: Project) -> str | None:
    """The URL of the avatar."""
    return urls.avatar_url(ctx, "project", project.id, project.avatar)


@PROJECT.field("tagList: String")
def tag_list(_ctx: ReadContext, project: Project) -> str:
    """The topics, separated by commas."""
    return ", ".join(project.tag_list)


@PROJECT.field("starCount: Int!")
def star_count(ctx: ReadContext, project: Project) -> int:
    """Number of users who starred the project."""
    return len(ctx.world.stars.ids("project", project.id))


@PROJECT.field("forksCount: Int!")
def forks_count(ctx: ReadContext, project: Project) -> int:
    """Number of forks."""
    return len(ctx.world.projects.ids("forked_from", project.id))


@PROJECT.field("openIssuesCount: Int")
def open_issues_count(ctx: ReadContext, project: Project) -> int | None:
    """Number of open issues that are not confidential."""
    return issues.open_count(ctx.world, project) if is_feature_open(ctx, project, "issues") else None


@PROJECT.field("publicJobs: Boolean")
def public_jobs(_ctx: ReadContext, project: Project) -> bool:
    """Whether everyone who can see the project can see its jobs."""
    return project.public_builds


@PROJECT.field("namespace: Namespace")
def namespace(ctx: ReadContext, project: Project) -> Namespace | None:
    """The namespace; a personal one only for its owner."""
    record = ctx.world.namespaces[project.namespace_id]
    return record if can_read_namespace(ctx, record) else None


@PROJECT.field("group: Group")
def group(ctx: ReadContext, project: Project) -> Group | None:
    """The group of the project, if it is visible to the caller."""
    namespace = ctx.world.namespaces[project.namespace_id]
    return namespace if isinstance(namespace, Group) and can_see(ctx, namespace) else None


@mutation(
    "starProject",
    input_fields='''
"""The ID of the project."""
projectId: ProjectID!
"""Whether to star it, or to remove the star."""
starred: Boolean!
''',
    payload_fields='"""Number of stars, as text."""\ncount: String!',
    since="16.7",
)
def star_project(ctx: WriteContext, project_id: str, starred: bool) -> Mapping[str, Any]:
    """Star a project, or remove the star."""
    project = require_project_with_id(ctx, project_id)
    user = ctx.signed_in_user
    if starred is not bool(ctx.world.stars.find("pair", (user.id, project.id))):
        change = projects.star if starred else projects.unstar
        change(ctx, project, user)
    return {"count": str(star_count(ctx, project))}


@QUERY.field("project(fullPath: ID!): Project", single=True)
def project(ctx: ReadContext, full_path: str) -> Project | None:
    """The project at a full path."""
    return find_visible_project(ctx, full_path)
