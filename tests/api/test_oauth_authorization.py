"""The page on which users authorize applications. Source: docs/platform/oauth.md. See RFC 6749, RFC 7636, RFC 8252."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import IMPLICIT_GRANT
from tests.api.oauth import (
    CALLBACK,
    SCENARIO,
    TEXTS,
    Browser,
    authorize_path,
    browser,
    forms_of,
    password_token,
    query_of,
    request_token,
)
from tests.by_release import by_release

pytestmark = pytest.mark.fakeplat(scenario=SCENARIO, clock="virtual")


def test_a_walk_from_signing_in_to_the_token(fakeplat: Fakeplat) -> None:
    """Signing in, approving and exchanging the code give a token."""
    walk = Browser(fakeplat)
    asked = walk.open(authorize_path())
    assert (302, f"{fakeplat.url.rstrip('/')}/users/sign_in") == (asked.status, asked.headers["location"])
    signed_in = walk.sign_in("dev")
    assert (302, f"{fakeplat.url.rstrip('/')}/{authorize_path()}") == (signed_in.status, signed_in.headers["location"])
    page = walk.open(signed_in.headers["location"])
    assert (200, "text/html; charset=utf-8") == (page.status, page.headers["content-type"])
    approved = walk.submit(page)
    assert 302 == approved.status
    assert approved.headers["location"].startswith(f"{CALLBACK}?code=")
    answer = query_of(approved)
    assert "s 1" == answer["state"]
    token = request_token(fakeplat, "authorization_code", code=answer["code"], redirect_uri=CALLBACK).json()
    user = fakeplat.as_user(None).get(f"user?access_token={token['access_token']}").json()
    assert "dev" == user["username"]


def test_the_page_names_the_application_and_its_scopes(fakeplat: Fakeplat) -> None:
    """Everything is escaped; the forms repeat what was asked for, with the token of the session."""
    walk = browser(fakeplat, "dev")
    page = walk.open(authorize_path(state='"><b>', scope="api read_user"))
    session = walk.cookie.partition("=")[2]
    fields = {
        "authenticity_token": f"csrf-{session}",
        "client_id": "app",
        "redirect_uri": CALLBACK,
        "response_type": "code",
        "scope": "api read_user",
        "state": '"><b>',
    }

    assert [("/oauth/authorize", fields), ("/oauth/authorize", {"_method": "delete", **fields})] == forms_of(page)
    assert "App &lt;1&gt;" in page.text
    assert "<b>" not in page.text


@pytest.mark.parametrize("method", ["form", "DELETE"])
def test_a_denied_application_gets_the_error(fakeplat: Fakeplat, method: str) -> None:
    """Denying an application redirects to it with the error."""
    walk = browser(fakeplat, "dev")
    page = walk.open(authorize_path())
    reply = walk.submit(page, 1) if method == "form" else walk.open(*forms_of(page)[0], method="DELETE")

    assert {
        "error": "access_denied",
        "error_description": TEXTS["access_denied"],
        "state": "s 1",
    } == query_of(reply)


@pytest.mark.parametrize("action", [0, 1], ids=["approve", "deny"])
def test_forged_forms_are_refused(fakeplat: Fakeplat, action: int) -> None:
    """An authorization form with a wrong token answers 422 and changes nothing."""
    walk = browser(fakeplat, "dev")
    page = walk.open(authorize_path())
    state = fakeplat.bench.platform.state

    assert 422 == walk.submit(page, action, authenticity_token="csrf-other").status
    assert state is fakeplat.bench.platform.state


WRONG = [
    ({"client_id": ""}, "Missing required parameter: client_id.", ""),
    ({"client_id": "x"}, TEXTS["invalid_client"], ""),
    ({"redirect_uri": ""}, TEXTS["invalid_redirect_uri"], ""),
    ({"redirect_uri": "https://evil.example.test"}, TEXTS["invalid_redirect_uri"], ""),
    ({"redirect_uri": f"{CALLBACK}#x"}, TEXTS["invalid_redirect_uri"], ""),
    ({"response_type": ""}, "Missing required parameter: response_type.", "invalid_request"),
    ({"response_type": "x"}, TEXTS["unsupported_response_type"], "unsupported_response_type"),
    ({"scope": "sudo"}, TEXTS["invalid_scope"], "invalid_scope"),
    ({"client_id": "narrow", "scope": ""}, TEXTS["invalid_scope"], "invalid_scope"),
    ({"code_challenge": "x"}, TEXTS["invalid_code_challenge_method"], "invalid_code_challenge_method"),
    (
        {"code_challenge": "x", "code_challenge_method": "MD5"},
        TEXTS["invalid_code_challenge_method"],
        "invalid_code_challenge_method",
    ),
]


@pytest.mark.parametrize(("query", "text", "_name"), WRONG)
def test_the_page_shows_errors(fakeplat: Fakeplat, query: dict[str, str], text: str, _name: str) -> None:
    """Invalid authorization requests show an error instead of redirecting."""
    page = browser(fakeplat, "dev").open(authorize_path(**query))

    assert (200, []) == (page.status, forms_of(page))
    assert text.replace("'", "&#x27;") in page.text


@pytest.mark.parametrize(("query", "text", "name"), WRONG)
def test_the_application_learns_of_errors_in_forms(
    fakeplat: Fakeplat, query: dict[str, str], text: str, name: str
) -> None:
    """Errors in authorization forms redirect to the application if it is valid."""
    walk = browser(fakeplat, "dev")
    (action, fields), _ = forms_of(walk.open(authorize_path()))
    reply = walk.open(action, {**fields, **query})

    expected: Any = {"error": name, "error_description": text, "state": "s 1"}
    assert expected == query_of(reply) if name else 200 == reply.status


@pytest.mark.parametrize(
    ("uri", "matches"),
    [
        (f"{CALLBACK}?page=2", True),
        (f"{CALLBACK}/more", False),
        ("http://127.0.0.1:5123/done", True),
        ("http://127.0.0.1:5123/other", False),
        ("https://app.example.test/q?a=1", True),
        ("https://app.example.test/q?a=2", False),
        ("https://app.example.test/q", False),
    ],
)
def test_addresses_match_but_for_queries_and_local_ports(fakeplat: Fakeplat, uri: str, matches: bool) -> None:
    """A registered query must be the same; a program on the user's machine listens where it can."""
    page = browser(fakeplat, "dev").open(authorize_path(redirect_uri=uri))

    assert (2 if matches else 0) == len(forms_of(page))


