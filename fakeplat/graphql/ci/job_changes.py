"""Mutations of jobs. Source: docs/platform/graphql.md, docs/platform/pipelines-jobs.md."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from fakeplat.domain.ci import ci_access, job_actions, job_artifacts, pipeline_creation
from fakeplat.domain.deployments import deployment_approvals
from fakeplat.graphql.errors import ResourceNotAvailable, collect_errors
from fakeplat.graphql.ids import parse_id
from fakeplat.graphql.lookups import require_project
from fakeplat.graphql.schema_builder import Enumeration, Input, mutation
from fakeplat.model.ci import Job, PipelineVariable
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize, caller_name, can
from fakeplat.policy.context import WriteContext

_BUILD: Final = '"""The global ID of the job."""\nid: CiBuildID!'
_PROCESSABLE: Final = '"""The global ID of the job."""\nid: CiProcessableID!'
_GIVES: Final = '"""The job."""\njob: CiJob'
Enumeration(
    "CiVariableType",
    "How a variable is passed on.",
    {"ENV_VAR": ("env_var", "In the environment."), "FILE": ("file", "In a file.")},
    since="<=15.3",
)
Input(
    "CiVariableInput",
    "A variable.",
    '''
"""The name."""
key: String!
"""The value."""
value: String!
"""How it is passed on."""
variableType: CiVariableType
''',
    since="<=18.5",
)


def _get_job(ctx: WriteContext, text: str) -> Job:
    """Return the job with a global id, which the caller may change."""
    job = ctx.world.jobs.get(parse_id(ctx, text, "Ci::Build", "Ci::Bridge"))
    project = ctx.world.projects[job.project_id] if job is not None else None
    if job is None or project is None or not can(ctx, Ability.READ_BUILD, project):
        raise ResourceNotAvailable(lambda: f"{text} does not exist or is hidden from {caller_name(ctx)}")
    ci_access.authorize_update_job(ctx, project, job)
    return job


def _run(ctx: WriteContext, job: Job, *, allowed: bool, act: Callable[[WriteContext, Job], Job]) -> Mapping[str, Any]:
    """Return the job after an action, or the error of one that the job does not allow."""
    return {"job": act(ctx, job)} if allowed else {"job": None, "errors": ["Job is not in a state that allows it"]}


def _read_variables(variables: Sequence[Mapping[str, Any]] | None) -> tuple[PipelineVariable, ...]:
    return tuple(
        PipelineVariable(each["key"], each["value"], each.get("variable_type") or "env_var") for each in variables or ()
    )


@mutation("jobPlay", input_fields=_PROCESSABLE, payload_fields=_GIVES, since="<=14.0")
def job_play(ctx: WriteContext, id: str) -> Mapping[str, Any]:
    """Start a job that waits for a user."""
    job = _get_job(ctx, id)
    playable = job_actions.is_playable(job) and not deployment_approvals.is_blocked(ctx.world, job)
    return _run(ctx, job, allowed=playable, act=job_actions.play)


@mutation("jobRetry", input_fields=_PROCESSABLE, payload_fields=_GIVES, since="<=14.0")
def job_retry(ctx: WriteContext, id: str) -> Mapping[str, Any]:
    """Start a finished job again; the answer is the new one."""
    job = _get_job(ctx, id)
    return _run(ctx, job, allowed=job_actions.is_retryable(job), act=job_actions.retry)


@mutation("jobCancel", input_fields=_BUILD, payload_fields=_GIVES, since="<=14.3")
def job_cancel(ctx: WriteContext, id: str) -> Mapping[str, Any]:
    """Cancel a job."""
    job = _get_job(ctx, id)
    return _run(ctx, job, allowed=not job.is_completed, act=job_actions.cancel)


@mutation("jobUnschedule", input_fields=_BUILD, payload_fields=_GIVES, since="<=14.3")
def job_unschedule(ctx: WriteContext, id: str) -> Mapping[str, Any]:
    """Take back the delayed start of a job, which then waits for a user."""
    job = _get_job(ctx, id)
    return _run(ctx, job, allowed=job.status == "scheduled", act=job_actions.unschedule)


@mutation(
    "jobArtifactsDestroy",
    input_fields=_BUILD,
    payload_fields=f'{_GIVES}\n"""Number of deleted files."""\ndestroyedArtifactsCount: Int!',
    since="<=15.8",
)
def job_artifacts_destroy(ctx: WriteContext, id: str) -> Mapping[str, Any]:
    """Delete the files that a job left."""
    job = _get_job(ctx, id)
    count = len(ctx.world.job_artifacts.where("job", job.id))
    job_artifacts.delete(ctx, job)
    return {"job": ctx.world.jobs[job.id], "destroyed_artifacts_count": count}


@mutation(
    "pipelineCreate",
    input_fields='''
"""The full path of the project."""
projectPath: ID!
"""The branch or tag."""
ref: String!
"""The variables of the pipeline."""
variables: [CiVariableInput!]
''',
    payload_fields='"""The pipeline."""\npipeline: Pipeline',
    since="<=18.5",
)
def pipeline_create(
    ctx: WriteContext, project_path: str, ref: str, variables: Sequence[Mapping[str, Any]] | None = None
) -> Mapping[str, Any]:
    """Start a pipeline for a branch or tag."""
    project = require_project(ctx, project_path)
    authorize(ctx, Ability.CREATE_PIPELINE, project)
    with collect_errors(pipeline=None):
        started = pipeline_creation.create_pipeline(
            ctx, project, ref, source="api", variables=_read_variables(variables)
        )
        return {"pipeline": started}
