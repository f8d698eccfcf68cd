"""What runners do: take jobs, report logs and results, and exchange artifacts.

Source: docs/platform/runner-protocol.md.
"""

from collections.abc import Callable, Sequence
from typing import Annotated, Final

from fakeplat.core.operations.content_disposition import content_disposition
from fakeplat.core.operations.errors import InvalidParams
from fakeplat.core.operations.http_messages import JSON, RawBody
from fakeplat.core.operations.operation import Area, Login, Reading
from fakeplat.core.operations.scope import NO_SCOPE, Segment
from fakeplat.core.operations.vendor_names import vendor_headers
from fakeplat.core.params.body import Upload
from fakeplat.core.params.params import Params
from fakeplat.core.release import Lifetime
from fakeplat.domain.ci import (
    artifact_downloads,
    job_dependencies,
    job_logs,
    job_queue,
    job_tokens,
    runner_reports,
    runners,
)
from fakeplat.entities.ci.job_requests import JobRequest
from fakeplat.model.ci import FILE_TYPE_LIFETIMES, Accessibility, FileFormat, FileType, Job, Runner
from fakeplat.policy.behaviours import (
    FILES_ARE_NO_CONTACTS,
    RUNNER_REQUESTS_ARE_LIMITED,
    RUNNERS_LEARN_STATUSES,
    SECONDS_BETWEEN_LOG_PARTS,
)
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Runner protocol", login=Login.NEVER)
logs: Final = Area("Runner protocol", login=Login.NEVER, raw_body=True)

JOB: Final = NO_SCOPE / Segment("jobs/:id", kind="integer", locate=runner_reports.get_job, word="job")


class RunnerInfo(Params):
    """What a runner says of itself."""

    name: str | None = None
    version: str | None = None
    revision: str | None = None
    platform: str | None = None
    architecture: str | None = None
    executor: str | None = None
    features: dict[str, object] | None = None


class RunnerSession(Params):
    """The runner's server for interactive terminals."""

    url: str | None = None
    certificate: str | None = None
    authorization: str | None = None


class RequestJob(Params):
    """The token of a runner, and which jobs it can run."""

    token: str
    system_id: Annotated[str | None, Lifetime(since="<=15.10")] = None
    last_update: str | None = None
    info: RunnerInfo | None = None
    session: RunnerSession | None = None
    job_age: Annotated[int | None, Lifetime(until="16.0")] = None


@area.operation("POST", "jobs/request", params=RequestJob, view=JobRequest, also=(204,), refusals=(403, 409, 429))
def request_job(ctx: WriteContext, p: RequestJob) -> Job | RawBody:
    """Take the next job of the queue as a runner; 204 if there is none."""
    _count(ctx, "runner_jobs_request_api", p.token)
    runner = runners.get_by_token(ctx, p.token)
    info = p.info.given() if p.info else {}
    details, manager = runners.read_details(info), runners.ensure_manager(ctx, runner, p.system_id)
    runner = runners.record_contact(ctx, runner, _address(ctx), details)
    runners.record_manager_contact(ctx, manager, _address(ctx), details)
    if not runner.active:
        return _nothing_to_do(ctx, runner)
    session_url = p.session.url if p.session else None
    job = job_queue.take_job(ctx, runner, info.get("features") or {}, p.job_age, manager, session_url or None)
    if job is None:
        return _nothing_to_do(ctx, runner)
    for row in (job, *job_dependencies.list_dependencies(ctx.world, job)):
        job_tokens.ensure(ctx, row)
    return job


def _count(ctx: ReadContext, name: str, token: str) -> None:
    """Count a request with a token, whether or not anybody has it: 429 above the limit of the instance."""
    if ctx.profile.has(RUNNER_REQUESTS_ARE_LIMITED):
        settings = ctx.world.settings
        limits = {
            "runner_jobs_request_api": settings.runner_jobs_request_api_limit,
            "runner_jobs_patch_trace_api": settings.runner_jobs_patch_trace_api_limit,
            "runner_jobs_api": settings.runner_jobs_endpoints_api_limit,
        }
        ctx.count_action(name, token, limits[name])


def _nothing_to_do(ctx: WriteContext, runner: Runner) -> RawBody:
    headers = vendor_headers({"Last-Update": job_queue.queue_value(ctx.world, runner)})
    return RawBody(b"", "", headers, 204)


def _address(ctx: ReadContext) -> str | None:
    return None if ctx.request is None else ctx.request.remote_ip


class JobOutput(Params):
    """What the runner knows of the log: its CRC32 and its size. Here the log is complete when the job ends."""

    checksum: str | None = None
    bytesize: int | None = None


class UpdateJob(Params):
    """The result of a job, and its whole log if that was not sent in parts."""

    token: str
    trace: Annotated[str | None, Lifetime(until="14.0")] = None
    state: str | None = None
    failure_reason: str | None = None
    checksum: str | None = None
    exit_code: Annotated[int | None, Lifetime(since="13.8")] = None
    output: Annotated[JobOutput | None, Lifetime(since="<=18.9")] = None


@area.operation("PUT", "", scope=JOB, params=UpdateJob, refusals=(400, 403, 404, 429))
def update_job(ctx: WriteContext, job: Job, p: UpdateJob) -> RawBody:
    """Report the state of a job as its runner: running, success or failed."""
    _count(ctx, "runner_jobs_api", p.token)
    runner_reports.authenticate_running(ctx, job, p.token)
    job = runner_reports.update_state(ctx, job, p.state, p.failure_reason, p.trace, p.exit_code)
    return RawBody(b"200", JSON, runner_reports.status_headers(job) if ctx.profile.has(RUNNERS_LEARN_STATUSES) else ())


