"""Mails of daily jobs: issues that are due, and tokens that expire. Source: docs/platform/mail.md."""

import pytest

from fakeplat.core.release import profile_of
from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import (
    BOTS_TELL_OF_EXPIRY,
    SSH_KEYS_TELL_OF_EXPIRY,
    TOKEN_MAILS_IN_LOWER_CASE,
    TOKEN_NOTICES,
)
from tests.api.mailboxes import ISSUE, PEOPLE, SITE, STANDARD, WATCHING, send_request, take_mails, take_recipients
from tests.ssh_keys import ED25519

# The world begins on 2020-11-20 at 9:00.
pytestmark = pytest.mark.fakeplat(scenario=PEOPLE, tier="premium")
EXPIRING, EXPIRED = (
    "Your Personal Access Tokens will expire in 7 days or less",
    "Your personal access token has expired",
)


def load_token(fake: Fakeplat, expires_at: str, **fields: object) -> None:
    token = {"name": "ci", "value": "lazy-ci", "expires_at": expires_at, **fields}
    fake.load({"users": [{"username": "lazy", "tokens": [token]}]})


def take_subjects(fake: Fakeplat) -> list[str]:
    mails = take_mails(fake)
    assert {mail.to for mail in mails} <= {"lazy@example.test"}
    return [mail.subject for mail in mails]


def test_an_issue_that_is_due_tomorrow(fakeplat: Fakeplat) -> None:
    """An issue due tomorrow is mailed to everybody involved, but not to watchers."""
    send_request(fakeplat, "PUT", ISSUE, "author", due_date="2020-11-25")
    fakeplat.clock.advance_to("2020-11-24T00:49:00Z")
    assert [] == take_mails(fakeplat)
    fakeplat.clock.advance("2m")
    mail = next(iter(fakeplat.mails))

    assert ("Re: Site | Broken (#1)", True) == (mail.subject, mail.headers["From"].startswith('"author" <'))
    assert "is due soon.\n\nDue date: 2020-11-25" in mail.body
    assert {*STANDARD} - WATCHING | {"watching_subscriber"} == take_recipients(fakeplat)


@pytest.mark.parametrize("change", [{"due_date": "2021-01-01"}, {"due_date": None}, {"state_event": "close"}])
def test_an_issue_that_is_no_longer_due(fakeplat: Fakeplat, change: dict[str, str]) -> None:
    """No mail is sent for an issue that was closed or is no longer due."""
    send_request(fakeplat, "PUT", ISSUE, due_date="2020-11-25")
    send_request(fakeplat, "PUT", ISSUE, **change)
    take_mails(fakeplat)
    fakeplat.clock.advance("7d")

    assert [] == take_mails(fakeplat)


def test_due_issues_of_scenarios(fakeplat: Fakeplat) -> None:
    """Issues of scenarios send their due mails, and settling does not wait for them."""
    issue = {"iid": 7, "title": "Soon", "author": "author", "due_date": "2020-11-22"}
    fakeplat.load({"projects": [{"path_with_namespace": "org/acme/site", "issues": [issue]}]})
    fakeplat.settle()
    assert [] == take_mails(fakeplat)
    fakeplat.clock.advance("1d")

    assert {"author", "custom", "guest_custom"} == take_recipients(fakeplat)


def test_a_deleted_issue_is_not_due(fakeplat: Fakeplat) -> None:
    """Deleting an issue removes the task of its due mail."""
    send_request(fakeplat, "POST", f"{SITE}/issues", title="x", due_date="2020-11-25")
    send_request(fakeplat, "DELETE", f"{SITE}/issues/2", "root_owner")
    take_mails(fakeplat)
    fakeplat.clock.advance("7d")

    assert [] == take_mails(fakeplat)


def test_a_token_that_expires(fakeplat: Fakeplat) -> None:
    """The owner of a token gets a mail a week before it expires and on the day."""
    load_token(fakeplat, "2020-12-20")
    fakeplat.clock.advance_to("2020-12-13T00:30:00Z")
    assert [] == take_subjects(fakeplat)
    fakeplat.clock.advance("1h")
    assert [EXPIRING] == take_subjects(fakeplat)
    fakeplat.clock.advance("30d")
    assert [EXPIRED] == take_subjects(fakeplat)


def test_a_token_for_a_few_days(fakeplat: Fakeplat) -> None:
    """A token that expires within days is announced on the next day."""
    load_token(fakeplat, "2020-11-24")
    fakeplat.clock.advance("1d")
    assert [EXPIRING] == take_subjects(fakeplat)


