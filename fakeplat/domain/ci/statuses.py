"""The status of several jobs together, such as those of a stage or a pipeline.

The first rule that fits gives the status. Source: docs/platform/external.md ('CI processing').
"""

from collections.abc import Collection, Iterable
from operator import attrgetter
from typing import Final, Literal

from fakeplat.model.jobs import Job
from fakeplat.model.pipelines import Status

Outcome = Status | Literal["warning", "ignored"]
"""How a job counts: its status; "warning" for an allowed failure, "ignored" for an optional manual job."""

_IGNORED_WHEN_ALLOWED: Final[dict[Status, Outcome]] = {
    "failed": "warning",
    "canceled": "warning",
    "manual": "ignored",
}
_status: Final = attrgetter("status")
_FINISHED: Final = frozenset({"success", "skipped", "warning", "ignored"})
_COMPLETE: Final = _FINISHED | {"canceled", "failed"}
_RULES: Final[tuple[tuple[frozenset[str], Status], ...]] = (
    (frozenset({"skipped", "ignored"}), "skipped"),
    (_FINISHED, "success"),
    (frozenset({"created", "warning", "ignored"}), "created"),
    (frozenset({"preparing", "warning", "ignored"}), "preparing"),
    (_FINISHED | {"canceled"}, "canceled"),
    (frozenset({"pending", "created", "skipped", "warning", "ignored"}), "pending"),
)
"""The status if all jobs count as one of a set."""
_ANY: Final[tuple[tuple[str, Status], ...]] = (
    ("running", "running"),
    ("pending", "running"),
    ("waiting_for_resource", "waiting_for_resource"),
    ("manual", "manual"),
    ("scheduled", "scheduled"),
    ("preparing", "preparing"),
    ("created", "running"),
)
"""The status if any job counts as this one, otherwise."""


def outcome_of(job: Job) -> Outcome:
    """Return how a job counts."""
    return _IGNORED_WHEN_ALLOWED.get(job.status, job.status) if job.allow_failure else job.status


def outcomes_of(jobs: Collection[Job]) -> set[Outcome]:
    """Return how jobs count, each outcome once."""
    present: set[Outcome] = set(map(_status, jobs))
    return present if present.isdisjoint(_IGNORED_WHEN_ALLOWED) else set(map(outcome_of, jobs))


def combine_jobs(jobs: Collection[Job]) -> Status:
    """Return the status of jobs together; nothing is skipped."""
    return combine(outcomes_of(jobs))


def combine(outcomes: Iterable[Outcome]) -> Status:
    """Return the status of jobs that count as these; nothing is skipped."""
    present = frozenset(outcomes)
    for allowed, status in _RULES:
        if present <= allowed:
            return status
    return next((status for outcome, status in _ANY if outcome in present), "failed")


def combine_needs(outcomes: Iterable[Outcome]) -> Status:
    """Return the status of the jobs that another one needs: a skipped one is not made up for by the others."""
    present = frozenset(outcomes)
    if not present:
        return "success"
    if "skipped" in present:
        return "skipped"
    return combine(present) if present <= _COMPLETE else "pending"
