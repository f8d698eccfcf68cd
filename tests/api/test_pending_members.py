"""Memberships that await approval, and those of LDAP groups. Source: ee/spec/requests/api/members_spec.rb."""

from typing import Any

import pytest

from fakeplat.domain.people import members
from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import SERVICE_ACCOUNTS_ARE_NOT_SYNCHRONIZED
from tests.api.requests import FORBIDDEN, UNAUTHORIZED, invalid, names, outcome, person, refusal, resource_not_found
from tests.by_release import by_release
from tests.graphql.queries import query_data

WAITING = {"access_level": "developer", "state": "awaiting"}
SCENARIO: dict[str, Any] = {
    "instance": {"tier": "premium", "version": "latest"},
    "users": [{"username": name} for name in ("ada", "ben", "cid", "dan", "eve", "zoe")],
    "groups": [
        {
            "path": "acme",
            "visibility": "private",
            "members": [
                {"username": "ada", "access_level": "owner"},
                {"username": "ben", **WAITING},
                {"username": "eve", "access_level": "developer"},
                {"username": "zoe", "access_level": "developer"},
            ],
            "invitations": {"new@example.com": "developer"},
            "groups": [
                {
                    "path": "tools",
                    "members": [{"username": "ben", **WAITING}, {"username": "cid", **WAITING}],
                    "projects": [{"path": "kit", "members": [{"username": "dan", **WAITING}]}],
                }
            ],
        },
        {
            "path": "staff",
            "ldap_group_links": [{"cn": "devs", "group_access": 30, "provider": "ldapmain"}],
            "members": [
                {"username": "ada", "access_level": "owner"},
                {"username": "ben", **WAITING},
                {"username": "eve", "access_level": "developer", "ldap": True},
                {"username": "zoe", "access_level": "developer"},
            ],
            "access_requests": ["dan"],
        },
    ],
}
pytestmark = pytest.mark.fakeplat(scenario=SCENARIO)
PENDING = "groups/acme/pending_members"
BAD = (400, {"message": "400 Bad request"})
NOTHING = (400, {"message": "400 Bad request - No memberships found"})


def list_pending(fake: Fakeplat) -> list[dict[str, Any]]:
    rows = fake.as_user("ada").get(PENDING).json()
    return [dict(row) for row in rows]


def test_pending_members_are_listed_once_with_the_invitations(fakeplat: Fakeplat) -> None:
    """Each user who awaits approval below a group is listed once, then each invited address."""
    ben, cid, dan, invited = list_pending(fakeplat)

    assert ["ben", "cid", "dan"] == [ben["username"], cid["username"], dan["username"]]
    shown = {"id", "name", "username", "email", "avatar_url", "web_url", "approved", "invited"}
    assert (shown, "ben@example.test", False, False) == ({*ben}, ben["email"], ben["approved"], ben["invited"])
    assert ("new@example.com", True, True) == (invited["email"], invited["approved"], invited["invited"])
    assert {"id", "email", "avatar_url", "approved", "invited"} == {*invited}


def test_who_awaits_approval_has_no_access(fakeplat: Fakeplat) -> None:
    """A membership grants nothing until it is approved, which approves all memberships of the user below the group."""
    ben, ada = list_pending(fakeplat)[0], fakeplat.as_user("ada")
    assert 404 == fakeplat.as_user("ben").get("groups/acme").status
    (row,) = [row for row in ada.get("groups/acme/members").json() if row["username"] == "ben"]
    assert "awaiting" == row["membership_state"]

    assert (204, None) == outcome(ada.put(f"groups/acme/members/{ben['id']}/approve"))
    assert 200 == fakeplat.as_user("ben").get("groups/acme%2Ftools").status
    assert ["cid", "dan"] == [row["username"] for row in list_pending(fakeplat) if "username" in row]
    assert NOTHING == refusal(fakeplat, "ada", "PUT", f"groups/acme/members/{ben['id']}/approve")


def test_all_pending_members_are_approved_together(fakeplat: Fakeplat) -> None:
    """Approving all leaves only the invitations, which need no approval."""
    ada = fakeplat.as_user("ada")

    assert (204, None) == outcome(ada.post("groups/acme/members/approve_all"))
    (invited,) = list_pending(fakeplat)
    assert 200 == fakeplat.as_user("dan").get("projects/acme%2Ftools%2Fkit").status
    assert NOTHING == refusal(fakeplat, "ada", "POST", "groups/acme/members/approve_all")
    assert NOTHING == refusal(fakeplat, "ada", "PUT", f"groups/acme/members/{invited['id']}/approve")


