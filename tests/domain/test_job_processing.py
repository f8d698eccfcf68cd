"""Which jobs start, and when: stages, needs, `when`, retries, cancellations and resource groups."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fakeplat.ci_config.jobs import Need, PlannedJob, RetrySpec
from fakeplat.domain.ci import (
    job_actions,
    job_outcomes,
    job_transitions,
    jobs,
    pipeline_creation,
    pipelines,
    processing,
    statuses,
)
from fakeplat.model.ci import COMPLETED, Job, Pipeline
from fakeplat.policy.context import WriteContext
from tests.examples import examples
from tests.worlds import Site

SHA = "0" * 40


class Ci:
    """A project whose jobs are played under the virtual clock."""

    def __init__(self, *outcomes: dict[str, object]) -> None:
        self.site = Site(clock="virtual")
        self.site.group("acme")
        self.project = self.site.project("acme/site")
        with self.site.platform.acting() as ctx:
            job_outcomes.replace_outcomes(ctx, outcomes)

    def start(self, *planned: PlannedJob, **fields: Any) -> int:
        with self.site.platform.acting(self.site.person("root")) as ctx:
            defaults = {"ref": "main", "sha": SHA}
            return pipeline_creation.create_with_jobs(ctx, self.project, planned, **defaults | fields).id

    def pipeline(self, id_: int) -> Pipeline:
        return self.site.platform.view.pipelines[id_]

    def job(self, name: str) -> Job:
        """The newest job of a name."""
        return [job for job in self.site.platform.view.jobs.all() if job.name == name][-1]

    def statuses(self, id_: int) -> dict[str, str]:
        return {job.name: job.status for job in jobs.list_latest(self.site.platform.view, id_)}

    def settle(self) -> None:
        self.site.platform.settle()

    def advance(self, milliseconds: int) -> None:
        self.site.platform.advance(milliseconds)


def plan_job(name: str, stage: int = 0, **fields: Any) -> PlannedJob:
    return PlannedJob(name=name, stage=f"stage-{stage}", stage_index=stage, **fields)


def test_stages_run_one_after_the_other() -> None:
    """A stage is queued when the jobs of the previous one have succeeded."""
    ci = Ci()
    id_ = ci.start(plan_job("build"), plan_job("test", 1), plan_job("deploy", 2))

    seen = [ci.statuses(id_)]
    for _ in range(3):
        ci.advance(1000)
        seen.append(ci.statuses(id_))

    assert seen == [
        {"build": "pending", "test": "created", "deploy": "created"},
        {"build": "success", "test": "pending", "deploy": "created"},
        {"build": "success", "test": "success", "deploy": "pending"},
        {"build": "success", "test": "success", "deploy": "success"},
    ]
    assert (ci.pipeline(id_).status, ci.pipeline(id_).duration) == ("success", 3)


def test_a_job_shows_every_status() -> None:
    """A queued job is pending, then running, then finished; its duration is the declared time."""
    ci = Ci({"job": "build", "after": "30s"})
    ci.start(plan_job("build"))

    seen = [ci.job("build").status]
    ci.advance(100)
    seen.append(ci.job("build").status)
    ci.advance(29_900)
    seen.append(ci.job("build").status)

    assert seen == ["pending", "running", "success"]
    assert ("2020-11-20T09:00:00.000Z", "2020-11-20T09:00:30.000Z") == (
        ci.job("build").started_at,
        ci.job("build").finished_at,
    )


def test_a_failed_stage_skips_what_waits_for_success() -> None:
    """After a failure only jobs with `on_failure` and `always` run."""
    ci = Ci({"job": "build", "outcome": "failed"})
    id_ = ci.start(
        plan_job("build"),
        plan_job("test", 1),
        plan_job("report", 1, when="on_failure"),
        plan_job("clean", 2, when="always"),
    )
    ci.settle()

    assert ci.statuses(id_) == {"build": "failed", "test": "skipped", "report": "success", "clean": "success"}
    assert "failed" == ci.pipeline(id_).status
    assert "script_failure" == ci.job("build").failure_reason


def test_an_allowed_failure_does_not_stop_the_next_stage() -> None:
    """A job that is allowed to fail does not stop the next stage, and the pipeline passes."""
    ci = Ci({"job": "lint", "outcome": "failed"})
    id_ = ci.start(plan_job("lint", allow_failure=True), plan_job("test", 1))
    ci.settle()

    assert ci.statuses(id_) == {"lint": "failed", "test": "success"}
    assert "success" == ci.pipeline(id_).status


def test_a_manual_job_that_may_not_fail_blocks_the_pipeline() -> None:
    """A pipeline with a blocking manual job has the status manual until a user plays the job."""
    ci = Ci()
    id_ = ci.start(plan_job("approve", when="manual"), plan_job("deploy", 1))
    ci.settle()
    blocked = ci.pipeline(id_).status, ci.statuses(id_)
    with ci.site.platform.acting(ci.site.person("root")) as ctx:
        job_actions.play(ctx, ctx.world.jobs[ci.job("approve").id])
    ci.settle()

    assert blocked == ("manual", {"approve": "manual", "deploy": "created"})
    assert ("success", {"approve": "success", "deploy": "success"}) == (ci.pipeline(id_).status, ci.statuses(id_))


def test_an_optional_manual_job_is_passed_by() -> None:
    """An optional manual job stays manual, and later stages run."""
    ci = Ci()
    id_ = ci.start(plan_job("build"), plan_job("extra", 1, when="manual", allow_failure=True), plan_job("deploy", 2))
    ci.settle()

    assert ci.statuses(id_) == {"build": "success", "extra": "manual", "deploy": "success"}
    assert "success" == ci.pipeline(id_).status


def test_a_delayed_job_starts_when_its_time_has_come() -> None:
    """A delayed job and its pipeline are scheduled until the job is due."""
    ci = Ci()
    id_ = ci.start(plan_job("roll out", when="delayed", start_in=600))
    waiting = ci.pipeline(id_).status, ci.job("roll out").scheduled_at
    ci.advance(600_000)
    started = ci.job("roll out").status
    ci.settle()

    assert waiting == ("scheduled", "2020-11-20T09:10:00.000Z")
    assert started == "pending"
    assert "success" == ci.pipeline(id_).status


def test_a_job_with_needs_does_not_wait_for_its_stage() -> None:
    """A job with needs starts when the needed jobs are finished, whatever else runs in earlier stages."""
    ci = Ci({"job": "slow", "after": "60s"})
    id_ = ci.start(
        plan_job("fast"), plan_job("slow"), plan_job("test", 1, needs=(Need("fast"),)), plan_job("first", 1, needs=())
    )
    at_once = ci.statuses(id_)["first"]
    ci.advance(2000)

    assert at_once == "pending"
    assert ci.statuses(id_) == {"fast": "success", "slow": "running", "test": "success", "first": "success"}


def test_a_job_whose_need_was_skipped_is_skipped() -> None:
    """A job that needs a skipped job is skipped."""
    ci = Ci({"job": "build", "outcome": "failed"})
    id_ = ci.start(
        plan_job("build"), plan_job("test", 1, needs=(Need("build"),)), plan_job("deploy", 2, needs=(Need("test"),))
    )
    ci.settle()

    assert ci.statuses(id_) == {"build": "failed", "test": "skipped", "deploy": "skipped"}


def test_a_job_starts_once_all_that_it_needs_are_finished() -> None:
    """A job waits for all jobs that it needs, also for an optional manual one that later stages do not wait for."""
    ci = Ci({"job": "slow", "after": "60s"})
    manual = plan_job("approve", when="manual", allow_failure=True)
    needs = tuple(map(Need, ("fast", "slow", "approve")))
    id_ = ci.start(plan_job("fast"), plan_job("slow"), manual, plan_job("test", 1, needs=needs), plan_job("report", 1))
    ci.advance(61_000)
    before = ci.statuses(id_)
    with ci.site.platform.acting(ci.site.person("root")) as ctx:
        job_actions.play(ctx, ctx.world.jobs[ci.job("approve").id])
    ci.settle()

    assert ("created", "success") == (before["test"], ci.statuses(id_)["test"])
    assert "manual" == before["approve"]
    assert "pending" != before["report"]


def test_a_failed_job_is_retried_as_often_as_it_says() -> None:
    """Each automatic retry is a new job, and the last one decides the status of the pipeline."""
    ci = Ci({"job": "flaky", "attempts": ["failed", "failed", "success"]})
    id_ = ci.start(plan_job("flaky", retry=RetrySpec(max=2)))
    ci.settle()

    tries = [(row.status, row.retried) for row in ci.site.platform.view.jobs.where("pipeline", id_)]
    assert tries == [("failed", True), ("failed", True), ("success", False)]
    assert "success" == ci.pipeline(id_).status


def test_a_job_is_not_retried_after_another_kind_of_failure() -> None:
    """A job is retried only after the failures that `retry:when` names."""
    ci = Ci({"job": "flaky", "outcome": "failed"})
    id_ = ci.start(plan_job("flaky", retry=RetrySpec(max=2, when=("runner_system_failure",))))
    ci.settle()

    assert 1 == len(ci.site.platform.view.jobs.where("pipeline", id_))


def test_retrying_a_pipeline_repeats_what_failed_and_what_was_skipped() -> None:
    """Retrying a pipeline runs its failed and skipped jobs again and leaves the successful ones."""
    ci = Ci({"job": "test", "attempts": ["failed", "success"]})
    id_ = ci.start(plan_job("build"), plan_job("test", 1), plan_job("deploy", 2))
    ci.settle()
    with ci.site.platform.acting(ci.site.person("root")) as ctx:
        retried = job_actions.retry_pipeline(ctx, ctx.world.pipelines[id_])
    ci.settle()

    assert "pending" == ci.job("test").status or retried.status in ("pending", "running")
    assert ci.statuses(id_) == {"build": "success", "test": "success", "deploy": "success"}
    assert 4 == len(ci.site.platform.view.jobs.where("pipeline", id_))


def test_a_pipeline_that_has_run_is_not_pending_again() -> None:
    """A running pipeline stays running while only queued jobs are left between two stages."""
    ci = Ci({"job": "x", "outcome": "failed"}, {"job": "y", "outcome": "stuck"})
    id_ = ci.start(plan_job("x", allow_failure=True), plan_job("y", 1), plan_job("z", 2))
    seen = [ci.pipeline(id_).status]
    with ci.site.platform.acting(ci.site.person("root")) as ctx:
        running = job_actions.run(ctx, ctx.world.jobs[ci.job("x").id])
        seen.append(ctx.world.pipelines[id_].status)
        job_actions.fail(ctx, running)
    seen.append(ci.pipeline(id_).status)

    assert {"x": "failed", "y": "pending", "z": "created"} == ci.statuses(id_)
    assert ["pending", "running", "running"] == seen


def test_a_pipeline_whose_first_job_is_repeated_stays_running() -> None:
    """A pipeline stays running when its first job is retried automatically."""
    ci = Ci({"job": "x", "outcome": "stuck"})
    id_ = ci.start(plan_job("x", retry=RetrySpec(max=1)))
    with ci.site.platform.acting(ci.site.person("root")) as ctx:
        job_actions.fail(ctx, job_actions.run(ctx, ctx.world.jobs[ci.job("x").id]))

    assert ({"x": "pending"}, "running") == (ci.statuses(id_), ci.pipeline(id_).status)


@pytest.mark.parametrize("ending", [job_actions.fail, job_actions.cancel])
@pytest.mark.parametrize("of_pipeline", [True, False])
def test_a_pipeline_that_ended_and_is_retried_is_running(
    ending: Callable[[WriteContext, Job], Job], of_pipeline: bool
) -> None:
    """A failed or canceled pipeline is running as soon as it is retried, although its jobs are only queued."""
    ci = Ci({"job": "*", "outcome": "stuck"})
    id_ = ci.start(plan_job("x"), plan_job("y", 1))
    with ci.site.platform.acting(ci.site.person("root")) as ctx:
        ended = ending(ctx, ctx.world.jobs[ci.job("x").id])
        if of_pipeline:
            job_actions.retry_pipeline(ctx, ctx.world.pipelines[id_])
        else:
            job_actions.retry(ctx, ended)

    assert ({"x": "pending", "y": "created"}, "running") == (ci.statuses(id_), ci.pipeline(id_).status)


def test_a_pipeline_that_was_skipped_or_waited_is_pending_once_a_job_is_queued() -> None:
    """A pipeline that has not run is pending when its manual job is played."""
    ci = Ci({"job": "*", "outcome": "stuck"})
    id_ = ci.start(plan_job("x", when="manual"))
    assert "manual" == ci.pipeline(id_).status
    with ci.site.platform.acting(ci.site.person("root")) as ctx:
        job_actions.play(ctx, ctx.world.jobs[ci.job("x").id])
    assert "pending" == ci.pipeline(id_).status


def test_cancelling_a_pipeline_leaves_what_waits_for_a_user() -> None:
    """Canceling a pipeline cancels its unfinished jobs and leaves manual ones."""
    ci = Ci()
    id_ = ci.start(plan_job("build"), plan_job("extra", when="manual", allow_failure=True), plan_job("deploy", 1))
    with ci.site.platform.acting(ci.site.person("root")) as ctx:
        job_actions.cancel_pipeline(ctx, ctx.world.pipelines[id_])
    ci.settle()

    assert ci.statuses(id_) == {"build": "canceled", "extra": "manual", "deploy": "canceled"}
    assert "canceled" == ci.pipeline(id_).status


def test_a_resource_group_runs_one_job_at_a_time() -> None:
    """A second pipeline waits for the resource of a resource group until the first releases it."""
    ci = Ci()
    first = ci.start(plan_job("deploy", resource_group="production"))
    second = ci.start(plan_job("deploy", resource_group="production"))
    waiting = ci.pipeline(second).status
    ci.advance(1000)
    taken_over = ci.pipeline(first).status, ci.pipeline(second).status
    ci.settle()

    assert waiting == "waiting_for_resource"
    assert taken_over == ("success", "pending")
    assert "success" == ci.pipeline(second).status


def test_a_newer_pipeline_cancels_one_that_has_not_started() -> None:
    """A newer pipeline cancels one that has not started, but not one whose job is running."""
    ci = Ci()
    redundant = ci.start(plan_job("build"), sha="1" * 40)
    newest = ci.start(plan_job("build"), sha="2" * 40)
    ci.advance(500)
    running = ci.start(plan_job("build"), sha="3" * 40)

    statuses_ = [ci.pipeline(id_).status for id_ in (redundant, newest, running)]
    assert statuses_ == ["canceled", "running", "pending"]
    assert newest == ci.pipeline(redundant).auto_canceled_by_id


def test_an_interruptible_job_is_canceled_although_it_runs() -> None:
    """A newer pipeline cancels a running job that is interruptible."""
    ci = Ci()
    redundant = ci.start(plan_job("build", interruptible=True), sha="1" * 40)
    ci.advance(500)
    ci.start(plan_job("build"), sha="2" * 40)

    assert "canceled" == ci.pipeline(redundant).status


# properties

RESULTS = st.sampled_from(["success", "failed", "canceled", "manual", "stuck"])
WHENS = st.sampled_from(["on_success", "on_failure", "always", "manual"])


@st.composite
def draw_job_graphs(draw: st.DrawFn) -> list[PlannedJob]:
    """Jobs in up to four stages, some with needs in earlier ones."""
    planned: list[PlannedJob] = []
    for number in range(draw(st.integers(1, 8))):
        stage = draw(st.integers(0, 3))
        earlier = [other.name for other in planned if other.stage_index < stage]
        needs = draw(st.none() | st.lists(st.sampled_from(earlier), unique=True)) if earlier else None
        planned.append(
            plan_job(
                f"job {number}",
                stage,
                when=draw(WHENS),
                allow_failure=draw(st.booleans()),
                needs=None if needs is None else tuple(Need(name) for name in needs),
                retry=RetrySpec(max=draw(st.integers(0, 1))),
            )
        )
    return planned


ACTIONS = st.sampled_from(["advance", "retry", "cancel", "retry job", "cancel job", "play job"])


def apply_action(ci: Ci, id_: int, action: str, choice: int) -> None:
    latest = jobs.list_latest(ci.site.platform.view, id_)
    chosen = latest[choice % len(latest)]
    if action == "advance":
        ci.advance(500)
        return
    with ci.site.platform.acting(ci.site.person("root")) as ctx:
        if action == "retry":
            job_actions.retry_pipeline(ctx, ctx.world.pipelines[id_])
        elif action == "cancel":
            job_actions.cancel_pipeline(ctx, ctx.world.pipelines[id_])
        elif action == "cancel job":
            job_actions.cancel(ctx, chosen)
        elif action == "retry job" and job_actions.is_retryable(chosen):
            job_actions.retry(ctx, chosen)
        elif action == "play job" and job_actions.is_playable(chosen):
            job_actions.play(ctx, chosen)


def check_invariants(ci: Ci, id_: int, has_user_actions: bool) -> None:
    latest = jobs.list_latest(ci.site.platform.view, id_)
    status = statuses.combine_jobs(latest)
    # A pipeline that has run before is running while its jobs are queued.
    assert ci.pipeline(id_).status in ((status, "running") if status == "pending" else (status,))
    if not has_user_actions:
        check_needs(latest)
    with ci.site.platform.acting() as ctx:
        processing.process(ctx, id_)
    assert latest == jobs.list_latest(ci.site.platform.view, id_), "a job has missed its turn"


def check_needs(latest: Sequence[Job]) -> None:
    """No job has begun before what it waits for is completed."""
    by_name = {row.name: row for row in latest}
    for row in latest:
        if row.started_at is None:
            continue
        if row.needs is not None:
            waited_for = [by_name[need.name] for need in row.needs]
            # A skipped need is enough for its turn.
            if any(other.status == "skipped" for other in waited_for):
                continue
        else:
            waited_for = [other for other in latest if other.stage_index < row.stage_index]
        assert all(other.is_completed or (other.status == "manual" and other.allow_failure) for other in waited_for), (
            row.name
        )


@settings(max_examples=examples(20), deadline=None)
@given(draw_job_graphs(), st.lists(RESULTS, max_size=3), st.lists(st.tuples(ACTIONS, st.integers(0, 7)), max_size=12))
def test_the_status_of_a_pipeline_always_follows_from_its_jobs(
    planned: list[PlannedJob], attempts: list[str], actions: list[tuple[str, int]]
) -> None:
    """The pipeline's status always follows from its jobs; unless users act, no job runs before those it needs."""
    ci = Ci({"job": "job [0-3]", "attempts": tuple(attempts)})
    id_ = ci.start(*planned)
    users_act = any(action != "advance" for action, _ in actions)
    for action, choice in actions:
        apply_action(ci, id_, action, choice)
        check_invariants(ci, id_, users_act)
    ci.settle()
    check_invariants(ci, id_, users_act)


