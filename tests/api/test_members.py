"""Members of projects and groups. Source: docs/platform/project-members.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import KEPT_MEMBERS_ARE_FAILURES
from tests.api.fields import MEMBER, NULL, NUMBER, TEXT, list_mistyped_fields
from tests.api.requests import (
    FORBIDDEN,
    PAGE_HEADERS,
    UNAUTHORIZED,
    Outcome,
    invalid,
    invalid_record,
    outcome,
    person,
    refusal,
    resource_not_found,
    usernames,
)
from tests.by_release import by_release

pytestmark = pytest.mark.every_release

ACME, SITE, DOCS, TOOLS, NOTES = (
    "groups/acme",
    "projects/acme%2Fsite",
    "projects/acme%2Fdocs",
    "groups/acme%2Ftools",
    "projects/ada%2Fnotes",
)
EVERYBODY = {"ada", "mia", "dev", "rep", "gus"}
NOT_FOUND: Outcome = (404, {"message": "404 Not found"})
EXISTS: Outcome = (409, {"message": "Member already exists"})
UNLISTED = invalid_record(access_level=["is not included in the list"])
EVE, EXT = 7, 8


# reading


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (f"{ACME}/members", EVERYBODY),
        (f"{ACME}/members/all", EVERYBODY),
        (f"{TOOLS}/members/all", EVERYBODY),
        (f"{SITE}/members/all", EVERYBODY),
        (f"{SITE}/members", set()),
        (f"{ACME}/members?query=mia", {"mia"}),
        (f"{ACME}/members?query=EXAMPLE", EVERYBODY),
        (f"{ACME}/members?query=nobody", set()),
        (f"{SITE}/members/all?query=gus", {"gus"}),
        (f"{ACME}/members?user_ids[]=2&user_ids[]=3", {"ada", "mia"}),
        (f"{ACME}/members?user_ids=2,7", {"ada"}),
    ],
)
def test_lists_of_members(fakeplat: Fakeplat, path: str, expected: set[str]) -> None:
    """Direct members, or with `all` inherited ones too; by a part of a name or by ids."""
    assert expected == set(usernames(fakeplat.as_user("gus").get(path)))


@pytest.mark.parametrize("path", [f"{ACME}/members", f"{ACME}/members/all", f"{SITE}/members/all", f"{ACME}/members/2"])
@pytest.mark.fakeplat(releases="<14.10")
def test_fields_of_a_member(fakeplat: Fakeplat, path: str) -> None:
    """A user's six fields, the level and the last day, with the published types."""
    member_view = fakeplat.as_user("gus").get(path).json()
    member = member_view[0] if isinstance(member_view, list) else member_view
    types = {
        "access_level": (NUMBER,),
        "avatar_url": (TEXT, NULL),
        "expires_at": (TEXT, NULL),
        "id": (NUMBER,),
        "name": (TEXT,),
        "state": (TEXT,),
        "username": (TEXT,),
        "web_url": (TEXT, NULL),
    }

    assert MEMBER == set(member)
    assert {} == list_mistyped_fields(member, types)


@pytest.mark.parametrize("path", [f"{ACME}/members", f"{SITE}/members/all", f"{SITE}/members", f"{ACME}/members/all"])
def test_lists_of_members_have_pages(fakeplat: Fakeplat, path: str) -> None:
    """Lists of members have all headers of pages."""
    headers = fakeplat.as_user("ada").get(f"{path}?per_page=2").headers

    assert list(PAGE_HEADERS) == [name for name in PAGE_HEADERS if name in headers]


@pytest.mark.parametrize("viewer", ["eve", "ext", "gus"])
@pytest.mark.parametrize("below", ["members", "members/all", "members/all/2"])
def test_members_are_visible_with_their_container(fakeplat: Fakeplat, viewer: str, below: str) -> None:
    """Members of what is public are told to everybody who is signed in."""
    assert 200 == fakeplat.as_user(viewer).get(f"{ACME}/{below}").status
    assert 200 == fakeplat.as_user(viewer).get(f"{DOCS}/{below}").status


