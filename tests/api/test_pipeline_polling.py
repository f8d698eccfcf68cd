"""Polling under the auto clock: each read of something unfinished moves it on by one step."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.ci_files import commit_ci
from tests.api.merge_requests import SITE, get_json
from tests.api.requests import names

TWO_STAGES = "build:\n  stage: build\n  script: make\ntest:\n  script: make test\n"


def start_pipeline(fake: Fakeplat, content: str = TWO_STAGES) -> str:
    """Commit a configuration and return the path of its pipeline."""
    commit_ci(fake, content)
    return f"{SITE}/pipelines/{fake.bench.platform.view.pipelines.all()[-1].id}"


def poll_statuses(fake: Fakeplat, path: str, times: int) -> list[str]:
    return [get_json(fake, path)["status"] for _ in range(times)]


def job_path(fake: Fakeplat, name: str) -> str:
    (job,) = [job for job in fake.bench.platform.view.jobs.all() if job.name == name]
    return f"{SITE}/jobs/{job.id}"


def test_a_pipeline_that_is_polled_ends(fakeplat: Fakeplat) -> None:
    """Each read of a pipeline shows its next step until it ends."""
    assert ["running", "running", "running", "success", "success"] == poll_statuses(
        fakeplat, start_pipeline(fakeplat), 5
    )


def test_a_job_that_is_polled_ends_although_it_waits_for_others(fakeplat: Fakeplat) -> None:
    """Polling a waiting job moves the jobs before it on."""
    start_pipeline(fakeplat)
    assert ["created", "pending", "running", "success"] == poll_statuses(fakeplat, job_path(fakeplat, "test"), 4)


def test_lists_move_on_by_one_step(fakeplat: Fakeplat) -> None:
    """The pipelines of a project, its jobs, and the jobs of a pipeline."""
    path = start_pipeline(fakeplat)
    seen = [names(get_json(fakeplat, f"{path}/jobs"), "status") for _ in range(2)]
    seen += [names(reversed(get_json(fakeplat, f"{SITE}/jobs")), "status")]
    last = [names(get_json(fakeplat, f"{SITE}/pipelines"), "status") for _ in range(2)]

    assert [["running", "created"], ["success", "pending"], ["success", "running"]] == seen
    assert [["success"], ["success"]] == last


def test_other_reads_move_nothing(fakeplat: Fakeplat) -> None:
    """HEAD, logs, variables and pages do not move a pipeline on."""
    path = start_pipeline(fakeplat)
    ada = fakeplat.as_user("ada")
    before = fakeplat.clock.now
    for other in (f"{path}/variables", f"{path}/test_report", f"{job_path(fakeplat, 'build')}/trace", f"{SITE}/events"):
        assert 200 == ada.get(other).status
    assert 200 == ada.head(path).status

    assert (before, "pending") == (fakeplat.clock.now, fakeplat.bench.platform.view.pipelines.all()[-1].status)


def test_a_refused_read_moves_nothing(fakeplat: Fakeplat) -> None:
    """Whoever may not see it does not wait for it."""
    path = start_pipeline(fakeplat)
    before = fakeplat.clock.now

    assert 404 == fakeplat.as_user("eve").get(path).status
    assert before == fakeplat.clock.now


@pytest.mark.parametrize("outcome", ["manual", "stuck"])
def test_time_passes_for_what_nothing_moves_on(fakeplat: Fakeplat, outcome: str) -> None:
    """Reads that move nothing pass one second each, as the journal explains."""
    fakeplat.pipelines.add(job="build", outcome=outcome)
    path = start_pipeline(fakeplat)
    fakeplat.clock.advance_to("2020-11-20T10:00:00Z")
    times = []
    for _ in range(3):
        get_json(fakeplat, path)
        times.append(fakeplat.clock.now)

    assert ["2020-11-20T10:00:01.000Z", "2020-11-20T10:00:02.000Z", "2020-11-20T10:00:03.000Z"] == times
    assert "nothing is scheduled that would change" in str(fakeplat.requests[-1])


def test_graphql_moves_a_pipeline_on(fakeplat: Fakeplat) -> None:
    """A query of one pipeline is a poll, too."""
    start_pipeline(fakeplat)
    query = '{ project(fullPath: "acme/site") { pipeline(iid: "1") { status } } }'

    def ask() -> Any:
        reply = fakeplat.as_user("ada").post(f"{fakeplat.url}/api/graphql", json={"query": query})
        return reply.json()["data"]["project"]["pipeline"]["status"]

    assert ["RUNNING", "RUNNING", "RUNNING", "SUCCESS"] == [ask() for _ in range(4)]


@pytest.mark.fakeplat(clock="virtual")
def test_reads_move_nothing_under_the_virtual_clock(fakeplat: Fakeplat) -> None:
    """The test moves the clock."""
    path = start_pipeline(fakeplat)
    waiting = poll_statuses(fakeplat, path, 3)
    fakeplat.clock.advance("2s")

    assert (["pending"] * 3, ["success"]) == (waiting, poll_statuses(fakeplat, path, 1))


@pytest.mark.fakeplat(pipelines=[{"job": "build", "outcome": "failed"}])
def test_the_marker_says_how_jobs_end(fakeplat: Fakeplat) -> None:
    """The option ``pipelines`` of marker, ini file and command line."""
    start_pipeline(fakeplat)
    fakeplat.settle()
    assert {"build": "failed", "test": "skipped"} == {
        job.name: job.status for job in fakeplat.bench.platform.view.jobs.all()
    }


@pytest.mark.fakeplat(
    scenario={"extends": "starter", "job_outcomes": [{"job": "build", "log": "Hello\n"}]},
    pipelines=[{"job": "test", "outcome": "failed"}],
)
def test_options_come_before_the_scenario(fakeplat: Fakeplat) -> None:
    """Job outcomes of options precede those of the scenario."""
    assert [{"job": "build", "log": "Hello\n"}, {"job": "test", "outcome": "failed"}] == fakeplat.pipelines.list()


@pytest.mark.parametrize(
    ("result", "last_line"),
    [
        ("success", "Job succeeded"),
        ("failed", "ERROR: Job failed: exit code 1"),
        ("canceled", "ERROR: Job failed: canceled"),
    ],
)
def test_the_log_of_a_played_job_ends_like_that_of_a_runner(fakeplat: Fakeplat, result: str, last_line: str) -> None:
    """The last line of a log is what a runner prints when a job succeeds, fails or is canceled."""
    fakeplat.pipelines.add(job="build", outcome=result)
    start_pipeline(fakeplat)
    fakeplat.settle()
    log = fakeplat.as_user("ada").get(f"{job_path(fakeplat, 'build')}/trace").text

    assert last_line == log.splitlines()[-1]


@pytest.mark.fakeplat(scenario={"extends": "starter", "job_outcomes": [{"project": "acme/*", "log": "Hello\n"}]})
def test_a_scenario_says_what_jobs_print(fakeplat: Fakeplat) -> None:
    """The whole log of each job in the projects of a group; a later declaration comes first."""
    fakeplat.pipelines.add(job="test", log="98 % covered\n", coverage=98.0)
    start_pipeline(fakeplat)
    fakeplat.settle()
    logs = [fakeplat.as_user("ada").get(f"{job_path(fakeplat, name)}/trace").text for name in ("build", "test")]

    assert ["Hello\n", "98 % covered\n"] == logs
    assert 98.0 == get_json(fakeplat, job_path(fakeplat, "test"))["coverage"]
