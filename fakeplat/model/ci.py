"""CI/CD: pipelines, jobs and what they leave, runners, triggers, schedules, variables."""

from collections.abc import Mapping
from hashlib import sha256
from types import MappingProxyType
from typing import Any, Final, Literal, get_args

from attrs import field

from fakeplat.ci_config.jobs import OnJobFailure, OnNewCommit, PlannedJob
from fakeplat.core.release import Lifetime
from fakeplat.core.store.frozen import frozen
from fakeplat.core.store.records import fast_init
from fakeplat.core.store.references import Subject

Status = Literal[
    "created",
    "waiting_for_resource",
    "preparing",
    "pending",
    "running",
    "canceling",
    "success",
    "failed",
    "canceled",
    "skipped",
    "manual",
    "scheduled",
]
"""``canceling``: the runner was told to stop, and has not said yet that it has."""
AnyStatus = Status | Literal["waiting_for_callback"]
"""With the one that clients may ask for, and no job has here."""
Source = Literal[
    "push",
    "web",
    "trigger",
    "schedule",
    "api",
    "external",
    "pipeline",
    "chat",
    "webide",
    "merge_request_event",
    "external_pull_request_event",
    "parent_pipeline",
    "unknown",
]

DANGLING: Final[tuple[Source, ...]] = ("webide", "parent_pipeline")
"""The sources of pipelines that say nothing about their commit."""
ACTIVE: Final[tuple[Status, ...]] = ("waiting_for_resource", "preparing", "pending", "running")
EXECUTING: Final[tuple[Status, ...]] = ("running", "canceling")
"""The statuses of jobs that a runner works on."""
COMPLETED: Final[tuple[Status, ...]] = ("success", "failed", "canceled", "skipped")
ENDED: Final[tuple[Status, ...]] = ("success", "failed", "canceled")


@frozen
class PipelineVariable:
    """A variable that was given to one pipeline when it was created."""

    key: str
    value: str
    variable_type: Literal["env_var", "file"] = "env_var"


@fast_init
@frozen
class Pipeline:
    """A pipeline of a project for a commit of a branch or tag.

    ``merge_request_id``: it was created for that merge request, not for the branch. ``before_sha`` is the commit of the
    ref before the push that created the pipeline, or 40 zeros without a push. ``duration`` is in seconds, ``coverage``
    in percent. ``yaml_errors`` is why no job could run, and ``warnings`` are about the configuration. ``source_job_id``
    is the bridge that created it. ``name`` is what the configuration calls it. A newer commit cancels all jobs if none
    must go on (``conservative``), or those that may be interrupted; with ``auto_cancel_on_job_failure``, a failed job
    cancels all others.
    """

    id: int
    iid: int
    project_id: int
    ref: str
    sha: str
    created_at: str
    updated_at: str
    status: Status = "created"
    source: Source = "push"
    tag: bool = False
    before_sha: str = "0" * 40
    user_id: int | None = None
    merge_request_id: int | None = None
    yaml_errors: str | None = None
    warnings: tuple[str, ...] = ()
    started_at: str | None = None
    finished_at: str | None = None
    committed_at: str | None = None
    duration: int | None = None
    coverage: float | None = None
    protected: bool = False
    variables: tuple[PipelineVariable, ...] = ()
    source_job_id: int | None = None
    trigger_id: int | None = None
    schedule_id: int | None = None
    auto_canceled_by_id: int | None = None
    auto_cancel_on_new_commit: OnNewCommit = "conservative"
    auto_cancel_on_job_failure: OnJobFailure = "none"
    name: str | None = None

    @property
    def is_completed(self) -> bool:
        """Whether the pipeline will not change any more by itself."""
        return self.status in COMPLETED

    @property
    def is_active(self) -> bool:
        """Whether the pipeline progresses without user action."""
        return self.status in ACTIVE

    @property
    def is_dangling(self) -> bool:
        """Whether the pipeline does not count for the status of its commit."""
        return self.source in DANGLING

    @property
    def has_begun(self) -> bool:
        """Whether any job has started."""
        return self.started_at is not None or self.status in ("running", "success")


