"""What runners report of their jobs: logs, results and artifacts. Source: docs/platform/runner-protocol.md."""

import re
from typing import Final, get_args

from attrs import evolve

from fakeplat.core.operations.errors import (
    BadRequest,
    Forbidden,
    InvalidParams,
    NotFound,
    Refusal,
    Unauthorized,
)
from fakeplat.core.operations.http_messages import Headers
from fakeplat.core.release import ALWAYS, Profile
from fakeplat.core.timestamps import MINUTE, from_iso
from fakeplat.domain.ci import (
    artifact_limits,
    dotenv,
    job_actions,
    job_artifacts,
    job_logs,
    job_token_scope,
    job_tokens,
    runners,
)
from fakeplat.model.ci import (
    EXECUTING,
    FAILURE_LIFETIMES,
    FORMATS,
    Accessibility,
    FailureReason,
    FileFormat,
    FileType,
    Job,
    JobArtifact,
)
from fakeplat.model.settings import Settings
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can, can_see
from fakeplat.policy.behaviours import (
    CLOSED_TO_RUNNERS,
    FILES_ARE_NO_CONTACTS,
    LOGS_ARE_LIMITED,
    RUNNING_JOBS_GET_ARTIFACTS,
    UNKNOWN_JOBS_ARE_FORBIDDEN,
)
from fakeplat.policy.context import ReadContext, WriteContext

_FAILURE_REASONS: Final[tuple[FailureReason, ...]] = get_args(FailureReason)
_MEGABYTE: Final = 1024 * 1024
_TOUCH_INTERVAL: Final = 15 * MINUTE
_TAKEN: Final = "another artifact of the same type already exists"
_WRONG_FORMAT: Final = "Validation failed: Invalid file format with specified file type"


class RangeNotSatisfiable(Refusal):
    """416: a part of a log does not begin where the log ends."""

    status = 416

    def __init__(self, size: int, *, reason: str) -> None:
        headers = (("Range", f"0-{size}"),)
        super().__init__({"error": "416 Range Not Satisfiable"}, reason=reason, headers=headers)


class UnknownState(BadRequest):
    """400 with nothing but the status as body."""

    def __init__(self, *, reason: str) -> None:
        Refusal.__init__(self, self.status, reason=reason)


def get_job(ctx: ReadContext, id_: int) -> Job:
    """Return the job with an id, or refuse with 404; with 403 in later releases."""
    job = ctx.world.jobs.get(id_)
    if job is None or job.kind != "build":
        # Runners stop at 403 only.
        is_forbidden = ctx.profile.has(UNKNOWN_JOBS_ARE_FORBIDDEN)
        reason = f"there is no job {id_}"
        raise Forbidden(reason=reason) if is_forbidden else NotFound(reason=reason)
    return job


def authenticate(ctx: ReadContext, job: Job, token: str) -> None:
    """Refuse with 403 unless a token is that of a job, which may be finished."""
    if not job_tokens.identifies(ctx.world, job, token):
        raise Forbidden(reason=f"the token is not that of job {job.id}")
    if job.erased_at is not None:
        raise Forbidden("Job has been erased!")


def authenticate_running(ctx: WriteContext, job: Job, token: str) -> None:
    """Refuse with 403 unless a token is that of a running job, and record the contact of its runner."""
    _check_running(ctx, job, token)
    record_contact(ctx, job)


def authenticate_upload(ctx: WriteContext, job: Job, token: str) -> None:
    """Refuse with 403 unless a token is that of a running job; in early releases, its runner made contact."""
    _check_running(ctx, job, token)
    if not ctx.profile.has(FILES_ARE_NO_CONTACTS):
        record_contact(ctx, job)


def authenticate_download(ctx: ReadContext, job: Job, token: str) -> None:
    """Refuse whose token is not that of a job; later, unless it is that of a running job whose user may read it."""
    if ctx.profile.has(RUNNING_JOBS_GET_ARTIFACTS):
        _authenticate_consumer(ctx, job, token)
    else:
        authenticate(ctx, job, token)


