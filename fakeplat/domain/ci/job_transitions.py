"""Transitions of jobs: which event moves a job from which statuses to which, and what it records.

Source: docs/platform/pipelines-jobs.md, docs/platform/external.md ('CI processing').
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, Literal, TypedDict, Unpack

from fakeplat.core.store.frozen import frozen
from fakeplat.core.timestamps import SECOND, to_iso
from fakeplat.domain import signals
from fakeplat.model.ci import FailureReason, Job, Status
from fakeplat.policy.context import WriteContext

Event = Literal[
    "enqueue",
    "wait",
    "actionize",
    "schedule",
    "unschedule",
    "process",
    "run",
    "skip",
    "drop",
    "reject",
    "success",
    "cancel",
    "request_cancel",
    "end_cancel",
]

_WAITING: Final[tuple[Status, ...]] = ("created", "waiting_for_resource", "preparing", "pending")
_ENQUEUED_FROM: Final[tuple[Status, ...]] = ("created", "skipped", "manual", "scheduled")


@frozen
class Transition:
    """The statuses in which an event is possible, and the status to which it leads."""

    sources: tuple[Status, ...]
    target: Status


TRANSITIONS: Final[Mapping[Event, Transition]] = {
    "enqueue": Transition((*_ENQUEUED_FROM, "waiting_for_resource", "preparing"), "pending"),
    "wait": Transition(_ENQUEUED_FROM, "waiting_for_resource"),
    "actionize": Transition(("created",), "manual"),
    "schedule": Transition(("created",), "scheduled"),
    "unschedule": Transition(("scheduled",), "manual"),
    "process": Transition(("skipped", "manual"), "created"),
    "run": Transition(("pending",), "running"),
    "skip": Transition(_WAITING, "skipped"),
    "drop": Transition((*_WAITING, "running", "scheduled"), "failed"),
    "reject": Transition(("manual",), "failed"),
    "success": Transition((*_WAITING, "running"), "success"),
    "cancel": Transition((*_WAITING, "running", "manual", "scheduled"), "canceled"),
    "request_cancel": Transition(("running",), "canceling"),
    "end_cancel": Transition(("canceling",), "canceled"),
}


def can_fire(job: Job, event: Event) -> bool:
    """Return whether an event is possible in the job's status."""
    return job.status in TRANSITIONS[event].sources


class JobChanges(TypedDict, total=False):
    """Further fields of a job that change with its status."""

    user_id: int | None
    runner_id: int | None
    runner_manager_id: int | None
    session_url: str | None
    cancels_gracefully: bool
    queued_at: str | None
    scheduled_at: str | None
    started_at: str | None
    finished_at: str | None
    coverage: float | None
    log: str


class TransitionFields(JobChanges, total=False):
    """Further fields of a job that change with its status, with the reason of a failure."""

    failure_reason: FailureReason | None
    exit_code: int | None


def fire(ctx: WriteContext, job: Job, event: Event, **fields: Unpack[TransitionFields]) -> Job:
    """Change the status of a job by an event and notify other areas; ValueError if the event is impossible.

    The status of the pipeline is not updated: see `fakeplat.domain.ci.processing`.
    """
    if not can_fire(job, event):
        raise ValueError(f"job {job.id} is {job.status}, so the event {event} is impossible")
    status = TRANSITIONS[event].target
    now = ctx.now_iso
    changed = ctx.world.jobs.change(job, status=status, updated_at=now, **{**_TIMES[status](now), **fields})
    signals.job_status_changed.send(ctx, job, changed)
    # A receiver may have changed the job again.
    return ctx.world.jobs[changed.id]


def schedule_start(ctx: WriteContext, job: Job) -> Job:
    """Delay a job until its ``start_in`` is over."""
    at = ctx.now() + (job.start_in or 0) * SECOND
    scheduled = fire(ctx, job, "schedule", scheduled_at=to_iso(at))
    ctx.schedule("start_delayed_job", ("jobs", job.id), at, in_progress=True)
    return scheduled


def _no_times(_now: str) -> dict[str, Any]:
    return {}


def _finished(now: str) -> dict[str, Any]:
    return {"finished_at": now, "session_url": None}


_TIMES: Final[Mapping[Status, Callable[[str], dict[str, Any]]]] = {
    "created": _no_times,
    "waiting_for_resource": _no_times,
    "preparing": _no_times,
    "pending": lambda now: {"queued_at": now},
    "running": lambda now: {"started_at": now},
    "canceling": _no_times,
    "success": _finished,
    "failed": _finished,
    "canceled": _finished,
    "skipped": _no_times,
    "manual": lambda now: {"scheduled_at": None},
    "scheduled": _no_times,
}
"""What a status records of the time (ISO) at which it is entered."""
