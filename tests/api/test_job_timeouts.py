"""Jobs that run too long, that no runner takes, or whose runner is silent.

Source: docs/platform/runner-protocol.md.
"""

from typing import Any

import pytest

from fakeplat.ci_config.jobs import PlannedJob, RetrySpec
from fakeplat.core.timestamps import SECOND, from_iso
from fakeplat.harness.fake import Fakeplat
from fakeplat.model.ci import Job, Pipeline
from fakeplat.policy.behaviours import STUCK_JOBS_SAY_WHY
from tests.api.ci_jobs import create_pipeline, jobs_of, wait_for_runner
from tests.api.test_runner_protocol import create_runner, finish_job, request_job, take_job, update_project
from tests.by_release import by_release

NOW = "2020-11-20T09:00:00.000Z"
pytestmark = [pytest.mark.every_release, pytest.mark.fakeplat(scenario="starter", clock="virtual", tick=0, start=NOW)]

LATER = "2020-11-21T10:00:00.000Z"
TIMED_OUT = ("failed", "job_execution_timeout")
STUCK = ("failed", "stuck_or_timeout_failure")
SILENT, TAKEN_BY_NOBODY, WITHOUT_RUNNER = (
    "no_updates_running",
    "stuck_pending_with_matching_runners",
    "stuck_pending_no_matching_runners",
)


def start_job(fake: Fakeplat, **fields: Any) -> Pipeline:
    return create_pipeline(fake, PlannedJob(name="unit", options={"script": ["make"]}, **fields))


def get_last_job(fake: Fakeplat, pipeline: Pipeline) -> Job:
    return jobs_of(fake, pipeline)[-1]


def get_state(fake: Fakeplat, pipeline: Pipeline) -> tuple[str, str | None]:
    return state_of(get_last_job(fake, pipeline))


def state_of(job: Job) -> tuple[str, str | None]:
    """Return the status of a job and why it failed; the reasons of later releases by the name before."""
    reason = job.failure_reason
    return job.status, STUCK[1] if reason in (SILENT, TAKEN_BY_NOBODY, WITHOUT_RUNNER) else reason


def job_duration(job: Job) -> float:
    return (from_iso(job.finished_at or "") - from_iso(job.started_at or "")) / SECOND


def seconds_since_start(fake: Fakeplat) -> float:
    return (from_iso(fake.clock.now) - from_iso(NOW)) / SECOND


@pytest.mark.parametrize(
    ("fields", "project", "limit", "text"),
    [
        ({}, {}, 3600, "1h0m0s"),
        ({"timeout": 30}, {}, 30, "30s"),
        ({"timeout": 5430}, {}, 5430, "1h30m30s"),
        ({}, {"build_timeout": 660}, 660, "11m0s"),
    ],
    ids=["default of projects", "of the job", "longer than that of the project", "of the project"],
)
def test_a_played_job_fails_at_its_limit(
    fakeplat: Fakeplat, fields: dict[str, Any], project: dict[str, Any], limit: int, text: str
) -> None:
    """The limit of the job counts, else that of the project; settle() gets there, and the log says it."""
    fakeplat.pipelines.add(after="2h")
    update_project(fakeplat, **project)
    pipeline = start_job(fakeplat, **fields)
    fakeplat.clock.advance(f"{limit - 1}s")
    before = get_state(fakeplat, pipeline)
    fakeplat.settle()
    job = get_last_job(fakeplat, pipeline)

    assert (("running", None), TIMED_OUT) == (before, (job.status, job.failure_reason))
    assert (limit, limit) == (job_duration(job), seconds_since_start(fakeplat))
    assert f"execution took longer than {text} seconds" in job.log
    assert "failed" == fakeplat.bench.platform.view.pipelines[pipeline.id].status


def test_a_job_that_takes_exactly_its_limit_succeeds(fakeplat: Fakeplat) -> None:
    """A job that takes exactly as long as its timeout succeeds."""
    fakeplat.pipelines.add(after="1h")
    pipeline = start_job(fakeplat)
    fakeplat.settle()

    assert ("success", None) == get_state(fakeplat, pipeline)


def test_a_job_that_timed_out_is_retried(fakeplat: Fakeplat) -> None:
    """``retry`` can name the reason; no artifacts are left of the first try."""
    fakeplat.pipelines.add(after="2h", artifacts={"a.txt": "A"})
    pipeline = start_job(fakeplat, retry=RetrySpec(1, ("job_execution_timeout",)))
    fakeplat.settle()

    assert [TIMED_OUT] * 2 == [(job.status, job.failure_reason) for job in jobs_of(fakeplat, pipeline)]
    assert [] == list(fakeplat.bench.platform.view.job_artifacts.all())


