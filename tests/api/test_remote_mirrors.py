"""Remote mirrors. Source: the platform's request spec of remote mirrors."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.requests import UNAUTHORIZED, Outcome, invalid, invalid_record, outcome, refusal

pytestmark = pytest.mark.fakeplat(scenario="starter")
PATH = "projects/acme%2Fsite/remote_mirrors"
URL = "https://foo:bar@test.com/site.git"
NOT_FOUND: Outcome = (404, {"message": "404 Not found"})


def create_mirror(fake: Fakeplat, **fields: Any) -> Any:
    reply = fake.as_user("mia").post(PATH, json={"url": URL, **fields})
    assert 201 == reply.status
    return reply.json()


def test_a_new_mirror_is_off_and_its_credentials_are_masked(fakeplat: Fakeplat) -> None:
    """A new mirror is disabled, mirrors all branches by default and masks its credentials."""
    mirror = create_mirror(fakeplat)

    assert {
        "id": mirror["id"],
        "enabled": False,
        "url": "https://*****:*****@test.com/site.git",
        "update_status": "none",
        "last_update_at": None,
        "last_update_started_at": None,
        "last_successful_update_at": None,
        "last_error": None,
        "only_protected_branches": False,
        "keep_divergent_refs": None,
    } == mirror
    assert [mirror] == fakeplat.as_user("mia").get(PATH).json()


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("ssh://git@test.com/a.git", "ssh://git@test.com/a.git"),
        ("ssh://deploy@test.com:2222/a.git", "ssh://*****@test.com:2222/a.git"),
        ("git://test.com/a.git", "git://test.com/a.git"),
        ("https://token@test.com/a.git", "https://*****@test.com/a.git"),
    ],
)
def test_users_are_masked_except_the_one_of_git(fakeplat: Fakeplat, url: str, expected: str) -> None:
    """A user name may be a token."""
    assert expected == create_mirror(fakeplat, url=url)["url"]


def test_a_mirror_is_updated_and_deleted(fakeplat: Fakeplat) -> None:
    """Numbers and texts stand for booleans."""
    mirror, mia = create_mirror(fakeplat, enabled=True), fakeplat.as_user("mia")
    changes = {"enabled": "0", "only_protected_branches": "false"}

    assert {**mirror, "enabled": False, "only_protected_branches": False} == mia.put(
        f"{PATH}/{mirror['id']}", json=changes
    ).json()
    assert 204 == mia.delete(f"{PATH}/{mirror['id']}").status
    assert [] == mia.get(PATH).json()


@pytest.mark.fakeplat(version="latest")
def test_divergent_refs_are_kept_in_newer_releases(fakeplat: Fakeplat) -> None:
    """From 13.6 on mirrors have `keep_divergent_refs`."""
    assert create_mirror(fakeplat, keep_divergent_refs=True)["keep_divergent_refs"] is True


def test_without_mirrors_on_the_instance_only_administrators_have_them(fakeplat: Fakeplat) -> None:
    """Where the instance disables mirrors only administrators use them."""
    root = fakeplat.as_user("root")
    root.put("application/settings", json={"mirror_available": False})

    assert UNAUTHORIZED == refusal(fakeplat, "mia", "GET", PATH)
    assert (200, []) == outcome(root.get(PATH))


@pytest.mark.parametrize(
    ("method", "path", "body", "expected"),
    [
        ("POST", PATH, {}, invalid("url is missing")),
        ("POST", PATH, {"url": " "}, invalid_record(url=["can't be blank"])),
        (
            "POST",
            PATH,
            {"url": "ftp://foo:bar@test.com"},
            invalid_record(url=["is blocked: Only allowed schemes are ssh, git, http, https"]),
        ),
        (
            "POST",
            PATH,
            {"url": "https://localhost/a.git"},
            invalid_record(url=["is blocked: Requests to localhost are not allowed"]),
        ),
        (
            "POST",
            PATH,
            {"url": "https://-x@test.com/a.git"},
            invalid_record(url=["is blocked: Username needs to start with an alphanumeric character"]),
        ),
        ("POST", PATH, {"url": URL, "enabled": "maybe"}, invalid("enabled is invalid")),
        (
            "POST",
            PATH,
            {"url": URL, "only_protected_branches": None},
            invalid_record(only_protected_branches=["can't be blank"]),
        ),
        ("PUT", f"{PATH}/1", {}, NOT_FOUND),
        ("PUT", f"{PATH}/x", {}, NOT_FOUND),
        ("DELETE", f"{PATH}/1", None, NOT_FOUND),
    ],
    ids=range(10),
)
def test_invalid_and_unknown_mirrors_are_refused(
    fakeplat: Fakeplat, method: str, path: str, body: Any, expected: Outcome
) -> None:
    """The URL is never called."""
    assert expected == refusal(fakeplat, "mia", method, path, json=body)


def test_developers_are_refused_before_their_parameters_are_read(fakeplat: Fakeplat) -> None:
    """Remote mirrors answer 401 to Developers before their parameters are validated."""
    assert UNAUTHORIZED == refusal(fakeplat, "dev", "POST", PATH, json={})
