"""What users of requests-oauthlib rely on: each grant, and refreshing."""

from functools import partial

import pytest
import requests
from oauth_world import CALLBACK, SCENARIO, SCOPES, SECRET, UID, Browser, address, username_of
from oauthlib.oauth2 import (
    AccessDeniedError,
    BackendApplicationClient,
    DeviceClient,
    InvalidClientError,
    InvalidGrantError,
    LegacyApplicationClient,
    MobileApplicationClient,
    OAuth2Error,
)
from requests_oauthlib import OAuth2Session


@pytest.fixture(autouse=True)
def without_tls(monkeypatch):
    """The library refuses plain HTTP otherwise."""
    monkeypatch.setenv("OAUTHLIB_INSECURE_TRANSPORT", "1")


@pytest.fixture
def world(create_world):
    return create_world(scenario=SCENARIO)


@pytest.fixture
def token_url(world):
    return address(world, "oauth/token")


def authorize(world, client, **options):
    """Return the address to which the user is sent."""
    url, _ = client.authorization_url(address(world, "oauth/authorize"))
    return Browser(world).approve(url, **options)


@pytest.mark.parametrize("pkce", [None, "S256", "plain"])
def test_an_authorization_code(world, token_url, pkce):
    """An authorization code is exchanged for a token with PKCE (S256 or plain) and without it."""
    client = OAuth2Session(UID, redirect_uri=CALLBACK, scope=SCOPES, pkce=pkce)
    token = client.fetch_token(token_url, authorization_response=authorize(world, client), client_secret=SECRET)
    assert SCOPES == token["scope"]
    assert "dev" == username_of(client, world)


def test_a_denied_authorization(world, token_url):
    """A denied authorization raises AccessDeniedError."""
    client = OAuth2Session(UID, redirect_uri=CALLBACK, scope=SCOPES)
    answer = authorize(world, client, form=1)
    with pytest.raises(AccessDeniedError):
        client.fetch_token(token_url, authorization_response=answer, client_secret=SECRET)


def test_the_implicit_grant(world):
    """The token of the implicit grant is in the fragment of the redirect URL."""
    client = OAuth2Session(client=MobileApplicationClient(UID), redirect_uri=CALLBACK, scope=SCOPES)
    client.token_from_fragment(authorize(world, client))
    assert "dev" == username_of(client, world)


def test_a_password(world, token_url):
    """The token of the password grant calls the API."""
    client = OAuth2Session(client=LegacyApplicationClient(UID, scope=["api"]))
    client.fetch_token(token_url, username="dev", password="dev-password", client_secret=SECRET)
    assert "dev" == username_of(client, world)


def test_a_wrong_password(token_url):
    """A wrong password raises InvalidGrantError, and a wrong secret InvalidClientError."""
    client = OAuth2Session(client=LegacyApplicationClient(UID))
    with pytest.raises(InvalidGrantError):
        client.fetch_token(token_url, username="dev", password="x", client_secret=SECRET)
    with pytest.raises(InvalidClientError):
        client.fetch_token(token_url, username="dev", password="dev-password", client_secret="x")


def test_the_application_itself(token_url):
    """An application gets a token for itself with its id and secret."""
    client = OAuth2Session(client=BackendApplicationClient(UID, scope=["api"]))
    assert ["api"] == client.fetch_token(token_url, client_secret=SECRET)["scope"]


@pytest.mark.parametrize("version", ["13.5.1", "15.0.0"])
def test_refreshing(create_world, version):
    """A token is refreshed with its refresh token, and the new token calls the API."""
    world = create_world(scenario=SCENARIO, instance={"version": version}, clock="virtual")
    token_url = address(world, "oauth/token")
    client = OAuth2Session(client=LegacyApplicationClient(UID, scope=["api"]))
    old = client.fetch_token(token_url, username="dev", password="dev-password", client_secret=SECRET)
    assert (7200 if version == "15.0.0" else None) == old.get("expires_in")
    world.advance("3h")
    new = client.refresh_token(token_url, client_id=UID, client_secret=SECRET)
    assert old["access_token"] != new["access_token"]
    assert "dev" == username_of(client, world)


def test_a_device(create_world):
    """A device polls until its user has confirmed the code, and then calls the API."""
    world = create_world(scenario=SCENARIO, instance={"version": "19.3"}, clock="virtual")
    client = DeviceClient(UID, client_secret=SECRET, scope=["api"])
    session = OAuth2Session(client=client)
    started = client.prepare_request_uri(address(world, "oauth/authorize_device"))
    codes = requests.post(started).json()
    poll = partial(
        session.fetch_token,
        address(world, "oauth/token"),
        device_code=codes["device_code"],
        client_secret=SECRET,
        include_client_id=True,
    )
    with pytest.raises(OAuth2Error, match="authorization_pending"):
        poll()
    browser = Browser(world)
    page = browser.sign_in(codes["verification_uri_complete"])
    assert "Device successfully authorized" in browser.submit(browser.submit(page, user_code=codes["user_code"])).text
    world.advance("6s")
    assert ["api"] == poll()["scope"]
    assert "dev" == username_of(session, world)
