"""Pipelines of commits: the newest of each, which of them are a merge request's, and the one place where they move.

A merge request's pipelines are those that were made for it, and those of its commits on its source branch. Its head
pipeline is the newest of them that is of its newest commit; those made for it come first.
Source: docs/platform/pipelines-jobs.md, docs/platform/merge-requests.md.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any, Final

from fakeplat.core.operations.errors import NotAllowed, NotBuilt
from fakeplat.core.stamps import SECOND, moment
from fakeplat.domain.merge_requests import diff_versions, merge_requests
from fakeplat.domain.repository import repositories
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.pipelines import ENDED, Pipeline, Status
from fakeplat.model.projects import Project
from fakeplat.model.world import World, WorldDraft
from fakeplat.policy.context import Doing

if TYPE_CHECKING:
    from fakeplat.git.repository import Repository as Git

KIND: Final = "pipeline"
CI_FILE: Final = ".gitlab-ci.yml"
ON_STATUS: Final[list[Callable[[Doing, Pipeline, Pipeline], None]]] = []
"""What other areas do when a pipeline came to another status (before, after)."""


def create(cx: Doing, project: Project, **fields: Any) -> Pipeline:
    """Make a pipeline from fields of the record, a ref and a sha at least; nobody's rights are asked."""
    (made,) = create_many(cx, project, [fields])
    cx.emit("pipeline_created", made)
    return made


def create_many(cx: Doing, project: Project, rows: Sequence[Mapping[str, Any]]) -> list[Pipeline]:
    """Make pipelines of a project that nobody is told of."""
    table, now = cx.world.pipelines, cx.instant
    numbered = zip(count(table.next_id()), rows, strict=False)
    made = [Pipeline(**_settled(cx.world, id_, project, now, row)) for id_, row in numbered]
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


def set_status(cx: Doing, pipeline: Pipeline, status: Status) -> Pipeline:
    """Bring a pipeline to another status: times are noted, it is told, and merge requests that wait for it go on.

    Every change of a status comes this way.
    """
    if status == pipeline.status:
        return pipeline
    changed = cx.world.pipelines.change(pipeline, status=status, updated_at=cx.instant, **_times(cx, pipeline, status))
    cx.emit("pipeline_status_changed", (changed, pipeline.status))
    for follow in ON_STATUS:
        follow(cx, pipeline, changed)
    return cx.world.pipelines[changed.id]


def _times(cx: Doing, pipeline: Pipeline, status: Status) -> dict[str, Any]:
    """When it started and ended; what goes on after all has not ended."""
    if status in ENDED:
        took = (cx.now() - moment(pipeline.started_at)) // SECOND if pipeline.started_at else None
        return {"finished_at": cx.instant, "duration": took}
    started = {"started_at": cx.instant} if status == "running" and pipeline.started_at is None else {}
    return {**started, "finished_at": None, "duration": None}


def of_commit(world: World, project: Project, sha: str) -> Pipeline | None:
    """The newest pipeline of a commit."""
    return next(iter(world.pipelines.where("commit", (project.id, sha)).backwards()), None)


def of_merge_request(world: World, merge_request: MergeRequest) -> list[Pipeline]:
    """All pipelines of a merge request: those made for it, then those of its commits; each the newest first."""
    own = list(world.pipelines.where("merge_request", merge_request.id).backwards())
    others = _of_source_branch(world, merge_request)
    shas = _shas(world, merge_request) if others else ()
    return own + [one for one in others if one.sha in shas]


def head_of(world: World, merge_request: MergeRequest) -> Pipeline | None:
    """The pipeline of a merge request's newest commit."""
    own = world.pipelines.where("merge_request", merge_request.id).backwards()
    found = [*own, *_of_source_branch(world, merge_request)]
    head = diff_versions.head(world, merge_request) if found else None
    return next((one for one in found if one.sha == head), None)


def begun_of(world: World, merge_request: MergeRequest) -> Pipeline | None:
    """The newest pipeline of a merge request that ran."""
    return next((one for one in of_merge_request(world, merge_request) if one.has_begun), None)


def _of_source_branch(world: World, merge_request: MergeRequest) -> list[Pipeline]:
    key = (merge_request.source_project_id, merge_request.source_branch)
    found = world.pipelines.where("ref", key).backwards()
    return [one for one in found if not one.tag and one.merge_request_id is None]


def _shas(world: World, merge_request: MergeRequest) -> set[str]:
    """The commits that a merge request ever had."""
    versions = diff_versions.every(world, merge_request)
    refs = [diff_versions.refs_of(world, version) for version in versions]
    return {one.commit.sha for found in refs for one in diff_versions.commits(world, merge_request, found)}


def waiting_for(world: World, pipeline: Pipeline) -> list[MergeRequest]:
    """The open merge requests whose head pipeline it is."""
    if pipeline.merge_request_id is not None:
        own = world.merge_requests.get(pipeline.merge_request_id)
        near: Iterable[MergeRequest] = [own] if own is not None and own.is_open else []
    else:
        near = list(world.merge_requests.where("open_from", (pipeline.project_id, pipeline.ref)))
    return [one for one in near if (head := head_of(world, one)) is not None and head.id == pipeline.id]


def create_for(cx: Doing, merge_request: MergeRequest) -> Pipeline:
    """Make a pipeline for a merge request: 405 where nothing would come of it, 501 where something would."""
    refs = diff_versions.refs(cx.world, merge_request)
    if not diff_versions.commits(cx.world, merge_request, refs) or refs is None:
        raise NotAllowed(reason="the merge request has no commits")
    source = cx.world.projects.get(merge_request.source_project_id or 0)
    if source is None or not _is_configured(repositories.opened(cx.world, source), source, refs.head):
        raise NotAllowed(reason=f"{ci_path(source) if source else CI_FILE} is not there at {refs.head}")
    raise NotBuilt("create_merge_request_pipeline")


def ci_path(project: Project) -> str:
    """Where the configuration of a project's pipelines stands."""
    return project.ci_config_path or CI_FILE


def _is_configured(git: "Git", project: Project, sha: str) -> bool:
    """Whether there is a configuration; one that stands elsewhere (``path@group/project``, a URL) is taken as there."""
    path = ci_path(project)
    return "@" in path or "://" in path or git.entry(sha, path) is not None


def drop(cx: Doing, project: Project) -> None:
    """Remove all pipelines of a project that goes."""
    _remove(cx, cx.world.pipelines.where("project", project.id))


def _remove(cx: Doing, found: Iterable[Pipeline]) -> None:
    for pipeline in list(found):
        cx.cancel(("pipelines", pipeline.id))
        cx.world.pipelines.remove(pipeline)


def _follow_removal(cx: Doing, merge_request: MergeRequest) -> None:
    _remove(cx, cx.world.pipelines.where("merge_request", merge_request.id))


merge_requests.ON_REMOVE.append(_follow_removal)
