"""Pipelines of projects, for a given commit or for the commit of the ref."""

from collections.abc import Sequence
from typing import Final

from fakeplat.core.schema.mistakes import nearest_name
from fakeplat.core.schema.records import build_fields
from fakeplat.core.schema.shapes import COUNT, NULLABLE_TEXT, Integer, Nullable, Number
from fakeplat.core.timestamps import SECOND, from_iso
from fakeplat.domain.ci import jobs, pipelines, statuses
from fakeplat.domain.people.namespaces import project_path
from fakeplat.domain.repository import protection, repositories
from fakeplat.model.ci import ENDED, Job, Pipeline
from fakeplat.model.projects import Project
from fakeplat.model.repository import BRANCHES, TAGS
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section, own_fields
from fakeplat.scenario.section import ALERTS, EntryData
from fakeplat.scenario.sections import serialization
from fakeplat.scenario.sections.merge_requests.merge_requests import get_merge_request

_FIELDS: Final = own_fields(
    Pipeline,
    iid=Integer(minimum=1),
    duration=Nullable(COUNT),
    coverage=Nullable(Number(minimum=0)),
)
_RUN_TIMES: Final = ("started_at", "finished_at", "duration")


def _create(entry: Entry) -> Pipeline:
    project, fields_ = entry.owner, {**build_fields(Pipeline, entry.select(_FIELDS)), **_resolve_references(entry)}
    existing = entry.world.pipelines.find("iid", (project.id, entry.values["iid"])) if "iid" in entry.values else None
    pipeline = _create_new(entry, project, fields_) if existing is None else _update_existing(entry, existing, fields_)
    if "jobs" in entry.subsections and "status" not in entry.values:
        entry.defer(lambda: _follow_jobs(entry, entry.record(), is_new=existing is None))
    if entry.values.get("auto_canceled_by") is not None:
        entry.defer(lambda: _link_canceling_pipeline(entry, entry.record()))
    return pipeline


def _create_new(entry: Entry, project: Project, fields_: EntryData) -> Pipeline:
    fields_.setdefault("ref", project.default_branch)
    if fields_["ref"] is None:
        entry.fail("needs 'ref'")
    if "sha" not in fields_:
        # The commit is needed now, so the repository of the project is built here.
        fields_["sha"] = resolve_ref(entry, project, fields_["ref"], tag=fields_.get("tag", False))
    fields_.setdefault("created_at", entry.created_at)
    is_protected = protection.is_protected(entry.world, project, fields_["ref"], tag=fields_.get("tag", False))
    fields_.setdefault("protected", is_protected)
    return pipelines.create(entry.ctx, project, **{**_default_times(fields_), **fields_})


def _update_existing(entry: Entry, pipeline: Pipeline, fields_: EntryData) -> Pipeline:
    """Update a pipeline. A change of status has its usual effects, such as merging a waiting merge request."""
    # A change of status sets these times itself, so those of the entry are applied afterwards.
    times = {name: fields_.pop(name) for name in (*_RUN_TIMES, "updated_at") if name in fields_}
    status = fields_.pop("status", pipeline.status)
    updated = pipelines.set_status(entry.ctx, entry.world.pipelines.change(pipeline, **fields_), status)
    return entry.world.pipelines.change(updated, **times)


def _follow_jobs(entry: Entry, pipeline: Pipeline, *, is_new: bool) -> None:
    """Set the status that follows from the jobs; for a pipeline that existed before with its usual effects."""
    if is_new:
        members = jobs.list_latest(entry.world, pipeline.id)
        entry.world.pipelines.change(pipeline, **_fields_from_jobs(entry.ctx, pipeline, members))
    else:
        pipelines.update_status(entry.ctx, pipeline)


def _fields_from_jobs(ctx: WriteContext, pipeline: Pipeline, members: Sequence[Job]) -> EntryData:
    """Return the status and the times of a pipeline whose jobs were declared."""
    status = statuses.combine_jobs(members)
    starts = [job.started_at for job in members if job.started_at]
    ends = [job.finished_at for job in members if job.finished_at]
    found: EntryData = {"status": status, "started_at": min(starts, default=None)}
    if status in ENDED:
        found |= {"finished_at": max(ends, default=None), "duration": pipelines.measure_duration(ctx, pipeline)}
    return {name: value for name, value in found.items() if getattr(pipeline, name) is None or name == "status"}


def _link_canceling_pipeline(entry: Entry, pipeline: Pipeline) -> None:
    entry.world.pipelines.change(pipeline, auto_canceled_by_id=find_pipeline_id(entry, "auto_canceled_by"))


