"""Pipelines of commits: the newest of each, which of them are a merge request's, and the one place where they move.

A merge request's pipelines are those that were made for it, and those of its commits on its source branch. Its head
pipeline is the newest of them that is of its newest commit; those made for it come first.
Source: docs/platform/pipelines-jobs.md, docs/platform/merge-requests.md.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any, Final

from fakeplat.core.operations.errors import MethodNotAllowed, OperationNotImplemented
from fakeplat.core.timestamps import SECOND, from_iso
from fakeplat.domain import signals
from fakeplat.domain.merge_requests import diff_versions
from fakeplat.domain.repository import repositories
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.pipelines import ENDED, Pipeline, Status
from fakeplat.model.projects import Project
from fakeplat.model.world import World, WorldDraft
from fakeplat.policy.context import WriteContext

if TYPE_CHECKING:
    from fakeplat.git.repository import Repository as Git

KIND: Final = "pipeline"
CI_FILE: Final = ".gitlab-ci.yml"


def create(ctx: WriteContext, project: Project, **fields: Any) -> Pipeline:
    """Make a pipeline from fields of the record, a ref and a sha at least; nobody's rights are asked."""
    (made,) = create_many(ctx, project, [fields])
    ctx.emit("pipeline_created", made)
    return made


def create_many(ctx: WriteContext, project: Project, rows: Sequence[Mapping[str, Any]]) -> list[Pipeline]:
    """Make pipelines of a project that nobody is told of."""
    table, now = ctx.world.pipelines, ctx.now_iso
    numbered = zip(count(table.next_id()), rows, strict=False)
    made = [Pipeline(**_settled(ctx.world, id_, project, now, row)) for id_, row in numbered]
    table.add_many(made)
    return made


def _settled(world: WorldDraft, id_: int, project: Project, now: str, row: Mapping[str, Any]) -> dict[str, Any]:
    created_at = row.get("created_at", now)
    usual = {"created_at": created_at, "updated_at": created_at}
    return {**usual, **row, "id": id_, "project_id": project.id, "iid": _iid(world, project, row.get("iid"))}


def _iid(world: WorldDraft, project: Project, said: int | None) -> int:
    if said is None:
        return world.next(KIND, project.id)
    world.raise_to(said, KIND, project.id)
    return said


def set_status(ctx: WriteContext, pipeline: Pipeline, status: Status) -> Pipeline:
    """Bring a pipeline to another status: times are noted, it is told, and merge requests that wait for it go on.

    Every change of a status comes this way.
    """
    if status == pipeline.status:
        return pipeline
    changed = ctx.world.pipelines.change(
        pipeline, status=status, updated_at=ctx.now_iso, **_times(ctx, pipeline, status)
    )
    ctx.emit("pipeline_status_changed", (changed, pipeline.status))
    signals.pipeline_status_changed.send(ctx, pipeline, changed)
    return ctx.world.pipelines[changed.id]


def _times(ctx: WriteContext, pipeline: Pipeline, status: Status) -> dict[str, Any]:
    """When it started and ended; what goes on after all has not ended."""
    if status in ENDED:
        took = (ctx.now() - from_iso(pipeline.started_at)) // SECOND if pipeline.started_at else None
        return {"finished_at": ctx.now_iso, "duration": took}
    started = {"started_at": ctx.now_iso} if status == "running" and pipeline.started_at is None else {}
    return {**started, "finished_at": None, "duration": None}


def list_by_commit(world: World, project: Project, sha: str) -> Pipeline | None:
    """The newest pipeline of a commit."""
    return next(iter(world.pipelines.where("commit", (project.id, sha)).backwards()), None)


def list_by_merge_request(world: World, merge_request: MergeRequest) -> list[Pipeline]:
    """All pipelines of a merge request: those made for it, then those of its commits; each the newest first."""
    own = list(world.pipelines.where("merge_request", merge_request.id).backwards())
    others = _of_source_branch(world, merge_request)
    shas = _shas(world, merge_request) if others else ()
    return own + [one for one in others if one.sha in shas]


def head_pipeline(world: World, merge_request: MergeRequest) -> Pipeline | None:
    """The pipeline of a merge request's newest commit."""
    own = world.pipelines.where("merge_request", merge_request.id).backwards()
    found = [*own, *_of_source_branch(world, merge_request)]
    head = diff_versions.head_sha(world, merge_request) if found else None
    return next((one for one in found if one.sha == head), None)


def latest_started(world: World, merge_request: MergeRequest) -> Pipeline | None:
    """The newest pipeline of a merge request that ran."""
    return next((one for one in list_by_merge_request(world, merge_request) if one.has_begun), None)


def _of_source_branch(world: World, merge_request: MergeRequest) -> list[Pipeline]:
    key = (merge_request.source_project_id, merge_request.source_branch)
    found = world.pipelines.where("ref", key).backwards()
    return [one for one in found if not one.tag and one.merge_request_id is None]


def _shas(world: World, merge_request: MergeRequest) -> set[str]:
    """The commits that a merge request ever had."""
    versions = diff_versions.list_versions(world, merge_request)
    refs = [diff_versions.refs_of(world, version) for version in versions]
    return {one.commit.sha for found in refs for one in diff_versions.list_commits(world, merge_request, found)}


def list_waiting(world: World, pipeline: Pipeline) -> list[MergeRequest]:
    """The open merge requests whose head pipeline it is."""
    if pipeline.merge_request_id is not None:
        own = world.merge_requests.get(pipeline.merge_request_id)
        near: Iterable[MergeRequest] = [own] if own is not None and own.is_open else []
    else:
        near = list(world.merge_requests.where("open_from", (pipeline.project_id, pipeline.ref)))
    return [one for one in near if (head := head_pipeline(world, one)) is not None and head.id == pipeline.id]


def create_for(ctx: WriteContext, merge_request: MergeRequest) -> Pipeline:
    """Make a pipeline for a merge request: 405 where nothing would come of it, 501 where something would."""
    refs = diff_versions.latest_refs(ctx.world, merge_request)
    if not diff_versions.list_commits(ctx.world, merge_request, refs) or refs is None:
        raise MethodNotAllowed(reason="the merge request has no commits")
    source = ctx.world.projects.get(merge_request.source_project_id or 0)
    if source is None or not _is_configured(repositories.open_repository(ctx.world, source), source, refs.head):
        raise MethodNotAllowed(reason=f"{ci_path(source) if source else CI_FILE} is not there at {refs.head}")
    raise OperationNotImplemented("create_merge_request_pipeline")


def ci_path(project: Project) -> str:
    """Where the configuration of a project's pipelines stands."""
    return project.ci_config_path or CI_FILE


def _is_configured(git: "Git", project: Project, sha: str) -> bool:
    """Whether there is a configuration; one that stands elsewhere (``path@group/project``, a URL) is taken as there."""
    path = ci_path(project)
    return "@" in path or "://" in path or git.entry(sha, path) is not None
