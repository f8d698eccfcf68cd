"""Pipeline schedules: their rights, their times, and what they create.

Sources: docs/platform/pipelines-jobs.md; the platform's request and model specs of pipeline schedules.
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import (
    MAINTAINERS_TAKE_SCHEDULES,
    OWN_SCHEDULES_ARE_TAKEN_WITH_200,
    SCHEDULE_VARIABLES_ARE_HIDDEN,
    SCHEDULES_KEEP_TO_OPEN_REFS,
    SCHEDULES_NAME_FULL_REFS,
)
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
SITE = "projects/acme%2Fsite"
SCHEDULES = f"{SITE}/pipeline_schedules"
BODY = {"description": "Nightly", "ref": "master", "cron": "0 4 * * *"}
CLOSED = {"push_access_level": 40, "merge_access_level": 40}
SCENARIO = {
    "extends": "starter",
    "users": ["dan"],
    "projects": [
        {
            "path_with_namespace": "acme/site",
            "members": {"dan": "developer"},
            "protected_branches": [{"name": "feature", "push_access_levels": [40], "merge_access_levels": [40]}],
        }
    ],
}
pytestmark = pytest.mark.fakeplat(scenario=SCENARIO, clock="virtual", start=NOW)


def create_schedule(fake: Fakeplat, user: str = "dev", **fields: Any) -> dict[str, Any]:
    reply = fake.as_user(user).post(SCHEDULES, json={**BODY, **fields})
    assert 201 == reply.status
    return dict(reply.json())


def path_of(schedule: dict[str, Any]) -> str:
    return f"{SCHEDULES}/{schedule['id']}"


def count_pipelines(fake: Fakeplat) -> int:
    return len(fake.bench.platform.view.pipelines.all())


def test_the_form_of_a_schedule(fakeplat: Fakeplat) -> None:
    """A schedule belongs to its creator; lists show no variables and no last pipeline."""
    schedule = create_schedule(fakeplat)
    expected = {
        **BODY,
        "id": schedule["id"],
        "cron_timezone": "UTC",
        "next_run_at": "2020-11-21T04:19:00.000Z",
        "active": True,
        "created_at": NOW,
        "updated_at": NOW,
        "owner": schedule["owner"],
    }

    assert {**expected, "last_pipeline": None, "variables": []} == schedule
    assert {"id", "name", "username", "state", "avatar_url", "web_url"} == schedule["owner"].keys()
    assert "dev" == schedule["owner"]["username"]
    assert schedule == fakeplat.as_user("gus").get(path_of(schedule)).json()
    assert [expected] == fakeplat.as_user("gus").get(SCHEDULES).json()


@pytest.mark.parametrize(
    ("cron", "timezone", "expected"),
    [
        ("0 4 * * *", "UTC", "2020-11-21T04:19:00.000Z"),
        ("19 * * * *", "UTC", "2020-11-20T09:19:00.000Z"),
        ("*/5 * * * *", "UTC", "2020-11-20T09:19:00.000Z"),
        ("20 9 * * *", "UTC", "2020-11-20T10:19:00.000Z"),
        ("0 4 * * *", "Berlin", "2020-11-21T03:19:00.000Z"),
        ("0 5 * * *", "America/New_York", "2020-11-20T10:19:00.000Z"),
        ("0 5 * * *", "Eastern Time (US & Canada)", "2020-11-20T10:19:00.000Z"),
        ("0 0 1 1 *", "UTC", "2021-01-01T00:19:00.000Z"),
    ],
)
def test_the_next_run_is_when_the_platform_looks(fakeplat: Fakeplat, cron: str, timezone: str, expected: str) -> None:
    """Nineteen minutes past each hour, at the date of the schedule or after it."""
    assert expected == create_schedule(fakeplat, cron=cron, cron_timezone=timezone)["next_run_at"]


def test_lists_by_scope(fakeplat: Fakeplat) -> None:
    """Schedules are listed by scope: all, active or inactive."""
    create_schedule(fakeplat, description="On")
    create_schedule(fakeplat, description="Off", active=False)
    lists = [
        names(fakeplat.as_user("dev").get(f"{SCHEDULES}{query}").json(), "description")
        for query in ("", "?scope=active", "?scope=inactive")
    ]

    assert [["On", "Off"], ["On"], ["Off"]] == lists
    assert invalid("scope does not have a valid value") == refusal(fakeplat, "dev", "GET", f"{SCHEDULES}?scope=x")


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"ref": ""}, invalid("ref is empty")),
        ({"cron": "invalid-cron"}, invalid_record(cron=[" is invalid syntax"])),
        ({"cron": "0 0 0 * *"}, invalid_record(cron=[" is invalid syntax"])),
        ({"cron": ""}, invalid_record(cron=[" is invalid syntax", "can't be blank"])),
        ({"cron_timezone": "Atlantis"}, invalid_record(cron_timezone=[" is invalid syntax"])),
        ({"description": " "}, invalid_record(description=["can't be blank"])),
        ({"active": "perhaps"}, invalid("active is invalid")),
    ],
)
def test_invalid_schedules_are_refused(fakeplat: Fakeplat, changes: dict[str, Any], expected: Outcome) -> None:
    """Invalid pipeline schedules are refused and not stored."""
    assert expected == refusal(fakeplat, "dev", "POST", SCHEDULES, json={**BODY, **changes})


def test_missing_parameters_are_named(fakeplat: Fakeplat) -> None:
    """A schedule requires description, ref and cron."""
    expected = invalid("description is missing, ref is missing, ref is empty, cron is missing")
    assert expected == refusal(fakeplat, "dev", "POST", SCHEDULES, json={})


def test_a_project_has_ten_schedules_at_most(fakeplat: Fakeplat) -> None:
    """By default a project has at most ten pipeline schedules."""
    for _ in range(10):
        create_schedule(fakeplat)
    expected = invalid_record(base=["Maximum number of ci pipeline schedules (10) exceeded"])
    assert expected == refusal(fakeplat, "dev", "POST", SCHEDULES, json=BODY)


def test_an_update_computes_the_next_run_again(fakeplat: Fakeplat) -> None:
    """An update of a schedule computes its next run and keeps what is not sent."""
    schedule = create_schedule(fakeplat)
    reply = fakeplat.as_user("dev").put(path_of(schedule), json={"cron": " 0 12 * * * ", "ref": "feature"})

    changes = {"cron": "0 12 * * *", "ref": "feature", "next_run_at": "2020-11-20T12:19:00.000Z"}
    expected = {**schedule, **changes, "updated_at": "2020-11-20T09:00:00.001Z"}
    assert (200, expected) == outcome(reply)
    assert invalid_record(cron=[" is invalid syntax"]) == refusal(
        fakeplat, "dev", "PUT", path_of(schedule), json={"cron": "never"}
    )
    assert invalid_record(ref=["can't be blank"]) == refusal(
        fakeplat, "dev", "PUT", path_of(schedule), json={"ref": ""}
    )


def test_only_the_owner_and_administrators_update_a_schedule(fakeplat: Fakeplat) -> None:
    """Maintainers and other developers do not; they cannot become its owners either."""
    schedule = create_schedule(fakeplat)
    for user in ("dan", "mia", "ada"):
        assert FORBIDDEN == refusal(fakeplat, user, "PUT", path_of(schedule), json={"description": "x"})
        assert FORBIDDEN == refusal(fakeplat, user, "POST", f"{path_of(schedule)}/take_ownership")
    reply = fakeplat.as_user("root").put(path_of(schedule), json={"description": "x"})

    assert (200, "x") == (reply.status, reply.json()["description"])


def test_administrators_take_ownership(fakeplat: Fakeplat) -> None:
    """An administrator can take the ownership of a pipeline schedule."""
    schedule = create_schedule(fakeplat)
    reply = fakeplat.as_user("root").post(f"{path_of(schedule)}/take_ownership")

    assert (201, "root") == (reply.status, reply.json()["owner"]["username"])


@by_release(MAINTAINERS_TAKE_SCHEDULES, "is_allowed", {"13.12": False, "14.0": True})
def test_maintainers_take_ownership_later(fakeplat: Fakeplat, is_allowed: bool) -> None:
    """From 14.0 on Maintainers take the ownership of a schedule."""
    schedule = create_schedule(fakeplat)
    assert FORBIDDEN == refusal(fakeplat, "dan", "POST", f"{path_of(schedule)}/take_ownership")
    if not is_allowed:
        assert FORBIDDEN == refusal(fakeplat, "mia", "POST", f"{path_of(schedule)}/take_ownership")
        return
    assert 201 == fakeplat.as_user("mia").post(f"{path_of(schedule)}/take_ownership").status
    assert 200 == fakeplat.as_user("mia").put(path_of(schedule), json={"description": "x"}).status
    assert FORBIDDEN == refusal(fakeplat, "dev", "PUT", path_of(schedule), json={"description": "x"})


@pytest.mark.parametrize("user", ["dev", "mia", "root"])
def test_the_owner_and_maintainers_delete_a_schedule(fakeplat: Fakeplat, user: str) -> None:
    """Only its owner and Maintainers delete a pipeline schedule."""
    schedule = create_schedule(fakeplat)
    assert FORBIDDEN == refusal(fakeplat, "dan", "DELETE", path_of(schedule))
    assert STALE == refusal(fakeplat, user, "DELETE", path_of(schedule), headers=LONG_AGO)
    assert 204 == fakeplat.as_user(user).delete(path_of(schedule)).status
    assert resource_not_found("Pipeline Schedule") == refusal(fakeplat, user, "GET", path_of(schedule))


def test_variables_of_a_schedule(fakeplat: Fakeplat) -> None:
    """The answer to a deletion is the variable."""
    schedule, dev = create_schedule(fakeplat), fakeplat.as_user("dev")
    path = f"{path_of(schedule)}/variables"
    variable = {"variable_type": "env_var", "key": "MODE", "value": "fast"}
    changed = {**variable, "value": "slow", "variable_type": "file"}

    assert (201, variable) == outcome(dev.post(path, json={"key": "MODE", "value": "fast"}))
    assert [variable] == dev.get(path_of(schedule)).json()["variables"]
    assert (200, changed) == outcome(dev.put(f"{path}/MODE", json={"value": "slow", "variable_type": "file"}))
    assert (200, changed) == outcome(dev.put(f"{path}/MODE", json={}))
    assert (202, changed) == outcome(dev.delete(f"{path}/MODE"))
    assert [] == dev.get(path_of(schedule)).json()["variables"]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"key": "MODE"}, invalid("value is missing")),
        ({"key": "MODE", "value": "x"}, invalid_record(key=["has already been taken"])),
        ({"key": "A-B", "value": "x"}, invalid_record(key=["can contain only letters, digits and '_'."])),
        ({"key": "A", "value": "x", "variable_type": "x"}, invalid("variable_type does not have a valid value")),
    ],
)
def test_invalid_variables_are_refused(fakeplat: Fakeplat, body: dict[str, Any], expected: Outcome) -> None:
    """Variables of a schedule have unique and valid keys."""
    path = f"{path_of(create_schedule(fakeplat))}/variables"
    fakeplat.as_user("dev").post(path, json={"key": "MODE", "value": "fast"})
    assert expected == refusal(fakeplat, "dev", "POST", path, json=body)


def test_roles_that_change_variables(fakeplat: Fakeplat) -> None:
    """The owner changes a schedule's variables, Maintainers only delete them."""
    path = f"{path_of(create_schedule(fakeplat))}/variables"
    fakeplat.as_user("dev").post(path, json={"key": "MODE", "value": "fast"})

    assert FORBIDDEN == refusal(fakeplat, "mia", "POST", path, json={"key": "A", "value": "x"})
    assert FORBIDDEN == refusal(fakeplat, "mia", "PUT", f"{path}/MODE", json={})
    assert FORBIDDEN == refusal(fakeplat, "dan", "DELETE", f"{path}/MODE")
    assert resource_not_found("Pipeline Schedule Variable") == refusal(fakeplat, "dev", "PUT", f"{path}/X", json={})
    assert resource_not_found("Pipeline Schedule Variable") == refusal(fakeplat, "dev", "DELETE", f"{path}/X")
    assert 202 == fakeplat.as_user("mia").delete(f"{path}/MODE").status


