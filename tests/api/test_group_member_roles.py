"""Custom roles of groups and of administrators. Source: ee/spec/requests/api/member_roles_spec.rb of the platform."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import ROLE_PERMISSIONS_ARE_CHECKED, ROLES_OF_GROUPS_ARE_HOSTED
from tests.api.requests import (
    FORBIDDEN,
    UNAUTHORIZED,
    invalid,
    missing_value,
    names,
    outcome,
    person,
    refusal,
    resource_not_found,
)
from tests.by_release import by_release

SCENARIO: dict[str, Any] = {
    "extends": "starter",
    "instance": {"tier": "ultimate", "version": "latest", "hosted": True},
    "groups": [
        {"full_path": "acme", "member_roles": [{"name": "Reader", "base_access_level": 10, "read_code": True}]},
        {"path": "rival", "member_roles": [{"name": "Reader", "base_access_level": 10}], "members": {"mia": "owner"}},
        {"path": "guests", "visibility": "public", "members": {"eve": "guest"}},
    ],
}
pytestmark = pytest.mark.fakeplat(scenario=SCENARIO)
PATH, ADMIN_PATH = "groups/acme/member_roles", "admin_member_roles"
SELF_MANAGED = {**SCENARIO, "instance": {"tier": "ultimate", "version": "latest"}}
NOT_FOUND = resource_not_found("Member Role")


def test_groups_have_roles_of_their_own(fakeplat: Fakeplat) -> None:
    """Owners list, create and delete the roles of a top-level group; names are unique in the group."""
    ada = fakeplat.as_user("ada")
    acme = ada.get("groups/acme").json()["id"]
    role = {"base_access_level": 20, "name": "Keeper", "description": "x", "manage_deploy_tokens": True}
    status, created = outcome(ada.post(PATH, json=role))

    assert (201, acme, "Keeper", True) == (
        status,
        created["group_id"],
        created["name"],
        created["manage_deploy_tokens"],
    )
    assert ["Reader", "Keeper"] == names(ada.get(PATH).json(), "name")
    assert ["Reader", "Keeper"] == names(ada.get("groups/acme%2Ftools/member_roles").json(), "name")
    taken = (400, {"message": "Name has already been taken"})
    assert taken == refusal(fakeplat, "ada", "POST", PATH, json=role)
    assert "Guest - custom" == ada.post(PATH, json={"base_access_level": 10, "read_code": True}).json()["name"]
    assert 204 == ada.delete(f"{PATH}/{created['id']}").status
    assert NOT_FOUND == refusal(fakeplat, "ada", "DELETE", f"{PATH}/{created['id']}")


def test_refused_requests_about_roles_of_groups(fakeplat: Fakeplat) -> None:
    """Owners of the group manage its roles, of top-level groups only, and not those of others."""
    body = {"base_access_level": 10}
    (rival,) = fakeplat.as_user("mia").get("groups/rival/member_roles").json()
    for method in ("GET", "POST"):
        assert FORBIDDEN == refusal(fakeplat, "mia", method, PATH, json=body)
        assert UNAUTHORIZED == refusal(fakeplat, None, method, PATH, json=body)
    assert FORBIDDEN == refusal(fakeplat, "mia", "DELETE", f"{PATH}/{rival['id']}")
    assert NOT_FOUND == refusal(fakeplat, "ada", "DELETE", f"{PATH}/{rival['id']}")
    assert invalid(missing_value("base_access_level")) == refusal(fakeplat, "ada", "POST", PATH)


@by_release(
    ROLE_PERMISSIONS_ARE_CHECKED,
    "text",
    {
        "18.8": "Creation of member role is allowed only for root groups",
        "18.9": "Namespace must be top-level namespace",
    },
)
def test_subgroups_have_no_roles(fakeplat: Fakeplat, text: str) -> None:
    """Only top-level groups have custom roles."""
    body = {"base_access_level": 10, "read_code": True}

    subgroup = "groups/acme%2Ftools/member_roles"
    assert (400, {"message": text}) == refusal(fakeplat, "ada", "POST", subgroup, json=body)


def test_a_group_has_ten_roles(fakeplat: Fakeplat) -> None:
    """An eleventh custom role of a group is refused."""
    body = {"base_access_level": 10, "read_code": True}
    for number in range(9):
        assert 201 == fakeplat.as_user("ada").post(PATH, json={**body, "name": f"Role {number}"}).status
    text = (
        "Namespace maximum number of Member Roles are already in use by the group hierarchy. "
        "Please delete an existing Member Role."
    )

    assert (400, {"message": text}) == refusal(fakeplat, "ada", "POST", PATH, json={**body, "name": "One more"})


@by_release(ROLES_OF_GROUPS_ARE_HOSTED, "status", {"16.11": 201, "17.0": 400})
@pytest.mark.fakeplat(scenario=SELF_MANAGED)
def test_groups_of_other_instances_have_no_roles_from_17_0_on(fakeplat: Fakeplat, status: int) -> None:
    """Where the instance is not hosted, roles of groups are refused from 17.0 on."""
    answer = fakeplat.as_user("ada").post(PATH, json={"base_access_level": 10})

    assert status == answer.status
    if status == 400:
        page = f"{fakeplat.url}/help/update/deprecations.md"
        anchor = "deprecate-custom-role-creation-for-group-owners-on-self-managed"
        text = "400 Bad request - Group-level custom roles are deprecated on self-managed instances. See"
        assert {"message": f"{text} {page}#{anchor}"} == answer.json()


def test_members_get_the_roles_of_their_own_group(fakeplat: Fakeplat) -> None:
    """A role of another group is not found."""
    ada, eve = fakeplat.as_user("ada"), person(fakeplat, "eve")
    (role,) = ada.get(PATH).json()
    (other,) = fakeplat.as_user("mia").get("groups/rival/member_roles").json()
    body = {"user_id": eve, "access_level": 10}

    wrong = (400, {"message": {"member_role": ["not found"]}})
    assert wrong == refusal(
        fakeplat, "ada", "POST", "groups/acme/members", json={**body, "member_role_id": other["id"]}
    )
    member = ada.post("groups/acme/members", json={**body, "member_role_id": role["id"]}).json()
    assert role == member["member_role"]
    text = "Role is assigned to one or more group members. Remove role from all group members, then delete role."
    assert (400, {"message": text}) == refusal(fakeplat, "ada", "DELETE", f"{PATH}/{role['id']}")


@pytest.mark.parametrize("path", ["groups/acme", "projects/acme%2Fsite"])
def test_a_share_gives_a_role_to_the_invited_group(fakeplat: Fakeplat, path: str) -> None:
    """Members of a group that is invited with a role have its permissions."""
    ada, eve = fakeplat.as_user("ada"), fakeplat.as_user("eve")
    ada.put("projects/acme%2Fsite", json={"visibility": "private"})
    guests = eve.get("groups/guests").json()["id"]
    (role,) = ada.get(PATH).json()
    tree = "projects/acme%2Fsite/repository/tree"

    body = {"group_id": guests, "group_access": 10}
    assert 404 == eve.get(tree).status
    assert 201 == ada.post(f"{path}/share", json={**body, "member_role_id": role["id"]}).status
    assert 200 == eve.get(tree).status
    (share,) = [row for row in ada.get(path).json()["shared_with_groups"] if row["group_id"] == guests]
    assert role["id"] == share["member_role_id"]


def test_unknown_roles_of_shares_are_refused(fakeplat: Fakeplat) -> None:
    """A share with a role that does not exist is refused."""
    guests = fakeplat.as_user("eve").get("groups/guests").json()["id"]
    body = {"group_id": guests, "group_access": 10, "member_role_id": 1}
    wrong = (400, {"message": {"member_role": ["not found"]}})
    for path in ("groups/acme", "projects/acme%2Fsite"):
        assert wrong == refusal(fakeplat, "ada", "POST", f"{path}/share", json=body)


@pytest.mark.fakeplat(scenario=SELF_MANAGED)
def test_administrators_have_roles(fakeplat: Fakeplat) -> None:
    """Roles of administrators have no level, and only the permissions of administrators."""
    root = fakeplat.as_user("root")
    body = {"name": "Helpdesk", "read_admin_users": True, "read_code": True, "base_access_level": 10}
    status, role = outcome(root.post(ADMIN_PATH, json=body))

    assert (201, "Helpdesk", True, False, None) == (
        status,
        role["name"],
        role["read_admin_users"],
        role["read_code"],
        role["group_id"],
    )
    assert "base_access_level" not in role
    assert [role] == root.get(ADMIN_PATH).json()
    assert [] == root.get("member_roles").json()
    unnamed = {"read_admin_users": True}
    assert "Admin role - custom" == root.post(ADMIN_PATH, json=unnamed).json()["name"]
    taken = (400, {"message": "Name has already been taken"})
    assert taken == refusal(fakeplat, "root", "POST", ADMIN_PATH, json=unnamed)
    empty = (
        "Cannot create a member role with no enabled permissions, Base access level can't be blank, "
        "Base access level is not included in the list"
    )
    assert (400, {"message": empty}) == refusal(fakeplat, "root", "POST", ADMIN_PATH, json={"name": "Empty"})
    wrong = (400, {"message": {"member_role": ["not found"]}})
    member = {"user_id": person(fakeplat, "eve"), "access_level": 10, "member_role_id": role["id"]}
    assert wrong == refusal(fakeplat, "ada", "POST", "groups/acme/members", json=member)
    assert 204 == root.delete(f"{ADMIN_PATH}/{role['id']}").status
    assert NOT_FOUND == refusal(fakeplat, "root", "DELETE", f"{ADMIN_PATH}/{role['id']}")


@pytest.mark.fakeplat(scenario=SELF_MANAGED)
@pytest.mark.parametrize(("method", "tail"), [("GET", ""), ("POST", ""), ("DELETE", "/1")])
def test_only_administrators_have_roles_of_administrators(fakeplat: Fakeplat, method: str, tail: str) -> None:
    """Others may not even list them."""
    assert FORBIDDEN == refusal(fakeplat, "ada", method, f"{ADMIN_PATH}{tail}")
    assert UNAUTHORIZED == refusal(fakeplat, None, method, f"{ADMIN_PATH}{tail}")


def test_links_to_identity_providers_have_roles(fakeplat: Fakeplat) -> None:
    """SAML and LDAP links name the role that users get."""
    ada = fakeplat.as_user("ada")
    (role,) = ada.get(PATH).json()
    saml = {"saml_group_name": "devs", "access_level": 10, "member_role_id": role["id"], "provider": "okta"}
    ldap = {"cn": "devs", "group_access": 10, "provider": "ldapmain", "member_role_id": role["id"]}

    expected = {"name": "devs", "access_level": 10, "member_role_id": role["id"], "provider": "okta"}
    assert (201, expected) == outcome(ada.post("groups/acme/saml_group_links", json=saml))
    assert role["id"] == ada.post("groups/acme/ldap_group_links", json=ldap).json()["member_role_id"]
    for kind, body in (("saml", saml), ("ldap", {**ldap, "cn": "x"})):
        wrong = (400, {"message": {"member_role": ["not found"]}})
        unknown = {**body, "saml_group_name": "x", "member_role_id": 1}
        assert wrong == refusal(fakeplat, "ada", "POST", f"groups/acme/{kind}_group_links", json=unknown)


def test_saml_links_of_one_name_differ_by_their_provider(fakeplat: Fakeplat) -> None:
    """Links of the same name need the provider; an empty one means the link without one."""
    ada, links = fakeplat.as_user("ada"), "groups/acme/saml_group_links"
    for provider in (None, "okta"):
        body = {"saml_group_name": "devs", "access_level": 10, "provider": provider}
        assert 201 == ada.post(links, json=body).status
        assert (409, {"message": "SAML group name has already been taken"}) == refusal(
            fakeplat, "ada", "POST", links, json=body
        )

    text = "Multiple group links found with the same name. Please specify a provider parameter to disambiguate."
    for method in ("GET", "DELETE"):
        assert (422, {"message": text}) == refusal(fakeplat, "ada", method, f"{links}/devs")
        gone = (404, {"message": "Linked SAML group link not found"})
        assert gone == refusal(fakeplat, "ada", method, f"{links}/devs?provider=other")
    assert "okta" == ada.get(f"{links}/devs?provider=okta").json()["provider"]
    assert None is ada.get(f"{links}/devs?provider=").json()["provider"]
    assert 204 == ada.delete(f"{links}/devs?provider=okta").status
    assert [None] == names(ada.get(links).json(), "provider")


def test_ldap_links_are_deleted_by_parameters(fakeplat: Fakeplat) -> None:
    """A link is named by its provider and either the LDAP group or the filter."""
    ada, links = fakeplat.as_user("ada"), "groups/acme/ldap_group_links"
    ada.post(links, json={"cn": "devs", "group_access": 10, "provider": "ldapmain"})
    ada.post(links, json={"filter": "(id=1)", "group_access": 10, "provider": "ldapmain"})

    unknown = (404, {"message": "Linked LDAP group not found"})
    assert unknown == refusal(fakeplat, "ada", "DELETE", f"{links}?provider=other&cn=devs")
    both = invalid("cn, filter are mutually exclusive")
    assert both == refusal(fakeplat, "ada", "DELETE", f"{links}?provider=ldapmain&cn=devs&filter=x")
    assert FORBIDDEN == refusal(fakeplat, "mia", "DELETE", f"{links}?provider=ldapmain&cn=devs")
    assert 204 == ada.delete(f"{links}?provider=ldapmain&cn=devs").status
    assert ["(id=1)"] == names(ada.get(links).json(), "filter")
    assert 204 == ada.delete(f"{links}?provider=ldapmain&filter=(id%3D1)").status
