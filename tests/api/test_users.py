"""Reading users. Source: docs/platform/users.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.fields import (
    FLAG,
    LIST,
    MINUTES,
    NULL,
    NUMBER,
    TEXT,
    USER,
    USER_ADMIN,
    USER_ADMIN_DETAIL,
    USER_PUBLIC,
    USER_SELF,
    list_mistyped_fields,
)
from tests.api.requests import NO_ROUTE, PAGE_HEADERS, UNAUTHORIZED, form, outcome, person, refusal, resource_not_found

BASIC_TYPES = {
    "id": (NUMBER,),
    "name": (TEXT,),
    "username": (TEXT,),
    "state": (TEXT,),
    "avatar_url": (TEXT, NULL),
    "web_url": (TEXT,),
}
SELF_TYPES = {
    **BASIC_TYPES,
    "bio": (TEXT, NULL),
    "can_create_group": (FLAG,),
    "can_create_project": (FLAG,),
    "color_scheme_id": (NUMBER,),
    "confirmed_at": (TEXT, NULL),
    "created_at": (TEXT, NULL),
    "current_sign_in_at": (TEXT, NULL),
    "email": (TEXT,),
    "external": (FLAG,),
    "identities": (LIST,),
    "last_sign_in_at": (TEXT, NULL),
    "linkedin": (TEXT,),
    "location": (TEXT, NULL),
    "organization": (TEXT, NULL),
    "projects_limit": (NUMBER,),
    "twitter": (TEXT,),
    "two_factor_enabled": (FLAG,),
    "website_url": (TEXT,),
}


@pytest.mark.parametrize(
    ("viewer", "path", "fields"),
    [
        ("eve", "users", USER),
        ("root", "users", USER_ADMIN),
        (None, "users?username=ada", USER),
        (None, "users/2", USER_PUBLIC),
        ("eve", "users/2", USER_PUBLIC),
        ("ada", "users/2", USER_PUBLIC),
        ("root", "users/2", USER_ADMIN_DETAIL),
        ("ada", "user", USER_SELF),
        ("root", "user", USER_SELF | {"is_admin"}),
    ],
)
def test_the_viewer_decides_which_fields_a_user_has(
    fakeplat: Fakeplat, viewer: str | None, path: str, fields: set[str]
) -> None:
    """Six fields in lists, the profile in single answers, the account for oneself, everything for administrators."""
    user = fakeplat.as_user(viewer).get(path).json()

    assert fields == set(user[0] if isinstance(user, list) else user)


@pytest.mark.fakeplat(tier="premium")
@pytest.mark.parametrize(
    ("path", "fields"),
    [("users", USER_ADMIN | MINUTES), ("users/2", USER_ADMIN_DETAIL | MINUTES | {"plan", "trial"})],
)
def test_paid_tiers_show_administrators_more(fakeplat: Fakeplat, path: str, fields: set[str]) -> None:
    """Paid tiers add the limits of minutes, and for a single user the plan and the trial."""
    user = fakeplat.as_user("root").get(path).json()

    assert fields == set(user[0] if isinstance(user, list) else user)


@pytest.mark.fakeplat(tier="premium")
@pytest.mark.parametrize(("plan", "trial"), [(None, None), ("gold", False)])
def test_only_a_user_with_a_plan_has_a_trial(fakeplat: Fakeplat, plan: str | None, trial: bool | None) -> None:
    """The plan and trial of a user without a subscription are null."""
    fakeplat.load({"users": [{"username": "zoe", "plan": plan}] if plan else [{"username": "zoe"}]})
    user = fakeplat.as_user("root").get(f"users/{person(fakeplat, 'zoe')}").json()

    assert (plan, trial) == (user["plan"], user["trial"])


@pytest.mark.parametrize(
    ("viewer", "path", "types"),
    [("eve", "users/2", BASIC_TYPES), ("eve", "user", SELF_TYPES), ("root", "user", SELF_TYPES)],
)
def test_published_fields_have_their_published_types(
    fakeplat: Fakeplat, viewer: str, path: str, types: dict[str, tuple[type, ...]]
) -> None:
    """Fields that stand in every published format of a user have one of the published types."""
    assert {} == list_mistyped_fields(fakeplat.as_user(viewer).get(path).json(), types)


@pytest.mark.fakeplat(
    scenario={"users": [{"username": "ann", "name": "Ann", "private_profile": True}, {"username": "ben"}]}
)
@pytest.mark.parametrize(("viewer", "is_shown"), [(None, False), ("ben", False), ("ann", True), ("root", True)])
def test_a_private_profile_hides_when_the_account_was_made(
    fakeplat: Fakeplat, viewer: str | None, is_shown: bool
) -> None:
    """`created_at` of a private profile is shown to its user and to administrators."""
    assert is_shown == ("created_at" in fakeplat.as_user(viewer).get(f"users/{person(fakeplat, 'ann')}").json())


def test_work_information_joins_job_and_organization(fakeplat: Fakeplat) -> None:
    """The job title and the organization stand together in one field."""
    fakeplat.as_user("root").put("users/2", json={"job_title": "Baker", "organization": "Acme"})

    assert "Baker at Acme" == fakeplat.as_user("eve").get("users/2").json()["work_information"]


# one user


@pytest.mark.parametrize("viewer", [None, "eve", "root"])
@pytest.mark.parametrize(
    ("id_", "expected"), [("999", resource_not_found("User")), ("ada", NO_ROUTE), ("1.5", NO_ROUTE), ("-1", NO_ROUTE)]
)
def test_there_is_no_such_user(fakeplat: Fakeplat, viewer: str | None, id_: str, expected: Any) -> None:
    """An unknown id is no user; what is no number leads nowhere."""
    assert expected == refusal(fakeplat, viewer, "GET", f"users/{id_}")


def test_anonymous_callers_see_no_users_where_the_public_is_restricted(fakeplat: Fakeplat) -> None:
    """Where public visibility is restricted only signed-in callers see users."""
    fakeplat.load({"settings": {"restricted_visibility_levels": ["public"]}})

    assert resource_not_found("User") == refusal(fakeplat, None, "GET", "users/2")
    assert 200 == fakeplat.as_user("eve").get("users/2").status


# oneself


def test_the_current_user_is_the_caller(fakeplat: Fakeplat) -> None:
    """The current user is the caller."""
    user = fakeplat.as_user("dev").get("user").json()

    assert ("dev", "dev@example.test", False) == (user["username"], user["email"], user["external"])


def test_an_administrator_sees_another_account_by_sudo(fakeplat: Fakeplat) -> None:
    """With sudo the current user is the other user."""
    assert "dev" == fakeplat.as_user("root").get(f"user?sudo={person(fakeplat, 'dev')}").json()["username"]


def test_anonymous_callers_have_no_account(fakeplat: Fakeplat) -> None:
    """The current user without a login answers 401."""
    assert UNAUTHORIZED == refusal(fakeplat, None, "GET", "user")


def test_a_blocked_user_gets_the_reason(fakeplat: Fakeplat) -> None:
    """A blocked user's token is refused with the reason."""
    blocked = (403, {"message": "403 Forbidden - Your account has been blocked."})
    assert blocked == refusal(fakeplat, "bob", "GET", "user")


