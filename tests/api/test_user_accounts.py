"""E-mail addresses, statuses, counts, memberships and activities of users. Source: docs/platform/users.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import EVERYBODY_LISTS_ACTIVITIES, UNKNOWN_EMOJI
from tests.api.marks import STARTER_AT_NINE
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
    person,
    refusal,
    resource_not_found,
)
from tests.by_release import by_release

pytestmark = STARTER_AT_NINE
NO_EMAIL = resource_not_found("Email")
NO_USER = resource_not_found("User")
TAKEN = invalid_record(email=["has already been taken"])
NO_STATUS = {"emoji": None, "message": None, "message_html": ""}


def add_email(fake: Fakeplat, email: str = "Ada@Work.test") -> dict[str, Any]:
    """Add a further address of ada."""
    return dict(fake.as_user("ada").post("user/emails", json={"email": email}).json())


def test_a_further_address_waits_for_confirmation(fakeplat: Fakeplat) -> None:
    """A further address is stored in lower case and waits for confirmation."""
    email, ada = add_email(fakeplat), fakeplat.as_user("ada")

    assert {"id": email["id"], "email": "ada@work.test", "confirmed_at": None} == email
    assert [email] == ada.get("user/emails").json()
    assert email == ada.get(f"user/emails/{email['id']}").json()
    assert NO_EMAIL == refusal(fakeplat, "eve", "GET", f"user/emails/{email['id']}")
    assert NO_EMAIL == refusal(fakeplat, "eve", "DELETE", f"user/emails/{email['id']}")
    assert STALE == refusal(fakeplat, "ada", "DELETE", f"user/emails/{email['id']}", headers=LONG_AGO)
    assert 204 == ada.delete(f"user/emails/{email['id']}").status
    assert [] == ada.get("user/emails").json()


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({}, invalid("email is missing")),
        ({"email": "x"}, invalid_record(email=["is invalid"])),
        ({"email": ""}, invalid_record(email=["can't be blank", "is invalid"])),
        ({"email": "ada@example.test"}, TAKEN),
        ({"email": "EVE@example.test"}, TAKEN),
        ({"email": "ada@work.test"}, TAKEN),
    ],
    ids=["missing", "invalid", "blank", "own", "of another user", "further"],
)
def test_invalid_addresses_are_refused(fakeplat: Fakeplat, body: dict[str, Any], expected: Outcome) -> None:
    """An address belongs to one user, as the main or a further one."""
    add_email(fakeplat)

    assert expected == refusal(fakeplat, "ada", "POST", "user/emails", json=body)
    assert expected == refusal(fakeplat, "root", "POST", f"users/{person(fakeplat, 'eve')}/emails", json=body)


def test_a_further_address_is_taken_for_new_users(fakeplat: Fakeplat) -> None:
    """Further addresses of users are taken like main ones."""
    add_email(fakeplat)
    body = {"email": "ada@work.test", "username": "new", "name": "New", "password": "12345678"}

    assert (409, {"message": "Email has already been taken"}) == refusal(fakeplat, "root", "POST", "users", json=body)


def test_administrators_manage_the_addresses_of_others(fakeplat: Fakeplat) -> None:
    """Administrators list, add, confirm and delete the addresses of other users."""
    path, root = f"users/{person(fakeplat, 'eve')}/emails", fakeplat.as_user("root")
    body = {"email": "eve@work.test", "skip_confirmation": True}
    email = root.post(path, json=body).json()

    assert ("eve@work.test", "2020-11-20T09:00:00.000Z") == (email["email"], email["confirmed_at"])
    assert [email] == root.get(path).json()
    for method, target in (("GET", path), ("POST", path), ("DELETE", f"{path}/{email['id']}")):
        assert FORBIDDEN == refusal(fakeplat, "eve", method, target, json=body)
        assert UNAUTHORIZED == refusal(fakeplat, None, method, target, json=body)
    assert ["eve"] == names(root.get("users?search=eve@work.test").json(), "username")
    assert 204 == root.delete(f"{path}/{email['id']}").status
    assert NO_EMAIL == refusal(fakeplat, "root", "DELETE", f"{path}/{email['id']}")
    assert NO_USER == refusal(fakeplat, "root", "GET", "users/99/emails")


def test_notifications_go_to_confirmed_addresses(fakeplat: Fakeplat) -> None:
    """An unconfirmed one is not the user's yet."""
    add_email(fakeplat)
    body = {"notification_email": "ada@work.test"}

    expected = invalid_record(notification_email=["is not an email you own"])
    assert expected == refusal(fakeplat, "ada", "PUT", "notification_settings", json=body)
    fakeplat.load({"users": [{"username": "ada", "emails": ["ada@home.test"]}]})
    body = {"notification_email": "ada@home.test"}
    assert (
        "ada@home.test" == fakeplat.as_user("ada").put("notification_settings", json=body).json()["notification_email"]
    )