@settings(max_examples=examples(13), deadline=None)
@given(draw_job_graphs(), st.lists(st.tuples(ACTIONS, st.integers(0, 7)), max_size=12))
def test_no_stage_stays_unreachable(planned: list[PlannedJob], actions: list[tuple[str, int]]) -> None:
    """After any retries and cancellations all jobs are completed, unless they wait for a manual job."""
    ci = Ci()
    id_ = ci.start(*planned)
    for action, choice in actions:
        apply_action(ci, id_, action, choice)
    ci.settle()
    with ci.site.platform.acting() as ctx:
        pipelines.update_status(ctx, ctx.world.pipelines[id_])

    latest = jobs.list_latest(ci.site.platform.view, id_)
    blocked = {row.stage_index for row in latest if row.status == "manual"}
    stuck = [
        row.name
        for row in latest
        if row.status not in (*COMPLETED, "manual") and not any(stage <= row.stage_index for stage in blocked)
    ]
    assert stuck == []


def test_a_delayed_job_that_waits_for_a_user_has_no_time() -> None:
    """Unscheduling a delayed job makes it a manual job without a scheduled time."""
    ci = Ci()
    ci.start(plan_job("later", when="delayed", start_in=60))
    assert ("scheduled", True) == (ci.job("later").status, ci.job("later").scheduled_at is not None)
    with ci.site.platform.acting(ci.site.person("root")) as ctx:
        job_transitions.fire(ctx, ctx.world.jobs[ci.job("later").id], "unschedule")

    assert ("manual", None) == (ci.job("later").status, ci.job("later").scheduled_at)
