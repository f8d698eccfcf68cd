"""Payloads of jobs and pipelines."""

from collections.abc import Mapping
from typing import Any, Final

from fakeplat.domain import urls
from fakeplat.domain.ci import detailed_statuses, job_artifacts, jobs, pipelines
from fakeplat.domain.ci.predefined_variables import find_environment
from fakeplat.domain.hooks.payloads import blocks, merge_requests
from fakeplat.domain.hooks.payloads.blocks import Block, Later, format_iso_time, format_time, later
from fakeplat.domain.merge_requests.detailed_merge_status import get_status
from fakeplat.domain.people import namespaces, users
from fakeplat.domain.repository.commits import find_commit
from fakeplat.model.ci import Job, Pipeline
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.projects import Project
from fakeplat.policy.behaviours import JOB_HOOKS_HAVE_USERS
from fakeplat.policy.context import ReadContext


def build_job_event(ctx: ReadContext, job: Job) -> Block:
    """Return the payload of a new status of a job."""
    project, pipeline = ctx.world.projects[job.project_id], ctx.world.pipelines[job.pipeline_id]
    namespace = ctx.world.namespaces[project.namespace_id]
    return {
        "object_kind": "build",
        "ref": job.ref,
        "tag": job.tag,
        "before_sha": pipeline.before_sha,
        "sha": pipeline.sha,
        "build_id": job.id,
        "build_name": job.name,
        "build_stage": job.stage,
        "build_status": job.status,
        "build_started_at": format_time(job.started_at),
        "build_finished_at": format_time(job.finished_at),
        "build_duration": jobs.measure_run(job, ctx.now),
        "build_allow_failure": job.allow_failure,
        "build_failure_reason": job.failure_reason or "unknown_failure",
        "pipeline_id": pipeline.id,
        "runner": blocks.build_runner(ctx, ctx.world.runners.get(job.runner_id or 0)),
        "project_id": project.id,
        "project_name": f"{namespaces.full_name(ctx.world, namespace)} / {project.name}",
        "user": _build_job_user(ctx, job),
        "commit": _build_job_commit(ctx, project, pipeline),
        "repository": blocks.build_long_repository(ctx, project),
        **blocks.read_later(ctx, _JOB_EVENT, job),
        **_build_source(ctx, pipeline),
    }


def _build_job_user(ctx: ReadContext, job: Job) -> Block | None:
    user = blocks.find_user(ctx, job.user_id)
    if ctx.profile.has(JOB_HOOKS_HAVE_USERS):
        return blocks.build_user(ctx, user)
    return {
        "id": user.id if user else None,
        "name": user.name if user else None,
        "email": user.email if user else None,
        "avatar_url": urls.user_avatar_url(ctx, user) if user else None,
    }


def _build_job_commit(ctx: ReadContext, project: Project, pipeline: Pipeline) -> Block:
    """Return the block of a commit in events of jobs, which is about its pipeline as well."""
    commit = find_commit(ctx.world, project, pipeline.sha)
    author = commit.commit.author if commit else None
    account = users.find_by_any_email(ctx.world, author.email) if author else None
    return {
        "id": pipeline.id,
        "sha": pipeline.sha,
        "message": commit.commit.message if commit else None,
        "author_name": author.name if author else None,
        "author_email": author.email if author else None,
        "author_url": urls.user_url(ctx, account) if account else f"mailto:{author.email if author else ''}",
        "status": pipeline.status,
        "duration": pipeline.duration,
        "started_at": format_time(pipeline.started_at),
        "finished_at": format_time(pipeline.finished_at),
        **blocks.read_later(ctx, _JOB_COMMIT, pipeline),
    }


def build_pipeline_event(ctx: ReadContext, pipeline: Pipeline) -> Block:
    """Return the payload of a new status of a pipeline."""
    project = ctx.world.projects[pipeline.project_id]
    all_jobs = [job for job in ctx.world.jobs.where("pipeline", pipeline.id) if job.kind != "bridge"]
    return {
        "object_kind": "pipeline",
        "object_attributes": _build_pipeline(ctx, pipeline, all_jobs),
        "merge_request": _build_merge_request(ctx, pipeline),
        "user": blocks.build_user(ctx, blocks.find_user(ctx, pipeline.user_id)),
        "project": blocks.build_short_project(ctx, project),
        "commit": blocks.build_commit_of(ctx, project, pipeline.sha),
        "builds": [_build_job(ctx, job) for job in all_jobs if job.kind == "build"],
        **_build_source(ctx, pipeline),
    }


def _build_source(ctx: ReadContext, pipeline: Pipeline) -> Block:
    """Return the job that started a pipeline as its child or in another project; nothing if none did."""
    job = ctx.world.jobs.get(pipeline.source_job_id or 0)
    if job is None:
        return {}
    project = ctx.world.projects[job.project_id]
    source = {
        "project": {
            "id": project.id,
            "web_url": urls.project_url(ctx, project),
            "path_with_namespace": urls.project_path(ctx, project),
        },
        "job_id": job.id,
        "pipeline_id": job.pipeline_id,
    }
    return blocks.read_later(ctx, _SOURCE, source)


