"""Lists of users. Source: docs/platform/users.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.requests import PAGE_HEADERS, UNAUTHORIZED, invalid, person, refusal, usernames

pytestmark = pytest.mark.every_release

UNLISTED = (403, {"message": "403 Forbidden - Not authorized to access /api/v4/users"})


# who may list


@pytest.mark.parametrize(
    ("viewer", "query", "expected"),
    [
        (None, "", UNLISTED),
        (None, "search=ada", UNLISTED),
        (None, "extern_uid=1&provider=ldap", UNAUTHORIZED),
        ("eve", "extern_uid=1&provider=ldap", (403, {"message": "403 Forbidden"})),
        ("root", "extern_uid=1", invalid("extern_uid, provider provide all or none of parameters")),
        ("eve", "provider=ldap", invalid("extern_uid, provider provide all or none of parameters")),
        ("eve", "order_by=email", invalid("order_by does not have a valid value")),
        ("eve", "sort=up", invalid("sort does not have a valid value")),
        ("root", "created_after=soon", invalid("created_after is invalid")),
        ("root", "page=a", invalid("page is invalid")),
        ("root", "per_page=0", invalid("per_page has a value not allowed")),
    ],
)
def test_listing_users_is_refused(fakeplat: Fakeplat, viewer: str | None, query: str, expected: Any) -> None:
    """Anonymous callers need a username, and only administrators filter by identity."""
    assert expected == refusal(fakeplat, viewer, "GET", f"users?{query}")


@pytest.mark.parametrize("path", ["users?username=ada", "users"])
def test_anonymous_callers_list_no_users_where_the_public_is_restricted(fakeplat: Fakeplat, path: str) -> None:
    """Where public visibility is restricted anonymous callers list no users."""
    fakeplat.load({"settings": {"restricted_visibility_levels": ["public"]}})

    assert UNLISTED == refusal(fakeplat, None, "GET", path)


@pytest.mark.parametrize(
    ("username", "expected"), [("ada", ["ada"]), ("ADA", ["ada"]), ("ad", []), ("nobody", []), ("bob", ["bob"])]
)
@pytest.mark.parametrize("viewer", [None, "eve", "root"])
def test_a_username_is_matched_whole_and_whatever_its_case(
    fakeplat: Fakeplat, viewer: str | None, username: str, expected: list[str]
) -> None:
    """The filter username finds the one user of that name, for nobody too."""
    assert expected == usernames(fakeplat.as_user(viewer).get("users", params={"username": username}))


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
TEAMS = {
    "users": [{"username": name} for name in ("ann", "ben", "cora", "dirk")],
    "groups": [
        {"path": "full", "members": {"ann": "guest"}, "groups": [{"path": "below", "projects": [{"path": "site"}]}]},
        {"path": "invited", "members": {"ben": "developer"}},
        {"path": "empty", "members": {"cora": "owner"}},
    ],
    "projects": [{"path_with_namespace": "root/kit", "shared_with_groups": {"invited": "developer"}}],
}


@pytest.mark.fakeplat(scenario=TEAMS)
def test_who_has_a_role_in_a_project_by_a_group_has_projects(fakeplat: Fakeplat) -> None:
    """`without_projects` leaves out members of groups with projects below them, and of groups invited to a project."""
    assert {"cora", "dirk"} == set(usernames(fakeplat.as_user("root").get("users?without_projects=true")))


@pytest.mark.fakeplat(scenario=TEAMS)
@pytest.mark.parametrize("query", ["active=true", "exclude_internal=true"])
def test_bots_of_projects_are_no_internal_users(fakeplat: Fakeplat, query: str) -> None:
    """The platform's own users are left out, bots of projects are not."""
    bots = [{"username": "alert-bot", "kind": "alert_bot"}, {"username": "helper", "bot_of": "root/kit"}]
    fakeplat.load({"users": bots})
    bot_of_project = f"project_{fakeplat.world.project('root/kit').id}_bot"

    assert {"ann", "ben", "cora", "dirk", "root", bot_of_project} == set(
        usernames(fakeplat.as_user("root").get(f"users?{query}"))
    )