def test_an_uploaded_picture_is_served_as_it_came(fakeplat: Fakeplat) -> None:
    """The address of an uploaded avatar gives the same bytes."""
    picture = b"\x89PNG\r\n\x1a\n" + bytes(range(256))
    user = fakeplat.as_user("root").post(
        "users",
        **form(
            email="new@example.test",
            name="New",
            username="new",
            password="long-enough",
            avatar=("me.png", "image/png", picture),
        ),
    )

    assert 201 == user.status
    path = user.json()["avatar_url"].removeprefix(fakeplat.url)
    served = fakeplat.as_user(None).get(f"{fakeplat.url}{path}")
    assert (200, picture, "image/png") == (served.status, served.content, served.headers["Content-Type"])


def test_reading_the_current_user_is_no_list(fakeplat: Fakeplat) -> None:
    """A single answer has no headers of pages."""
    headers = fakeplat.as_user("dev").get("user").headers

    assert [] == [name for name in PAGE_HEADERS if name in headers]


def test_the_old_version_is_gone(fakeplat: Fakeplat) -> None:
    """Version 3 of the API answers 410, as an outcome that names version 4."""
    gone = (410, {"error": "API V3 is no longer supported. Use API V4 instead."})
    assert gone == outcome(fakeplat.as_user("dev").get("/api/v3/users"))


@pytest.mark.parametrize(("viewer", "fields"), [("dev", USER_SELF), ("root", USER_SELF | {"is_admin"})])
def test_api_v3_shows_the_current_user(fakeplat: Fakeplat, viewer: str, fields: set[str]) -> None:
    """Of API v3 only /user exists, for OAuth sign-ins."""
    reply = fakeplat.as_user(viewer).get("/api/v3/user")

    assert (200, fields) == (reply.status, set(reply.json()))
    assert reply.json() == fakeplat.as_user(viewer).get("user").json()
    assert UNAUTHORIZED == outcome(fakeplat.as_user(None).get("/api/v3/user"))


@pytest.mark.parametrize(("username", "role"), [("ada", 50), ("mia", 40), ("gus", 10), ("eve", 0)])
def test_the_highest_role_of_a_user(fakeplat: Fakeplat, username: str, role: int) -> None:
    """The highest level of all memberships, 0 without any."""
    path = f"users/{fakeplat.world.user(username).id}"

    assert role == fakeplat.as_user("root").get(path).json()["highest_role"]


@pytest.mark.fakeplat(documented=False)
@pytest.mark.parametrize(
    ("viewer", "path", "expected"),
    [
        (None, "users", (403, {"message": "403 Forbidden  - Not authorized to access /api/v4/users"})),
        ("dev", "projects/acme%2Fdocs/custom_attributes", (403, {"message": "403 Forbidden"})),
    ],
)
def test_a_403_with_a_reason_has_two_spaces_on_the_platform(
    fakeplat: Fakeplat, viewer: str | None, path: str, expected: Any
) -> None:
    """On the platform a 403 with a reason has two spaces (ruling 33)."""
    assert expected == refusal(fakeplat, viewer, "GET", path)


ADDRESSES = {"current_sign_in_ip", "last_sign_in_ip"}


@pytest.mark.fakeplat(documented=False)
@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("users?username=ada", (USER_ADMIN | {"public_email"}) - ADDRESSES),
        ("users/2", USER_ADMIN_DETAIL),
        ("user", USER_SELF | {"is_admin", "note"}),
    ],
)
def test_the_fields_of_users_on_the_platform(fakeplat: Fakeplat, path: str, fields: set[str]) -> None:
    """On the platform users have other fields for administrators (ruling 32)."""
    user = fakeplat.as_user("root").get(path).json()

    assert fields == set(user[0] if isinstance(user, list) else user)


@pytest.mark.fakeplat(tier="premium")
@pytest.mark.parametrize("documented", [True, pytest.param(False, marks=pytest.mark.fakeplat(documented=False))])
def test_users_without_a_subscription_have_no_plan(fakeplat: Fakeplat, documented: bool) -> None:
    """The plan of a user without a subscription is null."""
    del documented
    assert fakeplat.as_user("root").get("users/2").json()["plan"] is None
