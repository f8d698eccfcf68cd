"""Links of groups to groups of identity providers, and service accounts of groups.

Source: ee/lib/api/ldap_group_links.rb of the platform.
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.requests import FORBIDDEN, UNAUTHORIZED, Outcome, invalid, missing_value, outcome, refusal

pytestmark = pytest.mark.fakeplat(scenario="starter", tier="premium", version="latest")
LDAP, SAML = (f"groups/acme/{name}" for name in ("ldap_group_links", "saml_group_links"))
ONE_OF = "cn, filter are missing, exactly one parameter must be provided"
LINK = {"cn": "devs", "group_access": 30, "provider": "ldapmain"}


def test_ldap_links_are_added_and_listed(fakeplat: Fakeplat) -> None:
    """LDAP links are added by group name or filter; without any their list answers 404."""
    ada = fakeplat.as_user("ada")
    assert (404, {"message": "No linked LDAP groups found"}) == refusal(fakeplat, "ada", "GET", LDAP)
    by_filter = {"filter": "(uid=a*)", "group_access": 10, "provider": "ldapmain"}

    assert (201, {**LINK, "filter": None}) == outcome(ada.post(LDAP, json=LINK))
    assert (201, {**by_filter, "cn": None}) == outcome(ada.post(LDAP, json=by_filter))
    assert [{**LINK, "filter": None}, {**by_filter, "cn": None}] == ada.get(LDAP).json()
    assert (409, {"message": "Cn has already been taken"}) == refusal(fakeplat, "ada", "POST", LDAP, json=LINK)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({}, invalid(f"{missing_value('group_access')}, provider is missing, {ONE_OF}")),
        ({**LINK, "filter": "x"}, invalid("cn, filter are mutually exclusive")),
        ({**LINK, "group_access": 11}, invalid("group_access does not have a valid value")),
    ],
    ids=["nothing", "both", "level"],
)
def test_invalid_ldap_links_are_refused(fakeplat: Fakeplat, body: dict[str, Any], expected: Outcome) -> None:
    """LDAP links with invalid parameters are refused."""
    assert expected == refusal(fakeplat, "ada", "POST", LDAP, json=body)


@pytest.mark.parametrize("path", ["ldap_group_links/devs", "ldap_group_links/ldapmain/devs"])
def test_an_ldap_link_is_deleted(fakeplat: Fakeplat, path: str) -> None:
    """An LDAP link is deleted by its name, with or without the provider, once."""
    ada = fakeplat.as_user("ada")
    ada.post(LDAP, json=LINK)
    ada.post(LDAP, json={**LINK, "provider": "ldapother"})

    assert 204 == ada.delete(f"groups/acme/{path}").status
    assert ["ldapother"] == [link["provider"] for link in ada.get(LDAP).json()]


@pytest.mark.parametrize("path", ["other", "ldapother/devs", "ldapmain/other"])
def test_an_unknown_ldap_link_is_not_found(fakeplat: Fakeplat, path: str) -> None:
    """The name and the provider have to be those of a link."""
    fakeplat.as_user("ada").post(LDAP, json=LINK)

    expected = (404, {"message": "Linked LDAP group not found"})
    assert expected == refusal(fakeplat, "ada", "DELETE", f"{LDAP}/{path}")
    assert FORBIDDEN == refusal(fakeplat, "mia", "DELETE", f"{LDAP}/devs")
    assert UNAUTHORIZED == refusal(fakeplat, None, "DELETE", f"{LDAP}/devs")


def test_a_group_is_synchronized(fakeplat: Fakeplat) -> None:
    """Owners start it; it is accepted, and changes nothing."""
    before = fakeplat.as_user("ada").get("groups/acme/members/all").json()

    assert (202, 202) == outcome(fakeplat.as_user("ada").post("groups/acme/ldap_sync"))
    assert before == fakeplat.as_user("ada").get("groups/acme/members/all").json()
    assert FORBIDDEN == refusal(fakeplat, "mia", "POST", "groups/acme/ldap_sync")


@pytest.mark.parametrize("path", ["ldap/groups", "ldap/ldapmain/groups"])
def test_there_are_no_ldap_groups(fakeplat: Fakeplat, path: str) -> None:
    """Every user may ask, unless the setting reserves LDAP to administrators."""
    for username in ("root", "eve"):
        assert (200, []) == outcome(fakeplat.as_user(username).get(f"{path}?search=d"))
    assert UNAUTHORIZED == refusal(fakeplat, None, "GET", path)

    fakeplat.load({"settings": {"allow_group_owners_to_manage_ldap": False}})
    assert (200, []) == outcome(fakeplat.as_user("root").get(path))
    assert FORBIDDEN == refusal(fakeplat, "ada", "GET", path)


def test_saml_links_are_added_once(fakeplat: Fakeplat) -> None:
    """Adding the same SAML link twice answers 409."""
    body = {"saml_group_name": "devs", "access_level": 30}

    shown = {"name": "devs", "access_level": 30, "provider": None}
    assert (201, shown) == outcome(fakeplat.as_user("ada").post(SAML, json=body))
    expected = (409, {"message": "SAML group name has already been taken"})
    assert expected == refusal(fakeplat, "ada", "POST", SAML, json=body)