@pytest.mark.parametrize(
    ("viewer", "path", "expected"),
    [
        (None, f"{ACME}/members", UNAUTHORIZED),
        (None, f"{DOCS}/members", UNAUTHORIZED),
        (None, f"{DOCS}/members/all", UNAUTHORIZED),
        (None, f"{DOCS}/members/2", UNAUTHORIZED),
        (None, f"{DOCS}/members?page=x", UNAUTHORIZED),
        ("eve", f"{SITE}/members", resource_not_found("Project")),
        ("eve", f"{SITE}/members/all", resource_not_found("Project")),
        ("ext", f"{TOOLS}/members", resource_not_found("Group")),
        ("root", "projects/9999/members", resource_not_found("Project")),
        ("root", "groups/9999/members", resource_not_found("Group")),
        ("ada", f"{SITE}/members/2", NOT_FOUND),
        ("ada", f"{ACME}/members/7", NOT_FOUND),
        ("ada", f"{SITE}/members/all/7", NOT_FOUND),
        ("ada", f"{ACME}/members/ada", invalid("user_id is invalid")),
        ("ada", f"{ACME}/members?page=x", invalid("page is invalid")),
        ("ada", f"{ACME}/members?user_ids=x", invalid("user_ids is invalid")),
    ],
)
def test_reading_members_is_refused(fakeplat: Fakeplat, viewer: str | None, path: str, expected: Outcome) -> None:
    """Somebody must be signed in and see the place; no member is a 404 with a small f."""
    assert expected == refusal(fakeplat, viewer, "GET", path)


INVITED = {
    "users": [{"username": name} for name in ("ann", "ben", "cora", "dora", "eve")],
    "groups": [
        {
            "path": "red",
            "visibility": "public",
            "members": {"ann": "owner"},
            "projects": [{"path": "work", "visibility": "public"}],
        },
        {
            "path": "blue",
            "visibility": "public",
            "members": {"ben": "owner"},
            "groups": [{"path": "deep", "visibility": "public", "members": {"ann": "reporter", "cora": "reporter"}}],
        },
        {"path": "secret", "visibility": "private", "members": {"dora": "owner"}},
    ],
}
WORK = "projects/red%2Fwork"


@pytest.mark.fakeplat(scenario=INVITED)
@pytest.mark.parametrize(
    ("viewer", "levels"),
    [
        ("eve", {"ann": 50, "ben": 30, "cora": 20}),
        ("dora", {"ann": 50, "ben": 30, "cora": 20, "dora": 30}),
        ("root", {"ann": 50, "ben": 30, "cora": 20, "dora": 30}),
    ],
)
def test_all_members_of_a_project_include_those_of_invited_groups(
    fakeplat: Fakeplat, viewer: str, levels: dict[str, int]
) -> None:
    """Members of visible invited groups and of the groups above these, at most at the level of the invitation."""
    for path in ("blue/deep", "secret"):
        body = {"group_id": fakeplat.world.group(path).id, "group_access": 30}
        assert 201 == fakeplat.as_user("root").post(f"{WORK}/share", json=body).status
    calls = fakeplat.as_user(viewer)
    listed = {member["username"]: member["access_level"] for member in calls.get(f"{WORK}/members/all").json()}
    expected = (200, 30) if "dora" in levels else (404, None)
    reply = calls.get(f"{WORK}/members/all/{person(fakeplat, 'dora')}")

    assert levels == listed
    assert set(levels) == set(usernames(calls.get(f"{WORK}/users")))
    assert expected == (reply.status, reply.json().get("access_level"))
    assert [] == calls.get(f"{WORK}/members").json()


INHERITED = {
    "users": [{"username": "ann"}, {"username": "ben"}, {"username": "cora"}],
    "groups": [
        {
            "path": "red",
            "name": "Red",
            "members": {"ann": "owner", "ben": "reporter"},
            "groups": [
                {
                    "path": "deep",
                    "members": {"ben": "developer"},
                    "projects": [{"path": "work", "members": {"ben": "maintainer"}}],
                }
            ],
        }
    ],
}


