"""Runners: lists, details, and the projects that they are enabled for.

Source: the platform's request specs of runners.
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import AUDITORS_READ_RUNNERS, RUNNER_ASSIGNMENTS_NAME_REASONS
from tests.api.pipelines import create_pipelines
from tests.api.requests import (
    FORBIDDEN,
    LONG_AGO,
    STALE,
    UNAUTHORIZED,
    Outcome,
    invalid,
    invalid_record,
    names,
    outcome,
    refusal,
    resource_not_found,
)
from tests.by_release import by_release

NOW = "2020-11-20T09:00:00.000Z"
SITE, DOCS, ACME, TOOLS = "projects/acme%2Fsite", "projects/acme%2Fdocs", "groups/acme", "groups/acme%2Ftools"
SCENARIO: dict[str, Any] = {
    "extends": "starter",
    "users": ["kim"],
    "projects": [{"path_with_namespace": "acme/site", "members": {"kim": "maintainer"}}],
    "runners": [
        {
            "description": "Shared",
            "token": "shared",
            "tag_list": ["ruby", "docker"],
            "contacted_at": "2020-11-20T07:30:00Z",
        },
        {"description": "Site", "token": "site", "projects": ["acme/site"], "contacted_at": "2020-11-20T06:00:00Z"},
        {"description": "Both", "token": "both", "projects": ["acme/site", "acme/docs"], "tag_list": ["ruby"]},
        {"description": "Acme", "token": "acme", "group": "acme", "active": False, "contacted_at": NOW},
        {"description": "Tools", "token": "tools", "group": "acme/tools"},
        {"description": "Locked", "token": "locked", "projects": ["acme/docs"], "locked": True},
        {"description": "Own", "token": "own", "projects": ["eve/hello"]},
    ],
}
SCENARIO["projects"].append({"path_with_namespace": "eve/hello"})
pytestmark = pytest.mark.fakeplat(scenario=SCENARIO, clock="virtual", start=NOW)
NOT_FOUND: Outcome = (404, {"message": "404 Not found"})
ALL = ["Shared", "Site", "Both", "Acme", "Tools", "Locked", "Own"]


def forbidden(text: str) -> Outcome:
    return 403, {"message": f"403 Forbidden - {text}"}


NO_ACCESS = forbidden("No access granted")


def id_of(fake: Fakeplat, token: str) -> int:
    return next(runner.id for runner in fake.bench.platform.view.runners.all() if runner.token == token)


def list_descriptions(fake: Fakeplat, user: str, path: str) -> list[str]:
    reply = fake.as_user(user).get(path)
    assert 200 == reply.status
    return names(reply.json(), "description")


@pytest.mark.parametrize(
    ("user", "expected"),
    [
        ("ada", ["Site", "Both", "Acme", "Tools", "Locked"]),
        ("mia", ["Site", "Both", "Locked"]),
        ("kim", ["Site", "Both"]),
        ("dev", []),
        ("eve", ["Own"]),
        ("root", []),
    ],
)
def test_runners_of_the_caller_are_listed(fakeplat: Fakeplat, user: str, expected: list[str]) -> None:
    """The caller's runners are those of maintained projects and owned groups."""
    assert expected == list_descriptions(fakeplat, user, "runners")


@pytest.mark.parametrize(
    ("path", "query", "expected"),
    [
        ("runners", "scope=paused", ["Acme"]),
        ("runners", "scope=active", ["Site", "Both", "Tools", "Locked"]),
        ("runners", "type=project_type", ["Site", "Both", "Locked"]),
        ("runners", "type=group_type&status=paused", ["Acme"]),
        ("runners", "status=online", ["Acme"]),
        ("runners", "status=offline", ["Site", "Both", "Tools", "Locked"]),
        ("runners", "tag_list=ruby", ["Both"]),
        ("runners", "tag_list=ruby,docker", []),
        ("runners", "tag_list=", []),
        ("runners/all", "", ALL),
        ("runners/all", "scope=shared", ["Shared"]),
        ("runners/all", "scope=specific", ALL[1:]),
        ("runners/all", "scope=group_type", ["Acme", "Tools"]),
        ("runners/all", "type=instance_type", ["Shared"]),
        ("runners/all", "status=online", ["Shared", "Acme"]),
        ("runners/all", "tag_list[]=docker&tag_list[]=ruby", ["Shared"]),
        (f"{SITE}/runners", "", ["Shared", "Site", "Both", "Acme"]),
        (f"{SITE}/runners", "scope=specific", ["Site", "Both", "Acme"]),
        (f"{SITE}/runners", "type=project_type&tag_list=ruby", ["Both"]),
        (f"{ACME}/runners", "", ["Acme"]),
        (f"{TOOLS}/runners", "", ["Acme", "Tools"]),
        (f"{TOOLS}/runners", "type=group_type&status=active", ["Tools"]),
        (f"{TOOLS}/runners", "type=project_type", []),
    ],
)
def test_filters(fakeplat: Fakeplat, path: str, query: str, expected: list[str]) -> None:
    """Runners are filtered by type, status and all given tags."""
    user = "root" if path == "runners/all" else "ada"
    assert expected == list_descriptions(fakeplat, user, f"{path}?{query}")


