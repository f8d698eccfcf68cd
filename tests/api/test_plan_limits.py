"""Limits of the plan of the instance. Source: spec/requests/api/admin/plan_limits_spec.rb of the platform."""

from typing import Any, Final

import pytest

from fakeplat.core.timestamps import SECOND, from_iso
from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import VARIABLES_ARE_LIMITED
from tests.api.requests import FORBIDDEN, UNAUTHORIZED, Outcome, invalid, refusal, resource_not_found
from tests.by_release import by_release

pytestmark = pytest.mark.fakeplat(scenario="starter", clock="virtual", version="latest")
PATH: Final = "application/plan_limits"
SITE: Final = "projects/acme%2Fsite"
DEFAULTS: Final = {
    "ci_instance_level_variables": 25,
    "ci_pipeline_size": 0,
    "ci_active_jobs": 0,
    "ci_project_subscriptions": 2,
    "ci_pipeline_schedules": 10,
    "ci_needs_size_limit": 50,
    "ci_registered_group_runners": 1000,
    "ci_registered_project_runners": 1000,
    "conan_max_file_size": 3_221_225_472,
    "dotenv_variables": 20,
    "dotenv_size": 5120,
    "enforcement_limit": 0,
    "generic_packages_max_file_size": 5_368_709_120,
    "helm_max_file_size": 5_242_880,
    "maven_max_file_size": 3_221_225_472,
    "notification_limit": 0,
    "npm_max_file_size": 524_288_000,
    "nuget_max_file_size": 524_288_000,
    "pipeline_hierarchy_size": 1000,
    "pypi_max_file_size": 3_221_225_472,
    "terraform_module_max_file_size": 1_073_741_824,
    "storage_size_limit": 0,
    "web_hook_calls": 0,
    "web_hook_calls_low": 0,
    "web_hook_calls_mid": 0,
    "limits_history": {},
}
FIRST: Final = {
    "conan_max_file_size",
    "generic_packages_max_file_size",
    "maven_max_file_size",
    "npm_max_file_size",
    "nuget_max_file_size",
    "pypi_max_file_size",
}


def test_the_limits_of_the_default_plan(fakeplat: Fakeplat) -> None:
    """The default plan has the platform's limits, under its name and without one."""
    calls = fakeplat.as_user("root")
    assert DEFAULTS == calls.get(PATH).json() == calls.get(f"{PATH}?plan_name=default").json()


@pytest.mark.fakeplat(version="13.10")
def test_the_first_limits(fakeplat: Fakeplat) -> None:
    """The first release with limits has those of packages."""
    assert FIRST == fakeplat.as_user("root").get(PATH).json().keys()


def test_limits_are_updated(fakeplat: Fakeplat) -> None:
    """An update answers with all limits, and keeps those that were not sent or are null."""
    changes = {"conan_max_file_size": 10, "ci_pipeline_schedules": 3}
    body = {"plan_name": "default", **changes, "npm_max_file_size": None}
    calls = fakeplat.as_user("root")

    assert {**DEFAULTS, **changes} == calls.put(PATH, json=body).json()
    assert {**DEFAULTS, **changes} == calls.get(PATH).json()


@pytest.mark.parametrize("method", ["GET", "PUT"])
@pytest.mark.parametrize(("user", "expected"), [(None, UNAUTHORIZED), ("ada", FORBIDDEN)])
def test_limits_are_for_administrators(fakeplat: Fakeplat, user: str | None, method: str, expected: Outcome) -> None:
    """Only administrators access the limits, which is checked before the parameters."""
    assert expected == refusal(fakeplat, user, method, PATH, json={})


@pytest.mark.parametrize(
    ("tier", "body", "expected"),
    [
        ("free", {}, invalid("plan_name is missing")),
        ("free", {"plan_name": "my-plan"}, invalid("plan_name does not have a valid value")),
        ("free", {"plan_name": "gold"}, invalid("plan_name does not have a valid value")),
        ("premium", {"plan_name": "my-plan"}, invalid("plan_name does not have a valid value")),
        ("premium", {"plan_name": "gold"}, resource_not_found("Plan")),
        ("free", {"plan_name": "default", "npm_max_file_size": "a"}, invalid("npm_max_file_size is invalid")),
    ],
)
def test_refusals_of_updates(fakeplat_factory: Any, tier: str, body: dict[str, Any], expected: Outcome) -> None:
    """A plan that the tier does not know, one that the instance does not have, and a value that is no number."""
    fake = fakeplat_factory(scenario="starter", version="latest", tier=tier)

    assert expected == refusal(fake, "root", "PUT", PATH, json=body)
    assert DEFAULTS == fake.as_user("root").get(PATH).json()


