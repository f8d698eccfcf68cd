"""Signing up at the page. Effects of settings: test_setting_effects.py. Source: docs/platform/settings.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.workbench.journal_entries import Reply
from tests.api.oauth import SCENARIO, Browser, browser, forms_of

pytestmark = pytest.mark.fakeplat(scenario=SCENARIO, clock="virtual", start="2020-11-20T09:00:00.000Z")
IVY = {
    "first_name": "Ivy",
    "last_name": "Hill",
    "username": "ivy",
    "email": "ivy@corp.test",
    "password": "ivy-password",
}


def submit_registration(walk: Browser, **changes: str) -> Reply:
    fields = {f"new_user[{name}]": value for name, value in {**IVY, **changes}.items()}
    return walk.submit(walk.open("users/sign_up"), 0, **fields)


def test_signing_up_creates_a_user_who_is_signed_in(fakeplat: Fakeplat) -> None:
    """Named by the first and the last name."""
    walk = Browser(fakeplat)
    reply = submit_registration(walk)
    (user,) = fakeplat.as_user("root").get("users?username=ivy").json()

    assert (302, f"{fakeplat.url.rstrip('/')}/") == (reply.status, reply.headers["location"])
    assert "Signed in as ivy" in walk.open("").text
    assert ("Ivy Hill", "active") == (user["name"], user["state"])


def test_the_password_of_the_form_signs_in(fakeplat: Fakeplat) -> None:
    """The password of the sign-up form signs in later."""
    submit_registration(Browser(fakeplat))

    assert 302 == Browser(fakeplat).sign_in("ivy").status


@pytest.mark.parametrize("form", ["user", "new_user"])
def test_the_form_has_two_names_and_a_full_name(fakeplat: Fakeplat, form: str) -> None:
    """A name is preferred to its parts."""
    walk = Browser(fakeplat)
    register_page = walk.open("users/sign_up")
    token = forms_of(register_page)[0][1]["authenticity_token"]
    fields = {f"{form}[{name}]": value for name, value in {**IVY, "name": "Ivory"}.items()}
    reply = walk.open("users", {"authenticity_token": token, **fields})

    assert (302, "Ivory") == (reply.status, fakeplat.as_user("root").get("users?username=ivy").json()[0]["name"])


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"username": "dev"}, "Username has already been taken"),
        ({"email": "DEV@example.test"}, "Email has already been taken"),
        ({"username": ""}, "Username can&#x27;t be blank"),
        ({"first_name": "", "last_name": ""}, "Name can&#x27;t be blank"),
        ({"email": "ivy"}, "Email is invalid"),
        ({"password": ""}, "Password can&#x27;t be blank"),
        ({"password": "short"}, "Password is too short (minimum is 8 characters)"),
    ],
)
def test_errors_are_shown_on_the_form(fakeplat: Fakeplat, changes: dict[str, str], text: str) -> None:
    """The sign-up form shows errors, and no user is created."""
    users = len(fakeplat.as_user("root").get("users").json())
    reply = submit_registration(Browser(fakeplat), **changes)

    assert (200, True, users) == (
        reply.status,
        f"<p>{text}</p>" in reply.text,
        len(fakeplat.as_user("root").get("users").json()),
    )


@pytest.mark.parametrize("form", [{}, {"authenticity_token": "x"}])
def test_a_form_without_its_token_is_refused(fakeplat: Fakeplat, form: dict[str, str]) -> None:
    """A sign-up form without its authenticity token answers 422."""
    assert 422 == Browser(fakeplat).open("users", {**form, "new_user[username]": "ivy"}).status


@pytest.mark.parametrize(("path", "form"), [("users/sign_up", None), ("users", IVY)], ids=["page", "form"])
def test_signed_in_users_are_redirected(fakeplat: Fakeplat, path: str, form: Any) -> None:
    """The sign-up page redirects signed-in users to the home page."""
    reply = browser(fakeplat, "dev").open(path, form)

    assert (302, f"{fakeplat.url.rstrip('/')}/") == (reply.status, reply.headers["location"])


@pytest.mark.parametrize(("path", "form"), [("users/sign_up", None), ("users", IVY)], ids=["page", "form"])
def test_sign_up_can_be_disabled(fakeplat: Fakeplat, path: str, form: Any) -> None:
    """Where sign-up is disabled its page redirects to the sign-in page."""
    fakeplat.load({"settings": {"signup_enabled": False}})
    reply = Browser(fakeplat).open(path, form)

    assert (302, f"{fakeplat.url.rstrip('/')}/users/sign_in") == (reply.status, reply.headers["location"])
