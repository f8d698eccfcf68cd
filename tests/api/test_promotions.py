"""Roles that administrators approve. Source: ee/spec/requests/api/members_spec.rb, invitations_spec.rb."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.requests import outcome, person, usernames

SCENARIO: dict[str, Any] = {
    "settings": {"enable_member_promotion_management": True},
    "users": [{"username": name} for name in ("ada", "ben", "cid", "dan")],
    "groups": [
        {
            "path": "acme",
            "members": {"ada": "owner", "ben": "guest"},
            "projects": [{"path": "site", "members": {"ben": "guest"}}],
        },
        {"path": "other", "members": {"dan": "developer"}},
    ],
}
pytestmark = pytest.mark.fakeplat(scenario=SCENARIO, tier="ultimate", version="latest")
QUEUED = "Request queued for administrator approval."
EVERYWHERE = pytest.mark.parametrize("path", ["groups/acme", "projects/acme%2Fsite"])


def add(fake: Fakeplat, path: str, *names: str, username: str = "ada", level: int = 30) -> tuple[int, Any]:
    ids = ",".join(str(person(fake, name)) for name in names)
    return outcome(fake.as_user(username).post(f"{path}/members", json={"user_id": ids, "access_level": level}))


@EVERYWHERE
def test_a_role_that_takes_a_seat_waits_for_an_administrator(fakeplat: Fakeplat, path: str) -> None:
    """Who has no role above Guest anywhere does not get one; others, and Guests, are added as usual."""
    before = usernames(fakeplat.as_user("ada").get(f"{path}/members"))
    assert (202, {"message": {"cid": QUEUED}}) == add(fakeplat, path, "cid")
    assert before == usernames(fakeplat.as_user("ada").get(f"{path}/members"))
    assert [201, 201] == [add(fakeplat, path, "dan")[0], add(fakeplat, path, "cid", level=10)[0]]


@EVERYWHERE
def test_several_roles_wait_together(fakeplat: Fakeplat, path: str) -> None:
    """Those who need no approval are added at once."""
    expected = {"status": "success", "queued_users": {"cid": QUEUED}}
    assert (201, expected) == add(fakeplat, path, "cid", "dan")
    members = usernames(fakeplat.as_user("ada").get(f"{path}/members"))
    assert ("cid" in members, "dan" in members) == (False, True)


@EVERYWHERE
def test_a_higher_role_of_a_guest_waits(fakeplat: Fakeplat, path: str) -> None:
    """The level of a member who takes no seat stays; the expiry date of a Guest changes."""
    member, ada = f"{path}/members/{person(fakeplat, 'ben')}", fakeplat.as_user("ada")
    queued = ada.put(member, json={"access_level": 30})
    assert (202, f'{{"message":{{"ben":"{QUEUED}"}}}}'.encode()) == (queued.status, queued.content)
    assert 10 == ada.get(member).json()["access_level"]
    assert 200 == ada.put(member, json={"access_level": 10, "expires_at": "2100-01-01"}).status
    assert 200 == fakeplat.as_user("root").put(member, json={"access_level": 30}).status
    assert 200 == ada.put(member, json={"access_level": 40}).status


@EVERYWHERE
def test_invited_users_wait(fakeplat: Fakeplat, path: str) -> None:
    """Invitations of users by id wait, too; administrators need no approval."""
    body = {"user_id": str(person(fakeplat, "cid")), "access_level": 30}
    expected = {"status": "success", "queued_users": {"cid": QUEUED}}
    assert (201, expected) == outcome(fakeplat.as_user("ada").post(f"{path}/invitations", json=body))
    assert (201, {"status": "success"}) == outcome(fakeplat.as_user("root").post(f"{path}/invitations", json=body))


@pytest.mark.parametrize(
    "marks",
    [
        pytest.param("off", marks=pytest.mark.fakeplat(scenario={**SCENARIO, "settings": {}})),
        pytest.param("premium", marks=pytest.mark.fakeplat(tier="premium")),
    ],
)
def test_nothing_waits_without_the_setting(fakeplat: Fakeplat, marks: str) -> None:
    """Roles need no approval without the setting, and below the tier in which Guests take no seats."""
    assert (marks, 201) == (marks, add(fakeplat, "groups/acme", "cid")[0])