@pytest.mark.fakeplat(clock="auto")
def test_polling_ends_for_a_job_that_takes_too_long(fakeplat: Fakeplat) -> None:
    """The limit is the next step of the running job."""
    fakeplat.pipelines.add(after="2h")
    pipeline = start_job(fakeplat)
    path = f"projects/acme%2Fsite/jobs/{get_last_job(fakeplat, pipeline).id}"
    mia = fakeplat.as_user("mia")

    assert ["running", "failed", "failed"] == [mia.get(path).json()["status"] for _ in range(3)]


@pytest.mark.parametrize(
    ("maximum", "limit"), [(None, "40m"), (600, "10m"), (7200, "40m")], ids=["none", "shorter", "longer"]
)
def test_a_runner_that_goes_on_too_long_loses_its_job(fakeplat: Fakeplat, maximum: int | None, limit: str) -> None:
    """The limit of the runner counts, if it is shorter; then the runner is told that the job failed."""
    runner = create_runner(fakeplat, maximum_timeout=maximum)
    pipeline = start_job(fakeplat, timeout=2400)
    taken = take_job(fakeplat, runner)
    fakeplat.clock.advance(limit)
    reply = finish_job(fakeplat, taken)

    assert TIMED_OUT == get_state(fakeplat, pipeline)
    assert (403, "failed") == (reply.status, reply.headers.get("Job-Status"))


def test_a_silent_runner_loses_its_job(fakeplat: Fakeplat) -> None:
    """A job without an update for an hour fails at the next hour."""
    runner = create_runner(fakeplat)
    pipeline = start_job(fakeplat, timeout=36000)
    taken = take_job(fakeplat, runner)
    states = []
    for update in (True, True, False):
        fakeplat.clock.advance("50m")
        if update:
            finish_job(fakeplat, taken, "running")
        states.append(get_state(fakeplat, pipeline))
    fakeplat.clock.advance("30m")

    assert [("running", None)] * 3 == states
    assert STUCK == get_state(fakeplat, pipeline)


def test_a_job_that_no_runner_takes_fails_after_an_hour(fakeplat: Fakeplat) -> None:
    """A job that no runner takes fails at the next full hour after one hour."""
    wait_for_runner(fakeplat)
    pipeline = start_job(fakeplat)
    states = []
    for time in ("2020-11-20T10:59:59Z", "2020-11-20T11:00:00Z"):
        fakeplat.clock.advance_to(time)
        states.append(get_state(fakeplat, pipeline))

    assert [("pending", None), STUCK] == states


@pytest.mark.parametrize(
    ("fields", "planned", "is_stuck"),
    [
        ({}, {}, False),
        ({"active": False}, {}, True),
        ({}, {"tags": ("gpu",)}, True),
        ({"tag_list": ("gpu",)}, {"tags": ("gpu",)}, False),
        ({"access_level": "ref_protected"}, {}, False),
        ({"run_untagged": False, "tag_list": ("gpu",)}, {}, True),
    ],
    ids=["any", "paused", "without the tag", "with the tag", "for protected refs", "for tagged jobs only"],
)
def test_a_runner_that_is_online_makes_the_platform_wait(
    fakeplat: Fakeplat, fields: dict[str, Any], planned: dict[str, Any], is_stuck: bool
) -> None:
    """A job waits a day for an online runner that may take it."""
    runner = create_runner(fakeplat, **fields)
    fakeplat.clock.advance("30m")
    request_job(fakeplat, runner)
    pipeline = start_job(fakeplat, **planned)
    fakeplat.clock.advance_to("2020-11-20T11:00:00Z")

    assert (STUCK if is_stuck else ("pending", None)) == get_state(fakeplat, pipeline)


def test_a_runner_that_takes_nothing_delays_the_failure_by_a_day(fakeplat: Fakeplat) -> None:
    """Only a runner that stays in contact delays the failure of a waiting job by a day."""
    runner = create_runner(fakeplat)
    request_job(fakeplat, runner)
    pipeline = start_job(fakeplat)
    update_project(fakeplat, builds_access_level="private")
    for _ in range(24):
        with fakeplat.bench.platform.acting() as ctx:
            ctx.world.runners.change(ctx.world.runners[runner.id], contacted_at=ctx.now_iso)
        fakeplat.clock.advance("1h")
    waiting = get_state(fakeplat, pipeline)
    fakeplat.clock.advance_to(LATER)

    assert (("pending", None), STUCK) == (waiting, get_state(fakeplat, pipeline))