@pytest.mark.fakeplat(scenario=INHERITED)
@pytest.mark.parametrize(
    ("container", "level"), [("groups/red", 20), ("groups/red%2Fdeep", 30), ("projects/red%2Fdeep%2Fwork", 40)]
)
def test_of_several_memberships_the_highest_counts(fakeplat: Fakeplat, container: str, level: int) -> None:
    """Somebody who is a member at several places stands once in the whole list."""
    rows = fakeplat.as_user("ann").get(f"{container}/members/all").json()

    assert [("ann", 50), ("ben", level)] == sorted((row["username"], row["access_level"]) for row in rows)
    ben = fakeplat.as_user("ann").get(f"{container}/members/all/{person(fakeplat, 'ben')}").json()
    assert level == ben["access_level"]


# adding


@pytest.mark.parametrize(
    ("container", "level"),
    [*((SITE, level) for level in (10, 20, 30, 40)), *((ACME, level) for level in (10, 20, 30, 40, 50))],
)
@pytest.mark.fakeplat(releases="<14.10")
def test_a_member_can_be_added(fakeplat: Fakeplat, container: str, level: int) -> None:
    """Adding answers 201 with the member; projects take levels up to 40, groups up to 50."""
    body = {"user_id": EVE, "access_level": level, "expires_at": "2021-05-04"}
    reply = fakeplat.as_user("ada").post(f"{container}/members", json=body)

    assert (201, MEMBER) == (reply.status, set(reply.json()))
    assert (EVE, "eve", level, "2021-05-04") == tuple(
        reply.json()[name] for name in ("id", "username", "access_level", "expires_at")
    )
    assert reply.json() == fakeplat.as_user("ada").get(f"{container}/members/{EVE}").json()


@pytest.mark.parametrize(
    ("viewer", "container", "status"),
    [
        ("mia", SITE, 201),
        ("dev", SITE, 403),
        ("gus", SITE, 403),
        ("ada", ACME, 201),
        ("mia", ACME, 403),
        ("dev", ACME, 403),
    ],
)
def test_roles_that_add_members(fakeplat: Fakeplat, viewer: str, container: str, status: int) -> None:
    """Maintainers add members to a project, owners to a group."""
    body = {"user_id": EVE, "access_level": 10}
    if status == 403:
        assert FORBIDDEN == refusal(fakeplat, viewer, "POST", f"{container}/members", json=body)
    else:
        assert status == fakeplat.as_user(viewer).post(f"{container}/members", json=body).status


@pytest.mark.fakeplat(releases="<17.4")
@pytest.mark.parametrize(
    ("viewer", "container", "body", "expected"),
    [
        (None, DOCS, {"user_id": EVE, "access_level": 10}, UNAUTHORIZED),
        (None, DOCS, {}, UNAUTHORIZED),
        ("eve", SITE, {"user_id": EVE, "access_level": 10}, resource_not_found("Project")),
        ("eve", SITE, {"user_id": EVE}, invalid("access_level is missing")),
        ("dev", SITE, {"user_id": EVE}, invalid("access_level is missing")),
        ("ada", SITE, {"access_level": 10}, invalid("user_id is missing")),
        ("ada", SITE, {"user_id": "x", "access_level": 10}, invalid("user_id is invalid")),
        ("ada", SITE, {"user_id": EVE, "access_level": "x"}, invalid("access_level is invalid")),
        ("ada", SITE, {"user_id": EVE, "access_level": 10, "expires_at": "x"}, invalid("expires_at is invalid")),
        ("ada", SITE, {"user_id": 999, "access_level": 10}, resource_not_found("User")),
        ("ada", SITE, {"user_id": "", "access_level": 10}, resource_not_found("User")),
        pytest.param(
            *("ada", SITE, {"user_id": EVE, "access_level": 50}, UNLISTED),
            # From then on projects have Owners among their members.
            marks=pytest.mark.fakeplat(releases="<14.9"),
        ),
        ("ada", SITE, {"user_id": EVE, "access_level": 15}, UNLISTED),
        ("ada", ACME, {"user_id": EVE, "access_level": 60}, UNLISTED),
        ("ada", ACME, {"user_id": 3, "access_level": 30}, EXISTS),
        (
            "ada",
            SITE,
            {"user_id": 3, "access_level": 30},
            invalid_record(
                access_level=["should be greater than or equal to Maintainer inherited membership from group Acme"]
            ),
        ),
        (
            "ada",
            TOOLS,
            {"user_id": 4, "access_level": 20},
            invalid_record(
                access_level=["should be greater than or equal to Developer inherited membership from group Acme"]
            ),
        ),
        (
            "ada",
            SITE,
            {"user_id": EVE, "access_level": 10, "expires_at": "2020-11-19"},
            invalid_record(expires_at=["cannot be a date in the past"]),
        ),
    ],
)
def test_adding_a_member_is_refused(
    fakeplat: Fakeplat, viewer: str | None, container: str, body: Any, expected: Outcome
) -> None:
    """Adding a member checks login, parameters, container, role, user and membership in order."""
    assert expected == refusal(fakeplat, viewer, "POST", f"{container}/members", json=body)