def test_a_status_is_set_and_cleared(fakeplat: Fakeplat) -> None:
    """A user's status is set, cleared and read by everybody."""
    ada, body = fakeplat.as_user("ada"), {"emoji": "coffee", "message": "Away <soon>"}
    status = {**body, "message_html": "Away &lt;soon&gt;"}

    assert NO_STATUS == ada.get("user/status").json()
    assert (200, status) == outcome(ada.put("user/status", json=body))
    for path in ("user/status", "users/ada/status", f"users/{person(fakeplat, 'ada')}/status"):
        assert status == ada.get(path).json()
    assert status == fakeplat.as_user(None).get("users/ada/status").json()
    assert 200 == ada.put("user/status", json={"emoji": "", "message": ""}).status
    assert NO_STATUS == ada.get("users/ada/status").json()


def test_a_status_is_read_by_graphql(fakeplat: Fakeplat) -> None:
    """GraphQL shows a user's status, null without one."""
    fakeplat.as_user("ada").put("user/status", json={"emoji": "coffee", "message": "<Away>"})
    ada, eve = "{ status { emoji message messageHtml } }", "{ status { emoji } }"
    query = f'{{ user(username: "ada") {ada} other: user(username: "eve") {eve} }}'
    reply = fakeplat.as_user("gus").post(f"{fakeplat.url}/api/graphql", json={"query": query}).json()

    status = {"emoji": "coffee", "message": "<Away>", "messageHtml": "&lt;Away&gt;"}
    assert {"user": {"status": status}, "other": {"status": None}} == reply["data"]


def test_a_message_alone_has_a_speech_balloon(fakeplat: Fakeplat) -> None:
    """An emoji alone has no message."""
    ada = fakeplat.as_user("ada")

    assert "speech_balloon" == ada.put("user/status", json={"message": "Hi"}).json()["emoji"]
    assert None is ada.put("user/status", json={"emoji": "coffee"}).json()["message"]


@by_release(UNKNOWN_EMOJI, "text", {"16.1": "is not included in the list", "16.2": "is not a valid emoji name"})
def test_invalid_statuses_are_refused(fakeplat: Fakeplat, text: str) -> None:
    """The emoji must be known, the message short; the old status stays."""
    status = fakeplat.as_user("ada").put("user/status", json={"message": "Hi"}).json()

    unknown = invalid_record(emoji=[text])
    assert unknown == refusal(fakeplat, "ada", "PUT", "user/status", json={"emoji": "this_is_none"})
    long = invalid_record(message=["is too long (maximum is 100 characters)"])
    assert long == refusal(fakeplat, "ada", "PUT", "user/status", json={"message": "x" * 101})
    assert status == fakeplat.as_user("ada").get("user/status").json()
    for method in ("GET", "PUT"):
        assert UNAUTHORIZED == refusal(fakeplat, None, method, "user/status")
    assert NO_USER == refusal(fakeplat, "ada", "GET", "users/nobody/status")


def test_open_merge_requests_of_the_caller_are_counted(fakeplat: Fakeplat) -> None:
    """The count of merge requests is of open ones assigned to the caller."""
    rows = [
        {"title": "One", "source_branch": "x", "author": "dev", "assignees": ["dev"]},
        {"title": "Two", "source_branch": "y", "author": "dev", "assignees": ["dev"], "state": "closed"},
    ]
    before = fakeplat.as_user("dev").get("user_counts").json()["merge_requests"]
    fakeplat.load({"projects": [{"path_with_namespace": "acme/site", "merge_requests": rows}]})

    assert before + 1 == fakeplat.as_user("dev").get("user_counts").json()["merge_requests"]
    assert UNAUTHORIZED == refusal(fakeplat, None, "GET", "user_counts")


def test_memberships_are_listed_by_kind(fakeplat: Fakeplat) -> None:
    """Direct ones only, for administrators."""
    fakeplat.load({"projects": [{"path_with_namespace": "acme/docs", "members": {"eve": "guest"}}]})
    fakeplat.load({"groups": [{"full_path": "acme/tools", "members": {"eve": "developer"}}]})
    path, root = f"users/{person(fakeplat, 'eve')}/memberships", fakeplat.as_user("root")
    group, project = (root.get(path, params={"type": kind}).json() for kind in ("Namespace", "Project"))

    assert [{"source_name": "Tools", "source_type": "Namespace", "access_level": 30}] == [
        {key: value for key, value in row.items() if key != "source_id"} for row in group
    ]
    assert [{"source_name": "Docs", "source_type": "Project", "access_level": 10}] == [
        {key: value for key, value in row.items() if key != "source_id"} for row in project
    ]
    assert {"Tools", "Docs"} == set(names(root.get(path).json(), "source_name"))
    assert invalid("type does not have a valid value") == refusal(fakeplat, "root", "GET", f"{path}?type=Group")
    assert FORBIDDEN == refusal(fakeplat, "eve", "GET", path)
    assert UNAUTHORIZED == refusal(fakeplat, None, "GET", path)


