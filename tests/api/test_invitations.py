"""Invitations of e-mail addresses. Source: docs/platform/invitations.md."""

from typing import Any

import pytest

from fakeplat.core.release import parse_release
from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import (
    CHANGED_INVITATIONS_ARE_WHOLE,
    INVITATIONS_CHANGE_MEMBERS,
    INVITATIONS_TAKE_USERS,
    PROJECTS_HAVE_OWNERS,
)
from tests.api.requests import (
    FORBIDDEN,
    Outcome,
    invalid,
    invalid_record,
    missing_value,
    person,
    refusal,
    resource_not_found,
)
from tests.by_release import by_release

pytestmark = pytest.mark.fakeplat(version="latest")
SITE, ACME = "projects/acme%2Fsite/invitations", "groups/acme/invitations"
MISSING: Outcome = (400, {"message": "400 Bad request - Must provide either email or user_id as a parameter"})
NEW = "new@work.test"
both = pytest.mark.parametrize("path", [SITE, ACME])


def invite(fake: Fakeplat, path: str, by: str = "ada", **sent: Any) -> Outcome:
    """Send an invitation; return the outcome."""
    reply = fake.as_user(by).post(path, json={"access_level": 40, **sent})
    return reply.status, reply.json()


def addresses(fake: Fakeplat, path: str, query: str = "") -> list[str]:
    """Return the addresses that are invited."""
    return [row["invite_email"] for row in fake.as_user("ada").get(f"{path}{query}").json()]


def level(fake: Fakeplat, path: str, username: str) -> int | None:
    """Return the level of a direct member."""
    reply = fake.as_user("root").get(f"{path.removesuffix('invitations')}members/{person(fake, username)}")
    level: int | None = reply.json().get("access_level")
    return level


SUCCESS: Outcome = (201, {"status": "success"})


@both
@pytest.mark.parametrize("email", [f"{NEW},second@work.test", [NEW, "second@work.test"]])
def test_addresses_are_invited(fakeplat: Fakeplat, path: str, email: Any) -> None:
    """Addresses of nobody get an invitation and a mail each."""
    assert SUCCESS == invite(fakeplat, path, email=email)
    assert [NEW, "second@work.test"] == addresses(fakeplat, path)
    assert [NEW] == addresses(fakeplat, path, f"?query={NEW}")
    assert {NEW, "second@work.test"} <= {mail.to for mail in fakeplat.mails}


def test_an_invitation_has_seven_fields(fakeplat: Fakeplat) -> None:
    """An invitation shows what it offers, to whom, and who made it."""
    invite(fakeplat, SITE, email=NEW, expires_at="2021-03-01")
    (row,) = fakeplat.as_user("ada").get(SITE).json()
    token = row.pop("invite_token")

    assert {
        "access_level": 40,
        "created_at": row["created_at"],
        "expires_at": "2021-03-01",
        "invite_email": NEW,
        "user_name": None,
        "created_by_name": fakeplat.world.user("ada").name,
    } == row
    assert token


@both
@pytest.mark.parametrize("by", ["email", "user_id"])
def test_users_become_members(fakeplat: Fakeplat, path: str, by: str) -> None:
    """Whoever has an account is a member at once."""
    eve = fakeplat.world.user("eve")
    assert SUCCESS == invite(fakeplat, path, **{by: getattr(eve, "email" if by == "email" else "id")})
    assert (40, []) == (level(fakeplat, path, "eve"), addresses(fakeplat, path))


@both
def test_a_member_gets_the_new_level(fakeplat: Fakeplat, path: str) -> None:
    """Invited members get another level."""
    fakeplat.as_user("root").post(
        f"{path.removesuffix('invitations')}members", json={"user_id": person(fakeplat, "eve"), "access_level": 30}
    )
    assert SUCCESS == invite(fakeplat, path, email=fakeplat.world.user("eve").email)
    assert 40 == level(fakeplat, path, "eve")


