"""Making, changing, blocking and deleting users. Source: facts and more on users; rulings 2 and 3."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.asking import (
    FORBIDDEN,
    LONG_AGO,
    NO_ROUTE,
    STALE,
    UNAUTHORIZED,
    Outcome,
    faulty,
    form,
    invalid,
    no,
    outcome,
    person,
    refusal,
    usernames,
)
from tests.api.fields import USER_ADMIN, USER_ADMIN_DETAIL

NEW = {"email": "new@example.test", "name": "New One", "username": "new.one", "password": "long-enough"}
CHOICE = "password, reset_password, force_random_password are missing, at least one parameter must be provided"
USERNAME = "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-' or end in '.', '.git' or '.atom'."
SHORT = "is too short (minimum is 8 characters)"


# making one


def test_a_new_user_has_the_view_of_administrators(fakeplat: Fakeplat) -> None:
    """Making a user answers 201 with the fields for administrators and the defaults of the platform."""
    reply = fakeplat.as_user("root").post("users", json=NEW)
    made = reply.json()

    assert (201, USER_ADMIN) == (reply.status, set(made))
    expected = {
        "name": "New One",
        "username": "new.one",
        "email": "new@example.test",
        "state": "active",
        "bio": "",
        "projects_limit": 100000,
        "can_create_group": True,
        "can_create_project": True,
        "private_profile": False,
        "external": False,
        "is_admin": False,
        "two_factor_enabled": False,
        "confirmed_at": None,
        "identities": [],
    }
    assert expected == {name: made[name] for name in expected}


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ({"skip_confirmation": True}, {"confirmed_at": True}),
        ({"admin": True}, {"is_admin": True}),
        ({"external": True}, {"external": True}),
        ({"private_profile": None}, {"private_profile": False}),
        ({"private_profile": True}, {"private_profile": True}),
        ({"can_create_group": False}, {"can_create_group": False}),
        ({"projects_limit": 0}, {"projects_limit": 0, "can_create_project": False}),
        ({"projects_limit": 7}, {"projects_limit": 7}),
        ({"bio": "Bakes."}, {"bio": "Bakes."}),
        ({"website_url": "https://example.test/me"}, {"website_url": "https://example.test/me"}),
        ({"skype": "s", "linkedin": "l", "twitter": "t"}, {"skype": "s", "linkedin": "l", "twitter": "t"}),
        ({"location": "Here", "organization": "Acme"}, {"location": "Here", "organization": "Acme"}),
        ({"theme_id": 2, "color_scheme_id": 3}, {"theme_id": 2, "color_scheme_id": 3}),
        ({"note": "A note"}, {"note": "A note"}),
        (
            {"extern_uid": "uid=new", "provider": "ldap"},
            {"identities": [{"provider": "ldap", "extern_uid": "uid=new"}]},
        ),
        ({"group_id_for_saml": 1}, {"identities": []}),
    ],
)
def test_attributes_of_a_new_user(fakeplat: Fakeplat, given: dict[str, Any], shown: dict[str, Any]) -> None:
    """Each attribute can be given and is shown."""
    made = fakeplat.as_user("root").post("users", json={**NEW, **given}).json()
    if "confirmed_at" in shown:
        made["confirmed_at"] = made["confirmed_at"] is not None

    assert shown == {name: made[name] for name in shown}


@pytest.mark.parametrize("choice", [{"reset_password": True}, {"force_random_password": True}])
def test_a_flag_stands_for_a_password(fakeplat: Fakeplat, choice: dict[str, bool]) -> None:
    """One of the two flags is enough; it also overrides a password."""
    without = {name: value for name, value in NEW.items() if name != "password"}

    assert 201 == fakeplat.as_user("root").post("users", json={**without, **choice}).status
    other = {**without, "username": "other", "email": "other@example.test", "password": "short"}
    assert 201 == fakeplat.as_user("root").post("users", json={**other, **choice}).status


def test_a_new_user_has_a_namespace(fakeplat: Fakeplat) -> None:
    """The personal namespace has the username as its path."""
    fakeplat.as_user("root").post("users", json=NEW)
    space = fakeplat.as_user("root").get("namespaces/new.one").json()

    assert ("user", "new.one", "New One") == (space["kind"], space["full_path"], space["name"])


def without(*names: str) -> dict[str, Any]:
    return {name: value for name, value in NEW.items() if name not in names}


@pytest.mark.parametrize(
    ("viewer", "body", "expected"),
    [
        (None, NEW, UNAUTHORIZED),
        (None, {}, UNAUTHORIZED),
        ("eve", NEW, FORBIDDEN),
        ("ada", NEW, FORBIDDEN),
        ("eve", without("email"), invalid("email is missing")),
        ("root", without("email"), invalid("email is missing")),
        ("root", without("name"), invalid("name is missing")),
        ("root", without("username"), invalid("username is missing")),
        (
            "root",
            without("email", "name", "username"),
            invalid("email is missing, name is missing, username is missing"),
        ),
        ("root", without("password"), invalid(CHOICE)),
        ("root", {**NEW, "provider": "ldap"}, invalid("extern_uid, provider provide all or none of parameters")),
        ("root", {**NEW, "projects_limit": "x"}, invalid("projects_limit is invalid")),
        ("root", {**NEW, "admin": "perhaps"}, invalid("admin is invalid")),
        ("root", {**NEW, "email": "ADA@example.test"}, (409, {"message": "Email has already been taken"})),
        ("root", {**NEW, "username": "ADA"}, (409, {"message": "Username has already been taken"})),
        ("root", {**NEW, "username": "acme"}, (409, {"message": "Username has already been taken"})),
        (
            "root",
            {**NEW, "username": "ada", "email": "ada@example.test"},
            (409, {"message": "Email has already been taken"}),
        ),
        ("root", {**NEW, "password": "1234567"}, faulty(password=[SHORT])),
        ("root", {**NEW, "bio": "x" * 256}, faulty(bio=["is too long (maximum is 255 characters)"])),
        ("root", {**NEW, "projects_limit": -1}, faulty(projects_limit=["must be greater than or equal to 0"])),
        ("root", {**NEW, "email": "nowhere"}, faulty(email=["is invalid"])),
        *(
            ("root", {**NEW, "username": name}, faulty(username=[USERNAME]))
            for name in ("-x", "x.", "x.git", "x.atom", "a b")
        ),
    ],
)
def test_making_a_user_is_refused(fakeplat: Fakeplat, viewer: str | None, body: Any, expected: Outcome) -> None:
    """Nobody first, then the parameters, then administrators, then what is taken, then what is wrong."""
    assert expected == refusal(fakeplat, viewer, "POST", "users", json=body)


@pytest.mark.parametrize("change", [{"bio": "x" * 255}, {"password": "12345678"}, {"username": "a_-.b"}])
def test_limits_of_a_user_are_included(fakeplat: Fakeplat, change: dict[str, str]) -> None:
    """What just keeps the limit is taken."""
    assert 201 == fakeplat.as_user("root").post("users", json={**NEW, **change}).status


@pytest.mark.parametrize(("size", "status"), [(200 * 1024, 201), (200 * 1024 + 1, 400)])
def test_a_picture_has_at_most_200_kilobytes(fakeplat: Fakeplat, size: int, status: int) -> None:
    """A bigger avatar is refused with a text of its own."""
    reply = fakeplat.as_user("root").post("users", **form(**NEW, avatar=("a.png", "image/png", bytes(size))))

    assert status == reply.status
    if status == 400:
        assert {"message": {"avatar": ["is too big (should be at most 200 KB)"]}} == reply.json()


# changing one


def test_a_changed_user_has_the_single_view_of_administrators(fakeplat: Fakeplat) -> None:
    """Changing a user answers 200 with what administrators see of a single user."""
    reply = fakeplat.as_user("root").put("users/4", json={"name": "Developer", "bio": "Builds."})

    assert (200, USER_ADMIN_DETAIL) == (reply.status, set(reply.json()))
    assert ("Developer", "Builds.") == (reply.json()["name"], reply.json()["bio"])


def test_an_empty_change_changes_nothing(fakeplat: Fakeplat) -> None:
    """Without any parameter a change answers the user as it was."""
    before = fakeplat.as_user("root").get("users/4").json()

    assert (200, before) == outcome(fakeplat.as_user("root").put("users/4"))


@pytest.mark.parametrize(
    ("skip", "email"), [(None, "dev@example.test"), (False, "dev@example.test"), (True, "d@example.test")]
)
def test_a_new_address_waits_for_its_confirmation(fakeplat: Fakeplat, skip: bool | None, email: str) -> None:
    """The old address stays, unless the confirmation is skipped."""
    changes = {"email": "d@example.test", **({} if skip is None else {"skip_reconfirmation": skip})}

    assert email == fakeplat.as_user("root").put("users/4", json=changes).json()["email"]


def test_a_new_username_moves_the_namespace(fakeplat: Fakeplat) -> None:
    """The projects of a renamed user are found under the new name."""
    fakeplat.as_user("root").put("users/2", json={"username": "ada2"})

    assert "ada2/notes" == fakeplat.as_user("ada2").get("projects/ada2%2Fnotes").json()["path_with_namespace"]
    assert no("Project") == outcome(fakeplat.as_user("ada2").get("projects/ada%2Fnotes"))


def test_an_identity_of_the_same_provider_is_replaced(fakeplat: Fakeplat) -> None:
    """A pair of extern_uid and provider adds an identity, or changes the one of that provider."""
    calls = fakeplat.as_user("root")
    for provider, uid in [("ldap", "1"), ("saml", "2"), ("ldap", "3")]:
        calls.put("users/4", json={"provider": provider, "extern_uid": uid})

    found = calls.get("users/4").json()["identities"]
    assert {("ldap", "3"), ("saml", "2")} == {(identity["provider"], identity["extern_uid"]) for identity in found}


@pytest.mark.parametrize(
    ("viewer", "id_", "body", "expected"),
    [
        (None, 4, {"name": "x"}, UNAUTHORIZED),
        (None, 4, {"admin": "perhaps"}, UNAUTHORIZED),
        ("dev", 4, {"name": "x"}, FORBIDDEN),
        ("dev", 4, {"admin": "perhaps"}, invalid("admin is invalid")),
        ("root", 999, {"name": "x"}, no("User")),
        ("root", 999, {"admin": "perhaps"}, invalid("admin is invalid")),
        ("root", 4, {"provider": "ldap"}, invalid("extern_uid, provider provide all or none of parameters")),
        ("root", 4, {"email": "ADA@example.test"}, (404, {"message": "Email has already been taken"})),
        ("root", 4, {"username": "Ada"}, (404, {"message": "Username has already been taken"})),
        ("root", 4, {"username": "acme"}, (404, {"message": "Username has already been taken"})),
        ("root", 4, {"password": "1234567"}, faulty(password=[SHORT])),
        ("root", 4, {"bio": "x" * 256}, faulty(bio=["is too long (maximum is 255 characters)"])),
        ("root", 4, {"projects_limit": -1}, faulty(projects_limit=["must be greater than or equal to 0"])),
        ("root", 4, {"username": "a b"}, faulty(username=[USERNAME])),
    ],
)
def test_changing_a_user_is_refused(
    fakeplat: Fakeplat, viewer: str | None, id_: int, body: Any, expected: Outcome
) -> None:
    """What is taken is a 404 here (ruling 2); the rest as for a new user."""
    assert expected == refusal(fakeplat, viewer, "PUT", f"users/{id_}", json=body)


def test_own_names_are_not_taken(fakeplat: Fakeplat) -> None:
    """A user keeps their address and username, in another case too."""
    body = {"email": "dev@example.test", "username": "DEV"}

    assert 200 == fakeplat.as_user("root").put("users/4", json=body).status


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
        ("root", "users/999/identities/ldap", {}, no("User")),
        ("root", "users/2/identities/other", {}, no("Identity")),
        ("root", "users/2/identities/ldap", {"headers": LONG_AGO}, STALE),
    ],
)
def test_removing_an_identity_is_refused(
    fakeplat: Fakeplat, viewer: str | None, path: str, rest: Any, expected: Outcome
) -> None:
    """Only administrators remove what is there and unchanged."""
    assert expected == refusal(fakeplat, viewer, "DELETE", path, **rest)


# deleting one


def test_a_user_can_be_deleted(fakeplat: Fakeplat) -> None:
    """Deleting answers 204 without a body; user, namespace and memberships are gone."""
    calls = fakeplat.as_user("root")

    assert (204, None) == outcome(calls.delete("users/4"))
    assert no("User") == outcome(calls.get("users/4"))
    assert no("Namespace") == outcome(calls.get("namespaces/dev"))
    assert "dev" not in usernames(calls.get("groups/acme/members"))


@pytest.mark.parametrize(
    ("viewer", "id_", "rest", "expected"),
    [
        (None, "4", {}, UNAUTHORIZED),
        ("dev", "4", {}, FORBIDDEN),
        ("root", "999", {}, no("User")),
        ("root", "2", {}, (409, {"message": "User cannot be removed while is the sole-owner of a group"})),
        ("root", "4", {"headers": LONG_AGO}, STALE),
        ("root", "4", {"params": {"hard_delete": "perhaps"}}, invalid("hard_delete is invalid")),
    ],
)
def test_deleting_a_user_is_refused(
    fakeplat: Fakeplat, viewer: str | None, id_: str, rest: Any, expected: Outcome
) -> None:
    """Only administrators delete, and not the only owner of a group."""
    assert expected == refusal(fakeplat, viewer, "DELETE", f"users/{id_}", **rest)


def test_a_condition_that_holds_or_says_nothing_is_no_refusal(fakeplat: Fakeplat) -> None:
    """A later date passes, and one that cannot be read is ignored."""
    calls = fakeplat.as_user("root")

    assert 204 == calls.delete("users/4", headers={"If-Unmodified-Since": "Fri, 01 Jan 2100 00:00:00 GMT"}).status
    assert 204 == calls.delete("users/5", headers={"If-Unmodified-Since": "yesterday"}).status


def test_a_hard_delete_takes_the_groups_along(fakeplat: Fakeplat) -> None:
    """With hard_delete the groups that only the user owns go too."""
    calls = fakeplat.as_user("root")

    assert (204, None) == outcome(calls.delete("users/2?hard_delete=true"))
    assert no("Group") == outcome(calls.get("groups/acme"))
    assert no("Project") == outcome(calls.get("projects/acme%2Fsite"))


def test_what_a_deleted_user_wrote_goes_to_the_ghost(fakeplat: Fakeplat) -> None:
    """Issues of a deleted user have the user ghost as their author."""
    fakeplat.as_user("dev").post("projects/acme%2Fsite/issues", json={"title": "Written by dev"})
    fakeplat.as_user("root").delete("users/4")

    assert "ghost" == fakeplat.as_user("ada").get("projects/acme%2Fsite/issues/1").json()["author"]["username"]


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


@pytest.mark.fakeplat(scenario=STATES)
@pytest.mark.parametrize(
    ("username", "verb", "reason"),
    [
        ("far", "block", "LDAP blocked users cannot be modified by the API"),
        ("gone", "unblock", "Deactivated users cannot be unblocked by the API"),
        ("off", "activate", "A blocked user must be unblocked to be activated"),
        ("off", "deactivate", "A blocked user cannot be deactivated by the API"),
        (
            "lately",
            "deactivate",
            "The user you are trying to deactivate has been active in the past 180 days and cannot be deactivated",
        ),
    ],
)
def test_states_that_cannot_change(fakeplat: Fakeplat, username: str, verb: str, reason: str) -> None:
    """Each refused change of a state says why."""
    expected = (403, {"message": f"403 Forbidden - {reason}"})

    assert expected == refusal(fakeplat, "root", "POST", f"users/{person(fakeplat, username)}/{verb}")


@pytest.mark.fakeplat(scenario=STATES)
@pytest.mark.parametrize("verb", ["block", "unblock", "activate", "deactivate"])
@pytest.mark.parametrize(
    ("viewer", "id_", "expected"),
    [(None, "2", UNAUTHORIZED), ("on", "2", FORBIDDEN), ("root", "999", no("User")), ("root", "on", NO_ROUTE)],
)
def test_states_are_for_administrators(
    fakeplat: Fakeplat, verb: str, viewer: str | None, id_: str, expected: Outcome
) -> None:
    """Nobody gets 401, others 403, and an unknown user is not found."""
    assert expected == refusal(fakeplat, viewer, "POST", f"users/{id_}/{verb}")
