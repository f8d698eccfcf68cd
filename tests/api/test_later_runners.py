"""Runners of later releases: new tokens, notes, pauses, and who created them. Source: docs/platform/runners.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.marks import STARTER_AT_NINE
from tests.api.requests import FORBIDDEN, UNAUTHORIZED, invalid, names, person, refusal
from tests.api.test_personal_access_tokens import insufficient, send

pytestmark = [STARTER_AT_NINE, pytest.mark.fakeplat(version="latest")]
NO_ACCESS = (403, {"message": "403 Forbidden - No access granted"})


def create(fake: Fakeplat, **fields: Any) -> dict[str, Any]:
    """Create a runner of the project acme/site, and return it with its token."""
    site = fake.as_user("mia").get("projects/acme%2Fsite").json()["id"]
    reply = fake.as_user("mia").post("user/runners", json={"runner_type": "project_type", "project_id": site, **fields})
    assert 201 == reply.status
    return dict(reply.json())


@pytest.mark.parametrize(
    ("manager", "other", "path"),
    [("root", "ada", ""), ("mia", "dev", "projects/acme%2Fsite/"), ("ada", "mia", "groups/acme/")],
    ids=["instance", "project", "group"],
)
def test_registration_tokens_are_replaced(fakeplat: Fakeplat, manager: str, other: str, path: str) -> None:
    """The old registration token registers no runner any more, the new one does."""
    reset = f"{path}runners/reset_registration_token"
    client, anonymous = fakeplat.as_user(manager), fakeplat.as_user(None)
    first = client.post(reset).json()["token"]

    reply = client.post(reset)
    assert (201, None) == (reply.status, reply.json()["token_expires_at"])
    assert 403 == anonymous.post("runners", json={"token": first}).status
    assert 201 == anonymous.post("runners", json={"token": reply.json()["token"]}).status
    assert FORBIDDEN == refusal(fakeplat, other, "POST", reset)
    assert UNAUTHORIZED == refusal(fakeplat, None, "POST", reset)


def test_authentication_tokens_are_replaced(fakeplat: Fakeplat) -> None:
    """A manager, or the runner itself, replaces the token of a runner, which keeps its prefix."""
    runner, anonymous = create(fakeplat), fakeplat.as_user(None)
    reset = f"runners/{runner['id']}/reset_authentication_token"
    by_manager = fakeplat.as_user("mia").post(reset).json()

    assert by_manager["token"].startswith("glrt-")
    verify = {"token": runner["token"]}
    assert 403 == refusal(fakeplat, None, "POST", "runners/verify", json=verify)[0]
    reply = anonymous.post("runners/reset_authentication_token", json={"token": by_manager["token"]})
    assert (201, None) == (reply.status, reply.json()["token_expires_at"])
    assert 200 == anonymous.post("runners/verify", json={"token": reply.json()["token"]}).status
    assert NO_ACCESS == refusal(fakeplat, "dev", "POST", reset)
    assert UNAUTHORIZED == refusal(fakeplat, None, "POST", reset)
    unknown = (404, {"message": "404 Not found"})
    assert unknown == refusal(fakeplat, "mia", "POST", "runners/1/reset_authentication_token")
    by_token = "runners/reset_authentication_token"
    assert 403 == refusal(fakeplat, None, "POST", by_token, json={"token": "none"})[0]
    assert invalid("token is missing") == refusal(fakeplat, None, "POST", by_token)


def test_runners_are_paused_and_have_notes(fakeplat: Fakeplat) -> None:
    """A runner is paused with either of two parameters, which exclude each other, and has a note."""
    mia, runner = fakeplat.as_user("mia"), create(fakeplat, paused=True, maintenance_note="by hand")
    path = f"runners/{runner['id']}"
    shown = mia.get(path).json()

    assert (True, False, "by hand") == (shown["paused"], shown["active"], shown["maintenance_note"])
    assert [runner["id"]] == names(mia.get("runners?paused=true").json(), "id")
    assert not mia.put(path, json={"paused": False}).json()["paused"]
    both = invalid("active, paused are mutually exclusive")
    assert both == refusal(fakeplat, "mia", "PUT", path, json={"paused": True, "active": True})
    long = (400, {"message": {"maintenance_note": ["is too long (maximum is 1024 characters)"]}})
    assert long == refusal(fakeplat, "mia", "PUT", path, json={"maintenance_note": "x" * 1025})
    token = fakeplat.as_user("mia").get("projects/acme%2Fsite").json()["runners_token"]
    body = {"token": token, "active": True, "paused": True}
    assert both == refusal(fakeplat, None, "POST", "runners", json=body)
    registered = fakeplat.as_user(None).post("runners", json={"token": token, "paused": True}).json()["id"]
    assert mia.get(f"runners/{registered}").json()["paused"]


def test_runners_say_who_created_them_and_whether_they_work(fakeplat: Fakeplat) -> None:
    """A runner has its creator, unless it was registered, and is idle without a job."""
    mia, runner = fakeplat.as_user("mia"), create(fakeplat)
    (listed,) = mia.get("runners").json()

    assert person(fakeplat, "mia") == listed["created_by"]["id"]
    assert "idle" == listed["job_execution_status"]
    token = mia.get("projects/acme%2Fsite").json()["runners_token"]
    registered = fakeplat.as_user(None).post("runners", json={"token": token}).json()["id"]
    assert mia.get(f"runners/{registered}").json()["created_by"] is None
    details = mia.get(f"runners/{runner['id']}?include_projects=false").json()
    assert {"projects"} == {*mia.get(f"runners/{runner['id']}").json()} - {*details}


def test_projects_of_a_runner_are_listed(fakeplat: Fakeplat) -> None:
    """The projects of a runner are listed in pages, to those who may see the runner."""
    runner = create(fakeplat)
    path = f"runners/{runner['id']}/projects"

    assert ["acme/site"] == names(fakeplat.as_user("mia").get(path).json(), "path_with_namespace")
    assert NO_ACCESS == refusal(fakeplat, "dev", "GET", path)
    assert UNAUTHORIZED == refusal(fakeplat, None, "GET", path)


def test_runners_are_found_by_version(fakeplat: Fakeplat) -> None:
    """A prefix selects runners by the version that they said they have."""
    mia = fakeplat.as_user("mia")
    token = mia.get("projects/acme%2Fsite").json()["runners_token"]
    for version in ("15.0.1", "14.2.0"):
        fakeplat.as_user(None).post("runners", json={"token": token, "info": {"version": version}})

    assert 1 == len(mia.get("runners?version_prefix=15.").json())
    assert 1 == len(mia.get("projects/acme%2Fsite/runners?version_prefix=14").json())


def test_a_token_for_runners_creates_them(fakeplat: Fakeplat) -> None:
    """A token with the scope create_runner creates runners, and does nothing else."""
    value = fakeplat.token("root", scopes=["create_runner"])

    assert 201 == send(fakeplat, value, "POST", "user/runners", json={"runner_type": "instance_type"})[0]
    assert insufficient("api read_api") == send(fakeplat, value, "GET", "runners")
    reader = fakeplat.token("root", scopes=["read_api"])
    expected = insufficient("create_runner api read_api")
    assert expected == send(fakeplat, reader, "POST", "user/runners", json={"runner_type": "instance_type"})
