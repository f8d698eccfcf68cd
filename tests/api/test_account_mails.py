"""Mails to users about their own accounts. Source: docs/platform/mail.md ('Account mails')."""

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.company import COMPANY
from tests.api.mailboxes import send_request, take_mails
from tests.gpg_keys import GPG_KEY
from tests.ssh_keys import ECDSA

pytestmark = pytest.mark.fakeplat(
    scenario={**COMPANY, "users": [*COMPANY["users"], {"username": "root", "admin": True}]}
)
NEW = {"username": "zoe", "name": "Zoe", "email": "zoe@example.test", "password": "secret-12345"}


def take_subjects(fake: Fakeplat) -> list[tuple[str, str]]:
    """Return recipients and subjects, and forget the mails."""
    return [(mail.to, mail.subject) for mail in take_mails(fake)]


def test_a_user_whom_an_administrator_creates(fakeplat: Fakeplat) -> None:
    """Confirms the address, and learns of the account."""
    send_request(fakeplat, "POST", "users", "root", **NEW)
    confirmation, welcome = take_mails(fakeplat)

    assert ("zoe@example.test", "Confirmation instructions") == (confirmation.to, confirmation.subject)
    assert f"{fakeplat.url}/users/confirmation?confirmation_token=" in confirmation.body
    assert ("zoe@example.test", "Account was created for you") == (welcome.to, welcome.subject)
    assert "Login: zoe@example.test" in welcome.body
    assert "reset_password_token" not in welcome.body
    assert welcome.headers["From"].startswith('"GitLab" <gitlab@')


def test_no_confirmation_if_it_is_skipped(fakeplat: Fakeplat) -> None:
    """With skipped confirmation a new user only gets the mail about the account."""
    send_request(fakeplat, "POST", "users", "root", **NEW, skip_confirmation=True)

    assert [("zoe@example.test", "Account was created for you")] == take_subjects(fakeplat)


def test_a_new_user_may_have_to_choose_a_password(fakeplat: Fakeplat) -> None:
    """A new user without a password gets a mail with a link to choose one."""
    fields = {name: value for name, value in NEW.items() if name != "password"}
    send_request(fakeplat, "POST", "users", "root", **fields, reset_password=True, skip_confirmation=True)
    (mail,) = take_mails(fakeplat)

    assert f"{fakeplat.url}/users/password/edit?reset_password_token=" in mail.body


def test_a_user_of_an_identity_provider(fakeplat: Fakeplat) -> None:
    """A user of an identity provider gets no mail about the account."""
    identity = {"provider": "saml", "extern_uid": "1"}
    send_request(fakeplat, "POST", "users", "root", **NEW, **identity, skip_confirmation=True)

    assert [] == take_subjects(fakeplat)


@pytest.mark.parametrize("is_required", [False, True])
def test_sign_up(fakeplat: Fakeplat, is_required: bool) -> None:
    """Whoever signs up confirms the address if the instance wants that; nobody created the account for them."""
    fakeplat.load({"settings": {"send_user_confirmation_email": is_required}})
    with fakeplat.bench.platform.acting() as ctx:
        from fakeplat.domain.people import sign_ups

        sign_ups.sign_up(ctx, **NEW)

    assert [("zoe@example.test", "Confirmation instructions")] * is_required == take_subjects(fakeplat)


def test_another_email_address(fakeplat: Fakeplat) -> None:
    """The new one is to be confirmed, the old one is informed."""
    id_ = fakeplat.world.user("dev").id
    send_request(fakeplat, "PUT", f"users/{id_}", "root", email="dev@new.test")
    expected = [("dev@new.test", "Confirmation instructions"), ("dev@example.test", "Email Changed")]
    assert expected == take_subjects(fakeplat)

    send_request(fakeplat, "PUT", f"users/{id_}", "root", email="dev@other.test", skip_reconfirmation=True)
    assert [("dev@example.test", "Email Changed")] == take_subjects(fakeplat)


def test_a_further_email_address(fakeplat: Fakeplat) -> None:
    """A further address gets a mail to confirm it, unless confirmation is skipped."""
    send_request(fakeplat, "POST", "user/emails", "dev", email="dev@work.test")
    assert [("dev@work.test", "Confirmation instructions")] == take_subjects(fakeplat)

    id_ = fakeplat.world.user("dev").id
    send_request(fakeplat, "POST", f"users/{id_}/emails", "root", email="dev@home.test", skip_confirmation=True)
    assert [] == take_subjects(fakeplat)


def test_a_password_that_an_administrator_sets(fakeplat: Fakeplat) -> None:
    """A user gets a mail when an administrator sets the password."""
    id_ = fakeplat.world.user("dev").id
    send_request(fakeplat, "PUT", f"users/{id_}", "root", password="another-secret-1")
    assert [("dev@example.test", "Password changed by administrator")] == take_subjects(fakeplat)

    own = fakeplat.world.user("root").id
    send_request(fakeplat, "PUT", f"users/{own}", "root", password="another-secret-1")
    assert [("root@example.test", "Password Changed")] == take_subjects(fakeplat)


def test_new_keys(fakeplat: Fakeplat) -> None:
    """Owners get a mail about a new key at any notification level; deploy keys send none."""
    send_request(fakeplat, "PUT", "notification_settings", "dev", level="disabled")
    send_request(fakeplat, "POST", "user/keys", "dev", title="Laptop", key=ECDSA)
    send_request(fakeplat, "POST", "user/gpg_keys", "dev", key=GPG_KEY)
    ssh, gpg = take_mails(fakeplat)

    assert ("SSH key was added to your account", "GPG key was added to your account") == (ssh.subject, gpg.subject)
    assert {"dev@example.test"} == {ssh.to, gpg.to}
    assert "Laptop" in ssh.body


def test_account_mails_belong_to_no_thread(fakeplat: Fakeplat) -> None:
    """Mails about accounts have no thread or project and are marked as generated."""
    send_request(fakeplat, "POST", "users", "root", **NEW, skip_confirmation=True)
    (mail,) = take_mails(fakeplat)

    assert {"From", "Reply-To", "Auto-Submitted", "X-Auto-Response-Suppress"} == {*mail.headers}
    assert ("auto-generated", "All") == (mail.headers["Auto-Submitted"], mail.headers["X-Auto-Response-Suppress"])


@pytest.mark.fakeplat(email_subject_suffix="A Nice Suffix")
def test_the_suffix_of_subjects(fakeplat: Fakeplat) -> None:
    """The suffix of mail subjects is an option of the instance."""
    send_request(fakeplat, "POST", "user/emails", "dev", email="dev@work.test")

    assert [("dev@work.test", "Confirmation instructions | A Nice Suffix")] == take_subjects(fakeplat)