MISSING = resource_not_found("Pipeline Schedule")


@pytest.mark.parametrize(
    ("user", "method", "path", "expected"),
    [
        (None, "GET", SCHEDULES, UNAUTHORIZED),
        (None, "GET", f"{SCHEDULES}/5", UNAUTHORIZED),
        ("eve", "GET", SCHEDULES, resource_not_found("Project")),
        ("rep", "POST", SCHEDULES, invalid("description is missing, ref is missing, ref is empty, cron is missing")),
        ("dev", "GET", f"{SCHEDULES}/5", MISSING),
        ("dev", "GET", f"{SCHEDULES}/x", invalid("pipeline_schedule_id is invalid")),
        ("dev", "PUT", f"{SCHEDULES}/5", MISSING),
        ("dev", "DELETE", f"{SCHEDULES}/5", MISSING),
        ("dev", "POST", f"{SCHEDULES}/5/play", MISSING),
        ("dev", "POST", f"{SCHEDULES}/5/take_ownership", MISSING),
    ],
)
def test_refused_requests(fakeplat: Fakeplat, user: str | None, method: str, path: str, expected: Outcome) -> None:
    """A login is always needed."""
    assert expected == refusal(fakeplat, user, method, path)


def test_guests_do_not_see_schedules_of_private_builds(fakeplat: Fakeplat) -> None:
    """The list is forbidden to them, and a single one does not exist."""
    schedule = create_schedule(fakeplat)
    fakeplat.as_user("root").put(SITE, json={"public_builds": False})

    assert FORBIDDEN == refusal(fakeplat, "gus", "GET", SCHEDULES)
    assert MISSING == refusal(fakeplat, "gus", "GET", path_of(schedule))
    assert MISSING == refusal(fakeplat, "gus", "DELETE", path_of(schedule))
    assert schedule == fakeplat.as_user("rep").get(path_of(schedule)).json()


