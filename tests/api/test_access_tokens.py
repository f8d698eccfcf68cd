"""Impersonation tokens, personal access tokens and access tokens of projects and groups.

Source: docs/platform/impersonation-and-access-tokens.md, docs/platform/authentication.md.
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.marks import STARTER_AT_NINE
from tests.api.requests import (
    FORBIDDEN,
    LONG_AGO,
    NO_ROUTE,
    STALE,
    UNAUTHORIZED,
    Outcome,
    invalid,
    invalid_record,
    names,
    outcome,
    person,
    refusal,
    resource_not_found,
)

pytestmark = STARTER_AT_NINE
newer = pytest.mark.fakeplat(version="latest")
NO_TOKEN = resource_not_found("Impersonation Token")
REVOKED: Outcome = (
    401,
    {"error": "invalid_token", "error_description": "Token was revoked. You have to re-authorize from the user."},
)
EXPIRED: Outcome = (
    401,
    {
        "error": "invalid_token",
        "error_description": "Token is expired. You can either do re-authorization or token refresh.",
    },
)
NO_IMPERSONATION: Outcome = (
    401,
    {
        "error": "invalid_token",
        "error_description": "Token is an impersonation token but impersonation was disabled.",
    },
)
SITE, ACME = "projects/acme%2Fsite/access_tokens", "groups/acme/access_tokens"
TOKEN = {"name": "ci", "scopes": ["api"]}


def impersonate(fake: Fakeplat, user: str = "eve", **fields: Any) -> dict[str, Any]:
    """Create an impersonation token."""
    path = f"users/{person(fake, user)}/impersonation_tokens"
    reply = fake.as_user("root").post(path, json={"name": "support", "scopes": ["api"], **fields})
    assert 201 == reply.status
    return dict(reply.json())


def whoami(fake: Fakeplat, token: dict[str, Any]) -> Outcome:
    """Return the answer to the token's request for the current user."""
    return outcome(fake.as_user(None).get("user", headers={"PRIVATE-TOKEN": token["token"]}))


def test_an_impersonation_token_acts_as_its_user(fakeplat: Fakeplat) -> None:
    """An impersonation token acts as its user, and only the answer to its creation shows it."""
    token = impersonate(fakeplat, expires_at="2020-12-01")
    path = f"users/{person(fakeplat, 'eve')}/impersonation_tokens"
    fields = {
        "id": token["id"],
        "name": "support",
        "revoked": False,
        "created_at": "2020-11-20T09:00:00.000Z",
        "scopes": ["api"],
        "user_id": person(fakeplat, "eve"),
        "active": True,
        "expires_at": "2020-12-01",
        "impersonation": True,
    }

    assert {**fields, "token": token["token"]} == token
    assert [fields] == fakeplat.as_user("root").get(path).json()
    assert fields == fakeplat.as_user("root").get(f"{path}/{token['id']}").json()
    status, user = whoami(fakeplat, token)
    assert (200, "eve") == (status, user["username"])


def test_a_revoked_impersonation_token_stays_in_the_list(fakeplat: Fakeplat) -> None:
    """A revoked impersonation token is listed as inactive, and its use is refused."""
    token, root = impersonate(fakeplat), fakeplat.as_user("root")
    path = f"users/{person(fakeplat, 'eve')}/impersonation_tokens"

    assert STALE == refusal(fakeplat, "root", "DELETE", f"{path}/{token['id']}", headers=LONG_AGO)
    assert 204 == root.delete(f"{path}/{token['id']}").status
    assert REVOKED == whoami(fakeplat, token)
    assert [] == root.get(path, params={"state": "active"}).json()
    (inactive,) = root.get(path, params={"state": "inactive"}).json()
    assert (True, False) == (inactive["revoked"], inactive["active"])
    expected = invalid("state does not have a valid value")
    assert expected == refusal(fakeplat, "root", "GET", f"{path}?state=x")


def test_an_expired_token_is_inactive(fakeplat: Fakeplat) -> None:
    """A token is inactive from the start of the day on which it expires."""
    token = impersonate(fakeplat, expires_at="2020-11-21")
    path = f"users/{person(fakeplat, 'eve')}/impersonation_tokens"
    assert [True] == names(fakeplat.as_user("root").get(path).json(), "active")
    fakeplat.clock.advance("1d")

    assert EXPIRED == whoami(fakeplat, token)
    assert [False] == names(fakeplat.as_user("root").get(path).json(), "active")


