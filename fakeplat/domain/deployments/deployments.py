"""Deployments: find, create, and follow their status. Source: docs/platform/deployments.md."""

from collections.abc import Mapping
from typing import Final, Required, TypedDict, Unpack

from fakeplat.core.operations.errors import RecordNotFound
from fakeplat.domain import signals
from fakeplat.domain.deployments import deployed_merge_requests
from fakeplat.domain.people import namespaces
from fakeplat.domain.repository import commits
from fakeplat.domain.validation import BLANK, ValidationErrors
from fakeplat.model.ci import Job
from fakeplat.model.deployments import FINISHED, Deployment, DeploymentStatus, Environment
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext
from fakeplat.policy.descriptions import describe

KIND: Final = "deployment"
_NO_COMMIT: Final = "The commit does not exist"
_NO_REF: Final = "The branch or tag does not exist"
_EVENTS: Final[Mapping[DeploymentStatus, str]] = {
    "running": "run",
    "success": "succeed",
    "failed": "drop",
    "canceled": "cancel",
    "skipped": "skip",
    "blocked": "block",
    "created": "unblock",
}
"""The platform's names of the events that lead to a status."""


def get_deployment(world: World, project: Project, id_: int) -> Deployment:
    """Return a deployment of a project, or raise 404."""
    deployment = world.deployments.get(id_)
    if deployment is None or deployment.project_id != project.id:
        raise RecordNotFound(reason=lambda: f"{describe(world, project)} has no deployment {id_}")
    return deployment


def find_by_job(world: World, job: Job) -> Deployment | None:
    """Return the deployment of a job."""
    ids = world.deployments.ids("job", job.id)
    return world.deployments[max(ids)] if ids else None


def validate_commit(world: World, project: Project, sha: str, ref: str) -> None:
    """Raise 400 unless the commit and the branch or tag exist."""
    errors = ValidationErrors()
    for name, revision, text in (("sha", sha, _NO_COMMIT), ("ref", ref, _NO_REF)):
        errors.when(not revision.strip(), name, BLANK)
        errors.when(not revision.strip() or commits.find_commit(world, project, revision) is None, name, text)
    errors.refuse()


class NewDeployment(TypedDict, total=False):
    """The fields of a new deployment."""

    ref: Required[str]
    sha: Required[str]
    created_at: str
    updated_at: str
    tag: bool
    status: DeploymentStatus
    user_id: int | None
    job_id: int | None
    on_stop: str | None
    finished_at: str | None
    merge_request_ids: tuple[int, ...]


def create(
    ctx: WriteContext, environment: Environment, *, iid: int | None = None, **fields: Unpack[NewDeployment]
) -> Deployment:
    """Create a deployment from fields of the record, at least a ref and a sha, without validation or effects."""
    table, project_id, now = ctx.world.deployments, environment.project_id, ctx.now_iso
    iid = iid or ctx.world.get_counter(KIND, project_id) + 1
    ctx.world.raise_counter(iid, KIND, project_id)
    created_at = fields.get("created_at", now)
    values: NewDeployment = {"created_at": created_at, "updated_at": created_at, **fields}
    return table.add(
        Deployment(
            id=table.next_id(),
            iid=iid,
            project_id=project_id,
            environment_id=environment.id,
            **values,
        )
    )


def can_change_to(deployment: Deployment, status: DeploymentStatus) -> bool:
    """Return whether a deployment may get a status: only a new one may start, and it may end more than once."""
    return deployment.status == "created" if status == "running" else deployment.status != status


def refuse_impossible(deployment: Deployment, status: DeploymentStatus) -> None:
    """Raise 400 if a deployment may not get a status."""
    errors = ValidationErrors()
    errors.when(not can_change_to(deployment, status), "status", f'cannot transition via "{_EVENTS[status]}"')
    errors.refuse()


def set_status(ctx: WriteContext, deployment: Deployment, status: DeploymentStatus) -> Deployment:
    """Change the status of a deployment; one that ends records what was deployed."""
    is_finished = status in FINISHED
    times = {"updated_at": ctx.now_iso, **({"finished_at": ctx.now_iso} if is_finished else {})}
    changed = ctx.world.deployments.change(deployment, status=status, **times)
    if is_finished:
        changed = deployed_merge_requests.link(ctx, changed)
    signals.deployment_status_changed.send(ctx, changed)
    return changed


def path_of(world: World, deployment: Deployment) -> str:
    """Return the path of a deployment's page."""
    path = namespaces.project_path(world, world.projects[deployment.project_id])
    return f"/{path}/-/environments/{deployment.environment_id}/deployments/{deployment.iid}"