def test_roles_that_play_a_schedule(fakeplat: Fakeplat) -> None:
    """Whoever may create pipelines and change the ref."""
    schedule, closed = create_schedule(fakeplat), create_schedule(fakeplat, user="mia", ref="feature")
    created = (201, {"message": "201 Created"})

    assert FORBIDDEN == refusal(fakeplat, "rep", "POST", f"{path_of(schedule)}/play")
    assert FORBIDDEN == refusal(fakeplat, "dan", "POST", f"{path_of(closed)}/play")
    assert created == outcome(fakeplat.as_user("mia").post(f"{path_of(closed)}/play"))
    fakeplat.as_user("root").delete(f"{SITE}/protected_branches/feature")
    assert created == outcome(fakeplat.as_user("dan").post(f"{path_of(closed)}/play"))


@by_release(SCHEDULES_NAME_FULL_REFS, "is_full", {"16.11": False, "17.0": True})
def test_a_schedule_names_its_branch_or_tag_in_full(fakeplat: Fakeplat, is_full: bool) -> None:
    """The name of a branch or tag is made a full one, and refused if there is neither, or both."""
    mia = fakeplat.as_user("mia")
    for name in ("v1", "both"):
        mia.post(f"{SITE}/repository/tags", json={"tag_name": name, "ref": "feature"})
    mia.post(f"{SITE}/repository/branches", json={"branch": "both", "ref": "feature"})
    full = {"feature": "refs/heads/feature", "v1": "refs/tags/v1", "refs/tags/both": "refs/tags/both"}
    for ref, expanded in full.items():
        schedule = create_schedule(fakeplat, user="mia", ref=ref)
        assert (expanded if is_full else ref) == schedule["ref"]
        assert schedule["ref"] == mia.put(path_of(schedule), json={"description": "Later"}).json()["ref"]
    saved = create_schedule(fakeplat, user="mia", ref="feature")
    for ref in ("gone", "both"):
        reply = mia.put(path_of(saved), json={"ref": ref})
        assert (invalid_record(ref=["is ambiguous"]) == outcome(reply)) == is_full == (400 == reply.status)