@pytest.mark.fakeplat(impersonation=False)
def test_impersonation_can_be_disabled(fakeplat: Fakeplat) -> None:
    """The tokens exist, but are refused."""
    assert NO_IMPERSONATION == whoami(fakeplat, impersonate(fakeplat))


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({}, invalid("name is missing")),
        ({"name": "x"}, invalid_record(scopes=["can't be blank"])),
        ({"name": "x", "scopes": []}, invalid_record(scopes=["can't be blank"])),
        ({"name": "x", "scopes": ["all"]}, invalid_record(scopes=["can only contain available scopes"])),
        ({"name": "x", "scopes": ["api"], "expires_at": "x"}, invalid("expires_at is invalid")),
    ],
    ids=["no name", "no scopes", "empty scopes", "unknown scope", "no date"],
)
def test_invalid_impersonation_tokens_are_refused(fakeplat: Fakeplat, body: dict[str, Any], expected: Outcome) -> None:
    """The model checks the scopes."""
    path = f"users/{person(fakeplat, 'eve')}/impersonation_tokens"

    assert expected == refusal(fakeplat, "root", "POST", path, json=body)
    assert [] == fakeplat.as_user("root").get(path).json()


def test_only_administrators_impersonate(fakeplat: Fakeplat) -> None:
    """Only administrators list, create and revoke impersonation tokens, even of their own account."""
    token, path = impersonate(fakeplat), f"users/{person(fakeplat, 'eve')}/impersonation_tokens"
    token_path = f"{path}/{token['id']}"

    for method, target in (("GET", path), ("POST", path), ("GET", token_path), ("DELETE", token_path)):
        assert FORBIDDEN == refusal(fakeplat, "eve", method, target, json={"name": "x", "scopes": ["api"]})
        assert UNAUTHORIZED == refusal(fakeplat, None, method, target, json={"name": "x", "scopes": ["api"]})
    foreign = f"users/{person(fakeplat, 'ada')}/impersonation_tokens/{token['id']}"
    for method in ("GET", "DELETE"):
        assert NO_TOKEN == refusal(fakeplat, "root", method, foreign)
    assert resource_not_found("User") == refusal(fakeplat, "root", "GET", "users/99/impersonation_tokens")


@pytest.mark.parametrize("kind", ["impersonation_tokens", "personal_access_tokens"])
@pytest.mark.fakeplat(releases=["13.6", "latest"])
def test_only_administrators_learn_what_tokens_need(fakeplat: Fakeplat, kind: str) -> None:
    """Invalid parameters of a new token and unknown users are 403 for anybody but administrators."""
    path = f"users/{person(fakeplat, 'eve')}/{kind}"

    for target in (path, f"users/99/{kind}"):
        assert FORBIDDEN == refusal(fakeplat, "eve", "POST", target, json={"expires_at": "x"})
        assert UNAUTHORIZED == refusal(fakeplat, None, "POST", target, json={"expires_at": "x"})
    assert 400 == fakeplat.as_user("root").post(path, json={"expires_at": "x"}).status


def test_users_list_and_revoke_their_own_tokens(fakeplat: Fakeplat) -> None:
    """Users list their tokens without the values and revoke them; others' tokens stay."""
    eve, ada = fakeplat.as_user("eve"), fakeplat.as_user("ada")
    (token,) = eve.get("personal_access_tokens").json()
    mine = f"personal_access_tokens?user_id={person(fakeplat, 'eve')}"

    assert (True, False, None) == (token["active"], token["revoked"], token["expires_at"])
    assert "token" not in token
    assert [token] == eve.get(mine).json()
    assert UNAUTHORIZED == refusal(fakeplat, "ada", "GET", mine)
    token_path = f"personal_access_tokens/{token['id']}"
    assert (400, {"message": "400 Bad request"}) == refusal(fakeplat, "ada", "DELETE", token_path)
    assert (404, {"message": "404 Not found"}) == refusal(fakeplat, "ada", "DELETE", "personal_access_tokens/1")
    assert 204 == eve.delete(token_path).status
    assert REVOKED == outcome(eve.get("personal_access_tokens"))
    assert 1 == len(ada.get("personal_access_tokens").json())


