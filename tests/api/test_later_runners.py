"""Runners of later releases: new tokens, notes, pauses, and who created them. Source: docs/platform/runners.md."""

from typing import Any

import pytest

from fakeplat.ci_config.jobs import PlannedJob
from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import (
    DISABLING_RUNNERS_NEEDS_ACCESS,
    GROUP_MAINTAINERS_READ_RUNNERS,
    GROUPS_LIST_SHARED_RUNNERS,
    JOB_IDS_FOR_RUNNERS,
    JOB_QUEUES_FOR_RUNNERS,
    OBJECT_FORMATS_FOR_RUNNERS,
    PLACES_FOR_RUNNERS,
    PROTECTION_FOR_RUNNERS,
    REGISTERED_RUNNERS_HAVE_NO_VERSION,
    RUNNER_CREATORS_ARE_VISIBLE_USERS,
    RUNNER_JOBS_HAVE_CURSORS,
    RUNNER_NOTES_ARE_FOR_MANAGERS,
    RUNNER_TAGS_ARE_LIMITED,
    RUNNER_TOKENS_HAVE_TIMES,
    RUNNER_UPDATES_LEAVE_OUT_PROJECTS,
    RUNNERS_STAY_WITH_THEIR_OWNER,
)
from tests.api.ci_jobs import create_pipeline
from tests.api.marks import STARTER_AT_NINE
from tests.api.requests import FORBIDDEN, UNAUTHORIZED, invalid, names, person, refusal
from tests.api.test_personal_access_tokens import insufficient, send
from tests.api.test_runner_protocol import create_runner as create_record
from tests.api.test_runner_protocol import take_job
from tests.by_release import by_release

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
    assert "created_by" not in mia.get(f"runners/{registered}").json()
    details = mia.get(f"runners/{runner['id']}?include_projects=false").json()
    assert {"projects"} == {*mia.get(f"runners/{runner['id']}").json()} - {*details}


@by_release(RUNNER_CREATORS_ARE_VISIBLE_USERS, "has_field", {"19.2": True, "19.3": False})
def test_registered_runners_have_no_creator(fakeplat: Fakeplat, has_field: bool) -> None:
    """A runner that nobody created has null as its creator, and no such field in the newest releases."""
    mia = fakeplat.as_user("mia")
    token = mia.get("projects/acme%2Fsite").json()["runners_token"]
    registered = fakeplat.as_user(None).post("runners", json={"token": token}).json()["id"]
    runner = mia.get(f"runners/{registered}").json()
    assert (has_field, None) == ("created_by" in runner, runner.get("created_by"))


@by_release(RUNNER_UPDATES_LEAVE_OUT_PROJECTS, "has_projects", {"18.8": True, "18.9": False})
def test_updates_of_runners_show_no_projects(fakeplat: Fakeplat, has_projects: bool) -> None:
    """The answer to an update of a runner leaves out its projects since they can be left out of a single one."""
    path = f"runners/{create(fakeplat)['id']}"
    runner = fakeplat.as_user("mia").put(path, json={"description": "Builds"}).json()
    assert (has_projects, "Builds") == ("projects" in runner, runner["description"])
    assert "projects" in fakeplat.as_user("mia").get(path).json()


@by_release(RUNNER_NOTES_ARE_FOR_MANAGERS, "note", {"18.8": "Rack 4", "18.9": None})
def test_notes_of_runners_are_for_those_who_manage_them(fakeplat: Fakeplat, note: str | None) -> None:
    """Who sees a runner without managing it sees its maintenance note only in earlier releases."""
    body = {"runner_type": "instance_type", "maintenance_note": "Rack 4"}
    path = f"runners/{fakeplat.as_user('root').post('user/runners', json=body).json()['id']}"
    assert note == fakeplat.as_user("dev").get(path).json()["maintenance_note"]
    assert "Rack 4" == fakeplat.as_user("root").get(path).json()["maintenance_note"]


