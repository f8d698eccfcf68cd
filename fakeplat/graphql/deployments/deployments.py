"""Deployments to environments, and their approvals. Source: docs/platform/graphql.md, docs/platform/deployments.md."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final, Literal, get_args

from graphql import GraphQLError

from fakeplat.core.store.frozen import frozen
from fakeplat.domain.deployments import deployment_approvals, deployments
from fakeplat.domain.people import namespaces
from fakeplat.domain.repository import commits, repositories
from fakeplat.domain.repository.commits import ProjectCommit
from fakeplat.graphql.deployments.environments import ENVIRONMENT
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import Enumeration, Input, Type
from fakeplat.model.ci import Job
from fakeplat.model.deployments import (
    FINISHED,
    ApprovalStatus,
    Deployment,
    DeploymentApproval,
    DeploymentStatus,
    Environment,
)
from fakeplat.model.people import User
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext
from fakeplat.policy.features import has_feature

_SINCE: Final = "<=15.8"
_APPROVALS: Final = "<=16.2"
_LATEST: Final = "<=18.5"
_MOST_SHOWN: Final = 999
Direction = Literal["asc", "desc"]
_SHOWN_AS_LAST: Final = (*FINISHED, "created", "blocked", "running")
Enumeration(
    "DeploymentStatus",
    "The status of a deployment.",
    {status.upper(): (status, f"The status {status}.") for status in get_args(DeploymentStatus)},
    since=_SINCE,
)
Enumeration(
    "SortDirectionEnum",
    "The direction of an order.",
    {"ASC": ("asc", "The smallest first."), "DESC": ("desc", "The largest first.")},
    since=_SINCE,
)
Input(
    "DeploymentsOrderByInput",
    "The order of deployments by one of these fields.",
    '''
"""By creation."""
createdAt: SortDirectionEnum
"""By the end."""
finishedAt: SortDirectionEnum
''',
    since=_SINCE,
)
DEPLOYMENT: Final = Type("Deployment", "A deployment to an environment.", gid="Deployment", since=_SINCE)
DEPLOYMENT.attributes(
    {
        "iid: String": "The number within the project.",
        "ref: String": "The branch or tag.",
        "sha: String": "The SHA of the commit.",
        "tag: Boolean": "Whether the ref is a tag.",
        "status: DeploymentStatus": "The status.",
        "createdAt: Time": "Timestamp of creation.",
        "updatedAt: Time": "Timestamp of the last update.",
        "finishedAt: Time": "Timestamp of the end.",
    }
)
TAG: Final = Type("DeploymentTag", "A tag of the commit of a deployment.", since=_SINCE)
TAG.attributes({"name: String": "The name.", "path: String": "The ref as a part of addresses."})
TAG.attributes({"webPath: String": "The path of the tag's page."}, since=_LATEST)
PERMISSIONS: Final = Type("DeploymentPermissions", "What the caller may do with a deployment.", since=_SINCE)


@frozen
class DeployedTag:
    """A tag of the commit of a deployment."""

    name: str
    path: str
    web_path: str


@PROJECT.field("deployment(iid: ID!): Deployment", since=_SINCE)
def deployment_of(ctx: ReadContext, project: Project, iid: str) -> Deployment | None:
    """The deployment with a number within the project."""
    if not can(ctx, Ability.READ_DEPLOYMENT, project):
        return None
    return next((each for each in ctx.world.deployments.where("project", project.id) if str(each.iid) == iid), None)


def _list_readable(ctx: ReadContext, environment: Environment) -> Sequence[Deployment]:
    readable = can(ctx, Ability.READ_DEPLOYMENT, ctx.world.projects[environment.project_id])
    return ctx.world.deployments.where("environment", environment.id) if readable else ()


@ENVIRONMENT.field(
    "deployments(statuses: [DeploymentStatus!], orderBy: DeploymentsOrderByInput): DeploymentConnection",
    since=_SINCE,
    calls=1,
)
def deployments_of(
    ctx: ReadContext,
    environment: Environment,
    statuses: Sequence[DeploymentStatus] | None = None,
    order_by: Mapping[str, Direction | None] | None = None,
) -> Sequence[Deployment]:
    """The deployments to the environment, the oldest first unless an order is given."""
    found = [each for each in _list_readable(ctx, environment) if statuses is None or each.status in statuses]
    given = [(name, direction) for name, direction in (order_by or {}).items() if direction is not None]
    if not given:
        return found
    (name, direction), *_ = given
    return sorted(found, key=lambda each: (getattr(each, name) or "", each.id), reverse=direction == "desc")


@ENVIRONMENT.field("lastDeployment(status: DeploymentStatus!): Deployment", since=_SINCE)
def last_deployment_of(ctx: ReadContext, environment: Environment, status: DeploymentStatus) -> Deployment | None:
    """The newest deployment with a status."""
    if status not in _SHOWN_AS_LAST:
        raise GraphQLError(f'"{status}" status is not supported.')
    return next((each for each in reversed(_list_readable(ctx, environment)) if each.status == status), None)


@ENVIRONMENT.field("deploymentsDisplayCount: String", since=_LATEST)
def display_count(ctx: ReadContext, environment: Environment) -> str:
    """The number of deployments, up to 999."""
    count = len(_list_readable(ctx, environment))
    return str(count) if count <= _MOST_SHOWN else f"{_MOST_SHOWN}+"


@DEPLOYMENT.field("commit: Commit")
def commit_of(ctx: ReadContext, deployment: Deployment) -> ProjectCommit | None:
    """The commit, for those who may read the code."""
    project = ctx.world.projects[deployment.project_id]
    return commits.find_commit(ctx.world, project, deployment.sha) if can(ctx, Ability.DOWNLOAD_CODE, project) else None


@DEPLOYMENT.field("job: CiJob")
def job_of(ctx: ReadContext, deployment: Deployment) -> Job | None:
    """The job that deploys, for those who may read jobs."""
    job = ctx.world.jobs.get(deployment.job_id or 0)
    return job if job is not None and can(ctx, Ability.READ_BUILD, ctx.world.projects[job.project_id]) else None


@DEPLOYMENT.field("triggerer: User")
def triggerer_of(ctx: ReadContext, deployment: Deployment) -> User | None:
    """The user who deployed."""
    return ctx.world.users.get(deployment.user_id or 0)


@DEPLOYMENT.field("tags: [DeploymentTag!]", calls=2)
def tags_of(ctx: ReadContext, deployment: Deployment) -> list[DeployedTag]:
    """The tags of the commit."""
    project = ctx.world.projects[deployment.project_id]
    if not can(ctx, Ability.DOWNLOAD_CODE, project):
        return []
    repository = repositories.open_repository(ctx.world, project)
    names = [name for name in repository.tags() if repository.commit(name).sha == deployment.sha]
    tree = f"/{namespaces.project_path(ctx.world, project)}/-/tree"
    return [DeployedTag(name, f"tags/{name}", f"{tree}/{name}") for name in names]


@DEPLOYMENT.field("webPath: String", since=_LATEST)
def web_path_of(ctx: ReadContext, deployment: Deployment) -> str:
    """The path of the page."""
    return deployments.path_of(ctx.world, deployment)


@DEPLOYMENT.field("refPath: String", since=_LATEST)
def ref_path_of(ctx: ReadContext, deployment: Deployment) -> str:
    """The path of the tree of the branch or tag."""
    path = namespaces.project_path(ctx.world, ctx.world.projects[deployment.project_id])
    return f"/{path}/-/tree/{deployment.ref}"


@DEPLOYMENT.field("userPermissions: DeploymentPermissions!")
def permissions_of(_ctx: ReadContext, deployment: Deployment) -> Deployment:
    """What the caller may do."""
    return deployment


def _permit(name: str, ability: Ability) -> None:
    def may(ctx: ReadContext, deployment: Deployment) -> bool:
        return can(ctx, ability, ctx.world.projects[deployment.project_id])

    PERMISSIONS.field(f"{name}: Boolean!", description=f"Whether the caller has {ability.value}.")(may)


_permit("updateDeployment", Ability.UPDATE_DEPLOYMENT)
_permit("destroyDeployment", Ability.DESTROY_DEPLOYMENT)


@PERMISSIONS.field("approveDeployment: Boolean!")
def may_approve(ctx: ReadContext, deployment: Deployment) -> bool:
    """Whether the caller may approve it."""
    return deployment_approvals.may_approve(ctx, deployment)


# Approvals

Enumeration(
    "DeploymentsApprovalStatus",
    "What a user said of a deployment.",
    {status.upper(): (status, f"The deployment was {status}.") for status in get_args(ApprovalStatus)},
    since=_APPROVALS,
)
APPROVAL: Final = Type("DeploymentApproval", "What a user said of a deployment.", since=_APPROVALS)
APPROVAL.attributes(
    {
        "comment: String": "The comment.",
        "status: DeploymentsApprovalStatus": "What the user said.",
        "createdAt: Time": "Timestamp of creation.",
        "updatedAt: Time": "Timestamp of the last update.",
    }
)


@APPROVAL.field("user: User")
def approver(ctx: ReadContext, approval: DeploymentApproval) -> User | None:
    """The user."""
    return ctx.world.users.get(approval.user_id)


def _if_approved(call: Callable[[ReadContext, Deployment], object]) -> Callable[[ReadContext, Deployment], object]:
    """Return a function that answers None on the free tier."""

    def answer(ctx: ReadContext, deployment: Deployment) -> object:
        is_paid = has_feature(ctx.world, "premium", ctx.world.projects[deployment.project_id])
        return call(ctx, deployment) if is_paid else None

    answer.__doc__ = call.__doc__
    return answer


@DEPLOYMENT.field("approvals: [DeploymentApproval!]", since=_APPROVALS, calls=1)
@_if_approved
def approvals_of(ctx: ReadContext, deployment: Deployment) -> Sequence[DeploymentApproval]:
    """What users said of it; paid tiers only."""
    return deployment_approvals.list_approvals(ctx.world, deployment)


@DEPLOYMENT.field("pendingApprovalCount: Int", since=_APPROVALS, calls=1)
@_if_approved
def pending_count(ctx: ReadContext, deployment: Deployment) -> int:
    """The number of approvals that are missing; paid tiers only."""
    return deployment_approvals.count_pending(ctx.world, deployment)