JobKind = Literal["build", "bridge", "external"]
Outcome = Status | Literal["warning", "ignored"]
"""How a job counts: its status; "warning" for an allowed failure, "ignored" for an optional manual job."""
PlayedResult = Literal["success", "failed", "canceled", "manual", "stuck"]
FailureReason = Literal[
    "unknown_failure",
    "script_failure",
    "api_failure",
    "stuck_or_timeout_failure",
    "runner_system_failure",
    "missing_dependency_failure",
    "runner_unsupported",
    "stale_schedule",
    "job_execution_timeout",
    "archived_failure",
    "unmet_prerequisites",
    "scheduler_failure",
    "data_integrity_failure",
    "forward_deployment_failure",
    "user_blocked",
    "project_deleted",
    "ci_quota_exceeded",
    "pipeline_loop_detected",
    "no_matching_runner",
    "trace_size_exceeded",
    "builds_disabled",
    "environment_creation_failure",
    "deployment_rejected",
    "failed_outdated_deployment_job",
    "job_execution_server_timeout",
    "stuck_pending_with_matching_runners",
    "stuck_pending_no_matching_runners",
    "no_updates_running",
    "no_updates_canceling",
    "server_timeout_running",
    "server_timeout_canceling",
    "runner_configuration_error",
    "runner_external_dependency_failure",
    "runner_interrupted",
    "protected_environment_failure",
    "insufficient_bridge_permissions",
    "downstream_bridge_project_not_found",
    "invalid_bridge_trigger",
    "upstream_bridge_project_not_found",
    "insufficient_upstream_permissions",
    "bridge_pipeline_is_child_pipeline",
    "downstream_pipeline_creation_failed",
    "secrets_provider_not_found",
    "reached_max_descendant_pipelines_depth",
    "ip_restriction_failure",
    "reached_max_pipeline_hierarchy_size",
    "reached_downstream_pipeline_trigger_rate_limit",
    "duo_workflow_not_allowed",
    "job_router_failure",
    "job_token_expired",
    "id_token_burned_project_path",
    "downstream_project_trigger_resolved_to_empty",
]

_FAILURES_BY_RELEASE: Final[Mapping[str, tuple[FailureReason, ...]]] = {
    "<=13.12": ("user_blocked", "project_deleted", "ci_quota_exceeded", "reached_max_descendant_pipelines_depth"),
    "<=14.4": ("pipeline_loop_detected", "no_matching_runner", "trace_size_exceeded"),
    "14.8": ("deployment_rejected",),
    "<=16.10": (
        "builds_disabled",
        "environment_creation_failure",
        "failed_outdated_deployment_job",
        "ip_restriction_failure",
        "reached_max_pipeline_hierarchy_size",
    ),
    "16.10": ("reached_downstream_pipeline_trigger_rate_limit",),
    "<=19.3": (
        "job_execution_server_timeout",
        "stuck_pending_with_matching_runners",
        "stuck_pending_no_matching_runners",
        "no_updates_running",
        "no_updates_canceling",
        "server_timeout_running",
        "server_timeout_canceling",
        "runner_configuration_error",
        "runner_external_dependency_failure",
        "runner_interrupted",
        "duo_workflow_not_allowed",
        "job_router_failure",
        "job_token_expired",
        "id_token_burned_project_path",
        "downstream_project_trigger_resolved_to_empty",
    ),
}
FAILURE_LIFETIMES: Final[Mapping[FailureReason, Lifetime]] = MappingProxyType(
    {reason: Lifetime(since) for since, reasons in _FAILURES_BY_RELEASE.items() for reason in reasons}
)
"""The releases of the failure reasons that not all of them have. Source: docs/platform/runner-protocol.md."""

CANCELABLE: Final[tuple[Status, ...]] = (
    "created",
    "waiting_for_resource",
    "preparing",
    "pending",
    "running",
    "scheduled",
)
RETRYABLE: Final[tuple[Status, ...]] = ("success", "failed", "canceled")
_WHEN_FAILURE_IS_ALLOWED: Final[Mapping[Status, Outcome]] = {
    "failed": "warning",
    "canceled": "warning",
    "manual": "ignored",
}
OUTCOMES: Final[tuple[Outcome, ...]] = (*get_args(Status), *dict.fromkeys(_WHEN_FAILURE_IS_ALLOWED.values()))