@pytest.mark.fakeplat(tier="premium")
def test_users_say_when_the_token_of_a_runner_ends(fakeplat: Fakeplat) -> None:
    """A new token ends within 5 minutes and 15 days, and is replaced until a time that is not later."""
    token_end, deadline = "2020-11-25T09:00:00.000Z", "2020-11-22T09:00:00.000Z"
    runner = create(fakeplat, token_expires_at=token_end, token_rotation_deadline=deadline)
    reset = f"runners/{runner['id']}/reset_authentication_token"
    assert token_end == runner["token_expires_at"]

    fakeplat.clock.advance("2d")
    passed = (403, {"error": "Token rotation deadline has passed"})
    assert passed == refusal(fakeplat, "mia", "POST", reset)
    of_runner = "runners/reset_authentication_token"
    assert passed == refusal(fakeplat, None, "POST", of_runner, json={"token": runner["token"]})

    late = create(fakeplat, token_expires_at=token_end, token_rotation_deadline=token_end)
    reply = fakeplat.as_user("mia").post(f"runners/{late['id']}/reset_authentication_token")
    assert (201, None) == (reply.status, reply.json()["token_expires_at"])
    fakeplat.clock.advance("4d")
    assert 201 == fakeplat.as_user("mia").post(f"runners/{late['id']}/reset_authentication_token").status


@pytest.mark.fakeplat(tier="premium", tick=0)
@pytest.mark.parametrize(
    ("token_end", "deadline", "text"),
    [
        (None, "2020-11-22", "token_expires_at is required when token_rotation_deadline is specified"),
        ("2020-11-20T09:04:00Z", None, "token_expires_at must be at least 5 minutes in the future"),
        ("2020-12-06", None, "token_expires_at is too far in the future (maximum is 2020-12-05T09:00:00Z)"),
        ("2020-11-25", "2020-11-20T08:59:00Z", "token_rotation_deadline cannot be in the past"),
        ("2020-11-25", "2020-11-26", "token_rotation_deadline must be less than or equal to token_expires_at"),
    ],
    ids=["deadline-alone", "too-early", "too-late", "past-deadline", "late-deadline"],
)
def test_times_of_tokens_are_checked(
    fakeplat: Fakeplat, token_end: str | None, deadline: str | None, text: str
) -> None:
    """The times of the token of a new runner are refused with their reason."""
    site = fakeplat.as_user("mia").get("projects/acme%2Fsite").json()["id"]
    times = {"token_expires_at": token_end, "token_rotation_deadline": deadline}
    body = {"runner_type": "project_type", "project_id": site, **times}
    expected = (400, {"message": f"400 Bad request - {text}"})
    assert expected == refusal(fakeplat, "mia", "POST", "user/runners", json=body)


@pytest.mark.fakeplat(tier="premium", tick=0)
@by_release(RUNNER_TOKENS_HAVE_TIMES, "is_chosen", {"19.2": False, "19.3": True})
def test_tokens_end_with_the_setting_at_the_latest(fakeplat: Fakeplat, is_chosen: bool) -> None:
    """The setting limits what users choose; earlier releases only know the setting."""
    body = {"project_runner_token_expiration_interval": 7 * 24 * 3600}
    fakeplat.as_user("root").put("application/settings", json=body)
    runner = create(fakeplat, token_expires_at="2020-11-22T00:00:00.000Z")
    assert ("2020-11-22T00:00:00.000Z" if is_chosen else "2020-11-27T09:00:00.000Z") == runner["token_expires_at"]
    if is_chosen:
        too_late = {"runner_type": "instance_type", "token_expires_at": "2020-12-04T00:00:00.000Z"}
        assert 201 == fakeplat.as_user("root").post("user/runners", json=too_late).status


@pytest.mark.fakeplat(tier="free")
def test_times_of_tokens_are_a_paid_feature(fakeplat: Fakeplat) -> None:
    """Below the premium tier, the times of a token are ignored."""
    assert create(fakeplat, token_expires_at="2020-11-22T00:00:00.000Z")["token_expires_at"] is None


def test_runners_show_the_version_that_they_said(fakeplat: Fakeplat) -> None:
    """The details of a runner show the version of the program that contacted the platform last, null before."""
    mia, runner = fakeplat.as_user("mia"), create(fakeplat)
    path = f"runners/{runner['id']}"
    details = ("version", "revision", "platform", "architecture")
    assert [None] * 4 == [mia.get(path).json()[name] for name in details]
    info = {"version": "18.2.1", "revision": "4d7093e1", "platform": "linux", "architecture": "arm64"}
    sent = {"token": runner["token"], "system_id": "s_1", "info": info}
    assert 204 == fakeplat.as_user(None).post("jobs/request", json=sent).status
    assert [info[name] for name in details] == [mia.get(path).json()[name] for name in details]


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
        runner = fakeplat.as_user(None).post("runners", json={"token": token}).json()
        fakeplat.as_user(None).post("jobs/request", json={"token": runner["token"], "info": {"version": version}})

    assert 1 == len(mia.get("runners?version_prefix=15.").json())
    assert 1 == len(mia.get("projects/acme%2Fsite/runners?version_prefix=14").json())


