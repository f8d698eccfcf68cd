"""SAML and SCIM identities of groups. Source: docs/platform/scim.md ('Identities')."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.requests import FORBIDDEN, UNAUTHORIZED, invalid, names, person, refusal, resource_not_found

SCENARIO: dict[str, Any] = {
    "extends": "starter",
    "instance": {"tier": "premium", "version": "latest"},
    "users": [
        {"username": "dev", "identities": [{"provider": "group_saml", "extern_uid": "dev-id", "group": "acme"}]},
        {"username": "ada", "identities": [{"provider": "group_saml", "extern_uid": "ada-id", "group": "acme"}]},
    ],
    "groups": [{"full_path": "acme", "scim": {"token": "scim-secret"}}],
}
pytestmark = pytest.mark.fakeplat(scenario=SCENARIO)
KINDS = pytest.mark.parametrize("kind", ["saml", "scim"])
UNKNOWN = resource_not_found("Identity")


@KINDS
def test_identities_of_a_group_are_listed_changed_and_deleted(fakeplat: Fakeplat, kind: str) -> None:
    """Owners list the identities of a group, change the ids of users, and delete identities."""
    ada, path = fakeplat.as_user("ada"), f"groups/acme/{kind}"
    activity = {"active": True} if kind == "scim" else {}
    dev = {"extern_uid": "dev-id", "user_id": person(fakeplat, "dev"), **activity}

    assert dev in ada.get(f"{path}/identities").json()
    assert dev == ada.get(f"{path}/dev-id").json()
    changed = {**dev, "extern_uid": "x.y@z"}
    assert changed == ada.patch(f"{path}/dev-id", json={"extern_uid": "x.y@z"}).json()
    assert changed == ada.get(f"{path}/x.y%40z").json()
    assert 204 == ada.delete(f"{path}/x.y%40z").status
    assert ["ada-id"] == names(ada.get(f"{path}/identities").json(), "extern_uid")


@KINDS
def test_refused_changes_of_identities(fakeplat: Fakeplat, kind: str) -> None:
    """Ids of others and unknown ids are refused, and so is whoever does not own the group."""
    path = f"groups/acme/{kind}"
    taken = (400, {"message": "Extern uid has already been taken"})
    body = {"extern_uid": "ada-id"}

    assert taken == refusal(fakeplat, "ada", "PATCH", f"{path}/dev-id", json=body)
    assert invalid("extern_uid is missing") == refusal(fakeplat, "ada", "PATCH", f"{path}/dev-id")
    for method in ("GET", "PATCH", "DELETE"):
        assert UNKNOWN == refusal(fakeplat, "ada", method, f"{path}/none", json=body)
        assert FORBIDDEN == refusal(fakeplat, "mia", method, f"{path}/dev-id", json=body)
        assert UNAUTHORIZED == refusal(fakeplat, None, method, f"{path}/dev-id", json=body)
    assert FORBIDDEN == refusal(fakeplat, "mia", "GET", f"{path}/identities")


def test_a_group_without_single_sign_on_has_no_identities(fakeplat: Fakeplat) -> None:
    """The list of SAML identities is refused without single sign-on, that of SCIM is empty."""
    group = "groups/acme%2Ftools"

    assert (400, {"message": "400 Bad request"}) == refusal(fakeplat, "ada", "GET", f"{group}/saml/identities")
    assert [] == fakeplat.as_user("ada").get(f"{group}/scim/identities").json()