@fast_init
@frozen(kw_only=True)
class Job(PlannedJob):
    """A job of a pipeline, as it runs.

    ``retried``: another job of that name has taken its place. ``scheduled_at`` is when a delayed job starts.
    ``downstream_pipeline_id`` is the pipeline that a bridge created. ``log`` is the output so far; ``log_tail`` has the
    hex digits of the first bytes of a character whose other bytes the runner has not sent yet. ``debug_trace``: the log
    may contain secrets. ``target_url`` and
    ``description`` belong to statuses from outside. ``given_variables`` and ``inputs`` are what the user
    gave who played or retried it: the inputs without those that have their default. ``exit_code`` is that of a script
    that failed. ``session_url`` is where the runner serves terminals while the job runs. ``cancels_gracefully``: its
    runner says when a canceled job has stopped.
    """

    id: int
    pipeline_id: int
    project_id: int
    created_at: str
    updated_at: str
    kind: JobKind = "build"
    status: Status = "created"
    ref: str = ""
    tag: bool = False
    user_id: int | None = None
    runner_id: int | None = None
    runner_manager_id: int | None = None
    retried: bool = False
    queued_at: str | None = None
    scheduled_at: str | None = None
    started_at: str | None = None
    finished_at: str | None = None
    failure_reason: FailureReason | None = None
    coverage: float | None = None
    log: str = ""
    log_tail: str = ""
    erased_at: str | None = None
    erased_by_id: int | None = None
    downstream_pipeline_id: int | None = None
    target_url: str | None = None
    description: str | None = None
    debug_trace: bool = False
    given_variables: tuple[PipelineVariable, ...] = ()
    inputs: Mapping[str, Any] = field(factory=dict)
    exit_code: int | None = None
    session_url: str | None = None
    cancels_gracefully: bool = False

    @property
    def holds_resource(self) -> bool:
        """Whether other jobs of its resource group have to wait."""
        return self.resource_group is not None and self.status in ("preparing", "pending", *EXECUTING)

    @property
    def waits_for_resource(self) -> bool:
        """Whether the job waits for another one of its resource group."""
        return self.resource_group is not None and self.status == "waiting_for_resource"

    @property
    def is_upcoming(self) -> bool:
        """Whether the job will need its resource group, or waits for it already."""
        return self.resource_group is not None and self.status in ("created", "scheduled", "waiting_for_resource")

    @property
    def outcome(self) -> Outcome:
        """How the job counts for its stage and its pipeline."""
        return _WHEN_FAILURE_IS_ALLOWED.get(self.status, self.status) if self.allow_failure else self.status

    @property
    def is_completed(self) -> bool:
        """Whether the job will not change any more by itself."""
        return self.status in COMPLETED


@frozen
class JobOutcome:
    """How jobs are played: those whose project, ref and name match the patterns.

    ``after`` is the time (ms) from being queued to the end. ``attempts`` has the outcome of each try, the last one for
    all further ones; without it, ``outcome`` holds for every try. ``artifacts`` maps paths to contents. ``exit_code``
    is that of a script that fails.
    """

    id: int
    project: str = "*"
    ref: str = "*"
    job: str = "*"
    outcome: PlayedResult = "success"
    after: int = 1000
    attempts: tuple[PlayedResult, ...] = ()
    log: str | None = None
    artifacts: Mapping[str, str] = field(factory=dict)
    coverage: float | None = None
    exit_code: int = 1