def test_a_token_for_runners_manages_them(fakeplat: Fakeplat) -> None:
    """A token with the scope manage_runner reads, changes and deletes a single runner, and lists its jobs."""
    runner = create(fakeplat)
    path, value = f"runners/{runner['id']}", fakeplat.token("mia", scopes=["manage_runner"])

    assert 200 == send(fakeplat, value, "PUT", path, json={"description": "Mine"})[0]
    assert "Mine" == send(fakeplat, value, "GET", path)[1]["description"]
    assert (200, []) == send(fakeplat, value, "GET", f"{path}/jobs")
    assert 201 == send(fakeplat, value, "POST", f"{path}/reset_authentication_token")[0]
    assert insufficient("api read_api") == send(fakeplat, value, "GET", "runners")
    assert insufficient("api read_api") == send(fakeplat, value, "GET", "projects/acme%2Fsite/runners")
    reader = fakeplat.token("mia", scopes=["read_api"])
    assert insufficient("manage_runner api read_api") == send(fakeplat, reader, "DELETE", path)
    assert 204 == fakeplat.as_user(None).delete(path, headers={"PRIVATE-TOKEN": value}).status


@pytest.mark.fakeplat(version="13.5")
def test_errors_name_no_later_scopes(fakeplat: Fakeplat) -> None:
    """The refusal of a token names only the scopes that its release has."""
    value = fakeplat.token("root", scopes=["read_user"])
    assert insufficient("api read_api") == send(fakeplat, value, "GET", "runners/1")


@by_release(RUNNER_TAGS_ARE_LIMITED, "expected", {"17.10": 200, "17.11": 400})
def test_runners_have_at_most_fifty_tags(fakeplat: Fakeplat, expected: int) -> None:
    """A runner with more than 50 tags is refused."""
    path = f"runners/{create(fakeplat)['id']}"
    reply = fakeplat.as_user("mia").put(path, json={"tag_list": [f"t{number}" for number in range(51)]})
    text = "Too many tags specified. Please limit the number of tags to 50"
    assert (expected, expected == 400) == (reply.status, reply.json().get("message") == {"tags_list": [text]})
    assert 200 == fakeplat.as_user("mia").put(path, json={"tag_list": [f"t{number}" for number in range(50)]}).status


def test_the_prefix_of_versions_is_a_number(fakeplat: Fakeplat) -> None:
    """Runners are filtered by the beginning of their version, which is digits and dots."""
    assert [] == fakeplat.as_user("root").get("runners/all?version_prefix=15.0").json()
    assert invalid("version_prefix is invalid") == refusal(fakeplat, "root", "GET", "runners/all?version_prefix=V15")


@by_release(RUNNER_JOBS_HAVE_CURSORS, "expected", {"17.10": ["b", "a"], "17.11": ["a", "b"]})
@pytest.mark.fakeplat(default_branch="master")
def test_the_jobs_of_a_runner_are_listed_by_id(fakeplat: Fakeplat, expected: list[str]) -> None:
    """Without an order the oldest job comes first in later releases, and the newest with keyset pagination."""
    runner = create_record(fakeplat)
    create_pipeline(fakeplat, PlannedJob(name="a"), PlannedJob(name="b"))
    assert ["a", "b"] == [take_job(fakeplat, runner)["job_info"]["name"] for _ in "ab"]
    path, mia = f"runners/{runner.id}/jobs", fakeplat.as_user("mia")

    assert expected == names(mia.get(path).json(), "name")
    assert ["b", "a"] == names(mia.get(f"{path}?order_by=id").json(), "name")
    page = mia.get(f"{path}?pagination=keyset&per_page=1")
    assert (["b"], expected == ["a", "b"]) == (names(page.json(), "name"), "cursor=" in page.headers["Link"])


@by_release(JOB_QUEUES_FOR_RUNNERS, "expected", {"17.10": None, "17.11": (3, "+Inf")})
@pytest.mark.fakeplat(default_branch="master", clock="virtual", tick=0)
def test_runners_learn_how_long_jobs_waited(fakeplat: Fakeplat, expected: tuple[int, str] | None) -> None:
    """The runner of a project gets the seconds that its job was in the queue, but no number of running jobs."""
    runner = create_record(fakeplat)
    create_pipeline(fakeplat, PlannedJob(name="a"))
    fakeplat.clock.advance("3s")
    info = take_job(fakeplat, runner)["job_info"]
    names_ = ("time_in_queue_seconds", "project_jobs_running_on_instance_runners_count")
    assert expected == (tuple(info[name] for name in names_) if names_[0] in info else None)


