"""Applications that register themselves. Source: docs/platform/oauth.md. See RFC 7591, RFC 9728."""

from base64 import urlsafe_b64encode
from hashlib import sha256
from typing import Any

import pytest

from fakeplat.core.timestamps import SECOND, from_iso
from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import APPLICATIONS_REGISTER_THEMSELVES, PUBLIC_APPLICATIONS_ASK_AGAIN
from fakeplat.workbench.journal_entries import Reply
from tests.api.oauth import CALLBACK, SCENARIO, authorize_path, browser, get_code, query_of, request_token, send
from tests.api.requests import Outcome, outcome

pytestmark = pytest.mark.fakeplat(version="latest", scenario=SCENARIO, clock="virtual")
NAME_PREFIX = "[Unverified Dynamic Application] "
METADATA = {"client_name": "Agent & Co. (v1.0) 🚀", "redirect_uris": [CALLBACK], "scope": "api"}
VERIFIER = "v" * 43
CHALLENGE = urlsafe_b64encode(sha256(VERIFIER.encode()).digest()).rstrip(b"=").decode()


def register(fake: Fakeplat, **changes: Any) -> Reply:
    body = {name: value for name, value in {**METADATA, **changes}.items() if value is not ...}
    return fake.as_user(None).request("POST", f"{fake.url}/oauth/register", json=body)


def invalid(text: str) -> Outcome:
    return 400, {"error": "invalid_client_metadata", "error_description": text}


def test_an_application_registers_itself(fakeplat: Fakeplat) -> None:
    """It gets an id and one scope, whatever it asks for, but no secret."""
    reply = register(fakeplat, secret="own", uid="own", confidential=True)
    answer = reply.json()
    assert 201 == reply.status
    assert 64 == len(answer.pop("client_id"))
    assert {
        "client_id_issued_at": from_iso(fakeplat.clock.now) // SECOND,
        "redirect_uris": [CALLBACK],
        "token_endpoint_auth_method": "none",
        "grant_types": ["authorization_code"],
        "require_pkce": True,
        "client_name": f"{NAME_PREFIX}{METADATA['client_name']}",
        "scope": "mcp",
        "dynamic": True,
    } == answer


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        ([CALLBACK, "http://127.0.0.1/done"], [CALLBACK, "http://127.0.0.1/done"]),
        (CALLBACK, [CALLBACK]),
        (["agent://callback"], ["agent://callback"]),
    ],
)
def test_it_has_one_or_more_addresses(fakeplat: Fakeplat, sent: Any, expected: list[str]) -> None:
    """The addresses are a list or a single text."""
    assert expected == register(fakeplat, redirect_uris=sent).json()["redirect_uris"]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"client_name": ...}, invalid("client_name is too long")),
        ({"client_name": ""}, invalid("client_name is too long")),
        ({"client_name": None}, invalid("client_name is too long")),
        ({"client_name": "n" * 200}, invalid("client_name is too long")),
        ({"redirect_uris": ...}, invalid("Redirect URI can't be blank")),
        ({"redirect_uris": []}, invalid("Redirect URI can't be blank")),
        ({"redirect_uris": ["invalid-uri"]}, invalid("Redirect URI must be an absolute URI.")),
    ],
)
def test_invalid_metadata_is_refused(fakeplat: Fakeplat, changes: dict[str, Any], expected: Outcome) -> None:
    """An application needs a short name and valid addresses."""
    before = fakeplat.bench.platform.state
    assert expected == outcome(register(fakeplat, **changes))
    assert before is fakeplat.bench.platform.state


def test_a_name_may_have_199_characters(fakeplat: Fakeplat) -> None:
    """The longest name has 199 characters."""
    assert f"{NAME_PREFIX}{'n' * 199}" == register(fakeplat, client_name="n" * 199).json()["client_name"]


def test_invalid_json_is_refused(fakeplat: Fakeplat) -> None:
    """A body that is no JSON is refused."""
    headers = {"content-type": "application/json"}
    url = f"{fakeplat.url}/oauth/register"
    assert 400 == fakeplat.as_user(None).request("POST", url, data=b"{ invalid", headers=headers).status


