"""Artifacts of jobs: archives, reports, and when they expire. Source: docs/platform/artifacts.md.

Expired artifacts are not deleted, but no longer found. The platform deletes them some time later, which no client can
see, and a scheduled deletion would make `settle()` advance the clock by a month.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Final

from fakeplat.core import durations
from fakeplat.core.operations.errors import BadRequest
from fakeplat.core.timestamps import SECOND, from_iso, to_iso
from fakeplat.domain.ci import artifact_files
from fakeplat.domain.purging import purge
from fakeplat.model.ci import FORMATS, REPORT_NAMES, FileFormat, FileType, Job, JobArtifact, PlayedResult
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.context import ReadContext, WriteContext

LOG_NAME: Final = "job.log"
_MOST_DELETED: Final = 100
_SUFFIXES: Final[Mapping[FileFormat, str]] = {"raw": "", "zip": ".zip", "gzip": ".gz"}
_KEPT_AFTER: Final = {"on_success": ("success",), "on_failure": ("failed",), "always": ("success", "failed")}
"""The results after which a job's archive is kept, by ``artifacts.when``."""


def find(ctx: ReadContext, job: Job, file_type: FileType = "archive") -> JobArtifact | None:
    """Return the artifact of a type, by default the archive; None if there is none or it has expired."""
    artifact = ctx.world.job_artifacts.find("type", (job.id, file_type))
    return artifact if artifact is not None and not has_expired(ctx, artifact) else None


def has_archive(world: World, job: Job) -> bool:
    """Return whether a job has left an archive, which may have expired."""
    return world.job_artifacts.find("type", (job.id, "archive")) is not None


def list_of(ctx: ReadContext, job: Job) -> list[JobArtifact]:
    """Return the artifacts that a job has now, by id; the log of a finished job is one of them."""
    artifacts = [row for row in ctx.world.job_artifacts.where("job", job.id) if not has_expired(ctx, row)]
    return [*artifacts, *_list_log(job)]


def _list_log(job: Job) -> Iterator[JobArtifact]:
    if job.is_completed and job.log:
        yield describe_log(job)


def describe_log(job: Job) -> JobArtifact:
    """Return the log of a job as one of its artifacts; it is no record of its own."""
    at = job.finished_at or job.updated_at
    return JobArtifact(0, job.id, job.project_id, "trace", None, LOG_NAME, job.log.encode(), at)


def has_expired(ctx: ReadContext, artifact: JobArtifact) -> bool:
    """Return whether an artifact is no longer there."""
    return artifact.expire_at is not None and ctx.has_passed(from_iso(artifact.expire_at))


def total_size(ctx: ReadContext, project: Project) -> int:
    """Return the bytes of all artifacts that the jobs of a project have now, with their logs."""
    files = (row.size for row in ctx.world.job_artifacts.where("project", project.id) if not has_expired(ctx, row))
    return sum(files) + sum(log.size for job in ctx.world.jobs.where("project", project.id) for log in _list_log(job))


def expire_at(world: World, job: Job) -> str | None:
    """Return when the archive of a job expires or did."""
    archive = world.job_artifacts.find("type", (job.id, "archive"))
    return archive.expire_at if archive else None


def create_archive(
    ctx: WriteContext, job: Job, files: Mapping[str, str | bytes], *, expire_in: int | None = None
) -> JobArtifact:
    """Add the archive of a job with files by path. ``expire_in`` is in seconds; None means as configured."""
    name = (job.artifacts.name if job.artifacts else None) or "artifacts"
    content = artifact_files.build_zip(files, ctx.now())
    return add(ctx, job, "archive", f"{name}.zip", content, _expiry(ctx, job, expire_in))


def add_report(ctx: WriteContext, job: Job, file_type: FileType, files: Mapping[str, str | bytes]) -> JobArtifact:
    """Add a report of a job; several files become one."""
    format_ = FORMATS[file_type]
    content = _build_report(format_, files, ctx.now())
    filename = f"{REPORT_NAMES[file_type]}{_SUFFIXES[format_]}"
    return add(ctx, job, file_type, filename, content, _expiry(ctx, job, None))


def _build_report(format_: FileFormat, files: Mapping[str, str | bytes], time: int) -> bytes:
    if format_ == "zip":
        return artifact_files.build_zip(files, time)
    contents = [(path, artifact_files.encode(files[path])) for path in sorted(files)]
    if format_ == "gzip":
        # Runners write one gzip file after another, each with its own name.
        contents = [(path, artifact_files.build_gzip(path, content)) for path, content in contents]
    return b"".join(content for _, content in contents)


def add(
    ctx: WriteContext, job: Job, file_type: FileType, filename: str, content: bytes, expires: str | None
) -> JobArtifact:
    """Add an artifact in place of the one of its type; an archive comes with its metadata."""
    artifact = insert(ctx, job, file_type, filename, content, expires)
    entries = artifact_files.list_entries(content) if file_type == "archive" else []
    if entries:
        insert(ctx, job, "metadata", "metadata.gz", artifact_files.build_metadata(entries), expires)
    return artifact


