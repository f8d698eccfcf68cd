"""Deployments of commits to environments."""

from typing import Final, Literal

from fakeplat.core.store.frozen import frozen

DeploymentStatus = Literal["created", "running", "success", "failed", "canceled", "skipped"]

FINISHED: Final[tuple[DeploymentStatus, ...]] = ("success", "failed", "canceled")


@frozen
class Deployment:
    """A deployment of a commit to an environment.

    ``job_id`` is the job that deploys; None for a deployment from outside. ``on_stop`` is the name of the job that
    stops the environment. ``merge_request_ids`` are the merge requests that were deployed.
    """

    id: int
    iid: int
    project_id: int
    environment_id: int
    ref: str
    sha: str
    created_at: str
    updated_at: str
    tag: bool = False
    status: DeploymentStatus = "created"
    user_id: int | None = None
    job_id: int | None = None
    on_stop: str | None = None
    finished_at: str | None = None
    merge_request_ids: tuple[int, ...] = ()

    @property
    def is_active(self) -> bool:
        """Whether the deployment is not finished."""
        return self.status in ("created", "running")
