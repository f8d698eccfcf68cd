"""Pipelines of commits: creation, lookup by commit and merge request, and changes of status.

The pipelines of a merge request are those created for it, and those of its commits on its source branch. Its head
pipeline is the newest one for its newest commit; pipelines created for the merge request come first.
Source: docs/platform/pipelines-jobs.md, docs/platform/merge-requests.md.
"""

from collections.abc import Collection, Iterable, Sequence
from itertools import count
from typing import Any, Final, Required, TypedDict, Unpack

from fakeplat.ci_config.jobs import OnJobFailure, OnNewCommit
from fakeplat.core.operations.errors import BadRequest, RecordNotFound
from fakeplat.core.timestamps import SECOND, from_iso
from fakeplat.domain import signals
from fakeplat.domain.ci import jobs, statuses
from fakeplat.domain.repository import commits
from fakeplat.domain.reviews import diff_versions
from fakeplat.domain.validation import BLANK, ValidationErrors, too_long
from fakeplat.model.ci import ENDED, Outcome, Pipeline, PipelineVariable, Source, Status
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.projects import Project
from fakeplat.model.world import World, WorldDraft
from fakeplat.policy.behaviours import WAITS_END_WITH_PIPELINES
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.descriptions import describe

KIND: Final = "pipeline"
_HAVE_RUN: Final[tuple[Status, ...]] = ("running", *ENDED)


class NewPipeline(TypedDict, total=False):
    """The fields of a new pipeline."""

    ref: Required[str]
    sha: Required[str]
    project_id: int
    iid: int | None
    created_at: str
    updated_at: str
    status: Status
    source: Source
    tag: bool
    before_sha: str
    user_id: int | None
    merge_request_id: int | None
    yaml_errors: str | None
    warnings: tuple[str, ...]
    started_at: str | None
    finished_at: str | None
    committed_at: str | None
    duration: int | None
    coverage: float | None
    protected: bool
    variables: tuple[PipelineVariable, ...]
    source_job_id: int | None
    trigger_id: int | None
    schedule_id: int | None
    auto_canceled_by_id: int | None
    auto_cancel_on_new_commit: OnNewCommit
    auto_cancel_on_job_failure: OnJobFailure
    name: str | None


def create(ctx: WriteContext, project: Project, **fields: Unpack[NewPipeline]) -> Pipeline:
    """Create a pipeline from fields of the record, at least a ref and a sha, without permission checks."""
    (pipeline,) = create_many(ctx, project, [fields])
    return pipeline


def create_many(ctx: WriteContext, project: Project, rows: Sequence[NewPipeline]) -> list[Pipeline]:
    """Create pipelines of a project without emitting events."""
    table, now = ctx.world.pipelines, ctx.now_iso
    # Ids are taken from a count, because all records are added at once; ``count`` has no end, so zip cannot be strict.
    numbered = zip(count(table.next_id()), rows, strict=False)
    pipelines = [Pipeline(**_pipeline_fields(ctx.world, id_, project, now, row)) for id_, row in numbered]
    table.add_many(pipelines)
    return pipelines


def _pipeline_fields(world: WorldDraft, id_: int, project: Project, now: str, row: NewPipeline) -> dict[str, Any]:
    created_at = row.get("created_at", now)
    times = {"created_at": created_at, "updated_at": created_at}
    return {**times, **row, "id": id_, "project_id": project.id, "iid": _reserve_iid(world, project, row.get("iid"))}


def _reserve_iid(world: WorldDraft, project: Project, requested: int | None) -> int:
    if requested is None:
        return world.next(KIND, project.id)
    # The counter moves on, so that no later pipeline gets the same iid.
    world.raise_counter(requested, KIND, project.id)
    return requested


def update_status(ctx: WriteContext, pipeline: Pipeline) -> Pipeline:
    """Set the status of a pipeline to that of its jobs; a pipeline without jobs keeps its own."""
    return set_status_of_outcomes(ctx, pipeline, jobs.find_first_stages(ctx.world, pipeline.id))


def set_status_of_outcomes(ctx: WriteContext, pipeline: Pipeline, outcomes: Collection[Outcome]) -> Pipeline:
    """Set the status of a pipeline to that of jobs that count as these; without jobs it keeps its own."""
    return set_status(ctx, pipeline, statuses.combine(outcomes)) if outcomes else pipeline


