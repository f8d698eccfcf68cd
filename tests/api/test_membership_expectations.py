"""What the platform's own specs ask of invitations and members in later releases.

Source: spec/requests/api/invitations_spec.rb, spec/requests/api/members_spec.rb.
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.marks import STARTER_AT_NINE
from tests.api.requests import (
    FORBIDDEN,
    Outcome,
    invalid,
    invalid_record,
    missing_value,
    names,
    outcome,
    person,
    refusal,
    resource_not_found,
)

pytestmark = [STARTER_AT_NINE, pytest.mark.fakeplat(version="latest")]
PLACES = pytest.mark.parametrize("path", ["projects/acme%2Fsite", "groups/acme"], ids=["project", "group"])
SITE = "projects/acme%2Fsite"
DEVELOPER = {"access_level": 30}
NEITHER = (400, {"message": "400 Bad request - Must provide either email or user_id as a parameter"})


def invite(fake: Fakeplat, path: str, **body: Any) -> Outcome:
    """Return the answer to an invitation by ada."""
    return outcome(fake.as_user("ada").post(f"{path}/invitations", json={**DEVELOPER, **body}))


def invited(fake: Fakeplat, path: str) -> list[str]:
    """Return the addresses of the open invitations."""
    return names(fake.as_user("ada").get(f"{path}/invitations").json(), "invite_email")


def members(fake: Fakeplat, path: str) -> dict[str, int]:
    """Return the levels of the direct members."""
    rows = fake.as_user("ada").get(f"{path}/members").json()
    return {row["username"]: row["access_level"] for row in rows}


@PLACES
@pytest.mark.parametrize("confirmed", [True, False])
def test_confirmed_addresses_make_members(fakeplat: Fakeplat, path: str, confirmed: bool) -> None:
    """Whoever has a confirmed secondary address is a member at once; an unconfirmed one gets an invitation."""
    body = {"email": "second@eve.test", "skip_confirmation": confirmed}
    assert 201 == fakeplat.as_user("root").post(f"users/{person(fakeplat, 'eve')}/emails", json=body).status

    assert (201, {"status": "success"}) == invite(fakeplat, path, email="second@eve.test")
    assert confirmed is ("eve" in members(fakeplat, path))
    assert ([] if confirmed else ["second@eve.test"]) == invited(fakeplat, path)


@PLACES
def test_ids_and_addresses_are_invited_together(fakeplat: Fakeplat, path: str) -> None:
    """Users are invited by ids, and strangers by addresses, in one request."""
    ids = f"{person(fakeplat, 'eve')},{person(fakeplat, 'ext')}"

    assert (201, {"status": "success"}) == invite(fakeplat, path, email="a@x.test,b@x.test", user_id=ids)
    assert {"eve", "ext"} <= members(fakeplat, path).keys()
    assert ["a@x.test", "b@x.test"] == invited(fakeplat, path)


@PLACES
@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (DEVELOPER, NEITHER),
        ({**DEVELOPER, "email": ""}, NEITHER),
        ({**DEVELOPER, "user_id": ""}, NEITHER),
        ({**DEVELOPER, "email": "a@x.test,not-an-email"}, invalid("email contains an invalid email address")),
        ({"email": "a@x.test"}, invalid(missing_value("access_level"))),
        ({"email": "a@x.test", "access_level": 11}, invalid("access_level does not have a valid value")),
        ({**DEVELOPER, "email": "a@x.test", "expires_at": "soon"}, invalid("expires_at is invalid")),
    ],
    ids=["nobody", "blank address", "blank id", "no address", "no level", "unknown level", "no date"],
)
def test_unusable_invitations_are_refused(
    fakeplat: Fakeplat, path: str, body: dict[str, Any], expected: Outcome
) -> None:
    """An invitation needs somebody, with a valid address, and a level."""
    assert expected == refusal(fakeplat, "ada", "POST", f"{path}/invitations", json=body)


@PLACES
@pytest.mark.parametrize("caller", ["eve", "gus", "dev"])
def test_others_do_not_invite(fakeplat: Fakeplat, path: str, caller: str) -> None:
    """Developers and guests may not invite; strangers do not learn that the private project is there."""
    body = {**DEVELOPER, "email": "a@x.test"}
    expected = resource_not_found("Project") if caller == "eve" and path == SITE else FORBIDDEN

    assert expected == refusal(fakeplat, caller, "POST", f"{path}/invitations", json=body)


@PLACES
def test_dates_in_the_past_are_told_by_address(fakeplat: Fakeplat, path: str) -> None:
    """An invitation that has ended is an error of its address, with 201; nobody is invited."""
    message = {"a@x.test": "Expires at cannot be a date in the past"}

    assert (201, {"status": "error", "message": message}) == invite(
        fakeplat, path, email="a@x.test", expires_at="2020-11-18"
    )
    assert [] == invited(fakeplat, path)


def test_invitations_below_the_inherited_level_are_told(fakeplat: Fakeplat) -> None:
    """A level below that in the group is an error, one above it is not."""
    body = {"user_id": person(fakeplat, "dev"), "access_level": 20}
    text = "Access level should be greater than or equal to Developer inherited membership from group acme"
    status, answer = invite(fakeplat, SITE, **body)

    assert (201, "error") == (status, answer["status"])
    assert [text.lower()] == [value.lower() for value in answer["message"].values()]
    assert (201, {"status": "success"}) == invite(fakeplat, SITE, **{**body, "access_level": 40})
    assert 40 == members(fakeplat, SITE)["dev"]


@PLACES
def test_bots_are_not_invited(fakeplat: Fakeplat, path: str) -> None:
    """The bot of an access token joins nothing else."""
    token = {"name": "ci", "scopes": ["api"]}
    created = fakeplat.as_user("ada").post("projects/ada%2Fnotes/access_tokens", json=token).json()
    bot = fakeplat.as_user("root").get(f"users/{created['user_id']}").json()
    status, answer = invite(fakeplat, path, user_id=created["user_id"])

    assert (201, "error") == (status, answer["status"])
    assert ["User project bots cannot be added to other groups / projects"] == list(answer["message"].values())
    assert bot["username"] not in members(fakeplat, path)


def test_members_are_changed_by_invitations(fakeplat: Fakeplat) -> None:
    """An invitation of a member changes the level, by the address of the account, too."""
    assert (
        201
        == fakeplat.as_user("ada")
        .post(f"{SITE}/members", json={"user_id": person(fakeplat, "eve"), "access_level": 20})
        .status
    )
    address = fakeplat.as_user("root").get(f"users/{person(fakeplat, 'eve')}").json()["email"]

    assert (201, {"status": "success"}) == invite(fakeplat, SITE, email=address, access_level=40)
    assert 40 == members(fakeplat, SITE)["eve"]


# members


@PLACES
@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            {"access_level": 30},
            (400, {"error": "user_id, username are missing, at least one parameter must be provided"}),
        ),
        ({"user_id": 1, "username": "eve", "access_level": 30}, invalid("user_id, username are mutually exclusive")),
        ({"username": "eve"}, invalid("access_level is missing")),
        ({"username": "eve", "access_level": 1234}, invalid_record(access_level=["is not included in the list"])),
        ({"username": "nobody", "access_level": 30}, (404, {"message": "404 User Not Found"})),
        ({"user_id": 123456, "access_level": 30}, (404, {"message": "404 User Not Found"})),
    ],
    ids=["nobody", "both", "no level", "unknown level", "unknown name", "unknown id"],
)
def test_unusable_members_are_refused(fakeplat: Fakeplat, path: str, body: dict[str, Any], expected: Outcome) -> None:
    """A new member is named by id or username, and has a level."""
    assert expected == refusal(fakeplat, "ada", "POST", f"{path}/members", json=body)


@PLACES
def test_members_are_added_by_username(fakeplat: Fakeplat, path: str) -> None:
    """A member is added by username, with a last day; a second time is a conflict."""
    body = {"username": "eve", "access_level": 30, "expires_at": "2020-12-01"}
    status, member = outcome(fakeplat.as_user("ada").post(f"{path}/members", json=body))

    assert (201, "eve", 30, "2020-12-01") == (status, member["username"], member["access_level"], member["expires_at"])
    assert (409, {"message": "Member already exists"}) == refusal(fakeplat, "ada", "POST", f"{path}/members", json=body)


@PLACES
def test_unknown_members_are_not_found(fakeplat: Fakeplat, path: str) -> None:
    """A user who is no member is not found, whether read, changed or removed."""
    member_path = f"{path}/members/{person(fakeplat, 'eve')}"

    for method, body in (("GET", {}), ("PUT", DEVELOPER), ("DELETE", {})):
        assert (404, {"message": "404 Not found"}) == refusal(fakeplat, "ada", method, member_path, json=body)