def test_the_last_active_day_follows_events(fakeplat: Fakeplat) -> None:
    """Activities list users by their last active day, the oldest first."""
    fakeplat.load({"users": [{"username": "eve", "last_activity_on": "2020-05-19"}]})
    fakeplat.load({"users": [{"username": "gus", "last_activity_on": "2020-05-20"}]})
    fakeplat.as_user("dev").post("projects/acme%2Fsite/issues", json={"title": "x"})
    root = fakeplat.as_user("root")

    gus, dev = root.get("user/activities").json()
    assert {"username": "gus", "last_activity_on": "2020-05-20", "last_activity_at": "2020-05-20"} == gus
    assert ("dev", "2020-11-20") == (dev["username"], dev["last_activity_on"])
    rows = root.get("user/activities?from=2020-01-01").json()
    assert ["eve", "gus", "dev"] == names(rows, "username")
    assert invalid("from is invalid") == refusal(fakeplat, "root", "GET", "user/activities?from=x")
    assert FORBIDDEN == refusal(fakeplat, "ada", "GET", "user/activities")
    assert UNAUTHORIZED == refusal(fakeplat, None, "GET", "user/activities")


@pytest.mark.fakeplat(
    start="2020-08-31T09:00:00Z",
    scenario={
        "extends": "empty",
        "users": [
            {"username": "eve", "last_activity_on": "2020-02-28"},
            {"username": "gus", "last_activity_on": "2020-02-29"},
        ],
    },
)
def test_activities_begin_with_the_last_day_of_a_short_month(fakeplat: Fakeplat) -> None:
    """Six months before 31 August is the last day of February."""
    assert ["gus"] == names(fakeplat.as_user("root").get("user/activities").json(), "username")


@by_release(EVERYBODY_LISTS_ACTIVITIES, "expected", {"17.5": None, "17.6": ["ben", "ada"]})
def test_later_releases_list_the_activities_of_public_profiles(fakeplat: Fakeplat, expected: list[str] | None) -> None:
    """Who is no administrator then sees the last days of those whose profiles are public."""
    days = {"ben": "2020-10-01", "ada": "2020-10-02", "eve": "2020-10-03"}
    people = [{"username": name, "last_activity_on": day} for name, day in days.items()]
    fakeplat.load({"users": [{**person, "private_profile": person["username"] == "eve"} for person in people]})
    reply = fakeplat.as_user("ada").get("user/activities")
    assert (403 if expected is None else 200) == reply.status
    assert expected == (names(reply.json(), "username") if reply.status == 200 else None)


newer = pytest.mark.fakeplat(version="latest")


@newer
def test_active_users_are_banned(fakeplat: Fakeplat) -> None:
    """The tokens of a banned user are refused until the user is unbanned."""
    root, path = fakeplat.as_user("root"), f"users/{person(fakeplat, 'eve')}"

    assert (201, True) == outcome(root.post(f"{path}/ban"))
    assert "banned" == root.get(path).json()["state"]
    banned = (403, {"message": "403 Forbidden - Your account has been banned."})
    assert banned == refusal(fakeplat, "eve", "GET", "user")
    again = (403, {"message": "You cannot ban banned users."})
    assert again == refusal(fakeplat, "root", "POST", f"{path}/ban")
    assert True is root.post(f"{path}/unban").json()
    assert 200 == fakeplat.as_user("eve").get("user").status
    active = (403, {"message": "You cannot unban active users."})
    assert active == refusal(fakeplat, "root", "POST", f"{path}/unban")
    for action in ("ban", "unban"):
        assert FORBIDDEN == refusal(fakeplat, "ada", "POST", f"{path}/{action}")


@newer
def test_the_existence_of_a_namespace_is_checked(fakeplat: Fakeplat) -> None:
    """A taken namespace path is reported with suggestions of free ones."""
    ada, acme = fakeplat.as_user("ada"), fakeplat.as_user("ada").get("groups/acme").json()["id"]

    assert {"exists": True, "suggests": ["ada1"]} == ada.get("namespaces/ada/exists").json()
    assert {"exists": False, "suggests": []} == ada.get("namespaces/tools/exists").json()
    taken = ada.get("namespaces/tools/exists", params={"parent_id": acme}).json()
    assert {"exists": True, "suggests": ["tools1"]} == taken
    assert UNAUTHORIZED == refusal(fakeplat, None, "GET", "namespaces/ada/exists")
