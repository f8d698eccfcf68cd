"""Accounts that a group provides. Source: ee/spec/requests/api/group_enterprise_users_spec.rb of the platform."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import ADMINISTRATORS_SEE_EMAILS_OF_MEMBERS
from tests.api.requests import FORBIDDEN, UNAUTHORIZED, names, outcome, person, refusal, resource_not_found, usernames
from tests.by_release import by_release

MANAGED = {"enterprise_group": "acme", "enterprise_group_associated_at": "2020-11-10T00:00:00Z"}
SCENARIO: dict[str, Any] = {
    "instance": {"tier": "ultimate", "version": "latest"},
    "users": [
        {"username": "ada"},
        {"username": "mia"},
        {
            "username": "ent",
            "name": "Ent Entwood",
            "email": "ent@corp.test",
            "created_at": "2020-11-01T00:00:00Z",
            "provisioned_by": "acme",
            "identities": [{"provider": "group_saml", "extern_uid": "ent-id", "group": "acme"}],
            **MANAGED,
        },
        {"username": "two", "created_at": "2020-11-15T00:00:00Z", "two_factor_enabled": True, **MANAGED},
        {"username": "off", "created_at": "2020-11-15T00:00:00Z", "state": "blocked", **MANAGED},
        {"username": "out", "enterprise_group": "rival"},
    ],
    "groups": [
        {
            "path": "acme",
            "scim": {"token": "scim-secret"},
            "members": {"ada": "owner", "mia": "maintainer", "two": "developer"},
            "groups": [{"path": "tools"}],
            "projects": [
                {"path": "site", "pages_domains": [{"domain": "corp.test", "verified_at": "2020-11-01T00:00:00Z"}]}
            ],
        },
        {"path": "rival", "members": {"mia": "owner"}},
    ],
}
pytestmark = pytest.mark.fakeplat(scenario=SCENARIO)
PATH = "groups/acme/enterprise_users"
NOT_ROOT = (400, {"message": "400 Bad request - Must be a top-level group"})
UNKNOWN = (404, {"message": "404 Not found"})


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", ["off", "two", "ent"]),
        ("username=two", ["two"]),
        ("search=entwood", ["ent"]),
        ("search=ent@corp.test", ["ent"]),
        ("active=true", ["two", "ent"]),
        ("blocked=true", ["off"]),
        ("created_after=2020-11-10T00:00:00Z", ["off", "two"]),
        ("created_before=2020-11-10T00:00:00Z", ["ent"]),
        ("two_factor=enabled", ["two"]),
        ("two_factor=disabled", ["off", "ent"]),
        ("two_factor=other&per_page=1", ["off"]),
    ],
)
def test_enterprise_users_are_listed_the_newest_first(fakeplat: Fakeplat, query: str, expected: list[str]) -> None:
    """Owners list the enterprise users of their group, with filters."""
    assert expected == usernames(fakeplat.as_user("ada").get(f"{PATH}?{query}"))


def test_an_enterprise_user_is_shown_to_the_owners(fakeplat: Fakeplat) -> None:
    """Owners see the account with its address and its identities."""
    ada = fakeplat.as_user("ada")
    acme = ada.get("groups/acme").json()["id"]
    user = ada.get(f"{PATH}/{person(fakeplat, 'ent')}").json()

    assert ("ent", "ent@corp.test", False) == (user["username"], user["email"], user["two_factor_enabled"])
    assert ["ent-id"] == names(user["identities"], "extern_uid")
    assert [{"extern_uid": "ent-id", "group_id": acme, "active": True}] == user["scim_identities"]
    assert "is_admin" not in user
    account = fakeplat.as_user("root").get(f"users/{user['id']}").json()
    assert (acme, "2020-11-10T00:00:00.000Z") == (
        account["enterprise_group_id"],
        account["enterprise_group_associated_at"],
    )


def test_owners_change_enterprise_users(fakeplat: Fakeplat) -> None:
    """An address of a verified domain of the group takes effect at once; any other one is refused."""
    ada, path = fakeplat.as_user("ada"), f"{PATH}/{person(fakeplat, 'ent')}"
    user = ada.patch(path, json={"name": "Entling", "email": "new@corp.test"}).json()

    assert ("Entling", "new@corp.test") == (user["name"], user["email"])
    text = "Email must be owned by the user's enterprise group"
    foreign = {"email": "new@elsewhere.test"}
    assert (400, {"message": text}) == refusal(fakeplat, "ada", "PATCH", path, json=foreign)


def test_owners_disable_the_second_factor_of_enterprise_users(fakeplat: Fakeplat) -> None:
    """Afterwards there is no second factor to disable."""
    ada, two = fakeplat.as_user("ada"), f"{PATH}/{person(fakeplat, 'two')}"

    assert (204, None) == outcome(ada.patch(f"{two}/disable_two_factor"))
    assert False is ada.get(two).json()["two_factor_enabled"]
    text = "400 Bad request - Two-factor authentication is not enabled for this user"
    assert (400, {"message": text}) == refusal(fakeplat, "ada", "PATCH", f"{two}/disable_two_factor")


def test_owners_delete_enterprise_users(fakeplat: Fakeplat) -> None:
    """The only owner of a group stays, unless the group is deleted, too."""
    ada, ent = fakeplat.as_user("ada"), person(fakeplat, "ent")
    token = {"access_level": 50, "user_id": ent}
    rival = fakeplat.as_user("mia")
    assert 201 == rival.post("groups/rival/members", json=token).status
    assert 204 == rival.delete(f"groups/rival/members/{person(fakeplat, 'mia')}").status

    text = "Can not remove a user who is the sole owner of a group."
    assert (409, {"message": text}) == refusal(fakeplat, "ada", "DELETE", f"{PATH}/{ent}")
    assert 204 == ada.delete(f"{PATH}/{ent}?hard_delete=true").status
    assert ["off", "two"] == usernames(ada.get(PATH))
    assert 404 == fakeplat.as_user("root").get("groups/rival").status


def test_refused_requests_about_enterprise_users(fakeplat: Fakeplat) -> None:
    """Only owners of top-level groups manage enterprise users, and only their own ones."""
    out = person(fakeplat, "out")
    requests = [("GET", ""), ("PATCH", ""), ("DELETE", ""), ("PATCH", "/disable_two_factor")]
    for method, tail in requests:
        assert UNKNOWN == refusal(fakeplat, "ada", method, f"{PATH}/{out}{tail}")
        assert FORBIDDEN == refusal(fakeplat, "mia", method, f"{PATH}/{out}{tail}")
        assert UNAUTHORIZED == refusal(fakeplat, None, method, f"{PATH}/{out}{tail}")
        subgroup = f"groups/acme%2Ftools/enterprise_users/{out}{tail}"
        assert NOT_ROOT == refusal(fakeplat, "ada", method, subgroup)
    assert FORBIDDEN == refusal(fakeplat, "mia", "GET", PATH)
    assert NOT_ROOT == refusal(fakeplat, "mia", "GET", "groups/acme%2Ftools/enterprise_users")
    assert resource_not_found("Group") == refusal(fakeplat, "ada", "GET", "groups/none/enterprise_users")


@pytest.mark.fakeplat(scenario={**SCENARIO, "instance": {**SCENARIO["instance"], "hosted": True}})
def test_maintainers_list_provisioned_users(fakeplat: Fakeplat) -> None:
    """A user whom SCIM created is one that the group provisioned."""
    body = {
        "externalId": "sid",
        "userName": "sid",
        "name": {"formatted": "Sid"},
        "emails": [{"type": "work", "value": "s@corp.test"}],
    }
    headers = {"Authorization": "Bearer scim-secret", "Content-Type": "application/scim+json"}
    calls = fakeplat.as_user(None)
    created = calls.post(f"{fakeplat.url}/api/scim/v2/groups/acme/Users", json=body, headers=headers)
    assert 201 == created.status

    assert ["sid", "ent"] == usernames(fakeplat.as_user("mia").get("groups/acme/provisioned_users"))
    assert FORBIDDEN == refusal(fakeplat, "two", "GET", "groups/acme/provisioned_users")
    assert resource_not_found("Group") == refusal(fakeplat, None, "GET", "groups/acme/provisioned_users")


def test_owners_list_users_of_the_single_sign_on(fakeplat: Fakeplat) -> None:
    """Users with an identity at the single sign-on of a top-level group are listed."""
    assert ["ent"] == usernames(fakeplat.as_user("ada").get("groups/acme/saml_users"))
    assert [] == usernames(fakeplat.as_user("ada").get("groups/acme/saml_users?blocked=true"))
    assert [] == usernames(fakeplat.as_user("mia").get("groups/rival/saml_users"))
    assert FORBIDDEN == refusal(fakeplat, "mia", "GET", "groups/acme/saml_users")
    assert NOT_ROOT == refusal(fakeplat, "ada", "GET", "groups/acme%2Ftools/saml_users")


@by_release(ADMINISTRATORS_SEE_EMAILS_OF_MEMBERS, "count", {"18.8": 0, "18.9": 3})
def test_owners_see_the_addresses_of_their_enterprise_users(fakeplat: Fakeplat, count: int) -> None:
    """Members who are enterprise users show their address to the owners, and all of them later to administrators."""
    path = "groups/acme/members"

    assert {"two"} == {row["username"] for row in fakeplat.as_user("ada").get(path).json() if "email" in row}
    assert count == sum("email" in row for row in fakeplat.as_user("root").get(path).json())
    assert 0 == sum("email" in row for row in fakeplat.as_user("mia").get(path).json())


def test_owners_see_the_identities_of_members(fakeplat: Fakeplat) -> None:
    """Owners of a group with a single sign-on see the identities of the members, and find those who have one."""
    ada, path = fakeplat.as_user("ada"), "groups/acme/members"
    ada.post(path, json={"username": "ent", "access_level": 30})
    identities = {row["username"]: row["group_saml_identity"] for row in ada.get(path).json()}
    provider = identities["ent"].pop("saml_provider_id")

    assert provider
    assert {
        "ada": None,
        "mia": None,
        "two": None,
        "ent": {"provider": "group_saml", "extern_uid": "ent-id"},
    } == identities
    assert ["ent"] == usernames(ada.get(f"{path}?with_saml_identity=true"))
    mia = fakeplat.as_user("mia")
    assert 4 == len(mia.get(f"{path}?with_saml_identity=true").json())
    assert not any("group_saml_identity" in row for row in mia.get(path).json())


def test_seats_of_members_are_shown_on_request(fakeplat: Fakeplat) -> None:
    """Whether a member takes a seat is shown if it is asked for."""
    ada, path = fakeplat.as_user("ada"), "groups/acme/members"

    assert [True] * 3 == names(ada.get(f"{path}?show_seat_info=true").json(), "is_using_seat")
    assert not any("is_using_seat" in row for row in ada.get(path).json())


def test_members_are_added_by_name(fakeplat: Fakeplat) -> None:
    """Members are added by one or more usernames in place of ids."""
    ada, path = fakeplat.as_user("ada"), "groups/acme/members"

    assert "ent" == ada.post(path, json={"username": "ent", "access_level": 30}).json()["username"]
    added = ada.post(path, json={"username": "out, nobody ,off", "access_level": 30})
    assert (201, {"status": "success"}) == outcome(added)
    assert {"ada", "mia", "two", "ent", "out", "off"} == {*usernames(ada.get(path))}
    missing = "user_id, username are missing, at least one parameter must be provided"
    assert (400, {"error": missing}) == refusal(fakeplat, "ada", "POST", path, json={"access_level": 30})
    both = {"access_level": 30, "user_id": 1, "username": "ent"}
    exclusive = (400, {"error": "user_id, username are mutually exclusive"})
    assert exclusive == refusal(fakeplat, "ada", "POST", path, json=both)
    nobody = {"access_level": 30, "username": "nobody"}
    assert resource_not_found("User") == refusal(fakeplat, "ada", "POST", path, json=nobody)


@pytest.mark.fakeplat(version="17.3")
def test_members_were_added_by_id_only(fakeplat: Fakeplat) -> None:
    """Before names, an id is required."""
    body = {"access_level": 30, "username": "ent"}
    assert (400, {"error": "user_id is missing"}) == refusal(fakeplat, "ada", "POST", "groups/acme/members", json=body)


@pytest.mark.parametrize("kind", ["issues", "merge_requests"])
@pytest.mark.parametrize("path", ["groups/acme", "projects/acme%2Fsite"])
@pytest.mark.fakeplat(scenario={"extends": "starter", "instance": {"version": "latest"}})
def test_who_is_removed_loses_assignments_on_request(fakeplat: Fakeplat, kind: str, path: str) -> None:
    """Removing a member ends assignments below, without a note, if that is asked for."""
    ada, user = fakeplat.as_user("ada"), person(fakeplat, "eve")
    assert 201 == ada.post(f"{path}/members", json={"user_id": user, "access_level": 30}).status
    (first, *_) = ada.get(f"projects/acme%2Fsite/{kind}").json()
    item = f"projects/acme%2Fsite/{kind}/{first['iid']}"
    ada.put(item, json={"assignee_ids": [user]})

    assert 204 == ada.delete(f"{path}/members/{user}?unassign_issuables=true").status
    assert [] == ada.get(item).json()["assignees"]
