"""Resource groups of projects. Source: docs/platform/deployments.md."""

import pytest

from fakeplat.ci_config.jobs import PlannedJob
from fakeplat.domain.ci import job_actions
from fakeplat.harness.fake import Fakeplat
from tests.api.deployment_jobs import change_job, jobs_of, run_pipeline
from tests.api.merge_requests import SITE, get_json
from tests.api.requests import FORBIDDEN, UNAUTHORIZED, Outcome, invalid, names, refusal, resource_not_found

pytestmark = pytest.mark.fakeplat(
    scenario="starter", clock="virtual", start="2020-11-20T09:00:00.000Z", version="latest"
)
PATH = f"{SITE}/resource_groups"
NOT_FOUND: Outcome = (404, {"message": "404 Not found"})
LATER = PlannedJob(name="deploy", resource_group="production", stage_index=1)
DEPLOY = PlannedJob(name="deploy", resource_group="production")


def list_statuses(fake: Fakeplat) -> list[str]:
    return [job.status for job in fake.bench.platform.view.jobs.all() if job.name == "deploy"]


def set_mode(fake: Fakeplat, mode: str) -> None:
    reply = fake.as_user("dev").put(f"{PATH}/production", json={"process_mode": mode})
    assert (200, mode) == (reply.status, reply.json()["process_mode"])


def test_a_group_is_created_with_the_first_job_that_names_it(fakeplat: Fakeplat) -> None:
    """Variables in its name are expanded; slashes in it are escaped in paths."""
    run_pipeline(fakeplat, PlannedJob(name="deploy", resource_group="deploy/$CI_COMMIT_REF_NAME"))
    run_pipeline(fakeplat, PlannedJob(name="deploy", resource_group="deploy/feature"))
    (group,) = get_json(fakeplat, PATH)

    assert {
        "id": 9470001,
        "key": "deploy/feature",
        "process_mode": "unordered",
        "created_at": group["updated_at"],
        "updated_at": group["updated_at"],
    } == group
    assert group == get_json(fakeplat, f"{PATH}/deploy%2Ffeature")


def test_one_job_of_a_group_runs_at_a_time(fakeplat: Fakeplat) -> None:
    """The one that waits longest is next; those that wait are the upcoming jobs."""
    for _ in range(3):
        run_pipeline(fakeplat, DEPLOY)
    before, waiting = list_statuses(fakeplat), get_json(fakeplat, f"{PATH}/production/upcoming_jobs")
    change_job(fakeplat, job_actions.cancel, fakeplat.bench.platform.view.jobs.all()[0])
    after = list_statuses(fakeplat)
    fakeplat.settle()

    assert ["pending", "waiting_for_resource", "waiting_for_resource"] == before
    assert ["waiting_for_resource"] * 2 == names(waiting, "status")
    assert ["canceled", "pending", "waiting_for_resource"] == after
    assert ["canceled", "success", "success"] == list_statuses(fakeplat)


def test_the_job_that_holds_the_resource_is_shown(fakeplat: Fakeplat) -> None:
    """The current job of a group is the one that holds its resource; null once no job does."""
    first = run_pipeline(fakeplat, DEPLOY)
    run_pipeline(fakeplat, DEPLOY)
    job = get_json(fakeplat, f"{PATH}/production/current_job")
    fakeplat.settle()
    reply = fakeplat.as_user("dev").get(f"{PATH}/production/current_job")

    assert (jobs_of(fakeplat, first)["deploy"].id, "pending") == (job["id"], job["status"])
    assert (200, None) == (reply.status, reply.json())
    assert NOT_FOUND == refusal(fakeplat, "dev", "GET", f"{PATH}/gone/current_job")
    assert FORBIDDEN == refusal(fakeplat, "gus", "GET", f"{PATH}/production/current_job")


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("unordered", ["canceled", "pending", "waiting_for_resource"]),
        ("oldest_first", ["canceled", "pending", "waiting_for_resource"]),
        ("newest_first", ["canceled", "waiting_for_resource", "pending"]),
    ],
)
def test_the_mode_decides_which_job_is_next(fakeplat: Fakeplat, mode: str, expected: list[str]) -> None:
    """The process mode decides which waiting job is next by the age of pipelines."""
    for _ in range(3):
        run_pipeline(fakeplat, DEPLOY)
    set_mode(fakeplat, mode)
    change_job(fakeplat, job_actions.cancel, fakeplat.bench.platform.view.jobs.all()[0])

    assert expected == list_statuses(fakeplat)


