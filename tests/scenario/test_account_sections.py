"""What belongs to the accounts of users, and the tokens of groups, in scenarios and back."""

import sys
from typing import Any

import pytest

from fakeplat.model.world import World
from fakeplat.scenario import ScenarioError
from fakeplat.scenario.export import export_world
from tests.gpg_keys import GPG_KEY
from tests.scenario.answers import collect_responses, compare_values
from tests.scenario.worlds import create_platform, reload_export
from tests.ssh_keys import ECDSA, RSA

TIME = "2020-11-19T09:00:00.000Z"
ADA: dict[str, Any] = {
    "username": "ada",
    "status": {"emoji": "tada", "message": "Here"},
    "keys": [
        {"title": "laptop", "key": RSA},
        {"title": "desk", "key": ECDSA, "created_at": TIME, "expires_at": "2021-01-01T00:00:00.000Z"},
    ],
    "gpg_keys": [GPG_KEY],
    "emails": ["ada@work.test", {"email": "Ada@home.test", "confirmed_at": None, "created_at": TIME}],
    "tokens": ["ada-token", {"kind": "impersonation", "value": "support", "revoked": True}],
}
GROUP: dict[str, Any] = {
    "path": "lab",
    "members": {"ada": "owner"},
    "access_tokens": [{"name": "robot", "value": "lab-robot", "access_level": "developer", "scopes": ["read_api"]}],
}
SAID: dict[str, Any] = {
    "instance": {"tier": "premium", "version": "latest"},
    "clock": {"start": "2020-11-20T09:00:00Z"},
    "users": [ADA, {"username": "robot-account", "name": "Robot", "kind": "service_account", "email": "r@x.test"}],
    "groups": [GROUP],
}


def read_account(world: World) -> dict[str, Any]:
    """What the account of ada has."""
    ada = world.users.find("username", "ada")
    assert ada is not None
    return {
        "status": ada.status and (ada.status.emoji, ada.status.message),
        "keys": [(key.title, key.created_at, key.expires_at) for key in world.ssh_keys.where("user", ada.id)],
        "gpg_keys": [(key.key, key.emails) for key in world.gpg_keys.where("user", ada.id)],
        "emails": [(email.email, email.created_at, email.confirmed_at) for email in world.emails.where("user", ada.id)],
        "tokens": [(token.value, token.kind, token.revoked) for token in world.tokens.where("user", ada.id)],
    }


def test_an_account_is_as_the_scenario_says() -> None:
    """Email addresses are confirmed by default, and a record without a time is as old as its user."""
    start = "2020-11-20T09:00:00.000Z"
    assert {
        "status": ("tada", "Here"),
        "keys": [("laptop", start, None), ("desk", TIME, "2021-01-01T00:00:00.000Z")],
        "gpg_keys": [(GPG_KEY, ("ada@example.test", "ada@work.test"))],
        "emails": [("ada@work.test", start, start), ("ada@home.test", TIME, None)],
        "tokens": [("ada-token", "personal", False), ("support", "impersonation", True)],
    } == read_account(create_platform(SAID).view)


def test_a_group_token_has_a_bot_with_its_role() -> None:
    """The bot of a group token is named after the group and has the token's access level."""
    world = create_platform(SAID).view
    token = world.tokens.find("value", ("token", "lab-robot"))
    assert token is not None
    assert token.user_id is not None
    bot = world.users[token.user_id]
    (member,) = world.members.where("user", bot.id)

    assert (f"group_{token.group_id}_bot", "robot", 30) == (bot.username, bot.name, member.access_level)
    assert ("group", ("read_api",)) == (token.kind, token.scopes)


def test_accounts_answer_the_same_after_a_round_trip() -> None:
    """Every GET of the user and of an administrator answers the same after a round trip."""
    platform = create_platform(SAID)
    twin = reload_export(platform)
    viewers = ("root", "ada")

    assert [] == list(compare_values(collect_responses(platform, viewers), collect_responses(twin, viewers)))
    assert read_account(platform.view) == read_account(twin.view)


def test_what_users_have_in_groups_survives_an_export() -> None:
    """Preferences for lists of work items and visits have a container, and are still exported with their user."""
    own = {
        "work_item_preferences": [{"sort": "created_asc", "path": "acme"}],
        "visits": [{"visited_at": "2020-11-01T00:00:00.000Z", "path": "acme"}],
    }
    platform = create_platform({"users": [{"username": "ada", **own}], "groups": [{"path": "acme"}]})
    (ada,) = (user for user in export_world(platform)["users"] if user["username"] == "ada")

    assert own == {key: ada[key] for key in own}


@pytest.mark.parametrize(
    ("entry", "text"),
    [
        ({"keys": [{"title": "x", "key": "x"}]}, "is invalid"),
        ({"gpg_keys": ["x"]}, "is invalid. A valid public GPG key begins with"),
        ({"emails": ["x"]}, "is invalid"),
        ({"emails": ["ada@example.test"]}, "has already been taken"),
        ({"status": {"text": "x"}}, "unknown key 'text'"),
    ],
    ids=["key", "gpg key", "email", "taken email", "status"],
)
def test_mistakes_are_reported(entry: dict[str, Any], text: str) -> None:
    """A mistake in the account keys of a user is refused with the key and the reason."""
    with pytest.raises(ScenarioError, match=text):
        create_platform({"users": [{"username": "ada", **entry}]})


def test_a_scenario_with_gpg_keys_names_the_missing_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without pysequoia a scenario with GPG keys is refused, with the path of the key and the extra to install."""
    monkeypatch.setitem(sys.modules, "pysequoia", None)
    with pytest.raises(ScenarioError, match=r"gpg_keys.*pip install 'fakeplat\[signatures\]'"):
        create_platform({"users": [{"username": "zoe", "gpg_keys": [GPG_KEY]}]})
