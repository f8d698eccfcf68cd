"""What later releases added to pipelines and jobs. Source: docs/platform/pipelines-jobs.md."""

from collections.abc import Iterator
from typing import Any

import pytest

from fakeplat.ci_config.jobs import PlannedJob
from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import (
    BRIDGES_ARE_PLAYED,
    BRIDGES_ARE_RETRIED,
    JOBS_ARE_NOT_COUNTED,
    PIPELINES_ARE_FOUND_BY_NAME,
    SCHEDULES_KEEP_TO_VARIABLE_ROLES,
)
from tests.api.ci_files import commit_ci
from tests.api.ci_jobs import wait_for_runner
from tests.api.deployment_jobs import change_job, job_actions, jobs_of, run_pipeline
from tests.api.requests import FORBIDDEN, Outcome, invalid, outcome, refusal
from tests.by_release import by_release

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
    """Lists show iid, source and name, single pipelines also how long they waited."""
    wait_for_runner(fakeplat)
    pipeline = run_pipeline(fakeplat, PlannedJob(name="test"), source="web")
    fakeplat.clock.advance("90s")
    change_job(fakeplat, job_actions.run, jobs_of(fakeplat, pipeline)["test"])
    (listed,) = [each for each in fakeplat.as_user("dev").get(f"{SITE}/pipelines").json() if each["id"] == pipeline.id]
    assert (pipeline.iid, "web", None) == (listed["iid"], listed["source"], listed["name"])
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


@by_release(PIPELINES_ARE_FOUND_BY_NAME, "expected", {"16.8": [102], "16.9": [101]})
def test_pipelines_are_found_by_their_name(fakeplat: Fakeplat, expected: list[int]) -> None:
    """From 16.9 on, ``name`` is that of the pipelines; before, it was that of the user who started them."""
    load_pipelines(
        fakeplat,
        {"ref": "master", "iid": 101, "name": "Mia Example", "user": "dev"},
        {"ref": "master", "iid": 102, "name": "Other", "user": "mia"},
    )
    assert expected == list_ids(fakeplat, "name=Mia%20Example")


def test_the_answer_to_a_change_of_a_pipeline_has_no_name(fakeplat: Fakeplat) -> None:
    """Pipelines show their name when they are read or renamed, but not when they are created, retried or canceled."""
    commit_ci(fakeplat, "test: {script: test}")
    created = fakeplat.as_user("mia").post(f"{SITE}/pipeline", json={"ref": "master"}).json()
    path = f"{SITE}/pipelines/{created['id']}"
    changed = [fakeplat.as_user("mia").post(f"{path}/{action}").json() for action in ("cancel", "retry")]
    assert [False] * 3 == ["name" in each for each in (created, *changed)]
    read = [fakeplat.as_user("mia").get(each).json() for each in (path, f"{SITE}/pipelines/latest")]
    assert [True] * 2 == ["name" in each for each in read]


def test_variables_of_pipelines_show_whether_they_are_raw(fakeplat: Fakeplat) -> None:
    """A variable that was given to a pipeline shows that it is expanded."""
    commit_ci(fakeplat, "test: {script: test}")
    variables = [{"key": "A", "value": "b", "variable_type": "file"}]
    fakeplat.as_user("ada").put(SITE, json={"ci_pipeline_variables_minimum_override_role": "maintainer"})
    pipeline = fakeplat.as_user("mia").post(f"{SITE}/pipeline", json={"ref": "master", "variables": variables}).json()
    shown = fakeplat.as_user("mia").get(f"{SITE}/pipelines/{pipeline['id']}/variables").json()
    assert [{**variables[0], "raw": False}] == shown


def test_pipelines_are_asked_for_by_later_statuses(fakeplat: Fakeplat) -> None:
    """Clients may ask for pipelines that are canceling or wait for a callback."""
    load_pipelines(fakeplat, {"ref": "master", "iid": 101, "status": "running"})
    queries = [f"status={status}" for status in ("canceling", "waiting_for_callback", "running")]
    assert [[], [], [101]] == [list_ids(fakeplat, query) for query in queries]


def list_pages(fake: Fakeplat, path: str) -> Iterator[list[str]]:
    """Yield the names of the jobs of each page, from link to link."""
    while path:
        reply = fake.as_user("dev").get(path)
        yield [job["name"] for job in reply.json()]
        link = reply.headers.get("Link", "")
        path = link.partition("<")[2].partition(">")[0]


def test_jobs_are_listed_by_cursors(fakeplat: Fakeplat) -> None:
    """With keyset pagination, each page of jobs links to the next one by a cursor, and the last one to none."""
    jobs = [{"name": name, "status": "success"} for name in "abcde"]
    load_pipelines(fakeplat, {"ref": "master", "iid": 101, "jobs": jobs})
    path = f"{SITE}/jobs?pagination=keyset&per_page=2"
    assert [["e", "d"], ["c", "b"], ["a"]] == list(list_pages(fakeplat, path))
    assert [["e", "d", "c", "b", "a"]] == list(list_pages(fakeplat, f"{path}&per_page=5"))
    assert [["e", "d"]] == [page for page, _ in zip(list_pages(fakeplat, f"{path}&cursor=x"), "a", strict=False)]
    headers = {name.lower() for name in fakeplat.as_user("dev").get(path).headers}
    assert set() == {"x-page", "x-next-page", "x-total", "x-total-pages"} & headers
    refused = (405, {"error": "Keyset pagination is not yet available for this type of request"})
    assert refused == refusal(fakeplat, "mia", "GET", f"{path}&order_by=name&sort=asc")