@pytest.mark.fakeplat(version="17.0")
def test_a_schedule_with_a_full_name_is_played(fakeplat: Fakeplat) -> None:
    """A pipeline has the short name; whether the branch is protected is asked as for that."""
    schedule = create_schedule(fakeplat, user="mia", ref="feature")
    assert FORBIDDEN == refusal(fakeplat, "dan", "POST", f"{path_of(schedule)}/play")
    assert 201 == fakeplat.as_user("mia").post(f"{path_of(schedule)}/play").status
    assert "feature" == fakeplat.as_user("mia").get(path_of(schedule)).json()["last_pipeline"]["ref"]


def test_a_full_name_opens_no_protected_branch(fakeplat: Fakeplat) -> None:
    """A pipeline for the full name of a protected branch is refused as one for the short name."""
    expected = invalid_record(base=["Insufficient permissions for protected ref 'feature'"])
    for ref in ("feature", "refs/heads/feature"):
        assert expected == refusal(fakeplat, "dan", "POST", f"{SITE}/pipeline", json={"ref": ref})


def test_a_played_schedule_creates_a_pipeline_of_the_caller(fakeplat: Fakeplat) -> None:
    """Playing a schedule creates its last pipeline as the caller."""
    schedule = create_schedule(fakeplat)
    fakeplat.as_user("mia").post(f"{path_of(schedule)}/play")
    pipeline = fakeplat.as_user("dev").get(path_of(schedule)).json()["last_pipeline"]
    pipeline_view = fakeplat.as_user("dev").get(f"{SITE}/pipelines/{pipeline['id']}").json()

    assert {"id", "sha", "ref", "status", "web_url", "created_at", "updated_at"} <= pipeline.keys()
    assert ("mia", "master") == (pipeline_view["user"]["username"], pipeline_view["ref"])
    assert "schedule" == fakeplat.bench.platform.view.pipelines[pipeline["id"]].source


