"""The status of jobs together. The expectations are those of the platform's specs of composite statuses."""

import pytest

from fakeplat.domain.ci.statuses import combine, combine_needs
from fakeplat.model.ci import Outcome, Status

TOGETHER: list[tuple[tuple[Outcome, ...], Status]] = [
    (("success",), "success"),
    (("skipped",), "skipped"),
    (("ignored",), "skipped"),
    (("ignored", "skipped"), "skipped"),
    (("success", "skipped"), "success"),
    (("success", "warning"), "success"),
    (("warning",), "success"),
    (("success", "ignored"), "success"),
    (("created",), "created"),
    (("created", "warning"), "created"),
    (("created", "ignored"), "created"),
    (("preparing",), "preparing"),
    (("preparing", "success"), "preparing"),
    (("canceled", "success"), "canceled"),
    (("canceled", "skipped", "warning"), "canceled"),
    (("canceled", "failed"), "failed"),
    (("pending",), "pending"),
    (("pending", "created"), "pending"),
    (("pending", "skipped"), "pending"),
    (("pending", "success"), "running"),
    (("running", "failed"), "running"),
    (("running", "success"), "running"),
    (("waiting_for_resource", "success"), "waiting_for_resource"),
    (("manual", "success"), "manual"),
    (("manual", "failed"), "manual"),
    (("manual", "created"), "manual"),
    (("manual", "running"), "running"),
    (("scheduled", "success"), "scheduled"),
    (("scheduled", "manual"), "manual"),
    (("created", "success"), "running"),
    (("created", "failed"), "running"),
    (("failed", "success"), "failed"),
    (("failed", "skipped"), "failed"),
]


@pytest.mark.parametrize(("outcomes", "status"), TOGETHER, ids=lambda value: "+".join(value) if value else "")
def test_the_status_of_a_stage_follows_from_its_jobs(outcomes: tuple[Outcome, ...], status: Status) -> None:
    """The status of a stage follows from the statuses of its jobs."""
    assert status == combine(outcomes)


NEEDS: list[tuple[tuple[Outcome, ...], Status]] = [
    ((), "success"),
    (("success",), "success"),
    (("success", "warning"), "success"),
    (("success", "skipped"), "skipped"),
    (("failed", "skipped"), "skipped"),
    (("success", "created"), "pending"),
    (("failed", "running"), "pending"),
    (("success", "manual"), "pending"),
    (("success", "ignored"), "pending"),
    (("failed", "success"), "failed"),
    (("canceled", "success"), "canceled"),
]


@pytest.mark.parametrize(("outcomes", "status"), NEEDS, ids=[f"{i}" for i in range(len(NEEDS))])
def test_needs_are_complete_only_together(outcomes: tuple[Outcome, ...], status: Status) -> None:
    """A job with needs is skipped if any of them is, and waits until all are completed, also manual ones."""
    assert status == combine_needs(outcomes)
