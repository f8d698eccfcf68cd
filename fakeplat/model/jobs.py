"""Jobs of pipelines: builds, bridges, and statuses that were reported from outside."""

from collections.abc import Mapping
from typing import Final, Literal, get_args

from attrs import field

from fakeplat.ci_config.jobs import PlannedJob
from fakeplat.core.store.frozen import frozen
from fakeplat.model.pipelines import COMPLETED, Status

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
    "protected_environment_failure",
    "insufficient_bridge_permissions",
    "downstream_bridge_project_not_found",
    "invalid_bridge_trigger",
    "bridge_pipeline_is_child_pipeline",
    "downstream_pipeline_creation_failed",
]

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


@frozen(kw_only=True)
class Job(PlannedJob):
    """A job of a pipeline, as it runs.

    ``retried``: another job of that name has taken its place. ``scheduled_at`` is when a delayed job starts.
    ``downstream_pipeline_id`` is the pipeline that a bridge created. ``log`` is the output so far; ``log_tail`` has the
    hex digits of the first bytes of a character whose other bytes the runner has not sent yet. ``target_url`` and
    ``description`` belong to statuses from outside.
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

    @property
    def holds_resource(self) -> bool:
        """Whether other jobs of its resource group have to wait."""
        return self.resource_group is not None and self.status in ("preparing", "pending", "running")

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
    all further ones; without it, ``outcome`` holds for every try. ``artifacts`` maps paths to contents.
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
