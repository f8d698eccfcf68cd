"""Deployments of projects. Source: docs/platform/deployments.md."""

from collections.abc import Iterable, Sequence
from operator import attrgetter
from typing import Annotated, Final, Literal

from fakeplat.api.merge_requests.merge_request_lists import ListProjectMergeRequests, list_deployed
from fakeplat.api.scopes import PROJECT
from fakeplat.core.operations.errors import BadRequest, Forbidden, InvalidParams
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.operations.scope import Segment
from fakeplat.core.params.params import Moment, Params
from fakeplat.core.release import Lifetime
from fakeplat.domain.deployments import deployments, environments, job_deployments, protected_environments
from fakeplat.domain.purging import purge
from fakeplat.entities.deployments.deployments import ApprovalView, DeploymentExtended, DeploymentView
from fakeplat.entities.merge_requests.merge_requests import MergeRequestBasic
from fakeplat.model.deployments import ApprovalStatus, Deployment, DeploymentApproval, DeploymentStatus
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize
from fakeplat.policy.behaviours import (
    BLANK_DEPLOYMENTS_ARE_REFUSED,
    FINISHED_DEPLOYMENTS_ARE_SORTED_SO,
    JOBS_USE_APIS_OF_THEIR_PROJECT,
    UPDATED_DEPLOYMENTS_ARE_SORTED_SO,
)
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Deployments", login=Login.ALWAYS, job_tokens=JOBS_USE_APIS_OF_THEIR_PROJECT)
_OF_JOB: Final = "Deployments created using GitLab CI can not be updated using the API"
ReportedStatus = Literal["running", "success", "failed", "canceled"]


def _get_deployment(ctx: ReadContext, project: Project, id_: int) -> Deployment:
    authorize(ctx, Ability.READ_DEPLOYMENT, project)
    return deployments.get_deployment(ctx.world, project, id_)


DEPLOYMENT: Final = PROJECT / Segment(
    "deployments/:deployment_id", kind="integer", locate=_get_deployment, word="deployment"
)


_SORTED_SO: Final = "<=18.9"
_FINISHED: Final = Lifetime(since="<=14.1")


class ListDeployments(Paged):
    """Filters and order of the list of deployments."""

    order_by: Annotated[
        Literal["id", "iid", "created_at", "updated_at", "ref", "finished_at"],
        Lifetime(until=_SORTED_SO, values=("ref",)),
        Lifetime(since=_SORTED_SO, values=("finished_at",)),
    ] = "id"
    sort: Literal["asc", "desc"] = "asc"
    updated_after: Moment | None = None
    updated_before: Moment | None = None
    finished_after: Annotated[Moment | None, _FINISHED] = None
    finished_before: Annotated[Moment | None, _FINISHED] = None
    environment: str | None = None
    status: Annotated[DeploymentStatus | None, Lifetime(since="14.7", values=("blocked",))] = None


@area.operation(
    "GET",
    "deployments",
    scope=PROJECT,
    ability=Ability.READ_DEPLOYMENT,
    params=ListDeployments,
    view=DeploymentView,
    many=True,
    refusals=(400,),
)
def list_deployments(ctx: ReadContext, project: Project, p: ListDeployments) -> Sequence[Deployment]:
    """List the deployments of a project."""
    is_filtered = p.updated_after is not None or p.updated_before is not None
    if is_filtered and p.order_by != "updated_at" and ctx.profile.has(UPDATED_DEPLOYMENTS_ARE_SORTED_SO):
        text = "400 Bad request - `updated_at` filter requires `updated_at` sort"
        raise BadRequest(text, reason=f"order_by is {p.order_by}")
    if p.finished_after is not None or p.finished_before is not None:
        _authorize_finished(ctx, p)
    matching = [deployment for deployment in _list_by_environment(ctx.world, project, p) if _matches(deployment, p)]
    if p.order_by == "updated_at":
        # The platform sorts equal times by descending id, in either direction.
        matching.sort(key=attrgetter("id"), reverse=True)
    if p.order_by == "finished_at":
        # Those that did not finish come last, descending first, as PostgreSQL sorts nulls.
        matching.sort(key=lambda deployment: (deployment.finished_at is None, deployment.finished_at or ""))
        return matching if p.sort == "asc" else matching[::-1]
    key = "id" if p.order_by == "created_at" else p.order_by
    return sorted(matching, key=attrgetter(key), reverse=p.sort == "desc")


def _authorize_finished(ctx: ReadContext, p: ListDeployments) -> None:
    """Refuse filters by the end that the platform cannot answer from an index."""
    if not ctx.profile.has(FINISHED_DEPLOYMENTS_ARE_SORTED_SO):
        return
    if p.status != "success":
        text = "400 Bad request - `finished_at` filter must be combined with `success` status filter."
        raise BadRequest(text, reason=f"status is {p.status}")
    if p.order_by != "finished_at":
        text = "400 Bad request - `finished_at` filter requires `finished_at` sort."
        raise BadRequest(text, reason=f"order_by is {p.order_by}")


def _list_by_environment(world: World, project: Project, p: ListDeployments) -> Iterable[Deployment]:
    if not p.environment:
        return world.deployments.where("project", project.id)
    environment = environments.find_by_name(world, project, p.environment)
    return world.deployments.where("environment", environment.id) if environment else ()