@pytest.mark.fakeplat(version="14.8.0")
def test_paused_is_a_filter_later(fakeplat: Fakeplat) -> None:
    """From release 14.8 on runners are filtered by `paused`."""
    assert ["Acme"] == list_descriptions(fakeplat, "ada", "runners?paused=true")
    assert "Acme" not in list_descriptions(fakeplat, "ada", "runners?paused=false")


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("runners", "scope"),
        ("runners", "type"),
        ("runners", "status"),
        ("runners/all", "scope"),
        (f"{SITE}/runners", "scope"),
        (f"{ACME}/runners", "type"),
    ],
)
def test_unknown_filters_are_refused(fakeplat: Fakeplat, path: str, name: str) -> None:
    """Unknown values of runner filters are refused by their parameter."""
    expected = invalid(f"{name} does not have a valid value")
    assert expected == refusal(fakeplat, "root", "GET", f"{path}?{name}=unknown")


def test_the_callers_list_has_no_scope_of_types(fakeplat: Fakeplat) -> None:
    """The list of the caller's runners has scopes of statuses, but not of types."""
    expected = invalid("scope does not have a valid value")
    assert expected == refusal(fakeplat, "ada", "GET", "runners?scope=shared")


def test_the_forms_of_a_runner(fakeplat: Fakeplat) -> None:
    """The details contain neither the token nor anything about projects and groups of others."""
    ada, id_ = fakeplat.as_user("ada"), id_of(fakeplat, "both")
    basic = {
        "id": id_,
        "description": "Both",
        "ip_address": None,
        "active": True,
        "is_shared": False,
        "name": None,
        "online": None,
        "status": "not_connected",
    }
    details = ada.get(f"runners/{id_}").json()

    assert basic == next(runner for runner in ada.get("runners").json() if runner["id"] == id_)
    assert ["acme/site", "acme/docs"] == names(details.pop("projects"), "path_with_namespace")
    assert {
        **basic,
        "tag_list": ["ruby"],
        "run_untagged": True,
        "locked": False,
        "maximum_timeout": None,
        "access_level": "not_protected",
        "version": None,
        "revision": None,
        "platform": None,
        "architecture": None,
        "contacted_at": None,
        "groups": [],
    } == details
    group = ada.get(f"runners/{id_of(fakeplat, 'acme')}").json()["groups"]
    assert [["id", "web_url", "name"], "Acme"] == [list(group[0]), group[0]["name"]]


def test_visible_projects_of_a_runner(fakeplat: Fakeplat) -> None:
    """A runner shows those of its projects that the caller is a member of."""
    path = f"runners/{id_of(fakeplat, 'both')}"
    projects_by_viewer = {
        user: names(fakeplat.as_user(user).get(path).json()["projects"], "path") for user in ("kim", "mia", "root")
    }
    assert {"kim": ["site"], "mia": ["site", "docs"], "root": ["site", "docs"]} == projects_by_viewer


@pytest.mark.parametrize(
    ("token", "expected"),
    [
        ("shared", (True, "online")),
        ("site", (False, "offline")),
        ("acme", (True, "paused")),
        ("tools", (None, "not_connected")),
    ],
)
def test_the_status_of_a_runner(fakeplat: Fakeplat, token: str, expected: tuple[bool | None, str]) -> None:
    """A runner is online for two hours after its last contact."""
    runner = fakeplat.as_user("root").get(f"runners/{id_of(fakeplat, token)}").json()
    assert expected == (runner["online"], runner["status"])


def test_a_runner_goes_offline(fakeplat: Fakeplat) -> None:
    """A runner goes offline when the clock advances without contact."""
    path, states = f"runners/{id_of(fakeplat, 'shared')}", []
    for step in ("29m", "2m"):
        fakeplat.clock.advance(step)
        states.append(fakeplat.as_user("dev").get(path).json()["status"])

    assert ["online", "offline"] == states


