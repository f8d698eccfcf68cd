"""What later releases added to pipelines and jobs. Source: docs/platform/pipelines-jobs.md."""

from typing import Any

import pytest

from fakeplat.ci_config.jobs import PlannedJob
from fakeplat.harness.fake import Fakeplat
from tests.api.ci_jobs import wait_for_runner
from tests.api.deployment_jobs import change_job, job_actions, jobs_of, run_pipeline
from tests.api.requests import FORBIDDEN, Outcome, invalid, outcome, refusal

pytestmark = pytest.mark.fakeplat(
    scenario="starter",
    clock="virtual",
    start="2020-11-20T09:00:00.000Z",
    tick=0,
    version="18.11",
    default_branch="master",
)
SITE = "projects/acme%2Fsite"
NOT_FOUND: Outcome = (404, {"message": "404 Not found"})


def load_pipelines(fake: Fakeplat, *pipelines: dict[str, Any]) -> None:
    fake.load({"projects": [{"path_with_namespace": "acme/site", "pipelines": list(pipelines)}]})


def list_ids(fake: Fakeplat, query: str) -> list[int]:
    return [each["iid"] for each in fake.as_user("dev").get(f"{SITE}/pipelines?{query}").json()]


def test_pipelines_show_their_number_and_source(fakeplat: Fakeplat) -> None:
    """Lists show iid and source, single pipelines also the name and how long they waited."""
    wait_for_runner(fakeplat)
    pipeline = run_pipeline(fakeplat, PlannedJob(name="test"), source="web")
    fakeplat.clock.advance("90s")
    change_job(fakeplat, job_actions.run, jobs_of(fakeplat, pipeline)["test"])
    (listed,) = [each for each in fakeplat.as_user("dev").get(f"{SITE}/pipelines").json() if each["id"] == pipeline.id]
    assert (pipeline.iid, "web", False) == (listed["iid"], listed["source"], "name" in listed)
    shown = fakeplat.as_user("dev").get(f"{SITE}/pipelines/{pipeline.id}").json()
    assert (None, 90) == (shown["name"], shown["queued_duration"])


def test_pipelines_are_filtered_by_source_and_creation(fakeplat: Fakeplat) -> None:
    """A list has the pipelines of a source, or created between two times."""
    times = [f"2020-10-0{day}T00:00:00.000Z" for day in (1, 2, 3)]
    made = [
        {"ref": "master", "iid": 101 + place, "source": source, "created_at": time}
        for place, (source, time) in enumerate(zip(("web", "api", "web"), times, strict=True))
    ]
    load_pipelines(fakeplat, *made)
    queries = (
        "source=web",
        f"created_after={times[0]}&created_before={times[2]}",
        f"created_before={times[2]}&sort=asc",
        f"source=web&created_after={times[0]}&created_before=2020-10-04T00:00:00Z",
        "source=chat",
    )
    assert [[103, 101], [102], [101, 102], [103], []] == [list_ids(fakeplat, query) for query in queries]
    expected = invalid("source does not have a valid value")
    assert expected == refusal(fakeplat, "dev", "GET", f"{SITE}/pipelines?source=carrier")


def test_a_pipeline_is_renamed(fakeplat: Fakeplat) -> None:
    """Who may update a pipeline gives it a name of at most 255 characters."""
    pipeline = run_pipeline(fakeplat, PlannedJob(name="test"))
    path = f"{SITE}/pipelines/{pipeline.id}/metadata"
    status, renamed = outcome(fakeplat.as_user("dev").put(path, json={"name": "Nightly"}))
    assert (200, "Nightly") == (status, renamed["name"])
    assert invalid("name is missing") == refusal(fakeplat, "dev", "PUT", path, json={})
    expected = (400, {"message": ["Name is too long (maximum is 255 characters)"]})
    assert expected == refusal(fakeplat, "dev", "PUT", path, json={"name": "x" * 256})
    assert FORBIDDEN == refusal(fakeplat, "rep", "PUT", path, json={"name": "x"})
    assert NOT_FOUND == refusal(fakeplat, "dev", "PUT", f"{SITE}/pipelines/1/metadata", json={"name": "x"})