def test_administrators_see_the_tokens_of_everybody(fakeplat: Fakeplat) -> None:
    """Administrators list everybody's personal and impersonation tokens, but no sessions and OAuth tokens."""
    token, root = impersonate(fakeplat), fakeplat.as_user("root")
    fakeplat.token("eve", kind="oauth")
    fakeplat.token("eve", kind="session")
    eve = root.get(f"personal_access_tokens?user_id={person(fakeplat, 'eve')}").json()

    assert ["personal token", "support"] == names(eve, "name")
    assert {token["id"]} < set(names(root.get("personal_access_tokens?per_page=100").json(), "id"))
    assert (404, {"message": "404 Not Found"}) == refusal(fakeplat, "root", "GET", "personal_access_tokens?user_id=99")
    assert 204 == root.delete(f"personal_access_tokens/{token['id']}").status
    assert REVOKED == whoami(fakeplat, token)
    assert UNAUTHORIZED == refusal(fakeplat, None, "GET", "personal_access_tokens")


@newer
def test_administrators_create_tokens_for_others(fakeplat: Fakeplat) -> None:
    """In newer releases administrators create personal access tokens for other users."""
    path, root = f"users/{person(fakeplat, 'eve')}/personal_access_tokens", fakeplat.as_user("root")
    reply = root.post(path, json={"name": "new", "scopes": "read_api,read_user"})

    token = reply.json()
    assert (201, ["read_api", "read_user"]) == (reply.status, token["scopes"])
    assert 200 == whoami(fakeplat, token)[0]
    listed = root.get(f"personal_access_tokens?user_id={person(fakeplat, 'eve')}").json()
    assert {"personal token", "new"} == {*names(listed, "name")}
    expected = invalid("scopes does not have a valid value")
    assert expected == refusal(fakeplat, "root", "POST", path, json={"name": "x", "scopes": ["all"]})
    blank = (422, {"message": "Scopes can't be blank"})
    assert blank == refusal(fakeplat, "root", "POST", path, json={"name": "x", "scopes": []})
    assert FORBIDDEN == refusal(fakeplat, "eve", "POST", path, json={"name": "x", "scopes": ["api"]})


def test_operations_of_later_releases_do_not_exist(fakeplat: Fakeplat) -> None:
    """The paths of token operations of later releases have no route at 13.5."""
    for path in (SITE, ACME, "users/1/personal_access_tokens", "namespaces/ada/exists"):
        assert NO_ROUTE == refusal(fakeplat, "root", "GET", path)


@newer
def test_a_project_token_belongs_to_a_bot(fakeplat: Fakeplat) -> None:
    """The bot of a project token is a member with the token's role."""
    mia = fakeplat.as_user("mia")
    site = mia.get("projects/acme%2Fsite").json()["id"]
    body = {**TOKEN, "expires_at": "2020-12-24", "access_level": 30}
    token = mia.post(SITE, json=body).json()
    status, bot = whoami(fakeplat, token)

    assert (200, f"project_{site}_bot", "ci") == (status, bot["username"], bot["name"])
    assert (30, "2020-12-24", bot["id"]) == (token["access_level"], token["expires_at"], token["user_id"])
    member = mia.get(f"projects/acme%2Fsite/members/{bot['id']}").json()
    assert (30, None) == (member["access_level"], member["expires_at"])
    (listed,) = mia.get(SITE).json()
    assert {name: value for name, value in token.items() if name != "token"} == {**listed, "last_used_at": None}
    assert f"project_{site}_bot1" == whoami(fakeplat, mia.post(SITE, json=TOKEN).json())[1]["username"]