def set_status(ctx: WriteContext, pipeline: Pipeline, status: Status) -> Pipeline:
    """Change the status of a pipeline, record its times and continue merge requests that wait for it.

    This is the only function that changes a status.
    """
    if status == "pending" and pipeline.status in _HAVE_RUN:
        # Only its jobs are queued again.
        status = "running"
    if status == pipeline.status:
        return pipeline
    changed = ctx.world.pipelines.change(
        pipeline, status=status, updated_at=ctx.now_iso, **_run_times(ctx, pipeline, status)
    )
    signals.pipeline_status_changed.send(ctx, pipeline, changed)
    # A receiver may have changed the pipeline again.
    return ctx.world.pipelines[changed.id]


def _run_times(ctx: WriteContext, pipeline: Pipeline, status: Status) -> dict[str, Any]:
    """Return the start and end fields for a status; a pipeline that is resumed has no end."""
    if status in ENDED:
        return {"finished_at": ctx.now_iso, "duration": measure_duration(ctx, pipeline)}
    started = {"started_at": ctx.now_iso} if status == "running" and pipeline.started_at is None else {}
    return {**started, "finished_at": None, "duration": None}


def measure_duration(ctx: WriteContext, pipeline: Pipeline) -> int | None:
    """Return the seconds in which at least one job was running or, without jobs, those since the start."""
    periods = [
        (from_iso(job.started_at), from_iso(job.finished_at) if job.finished_at else ctx.now())
        for job in jobs.get_latest(ctx.world, pipeline.id)
        if job.started_at is not None
    ]
    if not periods and pipeline.started_at is not None:
        return (ctx.now() - from_iso(pipeline.started_at)) // SECOND
    return measure_periods(periods)


def measure_wait(ctx: ReadContext, pipeline: Pipeline) -> int | None:
    """Return the seconds from the creation to the start; None if a pipeline has not started.

    In later releases, one that ended without a start waited until then, and no wait is None, too.
    """
    is_later = ctx.profile.has(WAITS_END_WITH_PIPELINES)
    end = pipeline.started_at or (pipeline.finished_at if is_later else None)
    if end is None:
        return None
    seconds = (from_iso(end) - from_iso(pipeline.created_at)) // SECOND
    return None if is_later and seconds == 0 else seconds


def measure_periods(periods: Iterable[tuple[int, int]]) -> int | None:
    """Return the seconds that are in at least one of some periods (ms); None without periods."""
    total, end = 0, None
    for started, finished in sorted(periods):
        # Periods may overlap; only the part after the previous ones counts.
        total += max(0, finished - max(started, end or 0))
        end = max(finished, end or 0)
    return None if end is None else total // SECOND


def find_coverage(world: World, pipeline: Pipeline) -> float | None:
    """Return the coverage of a pipeline in percent: its own, or the average of its jobs that have one."""
    if pipeline.coverage is not None:
        return pipeline.coverage
    values = [job.coverage for job in world.jobs.where("latest", pipeline.id) if job.coverage is not None]
    return sum(values) / len(values) if values else None


def get_pipeline(world: World, project: Project, id_: int) -> Pipeline:
    """Return a pipeline of a project, also a child pipeline, or raise 404."""
    pipeline = world.pipelines.get(id_)
    if pipeline is None or pipeline.project_id != project.id:
        raise RecordNotFound(reason=lambda: f"{describe(world, project)} has no pipeline {id_}")
    return pipeline


def find_latest_by_commit(world: World, project: Project, sha: str, ref: str | None = None) -> Pipeline | None:
    """Return the newest pipeline of a commit, or of a commit and a ref; child pipelines do not count."""
    pipelines = world.pipelines.where("commit", (project.id, sha)).in_reverse()
    return next((pipeline for pipeline in pipelines if not pipeline.is_dangling and ref in (None, pipeline.ref)), None)


def find_latest_by_ref(world: World, project: Project, ref: str) -> Pipeline | None:
    """Return the newest pipeline of a ref for the commit that it has now."""
    commit = commits.find_commit(world, project, ref)
    return find_latest_by_commit(world, project, commit.commit.sha, ref) if commit is not None else None