def _authenticate_consumer(ctx: ReadContext, job: Job, value: str) -> None:
    token = ctx.world.tokens.find("value", ("job", value))
    consumer = None if token is None else ctx.world.jobs.get(token.job_id or 0)
    if token is None or consumer is None or consumer.status not in EXECUTING:
        raise Unauthorized(reason="the token is that of no running job")
    project, user = ctx.world.projects[job.project_id], ctx.world.users[token.user_id or 0]
    reader = ctx.as_user(user)
    is_limited = job_token_scope.is_limited(ctx.world, project)
    if is_limited and not job_token_scope.is_admitted(ctx.world, project, token):
        raise Forbidden(reason=f"job {consumer.id} is of a project that {project.path} does not admit")
    if not (can_see(reader, project) and can(reader, Ability.READ_BUILD, project)):
        raise Forbidden(reason=f"{user.username}, whose job {consumer.id} is, may not read job {job.id}")


def _check_running(ctx: ReadContext, job: Job, token: str) -> None:
    authenticate(ctx, job, token)
    if job.status not in EXECUTING:
        refusal = Forbidden(ctx.profile.choose(CLOSED_TO_RUNNERS), reason=f"job {job.id} is {job.status}")
        refusal.headers = status_headers(job)
        raise refusal


def status_headers(job: Job) -> Headers:
    """Return the header that tells a runner whether to go on with a job."""
    return (("Job-Status", job.status),)


def record_contact(ctx: WriteContext, job: Job) -> None:
    """Record that the runner of a job contacted the platform."""
    runner = ctx.world.runners.get(job.runner_id) if job.runner_id is not None else None
    if runner is not None:
        address = ctx.request.remote_ip if ctx.request else None
        runners.record_contact(ctx, runner, address, {})
        manager = ctx.world.runner_managers.get(job.runner_manager_id or 0)
        runners.record_manager_contact(ctx, manager, address, {})


def update_state(
    ctx: WriteContext,
    job: Job,
    state: str | None,
    failure_reason: str | None,
    log: str | None,
    exit_code: int | None = None,
) -> Job:
    """Change the state of a running job, and replace its log if there is one; 400 for an unknown state."""
    if log:
        job = ctx.world.jobs.change(job, log=_hide_secrets(ctx.world, job, log.encode()).decode(), log_tail="")
    if state == "running":
        return _touch(ctx, job)
    if job.status == "canceling" and state in ("success", "failed"):
        return job_actions.end_cancel(ctx, _with_coverage(ctx, job))
    if state == "success":
        return job_actions.succeed(ctx, _with_coverage(ctx, job))
    if state == "failed":
        return job_actions.fail(ctx, _with_coverage(ctx, job), _read_reason(ctx, failure_reason), exit_code)
    raise UnknownState(reason=f"state is {state!r}; it must be running, success or failed")


def list_failure_reasons(profile: Profile) -> list[FailureReason]:
    """Return the reasons for which jobs fail in a release."""
    return [reason for reason in _FAILURE_REASONS if profile.has(FAILURE_LIFETIMES.get(reason, ALWAYS))]


def _read_reason(ctx: WriteContext, text: str | None) -> FailureReason:
    return next((reason for reason in list_failure_reasons(ctx.profile) if reason == text), "unknown_failure")


def _with_coverage(ctx: WriteContext, job: Job) -> Job:
    return ctx.world.jobs.change(job, coverage=job_logs.find_coverage(ctx.world, job, job.log), log_tail="")


def _touch(ctx: WriteContext, job: Job) -> Job:
    is_stale = ctx.now() - from_iso(job.updated_at) >= _TOUCH_INTERVAL
    return ctx.world.jobs.change(job, updated_at=ctx.now_iso) if is_stale else job