def test_a_request_for_access_is_granted(fakeplat: Fakeplat) -> None:
    """Whoever asked for access is a member after an invitation."""
    fakeplat.as_user("eve").post("groups/acme/access_requests")
    assert SUCCESS == invite(fakeplat, ACME, email=fakeplat.world.user("eve").email)
    assert [] == fakeplat.as_user("ada").get("groups/acme/access_requests").json()


def test_an_invitation_is_changed_by_another_one(fakeplat: Fakeplat) -> None:
    """A second invitation of an address changes the first one."""
    invite(fakeplat, SITE, email=NEW)
    assert SUCCESS == invite(fakeplat, SITE, email=NEW.upper(), access_level=20)
    assert [20] == [row["access_level"] for row in fakeplat.as_user("ada").get(SITE).json()]


@pytest.mark.fakeplat(version="13.6")
def test_existing_members_were_errors(fakeplat: Fakeplat) -> None:
    """Members, invitations and requests that existed were errors at first."""
    assert INVITATIONS_CHANGE_MEMBERS.covers(parse_release("15.9"))
    fakeplat.as_user("eve").post("groups/acme/access_requests")
    email = {name: fakeplat.world.user(name).email for name in ("mia", "eve")}
    invite(fakeplat, ACME, email=NEW)
    expected = {
        email["mia"]: "Already a member of Acme",
        NEW: "Member already invited to Acme",
        email["eve"]: "Member cannot be invited because they already requested to join Acme",
    }
    assert (201, {"status": "error", "message": expected}) == invite(fakeplat, ACME, email=",".join(expected))


def test_an_error_does_not_stop_the_others(fakeplat: Fakeplat) -> None:
    """The answer lists the addresses with errors; the others are invited."""
    rep = fakeplat.world.user("mia").email
    text = "Access level should be greater than or equal to Maintainer inherited membership from group Acme"
    expected = {"status": "error", "message": {rep: text}}
    assert (201, expected) == invite(fakeplat, SITE, email=f"{rep},{NEW}", access_level=20)
    assert [NEW] == addresses(fakeplat, SITE)


@pytest.mark.parametrize(
    ("sent", "text"),
    [
        ({"expires_at": "2020-01-01"}, "Expires at cannot be a date in the past"),
        pytest.param(
            {"access_level": 50},
            "Access level is not included in the list",
            marks=pytest.mark.fakeplat(version="14.8"),
        ),
    ],
)
def test_an_impossible_offer_is_an_error(fakeplat: Fakeplat, sent: dict[str, Any], text: str) -> None:
    """A date in the past, and a level that projects do not have, are errors of each address."""
    assert (201, {"status": "error", "message": {NEW: text}}) == invite(fakeplat, SITE, email=NEW, **sent)
    assert [] == addresses(fakeplat, SITE)


@both
@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        ({}, MISSING),
        ({"email": ""}, MISSING),
        ({"user_id": ""}, MISSING),
        ({"email": f"{NEW},not-an-email"}, invalid("email contains an invalid email address")),
        ({"email": NEW, "access_level": 35}, invalid("access_level does not have a valid value")),
    ],
)
def test_a_refused_invitation(fakeplat: Fakeplat, path: str, sent: dict[str, Any], expected: Outcome) -> None:
    """A refused invitation changes nothing."""
    assert expected == refusal(fakeplat, "ada", "POST", path, json={"access_level": 30, **sent})


@both
@by_release(
    INVITATIONS_TAKE_USERS,
    "expected",
    {
        "15.8": [invalid("email is missing"), (201, {"status": "error", "message": "Email cannot be blank"})],
        "15.9": [MISSING, MISSING],
    },
)
def test_an_invitation_needs_an_address(fakeplat: Fakeplat, path: str, expected: list[Outcome]) -> None:
    """Before users are invited by their ids, an address is required, which is blank only for the invitation."""
    bodies: list[dict[str, Any]] = [{"access_level": 30}, {"access_level": 30, "email": ""}]
    assert expected == [refusal(fakeplat, "ada", "POST", path, json=body) for body in bodies]


