"""Setting a new password by mail. Source: docs/platform/mail.md ('Account mails')."""

import re

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.mailboxes import send_request, take_mails
from tests.api.oauth import SCENARIO, Browser

pytestmark = pytest.mark.fakeplat(scenario=SCENARIO, clock="virtual", start="2020-11-20T09:00:00.000Z")
NEW = {"user[password]": "brand-new-1", "user[password_confirmation]": "brand-new-1"}


def request_reset(fake: Fakeplat, email: str = "ada@example.test") -> int:
    """Ask for a mail; return the status."""
    walk = Browser(fake)
    return walk.submit(walk.open("users/password/new"), **{"user[email]": email}).status


def find_link(fake: Fakeplat) -> str:
    """Return the path of the link in the mail."""
    (mail,) = take_mails(fake)
    match = re.search(r"Set your password: (\S+)", mail.body)
    assert match is not None
    return match[1].removeprefix(f"{fake.url.rstrip('/')}/")


def test_a_new_password(fakeplat: Fakeplat) -> None:
    """The link of the mail sets a new password once, which is mailed, too."""
    assert 302 == request_reset(fakeplat)
    (mail,) = fakeplat.mails
    assert ("ada@example.test", "Reset password instructions") == (mail.to, mail.subject)
    path, walk = find_link(fakeplat), Browser(fakeplat)
    reply = walk.submit(walk.open(path), **NEW)

    assert (302, f"{fakeplat.url.rstrip('/')}/users/sign_in") == (reply.status, reply.headers["location"])
    assert ["Password Changed"] == [mail.subject for mail in take_mails(fakeplat)]
    walk.sign_in("ada", "brand-new-1")
    assert "Signed in as ada" in walk.open("").text
    again = Browser(fakeplat)
    assert "Reset password token is invalid" in again.submit(again.open(path), **NEW).text


def test_an_unknown_address(fakeplat: Fakeplat) -> None:
    """A reset for an unknown address is answered alike and sends no mail."""
    assert 302 == request_reset(fakeplat, "nobody@example.test")
    assert [] == take_mails(fakeplat)


def test_the_link_expires(fakeplat: Fakeplat) -> None:
    """The link to reset a password expires after two days."""
    request_reset(fakeplat)
    path, walk = find_link(fakeplat), Browser(fakeplat)
    fakeplat.clock.advance("2d")

    assert "Reset password token is invalid" in walk.submit(walk.open(path), **NEW).text


@pytest.mark.parametrize("token", ["", "1", "x-y-z", "1-2-3", "2-0-00"])
def test_a_forged_token(fakeplat: Fakeplat, token: str) -> None:
    """A forged reset token sets no password."""
    walk = Browser(fakeplat)
    page = walk.open(f"users/password/edit?reset_password_token={token}")

    assert "Reset password token is invalid" in walk.submit(page, **NEW).text


@pytest.mark.parametrize(
    ("password", "confirmation", "error"),
    [
        ("", "", "Password can&#x27;t be blank"),
        ("brand-new-1", "other-new-1", "Password confirmation doesn&#x27;t match Password"),
        ("short", "short", "Password is too short (minimum is 8 characters)"),
    ],
)
def test_a_password_that_is_refused(fakeplat: Fakeplat, password: str, confirmation: str, error: str) -> None:
    """Can be corrected on the same page."""
    request_reset(fakeplat)
    path, walk = find_link(fakeplat), Browser(fakeplat)
    page = walk.submit(walk.open(path), **{"user[password]": password, "user[password_confirmation]": confirmation})
    assert error in page.text

    assert 302 == walk.submit(page, **NEW).status


def test_a_forged_form(fakeplat: Fakeplat) -> None:
    """A reset form without its token is refused for both methods."""
    for method in ("POST", "PUT"):
        assert 422 == Browser(fakeplat).open("users/password", {"user[email]": "ada@example.test"}, method).status
    assert [] == take_mails(fakeplat)


def test_an_invited_user_sets_the_first_password(fakeplat: Fakeplat) -> None:
    """The link of the account mail sets the first password."""
    fields = {"username": "zoe", "name": "Zoe", "email": "zoe@example.test"}
    send_request(fakeplat, "POST", "users", "root", **fields, reset_password=True, skip_confirmation=True)
    path, walk = find_link(fakeplat), Browser(fakeplat)
    walk.submit(walk.open(path), **NEW)
    walk.sign_in("zoe", "brand-new-1")

    assert "Signed in as zoe" in walk.open("").text