def find_latest_successful(world: World, project: Project, ref: str) -> Pipeline | None:
    """Return the newest successful pipeline of a ref."""
    key = (project.id, "ref and status", ref, "success")
    return world.pipelines.newest("facts", key)


def list_by_merge_request(world: World, merge_request: MergeRequest) -> list[Pipeline]:
    """Return all pipelines of a merge request: those created for it, then those of its commits; newest first."""
    created_for = list(world.pipelines.where("merge_request", merge_request.id).in_reverse())
    others = _list_source_branch_pipelines(world, merge_request)
    # The commits of all versions may require building the repository, and are only needed to select among others.
    shas = _all_commit_shas(world, merge_request) if others else ()
    return created_for + [pipeline for pipeline in others if pipeline.sha in shas]


def head_pipeline(world: World, merge_request: MergeRequest) -> Pipeline | None:
    """Return the newest pipeline for a merge request's newest commit."""
    created_for = world.pipelines.where("merge_request", merge_request.id).in_reverse()
    candidates = [*created_for, *_list_source_branch_pipelines(world, merge_request)]
    # The head commit may require building the repository: skip it when there is no pipeline.
    head = diff_versions.head_sha(world, merge_request) if candidates else None
    return next((pipeline for pipeline in candidates if pipeline.sha == head), None)


def latest_started(world: World, merge_request: MergeRequest) -> Pipeline | None:
    """Return the newest pipeline of a merge request that was started."""
    created_for = world.pipelines.where("merge_request", merge_request.id).in_reverse()
    begun = [pipeline for pipeline in created_for if pipeline.has_begun]
    if begun:
        return begun[0]
    others = [other for other in _list_source_branch_pipelines(world, merge_request) if other.has_begun]
    # Mostly the newest one is for the newest commit, and the others need not be listed.
    if others and others[0].sha == diff_versions.head_sha(world, merge_request):
        return others[0]
    shas = _all_commit_shas(world, merge_request) if others else ()
    return next((pipeline for pipeline in others if pipeline.sha in shas), None)


def _list_source_branch_pipelines(world: World, merge_request: MergeRequest) -> list[Pipeline]:
    key = (merge_request.source_project_id, merge_request.source_branch)
    pipelines = world.pipelines.where("ref", key).in_reverse()
    return [pipeline for pipeline in pipelines if not pipeline.tag and pipeline.merge_request_id is None]


def _all_commit_shas(world: World, merge_request: MergeRequest) -> set[str]:
    """Return the hashes of all commits that a merge request ever had."""
    versions = diff_versions.list_versions(world, merge_request)
    refs = [diff_versions.refs_of(world, version) for version in versions]
    return {
        listed.commit.sha
        for version_refs in refs
        for listed in diff_versions.list_commits(world, merge_request, version_refs)
    }


def list_related_merge_requests(world: World, pipeline: Pipeline) -> list[MergeRequest]:
    """Return the merge requests of a pipeline's branch that have its commit, newest first."""
    found = [
        candidate
        for candidate in world.merge_requests.where("source_project", pipeline.project_id)
        if candidate.source_branch == pipeline.ref and pipeline.sha in _all_commit_shas(world, candidate)
    ]
    return sorted(found, key=lambda merge_request: -merge_request.id)


def list_waiting(world: World, pipeline: Pipeline) -> list[MergeRequest]:
    """Return the open merge requests whose head pipeline this is."""
    if pipeline.merge_request_id is not None:
        merge_request = world.merge_requests.get(pipeline.merge_request_id)
        candidates: Iterable[MergeRequest] = (
            [merge_request] if merge_request is not None and merge_request.is_open else []
        )
    else:
        # Several merge requests can have the same source branch, with different targets.
        candidates = list(world.merge_requests.where("open_from", (pipeline.project_id, pipeline.ref)))
    return [
        candidate
        for candidate in candidates
        if (head := head_pipeline(world, candidate)) is not None and head.id == pipeline.id
    ]


def rename(ctx: WriteContext, pipeline: Pipeline, name: str) -> Pipeline:
    """Change the name of a pipeline, or refuse with 400."""
    errors = ValidationErrors()
    errors.when(not name.strip(), "name", BLANK)
    too_long(errors, "name", name)
    if errors:
        raise BadRequest(f"Failed to update pipeline - {', '.join(errors.full_messages())}")
    return ctx.world.pipelines.change(pipeline, name=name)
