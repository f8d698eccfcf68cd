"""Reading users. Source: shared specification, 'Users'; facts and more on users."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.asking import (
    NO_ROUTE,
    PAGE_HEADERS,
    UNAUTHORIZED,
    form,
    invalid,
    no,
    outcome,
    person,
    refusal,
    usernames,
)
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
    mistyped,
)

UNLISTED = (403, {"message": "403 Forbidden - Not authorized to access /api/v4/users"})
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
def test_who_looks_decides_which_fields_a_user_has(
    fakeplat: Fakeplat, viewer: str | None, path: str, fields: set[str]
) -> None:
    """Six fields in lists, the profile in single answers, the account for oneself, everything for administrators."""
    shown = fakeplat.as_user(viewer).get(path).json()

    assert fields == set(shown[0] if isinstance(shown, list) else shown)


@pytest.mark.fakeplat(tier="premium")
@pytest.mark.parametrize(
    ("path", "fields"),
    [("users", USER_ADMIN | MINUTES), ("users/2", USER_ADMIN_DETAIL | MINUTES | {"plan", "trial"})],
)
def test_paid_tiers_show_administrators_more(fakeplat: Fakeplat, path: str, fields: set[str]) -> None:
    """Paid tiers add the limits of minutes, and for a single user the plan and the trial."""
    shown = fakeplat.as_user("root").get(path).json()

    assert fields == set(shown[0] if isinstance(shown, list) else shown)


@pytest.mark.parametrize(
    ("viewer", "path", "types"),
    [("eve", "users/2", BASIC_TYPES), ("eve", "user", SELF_TYPES), ("root", "user", SELF_TYPES)],
)
def test_published_fields_have_their_published_types(
    fakeplat: Fakeplat, viewer: str, path: str, types: dict[str, tuple[type, ...]]
) -> None:
    """Fields that stand in every published format of a user have one of the published types."""
    assert {} == mistyped(fakeplat.as_user(viewer).get(path).json(), types)


@pytest.mark.fakeplat(
    scenario={"users": [{"username": "ann", "name": "Ann", "private_profile": True}, {"username": "ben"}]}
)
@pytest.mark.parametrize(("viewer", "told"), [(None, False), ("ben", False), ("ann", True), ("root", True)])
def test_a_private_profile_hides_when_the_account_was_made(fakeplat: Fakeplat, viewer: str | None, told: bool) -> None:
    """Only the user and administrators read created_at of a private profile."""
    assert told == ("created_at" in fakeplat.as_user(viewer).get(f"users/{person(fakeplat, 'ann')}").json())


def test_work_information_joins_job_and_organization(fakeplat: Fakeplat) -> None:
    """The job title and the organization stand together in one field."""
    fakeplat.as_user("root").put("users/2", json={"job_title": "Baker", "organization": "Acme"})

    assert "Baker at Acme" == fakeplat.as_user("eve").get("users/2").json()["work_information"]


# who may list


@pytest.mark.parametrize(
    ("viewer", "query", "expected"),
    [
        (None, "", UNLISTED),
        (None, "search=ada", UNLISTED),
        (None, "external=true", UNAUTHORIZED),
        (None, "extern_uid=1&provider=ldap", UNAUTHORIZED),
        ("eve", "external=true", (403, {"message": "403 Forbidden"})),
        ("eve", "extern_uid=1&provider=ldap", (403, {"message": "403 Forbidden"})),
        ("root", "extern_uid=1", invalid("extern_uid, provider provide all or none of parameters")),
        ("eve", "provider=ldap", invalid("extern_uid, provider provide all or none of parameters")),
        ("eve", "order_by=email", invalid("order_by does not have a valid value")),
        ("eve", "sort=up", invalid("sort does not have a valid value")),
        ("root", "two_factor=on", invalid("two_factor does not have a valid value")),
        ("root", "created_after=soon", invalid("created_after is invalid")),
        ("root", "page=a", invalid("page is invalid")),
        ("root", "per_page=0", invalid("per_page has a value not allowed")),
    ],
)
def test_listing_users_is_refused(fakeplat: Fakeplat, viewer: str | None, query: str, expected: Any) -> None:
    """Nobody may list without a username; only administrators ask about accounts elsewhere."""
    assert expected == refusal(fakeplat, viewer, "GET", f"users?{query}")


@pytest.mark.parametrize("path", ["users?username=ada", "users"])
def test_nobody_lists_users_where_the_public_is_restricted(fakeplat: Fakeplat, path: str) -> None:
    """With a restricted public visibility even an exact username is refused."""
    fakeplat.load({"settings": {"restricted_visibility_levels": ["public"]}})

    assert UNLISTED == refusal(fakeplat, None, "GET", path)


@pytest.mark.parametrize(
    ("username", "found"), [("ada", ["ada"]), ("ADA", ["ada"]), ("ad", []), ("nobody", []), ("bob", ["bob"])]
)
@pytest.mark.parametrize("viewer", [None, "eve", "root"])
def test_a_username_is_matched_whole_and_whatever_its_case(
    fakeplat: Fakeplat, viewer: str | None, username: str, found: list[str]
) -> None:
    """The filter username finds the one user of that name, for nobody too."""
    assert found == usernames(fakeplat.as_user(viewer).get("users", params={"username": username}))


# filters

PEOPLE = {
    "users": [
        {"username": "ann", "name": "Zoe Able", "email": "first@example.test", "created_at": "2020-01-01T00:00:00Z"},
        {"username": "ben", "name": "Ben Cord", "created_at": "2020-02-01T00:00:00Z", "two_factor_enabled": True},
        {"username": "cora", "name": "Ann", "created_at": "2020-03-01T00:00:00Z", "state": "blocked"},
        {"username": "dirk", "name": "Hannah", "created_at": "2020-03-01T00:00:00Z", "state": "ldap_blocked"},
        {"username": "elsa", "name": "Elsa", "created_at": "2020-05-01T00:00:00Z", "state": "deactivated"},
        {
            "username": "finn",
            "name": "Finn",
            "created_at": "2020-06-01T00:00:00Z",
            "external": True,
            "identities": [{"provider": "ldap", "extern_uid": "uid=finn"}],
            "custom_attributes": {"team": "red", "desk": "4"},
        },
        {"kind": "ghost", "username": "ghost"},
    ],
    "projects": [{"path_with_namespace": "ben/work"}],
}


@pytest.mark.fakeplat(scenario=PEOPLE)
@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("active=true", {"root", "ann", "ben", "finn", "ghost"}),
        ("active=false", {"root", "ann", "ben", "cora", "dirk", "elsa", "finn", "ghost"}),
        ("blocked=true", {"cora", "dirk"}),
        ("blocked=false", {"root", "ann", "ben", "cora", "dirk", "elsa", "finn", "ghost"}),
        ("exclude_internal=true", {"root", "ann", "ben", "cora", "dirk", "elsa", "finn"}),
        ("external=true", {"finn"}),
        ("extern_uid=uid%3Dfinn&provider=ldap", {"finn"}),
        ("extern_uid=uid%3Dfinn&provider=saml", set()),
        ("two_factor=enabled", {"ben"}),
        ("two_factor=disabled", {"root", "ann", "cora", "dirk", "elsa", "finn", "ghost"}),
        ("without_projects=true", {"root", "ann", "cora", "dirk", "elsa", "finn", "ghost"}),
        ("created_after=2020-05-01T00:00:00Z&created_before=2020-06-01T00:00:00Z", {"elsa", "finn"}),
        ("created_before=2020-02-01", {"ann", "ben"}),
        ("custom_attributes[team]=red", {"finn"}),
        ("custom_attributes[team]=red&custom_attributes[desk]=4", {"finn"}),
        ("custom_attributes[team]=red&custom_attributes[desk]=5", set()),
        ("search=ann", {"ann", "cora", "dirk"}),
        ("search=ANN", {"ann", "cora", "dirk"}),
        ("search=FIRST%40example.test", {"ann"}),
        ("search=first%40example", set()),
        ("search=nn", set()),
        ("username=ann&blocked=true", set()),
    ],
)
def test_filters_for_administrators(fakeplat: Fakeplat, query: str, found: set[str]) -> None:
    """Each filter of the list of users, as administrators may use it."""
    assert found == set(usernames(fakeplat.as_user("root").get(f"users?{query}")))


ONLY_ADMINS = [
    "created_after=2021-01-01T00:00:00Z",
    "created_before=2019-01-01T00:00:00Z",
    "two_factor=enabled",
    "without_projects=true",
    "order_by=name&sort=asc",
]


@pytest.mark.fakeplat(scenario=PEOPLE)
@pytest.mark.parametrize("query", ONLY_ADMINS)
def test_others_have_the_filters_of_administrators_dropped(fakeplat: Fakeplat, query: str) -> None:
    """For who is no administrator they do nothing: all users, by id, the latest first."""
    all_of_them = [row["id"] for row in fakeplat.as_user("ann").get("users").json()]

    assert all_of_them == sorted(all_of_them, reverse=True)
    assert 8 == len(all_of_them)
    assert all_of_them == [row["id"] for row in fakeplat.as_user("ann").get(f"users?{query}").json()]


@pytest.mark.fakeplat(scenario=PEOPLE)
@pytest.mark.parametrize("viewer", ["ann", "root"])
def test_exact_matches_come_first(fakeplat: Fakeplat, viewer: str) -> None:
    """A search lists those first whose name, username or address is the text."""
    assert {"ann", "cora"} == set(usernames(fakeplat.as_user(viewer).get("users?search=ann"))[:2])


@pytest.mark.fakeplat(
    scenario={
        "users": [
            {
                "username": "ann",
                "name": "Cid",
                "created_at": "2020-03-01T00:00:00Z",
                "updated_at": "2020-04-01T00:00:00Z",
            },
            {
                "username": "cid",
                "name": "Ann",
                "created_at": "2020-01-01T00:00:00Z",
                "updated_at": "2020-06-01T00:00:00Z",
            },
            {
                "username": "ben",
                "name": "Cid",
                "created_at": "2020-03-01T00:00:00Z",
                "updated_at": "2020-05-01T00:00:00Z",
            },
        ]
    }
)
@pytest.mark.parametrize(
    ("query", "order"),
    [
        ("", ["ben", "cid", "ann", "root"]),
        ("sort=asc", ["root", "ann", "cid", "ben"]),
        ("order_by=id&sort=asc", ["root", "ann", "cid", "ben"]),
        ("order_by=name&sort=asc", ["root", "cid", "ann", "ben"]),
        ("order_by=name", ["ben", "ann", "cid", "root"]),
        ("order_by=username&sort=asc", ["ann", "ben", "cid", "root"]),
        ("order_by=username", ["root", "cid", "ben", "ann"]),
        ("order_by=created_at&sort=asc", ["cid", "ann", "ben", "root"]),
        ("order_by=created_at", ["root", "ben", "ann", "cid"]),
        ("order_by=updated_at&sort=asc", ["ann", "ben", "cid", "root"]),
        ("order_by=username&search=cid", ["cid", "ben", "ann"]),
    ],
)
def test_administrators_choose_the_order(fakeplat: Fakeplat, query: str, order: list[str]) -> None:
    """By id, the latest first, unless asked otherwise; ties go by id in the same direction."""
    assert order == usernames(fakeplat.as_user("root").get(f"users?{query}"))


def test_the_list_has_pages(fakeplat: Fakeplat) -> None:
    """All headers of pages stand on the list of users."""
    reply = fakeplat.as_user("eve").get("users?per_page=4&page=2")

    assert ["rep", "dev", "mia", "ada"] == usernames(reply)
    assert ("9", "3", "4", "2", "3", "1") == tuple(reply.headers[name] for name in PAGE_HEADERS[:-1])
    assert ["prev", "next", "first", "last"] == [part.split('"')[1] for part in reply.headers["Link"].split(", ")]


@pytest.mark.fakeplat(scenario=PEOPLE)
@pytest.mark.parametrize(
    ("viewer", "shown"),
    [("ann", None), (None, None), ("root", [{"key": "team", "value": "red"}, {"key": "desk", "value": "4"}])],
)
@pytest.mark.parametrize("single", [True, False])
def test_custom_attributes_are_for_administrators_who_ask(
    fakeplat: Fakeplat, viewer: str | None, shown: Any, single: bool
) -> None:
    """With with_custom_attributes administrators see them; others never do; unasked nobody does."""
    path = f"users/{person(fakeplat, 'finn')}" if single else "users?username=finn"
    plain = fakeplat.as_user(viewer).get(path).json()
    asked = fakeplat.as_user(viewer).get(path, params={"with_custom_attributes": "true"}).json()

    assert "custom_attributes" not in (plain if single else plain[0])
    found = (asked if single else asked[0]).get("custom_attributes")
    assert shown == found or (shown is not None and sorted(map(str, shown)) == sorted(map(str, found)))


# one user


@pytest.mark.parametrize("viewer", [None, "eve", "root"])
@pytest.mark.parametrize(
    ("id_", "expected"), [("999", no("User")), ("ada", NO_ROUTE), ("1.5", NO_ROUTE), ("-1", NO_ROUTE)]
)
def test_there_is_no_such_user(fakeplat: Fakeplat, viewer: str | None, id_: str, expected: Any) -> None:
    """An unknown id is no user; what is no number leads nowhere."""
    assert expected == refusal(fakeplat, viewer, "GET", f"users/{id_}")


def test_nobody_sees_users_where_the_public_is_restricted(fakeplat: Fakeplat) -> None:
    """With a restricted public visibility nobody sees a user, but whoever is signed in does."""
    fakeplat.load({"settings": {"restricted_visibility_levels": ["public"]}})

    assert no("User") == refusal(fakeplat, None, "GET", "users/2")
    assert 200 == fakeplat.as_user("eve").get("users/2").status


# oneself


def test_the_current_user_is_the_caller(fakeplat: Fakeplat) -> None:
    """Each caller sees their own account."""
    shown = fakeplat.as_user("dev").get("user").json()

    assert ("dev", "dev@example.test", False) == (shown["username"], shown["email"], shown["external"])


def test_an_administrator_sees_another_account_by_sudo(fakeplat: Fakeplat) -> None:
    """With sudo the current user is the one acted for."""
    assert "dev" == fakeplat.as_user("root").get(f"user?sudo={person(fakeplat, 'dev')}").json()["username"]


def test_nobody_has_no_account(fakeplat: Fakeplat) -> None:
    """Without a credential there is no current user."""
    assert UNAUTHORIZED == refusal(fakeplat, None, "GET", "user")


def test_a_blocked_user_is_told_so(fakeplat: Fakeplat) -> None:
    """A blocked user's token is refused with the reason."""
    blocked = (403, {"message": "403 Forbidden - Your account has been blocked."})
    assert blocked == refusal(fakeplat, "bob", "GET", "user")


def test_an_uploaded_picture_is_served_as_it_came(fakeplat: Fakeplat) -> None:
    """The address of an uploaded avatar gives the same bytes."""
    picture = b"\x89PNG\r\n\x1a\n" + bytes(range(256))
    made = fakeplat.as_user("root").post(
        "users",
        **form(
            email="new@example.test",
            name="New",
            username="new",
            password="long-enough",
            avatar=("me.png", "image/png", picture),
        ),
    )

    assert 201 == made.status
    path = made.json()["avatar_url"].removeprefix(fakeplat.url)
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