FileType = Literal[
    "archive",
    "metadata",
    "trace",
    "junit",
    "sast",
    "dependency_scanning",
    "container_scanning",
    "dast",
    "codequality",
    "license_management",
    "license_scanning",
    "performance",
    "metrics",
    "metrics_referee",
    "network_referee",
    "lsif",
    "dotenv",
    "cobertura",
    "terraform",
    "accessibility",
    "cluster_applications",
    "secret_detection",
    "requirements",
    "coverage_fuzzing",
    "browser_performance",
    "load_performance",
    "api_fuzzing",
    "cluster_image_scanning",
    "cyclonedx",
    "requirements_v2",
    "annotations",
    "repository_xray",
    "jacoco",
    "scip",
    "sarif",
    "environment_key",
]
FILE_TYPE_LIFETIMES: Final[Mapping[FileType, Lifetime]] = MappingProxyType(
    {
        "api_fuzzing": Lifetime("<=14.0"),
        "cluster_image_scanning": Lifetime("<=14.1"),
        "cyclonedx": Lifetime("<=15.10"),
        "requirements_v2": Lifetime("<=15.8"),
        "annotations": Lifetime("16.3"),
        "repository_xray": Lifetime("16.7"),
        "jacoco": Lifetime("<=18.5"),
        "license_management": Lifetime(until="<=18.9"),
        "scip": Lifetime("<=18.9"),
        "sarif": Lifetime("<=19.3"),
        "environment_key": Lifetime("<=19.3"),
    }
)
"""The releases of the types of files that not all of them have."""
FileFormat = Literal["raw", "zip", "gzip"]
Accessibility = Literal["public", "private", "maintainer", "none"]

_RAW: Final[FileFormat] = "raw"
FORMATS: Final[Mapping[str, FileFormat]] = MappingProxyType(
    {
        "archive": "zip",
        "metadata": "gzip",
        "trace": _RAW,
        "junit": "gzip",
        "metrics": "gzip",
        "metrics_referee": "gzip",
        "network_referee": "gzip",
        "dotenv": "gzip",
        "cobertura": "gzip",
        "jacoco": "gzip",
        "cyclonedx": "gzip",
        "annotations": "gzip",
        "repository_xray": "gzip",
        "cluster_applications": "gzip",
        "lsif": "zip",
        "scip": "zip",
        "sast": _RAW,
        "secret_detection": _RAW,
        "dependency_scanning": _RAW,
        "container_scanning": _RAW,
        "dast": _RAW,
        "license_management": _RAW,
        "license_scanning": _RAW,
        "accessibility": _RAW,
        "codequality": _RAW,
        "performance": _RAW,
        "browser_performance": _RAW,
        "load_performance": _RAW,
        "terraform": _RAW,
        "requirements": _RAW,
        "requirements_v2": _RAW,
        "coverage_fuzzing": _RAW,
        "api_fuzzing": _RAW,
        "cluster_image_scanning": _RAW,
        "sarif": _RAW,
        "environment_key": _RAW,
    }
)
"""The only format that the platform accepts for each type of file."""

REPORT_NAMES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "junit": "junit.xml",
        "accessibility": "gl-accessibility.json",
        "codequality": "gl-code-quality-report.json",
        "sast": "gl-sast-report.json",
        "secret_detection": "gl-secret-detection-report.json",
        "dependency_scanning": "gl-dependency-scanning-report.json",
        "container_scanning": "gl-container-scanning-report.json",
        "dast": "gl-dast-report.json",
        "license_management": "gl-license-management-report.json",
        "license_scanning": "gl-license-scanning-report.json",
        "performance": "performance.json",
        "browser_performance": "browser-performance.json",
        "load_performance": "load-performance.json",
        "metrics": "metrics.txt",
        "lsif": "lsif.json",
        "scip": "index.scip",
        "dotenv": ".env",
        "cobertura": "cobertura-coverage.xml",
        "jacoco": "jacoco-coverage.xml",
        "cyclonedx": "gl-sbom.cdx.json",
        "terraform": "tfplan.json",
        "cluster_applications": "gl-cluster-applications.json",
        "requirements": "requirements.json",
        "requirements_v2": "requirements_v2.json",
        "coverage_fuzzing": "gl-coverage-fuzzing.json",
        "api_fuzzing": "gl-api-fuzzing-report.json",
        "cluster_image_scanning": "gl-cluster-image-scanning-report.json",
        "annotations": "gl-annotations.json",
        "repository_xray": "gl-repository-xray.json",
        "sarif": "gl-sarif-report.sarif",
        "environment_key": "environment_key.txt",
    }
)
"""The file names of reports, without the suffix of their format."""


