"""Mails of daily jobs: issues that are due, and tokens that expire. Source: docs/platform/mail.md."""

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.mailboxes import ISSUE, PEOPLE, SITE, STANDARD, WATCHING, send_request, take_mails, take_recipients

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