def _matches(deployment: Deployment, p: ListDeployments) -> bool:
    return (
        (p.status is None or deployment.status == p.status)
        and (p.updated_after is None or deployment.updated_at >= p.updated_after)
        and (p.updated_before is None or deployment.updated_at <= p.updated_before)
        and (p.finished_after is None or (deployment.finished_at or "") >= p.finished_after)
        and (p.finished_before is None or _finished_or_never(deployment) < p.finished_before)
    )


def _finished_or_never(deployment: Deployment) -> str:
    # Timestamps are compared as text; this one is later than any other.
    return deployment.finished_at or "9999-12-31"


@area.operation("GET", "", scope=DEPLOYMENT, view=DeploymentExtended, refusals=(403,))
def get_deployment(_ctx: ReadContext, _project: Project, deployment: Deployment) -> Deployment:
    """Get a deployment."""
    return deployment


class CreateDeployment(Params):
    """A deployment that another system made."""

    environment: str
    sha: str
    ref: str
    tag: bool
    status: ReportedStatus


@area.operation(
    "POST",
    "deployments",
    scope=PROJECT,
    ability=Ability.CREATE_DEPLOYMENT,
    params=CreateDeployment,
    view=DeploymentExtended,
    refusals=(400, 403),
)
def create_deployment(ctx: WriteContext, project: Project, p: CreateDeployment) -> Deployment:
    """Create a deployment, and its environment if it does not exist."""
    blank = [name for name in ("environment", "sha", "ref") if not (getattr(p, name) or "").strip()]
    if blank and ctx.profile.has(BLANK_DEPLOYMENTS_ARE_REFUSED):
        raise InvalidParams(", ".join(f"{name} is empty" for name in blank))
    authorize(ctx, Ability.CREATE_ENVIRONMENT, project)
    environment = environments.get_or_create(ctx, project, p.environment or "")
    protected_environments.authorize_environment(ctx, project, environment.name)
    deployments.validate_commit(ctx.world, project, p.sha or "", p.ref or "")
    user_id = ctx.signed_in_user.id
    deployment = deployments.create(ctx, environment, ref=p.ref, sha=p.sha, tag=p.tag, user_id=user_id)
    return job_deployments.change_status(ctx, deployment, p.status)


class UpdateDeployment(Params):
    """The new status of a deployment."""

    status: ReportedStatus


@area.operation("PUT", "", scope=DEPLOYMENT, params=UpdateDeployment, view=DeploymentExtended, refusals=(400, 403))
def update_deployment(ctx: WriteContext, project: Project, deployment: Deployment, p: UpdateDeployment) -> Deployment:
    """Update the status of a deployment that another system made."""
    authorize(ctx, Ability.UPDATE_DEPLOYMENT, project)
    protected_environments.authorize_environment(ctx, project, ctx.world.environments[deployment.environment_id].name)
    if deployment.job_id is not None:
        raise Forbidden(_OF_JOB, reason=f"deployment {deployment.iid} is that of job {deployment.job_id}")
    deployments.refuse_impossible(deployment, p.status)
    return job_deployments.change_status(ctx, deployment, p.status)


@area.operation("DELETE", "", scope=DEPLOYMENT, refusals=(400, 403, 412), since="15.3")
def delete_deployment(ctx: WriteContext, project: Project, deployment: Deployment) -> None:
    """Delete a deployment that is neither running nor the last successful one of its environment."""
    authorize(ctx, Ability.DESTROY_DEPLOYMENT, project)
    ctx.check_unmodified_since(deployment.updated_at)
    if deployment.status == "running":
        raise BadRequest("Cannot destroy running deployment")
    last = environments.find_last_deployment(ctx.world, ctx.world.environments[deployment.environment_id])
    if last is not None and last.id == deployment.id:
        raise BadRequest("Deployment currently deployed to environment")
    purge(ctx, deployment)


class CreateDeploymentApproval(Params):
    """Whether a blocked deployment is approved. ``represented_as`` names the rule for which it is."""

    status: ApprovalStatus
    comment: str | None = None
    represented_as: str | None = None


@area.operation(
    "POST",
    "approval",
    scope=DEPLOYMENT,
    params=CreateDeploymentApproval,
    view=ApprovalView,
    tier="premium",
    refusals=(400, 403),
    since="14.8",
)
def create_deployment_approval(
    ctx: WriteContext, _project: Project, deployment: Deployment, p: CreateDeploymentApproval
) -> DeploymentApproval:
    """Approve or reject a blocked deployment."""
    return job_deployments.review(ctx, deployment, p.status, p.comment, p.represented_as)


@area.operation(
    "GET",
    "merge_requests",
    scope=DEPLOYMENT,
    params=ListProjectMergeRequests,
    view=MergeRequestBasic,
    many=True,
    refusals=(403,),
)
def list_deployment_merge_requests(
    ctx: ReadContext, project: Project, deployment: Deployment, p: ListProjectMergeRequests
) -> Sequence[MergeRequest]:
    """List the merge requests that a deployment brought."""
    return list_deployed(ctx, project, deployment, p)
