"""Tokens of OAuth applications. Source: docs/platform/oauth.md. See RFC 6749, RFC 7009, RFC 7636, RFC 7662."""

from base64 import urlsafe_b64encode
from hashlib import sha256
from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import OAUTH_TOKENS_EXPIRE
from tests.api.oauth import (
    APP,
    CALLBACK,
    SCENARIO,
    basic,
    error,
    get_code,
    missing,
    password_token,
    request_token,
    send,
)
from tests.api.requests import UNAUTHORIZED, outcome
from tests.by_release import by_release

pytestmark = pytest.mark.fakeplat(scenario=SCENARIO, clock="virtual", start="2020-11-20T09:00:00.000Z")
VERIFIER = "v" * 43
CHALLENGE = urlsafe_b64encode(sha256(VERIFIER.encode()).digest()).decode().rstrip("=")
REVOKED = (
    401,
    {
        "error": "invalid_token",
        "error_description": "Token was revoked. You have to re-authorize from the user.",
    },
)


def get_username(fake: Fakeplat, token: str) -> tuple[int, Any]:
    reply = fake.as_user(None).get("user", headers={"authorization": f"Bearer {token}"})
    return reply.status, reply.json()["username"] if 200 == reply.status else reply.json()


def by_code(fake: Fakeplat, code: str, **form: str) -> tuple[int, Any]:
    return outcome(request_token(fake, "authorization_code", code=code, **{"redirect_uri": CALLBACK, **form}))


def test_a_password_gives_a_token(fakeplat: Fakeplat) -> None:
    """The password grant gives a token with the default scope that does not expire."""
    reply = request_token(fakeplat, "password", username="dev", password="dev-password")
    token = reply.json()

    assert {
        "access_token": token["access_token"],
        "token_type": "Bearer",
        "refresh_token": token["refresh_token"],
        "scope": "api",
        "created_at": 1605862800,
    } == token
    assert (64, 64) == (len(token["access_token"]), len(token["refresh_token"]))
    assert ("no-store", "no-cache", "application/json; charset=utf-8") == tuple(
        reply.headers[name] for name in ("Cache-Control", "Pragma", "Content-Type")
    )
    assert (200, "dev") == get_username(fakeplat, token["access_token"])


def test_an_application_that_asks_again_gets_the_same_token(fakeplat: Fakeplat) -> None:
    """An application gets the same token again for the same scopes until it is revoked."""
    first = password_token(fakeplat)

    assert first == password_token(fakeplat)
    assert first["access_token"] != password_token(fakeplat, scope="read_user")["access_token"]


@pytest.mark.parametrize("login", ["DEV", "dev@example.test"])
def test_the_login_may_be_the_address(fakeplat: Fakeplat, login: str) -> None:
    """The password grant accepts the username or address in any case."""
    assert 200 == request_token(fakeplat, "password", username=login, password="dev-password").status


def test_a_program_without_an_application_may_send_a_password(fakeplat: Fakeplat) -> None:
    """The password grant works without an application and as JSON."""
    sent = {"grant_type": "password", "username": "dev", "password": "dev-password"}
    reply = fakeplat.as_user(None).request("POST", f"{fakeplat.url}/oauth/token", json=sent)

    assert (200, "dev") == get_username(fakeplat, reply.json()["access_token"])


@pytest.mark.parametrize("username", ["bob", "new", "two", "nobody"])
def test_users_who_cannot_sign_in_get_no_token(fakeplat: Fakeplat, username: str) -> None:
    """Blocked and unconfirmed users, and those with two factors."""
    reply = request_token(fakeplat, "password", username=username, password=f"{username}-password")

    assert error("invalid_grant") == outcome(reply)
    assert (
        'Bearer realm="Doorkeeper", error="invalid_grant", error_description="The provided authorization grant is '
        "invalid, expired, revoked, does not match the redirection URI used in the authorization request, or was "
        'issued to another client."'
    ) == reply.headers["WWW-Authenticate"]


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ({}, missing("grant_type")),
        ({"grant_type": "assertion"}, error("unsupported_grant_type")),
        ({"grant_type": "password"}, error("invalid_grant")),
        ({"grant_type": "password", "username": "dev", "password": "x"}, error("invalid_grant")),
        ({"grant_type": "authorization_code", **APP}, missing("code")),
        ({"grant_type": "authorization_code", "code": "x", **APP}, missing("redirect_uri")),
        (
            {"grant_type": "authorization_code", "code": "x", "redirect_uri": CALLBACK},
            error("invalid_client", status=401),
        ),
        ({"grant_type": "authorization_code", "code": "x", "redirect_uri": CALLBACK, **APP}, error("invalid_grant")),
        ({"grant_type": "client_credentials"}, error("invalid_client", status=401)),
        ({"grant_type": "client_credentials", **APP, "scope": "sudo"}, error("invalid_scope")),
        ({"grant_type": "refresh_token", **APP}, missing("refresh_token")),
        ({"grant_type": "refresh_token", "refresh_token": "x", **APP}, error("invalid_grant")),
        (
            {"grant_type": "password", "username": "dev", "password": "dev-password", "client_id": "x"},
            error("invalid_client", status=401),
        ),
        (
            {"grant_type": "password", "username": "dev", "password": "dev-password", "scope": "fly"},
            error("invalid_scope"),
        ),
    ],
)
def test_refusals_are_those_of_oauth(fakeplat: Fakeplat, form: dict[str, str], expected: Any) -> None:
    """Refused tokens have OAuth's errors and change nothing."""
    state = fakeplat.bench.platform.state

    assert expected == outcome(send(fakeplat, "POST", "oauth/token", form))
    assert state is fakeplat.bench.platform.state