def limit(fake: Fakeplat, **limits: int) -> None:
    assert 200 == fake.as_user("root").put(PATH, json={"plan_name": "default", **limits}).status


def test_variables_of_the_instance_are_limited(fakeplat: Fakeplat) -> None:
    """The instance has at most as many variables as its plan allows; 0 allows any number."""
    limit(fakeplat, ci_instance_level_variables=1)
    calls = fakeplat.as_user("root")
    create = [{"key": f"KEY_{number}", "value": "x"} for number in range(3)]
    assert 201 == calls.post("admin/ci/variables", json=create[0]).status
    expected = (400, {"message": {"base": ["Maximum number of ci instance level variables (1) exceeded"]}})
    assert expected == refusal(fakeplat, "root", "POST", "admin/ci/variables", json=create[1])
    limit(fakeplat, ci_instance_level_variables=0)

    assert [201, 201] == [calls.post("admin/ci/variables", json=body).status for body in create[1:]]


@pytest.mark.parametrize("kind", ["project", "group"])
@by_release(VARIABLES_ARE_LIMITED, "status", {"15.9": 201, "15.10": 400})
def test_variables_of_projects_and_groups_are_limited(fakeplat: Fakeplat, kind: str, status: int) -> None:
    """A project or group has at most as many variables as its plan allows; 0 allows any number."""
    fakeplat.load({"settings": {f"{kind}_ci_variables": 1}})
    path = f"{SITE}/variables" if kind == "project" else "groups/acme/variables"
    calls = fakeplat.as_user("root")
    assert 201 == calls.post(path, json={"key": "FIRST", "value": "x"}).status

    reply = calls.post(path, json={"key": "SECOND", "value": "x"})
    assert status == reply.status
    if status == 400:
        text = f"Maximum number of {kind} ci variables (1) exceeded"
        assert {"message": {"base": [text]}} == reply.json()
        assert 200 == calls.put(f"{path}/FIRST", json={"value": "y"}).status
    fakeplat.load({"settings": {f"{kind}_ci_variables": 0}})
    assert 201 == calls.post(path, json={"key": "THIRD", "value": "x"}).status


def test_schedules_are_limited(fakeplat: Fakeplat) -> None:
    """A project has at most as many pipeline schedules as the plan allows."""
    limit(fakeplat, ci_pipeline_schedules=1)
    body = {"description": "Nightly", "ref": "HEAD", "cron": "0 1 * * *"}
    body["ref"] = fakeplat.as_user("ada").get(SITE).json()["default_branch"]
    path = f"{SITE}/pipeline_schedules"
    assert 201 == fakeplat.as_user("ada").post(path, json=body).status
    expected = (400, {"message": {"base": ["Maximum number of ci pipeline schedules (1) exceeded"]}})

    assert expected == refusal(fakeplat, "ada", "POST", path, json=body)


def test_packages_are_limited(fakeplat: Fakeplat) -> None:
    """A file of a package may be as large as the plan allows."""
    path = f"{SITE}/packages/generic/tool/1.0.0/tool.bin"
    limit(fakeplat, generic_packages_max_file_size=3)
    calls, kind = fakeplat.as_user("ada"), {"Content-Type": "application/octet-stream"}
    replies = [calls.request("PUT", path, data=content, headers=kind) for content in (b"four", b"abc")]

    assert [400, 201] == [reply.status for reply in replies]


def test_changes_of_limits_of_storage_are_recorded(fakeplat: Fakeplat) -> None:
    """Who changed the limits of storage, when and to what, is shown with the limits."""
    root = fakeplat.as_user("root")
    start = from_iso(fakeplat.clock.now) // SECOND
    for limits in ({"enforcement_limit": 15}, {"enforcement_limit": 20, "npm_max_file_size": 1}):
        assert 200 == root.put(PATH, json={"plan_name": "default", **limits}).status
    history = root.get(PATH).json()["limits_history"]
    root_id = fakeplat.world.user("root").id

    assert {"enforcement_limit"} == history.keys()
    assert [15, 20] == [change["value"] for change in history["enforcement_limit"]]
    assert {(root_id, "root")} == {(change["user_id"], change["username"]) for change in history["enforcement_limit"]}
    assert start <= history["enforcement_limit"][0]["timestamp"] <= start + 1
