"""Jobs of pipelines. Those without a status start as the jobs of a new pipeline do."""

from collections.abc import Iterable, Sequence
from typing import Final

from fakeplat.ci_config.jobs import ArtifactsSpec
from fakeplat.core.durations import NEVER
from fakeplat.core.schema.records import build_fields, fields
from fakeplat.core.schema.shapes import COUNT, NULLABLE_TEXT, TEXT, MapOf, Nullable, Number, Object
from fakeplat.domain.ci import job_artifacts, playback, processing
from fakeplat.domain.people.namespaces import project_path
from fakeplat.model.ci import ENDED, Job, Pipeline
from fakeplat.model.world import World
from fakeplat.scenario import creation_order
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import ALERTS, EntryData, Section
from fakeplat.scenario.sections import serialization

_FIELDS: Final = fields(
    Job,
    without=(
        "id",
        "pipeline_id",
        "project_id",
        "user_id",
        "runner_id",
        "runner_manager_id",
        "erased_by_id",
        "downstream_pipeline_id",
        "exit_code",
    ),
    variables=MapOf(TEXT),
    coverage=Nullable(Number(minimum=0)),
)
_TIMES: Final = ("queued_at", "started_at", "finished_at")


def _create(entry: Entry) -> Job:
    pipeline: Pipeline = entry.owner
    values = {**_read_fields(entry), **_resolve_references(entry)}
    _check_expiry(entry, values.get("artifacts"))
    existing = _find_existing(entry, pipeline)
    job = _create_new(entry, pipeline, values) if existing is None else _update(entry, existing, values)
    _link_downstream(entry, job)
    playback.resume(entry.ctx, job)
    if "status" not in entry.values and existing is None:
        entry.defer(lambda: processing.process(entry.ctx, pipeline.id))
    return job


def _check_expiry(entry: Entry, artifacts: ArtifactsSpec | None) -> None:
    expire_in = artifacts.expire_in if artifacts is not None else None
    try:
        job_artifacts.parse_expiry(expire_in or NEVER)
    except ValueError:
        entry.fail(f"{expire_in!r} is neither a duration such as '1 week' nor '{NEVER}'", "artifacts")


def _find_existing(entry: Entry, pipeline: Pipeline) -> Job | None:
    """Return the job of a pipeline of this world that the entry changes: the one of its name that counts."""
    if entry.parent is None or not entry.parent.existed_before or entry.values.get("retried"):
        return None
    jobs = entry.world.jobs.where("latest", pipeline.id)
    return next((job for job in jobs if job.name == entry.values["name"]), None)


def _update(entry: Entry, job: Job, values: EntryData) -> Job:
    entry.ctx.cancel_tasks(("jobs", job.id))
    return entry.world.jobs.change(job, **values)


def _create_new(entry: Entry, pipeline: Pipeline, values: EntryData) -> Job:
    created_at = entry.values.get("created_at") or (entry.ctx.now_iso if _is_old(entry) else pipeline.created_at)
    defaults = {
        "stage_index": next_stage_index(entry.world.jobs.where("pipeline", pipeline.id), values.get("stage", "test")),
        "kind": "bridge" if values.get("trigger") else "build",
        "ref": pipeline.ref,
        "tag": pipeline.tag,
        "user_id": pipeline.user_id,
        "created_at": created_at,
        "updated_at": created_at,
        **_default_times(values, created_at),
    }
    table = entry.world.jobs
    ids = {"id": table.next_id(), "pipeline_id": pipeline.id, "project_id": pipeline.project_id}
    return table.add(Job(**{**defaults, **values, **ids}))


def _is_old(entry: Entry) -> bool:
    return entry.parent is not None and entry.parent.existed_before


def next_stage_index(jobs: Sequence[Job], stage: str) -> int:
    """Return the position of a stage of a pipeline with some jobs: after all others if it is new."""
    own = next((job.stage_index for job in jobs if job.stage == stage), None)
    return max((job.stage_index for job in jobs), default=-1) + 1 if own is None else own