def test_the_inherited_level_itself_is_enough(fakeplat: Fakeplat) -> None:
    """A direct membership may be as high as the inherited one."""
    assert 201 == fakeplat.as_user("ada").post(f"{SITE}/members", json={"user_id": 3, "access_level": 40}).status


@pytest.mark.parametrize("container", [SITE, ACME])
def test_several_can_be_added_at_once(fakeplat: Fakeplat, container: str) -> None:
    """A comma list of ids answers a status; who can be added is, and who is a member gets the level."""
    calls = fakeplat.as_user("ada")

    added = calls.post(f"{container}/members", json={"user_id": f"{EVE},{EXT}", "access_level": 30})
    assert (201, {"status": "success"}) == outcome(added)
    assert {"eve", "ext"} <= set(usernames(calls.get(f"{container}/members")))

    again = calls.post(f"{container}/members", json={"user_id": f"{EVE},{EXT}", "access_level": 20})
    assert (201, {"status": "success"}) == outcome(again)
    assert [20, 20] == [calls.get(f"{container}/members/{id_}").json()["access_level"] for id_ in (EVE, EXT)]


@pytest.mark.parametrize("container", [SITE, ACME])
def test_failures_of_several_are_a_sentence(fakeplat: Fakeplat, container: str) -> None:
    """Who cannot be added is named in a sentence with the reasons; nobody is added if there are more than 100."""
    body = {"user_id": f"{EVE},{EXT}", "access_level": 30, "expires_at": "2020-01-01"}
    past = "Expires at cannot be a date in the past"
    expected = {"status": "error", "message": f"eve: {past} and ext: {past}"}
    assert (201, expected) == refusal(fakeplat, "ada", "POST", f"{container}/members", json=body)

    ids = ",".join(map(str, range(EVE, EVE + 101)))
    many = {"status": "error", "message": "Too many users specified (limit is 100)"}
    body = {"user_id": ids, "access_level": 30}
    assert (201, many) == refusal(fakeplat, "ada", "POST", f"{container}/members", json=body)


@by_release(
    KEPT_MEMBERS_ARE_FAILURES,
    "expected",
    {
        "16.10": {"status": "success"},
        "16.11": {"status": "error", "message": "ada: not authorized to update member"},
    },
)
def test_the_last_owner_among_several_stays(fakeplat: Fakeplat, expected: dict[str, str]) -> None:
    """The others are added; later releases tell why the last owner is not changed."""
    owner = person(fakeplat, "ada")
    body = {"user_id": f"{EVE},{owner}", "access_level": 30}

    assert (201, expected) == outcome(fakeplat.as_user("ada").post(f"{ACME}/members", json=body))
    levels = [fakeplat.as_user("ada").get(f"{ACME}/members/{id_}").json()["access_level"] for id_ in (EVE, owner)]
    assert [30, 50] == levels


@pytest.mark.fakeplat(clock="virtual")
def test_a_membership_ends(fakeplat: Fakeplat) -> None:
    """A membership ends on the day of `expires_at`."""
    body = {"user_id": EVE, "access_level": 10, "expires_at": "2020-11-22"}
    fakeplat.as_user("ada").post(f"{SITE}/members", json=body)
    assert 200 == fakeplat.as_user("eve").get(SITE).status
    fakeplat.clock.advance("2d")

    assert resource_not_found("Project") == outcome(fakeplat.as_user("eve").get(SITE))
    assert [] == usernames(fakeplat.as_user("ada").get(f"{SITE}/members"))
