"""CI pipelines."""

from typing import Final, Literal

from fakeplat.core.store.frozen import frozen

Status = Literal[
    "created",
    "waiting_for_resource",
    "preparing",
    "pending",
    "running",
    "success",
    "failed",
    "canceled",
    "skipped",
    "manual",
    "scheduled",
]
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
COMPLETED: Final[tuple[Status, ...]] = ("success", "failed", "canceled", "skipped")
ENDED: Final[tuple[Status, ...]] = ("success", "failed", "canceled")


@frozen
class PipelineVariable:
    """A variable that was given to one pipeline when it was created."""

    key: str
    value: str
    variable_type: Literal["env_var", "file"] = "env_var"


@frozen
class Pipeline:
    """A pipeline of a project for a commit of a branch or tag.

    ``merge_request_id``: it was created for that merge request, not for the branch. ``before_sha`` is the commit of the
    ref before the push that created the pipeline, or 40 zeros without a push. ``duration`` is in seconds, ``coverage``
    in percent. ``yaml_errors`` is why no job could run. ``source_job_id`` is the bridge that created it.
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
