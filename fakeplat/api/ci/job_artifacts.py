"""Artifacts of jobs: download archives and single files, keep and delete. Source: docs/platform/artifacts.md."""

from collections.abc import Sequence
from hashlib import sha256
from typing import Annotated, Final
from urllib.parse import unquote, unquote_to_bytes

from attrs import evolve

from fakeplat.api.ci.jobs import JOB, get_updatable_job
from fakeplat.api.ci.runner_protocol import archive_response
from fakeplat.api.scopes import PROJECT
from fakeplat.core.operations.content_disposition import plain_content_disposition
from fakeplat.core.operations.errors import NotFound
from fakeplat.core.operations.http_messages import Headers, RawBody
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.operations.scope import Segment
from fakeplat.core.params.params import Params
from fakeplat.core.release import Lifetime
from fakeplat.domain.ci import artifact_downloads, artifact_files, job_artifacts, jobs
from fakeplat.entities.ci.artifacts import ArtifactEntryView
from fakeplat.entities.ci.jobs import KeptJobView
from fakeplat.model.ci import Job, JobArtifact
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize
from fakeplat.policy.behaviours import ARTIFACTS_HAVE_ETAGS, KEPT_JOBS_ARE_LOCATED_FIRST
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.documented import Ruling
from fakeplat.policy.features import has_feature

area: Final = Area("Job artifacts", login=Login.WRITES)


def _get_owned_job(ctx: ReadContext, project: Project, id_: int) -> Job:
    """Return a job, or 403 if the caller may not delete artifacts, and then 404 if there is none."""
    authorize(ctx, Ability.DESTROY_ARTIFACTS, project)
    return jobs.get_build(ctx.world, project, id_)


OWNED_JOB: Final = PROJECT / Segment("jobs/:job_id", kind="integer", locate=_get_owned_job, word="job")


def _get_kept_job(ctx: ReadContext, project: Project, id_: int) -> Job:
    """Return a job as those that are updated; in later releases 404 comes before 403."""
    if ctx.profile.has(KEPT_JOBS_ARE_LOCATED_FIRST):
        jobs.get_build(ctx.world, project, id_)
    return get_updatable_job(ctx, project, id_)


KEPT_JOB: Final = PROJECT / Segment("jobs/:job_id", kind="integer", locate=_get_kept_job, word="job")


class SelectJob(Params):
    """The name of the job, which has succeeded in the newest successful pipeline of the branch or tag."""

    job: str
    search_recent_successful_pipelines: Annotated[bool, Lifetime(since="18.10")] = False


@area.operation("GET", "artifacts", scope=JOB, job_token=True, refusals=(403, 404))
def download_job_artifacts(ctx: ReadContext, project: Project, job: Job) -> RawBody:
    """Download the archive of a job."""
    _check_job_token(ctx, project)
    return _serve_archive(ctx, job)


class ListArtifactEntries(Paged):
    """The directory of the archive, and whether to list what is in its directories as well."""

    path: str = ""
    recursive: bool = False


@area.operation(
    "GET",
    "artifacts/tree",
    scope=JOB,
    params=ListArtifactEntries,
    view=ArtifactEntryView,
    many=True,
    job_token=True,
    refusals=(403, 404),
    since="18.8",
)
def get_job_artifact_tree(
    ctx: ReadContext, project: Project, job: Job, p: ListArtifactEntries
) -> Sequence[artifact_files.TreeEntry]:
    """List the files and directories of the archive of a job."""
    _check_job_token(ctx, project)
    artifact_downloads.check_can_read(ctx, job)
    return artifact_downloads.list_tree(ctx, job, p.path, recursive=p.recursive)


@area.operation("GET", "artifacts/*artifact_path", scope=JOB, job_token=True, refusals=(400, 403, 404, 413))
def download_job_artifact_file(ctx: ReadContext, project: Project, job: Job, _artifact_path: str) -> RawBody:
    """Download a file of the archive of a job."""
    _check_job_token(ctx, project)
    return _serve_file(ctx, job, _decode_path(_raw_path(ctx)))


@area.operation(
    "GET",
    "jobs/artifacts/*ref_name/download",
    scope=PROJECT,
    ability=Ability.READ_BUILD,
    params=SelectJob,
    job_token=True,
    refusals=(403, 404),
)
def download_ref_artifacts(ctx: ReadContext, project: Project, ref_name: str, p: SelectJob) -> RawBody:
    """Download the archive of a job in the newest successful pipeline of a branch or tag."""
    _check_job_token(ctx, project)
    return _serve_archive(ctx, _get_build(ctx, project, ref_name, p))


