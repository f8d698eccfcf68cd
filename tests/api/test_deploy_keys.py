"""Deploy keys of the instance and of projects. Source: docs/platform/deploy-keys-tokens.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import SHARED_DEPLOY_KEYS_KEEP_TITLES
from tests.api.marks import STARTER_AT_NINE
from tests.api.requests import (
    FORBIDDEN,
    LONG_AGO,
    STALE,
    UNAUTHORIZED,
    Outcome,
    invalid,
    invalid_record,
    names,
    refusal,
    resource_not_found,
)
from tests.by_release import by_release
from tests.ssh_keys import ECDSA, ED25519, RSA

pytestmark = STARTER_AT_NINE
SITE, DOCS = "projects/acme%2Fsite/deploy_keys", "projects/acme%2Fdocs/deploy_keys"
NOT_FOUND: Outcome = (404, {"message": "404 Not found"})
NO_KEY = resource_not_found("Deploy Key")
FORBIDDEN_TYPE = "type is forbidden. Must be RSA, DSA, ECDSA, or ED25519"
newer = pytest.mark.fakeplat(version="latest")


def create_deploy_key(fake: Fakeplat, path: str = SITE, user: str = "mia", **fields: Any) -> dict[str, Any]:
    reply = fake.as_user(user).post(path, json={"title": "laptop", "key": RSA, **fields})
    assert 201 == reply.status
    return dict(reply.json())


def add_public(fake: Fakeplat, key: str = ED25519) -> int:
    """Add a public key that is enabled nowhere; return its id."""
    fake.load({"deploy_keys": [{"title": "public", "key": key, "public": True}]})
    return int(fake.as_user("root").get("deploy_keys").json()[-1]["id"])


def test_a_deploy_key_cannot_push_by_default(fakeplat: Fakeplat) -> None:
    """The list and the key show what its creation showed."""
    key, mia = create_deploy_key(fakeplat), fakeplat.as_user("mia")

    fields = {"title": "laptop", "key": RSA, "created_at": "2020-11-20T09:00:00.000Z", "expires_at": None}
    assert {"id": key["id"], **fields, "can_push": False} == key
    assert [key] == mia.get(SITE).json()
    assert key == mia.get(f"{SITE}/{key['id']}").json()
    assert create_deploy_key(fakeplat, key=ECDSA, can_push=True)["can_push"]


def test_a_key_that_the_project_has_is_returned(fakeplat: Fakeplat) -> None:
    """Adding a key that the project has returns it unchanged."""
    key = create_deploy_key(fakeplat)

    assert key == create_deploy_key(fakeplat, title="other", can_push=True, key=f"  {RSA} ")
    assert [key] == fakeplat.as_user("mia").get(SITE).json()


def test_a_key_of_another_project_is_enabled(fakeplat: Fakeplat) -> None:
    """Enabling a key of another project shares it, with its own right to push in each project."""
    key = create_deploy_key(fakeplat)
    again = create_deploy_key(fakeplat, DOCS, title="ignored", can_push=True)

    assert {**key, "can_push": True} == again
    assert {**key, "can_push": False} == fakeplat.as_user("mia").get(f"{SITE}/{key['id']}").json()


def test_a_key_of_a_hidden_project_is_taken(fakeplat: Fakeplat) -> None:
    """A key of a hidden project cannot be enabled, and its fingerprint is taken."""
    key = create_deploy_key(fakeplat)
    fakeplat.load({"projects": [{"path_with_namespace": "eve/own", "visibility": "private"}]})
    own = "projects/eve%2Fown/deploy_keys"

    body = {"title": "x", "key": RSA}
    expected = (400, {"message": {"deploy_key.fingerprint": ["has already been taken"]}})
    assert expected == refusal(fakeplat, "eve", "POST", own, json=body)
    assert NO_KEY == refusal(fakeplat, "eve", "POST", f"{own}/{key['id']}/enable")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"title": "x"}, invalid("key is missing")),
        ({"key": "some key"}, invalid("title is missing")),
        (
            {"title": "x", "key": "some key"},
            (
                400,
                {
                    "message": {
                        "deploy_key.key": ["is invalid", FORBIDDEN_TYPE],
                        "deploy_key.fingerprint": ["cannot be generated"],
                    }
                },
            ),
        ),
        ({"title": " ", "key": RSA}, (400, {"message": {"deploy_key.title": ["can't be blank"]}})),
        (
            {"title": "x" * 256, "key": RSA},
            (400, {"message": {"deploy_key.title": ["is too long (maximum is 255 characters)"]}}),
        ),
    ],
    ids=["no key", "no title", "invalid key", "blank title", "long title"],
)
def test_invalid_keys_are_refused(fakeplat: Fakeplat, body: dict[str, Any], expected: Outcome) -> None:
    """Deploy keys are validated by their parameters first, then by the key."""
    assert expected == refusal(fakeplat, "mia", "POST", SITE, json=body)


def test_maintainers_update_a_private_key(fakeplat: Fakeplat) -> None:
    """Maintainers update the title of a private key and its right to push."""
    key = create_deploy_key(fakeplat)
    path = f"{SITE}/{key['id']}"
    reply = fakeplat.as_user("mia").put(path, json={"title": "new title", "can_push": True})

    assert (200, {**key, "title": "new title", "can_push": True}) == (reply.status, reply.json())
    assert reply.json() == fakeplat.as_user("mia").get(path).json()
    blank = (400, {"message": {"deploy_key.title": ["can't be blank"]}})
    assert blank == refusal(fakeplat, "mia", "PUT", path, json={"title": ""})
    missing = invalid("title, can_push are missing, at least one parameter must be provided")
    assert missing == refusal(fakeplat, "mia", "PUT", path)


def test_only_administrators_change_the_title_of_a_public_key(fakeplat: Fakeplat) -> None:
    """Maintainers update a public key's right to push, and their title is ignored."""
    path = f"{SITE}/{add_public(fakeplat)}"
    fakeplat.as_user("mia").post(f"{path}/enable")
    changes = {"title": "new title", "can_push": True}
    by_mia, by_root = (fakeplat.as_user(user).put(path, json=changes).json() for user in ("mia", "root"))

    assert ("public", True) == (by_mia["title"], by_mia["can_push"])
    assert ("new title", True) == (by_root["title"], by_root["can_push"])