def _build_pipeline(ctx: ReadContext, pipeline: Pipeline, of_pipeline: list[Job]) -> Block:
    merge_request = ctx.world.merge_requests.get(pipeline.merge_request_id or 0)
    stages = {job.stage: None for job in sorted(of_pipeline, key=lambda job: (job.stage_index, job.id))}
    return {
        "id": pipeline.id,
        "ref": merge_request.source_branch if merge_request else pipeline.ref,
        "tag": pipeline.tag,
        "sha": pipeline.sha,
        "before_sha": pipeline.before_sha,
        "source": pipeline.source,
        "status": pipeline.status,
        "detailed_status": detailed_statuses.of_pipeline(ctx.world, pipeline).label,
        "stages": list(stages),
        "created_at": format_time(pipeline.created_at),
        "finished_at": format_time(pipeline.finished_at),
        "duration": pipeline.duration,
        "variables": [{"key": variable.key, "value": variable.value} for variable in pipeline.variables],
        **blocks.read_later(ctx, _PIPELINE, pipeline),
    }


def _build_merge_request(ctx: ReadContext, pipeline: Pipeline) -> dict[str, Any] | None:
    merge_request = ctx.world.merge_requests.get(pipeline.merge_request_id or 0)
    if merge_request is None:
        return None
    return {
        "id": merge_request.id,
        "iid": merge_request.iid,
        "title": merge_request.title,
        "source_branch": merge_request.source_branch,
        "source_project_id": merge_request.source_project_id,
        "target_branch": merge_request.target_branch,
        "target_project_id": merge_request.project_id,
        "state": merge_request.state,
        "merge_status": merge_request.merge_status,
        "url": merge_requests.merge_request_url(ctx, merge_request),
        **blocks.read_later(ctx, _MERGE_REQUEST, merge_request),
    }


def _build_job(ctx: ReadContext, job: Job) -> Block:
    archive = job_artifacts.find(ctx, job)
    return {
        "id": job.id,
        "stage": job.stage,
        "name": job.name,
        "status": job.status,
        "created_at": format_time(job.created_at),
        "started_at": format_time(job.started_at),
        "finished_at": format_time(job.finished_at),
        "when": job.when,
        "manual": job.when == "manual",
        "allow_failure": job.allow_failure,
        "user": blocks.build_user(ctx, blocks.find_user(ctx, job.user_id)),
        "runner": blocks.build_runner(ctx, ctx.world.runners.get(job.runner_id or 0)),
        "artifacts_file": {
            "filename": archive.filename if archive else None,
            "size": archive.size if archive else None,
        },
        **blocks.read_later(ctx, _JOB, job),
    }


def _build_environment(ctx: ReadContext, job: Job, *, with_tier: bool) -> Block | None:
    if job.environment is None:
        return None
    environment = find_environment(ctx.world, job)
    return {
        "name": environment.name if environment else job.environment.name,
        "action": job.environment.action,
        **({"deployment_tier": environment.tier if environment else None} if with_tier else {}),
    }


_JOB_EVENT: Final[Mapping[str, Later[Job]]] = {
    "build_created_at": later("<=15.0", lambda ctx, job: format_time(job.created_at)),
    "build_queued_duration": later("<=15.10", lambda ctx, job: jobs.measure_wait(job, ctx.now)),
    "environment": later("<=16.0", lambda ctx, job: _build_environment(ctx, job, with_tier=False)),
    "retries_count": later("16.2", lambda ctx, job: jobs.count_retries(ctx.world, job)),
    "project": later("<=19.1", lambda ctx, job: blocks.build_short_project(ctx, ctx.world.projects[job.project_id])),
    "build_created_at_iso": later("<=19.1", lambda ctx, job: format_iso_time(job.created_at)),
    "build_started_at_iso": later("<=19.1", lambda ctx, job: format_iso_time(job.started_at)),
    "build_finished_at_iso": later("<=19.1", lambda ctx, job: format_iso_time(job.finished_at)),
}
_JOB_COMMIT: Final[Mapping[str, Later[Pipeline]]] = {
    "name": later("15.8", lambda ctx, pipeline: pipeline.name),
    "started_at_iso": later("<=19.1", lambda ctx, pipeline: format_iso_time(pipeline.started_at)),
    "finished_at_iso": later("<=19.1", lambda ctx, pipeline: format_iso_time(pipeline.finished_at)),
}
_PIPELINE: Final[Mapping[str, Later[Pipeline]]] = {
    "queued_duration": later("<=14.3", pipelines.measure_wait),
    "iid": later("<=16.0", lambda ctx, pipeline: pipeline.iid),
    "name": later("16.1", lambda ctx, pipeline: pipeline.name),
    "url": later("<=16.2", lambda ctx, pipeline: f"{ctx.origin}{detailed_statuses.pipeline_path(ctx.world, pipeline)}"),
    "protected_ref": later("<=19.3", lambda ctx, pipeline: pipeline.protected),
}
_SOURCE: Final[Mapping[str, Later[Block]]] = {"source_pipeline": later("<=15.10", lambda ctx, source: source)}
_MERGE_REQUEST: Final[Mapping[str, Later[MergeRequest]]] = {"detailed_merge_status": later("<=15.11", get_status)}
_JOB: Final[Mapping[str, Later[Job]]] = {
    "environment": later("<=14.6", lambda ctx, job: _build_environment(ctx, job, with_tier=True)),
    "duration": later("<=15.7", lambda ctx, job: jobs.measure_run(job, ctx.now)),
    "queued_duration": later("<=15.7", lambda ctx, job: jobs.measure_wait(job, ctx.now)),
    "failure_reason": later("<=15.8", lambda ctx, job: job.failure_reason if job.status == "failed" else None),
}