def test_refused_approvals(fakeplat: Fakeplat) -> None:
    """Owners of top-level groups approve members; unknown memberships are not found."""
    ben = list_pending(fakeplat)[0]["id"]
    requests = [
        ("GET", "pending_members"),
        ("PUT", f"members/{ben}/approve"),
        ("POST", "members/approve_all"),
        ("PUT", f"members/{person(fakeplat, 'zoe')}/state?state=awaiting"),
    ]
    for method, tail in requests:
        assert BAD == refusal(fakeplat, "zoe", method, f"groups/acme/{tail}")
        assert BAD == refusal(fakeplat, "ada", method, f"groups/acme%2Ftools/{tail}")
        assert UNAUTHORIZED == refusal(fakeplat, None, method, f"groups/acme/{tail}")
        assert resource_not_found("Group") == refusal(fakeplat, "ada", method, f"groups/none/{tail}")
    unknown = (404, {"message": "404 Not found"})
    assert unknown == refusal(fakeplat, "ada", "PUT", "groups/acme/members/1/approve")


def test_owners_change_the_state_of_memberships(fakeplat: Fakeplat) -> None:
    """All memberships of a user below the group await approval, or are approved."""
    ada, zoe = fakeplat.as_user("ada"), fakeplat.as_user("zoe")
    path = f"groups/acme/members/{person(fakeplat, 'zoe')}/state"

    assert (200, {"success": True}) == outcome(ada.put(path, json={"state": "awaiting"}))
    assert 404 == zoe.get("groups/acme").status
    assert (200, {"success": True}) == outcome(ada.put(path, json={"state": "active"}))
    assert 200 == zoe.get("groups/acme").status


@pytest.mark.parametrize(
    ("username", "state", "expected"),
    [
        ("zoe", "active", (422, {"message": "No memberships found"})),
        ("root", "awaiting", (422, {"message": "No memberships found"})),
        ("ada", "awaiting", (422, {"message": "The last owner cannot be set to awaiting"})),
        ("zoe", "gone", invalid("state does not have a valid value")),
    ],
)
def test_refused_states_of_memberships(fakeplat: Fakeplat, username: str, state: str, expected: object) -> None:
    """Nobody without memberships and no last owner changes states; other states are invalid."""
    path = f"groups/acme/members/{person(fakeplat, username)}/state"
    assert expected == refusal(fakeplat, "ada", "PUT", path, json={"state": state})
    gone = refusal(fakeplat, "ada", "PUT", "groups/acme/members/999999/state", json={"state": "active"})
    assert resource_not_found("User") == gone


def test_lists_of_all_members_are_filtered_by_state(fakeplat: Fakeplat) -> None:
    """The lists with inherited members tell who awaits approval."""
    ada, path = fakeplat.as_user("ada"), "projects/acme%2Ftools%2Fkit/members/all"

    assert ["dan", "ben", "cid"] == sorted(
        names(ada.get(f"{path}?state=awaiting").json(), "username"), key=["dan", "ben", "cid"].index
    )
    assert ["ada", "eve", "zoe"] == names(ada.get(f"{path}?state=active").json(), "username")
    assert 6 == len(ada.get(path).json())


def test_the_level_of_an_ldap_member_needs_an_override(fakeplat: Fakeplat) -> None:
    """The level of a member of an LDAP group changes only while it is overridden."""
    ada, eve = fakeplat.as_user("ada"), f"groups/staff/members/{person(fakeplat, 'eve')}"
    level = {"access_level": 40}

    assert False is ada.get(eve).json()["override"]
    assert FORBIDDEN == refusal(fakeplat, "ada", "PUT", eve, json=level)
    status, member = outcome(ada.post(f"{eve}/override"))
    assert (201, True, 30) == (status, member["override"], member["access_level"])
    assert 40 == ada.put(eve, json=level).json()["access_level"]
    status, member = outcome(ada.delete(f"{eve}/override"))
    assert (200, False) == (status, member["override"])
    assert "override" not in ada.get(f"groups/staff/members/{person(fakeplat, 'zoe')}").json()