def test_roles_that_read_a_runner(fakeplat: Fakeplat) -> None:
    """Runners of the instance are read by everybody signed in, others by their managers."""
    assert 200 == fakeplat.as_user("eve").get(f"runners/{id_of(fakeplat, 'shared')}").status
    assert NO_ACCESS == refusal(fakeplat, "dev", "GET", f"runners/{id_of(fakeplat, 'site')}")
    assert NO_ACCESS == refusal(fakeplat, "mia", "GET", f"runners/{id_of(fakeplat, 'acme')}")
    assert 200 == fakeplat.as_user("ada").get(f"runners/{id_of(fakeplat, 'tools')}").status
    assert NOT_FOUND == refusal(fakeplat, "root", "GET", "runners/5")
    assert invalid("runner_id is invalid") == refusal(fakeplat, "root", "GET", "runners/x")


def test_an_update_of_all_fields(fakeplat: Fakeplat) -> None:
    """An update of a runner keeps what is not sent."""
    path = f"runners/{id_of(fakeplat, 'site')}"
    changes = {
        "description": "New",
        "active": False,
        "tag_list": ["ruby2.1", "pgsql"],
        "run_untagged": False,
        "locked": True,
        "access_level": "ref_protected",
        "maximum_timeout": 1234,
    }
    before = fakeplat.as_user("ada").get(path).json()
    reply = fakeplat.as_user("kim").put(path, json=changes)

    assert (200, {**before, **changes, "status": "paused"}) == outcome(reply)
    assert ["a", "b"] == fakeplat.as_user("kim").put(path, json={"tag_list": "a,b,a"}).json()["tag_list"]
    assert None is fakeplat.as_user("kim").put(path, json={"maximum_timeout": ""}).json()["maximum_timeout"]


FIELDS = "description, active, tag_list, run_untagged, locked, access_level, maximum_timeout"


@pytest.mark.parametrize(
    ("user", "token", "body", "expected"),
    [
        ("kim", "site", {}, invalid(f"{FIELDS} are missing, at least one parameter must be provided")),
        ("kim", "site", {"access_level": "x"}, invalid("access_level does not have a valid value")),
        (
            "kim",
            "site",
            {"run_untagged": False},
            invalid_record(tags_list=["can not be empty when runner is not allowed to pick untagged jobs"]),
        ),
        ("kim", "site", {"maximum_timeout": 599}, invalid_record(maximum_timeout=["needs to be at least 10 minutes"])),
        ("ada", "shared", {"description": "x"}, NO_ACCESS),
        ("dev", "site", {"description": "x"}, NO_ACCESS),
        ("mia", "acme", {"description": "x"}, NO_ACCESS),
        (None, "site", {"description": "x"}, UNAUTHORIZED),
    ],
)
def test_updates_that_are_refused(
    fakeplat: Fakeplat, user: str | None, token: str, body: dict[str, Any], expected: Outcome
) -> None:
    """A runner of the instance is an administrator's."""
    assert expected == refusal(fakeplat, user, "PUT", f"runners/{id_of(fakeplat, token)}", json=body)


@pytest.mark.parametrize(
    ("user", "token", "expected"),
    [
        ("kim", "both", forbidden("Runner associated with more than one project")),
        ("dev", "site", NO_ACCESS),
        ("dev", "shared", NO_ACCESS),
        ("mia", "acme", NO_ACCESS),
        ("mia", "tools", NO_ACCESS),
    ],
)
def test_deletions_that_are_refused(fakeplat: Fakeplat, user: str, token: str, expected: Outcome) -> None:
    """A group's runner is deleted by its owners alone."""
    assert expected == refusal(fakeplat, user, "DELETE", f"runners/{id_of(fakeplat, token)}")


@pytest.mark.parametrize(
    ("user", "token"),
    [("kim", "site"), ("ada", "acme"), ("ada", "tools"), ("root", "both"), ("root", "shared")],
)
def test_deletions(fakeplat: Fakeplat, user: str, token: str) -> None:
    """A runner is deleted unless it changed since the client's time."""
    path = f"runners/{id_of(fakeplat, token)}"
    assert STALE == refusal(fakeplat, user, "DELETE", path, headers=LONG_AGO)
    assert 204 == fakeplat.as_user(user).delete(path).status
    assert NOT_FOUND == refusal(fakeplat, "root", "DELETE", path)