def find_pipeline_id(entry: Entry, key: str) -> int | None:
    """Return the id of the pipeline of the entry's project whose iid a key has, if it has one."""
    iid = entry.values.get(key)
    if iid is None:
        return None
    pipeline = entry.world.pipelines.find("iid", (entry.owner.id, iid))
    if pipeline is None:
        entry.fail(f"unknown pipeline {iid}", key)
    return pipeline.id


def serialize_pipeline(world: World, id_: int | None) -> int | None:
    """Return the iid of the pipeline with an id, if it is still there."""
    pipeline = world.pipelines.get(id_) if id_ is not None else None
    return pipeline.iid if pipeline is not None else None


def _default_times(fields_: EntryData) -> EntryData:
    """Return default times: a pipeline started when it was created, and ended when it was last updated."""
    status, created_at = fields_.get("status"), fields_["created_at"]
    if status not in ("running", *ENDED):
        return {}
    if status == "running":
        return {"started_at": created_at}
    started, finished = (
        fields_.get("started_at", created_at),
        fields_.get("finished_at", fields_.get("updated_at", created_at)),
    )
    duration = (from_iso(finished) - from_iso(started)) // SECOND if started and finished else None
    return {"started_at": started, "finished_at": finished, "duration": duration}


def _resolve_references(entry: Entry) -> EntryData:
    references: EntryData = {}
    if "user" in entry.values:
        user = entry.user_or_none("user")
        references["user_id"] = user.id if user else None
    if entry.values.get("merge_request") is not None:
        references["merge_request_id"] = get_merge_request(entry, entry.values["merge_request"], "merge_request").id
        references["source"] = entry.values.get("source", "merge_request_event")
    return references


def resolve_ref(entry: Entry, project: Project, ref: str, *, tag: bool) -> str:
    """Return the hash of the commit of a branch or tag."""
    git, prefix = repositories.open_repository(entry.world, project), TAGS if tag else BRANCHES
    if prefix + ref not in git.refs:
        entry.fail(
            f"unknown {'tag' if tag else 'branch'} {ref!r}",
            "ref",
            nearest_name(ref, git.tags() if tag else git.branches()),
        )
    return git.commit(prefix + ref).sha


def _serialize(world: World, pipeline: Pipeline) -> EntryData:
    data = serialization.remove_defaults(
        serialization.non_default_fields(pipeline, _FIELDS, always=("status", *_RUN_TIMES)),
        updated_at=pipeline.created_at,
    )
    user = serialization.username_of(world, pipeline.user_id)
    project = world.projects[pipeline.project_id]
    data.pop("protected", None)
    is_protected = protection.is_protected(world, project, pipeline.ref, tag=pipeline.tag)
    return {
        **data,
        **({} if pipeline.protected is is_protected else {"protected": pipeline.protected}),
        **({"user": user} if user else {}),
        **_serialize_merge_request(world, pipeline),
        **_serialize_canceling_pipeline(world, pipeline),
    }


def _serialize_merge_request(world: World, pipeline: Pipeline) -> EntryData:
    merge_request = (
        world.merge_requests.get(pipeline.merge_request_id) if pipeline.merge_request_id is not None else None
    )
    if merge_request is None:
        return {}
    path = project_path(world, world.projects[merge_request.project_id])
    return {"merge_request": f"{path}!{merge_request.iid}", "source": pipeline.source}


def _serialize_canceling_pipeline(world: World, pipeline: Pipeline) -> EntryData:
    id_ = pipeline.auto_canceled_by_id
    canceling = world.pipelines.get(id_) if id_ is not None else None
    return {} if canceling is None else {"auto_canceled_by": canceling.iid}


SECTION: Final = derive_section(
    "pipelines",
    Pipeline,
    within=("project",),
    rank=ALERTS,
    keys=_FIELDS,
    further_keys={"user": NULLABLE_TEXT, "merge_request": NULLABLE_TEXT, "auto_canceled_by": Integer(minimum=1)},
    descriptions={
        "status": "Default: the status that follows from the jobs, or created without jobs.",
        "auto_canceled_by": "The iid of the newer pipeline for which this one was canceled.",
        "started_at": "Default: created_at, if the pipeline has run according to its status.",
        "finished_at": "Default: updated_at, if the pipeline has ended according to its status.",
        "protected": "If the ref was protected when the pipeline was created. Default: if it is protected.",
        "ref": "A branch or, with tag, a tag. Default: the default branch.",
        "sha": "Full commit hash. Default: the commit of the ref.",
        "user": "Username.",
        "merge_request": "The merge request for which it was created, as acme/site!7.",
    },
    create=_create,
    serialize=_serialize,
    keeps_order=True,
    identity_key="iid",
    kind="pipeline",
)
