"""Jobs of projects: read, cancel, retry, play and erase; and their HTML pages.

Source: docs/platform/pipelines-jobs.md.
"""

import sys
from collections.abc import Sequence
from typing import Annotated, Final

from fakeplat.api.ci.job_scopes import JobScopeOrHash
from fakeplat.api.pages import area as pages
from fakeplat.api.pages import page_not_found, render_html_page
from fakeplat.api.scopes import PROJECT
from fakeplat.core.operations.errors import BadRequest, Forbidden, NotFound, prefix_bad_request
from fakeplat.core.operations.http_messages import RawBody
from fakeplat.core.operations.operation import Area, Login, Reading
from fakeplat.core.operations.paging import BY_DESCENDING_ID, CursorPaged, Paging
from fakeplat.core.operations.scope import Segment
from fakeplat.core.params.params import Check, Params
from fakeplat.core.release import Lifetime
from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.domain.ci import ci_access, job_actions, job_inputs, jobs
from fakeplat.domain.deployments import deployment_approvals
from fakeplat.domain.people import namespaces
from fakeplat.entities import urls
from fakeplat.entities.ci.jobs import BridgeView, JobView
from fakeplat.model.ci import RETRYABLE, Job, PipelineVariable
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize, caller_name, can, can_see
from fakeplat.policy.behaviours import (
    BRIDGES_ARE_PLAYED,
    BRIDGES_ARE_RETRIED,
    JOBS_ARE_NOT_COUNTED,
    JOBS_READ_PIPELINES,
)
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Jobs", login=Login.ALWAYS)


def _get_readable_job(ctx: ReadContext, project: Project, id_: int) -> Job:
    """Return a job, or 403 if the caller cannot read jobs, and then 404 if there is none."""
    authorize(ctx, Ability.READ_BUILD, project)
    return jobs.get_build(ctx.world, project, id_)


def get_updatable_job(ctx: ReadContext, project: Project, id_: int) -> Job:
    """Return a job, or 403 if the caller cannot update any, 404 if there is none, and 403 if this one is protected."""
    authorize(ctx, Ability.UPDATE_BUILD, project)
    job = jobs.get_build(ctx.world, project, id_)
    ci_access.authorize_update_job(ctx, project, job)
    return job


def _get_retryable_job(ctx: ReadContext, project: Project, id_: int) -> Job:
    """Return a job as `get_updatable_job` does or, in releases that retry bridges, a bridge."""
    authorize(ctx, Ability.UPDATE_BUILD, project)
    get = jobs.get_processable if ctx.profile.has(BRIDGES_ARE_RETRIED) else jobs.get_build
    job = get(ctx.world, project, id_)
    ci_access.authorize_update_job(ctx, project, job)
    return job


def _get_playable_job(ctx: ReadContext, project: Project, id_: int) -> Job:
    """Return a job as `_get_readable_job` does or, in releases that play bridges, a bridge."""
    authorize(ctx, Ability.READ_BUILD, project)
    get = jobs.get_processable if ctx.profile.has(BRIDGES_ARE_PLAYED) else jobs.get_build
    return get(ctx.world, project, id_)


_PATH: Final = "jobs/:job_id"
_LONGEST_PART: Final = 500 * 1024
_IN_PARTS: Final = Lifetime(since="<=19.2")
JOB: Final = PROJECT / Segment(_PATH, kind="integer", locate=_get_readable_job, word="job")
UPDATABLE_JOB: Final = PROJECT / Segment(_PATH, kind="integer", locate=get_updatable_job, word="job")
RETRYABLE_JOB: Final = PROJECT / Segment(_PATH, kind="integer", locate=_get_retryable_job, word="job")
PLAYABLE_JOB: Final = PROJECT / Segment(_PATH, kind="integer", locate=_get_playable_job, word="job")


_KEYSET: Final = Lifetime(since="15.9")


class ListJobs(CursorPaged):
    """The statuses and the branch or tag of the jobs to list; by default all."""

    scope: JobScopeOrHash | None = None
    ref: Annotated[str | None, Lifetime(since="<=18.9")] = None
    pagination: Annotated[str | None, _KEYSET] = None
    cursor: Annotated[str | None, _KEYSET] = None
    order_by: Annotated[str | None, _KEYSET] = None
    sort: Annotated[str | None, _KEYSET] = None


@area.operation(
    "GET",
    "jobs",
    scope=PROJECT,
    ability=Ability.READ_BUILD,
    params=ListJobs,
    view=JobView,
    many=True,
    refusals=(405,),
    paging=Paging(cursors=BY_DESCENDING_ID, uncounted=JOBS_ARE_NOT_COUNTED),
    reading=Reading(advances=lambda world, records: world.pipelines.where("unfinished", records[-1].id)),
    job_token=JOBS_READ_PIPELINES,
)
def list_jobs(ctx: ReadContext, project: Project, p: ListJobs) -> Sequence[Job]:
    """List the jobs of a project, also retried ones."""
    return jobs.list_builds(ctx.world, project, p.scope or (), p.ref)


@area.operation("GET", "", scope=JOB, view=JobView, refusals=(403,))
def get_job(_ctx: ReadContext, _project: Project, job: Job) -> Job:
    """Get a job."""
    return job


def _within(valid: range) -> Check:
    return Check(lambda number: None if number in valid else "does not have a valid value")


