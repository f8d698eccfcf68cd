"""OpenID Connect: ID tokens, the key that verifies them, and discovery.

Sources: docs/platform/oauth.md; the platform's request specs of OpenID Connect; OpenID Connect Core 1.0.
"""

import json
from base64 import urlsafe_b64decode
from hashlib import sha256
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import (
    DISCOVERY_TELLS_OF_PKCE,
    OAUTH_ANSWERS_PREFLIGHT_REQUESTS,
    OPENID_TELLS_MORE,
    OPENID_TELLS_PREFERRED_USERNAME,
    OPENID_TELLS_ROLES_IN_GROUPS,
)
from tests.api.oauth import CALLBACK, SCENARIO, authorize_path, browser, password_token, request_token, send
from tests.api.requests import outcome
from tests.by_release import by_release

pytestmark = pytest.mark.fakeplat(scenario=SCENARIO, clock="virtual", start="2020-11-20T09:00:00.000Z", tick=0)


CLAIMS_OF_JOBS = ["project_path", "ci_config_ref_uri", "ref_path", "sha", "environment", "jti"]
ROLES = [f"https://gitlab.org/claims/groups/{role}" for role in ("owner", "maintainer", "developer")]


def decode(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


def parts_of(token: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The header and the claims."""
    header, claims, _ = token.split(".")
    return json.loads(decode(header)), json.loads(decode(claims))


def get_body(fake: Fakeplat, path: str) -> Any:
    status, body = outcome(send(fake, "GET", path))
    assert 200 == status
    return body


def test_an_id_token_says_who_signed_in(fakeplat: Fakeplat) -> None:
    """An ID token names user, instance and application, and is valid for two minutes."""
    _, claims = parts_of(password_token(fakeplat, scope="openid email")["id_token"])
    dev = fakeplat.world.user("dev")

    assert 64 == len(claims.pop("sub_legacy"))
    assert {
        "iss": fakeplat.url.rstrip("/"),
        "sub": str(dev.id),
        "aud": "app",
        "exp": 1605862920,
        "iat": 1605862800,
        "email": "dev@example.test",
        "email_verified": True,
    } == claims


def test_an_id_token_shows_only_the_public_address(fakeplat: Fakeplat) -> None:
    """Without the scope email an ID token contains only a public address."""
    _, claims = parts_of(password_token(fakeplat, scope="openid")["id_token"])
    assert ["iss", "sub", "aud", "exp", "iat", "sub_legacy"] == list(claims)


def test_an_id_token_says_when_the_user_signed_in(fakeplat: Fakeplat) -> None:
    """An ID token contains the time of the user's sign-in as `auth_time`."""
    fakeplat.load({"users": [{"username": "seen", "current_sign_in_at": "2020-11-20T08:00:00.000Z"}]})
    _, claims = parts_of(password_token(fakeplat, "seen", scope="openid")["id_token"])
    assert 1605859200 == claims["auth_time"]


def test_a_token_without_the_scope_has_no_id_token(fakeplat: Fakeplat) -> None:
    """Tokens without the scope openid, or of applications, have no ID token."""
    assert "id_token" not in password_token(fakeplat, scope="api")
    assert "id_token" not in request_token(fakeplat, "client_credentials", scope="openid").json()


def test_an_id_token_has_the_nonce_of_the_authorization(fakeplat: Fakeplat) -> None:
    """The application compares it with the one that it sent."""
    dev = browser(fakeplat, "dev")
    page = dev.open(authorize_path(scope="openid", nonce="n-1"))
    location = dev.submit(page).headers["Location"]
    (code,) = parse_qs(urlsplit(location).query)["code"]
    answer = request_token(fakeplat, "authorization_code", code=code, redirect_uri=CALLBACK).json()

    assert "n-1" == parts_of(answer["id_token"])[1]["nonce"]


def test_the_published_key_verifies_an_id_token(fakeplat: Fakeplat) -> None:
    """The published key verifies an ID token with RS256."""
    token = password_token(fakeplat, scope="openid")["id_token"]
    (key,) = get_body(fakeplat, "oauth/discovery/keys")["keys"]
    content, _, signature = token.rpartition(".")

    assert {"typ": "JWT", "alg": "RS256", "kid": key["kid"]} == parts_of(token)[0]
    assert ("RSA", "sig", "RS256", "AQAB") == (key["kty"], key["use"], key["alg"], key["e"])
    assert set(key) == {"kid", "e", "kty", "n", "use", "alg"}
    number, modulus = int.from_bytes(decode(signature)), int.from_bytes(decode(key["n"]))
    assert pow(number, 65537, modulus).to_bytes(256).endswith(sha256(content.encode()).digest())


def test_an_application_discovers_the_instance(fakeplat: Fakeplat) -> None:
    """Every address is one of the instance's own."""
    document, base = get_body(fakeplat, ".well-known/openid-configuration"), fakeplat.url.rstrip("/")

    addresses = {name: value for name, value in document.items() if isinstance(value, str)}
    assert {
        "issuer": base,
        "authorization_endpoint": f"{base}/oauth/authorize",
        "token_endpoint": f"{base}/oauth/token",
        "revocation_endpoint": f"{base}/oauth/revoke",
        "introspection_endpoint": f"{base}/oauth/introspect",
        "userinfo_endpoint": f"{base}/oauth/userinfo",
        "jwks_uri": f"{base}/oauth/discovery/keys",
    } == addresses
    assert ["code", "token"] == document["response_types_supported"]
    assert "implicit" in document["grant_types_supported"]
    assert ["openid", "profile", "email"] == document["scopes_supported"][-3:]
    assert ["RS256"] == document["id_token_signing_alg_values_supported"]


@pytest.mark.fakeplat(version="latest")
def test_the_implicit_grant_ended_later(fakeplat: Fakeplat) -> None:
    """From 14.0 on OpenID supports only the authorization code grant."""
    document = get_body(fakeplat, ".well-known/openid-configuration")
    assert ["code"] == document["response_types_supported"]
    assert "implicit" not in document["grant_types_supported"]


@pytest.mark.parametrize(
    ("version", "claims", "methods", "grants"),
    [
        ("15.0", ["picture", "groups"], None, []),
        (OPENID_TELLS_ROLES_IN_GROUPS.since, ROLES, None, []),
        (DISCOVERY_TELLS_OF_PKCE.since, ROLES, ["plain", "S256"], []),
        ("19.1", [*ROLES, *CLAIMS_OF_JOBS], ["plain", "S256"], ["device_code"]),
    ],
)
def test_later_releases_tell_more(
    fakeplat_factory: Any, version: str, claims: list[str], methods: list[str] | None, grants: list[str]
) -> None:
    """The document tells of roles in groups, then of PKCE, which also has it at another address, then of devices."""
    fake = fakeplat_factory(version=version.removeprefix("<="), scenario=SCENARIO)
    document = get_body(fake, ".well-known/openid-configuration")
    assert claims == document["claims_supported"][-len(claims) :]
    assert methods == document.get("code_challenge_methods_supported")
    assert ["query", "fragment", *(["form_post"] if methods else [])] == document["response_modes_supported"]
    assert ["authorization_code", "password", "client_credentials", *grants, "refresh_token"] == [
        grant for grant in document["grant_types_supported"] if grant != "implicit"
    ]
    again = send(fake, "GET", ".well-known/oauth-authorization-server")
    assert (200, document) == outcome(again) if methods else 404 == again.status


@by_release(
    OPENID_TELLS_MORE,
    "more",
    {"18.11": {}, "19.1": {"given_name": "Ada", "family_name": "van der Example"}},
)
def test_the_newest_releases_tell_both_names(fakeplat: Fakeplat, more: dict[str, str]) -> None:
    """The first word of the name is the given name; a user of one word has no other."""
    sent = {"username": "ada", "password": "ada-password", "scope": "openid"}
    names = {"given_name", "family_name"}
    for name, expected in (
        ("Ada van der Example", more),
        ("Ada", {key: "Ada" for key in more if key != "family_name"}),
    ):
        fakeplat.as_user("root").put("users/2", json={"name": name})
        token = request_token(fakeplat, "password", {}, **sent).json()["access_token"]
        user = send(fakeplat, "GET", "oauth/userinfo", authorization=f"Bearer {token}").json()
        assert expected == {key: user[key] for key in names & user.keys()}
    claims = get_body(fakeplat, ".well-known/openid-configuration")["claims_supported"]
    assert bool(more) == (names < {*claims})


@pytest.mark.parametrize(
    ("version", "tells_of_groups", "has_name"),
    [
        ("15.0", False, False),
        (OPENID_TELLS_ROLES_IN_GROUPS.since, True, False),
        (OPENID_TELLS_PREFERRED_USERNAME.since, True, True),
    ],
)
def test_later_releases_tell_of_roles(
    fakeplat_factory: Any, version: str, tells_of_groups: bool, has_name: bool
) -> None:
    """Later releases tell in which groups the user has which role, in the ID token of which the user is a member."""
    groups = [
        {"full_path": "own", "members": {"dev": "owner"}},
        {"full_path": "top", "members": {"dev": "developer"}},
        {"full_path": "top/low", "members": {"dev": "maintainer"}},
    ]
    scenario = {"users": [{"username": "dev"}], "groups": groups}
    fake = fakeplat_factory(version=version.removeprefix("<="), scenario=scenario, clock="virtual")
    sent = {"username": "dev", "password": "dev-password", "scope": "openid"}
    token = request_token(fake, "password", {}, **sent).json()
    known = parts_of(token["id_token"])[1].get("groups_direct")
    user = send(fake, "GET", "oauth/userinfo", authorization=f"Bearer {token['access_token']}").json()
    roles = [["own"], ["top/low"], ["top"]]
    assert (roles if tells_of_groups else [None] * 3) == [user.get(claim) for claim in ROLES]
    assert (["own", "top", "top/low"] if tells_of_groups else None) == known
    assert ["own", "top", "top/low"] == user["groups"]
    assert ("dev" if has_name else None) == user.get("preferred_username")


def test_the_instance_is_the_issuer_for_every_address(fakeplat: Fakeplat) -> None:
    """WebFinger names the instance as the issuer for every address."""
    link = {"rel": "http://openid.net/specs/connect/1.0/issuer", "href": fakeplat.url.rstrip("/") + "/"}
    answer = get_body(fakeplat, ".well-known/webfinger?resource=dev@example.test")
    assert {"subject": "dev@example.test", "links": [link]} == answer
    missing = outcome(send(fakeplat, "GET", ".well-known/webfinger"))
    assert (400, {"error": "resource is missing"}) == missing


ORIGIN = "https://app.example.test"
FETCHED = ("oauth/discovery/keys", ".well-known/openid-configuration", ".well-known/webfinger?resource=dev")


@pytest.mark.parametrize("version", ["15.0", OAUTH_ANSWERS_PREFLIGHT_REQUESTS.since])
@pytest.mark.parametrize(
    ("path", "methods"),
    [
        ("oauth/token", "POST, OPTIONS"),
        ("oauth/revoke", "POST, OPTIONS"),
        ("oauth/userinfo", "GET, HEAD, POST, OPTIONS"),
        *((path, "GET, HEAD") for path in FETCHED),
        ("oauth/introspect", None),
    ],
)
def test_pages_of_other_origins_may_ask(fakeplat_factory: Any, path: str, methods: str | None, version: str) -> None:
    """Browsers learn from 15.1 on which methods applications of other origins may use, with any header."""
    fake = fakeplat_factory(version=version, scenario=SCENARIO)
    asked = {"origin": ORIGIN, "access-control-request-method": "POST", "access-control-request-headers": "X-A"}
    reply = send(fake, "OPTIONS", path, **asked)
    if methods is None or version == "15.0":
        assert 404 == reply.status
    else:
        names = ("Access-Control-Allow-Methods", "Access-Control-Allow-Headers", "Access-Control-Allow-Origin")
        assert (200, methods, "X-A", "*") == (reply.status, *(reply.headers[name] for name in names))
    assert "Access-Control-Allow-Credentials" not in reply.headers
