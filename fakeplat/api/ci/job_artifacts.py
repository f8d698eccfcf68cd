"""Artifacts of jobs: download, keep and delete. Source: docs/platform/artifacts.md."""

from typing import Final

from fakeplat.api.ci.jobs import JOB, UPDATABLE_JOB
from fakeplat.api.ci.runner_protocol import archive_response
from fakeplat.api.scopes import PROJECT
from fakeplat.core.operations.errors import NotFound
from fakeplat.core.operations.http_messages import RawBody
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.scope import Segment
from fakeplat.domain.ci import job_artifacts, jobs
from fakeplat.entities.ci.jobs import JobView
from fakeplat.model.job_artifacts import JobArtifact
from fakeplat.model.jobs import Job
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Job artifacts", login=Login.WRITES)


def _find_with_deletable_artifacts(ctx: ReadContext, project: Project, id_: int) -> Job:
    """Return a job, or 403 if the caller cannot delete artifacts, and then 404 if there is none."""
    authorize(ctx, Ability.DESTROY_ARTIFACTS, project)
    return jobs.find_build(ctx.world, project, id_)


DELETABLE: Final = PROJECT / Segment("jobs/:job_id", kind="integer", locate=_find_with_deletable_artifacts, word="job")


def _find_archive(ctx: ReadContext, job: Job) -> JobArtifact:
    archive = job_artifacts.find(ctx, job)
    if archive is None:
        raise NotFound(reason=f"job {job.id} has no archive, or it has expired")
    return archive


@area.operation("GET", "artifacts", scope=JOB, job_token=True, refusals=(403, 404))
def download_job_artifacts(ctx: ReadContext, project: Project, job: Job) -> RawBody:
    """Download the archive of a job."""
    del project
    archive = _find_archive(ctx, job)
    return archive_response(archive.filename, archive.content)


@area.operation("POST", "artifacts/keep", scope=UPDATABLE_JOB, view=JobView, status=200, refusals=(403, 404))
def keep_job_artifacts(ctx: WriteContext, project: Project, job: Job) -> Job:
    """Keep the artifacts of a job forever."""
    del project
    _find_archive(ctx, job)
    job_artifacts.keep(ctx, job)
    return job


@area.operation("DELETE", "artifacts", scope=DELETABLE, refusals=(403, 404))
def delete_job_artifacts(ctx: WriteContext, project: Project, job: Job) -> None:
    """Delete the archive and the reports of a job; its log stays."""
    del project
    job_artifacts.delete(ctx, job)