class GetTrace(Params):
    """The bytes of the log to read; by default all."""

    byte_offset: Annotated[int, _IN_PARTS, _within(range(sys.maxsize))] = 0
    byte_limit: Annotated[int | None, _IN_PARTS, _within(range(1, _LONGEST_PART + 1))] = None


@area.operation("GET", "trace", scope=JOB, params=GetTrace, refusals=(403,))
def get_job_trace(ctx: ReadContext, project: Project, job: Job, p: GetTrace) -> RawBody:
    """Download the log of a job, or a part of it."""
    ci_access.authorize_read_log(ctx, project, job)
    disposition = ("Content-Disposition", f'infile; filename="{job.id}.log"')
    part = job.log.encode()[p.byte_offset :][: p.byte_limit]
    return RawBody(part, "text/plain", (disposition,))


class CancelJob(Params):
    """Whether the job need not tell that it has stopped, which only maintainers decide."""

    force: Annotated[bool, Lifetime(since="17.11")] = False


@area.operation("POST", "cancel", scope=UPDATABLE_JOB, params=CancelJob, view=JobView, refusals=(403,))
def cancel_job(ctx: WriteContext, project: Project, job: Job, p: CancelJob) -> Job:
    """Cancel a job; a finished one stays as it is. By force, only a job ends that is being canceled."""
    if p.force:
        ci_access.authorize_force(ctx, project)
        return job_actions.end_cancel(ctx, job)
    return job_actions.cancel(ctx, job)


class RetryJob(Params):
    """The inputs of the new job, for those that the configuration declares; by default those of the job."""

    inputs: Annotated[dict[str, object] | None, Lifetime(since="18.10")] = None


@area.operation("POST", "retry", scope=RETRYABLE_JOB, params=RetryJob, view=JobView, refusals=(400, 403))
def retry_job(ctx: WriteContext, _project: Project, job: Job, p: RetryJob) -> Job:
    """Start a finished job again; the answer is the new one."""
    if job.status not in RETRYABLE:
        raise Forbidden("Job is not retryable")
    with prefix_bad_request():
        inputs = job_inputs.select(ctx, job, p.inputs) if p.inputs else None
    return job_actions.retry(ctx, job, inputs)


@area.operation("POST", "erase", scope=UPDATABLE_JOB, view=JobView, refusals=(403,))
def erase_job(ctx: WriteContext, project: Project, job: Job) -> Job:
    """Delete the log and the artifacts of a completed job."""
    ci_access.authorize_erase(ctx, project, job)
    if not job_actions.is_erasable(ctx, job):
        raise Forbidden("Job is not erasable!")
    return job_actions.erase(ctx, job)


class JobVariable(Params):
    """A variable that is given to a job."""

    key: str
    value: str


class PlayJob(Params):
    """The variables of the job, and its inputs for those that the configuration declares."""

    job_variables_attributes: Annotated[list[JobVariable] | None, Lifetime(since="<=15.6")] = None
    job_inputs: Annotated[dict[str, object] | None, Lifetime(since="18.10")] = None


def _played_view(ctx: ReadContext, _p: PlayJob) -> type[JobView | BridgeView]:
    return BridgeView if ctx.records[-1].kind == "bridge" else JobView


@area.operation("POST", "play", scope=PLAYABLE_JOB, params=PlayJob, view=_played_view, status=200, refusals=(400, 403))
def play_job(ctx: WriteContext, project: Project, job: Job, p: PlayJob) -> Job:
    """Start a job that waits for a user, or repeat a finished one; the answer is the job that was named."""
    ci_access.authorize_update_job(ctx, project, job)
    if not job_actions.is_playable(job) or deployment_approvals.is_blocked(ctx.world, job):
        raise BadRequest("400 Bad request - Unplayable Job")
    variables = [PipelineVariable(variable.key, variable.value) for variable in p.job_variables_attributes or ()]
    if variables:
        ci_access.authorize_variables(ctx, project)
    with prefix_bad_request():
        inputs = job_inputs.select(ctx, job, p.job_inputs or {})
    job_actions.play(ctx, job, variables, inputs)
    return ctx.world.jobs[job.id]


@area.operation("GET", "job", job_token=True, view=JobView, refusals=(404,))
def get_current_job(ctx: ReadContext) -> Job:
    """Get the job whose token was sent."""
    token = ctx.token
    job = ctx.world.jobs.get(token.job_id) if token is not None and token.job_id is not None else None
    if job is None:
        raise NotFound("Job", reason="the credential is not a job token")
    return job


@pages.operation("GET", "*project/-/jobs/:job_id", ours=True)
def get_job_page(ctx: ReadContext, project: str, job_id: str) -> RawBody:
    """Show the page of a job."""
    container = namespaces.find_project_by_path(ctx.world, project)
    visible = container is not None and can_see(ctx, container) and can(ctx, Ability.READ_BUILD, container)
    job = ctx.world.jobs.get(parse_number(job_id) or 0)
    # Ids of jobs are global, so the project in the path has to be compared.
    if container is None or not visible or job is None or job.project_id != container.id:
        raise page_not_found(ctx, f"{caller_name(ctx)} sees no job {job_id} in {project}")
    return render_html_page(
        "Job", JobView(job, ctx).values(), urls.api_url(ctx, f"projects/{container.id}/jobs/{job.id}")
    )
