"""Pages below ``/.well-known/``: the page of the password, and the contact. Source: docs/platform/oauth.md."""

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import PASSWORD_PAGE
from tests.by_release import by_release

pytestmark = pytest.mark.fakeplat(version="latest")
CONTACT = "Contact: mailto:security@acme.test\nExpires: 2030-01-01T00:00:00Z\n"
SECURITY = "/.well-known/security.txt"


@by_release(PASSWORD_PAGE, "page", {"16.5": "/-/profile/password/edit", "17.0": "/-/user_settings/password/edit"})
def test_password_managers_are_led_to_the_page_of_the_password(fakeplat: Fakeplat, page: str) -> None:
    """The address that password managers know redirects everybody to the page on which a password is changed."""
    for user in (None, "ada"):
        reply = fakeplat.as_user(user).get(f"{fakeplat.url}/.well-known/change-password")
        assert (302, f"{fakeplat.url}{page}") == (reply.status, reply.headers["Location"])


@pytest.mark.parametrize(
    ("path", "since"),
    [
        pytest.param("/.well-known/change-password", "16.5", marks=pytest.mark.fakeplat(version="16.4")),
        pytest.param(SECURITY, "16.7", marks=pytest.mark.fakeplat(version="16.6")),
    ],
)
def test_earlier_releases_have_no_such_page(fakeplat: Fakeplat, path: str, since: str) -> None:
    """Earlier releases answer as for any unknown page; the explanation names the release that has it."""
    reply = fakeplat.as_user(None).get(f"{fakeplat.url}{path}")
    assert 404 == reply.status
    assert since in str(fakeplat.requests[-1].reason)


def test_the_contact_for_vulnerabilities_is_a_setting(fakeplat: Fakeplat) -> None:
    """Everybody reads the text that an administrator has written; without one there is no page."""
    visitor = fakeplat.as_user(None)
    assert 404 == visitor.get(f"{fakeplat.url}{SECURITY}").status
    assert "security_txt_content" in str(fakeplat.requests[-1].reason)
    fakeplat.as_user("root").put("application/settings", json={"security_txt_content": CONTACT})
    reply = visitor.get(f"{fakeplat.url}{SECURITY}")
    assert (200, CONTACT, "text/plain; charset=utf-8") == (reply.status, reply.text, reply.headers["Content-Type"])
    etag = reply.headers["ETag"]
    assert 304 == visitor.get(f"{fakeplat.url}{SECURITY}", headers={"If-None-Match": etag}).status
    fakeplat.as_user("root").put("application/settings", json={"security_txt_content": "Contact: none"})
    assert 200 == visitor.get(f"{fakeplat.url}{SECURITY}", headers={"If-None-Match": etag}).status