def test_parameters_of_the_address_stay(fakeplat: Fakeplat) -> None:
    """The code is added to them."""
    walk = browser(fakeplat, "dev")
    reply = walk.submit(walk.open(authorize_path(redirect_uri=f"{CALLBACK}?page=2")))

    assert ["page", "code", "state"] == list(query_of(reply))


def test_a_program_without_an_address_shows_the_code(fakeplat: Fakeplat) -> None:
    """The code for a program without a redirect URI is shown on a page."""
    out_of_band = "urn:ietf:wg:oauth:2.0:oob"
    walk = browser(fakeplat, "dev")
    reply = walk.submit(walk.open(authorize_path(redirect_uri=out_of_band)))
    code = query_of(reply)["code"]

    assert f"{fakeplat.url.rstrip('/')}/oauth/authorize/native?code={code}" == reply.headers["location"]
    assert f">{code}<" in walk.open(reply.headers["location"]).text
    assert 200 == request_token(fakeplat, "authorization_code", code=code, redirect_uri=out_of_band).status


@pytest.mark.parametrize(("uid", "asked_for_more"), [("trusted", False), ("app", True)])
def test_known_applications_are_not_confirmed_again(fakeplat: Fakeplat, uid: str, asked_for_more: bool) -> None:
    """Trusted applications and those with an equal token are authorized without asking."""
    password_token(fakeplat)
    walk = browser(fakeplat, "dev")
    answers = [query_of(walk.open(authorize_path(client_id=uid))) for _ in range(2)]

    assert (2, {"s 1"}) == (len({answer["code"] for answer in answers}), {answer["state"] for answer in answers})
    more = walk.open(authorize_path(client_id=uid, scope="read_user"))
    assert (200 if asked_for_more else 302) == more.status


def test_a_token_may_come_without_a_code(fakeplat: Fakeplat) -> None:
    """The implicit grant returns the token in the fragment of the URL."""
    walk = browser(fakeplat, "dev")
    location = walk.submit(walk.open(authorize_path(response_type="token"))).headers["location"]
    token = password_token(fakeplat)["access_token"]

    assert f"{CALLBACK}#access_token={token}&token_type=Bearer&state=s+1" == location


@by_release(IMPLICIT_GRANT, "is_refused", {"14.10": False, "15.0": True})
def test_newer_releases_always_want_a_code(fakeplat: Fakeplat, is_refused: bool) -> None:
    """The implicit grant was removed in 15.0."""
    page = browser(fakeplat, "dev").open(authorize_path(response_type="token"))

    assert is_refused is (TEXTS["unsupported_response_type"] in page.text)


def test_unconfirmed_users_authorize_nothing(fakeplat: Fakeplat) -> None:
    """Unconfirmed users see an error instead of the authorization form."""
    page = browser(fakeplat, "new").open(authorize_path())

    assert (200, []) == (page.status, forms_of(page))


@pytest.mark.parametrize(
    ("username", "target"), [("old", "/profile/password/new"), ("bob", "/users/sign_in")], ids=["expired", "blocked"]
)
def test_some_users_are_sent_elsewhere(fakeplat: Fakeplat, username: str, target: str) -> None:
    """Users who must set a password or sign in are redirected first."""
    reply = browser(fakeplat, username).open(authorize_path())

    assert (302, f"{fakeplat.url.rstrip('/')}{target}") == (reply.status, reply.headers["location"])
