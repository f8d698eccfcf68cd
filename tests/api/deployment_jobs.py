"""Helpers for tests of jobs: create a pipeline with jobs, and let them run."""

from typing import Any

from fakeplat.ci_config.jobs import EnvironmentSpec, PlannedJob
from fakeplat.domain.ci import job_actions, pipeline_creation
from fakeplat.domain.repository import commits
from fakeplat.harness.fake import Fakeplat
from fakeplat.model.ci import Job, Pipeline

PROJECT_ID = 5001


def run_pipeline(fake: Fakeplat, *jobs: PlannedJob, by: str = "mia", ref: str = "feature", **fields: Any) -> Pipeline:
    """Create a pipeline with jobs in acme/site for the commit of a branch, or for ``sha``."""
    with fake.bench.platform.acting(fake.bench.platform.view.users.find("username", by)) as ctx:
        project = ctx.world.projects[PROJECT_ID]
        commit = commits.get_commit(ctx.world, project, fields.pop("sha", ref)).commit
        user_id = ctx.signed_in_user.id
        return pipeline_creation.create_with_jobs(
            ctx, project, jobs, ref=ref, sha=commit.sha, user_id=user_id, **fields
        )


def build_deploy_job(environment: str = "production", *, name: str = "deploy", **fields: Any) -> PlannedJob:
    """Return a job that deploys to an environment; the other fields are those of the job or its environment."""
    spec = {key: fields.pop(key) for key in ("url", "action", "on_stop", "auto_stop_in") if key in fields}
    return PlannedJob(name=name, environment=EnvironmentSpec(environment, **spec), **fields)


def build_stop_job(environment: str = "production", *, name: str = "stop") -> PlannedJob:
    """Return the manual job that stops an environment."""
    return build_deploy_job(environment, name=name, action="stop", when="manual", allow_failure=True, stage_index=1)


def jobs_of(fake: Fakeplat, pipeline: Pipeline) -> dict[str, Job]:
    """Return the newest job of each name of a pipeline."""
    return {job.name: job for job in fake.bench.platform.view.jobs.where("pipeline", pipeline.id)}


def change_job(fake: Fakeplat, action: Any, job: Job, *, by: str = "mia") -> Job:
    """Do something with the present state of a job, in the name of a user."""
    with fake.bench.platform.acting(fake.bench.platform.view.users.find("username", by)) as ctx:
        done: Job = action(ctx, ctx.world.jobs[job.id])
        return done


__all__ = ["build_deploy_job", "build_stop_job", "change_job", "job_actions", "jobs_of", "run_pipeline"]
