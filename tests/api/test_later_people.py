"""Users, members and namespaces of later releases. Source: docs/platform/later-releases.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.requests import names, person

pytestmark = pytest.mark.fakeplat(version="latest", tier="premium")
NEW = {"email": "new@work.test", "username": "newcomer", "name": "New", "force_random_password": True}


@pytest.mark.parametrize(
    ("sent", "shown"),
    [
        ({"pronouns": "they/them"}, {"pronouns": "they/them"}),
        ({"discord": "12345678901234567"}, {"discord": "12345678901234567"}),
        ({"github": "octo"}, {"github": "octo"}),
        ({"auditor": True}, {"is_auditor": True}),
        ({"job_title": "Cook", "organization": "Inn"}, {"work_information": "Cook at Inn"}),
        ({"discord": None}, {"discord": ""}),
    ],
)
def test_later_attributes_of_users(fakeplat: Fakeplat, sent: dict[str, Any], shown: dict[str, Any]) -> None:
    """Administrators set the later attributes of users, at creation and afterwards."""
    root = fakeplat.as_user("root")
    created = root.post("users", json={**NEW, **sent}).json()
    changed = root.put(f"users/{person(fakeplat, 'eve')}", json=sent)

    assert shown == {name: created[name] for name in shown}
    assert 200 == changed.status


def test_a_confirmed_address_is_for_commits(fakeplat: Fakeplat) -> None:
    """Administrators choose one of a user's confirmed addresses for commits."""
    fakeplat.load({"users": [{"username": "eve", "emails": ["eve@work.test"]}]})
    changed = fakeplat.as_user("root").put(f"users/{person(fakeplat, 'eve')}", json={"commit_email": "eve@work.test"})
    assert (200, "eve@work.test") == (changed.status, changed.json()["commit_email"])


def test_a_user_has_a_creator_and_a_namespace(fakeplat: Fakeplat) -> None:
    """Administrators see who created a user; the user has the id of a namespace."""
    root = fakeplat.as_user("root")
    created = root.post("users", json=NEW).json()
    namespace = next(each for each in root.get("namespaces").json() if each["full_path"] == "newcomer")

    assert ("root", namespace["id"], False) == (
        created["created_by"]["username"],
        created["namespace_id"],
        created["bot"],
    )
    assert None is root.get(f"users/{person(fakeplat, 'eve')}").json()["created_by"]


def test_bots_are_bots(fakeplat: Fakeplat) -> None:
    """The bot user of an access token says that it is one, and lists of users leave it out on request."""
    ada, root = fakeplat.as_user("ada"), fakeplat.as_user("root")
    sent = {"name": "ci", "scopes": ["api"], "access_level": 30, "expires_at": "2021-01-01"}
    bot = ada.post("projects/acme%2Fsite/access_tokens", json=sent).json()["user_id"]

    assert True is root.get(f"users/{bot}").json()["bot"]
    for query in ("without_project_bots=true", "humans=true"):
        assert bot not in names(root.get(f"users?{query}&per_page=100").json(), "id")
    assert bot in names(root.get("users?exclude_humans=true&per_page=100").json(), "id")


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("admins=true", {"root"}),
        ("auditors=true", {"eve"}),
        ("public_email=mia@work.test", {"mia"}),
        ("exclude_active=true", {"dev", "bob"}),
    ],
)
def test_users_are_filtered(fakeplat: Fakeplat, query: str, expected: set[str]) -> None:
    """Users are filtered by what they are."""
    root = fakeplat.as_user("root")
    fakeplat.load(
        {"users": [{"username": "mia", "public_email": "mia@work.test"}, {"username": "eve", "auditor": True}]}
    )
    root.post(f"users/{person(fakeplat, 'dev')}/block")
    assert expected == set(names(root.get(f"users?{query}&exclude_internal=true").json(), "username"))


def test_external_users_are_left_out(fakeplat: Fakeplat) -> None:
    """The list of users leaves out external accounts on request."""
    found = names(fakeplat.as_user("root").get("users?exclude_external=true&per_page=100").json(), "username")
    assert ("ext" not in found, "eve" in found) == (True, True)


def test_a_member_has_a_creator(fakeplat: Fakeplat) -> None:
    """A member shows since when they are one, who added them, and their state."""
    ada, eve = fakeplat.as_user("ada"), person(fakeplat, "eve")
    added = ada.post("groups/acme/members", json={"user_id": eve, "access_level": 30}).json()
    (row,) = ada.get(f"groups/acme/members?user_ids={eve}").json()

    assert ("ada", "active") == (added["created_by"]["username"], added["membership_state"])
    assert added == row


def test_members_are_skipped(fakeplat: Fakeplat) -> None:
    """A list of members leaves out users by their ids."""
    mia = person(fakeplat, "mia")
    found = names(fakeplat.as_user("ada").get(f"groups/acme/members?skip_users={mia}").json(), "username")
    assert ("mia" not in found, "dev" in found) == (True, True)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("owned_only=true", {"ada", "acme"}),
        ("top_level_only=true&search=acme", {"acme"}),
        ("full_path_search=true&search=acme/tools", set()),
        ("full_path_search=true&search=acme", {"acme"}),
    ],
)
def test_namespaces_are_filtered(fakeplat: Fakeplat, query: str, expected: set[str]) -> None:
    """Namespaces are filtered by owner, level and full path."""
    found = set(names(fakeplat.as_user("ada").get(f"namespaces?{query}").json(), "full_path"))
    assert expected == found
    if "owned" in query:
        assert set() == {"acme"} & set(names(fakeplat.as_user("mia").get(f"namespaces?{query}").json(), "full_path"))