@area.operation(
    "GET",
    "jobs/artifacts/*ref_name/raw/*artifact_path",
    scope=PROJECT,
    ability=Ability.READ_BUILD,
    params=SelectJob,
    job_token=True,
    refusals=(400, 403, 404, 413),
)
def download_ref_artifact_file(
    ctx: ReadContext, project: Project, _ref_name: str, _artifact_path: str, p: SelectJob
) -> RawBody:
    """Download a file of the archive of a job in the newest successful pipeline of a branch or tag."""
    _check_job_token(ctx, project)
    # The last ``/raw/`` ends the name of the ref, while routes take as little of a path as possible.
    ref, _, path = _raw_path(ctx).rpartition("/raw/")
    job = _get_build(ctx, project, unquote(ref), p)
    return _serve_file(ctx, job, _decode_path(path))


def _get_build(ctx: ReadContext, project: Project, ref: str, p: SelectJob) -> Job:
    if p.search_recent_successful_pipelines:
        return artifact_downloads.get_build_of_recent_pipelines(ctx.world, project, ref, p.job)
    return artifact_downloads.get_build_of_ref(ctx.world, project, ref, p.job)


def _check_job_token(ctx: ReadContext, project: Project) -> None:
    """Refuse job tokens below the tier with pipelines across projects, unless they may be sent on every tier."""
    if ctx.token is None or ctx.token.kind != "job" or Ruling.JOB_TOKEN_PARAMETERS_ARE_PAID.holds(ctx.world):
        return
    if not has_feature(ctx.world, "premium", project):
        raise NotFound("Project", reason="downloads with a job token require the premium tier")


def _raw_path(ctx: ReadContext) -> str:
    """Return what follows ``/artifacts/`` in the path of the request, still encoded."""
    return ctx.request.path.partition("/artifacts/")[2] if ctx.request else ""


def _decode_path(text: str) -> str | None:
    """Return a path as text; None if it contains a null byte or is not UTF-8."""
    try:
        path = unquote_to_bytes(text).decode()
    except UnicodeDecodeError:
        return None
    return None if "\0" in path else path


def _serve_archive(ctx: ReadContext, job: Job) -> RawBody:
    artifact_downloads.check_can_read(ctx, job)
    archive = artifact_downloads.get_archive(ctx, job)
    response = archive_response(archive.filename, archive.content)
    return evolve(response, headers=(*response.headers, *_etag_of(ctx, archive)))


def _serve_file(ctx: ReadContext, job: Job, path: str | None) -> RawBody:
    artifact_downloads.check_can_read(ctx, job)
    content = artifact_downloads.read_file(ctx, job, path)
    name = (path or "").rpartition("/")[2]
    disposition = ("Content-Disposition", plain_content_disposition("attachment", name))
    etag = _etag_of(ctx, artifact_downloads.get_archive(ctx, job), path)
    return RawBody(content, artifact_downloads.content_type_of(name), (disposition, *etag))


def _etag_of(ctx: ReadContext, archive: JobArtifact, path: str | None = None) -> Headers:
    """Return the strong tag of an archive, which is its digest, or that of a file in it."""
    if not ctx.profile.has(ARTIFACTS_HAVE_ETAGS):
        return ()
    digest = archive.digest if path is None else sha256(f"{archive.digest}:{path}".encode()).hexdigest()
    return (("ETag", f'"{digest}"'),)


@area.operation("POST", "artifacts/keep", scope=KEPT_JOB, view=KeptJobView, status=200, refusals=(403, 404))
def keep_job_artifacts(ctx: WriteContext, _project: Project, job: Job) -> Job:
    """Keep the artifacts of a job forever."""
    artifact_downloads.get_archive(ctx, job)
    job_artifacts.keep(ctx, job)
    return job


@area.operation("DELETE", "artifacts", scope=OWNED_JOB, refusals=(403, 404))
def delete_job_artifacts(ctx: WriteContext, _project: Project, job: Job) -> None:
    """Delete the artifacts of a job; its log stays."""
    job_artifacts.delete(ctx, job)


@area.operation(
    "DELETE",
    "artifacts",
    name="delete_project_artifacts",
    scope=PROJECT,
    ability=Ability.DESTROY_ARTIFACTS,
    status=202,
    since="14.7",
)
def delete_project_artifacts(ctx: WriteContext, project: Project) -> dict[str, str]:
    """Delete the artifacts of a project, except for those of its latest pipelines."""
    job_artifacts.delete_old(ctx, project)
    return {"message": "202 Accepted"}