class AuthenticateJob(Params):
    """The token of a job, which may also be in the header ``JOB-TOKEN``."""

    token: str | None = None


class AppendTrace(AuthenticateJob):
    """The same, and whether the log may contain secrets."""

    debug_trace: Annotated[bool | None, Lifetime(since="<=18.9")] = None


@logs.operation("PATCH", "trace", scope=JOB, params=AppendTrace, status=202, refusals=(400, 403, 404, 416, 429))
def append_job_trace(ctx: WriteContext, job: Job, p: AppendTrace) -> RawBody:
    """Append to the log of a job as its runner; ``Content-Range`` says where the part begins."""
    _count(ctx, "runner_jobs_patch_trace_api", _token(ctx, p))
    runner_reports.authenticate_running(ctx, job, _token(ctx, p))
    content_range = ctx.request.headers.get("content-range") if ctx.request else None
    if content_range is None:
        raise InvalidParams("400 Missing header Content-Range")
    data = ctx.request.body if ctx.request else b""
    start = runner_reports.parse_start(content_range)
    if runner_reports.end_above_limit(ctx, job, start + len(data)):
        # No refusal, which would keep the job running.
        return RawBody(b'{"error":"403 Forbidden"}', JSON, status=403)
    job = runner_reports.append_log(ctx, job, start, data)
    if p.debug_trace:
        job = ctx.world.jobs.change(job, debug_trace=True)
    # Three seconds for a log that a user watches in the browser.
    interval = ctx.profile.choose(SECONDS_BETWEEN_LOG_PARTS)
    return RawBody(
        f'"{interval}"'.encode(),
        JSON,
        (
            *runner_reports.status_headers(job),
            ("Range", f"0-{job_logs.size_of(job)}"),
            *vendor_headers({"Trace-Update-Interval": str(interval)}),
        ),
        202,
    )


def _token(ctx: ReadContext, p: "AuthenticateJob") -> str:
    header = ctx.request.headers.get("job-token") if ctx.request else None
    return header or "" if p.token is None else p.token


_LATER_TYPES: Final = tuple(Lifetime(lifetime.since, values=(name,)) for name, lifetime in FILE_TYPE_LIFETIMES.items())


class UploadArtifacts(AuthenticateJob):
    """A file, its type and format, and how long to keep it."""

    file: Upload
    expire_in: str | None = None
    artifact_type: Annotated[FileType, *_LATER_TYPES] = "archive"
    artifact_format: FileFormat = "zip"
    accessibility: Annotated[Accessibility | None, Lifetime(since="<=18.9")] = None
    metadata: Upload | None = None


@area.operation("POST", "artifacts", scope=JOB, params=UploadArtifacts, refusals=(400, 403, 404, 413, 429))
def upload_job_artifacts(ctx: WriteContext, job: Job, p: UploadArtifacts) -> RawBody:
    """Upload an archive or a report of a job as its runner."""
    _count(ctx, "runner_jobs_api", _token(ctx, p))
    runner_reports.authenticate_upload(ctx, job, _token(ctx, p))
    artifact = runner_reports.store_artifact(
        ctx,
        job,
        p.file.filename,
        p.file.data,
        file_type=p.artifact_type,
        file_format=p.artifact_format,
        expire_in=p.expire_in,
        accessibility=p.accessibility,
    )
    if p.metadata is not None:
        runner_reports.store_metadata(ctx, job, artifact, p.metadata.filename, p.metadata.data)
    return RawBody(b"201", JSON, status=201)


class DownloadArtifacts(AuthenticateJob):
    """The token of the job that the artifacts belong to. There is no other store to be redirected to."""

    direct_download: bool = False


def _plan_contact(
    ctx: ReadContext, records: Sequence[Job], p: DownloadArtifacts
) -> Callable[[WriteContext], None] | None:
    """Return a function that records the contact of the runner, if it sent the right token; later it is none."""
    job = records[0]
    if ctx.profile.has(FILES_ARE_NO_CONTACTS) or not job_tokens.identifies(ctx.world, job, _token(ctx, p)):
        return None
    return lambda write_ctx: runner_reports.record_contact(write_ctx, job)


@area.operation(
    "GET",
    "artifacts",
    scope=JOB,
    params=DownloadArtifacts,
    refusals=(401, 403, 404, 429),
    reading=Reading(effect=_plan_contact),
)
def download_runner_job_artifacts(ctx: ReadContext, job: Job, p: DownloadArtifacts) -> RawBody:
    """Download the archive of a job with its token, though it may be finished; later with that of a running job."""
    _count(ctx, "runner_jobs_api", _token(ctx, p))
    runner_reports.authenticate_download(ctx, job, _token(ctx, p))
    archive = artifact_downloads.get_archive(ctx, job)
    return archive_response(archive.filename, archive.content)


def archive_response(filename: str, content: bytes) -> RawBody:
    """Return the response for a download of artifacts."""
    headers = (
        ("Content-Disposition", content_disposition("attachment", filename)),
        ("Content-Transfer-Encoding", "binary"),
    )
    return RawBody(content, "application/octet-stream", headers)