def test_a_scripted_stuck_job_waits_for_the_platform(fakeplat: Fakeplat) -> None:
    """settle() does not wait for the failure, the clock brings it."""
    fakeplat.pipelines.add(outcome="stuck")
    pipeline = start_job(fakeplat)
    fakeplat.settle()
    settled = get_state(fakeplat, pipeline), fakeplat.clock.now
    fakeplat.clock.advance("2h")

    assert (("pending", None), NOW) == settled
    assert STUCK == get_state(fakeplat, pipeline)


def test_a_job_that_ends_is_not_watched_any_more(fakeplat: Fakeplat) -> None:
    """A job that ended or was canceled does not time out later."""
    runner = create_runner(fakeplat)
    pipeline = start_job(fakeplat)
    finish_job(fakeplat, take_job(fakeplat, runner))
    other = start_job(fakeplat)
    fakeplat.as_user("mia").post(f"projects/acme%2Fsite/pipelines/{other.id}/cancel")
    tasks = list(fakeplat.bench.platform.view.scheduled_tasks.all())
    fakeplat.clock.advance("3h")

    assert [] == tasks
    assert [("success", None), ("canceled", None)] == [get_state(fakeplat, row) for row in (pipeline, other)]


@pytest.mark.parametrize(
    ("job", "after", "expected"),
    [
        ({"status": "pending", "queued_at": "2020-11-01T00:00:00Z"}, "1h", ("pending", None)),
        ({"status": "pending", "queued_at": "2020-11-01T00:00:00Z"}, "2h", STUCK),
        ({"status": "running", "started_at": "2020-11-20T08:30:00Z", "timeout": 2400}, "9m", ("running", None)),
        ({"status": "running", "started_at": "2020-11-20T08:30:00Z", "timeout": 2400}, "10m", TIMED_OUT),
        ({"status": "running", "started_at": "2020-11-01T00:00:00Z", "timeout": 2400}, "39m", ("running", None)),
        ({"status": "running", "started_at": "2020-11-01T00:00:00Z", "timeout": 2400}, "40m", TIMED_OUT),
    ],
)
def test_jobs_of_scenarios_have_limits(
    fakeplat: Fakeplat, job: dict[str, Any], after: str, expected: tuple[str, str | None]
) -> None:
    """Timeouts of a scenario's jobs start at the earliest with the world's time."""
    pipeline = {"ref": "master", "status": job["status"], "jobs": [{"name": "unit", **job}]}
    site = {"path_with_namespace": "acme/site", "runners": "external", "pipelines": [pipeline]}
    fakeplat.load({"projects": [site]})
    fakeplat.clock.advance(after)
    loaded = fakeplat.bench.platform.view.jobs.all()[-1]

    assert expected == state_of(loaded)


@by_release(STUCK_JOBS_SAY_WHY, "reasons", {"19.2": [STUCK[1]] * 3, "19.3": [WITHOUT_RUNNER, TAKEN_BY_NOBODY, SILENT]})
def test_stuck_jobs_say_why(fakeplat: Fakeplat, reasons: list[str]) -> None:
    """No runner can take the first job, none takes the second, and that of the third is silent; all are retried."""
    retry = RetrySpec(1, ("stuck_or_timeout_failure",))
    runner = create_runner(fakeplat, tag_list=("gpu",))
    pipelines = [start_job(fakeplat, retry=retry)]
    fakeplat.clock.advance("2h")
    pipelines.append(start_job(fakeplat, retry=retry, tags=("gpu",)))
    update_project(fakeplat, builds_access_level="private")
    for _ in range(25):
        with fakeplat.bench.platform.acting() as ctx:
            ctx.world.runners.change(ctx.world.runners[runner.id], contacted_at=ctx.now_iso)
        fakeplat.clock.advance("1h")
    pipelines.append(start_job(fakeplat, retry=retry, tags=("gpu",), timeout=36000))
    while take_job(fakeplat, runner)["id"] != jobs_of(fakeplat, pipelines[-1])[0].id:
        pass
    fakeplat.clock.advance("2h")

    assert reasons == [jobs_of(fakeplat, pipeline)[0].failure_reason for pipeline in pipelines]
    assert [2] * 3 == [len(jobs_of(fakeplat, pipeline)) for pipeline in pipelines]
