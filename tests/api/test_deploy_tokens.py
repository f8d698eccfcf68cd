"""Deploy tokens of projects and groups. Source: docs/platform/deploy-keys-tokens.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.marks import STARTER_AT_NINE
from tests.api.requests import FORBIDDEN, UNAUTHORIZED, Outcome, invalid, names, refusal, resource_not_found

pytestmark = STARTER_AT_NINE
SITE, ACME = "projects/acme%2Fsite/deploy_tokens", "groups/acme/deploy_tokens"
NOT_FOUND: Outcome = (404, {"message": "404 Not found"})
USERNAME_TEXT = "Username can contain only letters, digits, '_', '-', '+', and '.'"
newer = pytest.mark.fakeplat(version="latest")


def create_deploy_token(fake: Fakeplat, path: str = SITE, **fields: Any) -> dict[str, Any]:
    body = {"name": "ci", "scopes": ["read_repository"], **fields}
    reply = fake.as_user("mia").post(path, json=body)
    assert 201 == reply.status
    return dict(reply.json())


def test_only_the_response_of_its_creation_contains_the_token(fakeplat: Fakeplat) -> None:
    """The username contains the token's id unless it is given; the token has twenty characters."""
    token = create_deploy_token(fakeplat)

    listed_token = {name: value for name, value in token.items() if name != "token"}
    id_ = token["id"]
    expected = {"id": id_, "name": "ci", "username": f"platform+deploy-token-{id_}", "expires_at": None}
    assert {**expected, "scopes": ["read_repository"]} == listed_token
    assert 20 == len(token["token"])
    assert [listed_token] == fakeplat.as_user("mia").get(SITE).json()


def test_a_username_and_an_expiry_date_can_be_chosen(fakeplat: Fakeplat) -> None:
    """The date may be a day."""
    token = create_deploy_token(fakeplat, username="deployer.1", expires_at="2021-01-01")

    assert ("deployer.1", "2021-01-01T00:00:00.000Z") == (token["username"], token["expires_at"])


def test_scopes_may_be_written_with_commas(fakeplat: Fakeplat) -> None:
    """Scopes of a deploy token may be separated by commas and are listed in the platform's order."""
    token = create_deploy_token(fakeplat, scopes="write_package_registry,read_registry")

    assert ["read_registry", "write_package_registry"] == token["scopes"]


@pytest.mark.fakeplat(version="latest")
def test_later_releases_have_scopes_of_virtual_registries(fakeplat: Fakeplat) -> None:
    """Later releases have two more scopes, which come last."""
    scopes = ["read_virtual_registry", "write_virtual_registry"]
    token = create_deploy_token(fakeplat, scopes=[*scopes, "read_repository"])

    assert ["read_repository", *scopes] == token["scopes"]


def test_projects_and_groups_have_their_own_tokens(fakeplat: Fakeplat) -> None:
    """Administrators list all of them."""
    of_site, of_acme = create_deploy_token(fakeplat, name="site"), create_deploy_token(fakeplat, ACME, name="acme")

    assert ["site"] == names(fakeplat.as_user("mia").get(SITE).json(), "name")
    assert ["acme"] == names(fakeplat.as_user("mia").get(ACME).json(), "name")
    assert [of_site["id"], of_acme["id"]] == names(fakeplat.as_user("root").get("deploy_tokens").json(), "id")


@pytest.mark.parametrize("path", [SITE, ACME])
def test_a_token_can_be_deleted(fakeplat: Fakeplat, path: str) -> None:
    """The second time it is not found."""
    token, mia = create_deploy_token(fakeplat, path), fakeplat.as_user("mia")

    assert 204 == mia.delete(f"{path}/{token['id']}").status
    assert [] == mia.get(path).json()
    assert NOT_FOUND == refusal(fakeplat, "mia", "DELETE", f"{path}/{token['id']}")


def test_a_token_of_another_container_is_not_found(fakeplat: Fakeplat) -> None:
    """The token of a group is none of its projects' tokens."""
    token = create_deploy_token(fakeplat, ACME)

    assert NOT_FOUND == refusal(fakeplat, "mia", "DELETE", f"{SITE}/{token['id']}")
    assert invalid("token_id is invalid") == refusal(fakeplat, "mia", "DELETE", f"{SITE}/123abc")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({}, invalid("name is missing, scopes is missing")),
        ({"name": "x", "scopes": ["read_repository", "all_access"]}, invalid("scopes does not have a valid value")),
        ({"name": "x", "scopes": []}, (400, {"message": "Scopes can't be blank"})),
        ({"name": "x", "scopes": "read_registry", "username": "a b"}, (400, {"message": USERNAME_TEXT})),
        ({"name": "x", "scopes": "read_registry", "expires_at": "soon"}, invalid("expires_at is invalid")),
    ],
)
def test_invalid_tokens_are_refused(fakeplat: Fakeplat, body: dict[str, Any], expected: Outcome) -> None:
    """Deploy tokens are validated by their parameters first, then by the record."""
    assert expected == refusal(fakeplat, "mia", "POST", SITE, json=body)


@pytest.mark.parametrize(
    ("user", "path", "expected"),
    [
        (None, SITE, resource_not_found("Project")),
        ("dev", SITE, FORBIDDEN),
        (None, "projects/acme%2Fdocs/deploy_tokens", FORBIDDEN),
        (None, ACME, FORBIDDEN),
        ("dev", ACME, FORBIDDEN),
        (None, "deploy_tokens", UNAUTHORIZED),
        ("mia", "deploy_tokens", FORBIDDEN),
        ("mia", "projects/bad_id/deploy_tokens", resource_not_found("Project")),
    ],
)
def test_deploy_tokens_are_for_maintainers(fakeplat: Fakeplat, user: str | None, path: str, expected: Outcome) -> None:
    """Below Maintainer deploy tokens are forbidden; anonymous callers do not find hidden projects."""
    assert expected == refusal(fakeplat, user, "GET", path)


@newer
def test_newer_releases_show_single_tokens_and_their_state(fakeplat: Fakeplat) -> None:
    """A token is expired from its time on; `active` filters the lists."""
    token, mia = create_deploy_token(fakeplat, expires_at="2020-11-21T00:00:00Z"), fakeplat.as_user("mia")
    path = f"{SITE}/{token['id']}"
    assert (False, False) == (mia.get(path).json()["expired"], mia.get(path).json()["revoked"])

    fakeplat.clock.advance("1d")

    assert mia.get(path).json()["expired"]
    assert [] == mia.get(f"{SITE}?active=true").json()
    assert [token["id"]] == names(mia.get(f"{SITE}?active=false").json(), "id")
    assert NOT_FOUND == refusal(fakeplat, "mia", "GET", f"{ACME}/{token['id']}")
