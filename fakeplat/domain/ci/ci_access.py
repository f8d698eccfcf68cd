"""What a caller may do with pipelines and jobs, beyond the abilities on the project.

The pipelines and jobs of a protected branch or tag belong to those who may push to it, merge into it or create it.
Source: docs/platform/pipelines-jobs.md.
"""

from typing import Final

from fakeplat.core.operations.errors import Forbidden
from fakeplat.core.timestamps import from_iso
from fakeplat.domain import settings
from fakeplat.domain.ci import variables
from fakeplat.domain.deployments import protected_environments
from fakeplat.domain.repository import protection
from fakeplat.model.ci import Job, Pipeline
from fakeplat.model.people import Level
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import NOBODY, Ability
from fakeplat.policy.authorization import authorize, caller_name, can, level_on
from fakeplat.policy.behaviours import DEBUG_LOGS_ARE_RESTRICTED
from fakeplat.policy.context import ReadContext

_DEBUG_VARIABLES: Final = ("CI_DEBUG_TRACE", "CI_DEBUG_SERVICES")
_DEBUG_LOG: Final = (
    "You must have developer access to view job logs when debug trace is enabled. To disable debug trace, set the "
    "'CI_DEBUG_TRACE' and 'CI_DEBUG_SERVICES' variables to 'false' in your pipeline configuration or CI/CD settings. "
    "If you must view this job log, a project maintainer or owner must add you to the project with developer "
    "permissions or higher."
)
_OVERRIDE_LEVELS: Final = {
    "developer": Level.DEVELOPER,
    "maintainer": Level.MAINTAINER,
    "owner": Level.OWNER,
    "no_one_allowed": NOBODY,
}


def can_update_pipeline(ctx: ReadContext, project: Project, pipeline: Pipeline) -> bool:
    """Return whether the caller may retry and cancel a pipeline."""
    return can(ctx, Ability.UPDATE_PIPELINE, project) and protection.can_update_ref(
        ctx, project, pipeline.ref, tag=pipeline.tag
    )


def authorize_update_pipeline(ctx: ReadContext, project: Project, pipeline: Pipeline) -> None:
    """Raise Forbidden unless the caller may retry and cancel a pipeline."""
    authorize(ctx, Ability.UPDATE_PIPELINE, project)
    _authorize_ref(ctx, project, pipeline.ref, tag=pipeline.tag)


def can_read_variables(ctx: ReadContext, project: Project, pipeline: Pipeline) -> bool:
    """Return whether the caller administers the pipelines, or started this one and may update it."""
    if can(ctx, Ability.ADMIN_PIPELINE, project):
        return True
    is_own = ctx.viewer is not None and ctx.viewer.id == pipeline.user_id
    return is_own and can_update_pipeline(ctx, project, pipeline)


def authorize_read_variables(ctx: ReadContext, project: Project, pipeline: Pipeline) -> None:
    """Raise Forbidden, with the first reason there is, if ``can_read_variables`` is false."""
    if not can_read_variables(ctx, project, pipeline):
        authorize_update_pipeline(ctx, project, pipeline)
        raise Forbidden(reason=lambda: f"pipeline {pipeline.id} was not started by {caller_name(ctx)}")


def can_update_job(ctx: ReadContext, project: Project, job: Job) -> bool:
    """Return whether the caller may cancel, retry and play a job."""
    return (
        can(ctx, Ability.UPDATE_BUILD, project)
        and not is_job_archived(ctx, job)
        and protection.can_update_ref(ctx, project, job.ref, tag=job.tag)
        and not protected_environments.is_job_barred(ctx, job, ctx.viewer)
    )


def is_job_archived(ctx: ReadContext, job: Job) -> bool:
    """Return whether a job is so old that nobody may change it any more."""
    before = settings.archived_before(ctx)
    return before is not None and from_iso(job.created_at) < before


def is_pipeline_archived(ctx: ReadContext, pipeline: Pipeline) -> bool:
    """Return whether a pipeline is so old that nobody may change its jobs any more."""
    before = settings.archived_before(ctx)
    return before is not None and from_iso(pipeline.created_at) < before


def authorize_update_job(ctx: ReadContext, project: Project, job: Job) -> None:
    """Raise Forbidden unless the caller may cancel, retry and play a job."""
    authorize(ctx, Ability.UPDATE_BUILD, project)
    if is_job_archived(ctx, job):
        raise Forbidden(reason=f"job {job.id} is archived: see archive_builds_in_human_readable")
    _authorize_ref(ctx, project, job.ref, tag=job.tag)
    protected_environments.authorize_deployment(ctx, job)


def authorize_read_log(ctx: ReadContext, project: Project, job: Job) -> None:
    """Raise Forbidden unless the caller may read the log of a job; developers alone read one that shows secrets."""
    is_restricted = ctx.profile.has(DEBUG_LOGS_ARE_RESTRICTED) and _shows_secrets(ctx, project, job)
    if is_restricted and not can(ctx, Ability.UPDATE_BUILD, project):
        raise Forbidden(_DEBUG_LOG, reason=f"the log of job {job.id} may contain secrets")


def _shows_secrets(ctx: ReadContext, project: Project, job: Job) -> bool:
    is_protected = protection.is_protected(ctx.world, project, job.ref, tag=job.tag)
    environment = job.environment.name if job.environment else None
    declared = variables.list_effective(ctx.world, project, ref_is_protected=is_protected, environment=environment)
    given = dict(job.variables) | {each.key: each.value for each in declared}
    for row in (*ctx.world.pipelines[job.pipeline_id].variables, *job.given_variables):
        given[row.key] = row.value
    return job.debug_trace or any(given.get(name, "").lower() == "true" for name in _DEBUG_VARIABLES)


def authorize_force(ctx: ReadContext, project: Project) -> None:
    """Raise Forbidden unless the caller may cancel a job that is being canceled."""
    authorize(ctx, Ability.ADMIN_PIPELINE, project)


def may_set_variables(ctx: ReadContext, project: Project) -> bool:
    """Return whether the caller may give variables to pipelines and jobs of a project."""
    return level_on(ctx, project) >= _OVERRIDE_LEVELS[project.ci_pipeline_variables_minimum_override_role]


def authorize_variables(ctx: ReadContext, project: Project) -> None:
    """Raise Forbidden unless the caller may give variables to pipelines and jobs of a project."""
    if not may_set_variables(ctx, project):
        role = project.ci_pipeline_variables_minimum_override_role
        raise Forbidden(reason=f"ci_pipeline_variables_minimum_override_role is {role!r}")


def authorize_erase(ctx: ReadContext, project: Project, job: Job) -> None:
    """Raise Forbidden unless the caller administers the jobs, or started this one; its ref must be open to both."""
    authorize_update_job(ctx, project, job)
    if not can(ctx, Ability.ADMIN_BUILD, project) and ctx.signed_in_user.id != job.user_id:
        raise Forbidden(reason=lambda: f"job {job.id} was not started by {caller_name(ctx)}")


def _authorize_ref(ctx: ReadContext, project: Project, ref: str, *, tag: bool) -> None:
    if not protection.can_update_ref(ctx, project, ref, tag=tag):
        kind = "tag" if tag else "branch"
        raise Forbidden(reason=lambda: f"the {kind} {ref!r} is protected from {caller_name(ctx)}")