@pytest.mark.fakeplat(version="17.8")
def test_revoking_a_project_token_deletes_its_bot(fakeplat: Fakeplat) -> None:
    """Revoking a project token deletes its bot, and what the bot wrote passes to the ghost user."""
    mia = fakeplat.as_user("mia")
    token = mia.post(SITE, json=TOKEN).json()
    headers = {"PRIVATE-TOKEN": token["token"]}
    issue = fakeplat.as_user(None).post("projects/acme%2Fsite/issues", json={"title": "x"}, headers=headers).json()

    assert 204 == mia.delete(f"{SITE}/{token['id']}").status
    assert UNAUTHORIZED == whoami(fakeplat, token)
    assert resource_not_found("User") == refusal(fakeplat, "ada", "GET", f"users/{token['user_id']}")
    assert "ghost" == mia.get(f"projects/acme%2Fsite/issues/{issue['iid']}").json()["author"]["username"]
    unknown = f"404 Could not find project access token with token_id: {token['id']} Not Found"
    assert (404, {"message": unknown}) == refusal(fakeplat, "mia", "DELETE", f"{SITE}/{token['id']}")


@newer
def test_maintainers_manage_project_tokens(fakeplat: Fakeplat) -> None:
    """Maintainers manage project tokens; others get a 401 for the list and a 400 for changes."""
    token = fakeplat.as_user("mia").post(SITE, json=TOKEN).json()

    assert UNAUTHORIZED == refusal(fakeplat, "dev", "GET", SITE)
    text = "400 Bad request - User does not have permission to create project access token"
    assert (400, {"message": text}) == refusal(fakeplat, "dev", "POST", SITE, json=TOKEN)
    deletion = "400 Bad request - Dev Example cannot delete ci"
    assert (400, {"message": deletion}) == refusal(fakeplat, "dev", "DELETE", f"{SITE}/{token['id']}")
    headers = {"PRIVATE-TOKEN": token["token"]}
    by_bot = outcome(fakeplat.as_user(None).post(SITE, json=TOKEN, headers=headers))
    assert (400, {"message": text}) == by_bot
    assert 200 == fakeplat.as_user(None).get(SITE, headers=headers).status


@newer
@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"scopes": ["api"]}, invalid("name is missing")),
        ({"name": "x"}, invalid("scopes is missing")),
        ({"name": "x", "scopes": ["sudo"]}, invalid("scopes does not have a valid value")),
        ({"name": "x", "scopes": ["admin_mode"]}, invalid("scopes does not have a valid value")),
        ({**TOKEN, "access_level": 16}, invalid("access_level does not have a valid value")),
    ],
    ids=["no name", "no scopes", "unknown scope", "scope of administrators", "unknown level"],
)
def test_invalid_project_tokens_are_refused(fakeplat: Fakeplat, body: dict[str, Any], expected: Outcome) -> None:
    """A refused project token leaves no bot behind."""
    assert expected == refusal(fakeplat, "mia", "POST", SITE, json=body)
    assert [] == fakeplat.as_user("mia").get(SITE).json()


@newer
def test_owners_manage_group_tokens(fakeplat: Fakeplat) -> None:
    """Owners manage group tokens, whose bots are members of the group."""
    ada, acme = fakeplat.as_user("ada"), fakeplat.as_user("ada").get("groups/acme").json()["id"]
    token = ada.post(ACME, json=TOKEN).json()

    assert f"group_{acme}_bot" == whoami(fakeplat, token)[1]["username"]
    assert [40] == names(ada.get(ACME).json(), "access_level")
    assert UNAUTHORIZED == refusal(fakeplat, "mia", "GET", ACME)
    text = "400 Bad request - User does not have permission to create group access token"
    assert (400, {"message": text}) == refusal(fakeplat, "mia", "POST", ACME, json=TOKEN)


def test_deploy_tokens_are_no_credentials_of_the_api(fakeplat: Fakeplat) -> None:
    """Only packages, the registry and git accept deploy tokens; the API refuses them as unknown."""
    body = {"name": "x", "scopes": ["read_repository", "read_package_registry"]}
    token = fakeplat.as_user("mia").post("projects/acme%2Fsite/deploy_tokens", json=body).json()["token"]

    for header in ("PRIVATE-TOKEN", "Deploy-Token"):
        answer = outcome(fakeplat.as_user(None).get("user", headers={header: token}))
        assert UNAUTHORIZED == answer
    packages = fakeplat.as_user(None).get(
        "projects/acme%2Fsite/packages/pypi/simple/x", headers={"Deploy-Token": token}
    )
    assert 404 == packages.status
