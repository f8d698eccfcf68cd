"""Signing in to the pages, and calling the API with the session. Source: docs/platform/authentication.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import EXPIRED_PASSWORDS_BLOCK, PAGE_OF_TOKENS
from tests.api.deliveries import Deliveries
from tests.api.oauth import SCENARIO, Browser, browser, forms_of, send
from tests.api.requests import UNAUTHORIZED, outcome
from tests.by_release import by_release

pytestmark = pytest.mark.fakeplat(scenario=SCENARIO, clock="virtual", start="2020-11-20T09:00:00.000Z")


def read_location(fake: Fakeplat, reply: Any) -> tuple[int, str]:
    """Return the status of a redirect, and the path that it leads to."""
    return reply.status, reply.headers["location"].removeprefix(fake.url.rstrip("/"))


def send_api(walk: Browser, method: str = "GET", path: str = "api/v4/user", **headers: str) -> tuple[int, Any]:
    return outcome(send(walk.fake, method, path, cookie=walk.cookie, **headers))


def test_signing_in_sets_the_session_cookie(fakeplat: Fakeplat) -> None:
    """Signing in sets a session cookie that expires after `session_expire_delay`."""
    walk = Browser(fakeplat)
    page = walk.open("users/sign_in")
    reply = walk.submit(page, **{"user[login]": "DEV@example.test", "user[password]": "dev-password"})
    value = walk.cookie.partition("=")[2]

    assert (302, "/") == read_location(fakeplat, reply)
    assert f"_gitlab_session={value}; path=/; max-age=604800; HttpOnly" == (reply.headers["Set-Cookie"])
    assert "Signed in as dev" in walk.open("").text


def test_signing_in_is_counted(fakeplat: Fakeplat) -> None:
    """Signing in records its time on the user."""
    Browser(fakeplat).sign_in("dev")
    dev = fakeplat.as_user("dev").get("user").json()

    assert "2020-11-20T09:00:00.000Z" == dev["current_sign_in_at"]


@pytest.mark.parametrize(
    ("username", "password", "text"),
    [
        ("dev", "x", "Invalid Login or password."),
        ("nobody", "x", "Invalid Login or password."),
        (
            "bob",
            "bob-password",
            "Your account has been blocked. Please contact your administrator if you think this is an error.",
        ),
        ("new", "new-password", "You have to confirm your email address before continuing."),
    ],
)
def test_the_form_explains_a_refused_sign_in(fakeplat: Fakeplat, username: str, password: str, text: str) -> None:
    """The form explains why a user may not sign in."""
    page = Browser(fakeplat).sign_in(username, password)

    assert (200, 1) == (page.status, len(forms_of(page)))
    assert text in page.text


@pytest.mark.parametrize("form", [{}, {"authenticity_token": "x"}])
def test_a_form_without_its_token_is_refused(fakeplat: Fakeplat, form: dict[str, str]) -> None:
    """A sign-in form without its authenticity token answers 422."""
    reply = Browser(fakeplat).open("users/sign_in", {**form, "user[login]": "dev", "user[password]": "dev-password"})

    assert 422 == reply.status


@pytest.mark.parametrize(
    "cookie",
    ["_gitlab_session=return-Ly9ldmlsLnRlc3Q", "_gitlab_session=return-x", "_gitlab_session=return-Lw0KWDogeQ"],
)
def test_no_redirect_leads_to_another_host(fakeplat: Fakeplat, cookie: str) -> None:
    """Signing in never redirects to another host, whatever the cookie contains."""
    assert (302, "/") == read_location(fakeplat, Browser(fakeplat, cookie).sign_in("dev"))


def test_a_session_calls_the_api(fakeplat: Fakeplat) -> None:
    """Writes need the CSRF token in a header."""
    walk = Browser(fakeplat)
    walk.sign_in("dev")
    star, csrf = "api/v4/projects/acme%2Fsite/star", f"csrf-{walk.cookie.partition('=')[2]}"

    assert "dev" == send_api(walk)[1]["username"]
    assert UNAUTHORIZED == send_api(walk, "POST", star)
    assert UNAUTHORIZED == send_api(walk, "POST", star, **{"x-csrf-token": "x"})
    assert 201 == send_api(walk, "POST", star, **{"x-csrf-token": csrf})[0]


@pytest.mark.parametrize(("settings", "wait"), [({}, "168h"), ({"session_expire_delay": 60}, "1h")])
def test_a_session_expires(fakeplat_factory: Any, settings: dict[str, Any], wait: str) -> None:
    """An expired session is anonymous to the API and to pages."""
    fake = fakeplat_factory(scenario={**SCENARIO, "settings": settings}, clock="virtual")
    walk = Browser(fake)
    walk.sign_in("dev")

    assert 200 == send_api(walk)[0]
    fake.clock.advance(wait)
    assert UNAUTHORIZED == send_api(walk)
    assert (302, "/users/sign_in") == read_location(fake, walk.open(""))


def test_signing_out_ends_the_session(fakeplat: Fakeplat) -> None:
    """The cookie is deleted, and worth nothing if it is sent anyway."""
    walk = Browser(fakeplat)
    walk.sign_in("dev")
    before = walk.cookie
    reply = walk.submit(walk.open(""))

    assert (302, "/users/sign_in") == read_location(fakeplat, reply)
    assert "_gitlab_session=" == walk.cookie
    assert UNAUTHORIZED == send_api(Browser(fakeplat, before))


def test_signed_in_users_are_redirected(fakeplat: Fakeplat) -> None:
    """The sign-in page redirects signed-in users to the home page."""
    assert (302, "/") == read_location(fakeplat, browser(fakeplat, "dev").open("users/sign_in"))


def test_an_expired_password_must_be_changed(fakeplat: Fakeplat) -> None:
    """A user with an expired password must change it before any other page."""
    walk = Browser(fakeplat)
    walk.sign_in("old")
    assert (302, "/profile/password/new") == read_location(fakeplat, walk.open(""))
    page = walk.open("profile/password/new")
    new = {"user[password]": "much-newer", "user[password_confirmation]": "much-newer"}
    assert (302, "/") == read_location(fakeplat, walk.submit(page, **{"user[current_password]": "old-password", **new}))
    assert "Signed in as old" in walk.open("").text
    assert 302 == Browser(fakeplat).sign_in("old", "much-newer").status


@pytest.mark.parametrize(
    ("current", "password", "confirmation", "text"),
    [
        ("x", "much-newer", "much-newer", "You must provide a valid current password"),
        ("old-password", "much-newer", "other", "Password confirmation doesn&#x27;t match Password"),
        ("old-password", "", "", "Password can&#x27;t be blank"),
        ("old-password", "short", "short", "is too short (minimum is 8 characters)"),
    ],
)
def test_a_wrong_new_password_is_explained(
    fakeplat: Fakeplat, current: str, password: str, confirmation: str, text: str
) -> None:
    """The form explains why a new password is refused."""
    walk = browser(fakeplat, "old")
    page = walk.submit(
        walk.open("profile/password/new"),
        **{
            "user[current_password]": current,
            "user[password]": password,
            "user[password_confirmation]": confirmation,
        },
    )

    assert 200 == page.status
    assert text in page.text


@pytest.mark.parametrize("path", ["", "profile/password/new"])
def test_pages_require_a_login(fakeplat: Fakeplat, path: str) -> None:
    """Pages redirect anonymous callers to the sign-in page."""
    assert (302, "/users/sign_in") == read_location(fakeplat, Browser(fakeplat).open(path))


def test_the_api_does_not_ask_for_a_new_password(fakeplat: Fakeplat) -> None:
    """In 13.5 the API accepts users with an expired password."""
    assert 200 == fakeplat.as_user("old").get("user").status


@by_release(EXPIRED_PASSWORDS_BLOCK, "status", {"13.11": 200, "13.12": 403})
def test_the_api_of_newer_releases_does(fakeplat: Fakeplat, status: int) -> None:
    """From 13.12 on, the API answers 403 to users with an expired password."""
    reply = outcome(fakeplat.as_user("old").get("user"))
    text = "403 Forbidden - Your password expired. Please access Platform from a web browser to update your password."

    assert ((200, reply[1]) if status == 200 else (403, {"message": text})) == reply


def test_deactivated_users_are_active_again_once_they_sign_in(fakeplat: Fakeplat) -> None:
    """Signing in reactivates a deactivated user."""
    root, dev = fakeplat.as_user("root"), fakeplat.world.user("dev").id
    with fakeplat.bench.platform.acting() as ctx:
        ctx.world.users.change(ctx.world.users[dev], state="deactivated")
    assert 403 == fakeplat.as_user("dev").get("user").status

    Browser(fakeplat).sign_in("dev")
    assert "active" == root.get(f"users/{dev}").json()["state"]


def test_a_refused_sign_in_is_sent_to_system_hooks(fakeplat: Fakeplat) -> None:
    """A blocked user who signs in with the right password is reported; a wrong password is not."""
    fakeplat.load({"system_hooks": [{"url": "https://hooks.example.com/system"}]})
    sent = Deliveries(fakeplat)
    for username, password in (("bob", "bob-password"), ("bob", "wrong"), ("dev", "wrong")):
        Browser(fakeplat).sign_in(username, password)

    assert [("user_failed_login", "bob", "blocked")] == [
        (payload["event_name"], payload["username"], payload["state"]) for payload in sent.payloads()
    ]


RESET = "-/profile/reset_feed_token"


@by_release(PAGE_OF_TOKENS, "section", {"16.11": "profile", "17.0": "user_settings"})
def test_feed_tokens_are_reset(fakeplat: Fakeplat, section: str) -> None:
    """Another feed token takes the place of the one before, which opens no feed any more."""
    walk = Browser(fakeplat)
    walk.sign_in("dev")
    ((_, fields),) = forms_of(walk.open(""))
    before = fakeplat.token("dev", "feed")
    headers = {"cookie": walk.cookie, "x-csrf-token": fields["authenticity_token"]}
    reply = send(fakeplat, "PUT", RESET, **headers)
    assert (302, f"/-/{section}/personal_access_tokens") == read_location(fakeplat, reply)
    after = fakeplat.token("dev", "feed")
    assert before != after
    feeds = [f"dashboard/projects.atom?feed_token={token}" for token in (before, after)]
    assert [401, 200] == [send(fakeplat, "GET", feed).status for feed in feeds]


def test_only_pages_reset_feed_tokens(fakeplat: Fakeplat) -> None:
    """Without the authenticity token of a page 422, without a session the sign-in page; tokens do not help."""
    walk = Browser(fakeplat)
    token = forms_of(walk.open("users/sign_in"))[0][1]["authenticity_token"]
    before = fakeplat.token("dev", "feed")
    assert 422 == send(fakeplat, "PUT", RESET).status
    headers = {"cookie": walk.cookie, "x-csrf-token": token, "private-token": "dev-token"}
    assert (302, "/users/sign_in") == read_location(fakeplat, send(fakeplat, "PUT", RESET, **headers))
    assert before == fakeplat.token("dev", "feed")
