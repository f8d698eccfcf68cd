"""Creation of pipelines with their jobs."""

from collections.abc import Sequence
from typing import Any

from attrs import fields

from fakeplat.ci_config.planned_jobs import PlannedJob
from fakeplat.domain import signals
from fakeplat.domain.ci import pipelines, processing
from fakeplat.model.jobs import Job
from fakeplat.model.pipelines import Pipeline
from fakeplat.model.projects import Project
from fakeplat.policy.context import WriteContext


def create_with_jobs(
    ctx: WriteContext, project: Project, planned_jobs: Sequence[PlannedJob], **pipeline_fields: Any
) -> Pipeline:
    """Create a pipeline with jobs, and start the first ones."""
    pipeline = pipelines.create(ctx, project, **pipeline_fields)
    add_jobs(ctx, pipeline, planned_jobs)
    return processing.process(ctx, pipeline.id)


def add_jobs(ctx: WriteContext, pipeline: Pipeline, planned_jobs: Sequence[PlannedJob]) -> list[Job]:
    """Add jobs to a pipeline, without starting any."""
    table, now = ctx.world.jobs, ctx.now_iso
    common: dict[str, Any] = {
        "pipeline_id": pipeline.id,
        "project_id": pipeline.project_id,
        "ref": pipeline.ref,
        "tag": pipeline.tag,
        "user_id": pipeline.user_id,
        "created_at": now,
        "updated_at": now,
    }
    jobs = [
        Job(id=table.next_id(), kind="bridge" if planned.is_bridge else "build", **common, **_planned_fields(planned))
        for planned in planned_jobs
    ]
    table.add_many(jobs)
    signals.jobs_created.send(ctx, jobs)
    # A receiver may have changed them.
    return [table[job.id] for job in jobs]


def _planned_fields(planned: PlannedJob) -> dict[str, Any]:
    return {field.name: getattr(planned, field.name) for field in fields(PlannedJob)}