def _default_times(values: EntryData, created_at: str) -> EntryData:
    """Return default times: a job was queued and started when it was created, and ended when it was last updated."""
    status = values.get("status")
    if status not in ("pending", "running", *ENDED):
        return {}
    times = {"queued_at": created_at}
    if status != "pending":
        times["started_at"] = created_at
    if status in ENDED:
        times["finished_at"] = values.get("updated_at", created_at)
    return times


def _read_fields(entry: Entry) -> EntryData:
    values = entry.select(_FIELDS)
    if "variables" in values:
        values["variables"] = tuple(values["variables"].items())
    return build_fields(Job, values)


def _resolve_references(entry: Entry) -> EntryData:
    references: EntryData = {}
    for key in ("user", "erased_by"):
        if key in entry.values:
            user = entry.user_or_none(key)
            references[f"{key}_id"] = user.id if user else None
    return references


def _link_downstream(entry: Entry, job: Job) -> None:
    """Connect a bridge and the pipeline that it created."""
    name = entry.values.get("downstream_pipeline")
    if name is None:
        return
    path, _, iid = name.rpartition("#")
    project = entry.loader.find("project", path)
    downstream = entry.world.pipelines.find("iid", (project.id, int(iid))) if project and iid.isdecimal() else None
    if downstream is None:
        entry.fail(f"unknown pipeline {name!r}", "downstream_pipeline")
    entry.world.pipelines.change(downstream, source_job_id=job.id)
    entry.world.jobs.change(job, downstream_pipeline_id=downstream.id)


def _export(world: World, pipeline: Pipeline) -> Iterable[tuple[Job, EntryData]] | None:
    jobs = world.jobs.where("pipeline", pipeline.id)
    return [(job, _serialize(world, pipeline, job, jobs[:index])) for index, job in enumerate(jobs)] or None


def _serialize(world: World, pipeline: Pipeline, job: Job, earlier: Sequence[Job]) -> EntryData:
    data = serialization.remove_defaults(
        serialization.non_default_fields(job, _FIELDS, always=("status", "stage_index", *_TIMES)),
        stage_index=next_stage_index(earlier, job.stage),
        kind="bridge" if job.is_bridge else "build",
        ref=pipeline.ref,
        tag=pipeline.tag,
        created_at=pipeline.created_at,
        updated_at=job.created_at,
    )
    return {**data, **_serialize_references(world, pipeline, job), **creation_order.turn_of(world, "jobs", job.id)}


def _serialize_references(world: World, pipeline: Pipeline, job: Job) -> EntryData:
    references: EntryData = {}
    if job.variables:
        references["variables"] = dict(job.variables)
    if job.user_id != pipeline.user_id:
        references["user"] = serialization.username_of(world, job.user_id)
    if job.erased_by_id is not None:
        references["erased_by"] = serialization.username_of(world, job.erased_by_id)
    downstream = world.pipelines.get(job.downstream_pipeline_id) if job.downstream_pipeline_id is not None else None
    if downstream is not None:
        path = project_path(world, world.projects[downstream.project_id])
        references["downstream_pipeline"] = f"{path}#{downstream.iid}"
    return references


SECTION: Final = Section(
    "jobs",
    within=("pipeline",),
    rank=ALERTS,
    keys=Object(
        {
            **_FIELDS,
            "user": NULLABLE_TEXT,
            "erased_by": NULLABLE_TEXT,
            "downstream_pipeline": NULLABLE_TEXT,
            creation_order.KEY: COUNT,
        },
        required=("name",),
        descriptions={
            "stage_index": "The position of the stage. Default: the order in which stages first appear.",
            "kind": "Default: bridge with a trigger, else build.",
            "status": "Default: the job starts as soon as its turn comes.",
            "queued_at": "Default: created_at, if the job was queued according to its status.",
            "started_at": "Default: created_at, if the job has run according to its status.",
            "finished_at": "Default: updated_at, if the job has ended according to its status.",
            "user": "Username. Default: the user of the pipeline.",
            "erased_by": "Username.",
            "downstream_pipeline": "The pipeline that the job created, as acme/site#7 with its iid.",
            creation_order.KEY: creation_order.DESCRIPTION,
        },
    ),
    create=_create,
    export=_export,
    kind="job",
    record=Job,
)