@by_release(JOB_IDS_FOR_RUNNERS, "has_id", {"15.9": False, "15.10": True})
@pytest.mark.fakeplat(default_branch="master")
def test_runners_learn_the_id_of_the_job_twice(fakeplat: Fakeplat, has_id: bool) -> None:
    """Later releases have it also among the names of the job."""
    runner = create_record(fakeplat)
    create_pipeline(fakeplat, PlannedJob(name="a"))
    taken = take_job(fakeplat, runner)
    assert (taken["id"] if has_id else None) == taken["job_info"].get("id")


PLACES = ("project_full_path", "namespace_id", "root_namespace_id", "organization_id", "user_id", "scoped_user_id")


@by_release(PLACES_FOR_RUNNERS, "is_shown", {"19.2": False, "19.3": True})
@pytest.mark.fakeplat(default_branch="master")
def test_runners_learn_where_a_job_belongs(fakeplat: Fakeplat, is_shown: bool) -> None:
    """The latest releases name the namespaces of the project, and the user of the job."""
    runner = create_record(fakeplat)
    create_pipeline(fakeplat, PlannedJob(name="a"))
    info = take_job(fakeplat, runner)["job_info"]
    group = fakeplat.as_user("mia").get("groups/acme").json()["id"]
    user = fakeplat.as_user("dev").get("user").json()["id"]
    expected = ["acme/site", group, group, 1, user, None] if is_shown else []
    assert expected == [info[name] for name in PLACES if name in info]


@by_release(REGISTERED_RUNNERS_HAVE_NO_VERSION, "version", {"17.9": "15.0.1", "17.10": None})
@pytest.mark.fakeplat(default_branch="master")
def test_registered_runners_have_no_version(fakeplat: Fakeplat, version: str | None) -> None:
    """Later releases store only the name of a new runner, and the rest with its first request."""
    mia, anonymous = fakeplat.as_user("mia"), fakeplat.as_user(None)
    token = mia.get("projects/acme%2Fsite").json()["runners_token"]
    info = {"name": "gitlab-runner", "version": "15.0.1"}
    created = anonymous.post("runners", json={"token": token, "info": info}).json()
    shown = mia.get(f"runners/{created['id']}").json()
    assert ("gitlab-runner", version) == (shown["name"], shown["version"])

    anonymous.post("jobs/request", json={"token": created["token"], "info": {"version": "15.0.2"}})
    assert "15.0.2" == mia.get(f"runners/{created['id']}").json()["version"]


@pytest.mark.fakeplat(default_branch="master")
def test_runners_of_the_instance_learn_how_many_jobs_of_a_project_run(fakeplat: Fakeplat) -> None:
    """The number of running jobs of the project on runners of the instance is that of the others, up to five."""
    runner = create_record(fakeplat, "instance_type")
    create_pipeline(fakeplat, *[PlannedJob(name=name) for name in "abcdef"])
    taken = [take_job(fakeplat, runner)["job_info"]["project_jobs_running_on_instance_runners_count"] for _ in "abcdef"]
    assert ["0", "1", "2", "3", "4", "5+"] == taken


@by_release(OBJECT_FORMATS_FOR_RUNNERS, "expected", {"17.10": None, "17.11": "sha1"})
@pytest.mark.fakeplat(default_branch="master")
def test_runners_learn_the_format_of_objects(fakeplat: Fakeplat, expected: str | None) -> None:
    """Later releases say by which digest the repository names its objects."""
    runner = create_record(fakeplat)
    create_pipeline(fakeplat, PlannedJob(name="a"))
    assert expected == take_job(fakeplat, runner)["git_info"].get("repo_object_format")


@by_release(PROTECTION_FOR_RUNNERS, "expected", {"18.8": None, "18.9": True})
@pytest.mark.fakeplat(default_branch="master")
def test_runners_learn_whether_the_ref_is_protected(fakeplat: Fakeplat, expected: bool | None) -> None:
    """The latest releases say whether the job is of a protected ref."""
    runner = create_record(fakeplat)
    create_pipeline(fakeplat, PlannedJob(name="a"))
    assert expected is take_job(fakeplat, runner)["git_info"].get("protected")