@frozen
class JobArtifact:
    """A file that a job left; each job has at most one of each type.

    ``expire_at`` is when it is no longer there; None means never. The log of a finished job has no format.
    ``accessibility`` is who may download it, as the runner says; None means as the job is configured.
    """

    id: int
    job_id: int
    project_id: int
    file_type: FileType
    file_format: FileFormat | None
    filename: str
    content: bytes
    created_at: str
    expire_at: str | None = None
    accessibility: Accessibility | None = None

    @property
    def size(self) -> int:
        """The number of bytes."""
        return len(self.content)

    @property
    def digest(self) -> str:
        """The SHA-256 of the content."""
        return sha256(self.content).hexdigest()


RunnerType = Literal["instance_type", "group_type", "project_type"]
RunnerAccessLevel = Literal["not_protected", "ref_protected"]


@frozen
class Runner:
    """A runner of the instance, of a group (``group_id``) or of projects (`RunnerProject`).

    ``name``, ``version``, ``revision``, ``platform``, ``architecture`` and ``executor`` are what the runner said of
    itself.
    ``maximum_timeout`` is in seconds. From ``token_rotation_deadline`` on the token is not replaced any more.
    """

    id: int
    token: str
    runner_type: RunnerType
    created_at: str
    updated_at: str
    description: str | None = None
    active: bool = True
    locked: bool = False
    run_untagged: bool = True
    access_level: RunnerAccessLevel = "not_protected"
    maximum_timeout: int | None = None
    tag_list: tuple[str, ...] = ()
    group_id: int | None = None
    name: str | None = None
    version: str | None = None
    revision: str | None = None
    platform: str | None = None
    architecture: str | None = None
    executor: str | None = None
    ip_address: str | None = None
    contacted_at: str | None = None
    maintenance_note: str | None = None
    creator_id: int | None = None
    token_expires_at: str | None = None
    token_rotation_deadline: str | None = None


@frozen
class RunnerManager:
    """A machine that runs jobs with the token of a runner, and what it said of itself."""

    id: int
    runner_id: int
    system_id: str
    created_at: str
    contacted_at: str | None = None
    version: str | None = None
    revision: str | None = None
    platform: str | None = None
    architecture: str | None = None
    executor: str | None = None
    ip_address: str | None = None


RunnerControllerState = Literal["disabled", "enabled", "dry_run"]


@frozen
class RunnerController:
    """A program that decides which jobs the runners of its scopes may run; in a dry run it is only asked."""

    id: int
    created_at: str
    updated_at: str
    description: str | None = None
    state: RunnerControllerState = "disabled"


@frozen
class RunnerControllerToken:
    """A token with which a runner controller authenticates; a revoked one stays, unseen."""

    id: int
    runner_controller_id: int
    token: str
    created_at: str
    updated_at: str
    description: str | None = None
    revoked: bool = False
    last_used_at: str | None = None


@frozen
class RunnerControllerScope:
    """What a runner controller decides about: the jobs of one runner, or with None those of all runners."""

    id: int
    runner_controller_id: int
    created_at: str
    updated_at: str
    runner_id: int | None = None


@frozen
class RunnerProject:
    """A project that a runner is enabled for."""

    id: int
    runner_id: int
    project_id: int
    created_at: str
    updated_at: str


@frozen
class Trigger:
    """A trigger of a project. The pipelines that its token starts are those of its owner."""

    id: int
    project_id: int
    owner_id: int
    token: str
    created_at: str
    updated_at: str
    description: str | None = None
    last_used: str | None = None
    expires_at: str | None = None


@frozen
class PipelineSchedule:
    """A pipeline schedule of a project. ``last_pipeline_id`` is the newest pipeline that it created."""

    id: int
    project_id: int
    description: str
    ref: str
    cron: str
    created_at: str
    updated_at: str
    cron_timezone: str = "UTC"
    active: bool = True
    next_run_at: str | None = None
    owner_id: int | None = None
    variables: tuple[PipelineVariable, ...] = ()
    inputs: Mapping[str, Any] = field(factory=dict)
    last_pipeline_id: int | None = None


VariableType = Literal["env_var", "file"]


