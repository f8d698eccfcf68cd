"""Pipelines with their stages and jobs in an archive, triggers and pipeline schedules.

As on the platform, an archive has neither logs, artifacts and variables nor the configuration of jobs.
"""

from collections.abc import Iterator
from itertools import groupby
from operator import attrgetter
from typing import Any, Final

from fakeplat.domain.ci import pipeline_schedules, pipelines, statuses, triggers
from fakeplat.domain.import_export import serialization
from fakeplat.domain.import_export.reading import Resolver, Row, read_fields, rows_in
from fakeplat.model.ci import Job, JobKind, Pipeline, PipelineSchedule, Trigger
from fakeplat.model.projects import Project
from fakeplat.model.world import World

_PIPELINE: Final = (
    "iid ref sha status source tag before_sha yaml_errors protected created_at updated_at started_at finished_at "
    "committed_at duration coverage"
).split()
_JOB: Final = (
    "name stage status ref tag allow_failure retried failure_reason coverage coverage_regex target_url description "
    "created_at updated_at queued_at scheduled_at started_at finished_at"
).split()
_TYPES: Final[dict[str, JobKind]] = {"Ci::Build": "build", "Ci::Bridge": "bridge", "GenericCommitStatus": "external"}
_TYPE_OF: Final = {kind: name for name, kind in _TYPES.items()}
_SCHEDULE: Final = "description ref cron cron_timezone active created_at updated_at".split()
_TRIGGER: Final = "description created_at updated_at".split()


def pipeline_rows(world: World, project: Project) -> list[dict[str, Any]]:
    """Return the pipelines of a project, each with its stages and their jobs."""
    return [_pipeline_row(world, pipeline) for pipeline in world.pipelines.where("project", project.id)]


def _pipeline_row(world: World, pipeline: Pipeline) -> dict[str, Any]:
    merge_request = world.merge_requests.get(pipeline.merge_request_id or 0)
    return {
        **_select(pipeline, _PIPELINE),
        **serialization.user_fields(world, user=pipeline.user_id),
        "merge_request": None if merge_request is None else {"iid": merge_request.iid, "title": merge_request.title},
        "stages": list(_stage_rows(world, pipeline)),
    }


def _select(record: object, names: list[str]) -> dict[str, Any]:
    return {name: getattr(record, name) for name in names}


def _stage_rows(world: World, pipeline: Pipeline) -> Iterator[dict[str, Any]]:
    place = attrgetter("stage_index", "stage")
    for (position, name), group in groupby(sorted(world.jobs.where("pipeline", pipeline.id), key=place), key=place):
        jobs = list(group)
        status = statuses.combine_jobs([job for job in jobs if not job.retried])
        rows = [_job_row(world, job) for job in jobs]
        yield {"name": name, "position": position, "status": status, "statuses": rows}


def _job_row(world: World, job: Job) -> dict[str, Any]:
    return {
        **_select(job, _JOB),
        **serialization.user_fields(world, user=job.user_id),
        "type": _TYPE_OF[job.kind],
        "stage_idx": job.stage_index,
    }


def import_pipeline(resolver: Resolver, project: Project, row: Row) -> None:
    """Import a pipeline as it was; jobs that had not ended do not go on."""
    merge_request = row.get("merge_request")
    iid = merge_request.get("iid") if isinstance(merge_request, dict) else None
    found = resolver.ctx.world.merge_requests.find("iid", (project.id, iid)) if isinstance(iid, int) else None
    fields = {
        **read_fields(Pipeline, row, _PIPELINE),
        "user_id": _find_user_id(resolver, row),
        "merge_request_id": None if found is None else found.id,
    }
    pipeline = pipelines.create(resolver.ctx, project, **fields)
    for index, stage in enumerate(rows_in(row, "stages")):
        for job in rows_in(stage, "statuses"):
            _import_job(resolver, pipeline, job, index)


def _find_user_id(resolver: Resolver, row: Row) -> int | None:
    return None if row.get("user_id") is None else resolver.user_or_importer(row, "user").id


def _import_job(resolver: Resolver, pipeline: Pipeline, row: Row, stage_index: int) -> None:
    table, position = resolver.ctx.world.jobs, row.get("stage_idx")
    # Times that an archive lacks are those of its pipeline.
    times = {name: getattr(pipeline, name) for name in ("created_at", "updated_at")}
    table.add(
        Job(
            id=table.next_id(),
            pipeline_id=pipeline.id,
            project_id=pipeline.project_id,
            kind=_TYPES.get(str(row.get("type")), "build"),
            stage_index=position if isinstance(position, int) else stage_index,
            user_id=_find_user_id(resolver, row),
            **{**times, **read_fields(Job, row, _JOB)},
        )
    )


def trigger_rows(world: World, project: Project) -> list[dict[str, Any]]:
    """Return the triggers of a project without their tokens, which an import makes anew."""
    return [
        {**_select(trigger, _TRIGGER), **serialization.user_fields(world, owner=trigger.owner_id)}
        for trigger in world.triggers.where("project", project.id)
    ]


def import_trigger(resolver: Resolver, project: Project, row: Row) -> None:
    """Import a trigger with a new token; those without an owner are left out."""
    if row.get("owner_id") is not None:
        owner = resolver.user_or_importer(row, "owner")
        triggers.create(resolver.ctx, project, owner.id, **read_fields(Trigger, row, _TRIGGER))


def schedule_rows(world: World, project: Project) -> list[dict[str, Any]]:
    """Return the pipeline schedules of a project without their variables."""
    return [
        {
            **_select(schedule, [*_SCHEDULE, "next_run_at"]),
            **serialization.user_fields(world, owner=schedule.owner_id),
        }
        for schedule in world.pipeline_schedules.where("project", project.id)
    ]


def import_schedule(resolver: Resolver, project: Project, row: Row) -> None:
    """Import a pipeline schedule; the time of its next run is computed anew."""
    owner = resolver.user_or_importer(row, "owner")
    pipeline_schedules.create(resolver.ctx, project, owner, **read_fields(PipelineSchedule, row, _SCHEDULE))
