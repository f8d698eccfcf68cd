"""Credentials that the owners of a group manage. Source: ee/spec/requests/api/manage/groups_spec.rb of the platform."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.requests import FORBIDDEN, UNAUTHORIZED, names, outcome, person, refusal, resource_not_found
from tests.api.test_personal_access_tokens import send
from tests.ssh_keys import DSA, ECDSA, ED25519, RSA

SCENARIO: dict[str, Any] = {
    "instance": {"tier": "ultimate", "version": "latest", "hosted": True},
    "users": [
        {"username": "ada"},
        {"username": "mia", "keys": [{"title": "desk", "key": DSA}]},
        {
            "username": "ent",
            "enterprise_group": "acme",
            "tokens": [{"value": "ent-token", "name": "mine"}, {"value": "old-token", "name": "old", "revoked": True}],
            "keys": [{"title": "key", "key": ED25519, "usage_type": "signing", "expires_at": "2030-01-01T00:00:00Z"}],
        },
    ],
    "groups": [
        {
            "path": "acme",
            "members": {"ada": "owner", "mia": "maintainer", "ent": "developer"},
            "access_tokens": [{"name": "of group", "value": "group-token"}],
            "deploy_tokens": [{"name": "deploy", "value": "deploy-token"}],
            "groups": [{"path": "tools"}],
            "projects": [{"path": "site", "access_tokens": [{"name": "of project", "value": "project-token"}]}],
        },
        {"path": "rival", "members": {"mia": "owner"}, "access_tokens": [{"name": "theirs", "value": "rival-token"}]},
    ],
}
pytestmark = pytest.mark.fakeplat(scenario=SCENARIO)
MANAGE = "groups/acme/manage"
PERSONAL, RESOURCE, KEYS = (
    f"{MANAGE}/{kind}" for kind in ("personal_access_tokens", "resource_access_tokens", "ssh_keys")
)


def find_id(fake: Fakeplat, value: str) -> int:
    """Return the id of a token."""
    (id_,) = [token.id for token in fake.bench.platform.view.tokens.all() if token.value == value]
    return int(id_)


def test_owners_manage_tokens_of_enterprise_users(fakeplat: Fakeplat) -> None:
    """Owners list, rotate and revoke the personal access tokens of the enterprise users of their group."""
    ada, mine = fakeplat.as_user("ada"), find_id(fakeplat, "ent-token")

    assert ["mine", "old"] == names(ada.get(PERSONAL).json(), "name")
    assert ["mine"] == names(ada.get(f"{PERSONAL}?state=active").json(), "name")
    rotated = ada.post(f"{PERSONAL}/{mine}/rotate", json={"expires_at": "2020-12-24"}).json()
    assert ("mine", "2020-12-24", person(fakeplat, "ent")) == (
        rotated["name"],
        rotated["expires_at"],
        rotated["user_id"],
    )
    assert 401 == send(fakeplat, "ent-token", "GET", "user")[0]
    assert (204, None) == outcome(ada.delete(f"{PERSONAL}/{rotated['id']}"))
    assert 401 == send(fakeplat, rotated["token"], "GET", "user")[0]


def test_owners_manage_tokens_of_bots(fakeplat: Fakeplat) -> None:
    """Owners list, rotate and revoke the access tokens of the group and of what is below it."""
    ada, token = fakeplat.as_user("ada"), find_id(fakeplat, "project-token")

    assert {"of group", "of project"} == {*names(ada.get(RESOURCE).json(), "name")}
    rotated = ada.post(f"{RESOURCE}/{token}/rotate").json()
    assert "of project" == rotated["name"]
    assert 401 == send(fakeplat, "project-token", "GET", "user")[0]
    assert (204, None) == outcome(ada.delete(f"{RESOURCE}/{rotated['id']}"))
    assert 401 == send(fakeplat, rotated["token"], "GET", "user")[0]


def test_owners_manage_keys_of_enterprise_users(fakeplat: Fakeplat) -> None:
    """Owners list and delete the SSH keys of the enterprise users of their group."""
    ada = fakeplat.as_user("ada")
    (key,) = ada.get(KEYS).json()

    assert {"id", "title", "created_at", "expires_at", "last_used_at", "usage_type", "user_id"} == {*key}
    assert ("key", "signing", person(fakeplat, "ent")) == (key["title"], key["usage_type"], key["user_id"])
    assert [] == ada.get(f"{KEYS}?expires_before=2029-01-01T00:00:00Z").json()
    assert [key] == ada.get(f"{KEYS}?expires_after=2029-01-01T00:00:00Z&created_before=2030-01-01T00:00:00Z").json()
    assert (204, None) == outcome(ada.delete(f"{KEYS}/{key['id']}"))
    assert resource_not_found("Key") == refusal(fakeplat, "ada", "DELETE", f"{KEYS}/{key['id']}")
    (other,) = fakeplat.as_user("mia").get("user/keys").json()
    assert resource_not_found("Key") == refusal(fakeplat, "ada", "DELETE", f"{KEYS}/{other['id']}")


@pytest.mark.parametrize(
    ("method", "tail"),
    [
        ("GET", "personal_access_tokens"),
        ("DELETE", "personal_access_tokens/1"),
        ("POST", "personal_access_tokens/1/rotate"),
        ("GET", "resource_access_tokens"),
        ("DELETE", "resource_access_tokens/1"),
        ("POST", "resource_access_tokens/1/rotate"),
        ("GET", "ssh_keys"),
        ("DELETE", "ssh_keys/1"),
    ],
)
def test_only_owners_manage_credentials(fakeplat: Fakeplat, method: str, tail: str) -> None:
    """Maintainers are refused, and unknown credentials are not found."""
    path = f"{MANAGE}/{tail}"
    assert FORBIDDEN == refusal(fakeplat, "mia", method, path)
    assert UNAUTHORIZED == refusal(fakeplat, None, method, path)
    if "/1" in tail:
        assert 404 == fakeplat.as_user("ada").request(method, path).status


@pytest.mark.fakeplat(scenario={**SCENARIO, "instance": {"tier": "ultimate", "version": "latest"}})
def test_only_the_hosted_offering_has_an_inventory(fakeplat: Fakeplat) -> None:
    """Elsewhere there is no inventory of credentials."""
    assert (404, {"message": "404 Not Found"}) == refusal(fakeplat, "ada", "GET", PERSONAL)


def test_credentials_of_others_are_not_managed(fakeplat: Fakeplat) -> None:
    """Tokens of users of other groups, and of other kinds, are refused."""
    own, bot, rival = (find_id(fakeplat, f"{name}-token") for name in ("ada", "group", "rival"))
    for method, end in (("DELETE", ""), ("POST", "/rotate")):
        assert FORBIDDEN == refusal(fakeplat, "ada", method, f"{PERSONAL}/{own}{end}")
        assert FORBIDDEN == refusal(fakeplat, "ada", method, f"{PERSONAL}/{bot}{end}")
        status, body = refusal(fakeplat, "ada", method, f"{RESOURCE}/{own}{end}")
        verb = "rotate" if end else "revoke"
        text = f"403 Forbidden - Cannot {verb} resource access token: token belongs to a human user, not a bot"
        assert (403, {"message": text}) == (status, body)
        assert (400, {"message": "400 Bad request - ada cannot delete theirs"}) == refusal(
            fakeplat, "ada", method, f"{RESOURCE}/{rival}{end}"
        )


@pytest.mark.parametrize("value", ["ent-token", "group-token", "project-token", "deploy-token", "old-token"])
def test_owners_revoke_any_token_of_their_group(fakeplat: Fakeplat, value: str) -> None:
    """The token, which may be revoked already, is shown without its value."""
    status, token = outcome(fakeplat.as_user("ada").post("groups/acme/tokens/revoke", json={"token": value}))

    assert (200, True) == (status, token["revoked"])
    assert value not in token.values()


@pytest.mark.parametrize("value", ["rival-token", "unknown", "root-token"])
def test_nobody_learns_of_tokens_elsewhere(fakeplat: Fakeplat, value: str) -> None:
    """A token without access to the group is refused like an unknown one."""
    expected = (422, {"message": "422 Unprocessable Entity"})
    assert expected == refusal(fakeplat, "ada", "POST", "groups/acme/tokens/revoke", json={"token": value})


def test_refused_revocations(fakeplat: Fakeplat) -> None:
    """Only owners revoke tokens, and only in top-level groups."""
    body, path = {"token": "ent-token"}, "groups/acme/tokens/revoke"
    assert FORBIDDEN == refusal(fakeplat, "mia", "POST", path, json=body)
    assert UNAUTHORIZED == refusal(fakeplat, None, "POST", path, json=body)
    text = "400 Bad request - Must be a top-level group"
    subgroup = "groups/acme%2Ftools/tokens/revoke"
    assert (400, {"message": text}) == refusal(fakeplat, "ada", "POST", subgroup, json=body)
    assert (400, {"error": "token is missing"}) == refusal(fakeplat, "ada", "POST", path)


def test_groups_have_keys_of_authorities(fakeplat: Fakeplat) -> None:
    """Owners add, list and delete the keys of the authorities that sign SSH certificates."""
    ada, path = fakeplat.as_user("ada"), "groups/acme/ssh_certificates"
    status, certificate = outcome(ada.post(path, json={"title": "CA", "key": DSA}))

    assert (201, {"id", "title", "key", "created_at"}, "CA") == (status, {*certificate}, certificate["title"])
    assert [certificate] == ada.get(path).json()
    taken = "Validation failed: Fingerprint must be unique. This CA has already been configured for another namespace."
    again = {"title": "x", "key": DSA}
    assert (422, {"message": taken}) == refusal(fakeplat, "mia", "POST", "groups/rival/ssh_certificates", json=again)
    wrong = {"title": "x", "key": "x"}
    invalid = (422, {"message": "Validation failed: Invalid key"})
    assert invalid == refusal(fakeplat, "ada", "POST", path, json=wrong)
    gone = (404, {"message": "SSH Certificate not found"})
    assert gone == refusal(fakeplat, "mia", "DELETE", f"groups/rival/ssh_certificates/{certificate['id']}")
    assert (204, None) == outcome(ada.delete(f"{path}/{certificate['id']}"))
    assert gone == refusal(fakeplat, "ada", "DELETE", f"{path}/{certificate['id']}")


def test_refused_keys_of_authorities(fakeplat: Fakeplat) -> None:
    """Only owners manage the keys of authorities, and only of top-level groups."""
    body = {"title": "CA", "key": DSA}
    for method, tail in (("GET", ""), ("POST", ""), ("DELETE", "/1")):
        path = f"ssh_certificates{tail}"
        assert FORBIDDEN == refusal(fakeplat, "mia", method, f"groups/acme/{path}", json=body)
        hidden = resource_not_found("Group") if method == "GET" else UNAUTHORIZED
        assert hidden == refusal(fakeplat, None, method, f"groups/acme/{path}", json=body)
        expected = (403, {"message": "403 Forbidden - Group"})
        assert expected == refusal(fakeplat, "ada", method, f"groups/acme%2Ftools/{path}", json=body)


def test_keys_say_what_they_are_for(fakeplat: Fakeplat) -> None:
    """A key is for authentication and signing unless it is added for one of both."""
    ada = fakeplat.as_user("ada")
    key = ada.post("user/keys", json={"title": "x", "key": ECDSA}).json()
    assert ("auth_and_signing", None) == (key["usage_type"], key["last_used_at"])
    assert "auth" == ada.post("user/keys", json={"title": "x", "key": RSA, "usage_type": "auth"}).json()["usage_type"]
    expected = (400, {"error": "usage_type does not have a valid value"})
    assert expected == refusal(fakeplat, "ada", "POST", "user/keys", json={"title": "x", "key": RSA, "usage_type": "x"})


@pytest.mark.fakeplat(clock="virtual", start="2020-11-20T09:00:00Z")
def test_support_pins_are_valid_for_seven_days(fakeplat: Fakeplat) -> None:
    """Users create a PIN, which they and administrators see until it expires or is revoked."""
    ada, root, path = fakeplat.as_user("ada"), fakeplat.as_user("root"), f"users/{person(fakeplat, 'ada')}/support_pin"
    missing = (404, {"message": "404 Support PIN not found or expired Not Found"})
    assert missing == refusal(fakeplat, "ada", "GET", "user/support_pin")
    status, pin = outcome(ada.post("user/support_pin"))

    assert (201, 6, "2020-11-27T09:00:00Z") == (status, len(pin["pin"]), pin["expires_at"])
    assert pin == ada.get("user/support_pin").json() == root.get(path).json()
    assert 202 == root.post(f"{path}/revoke").status
    assert missing == refusal(fakeplat, "root", "GET", path)
    assert missing == refusal(fakeplat, "root", "POST", f"{path}/revoke")
    ada.post("user/support_pin")
    fakeplat.clock.advance("7d")
    assert missing == refusal(fakeplat, "ada", "GET", "user/support_pin")


def test_refused_support_pins(fakeplat: Fakeplat) -> None:
    """Others than administrators see only their own PIN."""
    path = f"users/{person(fakeplat, 'ada')}/support_pin"
    for method, tail in (("GET", ""), ("POST", "/revoke")):
        assert FORBIDDEN == refusal(fakeplat, "mia", method, f"{path}{tail}")
        assert UNAUTHORIZED == refusal(fakeplat, None, method, f"{path}{tail}")
        unknown = f"users/999999/support_pin{tail}"
        assert resource_not_found("User") == refusal(fakeplat, "root", method, unknown)
    assert UNAUTHORIZED == refusal(fakeplat, None, "POST", "user/support_pin")


def test_administrators_set_the_validation_of_credit_cards(fakeplat: Fakeplat) -> None:
    """Only the time of the validation is shown."""
    body = {
        "credit_card_validated_at": "2020-11-01T00:00:00Z",
        "credit_card_expiration_month": 1,
        "credit_card_expiration_year": 2030,
        "credit_card_holder_name": "Ada",
        "credit_card_mask_number": "1111",
        "credit_card_type": "Card",
    }
    ada = person(fakeplat, "ada")
    path = f"user/{ada}/credit_card_validation"

    expected = {"user_id": ada, "credit_card_validated_at": "2020-11-01T00:00:00.000Z"}
    assert (200, expected) == outcome(fakeplat.as_user("root").put(path, json=body))
    assert FORBIDDEN == refusal(fakeplat, "ada", "PUT", path, json=body)
    assert UNAUTHORIZED == refusal(fakeplat, None, "PUT", path, json=body)
    unknown = "user/999999/credit_card_validation"
    assert resource_not_found("User") == refusal(fakeplat, "root", "PUT", unknown, json=body)
    del body["credit_card_type"]
    missing = (400, {"error": "credit_card_type is missing"})
    assert missing == refusal(fakeplat, "root", "PUT", path, json=body)