@frozen
class CiVariable:
    """A CI variable. ``subject`` is ("project" or "group", id), or None for a variable of the instance.

    ``environment_scope`` is the name of an environment, or a pattern with ``*``. The API does not show the value of a
    ``hidden`` variable.
    """

    id: int
    subject: Subject | None
    key: str
    created_at: str
    updated_at: str
    value: str = ""
    variable_type: VariableType = "env_var"
    protected: bool = False
    masked: bool = False
    environment_scope: str = "*"
    raw: bool = False
    hidden: bool = False
    description: str | None = None


ProcessMode = Literal["unordered", "oldest_first", "newest_first", "newest_ready_first"]


@frozen
class ResourceGroup:
    """A resource group. ``process_mode`` is the order in which waiting jobs get the resource."""

    id: int
    project_id: int
    key: str
    created_at: str
    updated_at: str
    process_mode: ProcessMode = "unordered"


@frozen
class CiInclude:
    """A file that ``include:remote`` finds at its URL, or ``include:template`` under ``template:<name>``."""

    id: int
    location: str
    content: str


JobTokenPolicy = Literal[
    "read_deployments",
    "admin_deployments",
    "read_environments",
    "admin_environments",
    "read_jobs",
    "admin_jobs",
    "read_packages",
    "admin_packages",
    "read_pipelines",
    "admin_pipelines",
    "read_releases",
    "admin_releases",
    "read_secure_files",
    "admin_secure_files",
    "read_terraform_state",
    "admin_terraform_state",
]


@frozen
class ProjectSubscription:
    """A subscription of a downstream project: the end of pipelines of tags upstream starts one of its own."""

    id: int
    downstream_project_id: int
    upstream_project_id: int
    author_id: int | None = None


@frozen
class JobTokenAllowance:
    """A project or group whose jobs may access a project with their tokens. ``target`` is its kind and id.

    Without ``default_permissions``, they may do only what the policies allow. ``autopopulated``: it was made of the
    log of authorizations.
    """

    id: int
    project_id: int
    target: tuple[str, int]
    default_permissions: bool = True
    job_token_policies: tuple[JobTokenPolicy, ...] = ()
    added_by_id: int | None = None
    created_at: str = ""
    autopopulated: bool = False


@frozen
class JobTokenAuthorization:
    """When a job of another project last accessed a project with its token."""

    id: int
    accessed_project_id: int
    origin_project_id: int
    last_authorized_at: str


CreationStatus = Literal["failed", "in_progress", "succeeded"]


@frozen
class PipelineCreationRequest:
    """A request for a pipeline whose client does not wait for it; ``uuid`` is what the client asks with.

    ``ref``, ``variables`` and ``inputs`` are what the pipeline is created with, and ``error`` is why there is none. It
    is forgotten five minutes after ``updated_at``, the time of its last change.
    """

    id: int
    uuid: str
    project_id: int
    user_id: int
    ref: str
    updated_at: str
    variables: tuple[PipelineVariable, ...] = ()
    inputs: Mapping[str, Any] = field(factory=dict)
    status: CreationStatus = "in_progress"
    pipeline_id: int | None = None
    error: str | None = None


DependencyExportType = Literal["dependency_list", "sbom", "cyclonedx_1_6_json", "json_array", "csv"]


@frozen
class DependencyListExport:
    """A file of the dependencies of a project, group or pipeline; ``source`` is (kind, id).

    ``content`` is there once it is finished.
    """

    id: int
    source: tuple[str, int]
    user_id: int
    export_type: DependencyExportType
    created_at: str
    send_email: bool = False
    expires_at: str | None = None
    content: bytes | None = field(default=None, repr=False)

    @property
    def status(self) -> str:
        """``created`` until it is ``finished``."""
        return "created" if self.content is None else "finished"


@frozen
class Attestation:
    """A signed statement of how a file was built, found by the hash of the file. ``bundle`` is the statement."""

    id: int
    iid: int
    project_id: int
    subject_digest: str
    created_at: str
    updated_at: str
    job_id: int | None = None
    status: Literal["success", "error"] = "success"
    predicate_kind: str = "provenance"
    predicate_type: str = "https://slsa.dev/provenance/v1"
    expire_at: str | None = None
    bundle: bytes = field(default=b"", repr=False)
