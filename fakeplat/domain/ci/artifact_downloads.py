"""Downloads of artifacts: which job of a branch or tag has them, and single files.

Source: docs/platform/artifacts.md.
"""

from collections import deque
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final, Literal

from fakeplat.core.operations.errors import (
    BadRequest,
    ContentTooLarge,
    Forbidden,
    NotFound,
    PlainTextRefusal,
    RecordNotFound,
)
from fakeplat.domain.ci import artifact_files, job_artifacts, jobs
from fakeplat.domain.ci.artifact_files import TreeEntry
from fakeplat.model.ci import Job, JobArtifact, Pipeline
from fakeplat.model.people import Level
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.authorization import level_on
from fakeplat.policy.context import ReadContext
from fakeplat.policy.descriptions import describe

_ANY_TYPE: Final = "application/octet-stream"
_TYPES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "css": "text/css; charset=utf-8",
        "csv": "text/csv; charset=utf-8",
        "gif": "image/gif",
        "gz": "application/gzip",
        "htm": "text/html; charset=utf-8",
        "html": "text/html; charset=utf-8",
        "ico": "image/vnd.microsoft.icon",
        "jpeg": "image/jpeg",
        "jpg": "image/jpeg",
        "js": "text/javascript; charset=utf-8",
        "json": "application/json",
        "log": "text/plain; charset=utf-8",
        "md": "text/markdown; charset=utf-8",
        "mp4": "video/mp4",
        "pdf": "application/pdf",
        "png": "image/png",
        "svg": "image/svg+xml",
        "tar": "application/x-tar",
        "txt": "text/plain; charset=utf-8",
        "wasm": "application/wasm",
        "webp": "image/webp",
        "xml": "text/xml; charset=utf-8",
        "zip": "application/zip",
    }
)
"""The content types of files by their extensions, as the server in front of the platform has them."""

Access = Literal["all", "developer", "maintainer", "none"]
_ACCESSES: Final[Mapping[str, Access]] = {
    "public": "all",
    "private": "developer",
    "maintainer": "maintainer",
    "none": "none",
}
_LEVELS: Final = MappingProxyType({"developer": Level.DEVELOPER, "maintainer": Level.MAINTAINER})
"""The lowest level that may download artifacts, by ``artifacts:access``."""


_MOST_RECENT: Final = 100


class EntryNotFound(PlainTextRefusal):
    """404 from the server in front of the platform, which reads the archives."""

    status = 404

    def __init__(self, *, reason: str) -> None:
        super().__init__("404 page not found\n", reason=reason)


def content_type_of(path: str) -> str:
    """Return the content type of a file by its extension, which a name without a dot does not have."""
    _, dot, extension = path.rpartition("/")[2].rpartition(".")
    return _TYPES.get(extension.lower(), _ANY_TYPE) if dot else _ANY_TYPE


def check_can_read(ctx: ReadContext, job: Job) -> None:
    """Refuse callers who may not download what a job has kept, as its configuration says; 403."""
    access = _access_of(ctx.world, job)
    if not job_artifacts.has_archive(ctx.world, job) or access == "all":
        return
    if access == "none" or level_on(ctx, ctx.world.projects[job.project_id]) < _LEVELS[access]:
        raise Forbidden(reason=f"job {job.id} has artifacts:access {access!r}")


def _access_of(world: World, job: Job) -> Access:
    """Return who may download the artifacts of a job: as the runner says, else as it is configured."""
    archive = world.job_artifacts.find("type", (job.id, "archive"))
    if archive is not None and archive.accessibility is not None:
        return _ACCESSES[archive.accessibility]
    return job.artifacts.access if job.artifacts else "all"


def get_archive(ctx: ReadContext, job: Job) -> JobArtifact:
    """Return the archive of a job, or raise 404 if it has none or it has expired."""
    archive = job_artifacts.find(ctx, job)
    if archive is None:
        raise NotFound(reason=f"job {job.id} has no archive, or it has expired")
    return archive


def read_file(ctx: ReadContext, job: Job, path: str | None) -> bytes:
    """Return a file of a job's archive. 404 without the archive or the file, 400 for a path that is no text (None)."""
    archive = get_archive(ctx, job)
    if path is None:
        raise BadRequest(reason="the path contains a null byte, or bytes that are not UTF-8")
    try:
        content = artifact_files.read_entry(archive.content, path)
    except artifact_files.EntryTooLarge as error:
        raise ContentTooLarge(reason=f"{error}; at most {artifact_files.MAX_ENTRY_SIZE} are unpacked") from None
    if content is None:
        raise EntryNotFound(reason=f"the archive of job {job.id} has no file {path!r}")
    return content


def list_tree(ctx: ReadContext, job: Job, path: str, *, recursive: bool) -> list[TreeEntry]:
    """Return what a directory of a job's archive contains; 404 without the archive, its metadata or the directory."""
    archive = job_artifacts.find(ctx, job)
    if archive is None:
        raise NotFound("Artifacts", reason=f"job {job.id} has no archive, or it has expired")
    if job_artifacts.find(ctx, job, "metadata") is None:
        raise NotFound("Artifacts metadata", reason=f"the archive of job {job.id} has no metadata")
    directory = f"{path.removesuffix('/')}/" if path.strip() else ""
    entries = artifact_files.list_tree(archive.content, directory, recursive=recursive)
    if entries is None:
        raise NotFound("Path", reason=f"the archive of job {job.id} has no directory {directory!r}")
    return entries


def get_build_of_recent_pipelines(world: World, project: Project, ref: str, name: str) -> Job:
    """Return the newest job with a name and an archive of the last 100 successful pipelines of a ref, or raise 404."""
    ids = sorted(world.pipelines.ids("facts", (project.id, "ref and status", ref, "success")), reverse=True)
    for pipeline_id in ids[:_MOST_RECENT]:
        for job in jobs.list_by_pipeline(world, pipeline_id, "build"):
            if job.name == name and job_artifacts.has_archive(world, job):
                return job
    raise NotFound("Job", reason=f"no recent successful pipeline of {ref!r} has a job {name!r} with an archive")


def get_build_of_ref(world: World, project: Project, ref: str, name: str) -> Job:
    """Return the job with a name and an archive in the newest successful pipeline of a branch or tag, or raise 404.

    Jobs of child pipelines count, after those of their parent.
    """
    pipeline = _find_newest_successful(world, project, ref)
    if pipeline is None:
        raise RecordNotFound(reason=f"{describe(world, project)} has no successful pipeline of {ref!r}")
    for candidate in _with_children(world, pipeline):
        for job in jobs.list_by_pipeline(world, candidate.id, "build"):
            if job.name == name and job_artifacts.has_archive(world, job):
                return job
    raise RecordNotFound(reason=f"pipeline {pipeline.id} of {ref!r} has no job {name!r} with an archive")


def _find_newest_successful(world: World, project: Project, ref: str) -> Pipeline | None:
    # Ids ascend with time.
    ids = world.pipelines.ids("facts", (project.id, "ref and status", ref, "success"))
    return world.pipelines[max(ids)] if ids else None


def _with_children(world: World, pipeline: Pipeline) -> Iterator[Pipeline]:
    """Yield a pipeline and its child pipelines, those of one level before those of the next."""
    waiting = deque([pipeline])
    while waiting:
        current = waiting.popleft()
        yield current
        for bridge in jobs.list_by_pipeline(world, current.id, "bridge"):
            child = world.pipelines.get(bridge.downstream_pipeline_id or 0)
            if child is not None and child.source == "parent_pipeline":
                waiting.append(child)
