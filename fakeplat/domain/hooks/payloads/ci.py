"""Payloads of jobs and pipelines."""

from typing import Any

from fakeplat.core.timestamps import SECOND, from_iso
from fakeplat.domain import urls
from fakeplat.domain.ci import detailed_statuses, job_artifacts
from fakeplat.domain.hooks.payloads import blocks, merge_requests
from fakeplat.domain.hooks.payloads.blocks import Block, format_time
from fakeplat.domain.people import namespaces, users
from fakeplat.domain.repository.commits import find_commit
from fakeplat.model.ci import Job, Pipeline
from fakeplat.model.projects import Project
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
        "build_duration": _measure(ctx, job),
        "build_allow_failure": job.allow_failure,
        "build_failure_reason": job.failure_reason or "unknown_failure",
        "pipeline_id": pipeline.id,
        "runner": blocks.build_runner(ctx.world.runners.get(job.runner_id or 0)),
        "project_id": project.id,
        "project_name": f"{namespaces.full_name(ctx.world, namespace)} / {project.name}",
        "user": _build_job_user(ctx, job),
        "commit": _build_job_commit(ctx, project, pipeline),
        "repository": blocks.build_long_repository(ctx, project),
    }


def _measure(ctx: ReadContext, job: Job) -> float | None:
    """Return the seconds that a job has run so far; None if it has not started."""
    if job.started_at is None:
        return None
    end = from_iso(job.finished_at) if job.finished_at else ctx.now()
    return (end - from_iso(job.started_at)) / SECOND


def _build_job_user(ctx: ReadContext, job: Job) -> Block:
    user = blocks.find_user(ctx, job.user_id)
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
    }


def build_pipeline_event(ctx: ReadContext, pipeline: Pipeline) -> Block:
    """Return the payload of a new status of a pipeline."""
    project = ctx.world.projects[pipeline.project_id]
    jobs = [job for job in ctx.world.jobs.where("pipeline", pipeline.id) if job.kind != "bridge"]
    return {
        "object_kind": "pipeline",
        "object_attributes": _build_pipeline(ctx, pipeline, jobs),
        "merge_request": _build_merge_request(ctx, pipeline),
        "user": blocks.build_user(ctx, blocks.find_user(ctx, pipeline.user_id)),
        "project": blocks.build_short_project(ctx, project),
        "commit": blocks.build_commit_of(ctx, project, pipeline.sha),
        "builds": [_build_job(ctx, job) for job in jobs if job.kind == "build"],
    }


def _build_pipeline(ctx: ReadContext, pipeline: Pipeline, jobs: list[Job]) -> Block:
    merge_request = ctx.world.merge_requests.get(pipeline.merge_request_id or 0)
    stages = {job.stage: None for job in sorted(jobs, key=lambda job: (job.stage_index, job.id))}
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
        "runner": blocks.build_runner(ctx.world.runners.get(job.runner_id or 0)),
        "artifacts_file": {
            "filename": archive.filename if archive else None,
            "size": archive.size if archive else None,
        },
    }
