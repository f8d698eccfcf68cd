"""Registration of runners. Source: the platform's request specs of the runners' own operations."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.requests import (
    FORBIDDEN,
    LONG_AGO,
    NO_ROUTE,
    STALE,
    UNAUTHORIZED,
    Outcome,
    invalid,
    invalid_record,
    missing_value,
    outcome,
    refusal,
    resource_not_found,
)

NOW = "2020-11-20T09:00:00.000Z"
SCENARIO = {
    "extends": "starter",
    "settings": {"runners_registration_token": "of-the-instance"},
    "runners": [{"token": "known", "description": "Known"}],
}
pytestmark = pytest.mark.fakeplat(scenario=SCENARIO, clock="virtual", start=NOW)


def register_runner(fake: Fakeplat, token: str = "of-the-instance", **fields: Any) -> dict[str, Any]:
    """Register a runner and return its details, with its token."""
    reply = fake.as_user(None).post("runners", json={"token": token, **fields})
    assert 201 == reply.status
    registered = reply.json()
    assert ["id", "token"] == list(registered)
    return {**fake.as_user("root").get(f"runners/{registered['id']}").json(), **registered}


def test_a_runner_of_the_instance(fakeplat: Fakeplat) -> None:
    """Registering a runner of the instance answers with its own token."""
    runner = register_runner(fakeplat)

    assert (True, True, True, None) == (
        runner["is_shared"],
        runner["active"],
        runner["run_untagged"],
        runner["description"],
    )
    assert (20, "127.0.0.1", "not_connected") == (len(runner["token"]), runner["ip_address"], runner["status"])


def test_a_runner_of_a_project_or_group(fakeplat: Fakeplat) -> None:
    """A registration token creates a runner of its project or group."""
    project = fakeplat.as_user("mia").get("projects/acme%2Fsite").json()
    group = fakeplat.as_user("ada").get("groups/acme").json()
    of_project, of_group = (register_runner(fakeplat, owner["runners_token"]) for owner in (project, group))

    assert (False, [project["id"]], []) == (
        of_project["is_shared"],
        [project_row["id"] for project_row in of_project["projects"]],
        of_project["groups"],
    )
    assert (False, [], [group["id"]]) == (
        of_group["is_shared"],
        of_group["projects"],
        [group_row["id"] for group_row in of_group["groups"]],
    )


def test_attributes_of_a_new_runner(fakeplat: Fakeplat) -> None:
    """A registered runner keeps its attributes."""
    info = {"name": "runner-1", "version": "13.5.0", "revision": "1", "platform": "linux", "architecture": "amd64"}
    options: dict[str, Any] = {
        "description": "server",
        "active": False,
        "locked": True,
        "access_level": "ref_protected",
        "run_untagged": False,
        "tag_list": ["tag1", "tag2"],
        "maximum_timeout": 9000,
    }
    runner = register_runner(fakeplat, info={**info, "executor": "shell"}, **options)

    assert {**info, **options} == {name: runner[name] for name in {**info, **options}}


def test_blank_attributes_are_ignored(fakeplat: Fakeplat) -> None:
    """Tags may be written with commas."""
    runner = register_runner(
        fakeplat, description="", maximum_timeout="", access_level=None, tag_list="a, b", info={"name": ""}
    )
    assert (None, None, "not_protected", ["a", "b"], None) == tuple(
        runner[name] for name in ("description", "maximum_timeout", "access_level", "tag_list", "name")
    )


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({}, invalid("token is missing")),
        ({"token": "unknown"}, FORBIDDEN),
        ({"token": ""}, FORBIDDEN),
        ({"token": "known"}, FORBIDDEN),
        ({"token": "of-the-instance", "access_level": "x"}, invalid("access_level does not have a valid value")),
        (
            {"token": "of-the-instance", "run_untagged": False},
            invalid_record(tags_list=["can not be empty when runner is not allowed to pick untagged jobs"]),
        ),
        (
            {"token": "of-the-instance", "maximum_timeout": 1},
            invalid_record(maximum_timeout=["needs to be at least 10 minutes"]),
        ),
    ],
)
def test_refused_registrations(fakeplat: Fakeplat, body: dict[str, Any], expected: Outcome) -> None:
    """The token of a runner registers none."""
    assert expected == refusal(fakeplat, None, "POST", "runners", json=body)


def test_a_runner_is_verified(fakeplat: Fakeplat) -> None:
    """Verifying a runner by its token counts as a contact."""
    anonymous = fakeplat.as_user(None)

    assert (200, 200) == outcome(anonymous.post("runners/verify", json={"token": "known"}))
    runners = fakeplat.as_user("root").get("runners/all").json()
    assert [("online", "127.0.0.1")] == [(runner["status"], runner["ip_address"]) for runner in runners]
    assert FORBIDDEN == refusal(fakeplat, None, "POST", "runners/verify", json={"token": "unknown"})
    assert invalid("token is missing") == refusal(fakeplat, None, "POST", "runners/verify", json={})


def test_a_runner_unregisters(fakeplat: Fakeplat) -> None:
    """A runner unregisters with its own token."""
    body = {"token": "known"}

    assert invalid("token is missing") == refusal(fakeplat, None, "DELETE", "runners", json={})
    assert FORBIDDEN == refusal(fakeplat, None, "DELETE", "runners", json={"token": "unknown"})
    assert STALE == refusal(fakeplat, None, "DELETE", "runners", json=body, headers=LONG_AGO)
    assert 204 == fakeplat.as_user(None).delete("runners", json=body).status
    assert [] == fakeplat.as_user("root").get("runners/all").json()


@pytest.mark.fakeplat(scenario="starter")
def test_without_a_setting_the_token_is_derived_from_the_seed(fakeplat: Fakeplat) -> None:
    """Without a setting the registration token is derived from the seed."""
    assert FORBIDDEN == refusal(fakeplat, None, "POST", "runners", json={"token": ""})


def test_users_create_no_runners_yet(fakeplat: Fakeplat) -> None:
    """Users create no runners in release 13.5."""
    assert NO_ROUTE == refusal(fakeplat, "root", "POST", "user/runners", json={"runner_type": "instance_type"})


@pytest.mark.fakeplat(version="latest")
@pytest.mark.parametrize(
    ("user", "body"),
    [
        ("root", {"runner_type": "instance_type", "paused": True}),
        ("ada", {"runner_type": "group_type", "group_id": "acme"}),
        ("mia", {"runner_type": "project_type", "project_id": "site", "tag_list": "a,b"}),
    ],
)
def test_users_create_runners_later(fakeplat: Fakeplat, user: str, body: dict[str, Any]) -> None:
    """In later releases users create runners for what they administer."""
    ids = {"acme": fakeplat.world.group("acme").id, "site": fakeplat.world.project("acme/site").id}
    body = {name: ids.get(value, value) for name, value in body.items()}
    reply = fakeplat.as_user(user).post("user/runners", json=body)
    runner = fakeplat.as_user("root").get(f"runners/{reply.json()['id']}").json()

    assert (201, ["id", "token", "token_expires_at"]) == (reply.status, list(reply.json()))
    assert (body["runner_type"], "paused" not in body) == (runner["runner_type"], runner["active"])


@pytest.mark.fakeplat(version="latest")
@pytest.mark.parametrize(
    ("user", "body", "expected"),
    [
        (None, {"runner_type": "instance_type"}, UNAUTHORIZED),
        ("ada", {}, invalid(missing_value("runner_type"))),
        ("ada", {"runner_type": "instance_type"}, FORBIDDEN),
        ("ada", {"runner_type": "group_type"}, invalid("group_id is missing")),
        ("ada", {"runner_type": "project_type"}, invalid("project_id is missing")),
        ("ada", {"runner_type": "project_type", "project_id": 1}, resource_not_found("Project")),
        ("ada", {"runner_type": "group_type", "group_id": 1}, resource_not_found("Group")),
    ],
)
def test_runners_that_users_do_not_create(
    fakeplat: Fakeplat, user: str | None, body: dict[str, Any], expected: Outcome
) -> None:
    """Creating a runner requires the parameters of its type."""
    assert expected == refusal(fakeplat, user, "POST", "user/runners", json=body)


@pytest.mark.fakeplat(version="latest")
def test_the_note_has_an_earlier_name(fakeplat: Fakeplat) -> None:
    """The note of a new runner may be sent under its earlier name, but not under both."""
    names = ("maintainer_note", "maintenance_note")
    fakeplat.as_user("root").put("application/settings", json={"allow_runner_registration_token": True})
    token = fakeplat.bench.platform.view.settings.runners_registration_token
    body = {"token": token, "maintainer_note": "Rack 4"}

    assert 201 == fakeplat.as_user(None).post("runners", json=body).status
    assert "Rack 4" == fakeplat.bench.platform.view.runners.all()[-1].maintenance_note
    both = fakeplat.as_user(None).post("runners", json={"token": token, **dict.fromkeys(names, "a")})
    assert (400, {"error": f"{', '.join(names)} are mutually exclusive"}) == (both.status, both.json())
