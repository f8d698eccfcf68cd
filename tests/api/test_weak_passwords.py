"""Passwords that are easily guessed. Source: docs/platform/users.md, spec/requests/api/users_spec.rb."""

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import WEAK_PASSWORDS_ARE_REFUSED
from tests.api.marks import STARTER_AT_NINE
from tests.api.requests import Outcome, person, refusal
from tests.by_release import by_release

pytestmark = [STARTER_AT_NINE, pytest.mark.fakeplat(version="latest")]
WEAK = "must not contain commonly used combinations of words and letters"
NEW = {"name": "Grace Brewster Hopper", "username": "amazing-grace", "email": "g.brew@navy.test"}
REFUSED: Outcome = (400, {"message": {"password": [WEAK]}})


@pytest.mark.parametrize(
    "password",
    [
        "password",
        "PassWord123",
        "x-gitlab-x9",
        "DevOps4ever",
        "my-brewster-7",
        "hopper!2020x",
        "xxAMAZINGxx9",
        "amazing-grace",
        "99navy.test99",
        "zzg.brewzz12",
    ],
)
def test_weak_passwords_are_refused(fakeplat: Fakeplat, password: str) -> None:
    """A common password is refused, and so is one with a part of the name, the username or the email address."""
    assert REFUSED == refusal(fakeplat, "root", "POST", "users", json={**NEW, "password": password})


@pytest.mark.parametrize("password", ["Vt9xQr4mZk7pLs2d", "xgracXnav-tes1", "correct horse 7"])
def test_other_passwords_are_accepted(fakeplat: Fakeplat, password: str) -> None:
    """A password with less than four characters of such a part is accepted."""
    assert 201 == fakeplat.as_user("root").post("users", json={**NEW, "password": password}).status


def test_short_names_are_no_reason(fakeplat: Fakeplat) -> None:
    """Names of less than four characters may be in a password."""
    new = {"name": "Ed Poe", "username": "epo", "email": "ed@a.io", "password": "edpoeepo-77"}
    assert 201 == fakeplat.as_user("root").post("users", json=new).status


def test_a_short_weak_password_has_both_errors(fakeplat: Fakeplat) -> None:
    """That a password is weak is said before that it is short."""
    expected = (400, {"message": {"password": [WEAK, "is too short (minimum is 8 characters)"]}})
    assert expected == refusal(fakeplat, "root", "POST", "users", json={**NEW, "password": "gitlab"})


def test_changed_passwords_are_checked(fakeplat: Fakeplat) -> None:
    """A new password of a user is checked against the name that the user has, or gets with it."""
    path = f"users/{person(fakeplat, 'eve')}"
    assert REFUSED == refusal(fakeplat, "root", "PUT", path, json={"password": "password1"})
    both = {"name": "Augusta Byron", "password": "augusta-1815"}
    assert REFUSED == refusal(fakeplat, "root", "PUT", path, json=both)
    assert 200 == fakeplat.as_user("root").put(path, json={"password": "Vt9xQr4mZk7pLs2d"}).status


@by_release(WEAK_PASSWORDS_ARE_REFUSED, "status", {"15.6": 201, "15.7": 400})
def test_weak_passwords_were_accepted(fakeplat: Fakeplat, status: int) -> None:
    """Until 15.6 weak passwords are accepted, as the flag is off."""
    assert status == fakeplat.as_user("root").post("users", json={**NEW, "password": "password"}).status
