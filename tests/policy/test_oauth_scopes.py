"""An OAuth token never reaches more than its scopes allow, however it was obtained."""

from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fakeplat.core.release import DEFAULT_VERSION, parse_release, profile_of
from fakeplat.domain.oauth import access_tokens
from fakeplat.domain.oauth.scopes import list_supported
from fakeplat.domain.oauth.token_requests import TokenRequest, grant_token
from tests.examples import examples
from tests.worlds import Site, create_site

# What each scope opens, by the specification: reading, writing, and reading what is about users.
READS: dict[str, tuple[str, ...]] = {
    "projects/1": ("api", "read_api"),
    "user": ("api", "read_api", "read_user"),
    "users": ("api", "read_api", "read_user"),
    "groups": ("api", "read_api"),
}
WRITES = {"projects/5001/star": ("api",), "groups": ("api",)}
SCOPES = list_supported(profile_of(parse_release(DEFAULT_VERSION)))


@pytest.fixture(scope="module")
def site() -> Site:
    site = create_site()
    with site.platform.acting() as ctx:
        for user in list(ctx.world.users.all()):
            ctx.world.users.change(user, confirmed_at=ctx.now_iso, password=f"{user.username}-password")
    return site


def obtain(site: Site, username: str, scopes: Iterable[str], narrowed: Iterable[str]) -> tuple[str, tuple[str, ...]]:
    """Return a token for scopes; refreshed with fewer, if there are any."""
    with site.platform.acting() as ctx:
        credentials: dict[str, Any] = {"username": username, "password": f"{username}-password"}
        token = grant_token(ctx, TokenRequest(grant_type="password", scope=" ".join(scopes), **credentials))
        if narrowed and token.refresh_token:
            sent: dict[str, Any] = {"refresh_token": token.refresh_token, "scope": " ".join(narrowed)}
            token = grant_token(ctx, TokenRequest(grant_type="refresh_token", **sent))
        assert access_tokens.find(ctx.world, token.value) == token
    return token.value, token.scopes


def is_open(site: Site, method: str, path: str, token: str, **headers: str) -> bool:
    """Whether scopes are sufficient: whatever the operation itself says then."""
    response = site.ask(method, path, headers={"authorization": f"Bearer {token}", **headers})
    body: Any = response.json if response.body else None
    assert response.status < 500
    return not (403 == response.status and "insufficient_scope" == body.get("error"))


@settings(deadline=None, max_examples=examples(20), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_an_oauth_token_reaches_what_its_scopes_open_and_nothing_else(site: Site, data: st.DataObject) -> None:
    """An OAuth token allows the reads, writes and sudo of its scopes only, also after a refresh with fewer."""
    username = data.draw(st.sampled_from(["ada", "root"]))
    scopes = data.draw(st.lists(st.sampled_from(SCOPES), min_size=1, unique=True))
    narrowed = data.draw(st.lists(st.sampled_from(scopes), unique=True))
    token, granted = obtain(site, username, scopes, narrowed)

    assert set(granted) == set(narrowed or scopes)
    reads = {path: bool({*granted} & {*opening}) for path, opening in READS.items()}
    assert reads == {path: is_open(site, "GET", path, token) for path in READS}
    writes = {path: bool({*granted} & {*opening}) for path, opening in WRITES.items()}
    assert writes == {path: is_open(site, "POST", path, token) for path in WRITES}
    if username == "root":
        assert ("sudo" in granted) == is_open(site, "GET", "user", token, sudo="ada")
