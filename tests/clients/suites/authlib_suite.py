"""What users of authlib rely on: each grant, refreshing, revocation and introspection."""

import pytest
import requests
from authlib.integrations.base_client.errors import OAuthError
from authlib.integrations.requests_client import OAuth2Session
from authlib.jose import JsonWebKey, JsonWebToken
from authlib.oidc.core import CodeIDToken
from oauth_world import CALLBACK, SCENARIO, SECRET, UID, Browser, address, username_of


@pytest.fixture
def world(create_world):
    return create_world(scenario=SCENARIO)


@pytest.fixture
def token_url(world):
    return address(world, "oauth/token")


def session(**options):
    return OAuth2Session(UID, SECRET, redirect_uri=CALLBACK, **options)


@pytest.mark.parametrize("method", ["client_secret_basic", "client_secret_post"])
def test_an_authorization_code_with_pkce(world, token_url, method):
    """Authlib gets a token with PKCE after the user has signed in and approved."""
    client = session(scope="read_user", code_challenge_method="S256", token_endpoint_auth_method=method)
    verifier = "v" * 48
    url, state = client.create_authorization_url(address(world, "oauth/authorize"), code_verifier=verifier)
    response = Browser(world).approve(url)
    token = client.fetch_token(token_url, authorization_response=response, state=state, code_verifier=verifier)
    assert ("Bearer", "read_user") == (token["token_type"], token["scope"])
    assert "dev" == username_of(client, world)


def test_signing_in_with_openid_connect(create_world):
    """Authlib finds the endpoints by discovery and verifies the ID token with the published key."""
    world = create_world(scenario=SCENARIO, clock="real")  # the client checks that the token has not expired
    metadata = requests.get(address(world, ".well-known/openid-configuration")).json()
    client = session(scope="openid email")
    url, state = client.create_authorization_url(metadata["authorization_endpoint"], nonce="n-1")
    response = Browser(world).approve(url)
    token = client.fetch_token(metadata["token_endpoint"], authorization_response=response, state=state)
    options = {"iss": {"value": metadata["issuer"]}, "aud": {"value": UID}}
    keys = JsonWebKey.import_key_set(requests.get(metadata["jwks_uri"]).json())
    claims = JsonWebToken(metadata["id_token_signing_alg_values_supported"]).decode(
        token["id_token"], keys, claims_cls=CodeIDToken, claims_options=options, claims_params={"nonce": "n-1"}
    )
    claims.validate()
    assert "dev@example.test" == claims["email"]
    assert claims["sub"] == client.get(metadata["userinfo_endpoint"]).json()["sub"]


def test_a_password(world, token_url):
    """The token of the password grant calls the API."""
    client = session(scope="api")
    client.fetch_token(token_url, username="dev", password="dev-password")
    assert "dev" == username_of(client, world)


def test_a_wrong_password(token_url):
    """The client reports a wrong password as the error invalid_grant."""
    with pytest.raises(OAuthError, match="invalid_grant"):
        session().fetch_token(token_url, username="dev", password="x")


def test_the_application_itself(token_url):
    """The token of the client credentials grant has no refresh token."""
    token = session(scope="api").fetch_token(token_url, grant_type="client_credentials")
    assert "refresh_token" not in token


def test_refreshing(world, token_url):
    """A refreshed token replaces the old one and calls the API."""
    client = session(scope="api")
    old = client.fetch_token(token_url, username="dev", password="dev-password")
    new = client.refresh_token(token_url, refresh_token=old["refresh_token"])
    assert old["access_token"] != new["access_token"]
    assert "dev" == username_of(client, world)


def test_revocation_and_introspection(world, token_url):
    """A token is active at introspection until it is revoked."""
    client = session(scope="api")
    token = client.fetch_token(token_url, username="dev", password="dev-password")["access_token"]
    endpoint = address(world, "oauth/introspect")
    assert client.introspect_token(endpoint, token=token).json()["active"]
    assert 200 == client.revoke_token(address(world, "oauth/revoke"), token=token).status_code
    assert {"active": False} == client.introspect_token(endpoint, token=token).json()
