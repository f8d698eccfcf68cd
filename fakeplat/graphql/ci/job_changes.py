"""Mutations of jobs. Source: docs/platform/graphql.md, docs/platform/pipelines-jobs.md."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from fakeplat.domain.ci import ci_access, job_actions, job_artifacts, job_inputs, job_transitions
from fakeplat.domain.deployments import deployment_approvals
from fakeplat.graphql.ci.pipeline_schedules import InputChange, VariableInput
from fakeplat.graphql.errors import ResourceNotAvailable, collect_errors
from fakeplat.graphql.ids import parse_id
from fakeplat.graphql.schema_builder import Enumeration, Input, mutation
from fakeplat.model.ci import Job, PipelineVariable
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize, caller_name, can
from fakeplat.policy.context import WriteContext

_BUILD: Final = '"""The global ID of the job."""\nid: CiBuildID!'
_PROCESSABLE: Final = '"""The global ID of the job."""\nid: CiProcessableID!'
_GIVES: Final = '"""The job."""\njob: CiJob'
_VARIABLES: Final = '\n"""Variables of the job."""\nvariables: [CiVariableInput!] @lifetime(since: "{}")'
NOT_RETRYABLE: Final = "Job cannot be retried"
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
    since="<=15.3",
)


def _find_job(ctx: WriteContext, text: str) -> tuple[Project, Job]:
    """Return the job with a global id and its project, or refuse if the caller cannot read it."""
    job = ctx.world.jobs.get(parse_id(ctx, text, "Ci::Build", "Ci::Bridge"))
    project = ctx.world.projects[job.project_id] if job is not None else None
    if job is None or project is None or not can(ctx, Ability.READ_BUILD, project):
        raise ResourceNotAvailable(lambda: f"{text} does not exist or is hidden from {caller_name(ctx)}")
    return project, job


def _get_job(ctx: WriteContext, text: str) -> Job:
    """Return the job with a global id, which the caller may change."""
    project, job = _find_job(ctx, text)
    ci_access.authorize_update_job(ctx, project, job)
    return job


def read_variables(variables: Sequence[VariableInput] | None) -> tuple[PipelineVariable, ...]:
    """Return the variables of an input."""
    return tuple(
        PipelineVariable(each["key"], each["value"], each.get("variable_type") or "env_var") for each in variables or ()
    )


@mutation(
    "jobPlay",
    input_fields=f'''
{_PROCESSABLE}
{_VARIABLES.format("15.8")}
"""Values for inputs that the job declares."""
inputs: [CiInputsInput!] @lifetime(since: "<=19.3")
''',
    payload_fields=_GIVES,
    since="<=14.0",
)
def job_play(
    ctx: WriteContext,
    id: str,
    variables: Sequence[VariableInput] | None = None,
    inputs: Sequence[InputChange] | None = None,
) -> Mapping[str, Any]:
    """Start a job that waits for a user, or a finished one again; others stay as they are, which is no error."""
    job = _get_job(ctx, id)
    if deployment_approvals.is_blocked(ctx.world, job):
        raise ResourceNotAvailable(f"job {job.id} waits for approvals of its deployment")
    given = _authorize_variables(ctx, job, variables)
    if job_transitions.can_fire(job, "enqueue") or job_actions.is_retryable(job):
        with collect_errors(job=None):
            values = job_inputs.select(ctx, job, {each["name"]: each["value"] for each in inputs or ()})
            job_actions.play(ctx, job, given, values)
    return {"job": ctx.world.jobs[job.id]}


def _authorize_variables(
    ctx: WriteContext, job: Job, variables: Sequence[VariableInput] | None
) -> tuple[PipelineVariable, ...]:
    if variables:
        ci_access.authorize_variables(ctx, ctx.world.projects[job.project_id])
    return read_variables(variables)


@mutation("jobRetry", input_fields=_PROCESSABLE + _VARIABLES.format("<=15.3"), payload_fields=_GIVES, since="<=14.0")
def job_retry(ctx: WriteContext, id: str, variables: Sequence[VariableInput] | None = None) -> Mapping[str, Any]:
    """Start a finished job again; the answer is the new one."""
    job = _get_job(ctx, id)
    if not job_actions.is_retryable(job):
        return {"job": None, "errors": [NOT_RETRYABLE]}
    return {"job": job_actions.retry(ctx, job, variables=_authorize_variables(ctx, job, variables))}


@mutation("jobCancel", input_fields=_BUILD, payload_fields=_GIVES, since="<=14.3")
def job_cancel(ctx: WriteContext, id: str) -> Mapping[str, Any]:
    """Cancel a job; a finished one stays as it is, which is no error."""
    return {"job": job_actions.cancel(ctx, _get_job(ctx, id))}


@mutation("jobUnschedule", input_fields=_BUILD, payload_fields=_GIVES, since="<=14.3")
def job_unschedule(ctx: WriteContext, id: str) -> Mapping[str, Any]:
    """Take back the delayed start of a job, which then waits for a user; others stay as they are."""
    job = _get_job(ctx, id)
    return {"job": job_actions.unschedule(ctx, job) if job.status == "scheduled" else job}


@mutation(
    "jobArtifactsDestroy",
    input_fields=_BUILD,
    payload_fields=f'{_GIVES}\n"""Number of deleted files."""\ndestroyedArtifactsCount: Int!',
    since="<=15.8",
)
def job_artifacts_destroy(ctx: WriteContext, id: str) -> Mapping[str, Any]:
    """Delete the files that a job left."""
    project, job = _find_job(ctx, id)
    authorize(ctx, Ability.DESTROY_ARTIFACTS, project)
    count = len(ctx.world.job_artifacts.where("job", job.id))
    job_artifacts.delete(ctx, job)
    return {"job": ctx.world.jobs[job.id], "destroyed_artifacts_count": count}
