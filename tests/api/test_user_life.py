"""Deleting, blocking and deactivating users, and their identities. Source: docs/platform/users.md."""

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
    outcome,
    person,
    refusal,
    resource_not_found,
    usernames,
)

pytestmark = pytest.mark.every_release

# identities

TWO = {
    "users": [
        {
            "username": "ann",
            "identities": [{"provider": "ldap", "extern_uid": "1"}, {"provider": "saml", "extern_uid": "2"}],
        }
    ]
}


@pytest.mark.fakeplat(scenario=TWO)
def test_an_identity_can_be_removed(fakeplat: Fakeplat) -> None:
    """Removing an identity answers 204 without a body; the others stay."""
    path = f"users/{person(fakeplat, 'ann')}"

    assert (204, None) == outcome(fakeplat.as_user("root").delete(f"{path}/identities/ldap"))
    left = fakeplat.as_user("root").get(path).json()["identities"]
    assert [("saml", "2")] == [(identity["provider"], identity["extern_uid"]) for identity in left]


@pytest.mark.fakeplat(scenario=TWO)
@pytest.mark.parametrize(
    ("viewer", "path", "rest", "expected"),
    [
        (None, "users/2/identities/ldap", {}, UNAUTHORIZED),
        ("ann", "users/2/identities/ldap", {}, FORBIDDEN),
        ("root", "users/999/identities/ldap", {}, resource_not_found("User")),
        ("root", "users/2/identities/other", {}, resource_not_found("Identity")),
        ("root", "users/2/identities/ldap", {"headers": LONG_AGO}, STALE),
    ],
)
def test_removing_an_identity_is_refused(
    fakeplat: Fakeplat, viewer: str | None, path: str, rest: Any, expected: Outcome
) -> None:
    """Only administrators remove an existing and unchanged identity."""
    assert expected == refusal(fakeplat, viewer, "DELETE", path, **rest)


# deleting one


def test_a_user_can_be_deleted(fakeplat: Fakeplat) -> None:
    """Deleting answers 204 without a body; user, namespace and memberships are gone."""
    calls = fakeplat.as_user("root")

    assert (204, None) == outcome(calls.delete("users/4"))
    assert resource_not_found("User") == outcome(calls.get("users/4"))
    assert resource_not_found("Namespace") == outcome(calls.get("namespaces/dev"))
    assert "dev" not in usernames(calls.get("groups/acme/members"))


@pytest.mark.parametrize(
    ("viewer", "id_", "rest", "expected"),
    [
        (None, "4", {}, UNAUTHORIZED),
        ("dev", "4", {}, FORBIDDEN),
        ("dev", "999", {}, FORBIDDEN),
        ("root", "999", {}, resource_not_found("User")),
        ("root", "2", {}, (409, {"message": "User cannot be removed while is the sole-owner of a group"})),
        ("root", "4", {"headers": LONG_AGO}, STALE),
        ("root", "4", {"params": {"hard_delete": "perhaps"}}, invalid("hard_delete is invalid")),
    ],
)
def test_deleting_a_user_is_refused(
    fakeplat: Fakeplat, viewer: str | None, id_: str, rest: Any, expected: Outcome
) -> None:
    """Only administrators delete users, except the only owner of a group."""
    assert expected == refusal(fakeplat, viewer, "DELETE", f"users/{id_}", **rest)


def test_a_condition_that_holds_or_says_nothing_is_no_refusal(fakeplat: Fakeplat) -> None:
    """A later date passes, and one that cannot be read is ignored."""
    calls = fakeplat.as_user("root")

    assert 204 == calls.delete("users/4", headers={"If-Unmodified-Since": "Fri, 01 Jan 2100 00:00:00 GMT"}).status
    assert 204 == calls.delete("users/5", headers={"If-Unmodified-Since": "yesterday"}).status


def test_a_hard_delete_takes_the_groups_along(fakeplat: Fakeplat) -> None:
    """A hard delete of a user deletes the groups that only the user owns."""
    calls = fakeplat.as_user("root")

    assert (204, None) == outcome(calls.delete("users/2?hard_delete=true"))
    assert resource_not_found("Group") == outcome(calls.get("groups/acme"))
    assert resource_not_found("Project") == outcome(calls.get("projects/acme%2Fsite"))


def test_personal_records_are_deleted_with_the_user(fakeplat: Fakeplat) -> None:
    """Own projects, stars and assignments are gone; the id is not given again, the name may be."""
    root, dev = fakeplat.as_user("root"), fakeplat.as_user("dev")
    dev.post("projects", json={"name": "Own"})
    dev.post("projects/acme%2Fdocs/star")
    root.post("projects/acme%2Fdocs/issues", json={"title": "One", "assignee_ids": [4]})
    root.delete("users/4")

    assert resource_not_found("Project") == outcome(root.get("projects/dev%2Fown"))
    assert 0 == root.get("projects/acme%2Fdocs").json()["star_count"]
    assert [] == root.get("projects/acme%2Fdocs/issues/1").json()["assignees"]
    assert UNAUTHORIZED == outcome(dev.get("user"))
    body = {"email": "dev@example.test", "name": "Dev", "username": "dev", "password": "long-enough"}
    reply = root.post("users", json=body)
    assert (201, True) == (reply.status, reply.json()["id"] > 9)


