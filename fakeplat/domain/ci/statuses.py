"""The status of several jobs together, such as those of a stage or a pipeline.

The first rule that fits gives the status. Source: docs/platform/external.md ('CI processing').
"""

from collections.abc import Iterable
from operator import attrgetter
from typing import Final

from fakeplat.model.ci import Job, Outcome, Status

_outcome: Final = attrgetter("outcome")
_FINISHED: Final[frozenset[Outcome]] = frozenset({"success", "skipped", "warning", "ignored"})
COMPLETE: Final[frozenset[Outcome]] = _FINISHED | {"canceled", "failed"}
"""The outcomes of jobs that keep no later stage waiting."""
_COMPLETE_NEEDS: Final = COMPLETE - {"ignored"}
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
    ("canceling", "canceling"),
)
"""The status if any job counts as this one, otherwise."""


def combine_jobs(jobs: Iterable[Job]) -> Status:
    """Return the status of jobs together; nothing is skipped."""
    return combine(map(_outcome, jobs))


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
    return combine(present) if present <= _COMPLETE_NEEDS else "pending"