def append_log(ctx: WriteContext, job: Job, start: int, data: bytes) -> Job:
    """Append a part to the log of a job; 416 unless it begins where the log ends."""
    size = job_logs.size_of(job)
    if start == size:
        return _touch(ctx, ctx.world.jobs.change(job, **job_logs.append(job, _hide_secrets(ctx.world, job, data))))
    # A part that was sent before is accepted again, if nothing was sent after it.
    if start + len(data) != size:
        raise RangeNotSatisfiable(
            size, reason=f"the part begins at {start}, but the log of job {job.id} ends at {size}"
        )
    return job


def end_above_limit(ctx: WriteContext, job: Job, size: int) -> bool:
    """Return whether a log would be larger than the plan allows, which is how the job then failed."""
    limit = ctx.world.settings.ci_jobs_trace_size_limit
    is_above = 0 < limit <= size // _MEGABYTE and ctx.profile.has(LOGS_ARE_LIMITED)
    if is_above:
        job_actions.fail(ctx, job, "trace_size_exceeded")
    return is_above


def parse_start(content_range: str) -> int:
    """Return the position at which a part of a log begins, from ``0-99`` or ``0-99/100``."""
    digits = re.match(r"\s*(\d+)", content_range)
    return int(digits[1]) if digits else 0


def _hide_secrets(world: World, job: Job, data: bytes) -> bytes:
    token = job_tokens.find(world, job)
    for secret in (world.projects[job.project_id].runners_token, token.value if token else ""):
        # As long as the secret, so that the size of the log stays the same.
        data = data.replace(secret.encode(), b"x" * len(secret.encode())) if secret else data
    return data


def store_artifact(
    ctx: WriteContext,
    job: Job,
    filename: str,
    content: bytes,
    *,
    file_type: FileType = "archive",
    file_format: FileFormat = "zip",
    expire_in: str | None = None,
    accessibility: Accessibility | None = None,
) -> JobArtifact:
    """Store a file that a runner uploads. 413 above the limit; 400 in a wrong format, or if there is another one."""
    artifact_limits.check_size(ctx, ctx.world.projects[job.project_id], file_type, content)
    existing = ctx.world.job_artifacts.find("type", (job.id, file_type))
    if existing is not None and existing.content == content:
        return existing
    if FORMATS[file_type] != file_format:
        raise BadRequest(_WRONG_FORMAT, reason=f"{file_type} must be {FORMATS[file_type]}, not {file_format}")
    if file_type == "dotenv":
        _check_dotenv(ctx.world.settings, content)
    if file_type == "trace":
        # The log of a job is a field of its own, so that it is one log whatever way it came.
        logged = ctx.world.jobs.change(job, **job_logs.append(evolve(job, log="", log_tail=""), content))
        return job_artifacts.describe_log(logged)
    if existing is not None:
        raise BadRequest(_TAKEN, reason=f"job {job.id} has an artifact of type {file_type} already")
    artifact = job_artifacts.add(ctx, job, file_type, filename, content, _expiry(ctx, expire_in))
    return ctx.world.job_artifacts.change(artifact, accessibility=accessibility)


def _check_dotenv(settings: Settings, content: bytes) -> None:
    try:
        dotenv.parse_report(settings, content)
    except ValueError as error:
        raise BadRequest(str(error)) from None


def _expiry(ctx: WriteContext, expire_in: str | None) -> str | None:
    text = ctx.world.settings.default_artifacts_expire_in if expire_in is None else expire_in
    try:
        return job_artifacts.expiry_of(ctx, job_artifacts.parse_expiry(text)) if text else None
    except ValueError:
        raise InvalidParams("expire_in is invalid", reason=f"{text!r} is no duration such as '1 week'") from None


def store_metadata(ctx: WriteContext, job: Job, archive: JobArtifact, filename: str, content: bytes) -> None:
    """Store the list of an archive's entries, in place of the one that was made of the archive."""
    job_artifacts.insert(ctx, job, "metadata", filename, content, archive.expire_at)