@by_release(INVITATIONS_TAKE_USERS, "is_first", {"15.8": False, "15.9": True})
def test_nobody_is_invited_before_the_project_is_looked_up(fakeplat: Fakeplat, is_first: bool) -> None:
    """An invitation of nobody is 400 also for those who do not see the project, or may not invite."""
    blank, level = {"access_level": 30, "email": " "}, {"access_level": 30}
    hidden, unknown = resource_not_found("Project"), SITE.replace("site", "none")
    expected = [MISSING] * 3 if is_first else [hidden, hidden, FORBIDDEN]
    paths = (("eve", SITE), ("eve", unknown), ("dev", SITE))
    assert expected == [refusal(fakeplat, by, "POST", path, json=blank) for by, path in paths]
    assert (MISSING if is_first else invalid("email is missing")) == refusal(fakeplat, "eve", "POST", SITE, json=level)
    assert 401 == refusal(fakeplat, None, "POST", SITE, json=blank)[0]
    level_missing = invalid("access_level is missing, access_level does not have a valid value")
    assert level_missing == refusal(fakeplat, "eve", "POST", SITE, json={"email": ""})


def test_what_is_no_address_is_refused_first(fakeplat: Fakeplat) -> None:
    """The addresses are checked with all other parameters, before the project is looked up."""
    expected = invalid("access_level does not have a valid value, email contains an invalid email address")
    body = {"access_level": 1, "email": "nobody"}
    assert expected == refusal(fakeplat, "eve", "POST", "projects/999/invitations", json=body)


@both
def test_at_most_a_hundred_are_invited_at_once(fakeplat: Fakeplat, path: str) -> None:
    """With more addresses nobody is invited; each address counts once."""
    many = ",".join(f"n{number}@work.test" for number in range(101))
    expected = {"status": "error", "message": "Too many users specified (limit is 100)"}
    assert (201, expected) == invite(fakeplat, path, email=many)
    assert [] == addresses(fakeplat, path)

    assert (201, {"status": "success"}) == invite(fakeplat, path, email=",".join([NEW] * 101))


@both
def test_an_invitation_needs_a_level(fakeplat: Fakeplat, path: str) -> None:
    """The access level is required."""
    expected = invalid(missing_value("access_level"))
    assert expected == refusal(fakeplat, "ada", "POST", path, json={"email": NEW})


@both
def test_an_invitation_is_changed(fakeplat: Fakeplat, path: str) -> None:
    """PUT changes level and date of an invitation."""
    invite(fakeplat, path, email=NEW)
    changed = fakeplat.as_user("ada").put(f"{path}/{NEW}", json={"access_level": 20, "expires_at": "2021-02-01"})
    assert (200, 20, "2021-02-01") == (changed.status, changed.json()["access_level"], changed.json()["expires_at"])
    assert [20] == [row["access_level"] for row in fakeplat.as_user("ada").get(path).json()]


@by_release(CHANGED_INVITATIONS_ARE_WHOLE, "expected", {"17.11": None, "18.9": NEW})
def test_a_changed_invitation_names_the_address(fakeplat: Fakeplat, expected: str | None) -> None:
    """Later releases answer a change with all fields of the invitation."""
    invite(fakeplat, SITE, email=NEW)
    changed = fakeplat.as_user("ada").put(f"{SITE}/{NEW}", json={"access_level": 20}).json()

    assert expected == changed.get("invite_email")
    if expected:
        assert [changed] == fakeplat.as_user("ada").get(SITE).json()


@both
@pytest.mark.parametrize(
    ("email", "sent", "expected"),
    [
        (NEW, {}, (400, {"message": "400 Bad request"})),
        (NEW, {"access_level": 35}, invalid("access_level does not have a valid value")),
        (NEW, {"expires_at": "2020-01-01"}, invalid_record(expires_at=["cannot be a date in the past"])),
        ("other@work.test", {"access_level": 20}, (404, {"message": "404 Not Found"})),
    ],
)
def test_a_refused_change(fakeplat: Fakeplat, path: str, email: str, sent: dict[str, Any], expected: Outcome) -> None:
    """A refused change of an invitation changes nothing."""
    invite(fakeplat, path, email=NEW)
    assert expected == refusal(fakeplat, "ada", "PUT", f"{path}/{email}", json=sent)