def test_a_runner_is_enabled_for_a_project(fakeplat: Fakeplat) -> None:
    """Whoever manages both projects enables a runner of the one for the other."""
    runner = id_of(fakeplat, "site")
    reply = fakeplat.as_user("mia").post(f"{DOCS}/runners", json={"runner_id": runner})

    assert (201, "Site") == (reply.status, reply.json()["description"])
    assert "Site" in list_descriptions(fakeplat, "mia", f"{DOCS}/runners?type=project_type")


def test_an_administrator_gives_a_shared_runner_to_a_project(fakeplat: Fakeplat) -> None:
    """Enabling a shared runner for a project makes it specific."""
    runner = id_of(fakeplat, "shared")
    reply = fakeplat.as_user("root").post(f"{DOCS}/runners", json={"runner_id": runner})

    assert (201, False) == (reply.status, reply.json()["is_shared"])
    assert [] == list_descriptions(fakeplat, "root", "runners/all?scope=shared")


@pytest.mark.parametrize(
    ("user", "token", "expected"),
    [
        ("ada", "acme", forbidden("Runner is a group runner")),
        ("root", "acme", forbidden("Runner is a group runner")),
        ("ada", "locked", forbidden("Runner is locked")),
        ("ada", "shared", NO_ACCESS),
        ("kim", "own", NO_ACCESS),
        ("kim", "site", invalid_record(assign_to=["Validation failed: Runner has already been taken"])),
        ("dev", "site", FORBIDDEN),
        ("eve", "own", resource_not_found("Project")),
        (None, "site", UNAUTHORIZED),
    ],
)
def test_runners_that_are_not_enabled(fakeplat: Fakeplat, user: str | None, token: str, expected: Outcome) -> None:
    """A group's runner cannot be enabled, and a locked one only by administrators."""
    body = {"runner_id": id_of(fakeplat, token)}
    assert expected == refusal(fakeplat, user, "POST", f"{SITE}/runners", json=body)


@by_release(
    RUNNER_ASSIGNMENTS_NAME_REASONS,
    "expected",
    {
        "19.1": invalid_record(assign_to=["Validation failed: Runner has already been taken"]),
        "19.2": (400, {"message": "Assign to Validation failed: Runner projects is invalid - runner_error"}),
    },
)
def test_a_runner_is_enabled_once(fakeplat: Fakeplat, expected: Outcome) -> None:
    """A runner that a project has cannot be enabled for it again; later releases name the reason."""
    body = {"runner_id": id_of(fakeplat, "site")}
    assert expected == refusal(fakeplat, "kim", "POST", f"{SITE}/runners", json=body)


def test_administrators_enable_locked_runners(fakeplat: Fakeplat) -> None:
    """Administrators enable locked runners for any project."""
    body = {"runner_id": id_of(fakeplat, "locked")}
    assert 201 == fakeplat.as_user("root").post(f"{SITE}/runners", json=body).status


def test_which_runner_is_to_be_enabled(fakeplat: Fakeplat) -> None:
    """The project is looked up before the parameters."""
    path = f"{SITE}/runners"
    assert invalid("runner_id is missing") == refusal(fakeplat, "ada", "POST", path, json={})
    assert NOT_FOUND == refusal(fakeplat, "ada", "POST", path, json={"runner_id": 5})
    assert FORBIDDEN == refusal(fakeplat, "dev", "POST", path, json={})


def test_a_runner_is_disabled_for_a_project(fakeplat: Fakeplat) -> None:
    """A runner is disabled for a project unless it is its last one."""
    both = f"{SITE}/runners/{id_of(fakeplat, 'both')}"
    last = f"{DOCS}/runners/{id_of(fakeplat, 'both')}"
    text = "Only one project associated with the runner. Please remove the runner instead"

    assert resource_not_found("Runner") == refusal(fakeplat, "mia", "DELETE", f"{SITE}/runners/5")
    assert resource_not_found("Runner") == refusal(
        fakeplat, "mia", "DELETE", f"{SITE}/runners/{id_of(fakeplat, 'shared')}"
    )
    assert STALE == refusal(fakeplat, "kim", "DELETE", both, headers=LONG_AGO)
    assert 204 == fakeplat.as_user("kim").delete(both).status
    assert forbidden(text) == refusal(fakeplat, "mia", "DELETE", last)


@pytest.mark.parametrize(
    ("user", "path", "expected"),
    [
        (None, "runners", UNAUTHORIZED),
        (None, "runners/all", UNAUTHORIZED),
        ("ada", "runners/all", FORBIDDEN),
        ("dev", f"{SITE}/runners", FORBIDDEN),
        ("mia", f"{ACME}/runners", FORBIDDEN),
        (None, f"{ACME}/runners", UNAUTHORIZED),
    ],
)
def test_refused_lists(fakeplat: Fakeplat, user: str | None, path: str, expected: Outcome) -> None:
    """Maintainers list those of projects, owners those of groups."""
    assert expected == refusal(fakeplat, user, "GET", path)