def test_a_schedule_runs_on_the_clock_of_the_world(fakeplat: Fakeplat) -> None:
    """A schedule runs on the world's clock as its owner, with its variables."""
    schedule = create_schedule(fakeplat, ref="readme")
    variable = {"variable_type": "env_var", "key": "MODE", "value": "fast"}
    fakeplat.as_user("dev").post(f"{path_of(schedule)}/variables", json=variable)
    before = count_pipelines(fakeplat)
    counts = []
    for step in ("19h18m", "2m", "24h", "72h"):
        fakeplat.clock.advance(step)
        counts.append(count_pipelines(fakeplat) - before)
    schedule_view = fakeplat.as_user("dev").get(path_of(schedule)).json()
    pipeline = schedule_view["last_pipeline"]["id"]

    assert [0, 1, 2, 5] == counts
    assert "2020-11-26T04:19:00.000Z" == schedule_view["next_run_at"]
    assert "2020-11-25T04:19" == schedule_view["last_pipeline"]["created_at"][:16]
    assert "dev" == fakeplat.as_user("dev").get(f"{SITE}/pipelines/{pipeline}").json()["user"]["username"]
    assert [variable] == fakeplat.as_user("dev").get(f"{SITE}/pipelines/{pipeline}/variables").json()


def test_a_run_that_creates_no_pipeline_is_skipped(fakeplat: Fakeplat) -> None:
    """A scheduled run that creates no pipeline is skipped silently."""
    schedule, before = create_schedule(fakeplat, ref="gone"), count_pipelines(fakeplat)
    fakeplat.clock.advance("25h")
    schedule_view = fakeplat.as_user("dev").get(path_of(schedule)).json()

    assert (0, None) == (count_pipelines(fakeplat) - before, schedule_view["last_pipeline"])
    assert (True, "2020-11-22T04:19:00.000Z") == (schedule_view["active"], schedule_view["next_run_at"])


@pytest.mark.parametrize("change", ["inactive", "deleted", "moved"])
def test_a_changed_schedule_does_not_run_at_the_old_time(fakeplat: Fakeplat, change: str) -> None:
    """An inactive schedule shows when it would run."""
    schedule, dev = create_schedule(fakeplat), fakeplat.as_user("dev")
    if change == "deleted":
        dev.delete(path_of(schedule))
    else:
        dev.put(path_of(schedule), json={"active": False} if change == "inactive" else {"cron": "0 5 * * *"})
    times = [task.at for task in fakeplat.bench.platform.view.scheduled_tasks.all()]

    assert {"inactive": 0, "deleted": 0, "moved": 1}[change] == len(times)
    fakeplat.clock.advance("48h")
    expected = {"inactive": "2020-11-21T04:19:00.000Z", "moved": "2020-11-23T05:19:00.000Z"}
    if change != "deleted":
        assert expected[change] == dev.get(path_of(schedule)).json()["next_run_at"]


def test_a_schedule_without_owner_runs_for_nobody(fakeplat: Fakeplat) -> None:
    """A schedule whose owner was deleted remains and creates no pipeline."""
    schedule = create_schedule(fakeplat, user="dan")
    fakeplat.as_user("root").delete(f"users/{fakeplat.world.user('dan').id}")
    fakeplat.settle()
    fakeplat.clock.advance("25h")
    schedule_view = fakeplat.as_user("dev").get(path_of(schedule)).json()

    assert (None, None, "2020-11-22T04:19:00.000Z") == (
        schedule_view["owner"],
        schedule_view["last_pipeline"],
        schedule_view["next_run_at"],
    )