@pytest.mark.parametrize(
    ("uid", "secret", "status"),
    [("app", "app-secret", 200), ("app", "x", 401), ("app", "", 401), ("public", "", 200), ("public", "x", 401)],
)
def test_only_public_applications_need_no_secret(fakeplat: Fakeplat, uid: str, secret: str, status: int) -> None:
    """Confidential applications need their secret, and a wrong one is always refused."""
    form = {"grant_type": "password", "username": "dev", "password": "dev-password"}

    assert status == send(fakeplat, "POST", "oauth/token", form, **basic(uid, secret)).status
    client = {"client_id": uid, "client_secret": secret}
    assert status == send(fakeplat, "POST", "oauth/token", {**form, **client}).status


def test_a_code_gives_a_token_once(fakeplat: Fakeplat) -> None:
    """An authorization code gives a token of the approving user once."""
    code = get_code(fakeplat)
    status, token = by_code(fakeplat, code)

    assert (200, "api", (200, "dev")) == (status, token["scope"], get_username(fakeplat, token["access_token"]))
    assert error("invalid_grant") == by_code(fakeplat, code)


@pytest.mark.parametrize(
    "form",
    [
        {"redirect_uri": "https://app.example.test/other"},
        {"client_id": "trusted", "client_secret": "trusted-secret"},
    ],
    ids=["address", "application"],
)
def test_a_code_belongs_to_its_application_and_address(fakeplat: Fakeplat, form: dict[str, str]) -> None:
    """A code is refused with another application or address, and remains valid."""
    code = get_code(fakeplat)

    assert error("invalid_grant") == by_code(fakeplat, code, **form)
    assert 200 == by_code(fakeplat, code)[0]


@pytest.mark.parametrize(("wait", "status"), [("9m", 200), ("10m", 400)])
def test_a_code_expires_after_ten_minutes(fakeplat: Fakeplat, wait: str, status: int) -> None:
    """An authorization code expires ten minutes later by the world's clock."""
    code = get_code(fakeplat)
    fakeplat.clock.advance(wait)

    assert status == by_code(fakeplat, code)[0]


@pytest.mark.parametrize(("method", "challenge"), [("S256", CHALLENGE), ("plain", VERIFIER)])
def test_a_code_with_a_challenge_needs_its_verifier(fakeplat: Fakeplat, method: str, challenge: str) -> None:
    """A code with a PKCE challenge requires its verifier."""
    code = get_code(fakeplat, code_challenge=challenge, code_challenge_method=method)

    assert missing("code_verifier") == by_code(fakeplat, code)
    assert error("invalid_grant") == by_code(fakeplat, code, code_verifier="w" * 43)
    assert 200 == by_code(fakeplat, code, code_verifier=VERIFIER)[0]


def test_an_application_gets_a_token_of_its_own(fakeplat: Fakeplat) -> None:
    """A client credentials token has no user and is refused by the API."""
    token = request_token(fakeplat, "client_credentials").json()

    assert {"access_token", "token_type", "scope", "created_at"} == token.keys()
    assert UNAUTHORIZED == get_username(fakeplat, token["access_token"])


def test_refreshing_replaces_the_token(fakeplat: Fakeplat) -> None:
    """The old one is revoked; its refresh token works once."""
    old = password_token(fakeplat)
    new = request_token(fakeplat, "refresh_token", refresh_token=old["refresh_token"]).json()

    assert (200, "dev") == get_username(fakeplat, new["access_token"])
    assert REVOKED == get_username(fakeplat, old["access_token"])
    assert error("invalid_grant") == outcome(
        request_token(fakeplat, "refresh_token", refresh_token=old["refresh_token"])
    )


