"""Pipelines: what became of a commit that was built, and for whom."""

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

ACTIVE: Final[tuple[Status, ...]] = ("waiting_for_resource", "preparing", "pending", "running")
ENDED: Final[tuple[Status, ...]] = ("success", "failed", "canceled")


@frozen
class Pipeline:
    """A pipeline of a project for a commit of a branch or tag.

    ``merge_request_id``: it was made for that merge request, and not for the branch as such. ``before_sha`` is where
    the ref stood before the push that made it, 40 zeros where no push did. ``duration`` is in seconds, ``coverage``
    in percent. ``yaml_errors`` is why no job of it could run.
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

    @property
    def is_active(self) -> bool:
        """Whether it goes on by itself."""
        return self.status in ACTIVE

    @property
    def has_begun(self) -> bool:
        """Whether any of it ran."""
        return self.started_at is not None or self.status in ("running", "success")
