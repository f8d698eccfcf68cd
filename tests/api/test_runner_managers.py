"""Managers of runners: the machines that run jobs with the token of a runner. Source: docs/platform/runners.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import RUNNERS_HAVE_MANAGERS, VERIFICATION_IS_A_CONTACT, VERIFICATION_SHOWS_RUNNERS
from tests.api.marks import STARTER_AT_NINE
from tests.api.requests import FORBIDDEN, UNAUTHORIZED, invalid, names, outcome, refusal
from tests.api.test_later_runners import NO_ACCESS, create
from tests.by_release import by_release

pytestmark = [STARTER_AT_NINE, pytest.mark.fakeplat(version="latest")]


def request_job(fake: Fakeplat, runner: dict[str, Any], **values: Any) -> int:
    """Ask for a job with the token of a runner, and return the status."""
    return fake.as_user(None).post("jobs/request", json={"token": runner["token"], **values}).status


def list_managers(fake: Fakeplat, runner: dict[str, Any]) -> list[dict[str, Any]]:
    """List the managers of a runner."""
    return list(fake.as_user("mia").get(f"runners/{runner['id']}/managers").json())


def test_each_system_that_asks_for_jobs_is_a_manager(fakeplat: Fakeplat) -> None:
    """The first request of a system creates its manager; requests without a system id share one."""
    runner = create(fakeplat)
    assert [] == list_managers(fakeplat, runner)
    info = {"version": "16.11.1", "revision": "535ced5f", "platform": "linux", "architecture": "amd64"}
    assert 204 == request_job(fakeplat, runner, system_id="s_1", info=info)
    assert 204 == request_job(fakeplat, runner, system_id="s_1", info=info)
    assert 204 == request_job(fakeplat, runner)

    first, second = list_managers(fakeplat, runner)
    times = (first.pop("created_at"), first.pop("contacted_at"))
    assert all(times)
    expected = {
        "id": first["id"],
        "system_id": "s_1",
        **info,
        "ip_address": "127.0.0.1",
        "status": "online",
        "job_execution_status": "idle",
    }
    assert expected == first
    assert ("<legacy>", None) == (second["system_id"], second["version"])


def test_managers_are_shown_to_those_who_see_the_runner(fakeplat: Fakeplat) -> None:
    """Others than the owners of a runner of a project do not see its managers."""
    path = f"runners/{create(fakeplat)['id']}/managers"

    assert [] == fakeplat.as_user("root").get(path).json()
    assert NO_ACCESS == refusal(fakeplat, "dev", "GET", path)
    assert UNAUTHORIZED == refusal(fakeplat, None, "GET", path)
    assert (404, {"message": "404 Not found"}) == refusal(fakeplat, "mia", "GET", "runners/1/managers")


def test_verifying_a_token_shows_the_runner(fakeplat: Fakeplat) -> None:
    """The verification of a token shows the runner and creates its manager."""
    runner = create(fakeplat)
    reply = fakeplat.as_user(None).post("runners/verify", json={"token": runner["token"], "system_id": "s_1"})

    assert (200, {"id": runner["id"], "token": runner["token"], "token_expires_at": None}) == outcome(reply)
    assert ["s_1"] == names(list_managers(fakeplat, runner), "system_id")


@by_release(VERIFICATION_IS_A_CONTACT, "status", {"19.2": "never_contacted", "19.3": "online"})
def test_verifying_is_a_contact(fakeplat: Fakeplat, status: str) -> None:
    """In earlier releases, a runner that a user created counts as contacted once it asks for jobs."""
    runner = create(fakeplat)
    assert 200 == fakeplat.as_user(None).post("runners/verify", json={"token": runner["token"]}).status
    assert status == fakeplat.as_user("mia").get(f"runners/{runner['id']}").json()["status"]


@by_release(VERIFICATION_SHOWS_RUNNERS, "shown", {"15.10": False, "15.11": True})
def test_verifying_a_token_only_answered_its_status(fakeplat: Fakeplat, shown: bool) -> None:
    """Earlier releases answer the verification of a token with a number."""
    token = fakeplat.as_user("mia").get("projects/acme%2Fsite").json()["runners_token"]
    registered = fakeplat.as_user(None).post("runners", json={"token": token}).json()
    body = registered if shown else 200

    reply = fakeplat.as_user(None).post("runners/verify", json={"token": registered["token"]})
    assert (200, body) == outcome(reply)


@by_release(RUNNERS_HAVE_MANAGERS, "systems", {"15.9": [], "15.10": ["s_1"]})
def test_runners_have_managers_from_a_release_on(fakeplat: Fakeplat, systems: list[str]) -> None:
    """Earlier releases ignore the system id of runners."""
    token = fakeplat.as_user("mia").get("projects/acme%2Fsite").json()["runners_token"]
    registered = fakeplat.as_user(None).post("runners", json={"token": token}).json()
    fakeplat.as_user(None).post("jobs/request", json={"token": registered["token"], "system_id": "s_1"})

    with fakeplat.bench.platform.acting() as ctx:
        assert systems == [manager.system_id for manager in ctx.world.runner_managers.all()]


def test_managers_are_deleted_by_the_token_of_the_runner(fakeplat: Fakeplat) -> None:
    """Without managers, a runner has never contacted the platform."""
    runner, anonymous, path = create(fakeplat), fakeplat.as_user(None), "runners/managers"
    request_job(fakeplat, runner, system_id="s_1")
    body = {"token": runner["token"], "system_id": "s_1"}

    assert FORBIDDEN == refusal(fakeplat, None, "DELETE", path, json={**body, "token": "none"})
    missing = (404, {"message": "404 Runner manager not found Not Found"})
    assert missing == refusal(fakeplat, None, "DELETE", path, json={**body, "system_id": "s_2"})
    assert invalid("system_id is missing") == refusal(fakeplat, None, "DELETE", path, json={"token": runner["token"]})
    assert invalid("token is missing") == refusal(fakeplat, None, "DELETE", path, json={"system_id": "s_1"})
    assert 204 == anonymous.delete(path, json=body).status
    assert [] == list_managers(fakeplat, runner)
    assert fakeplat.as_user("mia").get(f"runners/{runner['id']}").json()["contacted_at"] is None


@pytest.mark.fakeplat(
    scenario={
        "users": ["mia"],
        "projects": [
            {
                "path_with_namespace": "mia/app",
                "repository": {"commits": [{"message": "first", "files": {"a": "b"}}]},
                "pipelines": [
                    {
                        "ref": "main",
                        "jobs": [
                            {"name": "a", "status": "running", "runner": {"token": "shared", "system_id": "s_1"}},
                            {"name": "b", "status": "success", "runner": {"token": "shared"}},
                        ],
                    }
                ],
            }
        ],
        "runners": [{"token": "shared", "projects": ["mia/app"], "managers": [{"system_id": "s_1"}, "s_2"]}],
    },
    version="latest",
)
def test_jobs_tell_their_manager(fakeplat: Fakeplat) -> None:
    """A job shows the manager that runs it, by which the jobs of a runner are filtered."""
    mia = fakeplat.as_user("mia")
    (runner,) = mia.get("runners").json()
    managers = mia.get(f"runners/{runner['id']}/managers").json()
    jobs = f"runners/{runner['id']}/jobs"

    states = [(manager["system_id"], manager["status"], manager["job_execution_status"]) for manager in managers]
    assert [("s_1", "never_contacted", "active"), ("s_2", "never_contacted", "idle")] == states
    assert ["a"] == names(mia.get(f"{jobs}?system_id=s_1").json(), "name")
    assert [] == mia.get(f"{jobs}?system_id=s_2").json()
    assert ["a", "b"] == names(mia.get(jobs).json(), "name")
    assert ["b", "a"] == names(mia.get(f"{jobs}?order_by=id").json(), "name")
    assert [False, True] == ["X-Total" in mia.get(f"{jobs}{query}").headers for query in ("?system_id=s_1", "")]
    managers_by_job = {job["name"]: job["runner_manager"] for job in mia.get("projects/mia%2Fapp/jobs").json()}
    assert {"a": managers[0], "b": None} == managers_by_job