@pytest.mark.fakeplat(scenario=PEOPLE)
@pytest.mark.parametrize(
    "leaves_out",
    [
        pytest.param(True, marks=pytest.mark.fakeplat(tier="premium"), id="premium"),
        pytest.param(False, id="free"),
    ],
)
def test_users_of_a_directory_are_left_out_on_request(fakeplat: Fakeplat, leaves_out: bool) -> None:
    """`skip_ldap` of a paid tier leaves out whoever has an account of LDAP."""
    assert leaves_out == ("finn" not in usernames(fakeplat.as_user("ann").get("users?skip_ldap=true")))


@pytest.mark.fakeplat(scenario=PEOPLE)
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("active=true", {"root", "ann", "ben", "finn"}),
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
def test_filters_for_administrators(fakeplat: Fakeplat, query: str, expected: set[str]) -> None:
    """Each filter of users works for administrators."""
    assert expected == set(usernames(fakeplat.as_user("root").get(f"users?{query}")))


@pytest.mark.fakeplat(scenario=PEOPLE)
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("active=true", {"root", "ann", "ben", "finn"}),
        ("blocked=true", {"cora", "dirk"}),
        ("exclude_internal=true&blocked=true", {"cora", "dirk"}),
        ("external=false&search=finn", {"finn"}),
        ("search=hann", {"dirk"}),
        ("search=first%40example.test", {"ann"}),
    ],
)
def test_filters_for_others(fakeplat: Fakeplat, query: str, expected: set[str]) -> None:
    """Signed-in users filter users by state, internal accounts and texts."""
    assert expected == set(usernames(fakeplat.as_user("ben").get(f"users?{query}")))


ONLY_ADMINS = [
    "created_after=2021-01-01T00:00:00Z",
    "created_before=2019-01-01T00:00:00Z",
    "two_factor=enabled",
    "without_projects=true",
]


@pytest.mark.fakeplat(scenario=PEOPLE)
@pytest.mark.parametrize("query", ONLY_ADMINS)
def test_others_have_the_filters_of_administrators_dropped(fakeplat: Fakeplat, query: str) -> None:
    """Administrators' filters of users are ignored for others."""
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
    """Administrators sort users, by default by id descending."""
    assert order == usernames(fakeplat.as_user("root").get(f"users?{query}"))


def test_the_list_has_pages(fakeplat: Fakeplat) -> None:
    """The list of users has all headers of pages."""
    reply = fakeplat.as_user("eve").get("users?per_page=4&page=2")

    assert ["rep", "dev", "mia", "ada"] == usernames(reply)
    assert ("9", "3", "4", "2", "3", "1") == tuple(reply.headers[name] for name in PAGE_HEADERS[:-1])
    assert ["prev", "next", "first", "last"] == [part.split('"')[1] for part in reply.headers["Link"].split(", ")]


@pytest.mark.fakeplat(scenario=PEOPLE)
@pytest.mark.parametrize(
    ("viewer", "expected"),
    [("ann", None), (None, None), ("root", [{"key": "team", "value": "red"}, {"key": "desk", "value": "4"}])],
)
@pytest.mark.parametrize("single", [True, False])
def test_custom_attributes_are_for_administrators_who_ask(
    fakeplat: Fakeplat, viewer: str | None, expected: Any, single: bool
) -> None:
    """Custom attributes are shown to administrators on request."""
    path = f"users/{person(fakeplat, 'finn')}" if single else "users?username=finn"
    plain = fakeplat.as_user(viewer).get(path).json()
    asked = fakeplat.as_user(viewer).get(path, params={"with_custom_attributes": "true"}).json()

    assert "custom_attributes" not in (plain if single else plain[0])
    attributes = (asked if single else asked[0]).get("custom_attributes")
    assert expected == attributes or (
        expected is not None and sorted(map(str, expected)) == sorted(map(str, attributes))
    )