def get_token(fake: Fakeplat, client_id: str, **form: str) -> Reply:
    asked = {"client_id": client_id, "scope": "mcp", "code_challenge": CHALLENGE, "code_challenge_method": "S256"}
    code = get_code(fake, **asked)
    return request_token(fake, "authorization_code", {"client_id": client_id}, code=code, redirect_uri=CALLBACK, **form)


def test_it_has_to_use_pkce(fakeplat: Fakeplat) -> None:
    """Its code is exchanged with a verifier only, for a token that does not open the API."""
    client_id = register(fakeplat).json()["client_id"]
    token = get_token(fakeplat, client_id, code_verifier=VERIFIER).json()
    assert "mcp" == token["scope"]
    headers = {"authorization": f"Bearer {token['access_token']}"}
    assert 403 == send(fakeplat, "GET", "api/v4/user", **headers).status


@pytest.mark.fakeplat(
    scenario={
        "extends": "starter",
        "applications": [
            {
                "name": "Agent",
                "uid": "agent",
                "secret": "s",
                "redirect_uri": CALLBACK,
                "dynamic": True,
                "authorization_grants": [{"user": "dev", "code": "c-1", "scopes": ["api"]}],
            }
        ],
    }
)
@pytest.mark.parametrize("verifier", [{}, {"code_verifier": ""}])
def test_a_code_without_a_challenge_needs_a_verifier_too(fakeplat: Fakeplat, verifier: dict[str, str]) -> None:
    """An application that has registered itself sends a verifier, even for a code without a challenge."""
    credentials = {"client_id": "agent", "client_secret": "s"}
    reply = request_token(fakeplat, "authorization_code", credentials, code="c-1", redirect_uri=CALLBACK, **verifier)
    text = "PKCE code_verifier is required for dynamic OAuth applications"
    assert (400, {"error": "invalid_request", "error_description": text}) == outcome(reply)


@pytest.mark.parametrize(
    ("version", "status"), [("18.2", 404), ("18.3", 404), (APPLICATIONS_REGISTER_THEMSELVES.since, 201)]
)
def test_applications_register_since_18_6(fakeplat_factory: Any, version: str, status: int) -> None:
    """From 18.3 on a feature of the platform, which is off, lets applications register; from 18.6 on they do."""
    fake = fakeplat_factory(version=version, scenario="starter")
    assert status == register(fake).status
    fake.as_user("root").post("features/oauth_dynamic_client_registration", json={"value": True})
    assert (404 if version == "18.2" else 201) == register(fake).status


def test_clients_discover_who_issues_tokens(fakeplat: Fakeplat) -> None:
    """The endpoints for agents are listed with the instance as the issuer of their tokens, for a day."""
    reply = send(fakeplat, "GET", ".well-known/oauth-protected-resource")
    base = fakeplat.url.rstrip("/")
    expected = {"resource": [f"{base}/api/v4/mcp", f"{base}/api/v4/mcp_server"], "authorization_servers": [base]}
    assert (200, expected) == outcome(reply)
    assert "application/json; charset=utf-8" == reply.headers["Content-Type"]
    assert "max-age=86400, public, must-revalidate, no-transform" == reply.headers["Cache-Control"]


@pytest.mark.parametrize(("version", "asks"), [("15.11", False), (PUBLIC_APPLICATIONS_ASK_AGAIN.since, True)])
@pytest.mark.parametrize("client_id", ["app", "public"])
def test_users_are_asked_again_about_public_applications(
    fakeplat_factory: Any, client_id: str, version: str, asks: bool
) -> None:
    """A token that an application without a secret has already does not spare its user the question later."""
    fake = fakeplat_factory(version=version.removeprefix("<="), scenario=SCENARIO, clock="virtual")
    credentials = {"client_id": client_id, "client_secret": f"{client_id}-secret"}
    code = get_code(fake, client_id=client_id)
    request_token(fake, "authorization_code", credentials, code=code, redirect_uri=CALLBACK)
    reply = browser(fake, "dev").open(authorize_path(client_id=client_id))
    is_asked = asks and client_id == "public"
    assert (200 if is_asked else 302) == reply.status
    assert is_asked or "code" in query_of(reply)