def test_a_token_for_runners_creates_them(fakeplat: Fakeplat) -> None:
    """A token with the scope create_runner creates runners, and does nothing else."""
    value = fakeplat.token("root", scopes=["create_runner"])

    assert 201 == send(fakeplat, value, "POST", "user/runners", json={"runner_type": "instance_type"})[0]
    assert insufficient("api read_api") == send(fakeplat, value, "GET", "runners")
    reader = fakeplat.token("root", scopes=["read_api"])
    expected = insufficient("create_runner api read_api")
    assert expected == send(fakeplat, reader, "POST", "user/runners", json={"runner_type": "instance_type"})


def create_of_group(fake: Fakeplat) -> int:
    """Create a runner of the group acme, and return its id."""
    acme = fake.as_user("ada").get("groups/acme").json()["id"]
    body = {"runner_type": "group_type", "group_id": acme}
    return int(fake.as_user("ada").post("user/runners", json=body).json()["id"])


@by_release(GROUP_MAINTAINERS_READ_RUNNERS, "expected", {"17.10": 403, "17.11": 200})
def test_maintainers_of_a_group_read_its_runners(fakeplat: Fakeplat, expected: int) -> None:
    """Maintainers of a group read its runners, which only Owners change; so do those who maintain a project in it."""
    path = f"runners/{create_of_group(fakeplat)}"
    member = {"user_id": fakeplat.as_user("dev").get("user").json()["id"], "access_level": 40}
    assert NO_ACCESS == refusal(fakeplat, "dev", "GET", path)
    assert 201 == fakeplat.as_user("ada").post("projects/acme%2Fsite/members", json=member).status
    for user in ("mia", "dev"):
        client = fakeplat.as_user(user)
        assert [expected, expected] == [client.get(of).status for of in (path, f"{path}/managers")]
        assert NO_ACCESS == refusal(fakeplat, user, "PUT", path, json={"description": "x"})
        assert NO_ACCESS == refusal(fakeplat, user, "GET", f"{path}/jobs")
    assert expected == fakeplat.as_user("mia").get("groups/acme/runners").status
    assert FORBIDDEN == refusal(fakeplat, "dev", "GET", "groups/acme/runners")


@by_release(GROUPS_LIST_SHARED_RUNNERS, "is_listed", {"15.7": False, "15.8": True})
def test_groups_list_the_runners_of_the_instance(fakeplat: Fakeplat, is_listed: bool) -> None:
    """A group lists the runners of the instance, unless it does not share them."""
    shared = create_record(fakeplat, "instance_type").id
    ada = fakeplat.as_user("ada")
    assert [shared] * is_listed == [runner["id"] for runner in ada.get("groups/acme/runners").json()]
    ada.put("groups/acme", json={"shared_runners_setting": "disabled_and_unoverridable"})
    assert [] == ada.get("groups/acme/runners").json()


def enable_for_docs(fake: Fakeplat) -> tuple[str, str]:
    """Enable a runner of acme/site for acme/docs; return its path in both."""
    id_ = create(fake)["id"]
    assert 201 == fake.as_user("root").post("projects/acme%2Fdocs/runners", json={"runner_id": id_}).status
    return f"projects/acme%2Fsite/runners/{id_}", f"projects/acme%2Fdocs/runners/{id_}"


@by_release(RUNNERS_STAY_WITH_THEIR_OWNER, "stays", {"17.10": False, "17.11": True})
def test_a_runner_stays_with_its_owner(fakeplat: Fakeplat, stays: bool) -> None:
    """A runner is not disabled for its first project, even if it is enabled for others."""
    own, other = enable_for_docs(fakeplat)
    text = "403 Forbidden - You cannot unassign a runner from the owner project. Delete the runner instead"
    reply = fakeplat.as_user("root").delete(own)
    assert (403, {"message": text}) == (reply.status, reply.json()) if stays else 204 == reply.status
    assert (204 if stays else 403) == fakeplat.as_user("root").delete(other).status


@by_release(DISABLING_RUNNERS_NEEDS_ACCESS, "is_refused", {"18.8": False, "18.9": True})
def test_who_may_disable_a_runner(fakeplat: Fakeplat, is_refused: bool) -> None:
    """Others than administrators are refused before, also for locked runners."""
    own, other = enable_for_docs(fakeplat)
    owner = fakeplat.as_user("mia").delete(own)
    assert (403, is_refused) == (owner.status, owner.json() == NO_ACCESS[1])
    id_ = own.rpartition("/")[2]
    assert 200 == fakeplat.as_user("root").put(f"runners/{id_}", json={"locked": True}).status
    expected = (403, {"message": "403 Forbidden - Runner is locked"})
    locked = fakeplat.as_user("ada").delete(other)
    assert expected == (locked.status, locked.json()) if is_refused else 204 == locked.status
