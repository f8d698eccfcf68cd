"""Fields of jobs, stages and pipelines of later releases. Source: docs/platform/graphql.md."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from html import escape
from typing import Any, Final, TypeVar, get_args

from graphql import GraphQLError

from fakeplat.core.operations.errors import Refusal
from fakeplat.core.release import ALWAYS, Lifetime
from fakeplat.domain.ci import ci_access, detailed_statuses, job_actions, job_artifacts, jobs, pipelines
from fakeplat.domain.people import namespaces
from fakeplat.domain.repository import commits
from fakeplat.domain.repository.commits import ProjectCommit
from fakeplat.entities.ci.jobs import JobBasic
from fakeplat.graphql.ci.jobs import GROUP, JOB, MOST_COUNTED, NEED, STAGE, Group, Stage, can_read_jobs, count
from fakeplat.graphql.ci.pipelines import PERMISSIONS, PIPELINE
from fakeplat.graphql.ids import global_id, parse_id
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import Enumeration, Field, Interface, Scalar, Sdl, Type
from fakeplat.model.ci import FILE_TYPE_LIFETIMES, FileType, Job, JobArtifact, JobKind, Pipeline, Source, Status
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext

_MOST_LINES: Final = 100
_TRACES: Final = "15.11"
_POLICIES: Final = ("scan_execution_policy", "pipeline_execution_policy")
_KIND_OF: Final[Mapping[JobKind, str]] = {
    "build": "Ci::Build",
    "bridge": "Ci::Bridge",
    "external": "GenericCommitStatus",
}
_KINDS: Final = (*_KIND_OF.values(), "CommitStatus")
F = TypeVar("F", bound=Callable[..., Any])

for _name in ("JobID", "CiBuildID", "CiProcessableID"):
    Scalar(_name, "The global ID of a job.", since="13.10")
Scalar("Duration", "A number of seconds.", since="14.0", show=float, read=float)
Scalar("BigInt", "An integer of any size, as text.", since="14.0")
_LATER_STATUSES: Final = {"waiting_for_callback": "<=16.9", "canceling": "<=18.5"}
Enumeration(
    "CiJobStatus",
    "The status of a job.",
    {
        status.upper(): (status, f"The status {status.replace('_', ' ')}.", Lifetime(_LATER_STATUSES.get(status, "")))
        for status in dict.fromkeys((*get_args(Status), *_LATER_STATUSES))
    },
    since="<=13.11",
)
Enumeration(
    "CiJobKind",
    "The kind of a job.",
    {"BUILD": ("build", "It runs on a runner."), "BRIDGE": ("bridge", "It starts another pipeline.")},
    since="<=15.0",
)
# The fields of jobs that the interface of jobs has, too.
_SHARED: Final[dict[Sdl, str]] = {"name: String": "The name.", "scheduledAt: Time": "Timestamp of a delayed start."}


def _job_field(signature: Sdl, *, since: str = "") -> Callable[[F], F]:
    """Declare a field of jobs, which the interface of jobs has without the exclamation mark."""

    def declare(function: F) -> F:
        _SHARED[signature.rstrip("!")] = (function.__doc__ or "").strip()
        return JOB.field(signature, since=since)(function)

    return declare


def _attributes(fields: dict[Sdl, str], *, since: str) -> None:
    _SHARED.update({signature.rstrip("!"): text for signature, text in fields.items()})
    JOB.attributes(fields, since=since)


_attributes(
    {"startedAt: Time": "Timestamp of the start.", "queuedAt: Time": "Timestamp of being queued."}, since="<=13.11"
)
_attributes({"finishedAt: Time": "Timestamp of the end."}, since="13.10")
_attributes({"createdAt: Time!": "Timestamp of creation."}, since="<=13.11")
_attributes({"allowFailure: Boolean!": "Whether the pipeline goes on after a failure."}, since="13.11")
_attributes({"status: CiJobStatus": "The status."}, since="13.11")
_attributes({"coverage: Float": "Test coverage in percent."}, since="<=14.0")
_attributes({"retried: Boolean": "Whether another job has taken its place."}, since="<=15.3")
_attributes({"erasedAt: Time": "Timestamp of the deletion of the log."}, since="<=16.2")


@_job_field("id: JobID", since="<=13.11")
def job_id(ctx: ReadContext, job: Job) -> str:
    """The global ID."""
    return global_id(ctx, _KIND_OF[job.kind], job.id)


def _view(ctx: ReadContext, job: Job) -> JobBasic:
    return JobBasic(job, ctx)


def _project(ctx: ReadContext, record: Job | Pipeline) -> Project:
    return ctx.world.projects[record.project_id]


@_job_field("duration: Int", since="13.10")
def duration(ctx: ReadContext, job: Job) -> int | None:
    """The duration in seconds, up to now if it is running."""
    seconds = _view(ctx, job).duration()
    return None if seconds is None else int(seconds)


@_job_field("queuedDuration: Duration", since="<=14.0")
def queued_duration(ctx: ReadContext, job: Job) -> float | None:
    """The seconds that it waited for a runner."""
    seconds: float | None = _view(ctx, job).queued_duration()
    return seconds


@_job_field("stage: CiStage", since="<=13.11")
def stage_of(ctx: ReadContext, job: Job) -> Stage:
    """The stage."""
    pipeline = ctx.world.pipelines[job.pipeline_id]
    members = tuple(each for each in jobs.list_latest(ctx.world, pipeline.id) if each.stage_index == job.stage_index)
    return Stage(f"{pipeline.id}-{job.stage_index}", job.stage, pipeline, members)


@_job_field("shortSha: String!", since="<=13.11")
def short_sha(ctx: ReadContext, job: Job) -> str:
    """The beginning of the SHA of the commit."""
    return ctx.world.pipelines[job.pipeline_id].sha[:8]


@_job_field("webPath: String", since="15.4")
def web_path(ctx: ReadContext, job: Job) -> str | None:
    """The path of the page, which jobs that start other pipelines lack."""
    return None if job.kind == "bridge" else detailed_statuses.job_path(ctx.world, job)


@_job_field("commitPath: String", since="<=14.0")
def commit_path_of_job(ctx: ReadContext, job: Job) -> str:
    """The path of the commit."""
    return _page(ctx, job, f"commit/{ctx.world.pipelines[job.pipeline_id].sha}")


@_job_field("refPath: String", since="<=14.0")
def ref_path_of_job(ctx: ReadContext, job: Job) -> str:
    """The path of the commits of the branch or tag."""
    return _page(ctx, job, f"commits/{job.ref}")


def _page(ctx: ReadContext, job: Job, rest: str) -> str:
    return f"/{namespaces.project_path(ctx.world, ctx.world.projects[job.project_id])}/-/{rest}"


@JOB.field("playPath: String", since="<=16.2")
def play_path(ctx: ReadContext, job: Job) -> str:
    """The path that starts it."""
    return _page(ctx, job, f"jobs/{job.id}/play")


@JOB.field("retryPath: String", since="<=18.5")
def retry_path(ctx: ReadContext, job: Job) -> str | None:
    """The path that starts it again, if it is finished."""
    return _page(ctx, job, f"jobs/{job.id}/retry") if job_actions.is_retryable(job) else None


@JOB.field("browseArtifactsPath: String", since="<=15.8")
def browse_path(ctx: ReadContext, job: Job) -> str:
    """The path of its files."""
    return _page(ctx, job, f"jobs/{job.id}/artifacts/browse")


@_job_field("refName: String", since="<=14.0")
def ref_name(_ctx: ReadContext, job: Job) -> str:
    """The name of the ref."""
    return job.ref


@_job_field("createdByTag: Boolean!", since="<=14.0")
def created_by_tag(_ctx: ReadContext, job: Job) -> bool:
    """Whether it runs for a tag."""
    return job.tag


@_job_field("tags: [String!]", since="<=14.0")
def tags(_ctx: ReadContext, job: Job) -> Sequence[str] | None:
    """The tags that the runner must have, if one runs it."""
    return job.tags if job.kind == "build" else None


@_job_field("active: Boolean!", since="<=14.0")
def is_active(_ctx: ReadContext, job: Job) -> bool:
    """Whether it is waiting or running."""
    return job.status in ("waiting_for_resource", "preparing", "pending", "running")


@_job_field("cancelable: Boolean!", since="<=14.0")
def is_cancelable(_ctx: ReadContext, job: Job) -> bool:
    """Whether it can be canceled."""
    return is_active(_ctx, job) or job.status == "created"


@_job_field("retryable: Boolean!", since="<=14.0")
def is_retryable(_ctx: ReadContext, job: Job) -> bool:
    """Whether it can be retried."""
    return job_actions.is_retryable(job)


@_job_field("playable: Boolean!", since="<=14.0")
def is_playable(_ctx: ReadContext, job: Job) -> bool:
    """Whether it can be started."""
    return job_actions.is_playable(job)


@_job_field("manualJob: Boolean", since="<=14.0")
def is_manual(_ctx: ReadContext, job: Job) -> bool:
    """Whether a user has to start it."""
    return job.when in ("manual", "delayed")


@_job_field("scheduled: Boolean!", since="<=16.2")
def is_scheduled(_ctx: ReadContext, job: Job) -> bool:
    """Whether it waits for its time."""
    return job.status == "scheduled"


@_job_field("triggered: Boolean", since="<=14.0")
def is_triggered(ctx: ReadContext, job: Job) -> bool:
    """Whether its pipeline was started with a trigger token."""
    return ctx.world.pipelines[job.pipeline_id].trigger_id is not None


@_job_field("stuck: Boolean!", since="<=14.0")
def is_stuck(_ctx: ReadContext, job: Job) -> bool:
    """Whether no runner can run it; that is not told here."""
    return job.failure_reason == "stuck_or_timeout_failure" and job.status == "pending"


@_job_field("canPlayJob: Boolean!", since="<=16.2")
def can_play(ctx: ReadContext, job: Job) -> bool:
    """Whether the caller may start it."""
    return job_actions.is_playable(job) and ci_access.can_update_job(ctx, _project(ctx, job), job)


@_job_field("kind: CiJobKind!", since="<=15.0")
def kind(_ctx: ReadContext, job: Job) -> str:
    """The kind."""
    return "bridge" if job.kind == "bridge" else "build"


@_job_field("schedulingType: String", since="<=14.0")
def scheduling_type(_ctx: ReadContext, job: Job) -> str:
    """Whether it waits for stages or for the jobs that it needs."""
    return "stage" if job.needs is None else "dag"


@_job_field("failureMessage: String", since="<=16.2")
def failure_message(_ctx: ReadContext, job: Job) -> str | None:
    """Why it failed."""
    return detailed_statuses.failure_text(job) if job.status == "failed" and job.failure_reason else None


_attributes({"exitCode: Int": "The exit code of a script that failed."}, since="<=18.5")
Enumeration(
    "CiJobSource",
    "What started a job.",
    {
        source.upper(): (source, f"The source {source.replace('_', ' ')}.")
        for source in (*get_args(Source), "ondemand_dast_scan", "ondemand_dast_validation", *_POLICIES)
    },
    since="<=18.5",
)


@_job_field("source: CiJobSource", since="<=18.5")
def source_of(ctx: ReadContext, job: Job) -> str | None:
    """What started it: the source of its pipeline; null for jobs that no runner runs."""
    return ctx.world.pipelines[job.pipeline_id].source if job.kind == "build" else None


@JOB.field("downstreamPipeline: Pipeline", since="<=14.9")
def downstream_pipeline(ctx: ReadContext, job: Job) -> Pipeline | None:
    """The pipeline that it started."""
    id_ = job.downstream_pipeline_id
    pipeline = ctx.world.pipelines.get(id_) if id_ is not None else None
    return pipeline if pipeline is not None and can(ctx, Ability.READ_PIPELINE, _project(ctx, pipeline)) else None


@JOB.field("project: Project", since="<=16.2")
def project_of_job(ctx: ReadContext, job: Job) -> Project:
    """The project."""
    return _project(ctx, job)


JOB_PERMISSIONS = Type("JobPermissions", "What the caller may do with a job.", since="<=14.0")


@JOB.field("userPermissions: JobPermissions!", since="<=14.0")
def permissions(_ctx: ReadContext, job: Job) -> Job:
    """What the caller may do."""
    return job


@JOB_PERMISSIONS.field("readBuild: Boolean!")
@JOB_PERMISSIONS.field("readJobArtifacts: Boolean!")
def may_read(ctx: ReadContext, job: Job) -> bool:
    """Whether the caller may read it and its artifacts."""
    return can(ctx, Ability.READ_BUILD, _project(ctx, job))


@JOB_PERMISSIONS.field("updateBuild: Boolean!")
@JOB_PERMISSIONS.field("cancelBuild: Boolean!", since="<=16.9")
def may_update(ctx: ReadContext, job: Job) -> bool:
    """Whether the caller may change it."""
    return ci_access.can_update_job(ctx, _project(ctx, job), job)


_OF_OTHER_TYPES: Final[dict[Sdl, str]] = {
    "artifacts: CiJobArtifactConnection": "The files that it left.",
    "browseArtifactsPath: String": "The path of its files.",
    "detailedStatus: DetailedStatus": "The status, and what the caller can do.",
    "pipeline: Pipeline": "The pipeline.",
    "playPath: String": "The path that starts it.",
    "project: Project": "The project.",
    "runner: CiRunner": "The runner that took it.",
    "trace: CiJobTrace": "The log.",
    "userPermissions: JobPermissions": "What the caller may do.",
}
Interface(
    "CiJobInterface",
    "A job.",
    {**_SHARED, **_OF_OTHER_TYPES},
    since="<=18.5",
    type_of=lambda _job: "CiJob",
    totals=(Field(f"count(limit: Int = {MOST_COUNTED}): Int!", "The number of all jobs, up to a limit.", count),),
)
NEED.attributes({"id: ID!": "The ID."}, since="<=14.3")


# Artifacts

Enumeration(
    "JobArtifactFileType",
    "The type of an artifact.",
    {
        name.upper(): (name, f"The type {name.replace('_', ' ')}.", FILE_TYPE_LIFETIMES.get(name, ALWAYS))
        for name in get_args(FileType)
    },
    since="<=13.7",
)
ARTIFACT = Type("CiJobArtifact", "A file that a job left.", since="<=13.7")
ARTIFACT.attributes({"fileType: JobArtifactFileType": "The type."})
ARTIFACT.attributes(
    {"size: BigInt!": "The number of bytes.", "expireAt: Time": "Timestamp of the end."}, since="<=15.8"
)


@ARTIFACT.field("name: String", since="<=14.9")
def artifact_name(_ctx: ReadContext, artifact: JobArtifact) -> str:
    """The name of the file."""
    return artifact.filename


@ARTIFACT.field("downloadPath: String")
def download_path(ctx: ReadContext, artifact: JobArtifact) -> str:
    """The path at which it can be downloaded."""
    job = ctx.world.jobs[artifact.job_id]
    return f"{detailed_statuses.job_path(ctx.world, job)}/artifacts/download?file_type={artifact.file_type}"


@ARTIFACT.field("expired: Boolean!", since="<=18.5")
def artifact_expired(ctx: ReadContext, artifact: JobArtifact) -> bool:
    """Whether it is no longer there."""
    return job_artifacts.has_expired(ctx, artifact)


@JOB.field("artifacts: CiJobArtifactConnection", since="<=13.7")
def artifacts_of(ctx: ReadContext, job: Job) -> Sequence[JobArtifact] | None:
    """The files that it left, if a runner runs it."""
    return _list_artifacts(ctx, job) if job.kind == "build" else None


def _list_artifacts(ctx: ReadContext, job: Job) -> Sequence[JobArtifact]:
    return job_artifacts.list_of(ctx, job) if may_read(ctx, job) else ()


@PIPELINE.field("jobArtifacts: [CiJobArtifact!]", since="<=14.9")
def artifacts_of_pipeline(ctx: ReadContext, pipeline: Pipeline) -> Sequence[JobArtifact]:
    """The files that its jobs left."""
    return [artifact for job in jobs.list_latest(ctx.world, pipeline.id) for artifact in _list_artifacts(ctx, job)]


# Stages


@STAGE.field("id: ID!", since="<=14.3")
def stage_id(ctx: ReadContext, stage: Stage) -> str:
    """The global ID."""
    return global_id(ctx, "Ci::Stage", stage.id)


@STAGE.field("jobs: CiJobConnection", since="<=13.11")
def jobs_of_stage(_ctx: ReadContext, stage: Stage) -> Sequence[Job]:
    """The jobs."""
    return stage.jobs


@STAGE.field("status: String", since="<=14.1")
def status_of_stage(ctx: ReadContext, stage: Stage) -> str:
    """The status of the jobs together."""
    group = detailed_statuses.of_stage(ctx.world, stage.pipeline, stage.name, stage.jobs).group
    return group.removesuffix("-with-warnings").replace("-", "_")


@GROUP.field("id: String!", since="<=14.3")
def group_id(_ctx: ReadContext, group: Group) -> str:
    """The ID."""
    return group.id


# Pipelines

PIPELINE.attributes({"ref: String": "The branch or tag."}, since="<=14.3")
PIPELINE.attributes({"source: String": "What started it.", "name: String": "The name."}, since="<=16.9")


_CONFIG_SOURCES: Final[Mapping[str, Lifetime]] = {
    **dict.fromkeys(
        (
            "UNKNOWN_SOURCE",
            "REPOSITORY_SOURCE",
            "AUTO_DEVOPS_SOURCE",
            "WEBIDE_SOURCE",
            "REMOTE_SOURCE",
            "EXTERNAL_PROJECT_SOURCE",
            "BRIDGE_SOURCE",
            "PARAMETER_SOURCE",
        ),
        ALWAYS,
    ),
    "COMPLIANCE_SOURCE": Lifetime("<=13.10"),
    "SECURITY_POLICIES_DEFAULT_SOURCE": Lifetime("<=16.3"),
    "PIPELINE_EXECUTION_POLICY_FORCED": Lifetime("<=18.5"),
}
Enumeration(
    "PipelineConfigSourceEnum",
    "Where the configuration of a pipeline comes from.",
    {
        name: (name, f"The source {name.removesuffix('_SOURCE').replace('_', ' ').lower()}.", lifetime)
        for name, lifetime in _CONFIG_SOURCES.items()
    },
)


@PIPELINE.field("configSource: PipelineConfigSourceEnum")
def config_source(ctx: ReadContext, pipeline: Pipeline) -> str:
    """Where the configuration comes from, as far as the settings of the project tell."""
    place = _project(ctx, pipeline).ci_config_path or ""
    if pipeline.source == "external":
        return "UNKNOWN_SOURCE"
    if pipeline.source == "parent_pipeline":
        return "PARAMETER_SOURCE"
    if "://" in place:
        return "REMOTE_SOURCE"
    return "EXTERNAL_PROJECT_SOURCE" if "@" in place else "REPOSITORY_SOURCE"


@PIPELINE.field("complete: Boolean!", since="<=14.0")
def is_complete(_ctx: ReadContext, pipeline: Pipeline) -> bool:
    """Whether it is finished."""
    return pipeline.is_completed


@PIPELINE.field("warnings: Boolean!", since="13.10")
def has_warnings(ctx: ReadContext, pipeline: Pipeline) -> bool:
    """Whether jobs failed that may fail."""
    return any(job.outcome == "warning" for job in jobs.list_latest(ctx.world, pipeline.id))


@PIPELINE.field("commit: Commit", since="<=14.9")
def commit_of(ctx: ReadContext, pipeline: Pipeline) -> ProjectCommit | None:
    """The commit."""
    return commits.find_commit(ctx.world, _project(ctx, pipeline), pipeline.sha)


@PIPELINE.field("commitPath: String", since="13.10")
def commit_path(ctx: ReadContext, pipeline: Pipeline) -> str:
    """The path of the page of the commit."""
    return f"{detailed_statuses.pipeline_path(ctx.world, pipeline).rpartition('/-/')[0]}/-/commit/{pipeline.sha}"


@PIPELINE.field("refPath: String", since="<=14.9")
def ref_path(_ctx: ReadContext, pipeline: Pipeline) -> str:
    """The full name of the ref."""
    if pipeline.merge_request_id is not None:
        return pipeline.ref
    return f"refs/{'tags' if pipeline.tag else 'heads'}/{pipeline.ref}"


@PIPELINE.field("queuedDuration: Duration", since="<=14.0")
def pipeline_queued_duration(ctx: ReadContext, pipeline: Pipeline) -> float | None:
    """The seconds before the first job started."""
    return pipelines.measure_wait(ctx, pipeline)


@PIPELINE.field("failureReason: String", since="<=16.9")
def failure_reason(_ctx: ReadContext, pipeline: Pipeline) -> str | None:
    """Why it failed, if not because of a job."""
    return "config_error" if pipeline.yaml_errors is not None else None


@PIPELINE.field("yamlErrors: Boolean!", since="<=18.5")
def has_yaml_errors(_ctx: ReadContext, pipeline: Pipeline) -> bool:
    """Whether the configuration has errors."""
    return pipeline.yaml_errors is not None


@PIPELINE.field("yamlErrorMessages: String", since="<=18.5")
def yaml_error_messages(_ctx: ReadContext, pipeline: Pipeline) -> str | None:
    """The errors of the configuration."""
    return pipeline.yaml_errors


@PIPELINE.field("child: Boolean!", since="<=16.9")
def is_child(_ctx: ReadContext, pipeline: Pipeline) -> bool:
    """Whether a pipeline of the same project started it."""
    return pipeline.source == "parent_pipeline"


@PIPELINE.field("latest: Boolean!", since="<=16.9")
def is_latest(ctx: ReadContext, pipeline: Pipeline) -> bool:
    """Whether it is the newest of its ref."""
    newest = pipelines.find_latest_by_ref(ctx.world, _project(ctx, pipeline), pipeline.ref)
    return newest is not None and newest.id == pipeline.id


@PIPELINE.field("stuck: Boolean!", since="<=16.9")
def is_pipeline_stuck(ctx: ReadContext, pipeline: Pipeline) -> bool:
    """Whether no runner can run one of its jobs."""
    return any(is_stuck(ctx, job) for job in jobs.list_latest(ctx.world, pipeline.id))


@PIPELINE.field("hasManualActions: Boolean!", since="<=18.5")
def has_manual_actions(ctx: ReadContext, pipeline: Pipeline) -> bool:
    """Whether a job waits for a user."""
    return any(job.status == "manual" for job in jobs.list_latest(ctx.world, pipeline.id))


@PIPELINE.field("hasScheduledActions: Boolean!", since="<=18.5")
def has_scheduled_actions(ctx: ReadContext, pipeline: Pipeline) -> bool:
    """Whether a job waits for its time."""
    return any(job.status == "scheduled" for job in jobs.list_latest(ctx.world, pipeline.id))


@PIPELINE.field("usesNeeds: Boolean", since="<=14.0")
def uses_needs(ctx: ReadContext, pipeline: Pipeline) -> bool:
    """Whether a job says which ones it needs."""
    return any(job.needs for job in jobs.list_latest(ctx.world, pipeline.id))


@PIPELINE.field("totalJobs: Int!", since="<=16.9")
def total_jobs(ctx: ReadContext, pipeline: Pipeline) -> int:
    """Number of jobs, also retried ones."""
    return len(ctx.world.jobs.where("pipeline", pipeline.id))


@PIPELINE.field("trigger: Boolean!", since="<=18.5")
def has_trigger(_ctx: ReadContext, pipeline: Pipeline) -> bool:
    """Whether it was started with a trigger token."""
    return pipeline.trigger_id is not None


@PIPELINE.field("type: String!", since="<=18.5")
def pipeline_type(_ctx: ReadContext, pipeline: Pipeline) -> str:
    """Whether it runs for a merge request, a tag or a branch."""
    return "merge_request" if pipeline.merge_request_id is not None else "tag" if pipeline.tag else "branch"


@PIPELINE.field("mergeRequest: MergeRequest", since="<=16.9")
def merge_request_of(ctx: ReadContext, pipeline: Pipeline) -> MergeRequest | None:
    """The merge request that it runs for."""
    record = ctx.world.merge_requests.get(pipeline.merge_request_id or 0)
    return record if record is not None and can(ctx, Ability.READ_MERGE_REQUESTS, _project(ctx, pipeline)) else None


@PIPELINE.field("job(id: JobID, name: String): CiJob", since="<=13.11")
def job_of_pipeline(ctx: ReadContext, pipeline: Pipeline, id: str | None = None, name: str | None = None) -> Job | None:
    """The job with a global ID, or else the latest one with a name."""
    if not can_read_jobs(ctx, pipeline.project_id):
        return None
    if not id and not name:
        raise GraphQLError("One of id or name is required")
    if id:
        job = ctx.world.jobs.get(parse_id(ctx, id, *_KINDS))
        return job if job is not None and job.pipeline_id == pipeline.id else None
    return next((job for job in jobs.list_latest(ctx.world, pipeline.id) if job.name == name), None)


@PERMISSIONS.field("cancelPipeline: Boolean!", since="<=16.9")
def may_cancel(_ctx: ReadContext, permissions_of_pipeline: Any) -> bool:
    """Whether the caller may cancel it."""
    return bool(permissions_of_pipeline.update_pipeline)


# Jobs of projects


def select(found: Iterable[Job], statuses: Collection[str] | None) -> list[Job]:
    """Return the jobs in some statuses, the newest first; None is no filter."""
    return sorted((job for job in found if statuses is None or job.status in statuses), key=lambda job: -job.id)


@PROJECT.field(
    'jobs(statuses: [CiJobStatus!], withArtifacts: Boolean @lifetime(since: "<=15.8"), '
    'name: String @lifetime(since: "17.1"), kind: CiJobKind @lifetime(since: "<=18.5"), '
    'sources: [CiJobSource!] @lifetime(since: "<=18.5")): CiJobConnection',
    since="<=14.0",
    calls=1,
)
def jobs_of_project(
    ctx: ReadContext,
    project: Project,
    statuses: Sequence[str] | None = None,
    with_artifacts: bool | None = None,
    name: str | None = None,
    kind: str | None = None,
    sources: Sequence[str] | None = None,
) -> Sequence[Job] | None:
    """The jobs of the project that have been queued or left out, newest first."""
    if not can(ctx, Ability.READ_BUILD, project):
        return None
    found = (
        job
        for job in ctx.world.jobs.where("project", project.id)
        if job.kind == (kind or "build")
        and job.status != "created"
        and (not with_artifacts or job_artifacts.has_archive(ctx.world, job))
        and (not name or _has_words(job.name, name))
        and (not sources or ctx.world.pipelines[job.pipeline_id].source in sources)
    )
    return select(found, statuses)


def _has_words(job_name: str, searched: str) -> bool:
    """Whether each word of a text begins a word of a name."""
    words = job_name.lower().split()
    return all(any(word.startswith(begin) for word in words) for begin in searched.lower().split())


@PROJECT.field("job(id: JobID!): CiJob", since="<=15.8")
def job_of_project(ctx: ReadContext, project: Project, id: str) -> Job | None:
    """The job with a global ID."""
    job = ctx.world.jobs.get(parse_id(ctx, id, *_KINDS))
    readable = job is not None and job.project_id == project.id and can(ctx, Ability.READ_BUILD, project)
    return job if readable else None


# The log

TRACE = Type("CiJobTrace", "The log of a job.", since=_TRACES)


@JOB.field("trace: CiJobTrace", since=_TRACES)
def trace(ctx: ReadContext, job: Job) -> Job | None:
    """The log, for those who may read it."""
    try:
        ci_access.authorize_read_log(ctx, _project(ctx, job), job)
    except Refusal:
        return None
    return job


@TRACE.field("htmlSummary(lastLines: Int = 10): String!")
def html_summary(_ctx: ReadContext, job: Job, last_lines: int | None = None) -> str:
    """The last lines as HTML, at most a hundred."""
    lines = job.log.splitlines()[-min(max(last_lines or 0, 1), _MOST_LINES) :]
    return f"<span>{'<br/>'.join(escape(line, quote=False) for line in lines)}</span>"
