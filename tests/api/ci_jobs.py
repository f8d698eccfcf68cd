"""Helpers for tests of jobs: pipelines with planned jobs, and jobs that wait for a runner."""

from typing import Any

from fakeplat.ci_config.jobs import PlannedJob
from fakeplat.domain.ci import pipeline_creation
from fakeplat.domain.people import namespaces
from fakeplat.domain.repository import protection, repositories
from fakeplat.harness.fake import Fakeplat
from fakeplat.model.ci import Job, Pipeline
from fakeplat.model.projects import Project
from fakeplat.model.world import World


def find_project(world: World, path: str = "acme/site") -> Project:
    project = namespaces.find_project_by_path(world, path)
    assert project is not None
    return project


def create_pipeline(fake: Fakeplat, *planned: PlannedJob, project: str = "acme/site", **fields: Any) -> Pipeline:
    """Create a pipeline with jobs, by default of the newest commit of master, for the user ``dev``."""
    with fake.bench.platform.acting() as ctx:
        record = find_project(ctx.world, project)
        git = repositories.open_repository(ctx.world, record)
        dev = ctx.world.users.find("username", "dev")
        sha = git.commit().sha if git.head in git.refs else "0" * 40
        ref, tag = fields.get("ref", "master"), fields.get("tag", False)
        protected = protection.is_protected(ctx.world, record, ref, tag=tag)
        defaults = {"ref": ref, "sha": sha, "user_id": dev.id if dev else None, "protected": protected}
        return pipeline_creation.create_with_jobs(ctx, record, planned, **defaults | fields)


def jobs_of(fake: Fakeplat, pipeline: Pipeline) -> list[Job]:
    return list(fake.bench.platform.view.jobs.where("pipeline", pipeline.id))


def wait_for_runner(fake: Fakeplat, project: str = "acme/site") -> None:
    """Let the jobs of a project wait for a real runner."""
    with fake.bench.platform.acting() as ctx:
        ctx.world.projects.change(find_project(ctx.world, project), runners="external")