def test_runners_go_with_their_group_and_stay_without_projects(fakeplat: Fakeplat) -> None:
    """Runners are deleted with their group and remain unused without projects."""
    root = fakeplat.as_user("root")
    for path in (SITE, TOOLS):
        assert 202 == root.delete(path).status
    fakeplat.settle()

    assert ["Shared", "Site", "Both", "Acme", "Locked", "Own"] == list_descriptions(fakeplat, "root", "runners/all")
    path = f"runners/{id_of(fakeplat, 'site')}"
    assert ("project_type", []) == (
        fakeplat.bench.platform.view.runners[id_of(fakeplat, "site")].runner_type,
        root.get(path).json()["projects"],
    )
    assert 204 == root.delete(path).status


def take_jobs(fake: Fakeplat, token: str) -> list[int]:
    """Create a pipeline with a running and a failed job that a runner took; return the ids of the jobs."""
    create_pipelines(fake, {"jobs": [{"name": "a", "status": "running"}, {"name": "b", "status": "failed"}]})
    with fake.bench.platform.acting() as ctx:
        jobs = list(ctx.world.jobs.all())[-2:]
        for job in jobs:
            ctx.world.jobs.change(job, runner_id=id_of(fake, token))
    return [job.id for job in jobs]


def test_the_jobs_of_a_runner(fakeplat: Fakeplat) -> None:
    """The jobs of a runner are listed newest first with their projects."""
    running, failed = take_jobs(fakeplat, "site")
    path, kim = f"runners/{id_of(fakeplat, 'site')}/jobs", fakeplat.as_user("kim")
    jobs = kim.get(path).json()

    assert [failed, running] == names(jobs, "id")
    assert [running, failed] == names(kim.get(f"{path}?order_by=id&sort=asc").json(), "id")
    assert [failed] == names(kim.get(f"{path}?status=failed").json(), "id")
    assert {"id", "description", "name", "name_with_namespace", "path", "path_with_namespace", "created_at"} == jobs[0][
        "project"
    ].keys()
    assert "artifacts" not in jobs[0]
    assert "Site" == kim.get(f"{SITE}/jobs/{failed}").json()["runner"]["description"]


@pytest.mark.parametrize(
    ("user", "path", "expected"),
    [
        ("kim", "{site}/jobs?status=unknown", invalid("status does not have a valid value")),
        ("kim", "{site}/jobs?order_by=name", invalid("order_by does not have a valid value")),
        ("kim", "{site}/jobs?sort=up", invalid("sort does not have a valid value")),
        ("ada", "{shared}/jobs", NO_ACCESS),
        ("dev", "{site}/jobs", NO_ACCESS),
        ("root", "5/jobs", NOT_FOUND),
        (None, "{site}/jobs", UNAUTHORIZED),
    ],
)
def test_refused_lists_of_jobs(fakeplat: Fakeplat, user: str | None, path: str, expected: Outcome) -> None:
    """Only administrators list the jobs of a shared runner."""
    ids = {token: id_of(fakeplat, token) for token in ("site", "shared")}
    assert expected == refusal(fakeplat, user, "GET", f"runners/{path.format(**ids)}")


def test_administrators_list_the_jobs_of_shared_runners(fakeplat: Fakeplat) -> None:
    """Administrators list the jobs of shared runners of all projects."""
    jobs = take_jobs(fakeplat, "shared")
    assert jobs[::-1] == names(fakeplat.as_user("root").get(f"runners/{id_of(fakeplat, 'shared')}/jobs").json(), "id")


@by_release(AUDITORS_READ_RUNNERS, "expected", {"18.8": 403, "18.9": 200})
@pytest.mark.fakeplat(tier="premium")
def test_auditors_list_all_runners(fakeplat: Fakeplat, expected: int) -> None:
    """In later releases auditors list the runners of the instance."""
    fakeplat.load({"users": [{"username": "eve", "auditor": True}]})
    assert [expected, 403] == [fakeplat.as_user(user).get("runners/all").status for user in ("eve", "ada")]


@pytest.mark.fakeplat(version="latest")
def test_free_tiers_have_no_auditors(fakeplat: Fakeplat) -> None:
    """Without a paid tier, auditors are users like others."""
    fakeplat.load({"users": [{"username": "eve", "auditor": True}]})
    assert FORBIDDEN == refusal(fakeplat, "eve", "GET", "runners/all")