def insert(
    ctx: WriteContext, job: Job, file_type: FileType, filename: str, content: bytes, expires: str | None
) -> JobArtifact:
    """Add an artifact in place of the one of its type, and nothing else."""
    table = ctx.world.job_artifacts
    if (existing := table.find("type", (job.id, file_type))) is not None:
        purge(ctx, existing)
    format_, now = FORMATS[file_type], ctx.now_iso
    return table.add(
        JobArtifact(table.next_id(), job.id, job.project_id, file_type, format_, filename, content, now, expires)
    )


def _expiry(ctx: WriteContext, job: Job, expire_in: int | None) -> str | None:
    spec = job.artifacts
    configured = None if spec is None or spec.expire_in is None else parse_expiry(spec.expire_in)
    seconds = next((value for value in (expire_in, configured) if value is not None), None)
    return expiry_of(ctx, parse_expiry(ctx.world.settings.default_artifacts_expire_in) if seconds is None else seconds)


def expiry_of(ctx: WriteContext, seconds: int) -> str | None:
    """Return the time after a number of seconds; none after no second at all, which means never."""
    return to_iso(ctx.now() + seconds * SECOND) if seconds else None


def parse_expiry(text: str) -> int:
    """Return the seconds of ``expire_in``; zero for never. ValueError for anything else than a duration."""
    if text.strip().lower() in (durations.NEVER, "0"):
        return 0
    seconds = durations.parse_seconds(text)
    if seconds is None:
        raise ValueError(f"not a duration: {text!r}")
    return seconds


def keep(ctx: WriteContext, job: Job) -> None:
    """Keep the artifacts of a job forever."""
    for artifact in list(ctx.world.job_artifacts.where("job", job.id)):
        ctx.world.job_artifacts.change(artifact, expire_at=None)


def delete(ctx: WriteContext, job: Job) -> None:
    """Delete the archive and all reports of a job; its log stays."""
    purge(ctx, *ctx.world.job_artifacts.where("job", job.id))


def delete_selected(ctx: WriteContext, project: Project, ids: Sequence[int]) -> Sequence[JobArtifact]:
    """Delete artifacts of a project by id; 400 if there are too many, or if one is missing or of another project."""
    if len(ids) > _MOST_DELETED:
        text = f"Can only delete up to {_MOST_DELETED} job artifacts per call"
        raise BadRequest(text, reason=f"{len(ids)} are named")
    found = [ctx.world.job_artifacts.get(id_) for id_ in ids]
    missing = [id_ for id_, artifact in zip(ids, found, strict=True) if artifact is None]
    if missing:
        raise BadRequest(f"Artifacts ({','.join(map(str, missing))}) not found", reason="there are no such artifacts")
    artifacts = [artifact for artifact in found if artifact is not None]
    if any(artifact.project_id != project.id for artifact in artifacts):
        raise BadRequest("Not all artifacts belong to requested project", reason="one is of another project")
    purge(ctx, *artifacts)
    return artifacts


def delete_old(ctx: WriteContext, project: Project) -> None:
    """Delete the artifacts of a project, but keep those of the latest successful pipelines, if it says so."""
    world, latest = ctx.world, dict[str, int]()
    if project.keep_latest_artifact and world.settings.keep_latest_artifact:
        for pipeline in world.pipelines.where("project", project.id):
            if pipeline.status == "success":
                latest[pipeline.ref] = max(pipeline.id, latest.get(pipeline.ref, 0))
    kept = set(latest.values())
    artifacts = [artifact for artifact in world.job_artifacts.all() if artifact.project_id == project.id]
    purge(ctx, *(artifact for artifact in artifacts if world.jobs[artifact.job_id].pipeline_id not in kept))


def store_played(ctx: WriteContext, job: Job, files: Mapping[str, str], result: PlayedResult) -> None:
    """Store the files that a played job leaves: reports by the paths of its configuration, all others in the archive.

    A file that the configuration names both as a report and as an artifact is in both. Reports are kept always.
    """
    spec = job.artifacts
    reports = {kind: _select(files, paths) for kind, paths in (spec.reports.items() if spec else ()) if kind in FORMATS}
    reported = {path for report in reports.values() for path in report}
    paths = (spec.paths if spec else None) or ()
    archived = {path: text for path, text in files.items() if path not in reported or _is_covered(path, paths)}
    # A job that waits for a user succeeds once it is played.
    ended = result if result in ("failed", "canceled") else "success"
    if archived and ended in _KEPT_AFTER[(spec.when if spec else None) or "on_success"]:
        create_archive(ctx, job, archived)
    for kind, report in reports.items():
        if report:
            # The keys of ``reports`` are checked against the types of files above.
            add_report(ctx, job, kind, report)  # type: ignore[arg-type]


def _select(files: Mapping[str, str], patterns: Iterable[str]) -> dict[str, str]:
    return {path: text for path, text in files.items() if _is_covered(path, patterns)}


def _is_covered(path: str, patterns: Iterable[str]) -> bool:
    """Return whether a pattern names a path, or a folder that it is in."""
    names = [pattern.removeprefix("./").rstrip("/") for pattern in patterns]
    return any(fnmatchcase(path, name) or fnmatchcase(path, f"{name}/*") for name in names)
