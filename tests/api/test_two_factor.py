"""Two-factor authentication at the pages: signing in with it, and having to set it up.

Source: app/controllers/sessions_controller.rb and profiles/two_factor_auths_controller.rb of the platform.
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.scenario.errors import ScenarioError
from fakeplat.workbench.tokens import TokenNotCreatable
from tests.api.oauth import SCENARIO, Browser, authorize_path, browser, forms_of

pytestmark = pytest.mark.fakeplat(scenario=SCENARIO, clock="virtual", start="2020-11-20T09:00:00.000Z")
SETUP = "/profile/two_factor_auth"


def read_location(fake: Fakeplat, reply: Any) -> tuple[int, str]:
    """Return the status of a redirect, and the path that it leads to."""
    return reply.status, reply.headers["location"].removeprefix(fake.url.rstrip("/"))


def send_code(walk: Browser, page: Any, code: str) -> Any:
    return walk.submit(page, **{"user[otp_attempt]": code})


def test_the_password_is_followed_by_a_code(fakeplat: Fakeplat) -> None:
    """The password alone starts no session."""
    walk = Browser(fakeplat)
    page = walk.sign_in("two")
    assert (200, ["authenticity_token", "user[otp_attempt]"]) == (page.status, [*forms_of(page)[0][1]])
    assert "/users/sign_in" == read_location(fakeplat, Browser(fakeplat, walk.cookie).open(""))[1]

    assert (302, "/") == read_location(fakeplat, send_code(walk, page, fakeplat.one_time_code("two")))
    assert "Signed in as two" in walk.open("").text


def test_the_code_leads_to_the_requested_page(fakeplat: Fakeplat) -> None:
    """The cookie keeps it over both steps."""
    walk = Browser(fakeplat)
    walk.open(authorize_path())
    page = walk.sign_in("two")

    assert (302, f"/{authorize_path()}") == read_location(
        fakeplat, send_code(walk, page, fakeplat.one_time_code("two"))
    )


def test_a_wrong_code_can_be_repeated(fakeplat: Fakeplat) -> None:
    """The password need not be sent again."""
    walk = Browser(fakeplat)
    page = send_code(walk, walk.sign_in("two"), "000000")
    assert (200, True) == (page.status, "Invalid two-factor code." in page.text)

    assert 302 == send_code(walk, page, fakeplat.one_time_code("two")).status


def test_codes_follow_the_clock_of_the_world(fakeplat: Fakeplat) -> None:
    """An old one is not valid."""
    old = fakeplat.one_time_code("two")
    fakeplat.clock.advance("10m")
    walk = Browser(fakeplat)
    assert "Invalid two-factor code." in send_code(walk, walk.sign_in("two"), old).text


def test_a_code_without_the_password_is_not_enough(fakeplat: Fakeplat) -> None:
    """Whoever makes up the cookie of the first step does not know what belongs into it."""
    walk = Browser(fakeplat)
    page = walk.open("users/sign_in")
    two = fakeplat.world.user("two").id
    for cookie in ("", f"_gitlab_session=otp-{two}.00.", "_gitlab_session=otp-x"):
        walk.cookie = cookie
        reply = walk.submit(page, **{"user[otp_attempt]": fakeplat.one_time_code("two")})
        assert (200, True) == (reply.status, "Invalid Login or password." in reply.text)


def test_a_user_blocked_in_between_is_refused(fakeplat: Fakeplat) -> None:
    """A user who is blocked between the two steps is refused."""
    walk = Browser(fakeplat)
    page = walk.sign_in("two")
    fakeplat.as_user("root").post(f"users/{fakeplat.world.user('two').id}/block")
    reply = send_code(walk, page, fakeplat.one_time_code("two"))
    assert "Your account has been blocked." in reply.text


def test_a_scenario_can_give_the_secret(fakeplat: Fakeplat) -> None:
    """A two-factor secret of a scenario gives the codes of RFC 6238."""
    secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
    fakeplat.load({"users": [{"username": "app", "two_factor_enabled": True, "otp_secret": secret}]})
    fakeplat.clock.advance_to("2033-05-18T03:33:20.000Z")
    assert "279037" == fakeplat.one_time_code("app")


def test_a_secret_must_be_base32(fakeplat: Fakeplat) -> None:
    """Otherwise it would have no codes."""
    with pytest.raises(ScenarioError, match="'0189' is not Base32"):
        fakeplat.load({"users": [{"username": "app", "otp_secret": "0189"}]})


def test_a_code_of_an_unknown_user_is_refused(fakeplat: Fakeplat) -> None:
    """A mistake in a test is reported."""
    with pytest.raises(TokenNotCreatable, match="there is no user 'nobody'"):
        fakeplat.one_time_code("nobody")


# having to set it up


def require_two_factor(fake: Fakeplat, grace_period: int = 48) -> None:
    values = {"require_two_factor_authentication": True, "two_factor_grace_period": grace_period}
    assert 200 == fake.as_user("root").put("application/settings", json=values).status


@pytest.mark.parametrize("path", ["", authorize_path(), "profile/password/new"])
def test_users_without_two_factors_must_set_them_up(fakeplat: Fakeplat, path: str) -> None:
    """Pages require users to set up two-factor authentication; the API does not."""
    require_two_factor(fakeplat)
    assert (302, SETUP) == read_location(fakeplat, browser(fakeplat, "dev").open(path))
    assert 200 == fakeplat.as_user("dev").get("user").status
    assert 200 == browser(fakeplat, "two").open("").status


def test_setting_it_up_takes_a_code(fakeplat: Fakeplat) -> None:
    """Setting up two-factor authentication takes a valid code."""
    require_two_factor(fakeplat)
    walk = browser(fakeplat, "dev")
    page = walk.open(SETUP)
    assert "The global settings require you to enable Two-Factor Authentication for your account." in page.text
    assert "Invalid pin code" in walk.submit(page, 0, pin_code="000000").text

    assert (302, "/") == read_location(fakeplat, walk.submit(page, 0, pin_code=fakeplat.one_time_code("dev")))
    assert 200 == walk.open("").status
    assert fakeplat.as_user("root").get(f"users/{fakeplat.world.user('dev').id}").json()["two_factor_enabled"]
    assert 1 == len(forms_of(walk.open(SETUP)))


def test_it_can_be_skipped_during_the_grace_period(fakeplat: Fakeplat) -> None:
    """Setting up can be skipped until the grace period ends."""
    require_two_factor(fakeplat)
    fakeplat.clock.advance("72h")
    walk = browser(fakeplat, "dev")
    assert (302, "/") == read_location(fakeplat, walk.submit(walk.open(SETUP), 1))
    assert 200 == walk.open("").status
    assert (302, SETUP) == read_location(fakeplat, browser(fakeplat, "dev").open(""))

    fakeplat.clock.advance("47h")
    assert 200 == walk.open("").status
    fakeplat.clock.advance("1h")
    assert (302, SETUP) == read_location(fakeplat, walk.open(""))
    page = walk.open(SETUP)
    assert 1 == len(forms_of(page))
    late = walk.open(f"{SETUP}/skip", {"authenticity_token": forms_of(page)[0][1]["authenticity_token"]})
    assert (302, SETUP) == read_location(fakeplat, late)


def test_without_a_grace_period_it_cannot_be_skipped(fakeplat: Fakeplat) -> None:
    """Without a grace period the page offers no form to skip."""
    require_two_factor(fakeplat, 0)
    assert 1 == len(forms_of(browser(fakeplat, "dev").open(SETUP)))


@pytest.mark.parametrize("group", ["acme", "acme/deep"])
def test_a_group_can_demand_it_of_its_members(fakeplat: Fakeplat, group: str) -> None:
    """A group requires two-factor authentication of members in its hierarchy."""
    fakeplat.load({"groups": [{"full_path": "acme/deep", "members": {"eve": "developer"}}]})
    fakeplat.load({"groups": [{"full_path": group, "require_two_factor_authentication": True}]})
    statuses = [browser(fakeplat, name).open("").status for name in ("ada", "eve", "root")]
    assert [302, 302, 200] == statuses


def test_the_page_is_only_for_those_concerned(fakeplat: Fakeplat) -> None:
    """Anonymous callers sign in first, and forms need their tokens."""
    for method, path in (("GET", SETUP), ("POST", SETUP), ("POST", f"{SETUP}/skip")):
        reply = Browser(fakeplat).open(path, method=method)
        assert (302, "/users/sign_in") == read_location(fakeplat, reply)
    assert [422, 422] == [browser(fakeplat, "dev").open(path, {}).status for path in (SETUP, f"{SETUP}/skip")]