def test_the_pipelines_of_a_schedule_are_listed(fakeplat: Fakeplat) -> None:
    """A schedule has the pipelines that it started, the oldest first."""
    sent = {"description": "Nightly", "ref": "master", "cron": "0 1 * * *"}
    schedule = fakeplat.as_user("mia").post(f"{SITE}/pipeline_schedules", json=sent).json()
    path = f"{SITE}/pipeline_schedules/{schedule['id']}/pipelines"
    assert [] == fakeplat.as_user("mia").get(path).json()
    project = {
        "path_with_namespace": "acme/site",
        "pipeline_schedules": [{"description": "Weekly", "ref": "master", "cron": "0 1 * * 0", "owner": "mia"}],
    }
    fakeplat.load({"projects": [project]})
    pipelines = [
        run_pipeline(fakeplat, PlannedJob(name=name), source="schedule", schedule_id=schedule["id"])
        for name in ("a", "b")
    ]
    assert [pipeline.id for pipeline in pipelines] == [each["id"] for each in fakeplat.as_user("mia").get(path).json()]
    assert 404 == fakeplat.as_user("mia").get(f"{SITE}/pipeline_schedules/1/pipelines").status


def test_jobs_show_why_they_failed_and_how_long_they_waited(fakeplat: Fakeplat) -> None:
    """A job shows how long it waited for a runner; a failed one also why it failed."""
    wait_for_runner(fakeplat)
    pipeline = run_pipeline(fakeplat, PlannedJob(name="test"))
    path = f"{SITE}/jobs/{jobs_of(fakeplat, pipeline)['test'].id}"
    fakeplat.clock.advance("30s")
    waiting = fakeplat.as_user("dev").get(path).json()
    assert (30.0, None, False) == (waiting["queued_duration"], waiting["erased_at"], "failure_reason" in waiting)
    shown = fakeplat.as_user("mia").get(SITE).json()["ci_job_token_scope_enabled"]
    assert {"ci_job_token_scope_enabled": shown} == waiting["project"]
    change_job(fakeplat, job_actions.run, jobs_of(fakeplat, pipeline)["test"])
    fakeplat.clock.advance("1m")
    change_job(fakeplat, job_actions.fail, jobs_of(fakeplat, pipeline)["test"])
    failed = fakeplat.as_user("dev").get(path).json()
    assert (30.0, "script_failure") == (failed["queued_duration"], failed["failure_reason"])
    fakeplat.as_user("mia").post(f"{path}/erase")
    assert "2020-11-20T09:01:30.000Z" == fakeplat.as_user("dev").get(path).json()["erased_at"]


REPORT = """<testsuite><testcase name="a" classname="x" time="2"/>
<testcase name="b" classname="x" time="1"><failure>no</failure></testcase>
<testcase name="c" classname="x" time="0"><skipped/></testcase></testsuite>"""


def test_a_summary_counts_the_tests_of_a_pipeline(fakeplat: Fakeplat) -> None:
    """The summary has the numbers of each suite with the ids of its jobs, and of all, but no test cases."""
    file = {"file_type": "junit", "files": {"report.xml": REPORT}}
    load_pipelines(
        fakeplat, {"ref": "master", "jobs": [{"name": "rspec", "status": "failed", "artifact_files": [file]}]}
    )
    pipeline = list(fakeplat.bench.platform.view.pipelines.all())[-1]
    (rspec,) = fakeplat.bench.platform.view.jobs.where("pipeline", pipeline.id)
    path = f"{SITE}/pipelines/{pipeline.id}/test_report_summary"
    assert {
        "total": {"time": 3.0, "count": 3, "success": 1, "failed": 1, "skipped": 1, "error": 0, "suite_error": None},
        "test_suites": [
            {
                "name": "rspec",
                "total_time": 3.0,
                "total_count": 3,
                "success_count": 1,
                "failed_count": 1,
                "skipped_count": 1,
                "error_count": 0,
                "build_ids": [rspec.id],
                "suite_error": None,
            }
        ],
    } == fakeplat.as_user("dev").get(path).json()
    empty = run_pipeline(fakeplat, PlannedJob(name="test"))
    summary = fakeplat.as_user("dev").get(f"{SITE}/pipelines/{empty.id}/test_report_summary").json()
    assert (0, []) == (summary["total"]["count"], summary["test_suites"])