@by_release(SHARED_DEPLOY_KEYS_KEEP_TITLES, "title", {"17.10": "new title", "17.11": "laptop"})
def test_who_changes_the_title_of_a_shared_key(fakeplat: Fakeplat, title: str) -> None:
    """Only administrators change the title of a private key of several projects, whoever maintains those."""
    key = create_deploy_key(fakeplat)
    create_deploy_key(fakeplat, DOCS)
    path, changes = f"{SITE}/{key['id']}", {"title": "new title", "can_push": True}
    by_mia, by_root = (fakeplat.as_user(user).put(path, json=changes).json() for user in ("mia", "root"))

    assert (title, True) == (by_mia["title"], by_mia["can_push"])
    assert "new title" == by_root["title"]


def test_a_private_key_is_deleted_with_its_last_project(fakeplat: Fakeplat) -> None:
    """Removed from one of two projects, it stays."""
    key, root = create_deploy_key(fakeplat), fakeplat.as_user("root")
    create_deploy_key(fakeplat, DOCS)

    assert STALE == refusal(fakeplat, "mia", "DELETE", f"{SITE}/{key['id']}", headers=LONG_AGO)
    assert 204 == fakeplat.as_user("mia").delete(f"{SITE}/{key['id']}").status
    assert [key["id"]] == names(root.get("deploy_keys").json(), "id")
    assert 204 == fakeplat.as_user("mia").delete(f"{DOCS}/{key['id']}").status
    assert [] == root.get("deploy_keys").json()
    assert NO_KEY == refusal(fakeplat, "mia", "DELETE", f"{DOCS}/{key['id']}")


def test_a_private_key_is_deleted_with_a_deleted_project(fakeplat: Fakeplat) -> None:
    """Deleting the last project of a private key deletes the key and frees its fingerprint."""
    create_deploy_key(fakeplat)
    fakeplat.as_user("root").delete("projects/acme%2Fsite")
    fakeplat.settle()

    assert [] == fakeplat.as_user("root").get("deploy_keys").json()


def test_a_public_key_stays_without_projects(fakeplat: Fakeplat) -> None:
    """A public key remains when its last project is deleted."""
    id_ = add_public(fakeplat)
    fakeplat.as_user("mia").post(f"{SITE}/{id_}/enable")
    fakeplat.as_user("mia").delete(f"{SITE}/{id_}")

    assert [id_] == names(fakeplat.as_user("root").get("deploy_keys").json(), "id")


