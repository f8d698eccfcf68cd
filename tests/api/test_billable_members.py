"""Members who take a seat of a top-level group. Source: ee/spec/requests/api/members_spec.rb of the platform."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import BAD_REQUEST
from tests.api.requests import UNAUTHORIZED, invalid, names, person, refusal, resource_not_found
from tests.by_release import by_release

CID = {"created_at": "2020-11-02T00:00:00Z", "expires_at": "2030-01-01"}
SCENARIO: dict[str, Any] = {
    "instance": {"tier": "premium", "version": "latest"},
    "users": [
        {"username": "ada", "name": "Ada Adams", "last_activity_on": "2020-11-20", "current_sign_in_at": "2020-11-18"},
        {"username": "ben", "name": "Ben Bell", "public_email": "ben@public.test"},
        {"username": "cid", "name": "Cid Scott", "last_activity_on": "2020-11-19"},
        {"username": "dan", "name": "Dan Scott"},
        {"username": "eve", "name": "Eve Egan"},
        {"username": "out", "state": "blocked"},
    ],
    "groups": [
        {
            "path": "acme",
            "name": "Acme",
            "created_at": "2020-11-01T00:00:00Z",
            "members": {"ada": "owner", "ben": "guest", "out": "developer"},
            "groups": [
                {
                    "path": "tools",
                    "name": "Tools",
                    "members": [
                        {"username": "cid", "access_level": "developer", **CID},
                        {"username": "ada", "access_level": "owner"},
                    ],
                    "projects": [
                        {
                            "path": "kit",
                            "name": "Kit",
                            "members": {"dan": "maintainer"},
                            "shared_with_groups": {"guests": "developer"},
                        }
                    ],
                }
            ],
        },
        {"path": "guests", "name": "Guests", "members": {"eve": "owner", "dan": "developer"}},
    ],
}
pytestmark = pytest.mark.fakeplat(scenario=SCENARIO)
PATH = "groups/acme/billable_members"
BAD = (400, {"message": "400 Bad request"})


def test_billable_members_are_those_of_the_hierarchy_and_of_invited_groups(fakeplat: Fakeplat) -> None:
    """Members of the group, of everything below it and of invited groups take seats; blocked users do not."""
    rows = fakeplat.as_user("ada").get(PATH).json()
    ada, ben, *_ = rows

    expected = [
        ("ada", "group_member", True, True),
        ("ben", "group_member", True, False),
        ("cid", "group_member", True, False),
        ("dan", "project_member", True, False),
        ("eve", "project_invite", False, False),
    ]
    keys = ("username", "membership_type", "removable", "is_last_owner")
    assert expected == [tuple(row[key] for key in keys) for row in rows]
    assert ("ben@public.test", None, None) == (ben["email"], ben["last_activity_on"], ben["last_login_at"])
    assert (None, "2020-11-20") == (ada["email"], ada["last_activity_on"])
    fields = {"id", "name", "username", "state", "locked", "avatar_url", "web_url", "email", "last_activity_on"}
    assert fields | {"membership_type", "removable", "created_at", "is_last_owner", "last_login_at"} == {*ben}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("search=scott", ["cid", "dan"]),
        ("search=scott&sort=name_desc", ["dan", "cid"]),
        ("sort=name_asc", ["ada", "ben", "cid", "dan", "eve"]),
        ("sort=access_level_asc", ["ben", "cid", "dan", "ada", "eve"]),
        ("sort=access_level_desc", ["ada", "eve", "dan", "cid", "ben"]),
        ("sort=last_activity_on_desc", ["ada", "cid", "ben", "dan", "eve"]),
        ("sort=recent_sign_in&per_page=1", ["ada"]),
        ("per_page=2&page=2", ["cid", "dan"]),
    ],
)
def test_billable_members_are_searched_and_sorted(fakeplat: Fakeplat, query: str, expected: list[str]) -> None:
    """A search finds parts of names; of equal ones the older user comes first."""
    assert expected == names(fakeplat.as_user("ada").get(f"{PATH}?{query}").json(), "username")


def test_refused_lists_of_billable_members(fakeplat: Fakeplat) -> None:
    """Who does not own the group, and who asks for a subgroup, gets a bad request; unknown orders are invalid."""
    assert BAD == refusal(fakeplat, "ben", "GET", "groups/acme%2Ftools/billable_members")
    assert BAD == refusal(fakeplat, "root", "GET", "groups/acme%2Ftools/billable_members")
    assert resource_not_found("Group") == refusal(fakeplat, "ada", "GET", "groups/none/billable_members")
    assert UNAUTHORIZED == refusal(fakeplat, None, "GET", PATH)
    assert invalid("sort does not have a valid value") == refusal(fakeplat, "ada", "GET", f"{PATH}?sort=random")
    cid = person(fakeplat, "cid")
    for tail in ("", f"/{cid}/memberships", f"/{cid}/indirect"):
        assert BAD == refusal(fakeplat, "cid", "GET", f"groups/acme%2Ftools/billable_members{tail}")


@by_release(BAD_REQUEST, "text", {"13.12": "400 Bad request", "13.5": "400 (Bad request)"})
def test_the_text_of_a_bad_request_has_changed(fakeplat: Fakeplat, text: str) -> None:
    """A bad request was in parentheses in 13.5."""
    assert (400, {"message": text}) == refusal(fakeplat, "root", "GET", "groups/acme%2Ftools/billable_members")


def test_memberships_of_a_billable_member_are_direct_or_indirect(fakeplat: Fakeplat) -> None:
    """Direct memberships are those in the hierarchy, indirect ones those in groups that are invited there."""
    ada, base = fakeplat.as_user("ada"), fakeplat.url
    cid, dan = person(fakeplat, "cid"), person(fakeplat, "dan")
    (direct,) = ada.get(f"{PATH}/{cid}/memberships").json()
    tools = ada.get("groups/acme%2Ftools").json()["id"]

    assert direct.pop("id")
    assert {
        "source_id": tools,
        "source_full_name": "Acme / Tools",
        "source_members_url": f"{base}/groups/acme/tools/-/group_members",
        "created_at": "2020-11-02T00:00:00.000Z",
        "expires_at": "2030-01-01",
        "access_level": {"string_value": "Developer", "integer_value": 30, "custom_role": None},
    } == direct
    (of_project,) = ada.get(f"{PATH}/{dan}/memberships").json()
    assert "Acme / Tools / Kit" == of_project["source_full_name"]
    assert f"{base}/acme/tools/kit/-/project_members" == of_project["source_members_url"]
    assert ["Guests"] == names(ada.get(f"{PATH}/{dan}/indirect").json(), "source_full_name")
    assert [] == ada.get(f"{PATH}/{cid}/indirect").json()
    assert (404, {"message": "404 Not found"}) == refusal(fakeplat, "ada", "GET", f"{PATH}/999999/memberships")
    out = person(fakeplat, "out")
    assert resource_not_found("User") == refusal(fakeplat, "ada", "GET", f"{PATH}/{out}/memberships")


def test_removing_a_billable_member_ends_all_memberships_below(fakeplat: Fakeplat) -> None:
    """Who is removed loses the memberships of the group, of subgroups and of projects; the last owner stays."""
    ada, dan = fakeplat.as_user("ada"), person(fakeplat, "dan")
    kit = "projects/acme%2Ftools%2Fkit"

    assert 204 == ada.delete(f"{PATH}/{dan}").status
    assert [] == ada.get(f"{kit}/members").json()
    none = (400, {"message": "400 Bad request - No member found for the given user_id"})
    assert none == refusal(fakeplat, "ada", "DELETE", f"{PATH}/{dan}")
    assert none == refusal(fakeplat, "ada", "DELETE", f"{PATH}/999999")
    assert 204 == ada.delete(f"{PATH}/{person(fakeplat, 'ada')}").status
    assert ["ada"] == [row["username"] for row in ada.get("groups/acme/members").json() if row["access_level"] == 50]


def test_refused_removals_of_billable_members(fakeplat: Fakeplat) -> None:
    """Owners remove billable members, of top-level groups only."""
    cid = person(fakeplat, "cid")
    expected = (400, {"message": "400 Bad request - User unauthorized to remove member"})
    assert expected == refusal(fakeplat, "ben", "DELETE", f"{PATH}/{cid}")
    expected = (400, {"message": "400 Bad request - Invalid group provided, must be top-level"})
    assert expected == refusal(fakeplat, "ada", "DELETE", f"groups/acme%2Ftools/billable_members/{cid}")
    assert UNAUTHORIZED == refusal(fakeplat, None, "DELETE", f"{PATH}/{cid}")