def test_only_ldap_members_are_overridden(fakeplat: Fakeplat) -> None:
    """Others cannot be overridden, and whoever does not own the group, or may not manage LDAP, cannot override."""
    eve, zoe = person(fakeplat, "eve"), person(fakeplat, "zoe")
    for method in ("POST", "DELETE"):
        assert FORBIDDEN == refusal(fakeplat, "ada", method, f"groups/staff/members/{zoe}/override")
        assert FORBIDDEN == refusal(fakeplat, "zoe", method, f"groups/staff/members/{eve}/override")
        unknown = (404, {"message": "404 Not found"})
        assert unknown == refusal(fakeplat, "ada", method, "groups/staff/members/999999/override")
    fakeplat.load({"settings": {"allow_group_owners_to_manage_ldap": False}})
    assert FORBIDDEN == refusal(fakeplat, "ada", "POST", f"groups/staff/members/{eve}/override")
    assert 201 == fakeplat.as_user("root").post(f"groups/staff/members/{eve}/override").status


@pytest.mark.parametrize(
    "version", [pytest.param(v, marks=pytest.mark.fakeplat(version=v)) for v in ("13.5", "latest")]
)
@pytest.mark.parametrize("username", ["ada", "root"])
def test_nobody_adds_members_to_a_group_of_ldap_or_removes_them(
    fakeplat: Fakeplat, username: str, version: str
) -> None:
    """Members of a group with LDAP links come from there; users may still leave, and other groups are as usual."""
    del version  # It is that of the world.
    zoe, path = person(fakeplat, "zoe"), "groups/staff/members"
    body = {"user_id": person(fakeplat, "cid"), "access_level": 30}

    assert FORBIDDEN == refusal(fakeplat, username, "POST", path, json=body)
    assert FORBIDDEN == refusal(fakeplat, username, "POST", path, json={**body, "user_id": f"{zoe},3"})
    for name in ("eve", "zoe"):
        assert FORBIDDEN == refusal(fakeplat, username, "DELETE", f"{path}/{person(fakeplat, name)}")
    assert FORBIDDEN == refusal(fakeplat, username, "GET", "groups/staff/access_requests")
    approval = f"groups/staff/access_requests/{person(fakeplat, 'dan')}/approve"
    assert FORBIDDEN == refusal(fakeplat, username, "PUT", approval)
    assert 200 == fakeplat.as_user(username).put(f"{path}/{zoe}", json={"access_level": 20}).status
    assert 204 == fakeplat.as_user("zoe").delete(f"{path}/{zoe}").status
    assert 201 == fakeplat.as_user(username).post("groups/acme/members", json=body).status


def test_members_of_a_group_of_ldap_are_not_approved(fakeplat: Fakeplat) -> None:
    """Nobody approves members of a group with LDAP links. Owners see who takes a seat, but not the memberships."""
    zoe = person(fakeplat, "zoe")
    for method, tail in [
        ("GET", "pending_members"),
        ("POST", "members/approve_all"),
        ("PUT", f"members/{zoe}/state?state=awaiting"),
        ("GET", f"billable_members/{zoe}/memberships"),
    ]:
        assert BAD == refusal(fakeplat, "ada", method, f"groups/staff/{tail}")
    assert 200 == fakeplat.as_user("ada").get("groups/staff/billable_members").status


@by_release(SERVICE_ACCOUNTS_ARE_NOT_SYNCHRONIZED, "statuses", {"18.8": (403, 403), "18.9": (201, 204)})
def test_service_accounts_join_groups_of_ldap(fakeplat: Fakeplat, statuses: tuple[int, int]) -> None:
    """Owners add service accounts to a group with LDAP links, and remove them, in later releases."""
    ada = fakeplat.as_user("ada")
    account = fakeplat.as_user("root").post("service_accounts").json()["id"]
    added = ada.post("groups/staff/members", json={"user_id": account, "access_level": 30}).status
    if added == 403:
        with fakeplat.bench.platform.acting() as ctx:
            group = ctx.world.namespaces[ada.get("groups/staff").json()["id"]]
            members.add_member(ctx, group, ctx.world.users[account], 30)

    assert statuses == (added, ada.delete(f"groups/staff/members/{account}").status)
    body = {"user_id": account, "access_level": 30}
    assert FORBIDDEN == refusal(fakeplat, "zoe", "POST", "groups/staff/members", json=body)


