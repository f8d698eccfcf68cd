"""Artifacts and logs of jobs at their web URLs, outside the API.

Source: docs/platform/external.md ('Web downloads').
"""

from urllib.parse import quote

from fakeplat.api.ci.runner_protocol import archive_response
from fakeplat.api.pages import area, redirect_to, redirect_to_sign_in
from fakeplat.core.operations.content_disposition import content_disposition, plain_content_disposition
from fakeplat.core.operations.errors import Forbidden, NotFound, RouteNotFound
from fakeplat.core.operations.http_messages import RawBody
from fakeplat.core.params.params import Params
from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.domain.ci import artifact_downloads
from fakeplat.domain.people import namespaces
from fakeplat.domain.repository import commits
from fakeplat.entities import urls
from fakeplat.model.ci import Job
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import caller_name, can, can_see
from fakeplat.policy.context import ReadContext

_ACTIONS = ("download", "raw")


def _find_project(ctx: ReadContext, path: str) -> Project | None:
    project = namespaces.find_project_by_path(ctx.world, path)
    is_open = project is not None and can_see(ctx, project) and can(ctx, Ability.READ_BUILD, project)
    return project if is_open else None


def _find_job(ctx: ReadContext, path: str, job_id: str) -> Job | None:
    project = _find_project(ctx, path)
    job = ctx.world.jobs.get(parse_number(job_id) or 0)
    # Ids of jobs are global, so the project in the path has to be compared.
    return job if project is not None and job is not None and job.project_id == project.id else None


def _find_readable_job(ctx: ReadContext, path: str, job_id: str) -> Job | None:
    """Return a job whose artifacts the caller may download."""
    job = _find_job(ctx, path, job_id)
    if job is not None:
        try:
            artifact_downloads.check_can_read(ctx, job)
        except Forbidden:
            return None
    return job


def _refuse(ctx: ReadContext, path: str) -> RawBody:
    if ctx.viewer is None:
        return redirect_to_sign_in(ctx)
    raise RouteNotFound(reason=f"{caller_name(ctx)} finds nothing at {path!r}")


@area.operation("GET", "*project/-/jobs/:job_id/artifacts/download", also=(302,), refusals=(404,), ours=True)
def download_job_archive_at_page(ctx: ReadContext, project: str, job_id: str) -> RawBody:
    """Download the archive of a job by its page's address."""
    job = _find_readable_job(ctx, project, job_id)
    try:
        archive = artifact_downloads.get_archive(ctx, job) if job is not None else None
    except NotFound:
        archive = None
    if archive is None:
        return _refuse(ctx, f"{project}/-/jobs/{job_id}/artifacts/download")
    return archive_response(archive.filename, archive.content)


@area.operation("GET", "*project/-/jobs/:job_id/artifacts/raw/*file", also=(302,), refusals=(404,), ours=True)
def download_job_artifact_at_page(ctx: ReadContext, project: str, job_id: str, file: str) -> RawBody:
    """Download a file of the archive of a job by its page's address."""
    job = _find_readable_job(ctx, project, job_id)
    try:
        content = artifact_downloads.read_file(ctx, job, file) if job is not None else None
    except NotFound:
        content = None
    if content is None:
        return _refuse(ctx, f"{project}/-/jobs/{job_id}/artifacts/raw/{file}")
    name = file.rpartition("/")[2]
    disposition = ("Content-Disposition", plain_content_disposition("attachment", name))
    return RawBody(content, artifact_downloads.content_type_of(name), (disposition,))


class SelectJobAtPage(Params):
    """The name of the job, which has succeeded in the newest successful pipeline of the branch or tag."""

    job: str | None = None


@area.operation(
    "GET", "*project/-/jobs/artifacts/*place", params=SelectJobAtPage, status=302, refusals=(404,), ours=True
)
def get_latest_artifacts_page(ctx: ReadContext, project: str, place: str, p: SelectJobAtPage) -> RawBody:
    """Get the address of the artifacts of the newest successful pipeline: ``master/download?job=build``."""
    container = _find_project(ctx, project)
    if container is None:
        return _refuse(ctx, project)
    ref, path = commits.split_place(ctx.world, container, place)
    try:
        job = artifact_downloads.get_build_of_ref(ctx.world, container, ref, p.job or "")
    except NotFound:
        return _refuse(ctx, place)
    if path.partition("/")[0] not in _ACTIONS:
        return _refuse(ctx, place)
    return redirect_to(f"{urls.project_url(ctx, container)}/-/jobs/{job.id}/artifacts/{quote(path)}")


@area.operation("GET", "*project/-/jobs/:job_id/raw", also=(302,), refusals=(404,), ours=True)
def get_job_log_at_page(ctx: ReadContext, project: str, job_id: str) -> RawBody:
    """Download the log of a job by its page's address."""
    job = _find_job(ctx, project, job_id)
    if job is None:
        return _refuse(ctx, f"{project}/-/jobs/{job_id}/raw")
    disposition = ("Content-Disposition", content_disposition("inline", "job.log"))
    return RawBody(job.log.encode(), "text/plain; charset=utf-8", (disposition,))