@by_release(PROJECTS_HAVE_OWNERS, "refused", {"14.8": False, "14.9": True})
def test_owners_of_projects_are_for_owners(fakeplat: Fakeplat, refused: bool) -> None:
    """Maintainers neither withdraw nor change the invitation of an Owner of a project, nor make one of another."""
    other = "other@work.test"
    for email, level_ in ((NEW, 50 if refused else 40), (other, 30)):
        fakeplat.as_user("ada").post(SITE, json={"email": email, "access_level": level_})
    mia = fakeplat.as_user("mia")
    statuses = [
        mia.put(f"{SITE}/{NEW}", json={"access_level": 30}).status,
        mia.put(f"{SITE}/{other}", json={"access_level": 50}).status,
        mia.delete(f"{SITE}/{NEW}").status,
    ]

    assert ([403] * 3 if refused else [200, 400, 204]) == statuses
    assert 204 == mia.delete(f"{SITE}/{other}").status


def test_an_id_that_is_a_text_is_passed_over(fakeplat: Fakeplat) -> None:
    """Ids may be texts; the right to invite is checked before anybody is looked for."""
    body = {"user_id": fakeplat.world.user("eve").email, "access_level": 50}
    assert FORBIDDEN == refusal(fakeplat, "mia", "POST", SITE, json=body)
    assert SUCCESS == invite(fakeplat, SITE, user_id=f"{person(fakeplat, 'eve')},nobody")
    assert 40 == level(fakeplat, SITE, "eve")


@both
def test_an_invitation_is_withdrawn(fakeplat: Fakeplat, path: str) -> None:
    """DELETE withdraws an invitation; it is gone then."""
    invite(fakeplat, path, email=NEW)
    assert 204 == fakeplat.as_user("ada").delete(f"{path}/{NEW}").status
    assert [] == addresses(fakeplat, path)
    assert (404, {"message": "404 Not Found"}) == refusal(fakeplat, "ada", "DELETE", f"{path}/{NEW}")


@both
def test_developers_do_not_invite(fakeplat: Fakeplat, path: str) -> None:
    """Who may not administer members answers 403, whatever they ask for."""
    invite(fakeplat, path, email=NEW)
    sent = {"email": NEW, "access_level": 30}
    assert [FORBIDDEN] * 4 == [
        refusal(fakeplat, "dev", method, path + end, **rest)
        for method, end, rest in (
            ("GET", "", {}),
            ("POST", "", {"json": sent}),
            ("PUT", f"/{NEW}", {"json": {"access_level": 20}}),
            ("DELETE", f"/{NEW}", {}),
        )
    ]


def test_a_hidden_project_is_not_found(fakeplat: Fakeplat) -> None:
    """Strangers do not learn of a private project."""
    assert resource_not_found("Project") == refusal(fakeplat, "eve", "GET", SITE)


def test_a_new_user_accepts_invitations(fakeplat: Fakeplat) -> None:
    """Who confirms an invited address is a member, and the invitation is gone."""
    invite(fakeplat, ACME, email=NEW, access_level=30)
    body = {"email": NEW, "username": "newcomer", "name": "New", "reset_password": True, "skip_confirmation": True}
    created = fakeplat.as_user("root").post("users", json=body).json()

    assert 30 == fakeplat.as_user("ada").get(f"groups/acme/members/{created['id']}").json()["access_level"]
    assert [] == addresses(fakeplat, ACME)


@pytest.mark.fakeplat(clock="virtual")
def test_an_invitation_expires(fakeplat: Fakeplat) -> None:
    """An invitation ends at its date of expiry."""
    invite(fakeplat, SITE, email=NEW, expires_at="2020-11-22")
    fakeplat.clock.advance("2d")
    assert [] == addresses(fakeplat, SITE)