def test_enabling_a_key_shows_the_key(fakeplat: Fakeplat) -> None:
    """Enabling a key answers with the key without the right to push, and is idempotent."""
    key = create_deploy_key(fakeplat)
    del key["can_push"]
    path = f"{DOCS}/{key['id']}"
    replies = [fakeplat.as_user("mia").post(f"{path}/enable") for _ in range(2)]

    assert [(201, key)] * 2 == [(reply.status, reply.json()) for reply in replies]
    assert [{**key, "can_push": False}] == fakeplat.as_user("mia").get(DOCS).json()


@pytest.mark.parametrize(
    ("user", "method", "path", "expected"),
    [
        (None, "GET", "deploy_keys", UNAUTHORIZED),
        ("mia", "GET", "deploy_keys", FORBIDDEN),
        (None, "GET", SITE, UNAUTHORIZED),
        ("dev", "GET", SITE, FORBIDDEN),
        ("eve", "POST", SITE, resource_not_found("Project")),
        ("dev", "POST", SITE, FORBIDDEN),
        ("mia", "GET", f"{SITE}/404", NOT_FOUND),
        ("mia", "PUT", f"{SITE}/404?can_push=true", NOT_FOUND),
        ("mia", "DELETE", f"{SITE}/404", NO_KEY),
        ("mia", "POST", f"{SITE}/404/enable", NO_KEY),
    ],
)
def test_refusals(fakeplat: Fakeplat, user: str | None, method: str, path: str, expected: Outcome) -> None:
    """Deploy keys are for maintainers, the list of all keys for administrators."""
    assert expected == refusal(fakeplat, user, method, path)


def test_a_key_outlives_the_user_who_added_it(fakeplat: Fakeplat) -> None:
    """A deploy key remains when the user who added it is deleted."""
    key = create_deploy_key(fakeplat)
    fakeplat.as_user("root").delete(f"users/{fakeplat.world.user('mia').id}")

    assert [key] == fakeplat.as_user("root").get(SITE).json()


@newer
def test_newer_releases_show_fingerprints_and_projects(fakeplat: Fakeplat) -> None:
    """The projects only in the list of all keys."""
    key = create_deploy_key(fakeplat)
    create_deploy_key(fakeplat, DOCS, can_push=True)

    md5, sha256 = (
        "b7:50:a0:c4:a4:7f:8a:5e:0a:b8:94:7a:79:1c:21:74",
        "SHA256:dIJ5uTDh1fEnsYUddaBoyD2lwa0HlJoz39+WUKtAvZ0",
    )
    assert (md5, sha256) == (key["fingerprint"], key["fingerprint_sha256"])
    (listed,) = fakeplat.as_user("root").get("deploy_keys").json()
    assert ["acme/docs"] == names(listed["projects_with_write_access"], "path_with_namespace")
    assert ["acme/site"] == names(listed["projects_with_readonly_access"], "path_with_namespace")
    assert "projects_with_write_access" not in key


@newer
def test_newer_releases_let_administrators_create_public_keys(fakeplat: Fakeplat) -> None:
    """Newer releases let administrators create public keys, unique by SHA-256 fingerprint."""
    body = {"title": "all", "key": ED25519, "expires_at": "2021-01-01T00:00:00Z"}
    reply = fakeplat.as_user("root").post("deploy_keys", json=body)

    assert (201, "2021-01-01T00:00:00.000Z") == (reply.status, reply.json()["expires_at"])
    taken = invalid_record(fingerprint_sha256=["has already been taken"])
    assert taken == refusal(fakeplat, "root", "POST", "deploy_keys", json=body)
    assert FORBIDDEN == refusal(fakeplat, "mia", "POST", "deploy_keys", json=body)
    assert invalid("key is missing") == refusal(fakeplat, "root", "POST", "deploy_keys", json={"title": "x"})
    create_deploy_key(fakeplat)
    public = fakeplat.as_user("root").get("deploy_keys?public=true").json()
    assert [reply.json()["id"]] == names(public, "id")
    assert 201 == fakeplat.as_user("mia").post(f"{SITE}/{reply.json()['id']}/enable").status


@newer
def test_a_key_in_a_project_tells_its_last_use(fakeplat: Fakeplat) -> None:
    """A deploy key in a project has the fields of the key, its last use included, and no further object."""
    deploy_key = create_deploy_key(fakeplat)

    assert (None, False) == (deploy_key["last_used_at"], "deploy_key" in deploy_key)
