"""The setting ``admin_mode``: administrators need tokens with that scope. Source: docs/platform/authentication.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import ADMIN_MODE_ASKS_TOKENS
from tests.api.requests import FORBIDDEN, Outcome, person, resource_not_found
from tests.by_release import by_release

SITE = "projects/acme%2Fsite"
ON = {"settings": {"admin_mode": True}}
pytestmark = pytest.mark.fakeplat(version="latest")


def ask(fake: Fakeplat, method: str, path: str, *scopes: str, headers: dict[str, str] | None = None) -> Outcome:
    """Send a request with a token of the administrator that has some scopes; return the outcome."""
    credential = {"PRIVATE-TOKEN": fake.token("root", scopes=list(scopes))}
    reply = fake.as_user(None).request(method, path, headers={**credential, **(headers or {})})
    return reply.status, reply.json() if reply.content else None


@by_release(ADMIN_MODE_ASKS_TOKENS, "is_asked", {"15.11": False, "16.3": True})
def test_what_only_administrators_may_do_asks_for_the_scope(fakeplat: Fakeplat, is_asked: bool) -> None:
    """A token without the scope is refused as that of any other user, and the explanation names the scope."""
    assert 200 == ask(fakeplat, "GET", "application/settings", "api")[0]
    fakeplat.load(ON)
    refused = ask(fakeplat, "GET", "application/settings", "api")
    assert (FORBIDDEN if is_asked else 200) == (refused if is_asked else refused[0])
    if is_asked:
        assert "lacks the scope admin_mode" in str(fakeplat.requests[-1].reason)
    assert 200 == ask(fakeplat, "GET", "application/settings", "api", "admin_mode")[0]


def test_the_token_reads_and_writes_what_its_user_may_as_a_member(fakeplat: Fakeplat) -> None:
    """Without the scope, the administrator sees and changes only what members or everybody may."""
    fakeplat.load(ON)
    assert resource_not_found("Project") == ask(fakeplat, "GET", SITE, "api")
    assert "lacks the scope admin_mode" in str(fakeplat.requests[-1].reason)
    assert resource_not_found("Project") == ask(fakeplat, "DELETE", SITE, "api")
    assert 200 == ask(fakeplat, "GET", SITE, "api", "admin_mode")[0]
    assert 200 == fakeplat.as_user("mia").get(SITE).status
    status, user = ask(fakeplat, "GET", "user", "api")
    assert (200, False) == (status, "is_admin" in user)


def test_each_token_has_its_own_answers(fakeplat: Fakeplat) -> None:
    """Answers of a token with the scope are not those of one without it, in any order."""
    fakeplat.load(ON)
    limited, full = (fakeplat.token("root", scopes=scopes) for scopes in (["api"], ["api", "admin_mode"]))

    def list_projects(token: str) -> list[Any]:
        reply = fakeplat.as_user(None).get("projects", headers={"PRIVATE-TOKEN": token})
        return [project["path_with_namespace"] for project in reply.json()]

    for _ in range(2):
        assert "acme/site" in list_projects(full)
        assert "acme/site" not in list_projects(limited)
    fakeplat.load({"settings": {"admin_mode": False}})
    assert list_projects(full) == list_projects(limited)


def test_tokens_that_name_no_scopes_have_it(fakeplat: Fakeplat) -> None:
    """The token of an administrator in a scenario has all rights of its user, also with the setting."""
    fakeplat.load(ON)
    assert 200 == fakeplat.as_user("root").get("application/settings").status
    assert 200 == fakeplat.as_user("root").put("application/settings", json={"admin_mode": False}).status
    assert 200 == ask(fakeplat, "GET", "application/settings", "api")[0]


def test_sudo_asks_for_both_scopes(fakeplat: Fakeplat) -> None:
    """Sudo is for administrators in the mode; other administrators for whom it acts are not in it."""
    fakeplat.load({**ON, "users": [{"username": "zoe", "admin": True}]})
    denied = (403, {"message": "403 Forbidden - Must be admin to use sudo"})
    sudo = {"Sudo": "mia"}
    assert denied == ask(fakeplat, "GET", SITE, "api", "sudo", headers=sudo)
    assert 200 == ask(fakeplat, "GET", SITE, "api", "sudo", "admin_mode", headers=sudo)[0]
    for username, expected in (("root", 200), ("zoe", 403)):
        sudo = {"Sudo": username}
        outcome = ask(fakeplat, "GET", "application/settings", "api", "sudo", "admin_mode", headers=sudo)
        assert expected == outcome[0]


def test_a_limited_write_leaves_the_administrator_one(fakeplat: Fakeplat) -> None:
    """What the token changes of its own user does not change that the user is an administrator."""
    fakeplat.load(ON)
    token = fakeplat.token("root", scopes=["api"])
    reply = fakeplat.as_user(None).put("user/status", headers={"PRIVATE-TOKEN": token}, json={"message": "away"})
    assert 200 == reply.status
    root = fakeplat.as_user("root").get(f"users/{person(fakeplat, 'root')}").json()
    assert root["is_admin"]


def test_graphql_and_git_do_not_ask_for_it(fakeplat: Fakeplat) -> None:
    """Outside the REST API, a token of an administrator is one of an administrator."""
    fakeplat.load(ON)
    token = fakeplat.token("root", scopes=["api"])
    query = {"query": '{ project(fullPath: "acme/site") { name } }'}
    reply = fakeplat.as_user(None).post(f"{fakeplat.url}/api/graphql", headers={"PRIVATE-TOKEN": token}, json=query)
    assert {"project": {"name": "Site"}} == reply.json()["data"]