@pytest.mark.parametrize(
    ("credentials", "form", "expected"),
    [
        ({}, {}, error("invalid_grant")),
        ({"client_id": "public"}, {}, error("invalid_grant")),
        (APP, {"scope": "api sudo"}, error("invalid_scope")),
    ],
    ids=["nobody", "another", "more"],
)
def test_refreshing_is_for_the_same_application_and_scopes(
    fakeplat: Fakeplat, credentials: dict[str, str], form: dict[str, str], expected: Any
) -> None:
    """A refused request revokes nothing."""
    token = password_token(fakeplat)
    sent = {"refresh_token": token["refresh_token"], **form}

    assert expected == outcome(request_token(fakeplat, "refresh_token", credentials, **sent))
    assert (200, "dev") == get_username(fakeplat, token["access_token"])


@by_release(OAUTH_TOKENS_EXPIRE, "lifetime", {"14.10": None, "15.0": 7200})
def test_tokens_expire_later(fakeplat: Fakeplat, lifetime: int | None) -> None:
    """Tokens of applications expire after two hours from 15.0 on; before, they do not."""
    token = password_token(fakeplat)
    fakeplat.clock.advance("2h")

    assert lifetime == token.get("expires_in")
    assert (200 if lifetime is None else 401) == get_username(fakeplat, token["access_token"])[0]


@pytest.mark.fakeplat(scenario={**SCENARIO, "instance": {"version": "19.3"}})
@pytest.mark.parametrize(("seconds", "lifetime"), [(600, 600), (None, 7200)])
def test_settings_limit_the_lifetime_of_tokens(fakeplat: Fakeplat, seconds: int | None, lifetime: int) -> None:
    """New tokens are valid as long as the settings say, by default two hours."""
    body = {"oauth_access_token_expires_in": seconds}
    assert 200 == fakeplat.as_user("root").put("application/settings", json=body).status

    token = password_token(fakeplat)
    assert lifetime == token["expires_in"]
    fakeplat.clock.advance(f"{lifetime}s")
    assert 401 == get_username(fakeplat, token["access_token"])[0]


@pytest.mark.fakeplat(scenario={**SCENARIO, "instance": {"version": "15.0.0"}})
def test_tokens_of_newer_releases_expire_after_two_hours(fakeplat: Fakeplat) -> None:
    """In newer releases tokens expire after two hours and are refreshed."""
    token = password_token(fakeplat)
    expired = {
        "error": "invalid_token",
        "error_description": "Token is expired. You can either do re-authorization or token refresh.",
    }

    assert 7200 == token["expires_in"]
    assert token["access_token"] != password_token(fakeplat)["access_token"]
    fakeplat.clock.advance("2h")
    assert (401, expired) == get_username(fakeplat, token["access_token"])
    assert 200 == request_token(fakeplat, "refresh_token", refresh_token=token["refresh_token"]).status


@pytest.mark.parametrize("name", ["access_token", "refresh_token"])
def test_an_application_revokes_its_tokens(fakeplat: Fakeplat, name: str) -> None:
    """An application revokes a token by its access or its refresh value."""
    token = password_token(fakeplat)

    assert (200, {}) == outcome(send(fakeplat, "POST", "oauth/revoke", {"token": token[name], **APP}))
    assert REVOKED == get_username(fakeplat, token["access_token"])


@pytest.mark.parametrize("credentials", [{}, {"client_id": "public"}, {**APP, "client_secret": "x"}])
def test_tokens_are_not_revoked_by_others(fakeplat: Fakeplat, credentials: dict[str, str]) -> None:
    """Revoking a token with other credentials than its application's answers 403."""
    token = password_token(fakeplat)["access_token"]
    refused = error("unauthorized_client", "You are not authorized to revoke this token", 403)

    assert refused == outcome(send(fakeplat, "POST", "oauth/revoke", {"token": token, **credentials}))
    assert (200, "dev") == get_username(fakeplat, token)


@pytest.mark.parametrize("form", [{}, {"token": "x"}, {"token": "dev-token"}])
def test_revoking_what_is_no_token_succeeds(fakeplat: Fakeplat, form: dict[str, str]) -> None:
    """Revoking an unknown token succeeds, as RFC 7009 requires."""
    assert (200, {}) == outcome(send(fakeplat, "POST", "oauth/revoke", {**form, **APP}))
    assert (200, "dev") == get_username(fakeplat, "dev-token")


def test_tokens_of_public_applications_are_revoked_by_who_has_them(fakeplat: Fakeplat) -> None:
    """Tokens of public applications are revoked without credentials."""
    form = {"username": "dev", "password": "dev-password"}
    token = request_token(fakeplat, "password", {"client_id": "public"}, **form).json()["access_token"]
    send(fakeplat, "POST", "oauth/revoke", {"token": token})

    assert REVOKED == get_username(fakeplat, token)