def test_records_of_a_deleted_user_remain(fakeplat: Fakeplat) -> None:
    """A group's project outlives its creator, and names none."""
    body = {"name": "work", "namespace_id": fakeplat.world.group("acme").id}
    id_ = fakeplat.as_user("dev").post("projects", json=body).json()["id"]
    fakeplat.as_user("root").delete("users/4")

    assert fakeplat.as_user("ada").get(f"projects/{id_}").json()["creator_id"] is None


def test_texts_of_a_deleted_user_pass_to_the_ghost(fakeplat: Fakeplat) -> None:
    """Issues of a deleted user have the user ghost as their author."""
    new_issue = fakeplat.as_user("dev").post("projects/acme%2Fsite/issues", json={"title": "Written by dev"}).json()
    fakeplat.as_user("root").delete("users/4")

    path = f"projects/acme%2Fsite/issues/{new_issue['iid']}"
    assert "ghost" == fakeplat.as_user("ada").get(path).json()["author"]["username"]


def test_an_administrator_may_delete_their_own_account(fakeplat: Fakeplat) -> None:
    """Self-deletion by an administrator is permitted."""
    assert 204 == fakeplat.as_user("root").delete("users/1").status


# blocking and the like

STATES = {
    "users": [
        {"username": "on"},
        {"username": "off", "state": "blocked"},
        {"username": "far", "state": "ldap_blocked"},
        {"username": "gone", "state": "deactivated"},
        {"username": "lately", "last_activity_on": "2020-11-01"},
        {"username": "once", "last_activity_on": "2020-01-01"},
        {"username": "alert-bot", "kind": "alert_bot"},
    ]
}


@pytest.mark.fakeplat(scenario=STATES)
@pytest.mark.parametrize(
    ("username", "verb", "body", "state"),
    [
        ("on", "block", True, "blocked"),
        ("gone", "block", True, "blocked"),
        ("off", "block", None, "blocked"),
        ("off", "unblock", True, "active"),
        ("on", "unblock", False, "active"),
        ("gone", "activate", True, "active"),
        ("on", "deactivate", True, "deactivated"),
        ("once", "deactivate", True, "deactivated"),
        ("gone", "deactivate", None, "deactivated"),
    ],
)
def test_states_of_a_user(fakeplat: Fakeplat, username: str, verb: str, body: bool | None, state: str) -> None:
    """A changed state answers 201 true; what is so already null, and false for unblocking."""
    path = f"users/{person(fakeplat, username)}"

    assert (201, body) == outcome(fakeplat.as_user("root").post(f"{path}/{verb}"))
    assert state == fakeplat.as_user("root").get(path).json()["state"]


# Later releases have other texts: see test_later_accounts.py.
@pytest.mark.fakeplat(scenario=STATES, version="13.5.1")
@pytest.mark.parametrize(
    ("username", "verb", "reason"),
    [
        ("far", "block", "LDAP blocked users cannot be modified by the API"),
        ("gone", "unblock", "Deactivated users cannot be unblocked by the API"),
        ("off", "activate", "A blocked user must be unblocked to be activated"),
        ("off", "deactivate", "A blocked user cannot be deactivated by the API"),
        ("alert-bot", "deactivate", "An internal user cannot be deactivated by the API"),
        (
            "lately",
            "deactivate",
            "The user you are trying to deactivate has been active in the past 180 days and cannot be deactivated",
        ),
    ],
)
def test_states_that_cannot_change(fakeplat: Fakeplat, username: str, verb: str, reason: str) -> None:
    """Each invalid change of a user's state is refused with its reason."""
    expected = (403, {"message": f"403 Forbidden - {reason}"})

    assert expected == refusal(fakeplat, "root", "POST", f"users/{person(fakeplat, username)}/{verb}")


@pytest.mark.fakeplat(scenario=STATES)
def test_internal_users_cannot_be_blocked(fakeplat: Fakeplat) -> None:
    """The text stands alone, without the status."""
    expected = (403, {"message": "An internal user cannot be blocked"})

    assert expected == refusal(fakeplat, "root", "POST", f"users/{person(fakeplat, 'alert-bot')}/block")


@pytest.mark.fakeplat(scenario=STATES)
@pytest.mark.parametrize("verb", ["block", "unblock", "activate", "deactivate"])
@pytest.mark.parametrize(
    ("viewer", "id_", "expected"),
    [
        (None, "2", UNAUTHORIZED),
        ("on", "2", FORBIDDEN),
        ("root", "999", resource_not_found("User")),
        ("root", "on", NO_ROUTE),
    ],
)
def test_states_are_for_administrators(
    fakeplat: Fakeplat, verb: str, viewer: str | None, id_: str, expected: Outcome
) -> None:
    """Only administrators change states of users, and unknown ones are not found."""
    assert expected == refusal(fakeplat, viewer, "POST", f"users/{id_}/{verb}")
