"""Deployments of the pages of projects. Source: docs/platform/graphql.md, docs/platform/pages.md."""

from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Any, Final, TypedDict, Unpack

from fakeplat.domain.pages_domains import page_deployments, page_urls
from fakeplat.graphql.errors import ResourceNotAvailable
from fakeplat.graphql.ids import parse_id
from fakeplat.graphql.people.groups import GROUP, NAMESPACE
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import Scalar, Type, mutation
from fakeplat.model.pages_domains import PagesDeployment
from fakeplat.model.people import Namespace
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import caller_name, can
from fakeplat.policy.context import ReadContext, WriteContext

Payload = Mapping[str, Any]
_SINCE: Final = "17.1"
_LISTED_SINCE: Final = "<=18.5"
_KIND: Final = "PagesDeployment"
_FIELD: Final = "pagesDeployments(active: Boolean, sort: Sort, versioned: Boolean): PagesDeploymentConnection"

Scalar("PagesDeploymentID", "The global ID of a record of the type PagesDeployment.", since=_SINCE)
DEPLOYMENT = Type(
    "PagesDeployment",
    "A deployment of pages.",
    gid=_KIND,
    has_count=True,
    since=_SINCE,
    connection_since=_LISTED_SINCE,
)
DEPLOYMENT.attributes(
    {
        "createdAt: Time!": "Timestamp of creation.",
        "expiresAt: Time": "Timestamp of the end.",
        "fileCount: Int": "The number of files.",
        "pathPrefix: String": "The part of the path below which they are.",
        "rootDirectory: String": "The folder of the job that was published.",
        "size: Int": "The size in bytes.",
        "updatedAt: Time!": "Timestamp of the last update.",
    }
)


@DEPLOYMENT.field("active: Boolean!")
def is_active(ctx: ReadContext, deployment: PagesDeployment) -> bool:
    """Whether the pages are served."""
    return page_deployments.find_deletion_time(ctx, deployment) is None


@DEPLOYMENT.field("deletedAt: Time")
def deleted_at(ctx: ReadContext, deployment: PagesDeployment) -> str | None:
    """Timestamp from which it may be deleted."""
    return page_deployments.find_deletion_time(ctx, deployment)


@DEPLOYMENT.field("ciBuildId: ID")
def ci_build_id(_ctx: ReadContext, deployment: PagesDeployment) -> int | None:
    """The id of the job that deployed them."""
    return deployment.job_id


@DEPLOYMENT.field("project: Project!")
def project_of(ctx: ReadContext, deployment: PagesDeployment) -> Project:
    """The project."""
    return ctx.world.projects[deployment.project_id]


@DEPLOYMENT.field("url: String!")
def url(ctx: ReadContext, deployment: PagesDeployment) -> str:
    """The URL of the pages."""
    return page_urls.deployment_url(ctx.world, project_of(ctx, deployment), ctx.origin, deployment.path_prefix)


class DeploymentArguments(TypedDict, total=False):
    """What restricts and sorts deployments."""

    active: bool | None
    sort: tuple[str, bool] | None
    versioned: bool | None


@PROJECT.field(_FIELD, description="The deployments of the pages of the project.", since=_LISTED_SINCE)
@GROUP.field(_FIELD, since=_LISTED_SINCE)
@NAMESPACE.field(_FIELD, since=_LISTED_SINCE)
def deployments_of(
    ctx: ReadContext, owner: Project | Namespace, **arguments: Unpack[DeploymentArguments]
) -> Sequence[PagesDeployment]:
    """The deployments of the pages of the projects in the namespace itself."""
    active, versioned = arguments.get("active"), arguments.get("versioned")
    attribute, is_descending = arguments.get("sort") or ("created_at", True)
    projects = [owner] if isinstance(owner, Project) else ctx.world.projects.where("namespace", owner.id)
    deployments = [
        deployment
        for project in projects
        if can(ctx, Ability.UPDATE_PAGES, project)
        for deployment in ctx.world.pages_deployments.where("project", project.id)
        if active in (None, is_active(ctx, deployment)) and versioned in (None, bool(deployment.path_prefix))
    ]
    return sorted(deployments, key=attrgetter(attribute, "id"), reverse=is_descending)


# Changes

_WHICH: Final = '''
"""The global ID of the deployment."""
id: PagesDeploymentID!
'''
_GIVES: Final = '"""The deployment."""\npagesDeployment: PagesDeployment!'


def _require_deployment(ctx: WriteContext, text: str) -> PagesDeployment:
    deployment = ctx.world.pages_deployments.get(parse_id(ctx, text, _KIND))
    if deployment is None:
        raise ResourceNotAvailable(lambda: f"there is no deployment {text}")
    if not can(ctx, Ability.UPDATE_PAGES, project_of(ctx, deployment)):
        raise ResourceNotAvailable(lambda: f"{caller_name(ctx)} lacks {Ability.UPDATE_PAGES.value}")
    return deployment


@mutation(
    "deletePagesDeployment",
    input_fields=_WHICH,
    payload_fields=f'{_GIVES} @lifetime(since: "{_LISTED_SINCE}")',
    since=_SINCE,
)
def delete_pages_deployment(ctx: WriteContext, id: str) -> Payload:
    """End a deployment of pages."""
    deployment = _require_deployment(ctx, id)
    page_deployments.deactivate(ctx, deployment)
    return {"pages_deployment": ctx.world.pages_deployments[deployment.id]}


@mutation("restorePagesDeployment", input_fields=_WHICH, payload_fields=_GIVES, since=_SINCE)
def restore_pages_deployment(ctx: WriteContext, id: str) -> Payload:
    """Make a deployment active that has ended and is not deleted yet."""
    return {"pages_deployment": page_deployments.restore(ctx, _require_deployment(ctx, id))}
