"""Confirming addresses with the links of mails. Source: docs/platform/mail.md ('Account mails')."""

import re

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.mailboxes import send_request
from tests.api.oauth import SCENARIO, Browser

pytestmark = pytest.mark.fakeplat(scenario=SCENARIO, clock="virtual", start="2020-11-20T09:00:00.000Z")


def follow_link(fake: Fakeplat, to: str) -> int:
    """Follow the link in the mail to an address; return the status."""
    (mail,) = fake.mails.find(to=to, subject="Confirmation instructions")
    match = re.search(r"https?://\S+", mail.body)
    assert match is not None
    return Browser(fake).open(match[0].removeprefix(f"{fake.url.rstrip('/')}/")).status


def test_a_new_account(fakeplat: Fakeplat) -> None:
    """Can sign in once its address is confirmed; following the link again changes nothing."""
    fields = {"username": "zoe", "name": "Zoe", "email": "zoe@example.test", "password": "secret-12345"}
    send_request(fakeplat, "POST", "users", "root", **fields)
    assert fakeplat.world.user("zoe").confirmed_at is None
    assert 302 == follow_link(fakeplat, "zoe@example.test")
    confirmed_at = fakeplat.world.user("zoe").confirmed_at
    assert confirmed_at is not None

    assert 302 == follow_link(fakeplat, "zoe@example.test")
    assert confirmed_at == fakeplat.world.user("zoe").confirmed_at


def test_another_main_address(fakeplat: Fakeplat) -> None:
    """A confirmed new main address replaces the old one."""
    id_ = fakeplat.world.user("ada").id
    send_request(fakeplat, "PUT", f"users/{id_}", "root", email="ada@new.test")
    assert "ada@example.test" == fakeplat.world.user("ada").email
    assert 302 == follow_link(fakeplat, "ada@new.test")

    assert "ada@new.test" == fakeplat.world.user("ada").email
    assert 302 == follow_link(fakeplat, "ada@new.test")


def test_a_further_address(fakeplat: Fakeplat) -> None:
    """Following the link in the mail confirms a further address of a user."""
    send_request(fakeplat, "POST", "user/emails", "ada", email="ada@work.test")
    assert 302 == follow_link(fakeplat, "ada@work.test")

    assert [True] == [email.confirmed_at is not None for email in fakeplat.bench.platform.view.emails]


@pytest.mark.parametrize("token", ["", "1", "x-y", "2-00", "ffff-00"])
def test_a_forged_token(fakeplat: Fakeplat, token: str) -> None:
    """A forged confirmation token shows an error and confirms nothing."""
    page = Browser(fakeplat).open(f"users/confirmation?confirmation_token={token}")

    assert (200, True) == (page.status, "Confirmation token is invalid" in page.text)