def test_tokens_whose_expiry_is_not_mailed(fakeplat: Fakeplat) -> None:
    """No mail announces the expiry of revoked tokens, impersonation tokens and those of blocked users."""
    load_token(fakeplat, "2020-12-20", kind="impersonation")
    fakeplat.clock.advance("40d")
    assert [] == take_subjects(fakeplat)

    load_token(fakeplat, "2021-01-20", value="lazy-other")
    fakeplat.load({"users": [{"username": "lazy", "state": "blocked"}]})
    fakeplat.clock.advance("40d")
    assert [] == take_subjects(fakeplat)


@pytest.mark.fakeplat(version="17.7", clock="virtual")
def test_tokens_are_announced_three_times(fakeplat: Fakeplat) -> None:
    """From 17.7 on the owner of a token is told 60, 30 and 7 days before it expires, and on the day."""
    load_token(fakeplat, "2021-03-20")
    fakeplat.clock.advance("365d")

    announced = [f"Your personal access tokens will expire in {days} days or less" for days in (60, 30, 7)]
    assert [(7,), (60, 30, 7)] == [profile_of(release).choose(TOKEN_NOTICES) for release in ((17, 6), (17, 7))]
    assert [*announced, EXPIRED] == take_subjects(fakeplat)


@pytest.mark.fakeplat(version=TOKEN_MAILS_IN_LOWER_CASE.since.removeprefix("<="), clock="virtual")
def test_a_token_for_three_weeks_is_announced_twice(fakeplat: Fakeplat) -> None:
    """A token for less than 30 days is announced on the next day, and a week before it expires."""
    load_token(fakeplat, "2020-12-10")
    fakeplat.clock.advance("1d")
    assert ["Your personal access tokens will expire in 30 days or less"] == take_subjects(fakeplat)
    fakeplat.clock.advance("11d")
    assert [] == take_subjects(fakeplat)
    fakeplat.clock.advance("1d")
    assert ["Your personal access tokens will expire in 7 days or less"] == take_subjects(fakeplat)


def create_token(fake: Fakeplat, path: str) -> None:
    """Create an access token of a project or group that ends in a month."""
    body = {"name": "ci", "scopes": ["api"], "expires_at": "2020-12-20"}
    assert 201 == fake.as_user("root").post(f"{path}/access_tokens", json=body).status


ENDS_SOON = "Your resource access tokens will expire in 7 days or less"


@pytest.mark.fakeplat(version=BOTS_TELL_OF_EXPIRY.since.removeprefix("<="), clock="virtual")
@pytest.mark.parametrize(
    ("path", "told"),
    [("projects/org%2Facme%2Fsite", {"off", "lazy"}), ("groups/org%2Facme", {"named"})],
    ids=["project", "group"],
)
def test_tokens_of_projects_and_groups(fakeplat: Fakeplat, path: str, told: set[str]) -> None:
    """Direct members who administer a project, and direct owners of a group, are told of tokens that end soon."""
    fakeplat.load(
        {
            "groups": [{"full_path": "org/acme", "members": {"named": "owner"}}],
            "projects": [
                {"path_with_namespace": "org/acme/site", "members": {"lazy": "maintainer", "off": "maintainer"}}
            ],
        }
    )
    create_token(fakeplat, path)
    take_mails(fakeplat)
    fakeplat.clock.advance_to("2020-12-13T00:59:00Z")
    assert [] == take_mails(fakeplat)
    fakeplat.clock.advance("2m")
    mails = take_mails(fakeplat)

    assert {ENDS_SOON} == {mail.subject for mail in mails}
    assert {f"{name}@example.test" for name in told} == {mail.to for mail in mails}


@pytest.mark.fakeplat(version="13.12", clock="virtual")
def test_tokens_of_projects_end_unannounced_before(fakeplat: Fakeplat) -> None:
    """In earlier releases nobody is told of the tokens of projects."""
    create_token(fakeplat, "projects/org%2Facme%2Fsite")
    take_mails(fakeplat)
    fakeplat.clock.advance("40d")

    assert ENDS_SOON not in {mail.subject for mail in take_mails(fakeplat)}


@pytest.mark.fakeplat(version=SSH_KEYS_TELL_OF_EXPIRY.since.removeprefix("<="), clock="virtual")
def test_ssh_keys_that_expire(fakeplat: Fakeplat) -> None:
    """The owner of an SSH key is told a week before it expires, and on the day."""
    body = {"title": "Laptop", "key": ED25519, "expires_at": "2020-12-20"}
    assert 201 == fakeplat.as_user("lazy").post("user/keys", json=body).status
    take_mails(fakeplat)
    fakeplat.clock.advance_to("2020-12-13T01:01:00Z")
    assert ["Your SSH key is expiring soon."] == take_subjects(fakeplat)
    fakeplat.clock.advance("30d")
    assert ["Your SSH key has expired"] == take_subjects(fakeplat)