def test_in_an_ordered_group_a_later_pipeline_waits_for_its_turn(fakeplat: Fakeplat) -> None:
    """Although nothing holds the resource yet; jobs that have not started count as upcoming."""
    run_pipeline(fakeplat, DEPLOY)
    fakeplat.settle()
    set_mode(fakeplat, "oldest_first")
    older = run_pipeline(fakeplat, PlannedJob(name="build"), LATER)
    newer = run_pipeline(fakeplat, DEPLOY)
    before = (jobs_of(fakeplat, older)["deploy"].status, jobs_of(fakeplat, newer)["deploy"].status)
    upcoming = names(get_json(fakeplat, f"{PATH}/production/upcoming_jobs"), "status")
    change_job(fakeplat, job_actions.fail, jobs_of(fakeplat, older)["build"])
    after = (jobs_of(fakeplat, older)["deploy"].status, jobs_of(fakeplat, newer)["deploy"].status)

    assert ("created", "waiting_for_resource") == before
    assert ["created", "waiting_for_resource"] == upcoming
    assert ("skipped", "pending") == after


@pytest.mark.fakeplat(version="18.4")
def test_the_newest_ready_job_does_not_wait_for_newer_ones(fakeplat: Fakeplat) -> None:
    """Only jobs that wait have a turn in this mode, and the newest of them is next."""
    run_pipeline(fakeplat, DEPLOY)
    fakeplat.settle()
    set_mode(fakeplat, "newest_ready_first")
    pipelines = [run_pipeline(fakeplat, DEPLOY) for _ in range(3)]
    newest = run_pipeline(fakeplat, PlannedJob(name="build"), LATER)
    upcoming = names(get_json(fakeplat, f"{PATH}/production/upcoming_jobs"), "id")
    first, second, third = (jobs_of(fakeplat, pipeline)["deploy"] for pipeline in pipelines)
    change_job(fakeplat, job_actions.cancel, first)
    statuses = [jobs_of(fakeplat, pipeline)["deploy"].status for pipeline in (*pipelines, newest)]

    assert [third.id, second.id] == upcoming
    assert ["canceled", "waiting_for_resource", "pending", "created"] == statuses


@pytest.mark.fakeplat(version="18.5")
def test_projects_have_a_mode_for_new_groups(fakeplat: Fakeplat) -> None:
    """A new resource group starts with the default mode of its project."""
    body = {"resource_group_default_process_mode": "oldest_first"}
    assert 200 == fakeplat.as_user("mia").put("projects/acme%2Fsite", json=body).status
    run_pipeline(fakeplat, DEPLOY)
    assert "oldest_first" == get_json(fakeplat, f"{PATH}/production")["process_mode"]


@pytest.mark.parametrize(
    "expected",
    [
        pytest.param(400, id="18.3", marks=pytest.mark.fakeplat(version="18.3")),
        pytest.param(200, id="18.4", marks=pytest.mark.fakeplat(version="18.4")),
    ],
)
def test_a_mode_came_later(fakeplat: Fakeplat, expected: int) -> None:
    """Earlier releases do not know the mode newest_ready_first."""
    run_pipeline(fakeplat, DEPLOY)
    reply = fakeplat.as_user("dev").put(f"{PATH}/production", json={"process_mode": "newest_ready_first"})
    assert expected == reply.status


@pytest.mark.parametrize(
    ("user", "method", "path", "expected"),
    [
        (None, "GET", "", UNAUTHORIZED),
        ("eve", "GET", "", resource_not_found("Project")),
        ("rep", "GET", "", FORBIDDEN),
        ("rep", "GET", "/production", FORBIDDEN),
        ("rep", "GET", "/production/upcoming_jobs", FORBIDDEN),
        ("rep", "PUT", "/production", FORBIDDEN),
        ("dev", "GET", "/unknown", NOT_FOUND),
        ("dev", "GET", "/unknown/upcoming_jobs", NOT_FOUND),
        ("dev", "PUT", "/unknown", NOT_FOUND),
        ("dev", "PUT", "/production?process_mode=random", invalid("process_mode does not have a valid value")),
    ],
)
def test_refused_requests(fakeplat: Fakeplat, user: str | None, method: str, path: str, expected: Outcome) -> None:
    """Resource groups are for Developers and above."""
    run_pipeline(fakeplat, DEPLOY)

    assert expected == refusal(fakeplat, user, method, f"{PATH}{path}")