@pytest.mark.parametrize(
    ("setting", "statuses"),
    [
        ("lock_memberships_to_ldap", (403, 403, 403)),
        ("lock_memberships_to_saml", (201, 200, 204)),
    ],
)
def test_memberships_are_locked_to_an_identity_provider(
    fakeplat: Fakeplat, setting: str, statuses: tuple[int, int, int]
) -> None:
    """With the settings only administrators change memberships; for SAML in groups with links to it."""
    fakeplat.load({"settings": {setting: True}})
    path, zoe = "groups/acme/members", person(fakeplat, "zoe")
    ada, new = fakeplat.as_user("ada"), {"user_id": person(fakeplat, "cid"), "access_level": 20}

    assert statuses == (
        ada.post(path, json=new).status,
        ada.put(f"{path}/{zoe}", json={"access_level": 20}).status,
        ada.delete(f"{path}/{zoe}").status,
    )
    ada.post("groups/acme/saml_group_links", json={"saml_group_name": "devs", "access_level": 30})
    again = {"user_id": person(fakeplat, "root"), "access_level": 20}
    assert FORBIDDEN == refusal(fakeplat, "ada", "POST", path, json=again)
    assert 201 == fakeplat.as_user("root").post(path, json=again).status


@pytest.mark.fakeplat(version="13.5")
def test_overrides_exist_from_the_start(fakeplat: Fakeplat) -> None:
    """The first release has overrides."""
    eve = f"groups/staff/members/{person(fakeplat, 'eve')}/override"
    assert True is fakeplat.as_user("ada").post(eve).json()["override"]


QUERY = """{ group(fullPath: "acme") { pendingMembers { nodes { id username name email webUrl avatarUrl approved invited
    accessLevel { stringValue } user { username } group { fullPath } } } } }"""


@pytest.mark.fakeplat(version="16.6")
def test_pending_members_are_listed_by_graphql(fakeplat: Fakeplat) -> None:
    """Owners of a top-level group list by GraphQL those whom REST lists, with their roles; others see none."""
    rest = list_pending(fakeplat)
    rows = query_data(fakeplat, "ada", QUERY)["group"]["pendingMembers"]["nodes"]

    assert [row["email"] for row in rest] == [row["email"] for row in rows]
    assert [row["avatar_url"] for row in rest] == [row["avatarUrl"] for row in rows]
    assert [row.get("web_url") for row in rest] == [row["webUrl"] for row in rows]
    assert [(False, False)] * 3 + [(True, True)] == [(row["approved"], row["invited"]) for row in rows]
    assert ["ben", "cid", "dan", None] == [row["username"] for row in rows]
    assert [{"username": "dan"}, None] == [row["user"] for row in rows[2:]]
    assert [{"fullPath": "acme"}, {"fullPath": "acme/tools"}, None, {"fullPath": "acme"}] == [
        row["group"] for row in rows
    ]
    assert {"stringValue": "DEVELOPER"} == rows[3]["accessLevel"]
    assert f"gid://gitlab/ProjectMember/{rest[2]['id']}" == rows[2]["id"]
    assert {"pendingMembers": None} == query_data(fakeplat, "zoe", QUERY)["group"]
    below = QUERY.replace('"acme"', '"acme/tools"')
    assert {"pendingMembers": None} == query_data(fakeplat, "ada", below)["group"]


@pytest.mark.fakeplat(version="16.6")
def test_pending_members_show_their_part_in_a_merge_request(fakeplat: Fakeplat) -> None:
    """Who awaits approval may do nothing in a merge request yet; an invited address has no part in any."""
    kit, ada = "projects/acme%2Ftools%2Fkit", fakeplat.as_user("ada")
    for branch, start in (("main", {}), ("feature", {"start_branch": "main"})):
        action = {"action": "create", "file_path": branch, "content": "x"}
        body = {"branch": branch, **start, "commit_message": "x", "actions": [action]}
        assert 201 == ada.post(f"{kit}/repository/commits", json=body).status
    fields = {"source_branch": "feature", "target_branch": "main", "title": "Feature"}
    id_ = ada.post(f"{kit}/merge_requests", json=fields).json()["id"]
    selection = f'mergeRequestInteraction(id: "gid://gitlab/MergeRequest/{id_}") {{ canMerge reviewed }}'
    query = f'{{ group(fullPath: "acme") {{ pendingMembers {{ nodes {{ {selection} }} }} }} }}'
    rows = query_data(fakeplat, "ada", query)["group"]["pendingMembers"]["nodes"]

    nothing = {"canMerge": False, "reviewed": False}
    assert [nothing] * 3 + [None] == [row["mergeRequestInteraction"] for row in rows]