@by_release(JOBS_ARE_NOT_COUNTED, "expected", {"15.8": "1", "15.9": None})
def test_jobs_are_counted_in_earlier_releases(fakeplat: Fakeplat, expected: str | None) -> None:
    """The headers of a list of jobs have no total any more."""
    load_pipelines(fakeplat, {"ref": "master", "iid": 101, "jobs": [{"name": "a", "status": "success"}]})
    headers = fakeplat.as_user("dev").get(f"{SITE}/jobs").headers
    assert (expected, "1") == (headers.get("X-Total"), headers.get("X-Page"))


def load_bridge(fake: Fakeplat, **fields: Any) -> str:
    """Add a pipeline with a bridge to acme/docs; return the path of the bridge as a job."""
    bridge = {"name": "deploy", "trigger": {"project": "acme/docs"}, **fields}
    load_pipelines(fake, {"ref": "feature", "iid": 101, "user": "mia", "jobs": [bridge]})
    (pipeline,) = fake.as_user("mia").get(f"{SITE}/pipelines").json()
    (shown,) = fake.as_user("mia").get(f"{SITE}/pipelines/{pipeline['id']}/bridges").json()
    return f"{SITE}/jobs/{shown['id']}"


@by_release(BRIDGES_ARE_PLAYED, "expected", {"15.2": 404, "15.3": 200})
def test_a_bridge_that_waits_for_a_user_is_played(fakeplat: Fakeplat, expected: int) -> None:
    """The operation for jobs also starts a manual bridge, and answers it as one."""
    path = load_bridge(fakeplat, status="manual", when="manual")
    reply = fakeplat.as_user("mia").post(f"{path}/play")
    assert (expected, expected == 200) == (reply.status, "downstream_pipeline" in reply.json())
    assert FORBIDDEN[0] == fakeplat.as_user("rep").post(f"{path}/play").status or expected == 404


@by_release(BRIDGES_ARE_RETRIED, "expected", {"17.10": 404, "17.11": 201})
def test_a_bridge_is_retried(fakeplat: Fakeplat, expected: int) -> None:
    """The operation for jobs also retries a canceled bridge; one that has not run is not retryable."""
    path = load_bridge(fakeplat, status="canceled")
    reply = fakeplat.as_user("mia").post(f"{path}/retry")
    assert expected == reply.status
    assert expected == 404 or reply.json()["status"] in ("pending", "failed", "success", "running")


def test_a_pipeline_is_renamed(fakeplat: Fakeplat) -> None:
    """Who may update a pipeline gives it a name of at most 255 characters."""
    pipeline = run_pipeline(fakeplat, PlannedJob(name="test"))
    path = f"{SITE}/pipelines/{pipeline.id}/metadata"
    status, renamed = outcome(fakeplat.as_user("dev").put(path, json={"name": "Nightly"}))
    assert (200, "Nightly") == (status, renamed["name"])
    assert invalid("name is missing") == refusal(fakeplat, "dev", "PUT", path, json={})
    expected = (400, {"message": "Failed to update pipeline - Name is too long (maximum is 255 characters)"})
    assert expected == refusal(fakeplat, "dev", "PUT", path, json={"name": "x" * 256})
    assert FORBIDDEN == refusal(fakeplat, "rep", "PUT", path, json={"name": "x"})
    assert NOT_FOUND == refusal(fakeplat, "dev", "PUT", f"{SITE}/pipelines/1/metadata", json={"name": "x"})


@by_release(SCHEDULES_KEEP_TO_VARIABLE_ROLES, "expected", {"17.10": (201, 200, 202), "17.11": (403, 403, 403)})
def test_variables_of_schedules_keep_to_the_role(fakeplat: Fakeplat, expected: tuple[int, int, int]) -> None:
    """Who may give no variables to pipelines changes none of schedules either, in later releases."""
    sent = {"description": "Nightly", "ref": "readme", "cron": "0 1 * * *"}
    schedule = fakeplat.as_user("dev").post(f"{SITE}/pipeline_schedules", json=sent).json()
    path = f"{SITE}/pipeline_schedules/{schedule['id']}/variables"
    assert 201 == fakeplat.as_user("dev").post(path, json={"key": "OLD", "value": "x"}).status
    reply = fakeplat.as_user("ada").put(SITE, json={"ci_pipeline_variables_minimum_override_role": "maintainer"})
    assert 200 == reply.status, reply.text
    dev = fakeplat.as_user("dev")
    seen = [
        dev.post(path, json={"key": "NEW", "value": "x"}).status,
        dev.put(f"{path}/OLD", json={"value": "y"}).status,
        dev.delete(f"{path}/OLD").status,
    ]
    assert [*expected] == seen


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


def test_erased_jobs_show_when(fakeplat: Fakeplat) -> None:
    """A job whose log was erased shows the time."""
    load_pipelines(fakeplat, {"ref": "master", "jobs": [{"name": "rspec", "status": "failed", "log": "no"}]})
    job = list(fakeplat.bench.platform.view.jobs.all())[-1]
    path = f"{SITE}/jobs/{job.id}"
    assert 201 == fakeplat.as_user("mia").post(f"{path}/erase").status
    assert "2020-11-20T09:00:00.000Z" == fakeplat.as_user("dev").get(path).json()["erased_at"]


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
