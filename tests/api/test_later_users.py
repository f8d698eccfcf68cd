"""Users in later releases: follows, approval, preferences, statuses, and what they did.

Source: docs/platform/users.md ('Later operations').
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import (
    EVERYBODY_FINDS_EXTERNAL_USERS,
    EVERYBODY_SORTS_USERS,
    TWO_FACTORS_ARE_ANY_TEXT,
    USERS_NEED_A_LOGIN,
)
from tests.api.marks import STARTER_AT_NINE
from tests.api.requests import FORBIDDEN, UNAUTHORIZED, Outcome, invalid, names, person, refusal, resource_not_found
from tests.by_release import by_release
from tests.ssh_keys import RSA

pytestmark = [STARTER_AT_NINE, pytest.mark.fakeplat(version="latest")]
NOT_MODIFIED: Outcome = (304, None)


def change(fake: Fakeplat, username: str, **fields: Any) -> None:
    """Change the record of a user."""
    with fake.bench.platform.acting() as ctx:
        ctx.world.users.change(ctx.world.users[person(fake, username)], **fields)


def test_users_follow_each_other(fakeplat: Fakeplat) -> None:
    """Following and unfollowing answer with the user, or 304 where nothing changes."""
    eve, ada = f"users/{person(fakeplat, 'eve')}", f"users/{person(fakeplat, 'ada')}"
    dev = fakeplat.as_user("dev")

    reply = dev.post(f"{eve}/follow")
    assert (201, "eve") == (reply.status, reply.json()["username"])
    assert NOT_MODIFIED == refusal(fakeplat, "dev", "POST", f"{eve}/follow")
    assert NOT_MODIFIED == refusal(fakeplat, "eve", "POST", f"{eve}/follow")
    dev.post(f"{ada}/follow")
    assert ["dev"] == names(dev.get(f"{eve}/followers").json(), "username")
    following = f"users/{person(fakeplat, 'dev')}/following"
    assert ["eve", "ada"] == names(dev.get(following).json(), "username")
    assert ["ada"] == names(dev.get(f"{following}?per_page=1&page=2").json(), "username")
    reply = dev.post(f"{eve}/unfollow")
    assert (201, "eve") == (reply.status, reply.json()["username"])
    assert NOT_MODIFIED == refusal(fakeplat, "dev", "POST", f"{eve}/unfollow")
    assert [] == dev.get(f"{eve}/followers").json()
    for method, path in (("POST", f"{eve}/follow"), ("POST", f"{eve}/unfollow")):
        assert UNAUTHORIZED == refusal(fakeplat, None, method, path)
    assert resource_not_found("User") == refusal(fakeplat, "dev", "POST", "users/99/follow")


def test_follows_of_private_profiles_are_hidden(fakeplat: Fakeplat) -> None:
    """Who follows a private profile is known to its user and to administrators only."""
    change(fakeplat, "eve", private_profile=True)
    path = f"users/{person(fakeplat, 'eve')}/followers"

    assert resource_not_found("User") == refusal(fakeplat, "dev", "GET", path)
    assert (403, {"message": "403 Forbidden - Not authorized!"}) == refusal(fakeplat, None, "GET", path)
    for caller in ("eve", "root"):
        assert [] == fakeplat.as_user(caller).get(path).json()


def test_deleting_a_user_ends_their_follows(fakeplat: Fakeplat) -> None:
    """Deleting a user removes them from the followers of others."""
    ada = f"users/{person(fakeplat, 'ada')}"
    fakeplat.as_user("eve").post(f"{ada}/follow")
    fakeplat.as_user("root").delete(f"users/{person(fakeplat, 'eve')}")

    assert [] == fakeplat.as_user("ada").get(f"{ada}/followers").json()


def test_three_hundred_users_can_be_followed(fakeplat: Fakeplat) -> None:
    """Beyond 300 users nobody more can be followed."""
    fakeplat.load({"users": [{"username": f"u{number}", "followers": ["dev"]} for number in range(300)]})

    text = "You can't follow more than 300 users. To follow more users, unfollow some others."
    path = f"users/{person(fakeplat, 'ada')}/follow"
    assert (400, {"message": text}) == refusal(fakeplat, "dev", "POST", path)


def test_pending_users_are_approved_or_rejected(fakeplat: Fakeplat) -> None:
    """An administrator lets somebody in who waits for it, or deletes the account."""
    root, eve, gus = fakeplat.as_user("root"), person(fakeplat, "eve"), person(fakeplat, "gus")
    for username in ("eve", "gus"):
        change(fakeplat, username, state="blocked_pending_approval")
    for word in ("approve", "reject"):
        refused = (403, {"message": f"You are not allowed to {word} a user"})
        assert refused == refusal(fakeplat, "ada", "POST", f"users/{eve}/{word}")
        assert UNAUTHORIZED == refusal(fakeplat, None, "POST", f"users/{eve}/{word}")

    reply = root.post(f"users/{eve}/approve")
    assert (201, {"message": "Success"}) == (reply.status, reply.json())
    assert "active" == root.get(f"users/{eve}").json()["state"]
    reply = root.post(f"users/{gus}/reject")
    assert (200, {"message": "Success"}) == (reply.status, reply.json())
    assert resource_not_found("User") == refusal(fakeplat, "root", "POST", f"users/{gus}/reject")
    approved = (409, {"message": "The user you are trying to approve is not pending approval"})
    assert approved == refusal(fakeplat, "root", "POST", f"users/{eve}/approve")
    rejected = (409, {"message": "User does not have a pending request"})
    assert rejected == refusal(fakeplat, "root", "POST", f"users/{eve}/reject")


def test_administrators_disable_two_factors(fakeplat: Fakeplat) -> None:
    """The second factor of a user is disabled, but not that of an administrator."""
    change(fakeplat, "eve", two_factor_enabled=True)
    root, path = fakeplat.as_user("root"), f"users/{person(fakeplat, 'eve')}/disable_two_factor"

    assert FORBIDDEN == refusal(fakeplat, "eve", "PATCH", path)
    assert 204 == root.patch(path).status
    assert not root.get(f"users/{person(fakeplat, 'eve')}").json()["two_factor_enabled"]
    text = "400 Bad request - Two-factor authentication is not enabled for this user"
    assert (400, {"message": text}) == refusal(fakeplat, "root", "PATCH", path)
    text = "Two-factor authentication for admins cannot be disabled via the API. Use the Rails console"
    refused = refusal(fakeplat, "root", "PATCH", f"users/{person(fakeplat, 'root')}/disable_two_factor")
    assert (403, {"message": f"403 Forbidden - {text}"}) == refused


def test_associations_of_a_user_are_counted(fakeplat: Fakeplat) -> None:
    """Users count what they belong to and wrote; administrators do so for everybody."""
    dev, path = fakeplat.as_user("dev"), f"users/{person(fakeplat, 'dev')}/associations_count"
    before = dev.get(path).json()
    dev.post("projects/acme%2Fsite/issues", json={"title": "x"})

    counts = {"groups_count", "projects_count", "issues_count", "merge_requests_count"}
    assert counts == {*before}
    assert {**before, "issues_count": before["issues_count"] + 1} == dev.get(path).json()
    assert 200 == fakeplat.as_user("root").get(path).status
    assert FORBIDDEN == refusal(fakeplat, "eve", "GET", path)
    assert UNAUTHORIZED == refusal(fakeplat, None, "GET", path)


def test_deploy_keys_of_common_projects_are_listed(fakeplat: Fakeplat) -> None:
    """Maintainers see the deploy keys of the projects that they maintain together with a user."""
    fakeplat.load({"deploy_keys": [{"title": "k", "key": RSA, "projects": {"acme/site": False}}]})
    mia = f"users/{person(fakeplat, 'mia')}/project_deploy_keys"

    for caller in ("mia", "ada"):
        assert ["k"] == names(fakeplat.as_user(caller).get(mia).json(), "title")
    none = (403, {"message": "403 Forbidden - No common authorized project found"})
    assert none == refusal(fakeplat, "dev", "GET", mia)
    assert none == refusal(fakeplat, "ada", "GET", "users/dev/project_deploy_keys")
    assert none == refusal(fakeplat, None, "GET", mia)


def test_projects_of_a_user_s_contributions_are_listed(fakeplat: Fakeplat) -> None:
    """A project counts once its user wrote an issue there, and for a year."""
    dev, path = fakeplat.as_user("dev"), f"users/{person(fakeplat, 'dev')}/contributed_projects"
    fakeplat.as_user("dev").post("projects/acme%2Fsite/issues", json={"title": "x"})

    assert "acme/site" in names(dev.get(path).json(), "path_with_namespace")
    assert "acme/site" not in names(fakeplat.as_user("eve").get(path).json(), "path_with_namespace")
    fakeplat.clock.advance("366d")
    assert [] == dev.get(path).json()


def test_users_change_their_preferences(fakeplat: Fakeplat) -> None:
    """Preferences are changed one by one, and belong to the caller."""
    eve, path = fakeplat.as_user("eve"), "user/preferences"
    expected = {
        "id": person(fakeplat, "eve"),
        "user_id": person(fakeplat, "eve"),
        "view_diffs_file_by_file": False,
        "show_whitespace_in_diffs": True,
        "pass_user_identities_to_ci_jwt": False,
    }

    assert expected == eve.get(path).json()
    changed = {**expected, "view_diffs_file_by_file": True}
    assert changed == eve.put(path, json={"view_diffs_file_by_file": True}).json() == eve.get(path).json()
    text = (
        "view_diffs_file_by_file, show_whitespace_in_diffs, pass_user_identities_to_ci_jwt are missing, "
        "at least one parameter must be provided"
    )
    assert invalid(text) == refusal(fakeplat, "eve", "PUT", path)
    for method in ("GET", "PUT"):
        assert UNAUTHORIZED == refusal(fakeplat, None, method, path, json={"view_diffs_file_by_file": True})


def test_a_status_is_changed_in_part(fakeplat: Fakeplat) -> None:
    """PATCH keeps what is not sent of a status, PUT clears it."""
    eve, path = fakeplat.as_user("eve"), "user/status"
    eve.put(path, json={"emoji": "tada", "message": "Here", "availability": "busy"})
    changed = eve.patch(path, json={"message": "There"}).json()

    assert ("tada", "There", "busy") == tuple(changed[name] for name in ("emoji", "message", "availability"))
    assert 200 == eve.patch(path).status
    assert "There" == eve.get(path).json()["message"]
    cleared = eve.put(path, json={"availability": "not_set"}).json()
    assert ("speech_balloon", None, "not_set") == tuple(cleared[name] for name in ("emoji", "message", "availability"))
    assert UNAUTHORIZED == refusal(fakeplat, None, "PATCH", path, json={"message": "x"})


def test_a_status_is_cleared_after_some_time(fakeplat: Fakeplat) -> None:
    """A status is cleared after the chosen time, unless a later status lasts longer."""
    eve, path = fakeplat.as_user("eve"), "user/status"
    set_at = eve.put(path, json={"message": "Lunch", "clear_status_after": "30_minutes"}).json()["clear_status_at"]
    assert set_at is not None
    kept = eve.patch(path, json={"message": "Long lunch"}).json()
    assert ("Long lunch", set_at) == (kept["message"], kept["clear_status_at"])
    fakeplat.clock.advance("29m")
    assert "Long lunch" == eve.get(path).json()["message"]
    fakeplat.clock.advance("1m")
    assert (None, None) == tuple(eve.get(path).json()[name] for name in ("message", "clear_status_at"))

    eve.put(path, json={"message": "Away", "clear_status_after": "30_minutes"})
    assert eve.put(path, json={"message": "Here"}).json()["clear_status_at"] is None
    fakeplat.clock.advance("1h")
    assert "Here" == eve.get(path).json()["message"]
    unknown = (400, {"error": "clear_status_after does not have a valid value"})
    assert unknown == refusal(fakeplat, "eve", "PUT", path, json={"message": "x", "clear_status_after": "1_hour"})


def test_users_tell_how_many_follow_them(fakeplat: Fakeplat) -> None:
    """A user shows the number of followers and of the users followed, in the account and to others."""
    eve, ada = (fakeplat.as_user(name).get("user").json()["id"] for name in ("eve", "ada"))
    fakeplat.as_user("ada").post(f"users/{eve}/follow")

    seen = [fakeplat.as_user("ada").get(path).json() for path in (f"users/{eve}", "user")]
    assert [(1, 0), (0, 1)] == [(user["followers"], user["following"]) for user in seen]
    listed = fakeplat.as_user("root").get(f"users/{ada}").json()
    assert (0, 1) == (listed["followers"], listed["following"])


def test_secrets_of_applications_are_replaced(fakeplat: Fakeplat) -> None:
    """Only the answer shows the new secret of an application."""
    root = fakeplat.as_user("root")
    body = {"name": "app", "redirect_uri": "https://app.test", "scopes": "api"}
    application = root.post("applications", json=body).json()
    path = f"applications/{application['id']}/renew-secret"
    reply = root.post(path)

    assert (201, application["application_id"]) == (reply.status, reply.json()["application_id"])
    assert application["secret"] != reply.json()["secret"]
    assert FORBIDDEN == refusal(fakeplat, "ada", "POST", path)
    assert resource_not_found("Application") == refusal(fakeplat, "root", "POST", "applications/1/renew-secret")


NOT_AUTHORIZED = (403, {"message": "403 Forbidden - Not authorized!"})


@by_release(USERS_NEED_A_LOGIN, "expected", {"13.5": 200, "14.10": 403})
def test_anonymous_callers_see_no_single_user(fakeplat: Fakeplat, expected: int) -> None:
    """Later releases show users only to those who signed in; a list by username stays open to all."""
    reply = fakeplat.as_user(None).get(f"users/{person(fakeplat, 'dev')}")

    assert expected == reply.status
    if expected == 403:
        assert NOT_AUTHORIZED == (reply.status, reply.json())
    assert ["dev"] == names(fakeplat.as_user(None).get("users?username=dev").json(), "username")


@by_release(EVERYBODY_FINDS_EXTERNAL_USERS, "expected", {"15.3": 403, "15.4": 200})
def test_everybody_finds_external_users(fakeplat: Fakeplat, expected: int) -> None:
    """The filter for external users is for administrators only in earlier releases."""
    change(fakeplat, "eve", external=True)
    reply = fakeplat.as_user("dev").get("users?external=true")

    assert expected == reply.status
    if expected == 200:
        assert ["ext", "eve"] == names(reply.json(), "username")
    else:
        assert UNAUTHORIZED == refusal(fakeplat, None, "GET", "users?external=true")
    assert 403 == fakeplat.as_user("dev").get("users?provider=x&extern_uid=1").status


@by_release(TWO_FACTORS_ARE_ANY_TEXT, "is_accepted", {"17.5": False, "17.6": True})
def test_second_factors_may_be_any_text(fakeplat: Fakeplat, is_accepted: bool) -> None:
    """In later releases a text that is no state of second factors filters nothing."""
    everybody = (200, fakeplat.as_user("root").get("users").json())
    expected = everybody if is_accepted else invalid("two_factor does not have a valid value")
    assert expected == refusal(fakeplat, "root", "GET", "users?two_factor=on")


@by_release(EVERYBODY_SORTS_USERS, "expected", {"17.11": "e", "18.0": "bob"})
def test_everybody_sorts_users(fakeplat: Fakeplat, expected: str) -> None:
    """Later releases also sort the list as others than administrators request, which precedes the order of a search."""
    fakeplat.load({"users": [{"username": "e", "name": "Example"}]})
    dev = fakeplat.as_user("dev")

    assert "e" == dev.get("users?search=example").json()[0]["username"]
    assert "e" == dev.get("users?search=example&order_by=id&sort=desc").json()[0]["username"]
    found = dev.get("users?search=example&order_by=username&sort=asc").json()
    assert {"e": "e", "bob": "ada"}[expected] == found[0]["username"]
    assert {"e": "e", "bob": "ada"}[expected] == dev.get("users?order_by=username&sort=asc").json()[0]["username"]


def follow_pages(fake: Fakeplat, username: str | None, path: str, key: str = "username") -> list[str]:
    """Return the names on all pages of one row each; the pages have no headers but the link to the next one."""
    found = []
    url = f"{path}{'&' if '?' in path else '?'}pagination=keyset&per_page=1"
    while url:
        reply = fake.as_user(username).get(url)
        assert "X-Total" not in reply.headers
        found += names(reply.json(), key)
        url = reply.headers.get("Link", "").partition(">")[0].lstrip("<")
    return found


@pytest.mark.parametrize("order", ["id", "name", "username", "created_at", "updated_at"])
@pytest.mark.parametrize("sort", ["asc", "desc"])
def test_users_are_paged_by_cursors(fakeplat: Fakeplat, order: str, sort: str) -> None:
    """Users are listed after a cursor in each order, the newest first by default."""
    path = f"users?order_by={order}&sort={sort}"
    every = names(fakeplat.as_user("root").get(f"{path}&per_page=100").json(), "username")

    assert every == follow_pages(fakeplat, "root", path)
    assert names(fakeplat.as_user("dev").get("users").json(), "username") == follow_pages(fakeplat, "dev", "users")


@pytest.mark.fakeplat(version="16.4")
def test_earlier_releases_page_users_by_number(fakeplat: Fakeplat) -> None:
    """Before 16.5 the parameter is ignored."""
    assert "X-Total" in fakeplat.as_user("dev").get("users?pagination=keyset").headers


def test_a_cursor_outlives_its_user(fakeplat: Fakeplat) -> None:
    """The page after a user that is gone begins where the user was; a cursor that is none begins the list."""
    root, path = fakeplat.as_user("root"), "users?order_by=username&sort=asc&pagination=keyset&per_page=2"
    every = names(root.get("users?order_by=username&sort=asc").json(), "username")
    link = root.get(path).headers["Link"].partition(">")[0].lstrip("<")
    assert 204 == root.delete(f"users/{person(fakeplat, every[1])}?hard_delete=true").status

    assert every[2:4] == names(root.get(link).json(), "username")
    assert every[0] == root.get(f"{path}&cursor=none").json()[0]["username"]


def test_anonymous_callers_page_groups_by_name(fakeplat: Fakeplat) -> None:
    """Who is not signed in pages through groups with cursors, by name only; for others the parameter is ignored."""
    groups = [{"full_path": path, "name": name, "visibility": "public"} for path, name in (("x", "B"), ("y", "A"))]
    fakeplat.load({"groups": groups})
    refused = (405, {"error": "Keyset pagination is not yet available for this type of request"})

    every = names(fakeplat.as_user(None).get("groups").json(), "path")
    assert every == follow_pages(fakeplat, None, "groups", "path")
    for order in ("order_by=path", "sort=desc"):
        assert refused == refusal(fakeplat, None, "GET", f"groups?pagination=keyset&{order}")
        assert 200 == fakeplat.as_user("dev").get(f"groups?pagination=keyset&{order}").status
    assert "X-Total" in fakeplat.as_user("dev").get("groups?pagination=keyset").headers


@pytest.mark.fakeplat(tier="premium")
def test_service_accounts_and_audit_events_are_paged_by_cursors(fakeplat: Fakeplat) -> None:
    """Lists of service accounts and audit events have cursors."""
    root = fakeplat.as_user("root")
    for number in range(3):
        assert 201 == root.post("service_accounts", json={"username": f"bot{number}"}).status
        assert 201 == root.post("projects", json={"name": f"Project {number}"}).status
    for path in ("service_accounts", "service_accounts?order_by=username&sort=asc", "audit_events"):
        every = names(root.get(path).json(), "id")
        assert len(every) > 1
        assert every == follow_pages(fakeplat, "root", path, "id")