def test_an_application_asks_about_its_tokens(fakeplat: Fakeplat) -> None:
    """Tokens that do not expire have a 0."""
    token = password_token(fakeplat)["access_token"]
    active = {
        "active": True,
        "scope": "api",
        "client_id": "app",
        "token_type": "Bearer",
        "exp": 0,
        "iat": 1605862800,
    }

    assert (200, active) == outcome(send(fakeplat, "POST", "oauth/introspect", {"token": token, **APP}))
    other = request_token(fakeplat, "client_credentials").json()["access_token"]
    reply = send(fakeplat, "POST", "oauth/introspect", {"token": token}, authorization=f"Bearer {other}")
    assert (200, active) == outcome(reply)


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ({"token": "x", **APP}, (200, {"active": False})),
        ({"client_id": "public"}, (200, {"active": False})),
        ({"client_id": "x"}, error("invalid_client", status=401)),
        (
            {},
            error(
                "invalid_request",
                "Request need to be authorized. Required parameter for authorizing request is missing or invalid.",
            ),
        ),
    ],
)
def test_others_learn_nothing_about_a_token(fakeplat: Fakeplat, form: dict[str, str], expected: Any) -> None:
    """Introspection by another application shows a token as inactive."""
    token = password_token(fakeplat)["access_token"]

    assert expected == outcome(send(fakeplat, "POST", "oauth/introspect", {"token": token, **form}))


def test_a_token_cannot_ask_about_itself(fakeplat: Fakeplat) -> None:
    """Introspecting a token with itself as the credential answers 401."""
    token = password_token(fakeplat)["access_token"]
    reply = send(fakeplat, "POST", "oauth/introspect", {"token": token}, authorization=f"Bearer {token}")

    assert error("invalid_token", status=401) == outcome(reply)


def test_a_token_tells_about_itself(fakeplat: Fakeplat) -> None:
    """The token information is read by parameter or header."""
    token = password_token(fakeplat)["access_token"]
    info = {
        "resource_owner_id": fakeplat.world.user("dev").id,
        "scope": ["api"],
        "expires_in": None,
        "application": {"uid": "app"},
        "created_at": 1605862800,
        "scopes": ["api"],
        "expires_in_seconds": None,
    }

    assert (200, info) == outcome(send(fakeplat, "GET", f"oauth/token/info?access_token={token}"))
    assert (200, info) == outcome(send(fakeplat, "GET", "oauth/token/info", authorization=f"Bearer {token}"))


@pytest.mark.parametrize("headers", [{}, {"authorization": "Bearer x"}, {"authorization": "Bearer dev-token"}])
def test_no_token_has_no_information(fakeplat: Fakeplat, headers: dict[str, str]) -> None:
    """Without a valid OAuth token its information answers 401."""
    reply = send(fakeplat, "GET", "oauth/token/info", **headers)

    assert error("invalid_request", status=401) == outcome(reply)


def test_user_info_is_served_by_post(fakeplat: Fakeplat) -> None:
    """OpenID Connect demands that the user info is served for GET and for POST."""
    token = password_token(fakeplat, scope="openid")["access_token"]
    replies = [send(fakeplat, method, "oauth/userinfo", authorization=f"Bearer {token}") for method in ("GET", "POST")]
    assert [200, 200] == [reply.status for reply in replies]
    assert replies[0].json() == replies[1].json()
    assert 401 == send(fakeplat, "POST", "oauth/userinfo", authorization="Bearer x").status


@pytest.mark.parametrize(("scope", "email"), [("openid", {}), ("openid email", {"email": "dev@example.test"})])
def test_a_token_tells_who_its_user_is(fakeplat: Fakeplat, scope: str, email: dict[str, str]) -> None:
    """The scope openid shows the user; without email only the public address."""
    token = password_token(fakeplat, scope=scope)["access_token"]
    reply = send(fakeplat, "GET", "oauth/userinfo", authorization=f"Bearer {token}")
    dev = fakeplat.world.user("dev").id

    claims = reply.json()
    assert (64, ["acme", "acme/tools"]) == (len(claims.pop("sub_legacy")), claims.pop("groups"))
    assert {
        "sub": str(dev),
        "name": "Dev Example",
        "nickname": "dev",
        **({**email, "email_verified": True} if email else {}),
        "profile": f"{fakeplat.url.rstrip('/')}/dev",
        "picture": claims["picture"],
    } == claims


@pytest.mark.parametrize(("scope", "status"), [("api", 403), (None, 401)])
def test_other_tokens_do_not(fakeplat: Fakeplat, scope: str | None, status: int) -> None:
    """The body is empty; the challenge says why."""
    token = password_token(fakeplat, scope=scope)["access_token"] if scope else "x"
    reply = send(fakeplat, "GET", "oauth/userinfo", authorization=f"Bearer {token}")

    assert (status, b"") == (reply.status, reply.content)
    assert reply.headers["WWW-Authenticate"].startswith('Bearer realm="Doorkeeper", error="')