def test_settle_does_not_wait_for_schedules(fakeplat: Fakeplat) -> None:
    """Settling does not wait for schedules but runs those due meanwhile."""
    schedule = create_schedule(fakeplat)
    fakeplat.settle()
    assert NOW[:13] == fakeplat.clock.now[:13]

    member = f"{SITE}/members/{fakeplat.world.user('dan').id}"
    fakeplat.as_user("root").put(member, json={"access_level": 30, "expires_at": "2020-11-23"})
    fakeplat.settle()

    assert "2020-11-23T00:00" == fakeplat.clock.now[:16]
    assert "2020-11-23T04:19:00.000Z" == fakeplat.as_user("dev").get(path_of(schedule)).json()["next_run_at"]


@by_release(SCHEDULE_VARIABLES_ARE_HIDDEN, "is_hidden", {"14.8": False, "14.9": True})
def test_later_releases_hide_the_variables_of_a_schedule(fakeplat: Fakeplat, *, is_hidden: bool) -> None:
    """Only the owner and Maintainers see them then, and no answer to a change has them."""
    path = path_of(create_schedule(fakeplat, ref="main"))
    fakeplat.as_user("dev").post(f"{path}/variables", json={"key": "A", "value": "b"})
    readers = {name: "variables" in fakeplat.as_user(name).get(path).json() for name in ("dev", "mia", "dan")}

    assert {"dev": True, "mia": True, "dan": not is_hidden} == readers
    assert is_hidden == ("variables" not in fakeplat.as_user("dev").put(path, json={"active": False}).json())


@by_release(OWN_SCHEDULES_ARE_TAKEN_WITH_200, "status", {"17.10": 201, "17.11": 200})
def test_taking_an_own_schedule(fakeplat: Fakeplat, status: int) -> None:
    """Later releases answer 200 to the owner of a schedule, and leave it as it is."""
    path = path_of(create_schedule(fakeplat, ref="main"))
    reply = fakeplat.as_user("dev").post(f"{path}/take_ownership")

    assert (status, "dev") == (reply.status, reply.json()["owner"]["username"])


@pytest.mark.fakeplat(version="latest")
def test_pipelines_of_a_schedule_are_filtered(fakeplat: Fakeplat) -> None:
    """Later releases filter the pipelines of a schedule, and list them the oldest first unless asked otherwise."""
    mia = fakeplat.as_user("mia")
    path = path_of(create_schedule(fakeplat, "mia", ref="main"))
    for _ in range(2):
        assert 201 == mia.post(f"{path}/play").status
        fakeplat.clock.advance("2m")
    first, second = (pipeline["id"] for pipeline in mia.get(f"{path}/pipelines").json())

    def listed(query: str) -> list[int]:
        return [pipeline["id"] for pipeline in mia.get(f"{path}/pipelines?{query}").json()]

    assert first < second
    assert [second, first] == listed("sort=desc")
    assert [first, second] == listed("status=success&sort=asc")
    assert [] == listed("scope=running")
    assert [first] == listed("created_before=2020-11-20T09:01:00Z")
    assert invalid("sort does not have a valid value") == outcome(mia.get(f"{path}/pipelines?sort=x"))


@by_release(SCHEDULES_KEEP_TO_OPEN_REFS, "statuses", {"18.1": (201, 200, 200), "18.2": (400, 400, 403)})
def test_schedules_of_protected_branches(fakeplat: Fakeplat, statuses: tuple[int, ...]) -> None:
    """Later releases refuse schedules of branches that are closed to the caller, and their changes by the owner."""
    site = fakeplat.as_user("dan")
    new = site.post(SCHEDULES, json={**BODY, "ref": "refs/heads/feature"})
    path = path_of(create_schedule(fakeplat, "dan", ref="refs/heads/open"))
    moved = site.put(path, json={"ref": "refs/heads/feature"})
    fakeplat.as_user("root").post(f"{SITE}/protected_branches", json={"name": "open", **CLOSED})
    changed = site.put(path, json={"description": "Later"})

    assert statuses == (new.status, moved.status, changed.status)
    if statuses[0] == 400:
        text = "The current user is not authorized to {} the pipeline schedule"
        assert [invalid_record(base=[text.format(verb)]) for verb in ("create", "update")] == [
            outcome(new),
            outcome(moved),
        ]
