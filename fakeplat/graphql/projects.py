"""Projects. Source: docs/platform/graphql.md, docs/platform/projects.md."""

from collections.abc import Sequence
from typing import Any

from fakeplat.domain.issues import issues
from fakeplat.domain.notes.markdown import render_html
from fakeplat.domain.people import namespaces
from fakeplat.entities import urls
from fakeplat.graphql.lookups import project_at
from fakeplat.graphql.schema_builder import QUERY, Type
from fakeplat.model.namespaces import Group, Namespace
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can, can_see, feature_open
from fakeplat.policy.context import ReadContext
from fakeplat.policy.levels import project_level

PROJECT = Type("Project", "A project.", gid="Project", counts=True)
PROJECT.attributes(
    {
        "name: String!": "Its name.",
        "path: String!": "The last part of its full path.",
        "description: String": "What it is for.",
        "visibility: String": "Who sees it: private, internal or public.",
        "archived: Boolean": "Whether it is read only.",
        "createdAt: Time": "When it was made.",
        "lastActivityAt: Time": "When something last happened in it.",
        "lfsEnabled: Boolean": "Whether large files may be stored.",
        "containerRegistryEnabled: Boolean": "Whether it has a registry of images.",
        "sharedRunnersEnabled: Boolean": "Whether runners of the instance take its jobs.",
        "serviceDeskEnabled: Boolean": "Whether issues can be sent by mail.",
        "requestAccessEnabled: Boolean": "Whether people may ask to become members.",
        "autocloseReferencedIssues: Boolean": "Whether issues named in merged changes are closed.",
        "importStatus: String": "How far its import is.",
        "onlyAllowMergeIfAllDiscussionsAreResolved: Boolean": "Whether open threads keep changes from being merged.",
        "onlyAllowMergeIfPipelineSucceeds: Boolean": "Whether a failed pipeline keeps changes from being merged.",
        "removeSourceBranchAfterMerge: Boolean": "Whether a branch goes once it is merged.",
        "suggestionCommitMessage: String": "The message of commits that apply suggestions.",
    }
)


def _opens(signature: str, feature: str, description: str) -> None:
    def is_open(ctx: ReadContext, project: Project) -> bool:
        return feature_open(ctx, project, feature)

    is_open.__doc__ = description
    PROJECT.field(signature)(is_open)


_opens("issuesEnabled: Boolean", "issues", "Whether the caller can use its issues.")
_opens("mergeRequestsEnabled: Boolean", "merge_requests", "Whether the caller can use its merge requests.")
_opens("wikiEnabled: Boolean", "wiki", "Whether the caller can use its wiki.")
_opens("jobsEnabled: Boolean", "builds", "Whether the caller can use its jobs.")
_opens("snippetsEnabled: Boolean", "snippets", "Whether the caller can use its snippets.")


@PROJECT.field("fullPath: ID!")
def full_path(ctx: ReadContext, project: Project) -> str:
    """The path of its namespace and its own."""
    return urls.project_path(ctx, project)


@PROJECT.field("nameWithNamespace: String!")
def name_with_namespace(ctx: ReadContext, project: Project) -> str:
    """The names of all above it and its own."""
    above = namespaces.full_name(ctx.world, ctx.world.namespaces[project.namespace_id])
    return f"{above} / {project.name}"


@PROJECT.field("descriptionHtml: String")
def description_html(ctx: ReadContext, project: Project) -> str:
    """The description as HTML."""
    del ctx
    return render_html(project.description or "")


@PROJECT.field("webUrl: String")
def web_url(ctx: ReadContext, project: Project) -> str:
    """Its page."""
    return urls.project_url(ctx, project)


@PROJECT.field("httpUrlToRepo: String")
def http_url_to_repo(ctx: ReadContext, project: Project) -> str:
    """Where git reaches it by HTTP."""
    return f"{urls.project_url(ctx, project)}.git"


@PROJECT.field("sshUrlToRepo: String")
def ssh_url_to_repo(ctx: ReadContext, project: Project) -> str:
    """Where git reaches it by SSH."""
    return urls.ssh_url(ctx, project)


@PROJECT.field("avatarUrl: String")
def avatar_url(ctx: ReadContext, project: Project) -> str | None:
    """Where its picture is."""
    return urls.avatar_url(ctx, "project", project.id, project.avatar)


@PROJECT.field("tagList: String")
def tag_list(ctx: ReadContext, project: Project) -> str:
    """Its topics, with commas between them."""
    del ctx
    return ", ".join(project.tag_list)


@PROJECT.field("starCount: Int!")
def star_count(ctx: ReadContext, project: Project) -> int:
    """How many users starred it."""
    return len(ctx.world.stars.ids("project", project.id))


@PROJECT.field("forksCount: Int!")
def forks_count(ctx: ReadContext, project: Project) -> int:
    """How many projects were forked from it."""
    return len(ctx.world.projects.ids("forked_from", project.id))


@PROJECT.field("openIssuesCount: Int")
def open_issues_count(ctx: ReadContext, project: Project) -> int | None:
    """How many open issues it has that are not confidential."""
    return issues.open_count(ctx.world, project) if feature_open(ctx, project, "issues") else None


@PROJECT.field("publicJobs: Boolean")
def public_jobs(ctx: ReadContext, project: Project) -> bool:
    """Whether everybody who sees it sees its jobs."""
    del ctx
    return project.public_builds


@PROJECT.field("namespace: Namespace")
def namespace(ctx: ReadContext, project: Project) -> Namespace | None:
    """What it belongs to, for members of that."""
    found = ctx.world.namespaces[project.namespace_id]
    return found if can(ctx, Ability.READ_NAMESPACE, found) else None


@PROJECT.field("group: Group")
def group(ctx: ReadContext, project: Project) -> Group | None:
    """The group that it belongs to."""
    found = ctx.world.namespaces[project.namespace_id]
    return found if isinstance(found, Group) and can_see(ctx, found) else None


@QUERY.field("project(fullPath: ID!): Project", one=True)
def project(ctx: ReadContext, full_path: str) -> Project | None:
    """The project at a full path."""
    return project_at(ctx, full_path)


@QUERY.field("projects(membership: Boolean, search: String): ProjectConnection")
def projects(ctx: ReadContext, membership: bool | None = None, search: str | None = None) -> Sequence[Project]:
    """The projects that the caller sees."""
    wanted = (search or "").lower()
    seen = [one for one in ctx.world.projects.all() if can_see(ctx, one) and _matches(one, wanted)]
    return [one for one in reversed(seen) if not membership or _belongs(ctx, one)]


def _matches(project: Project, wanted: str) -> bool:
    texts: tuple[Any, ...] = (project.name, project.path, project.description)
    return any(wanted in (text or "").lower() for text in texts)


def _belongs(ctx: ReadContext, project: Project) -> bool:
    return ctx.viewer is not None and project_level(ctx.world, project, ctx.viewer.id) > 0
