"""SSH keys of users, and the search for keys by id and fingerprint. Source: docs/platform/users.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import DEPLOY_KEYS_ARE_FOUND_WHOLE
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
    person,
    refusal,
    resource_not_found,
)
from tests.by_release import by_release
from tests.ssh_keys import DSA, ECDSA, ED25519, RSA

pytestmark = STARTER_AT_NINE
NO_KEY = resource_not_found("Key")
TAKEN = invalid_record(fingerprint=["has already been taken"])
FORBIDDEN_TYPE = "type is forbidden. Must be RSA, DSA, ECDSA, or ED25519"
MD5 = "88:5c:9c:c4:16:0b:a4:89:38:e4:60:9c:5d:13:0b:6c"


def add_key(fake: Fakeplat, user: str = "ada", **fields: Any) -> dict[str, Any]:
    """Add a key to a user's account."""
    reply = fake.as_user(user).post("user/keys", json={"title": "laptop", "key": RSA, **fields})
    assert 201 == reply.status
    return dict(reply.json())


def test_the_comment_of_a_key_is_replaced(fakeplat: Fakeplat) -> None:
    """The answer has the name of the user and the host, not the e-mail address in the comment."""
    key = add_key(fakeplat, expires_at="2021-01-01T00:00:00.000Z")

    text = f"{RSA.rpartition(' ')[0]} Ada Example (127.0.0.1)"
    times = {"created_at": "2020-11-20T09:00:00.000Z", "expires_at": "2021-01-01T00:00:00.000Z"}
    assert {"id": key["id"], "title": "laptop", **times, "key": text} == key
    assert [key] == fakeplat.as_user("ada").get("user/keys").json()
    assert key == fakeplat.as_user("ada").get(f"user/keys/{key['id']}").json()


@pytest.mark.parametrize("text", [RSA, DSA, ECDSA, ED25519], ids=["rsa", "dsa", "ecdsa", "ed25519"])
def test_every_kind_of_key_is_accepted(fakeplat: Fakeplat, text: str) -> None:
    """By default SSH keys of every type are accepted."""
    assert add_key(fakeplat, key=text)["id"] in names(fakeplat.as_user("ada").get("user/keys").json(), "id")


def test_keys_are_listed_by_id_and_username(fakeplat: Fakeplat) -> None:
    """Everybody, also anonymously, lists the keys of a user by id or username."""
    key = add_key(fakeplat)
    by_id = f"users/{person(fakeplat, 'ada')}/keys"

    for path in ("users/ada/keys", by_id):
        assert [key] == fakeplat.as_user(None).get(path).json()
    assert key == fakeplat.as_user(None).get(f"users/ada/keys/{key['id']}").json()
    assert [] == fakeplat.as_user("ada").get("users/eve/keys").json()
    assert resource_not_found("User") == refusal(fakeplat, "ada", "GET", "users/nobody/keys")
    assert NO_KEY == refusal(fakeplat, "ada", "GET", f"users/eve/keys/{key['id']}")


def test_a_key_belongs_to_one_user_or_project(fakeplat: Fakeplat) -> None:
    """Keys of users and deploy keys share their fingerprints."""
    add_key(fakeplat)
    fakeplat.as_user("mia").post("projects/acme%2Fsite/deploy_keys", json={"title": "x", "key": ED25519})

    for text in (RSA, f" {RSA} ", ED25519):
        assert TAKEN == refusal(fakeplat, "eve", "POST", "user/keys", json={"title": "x", "key": text})
    deploy_key = (400, {"message": {"deploy_key.fingerprint": ["has already been taken"]}})
    path = "projects/acme%2Fdocs/deploy_keys"
    assert deploy_key == refusal(fakeplat, "mia", "POST", path, json={"title": "x", "key": RSA})
    assert [] == fakeplat.as_user("eve").get("user/keys").json()


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"title": "x"}, invalid("key is missing")),
        ({"key": RSA}, invalid("title is missing")),
        ({}, invalid("key is missing, title is missing")),
        (
            {"title": "x", "key": "some key"},
            invalid_record(key=["is invalid", FORBIDDEN_TYPE], fingerprint=["cannot be generated"]),
        ),
        ({"title": "", "key": RSA}, invalid_record(title=["can't be blank"])),
        ({"title": "x", "key": RSA, "expires_at": "soon"}, invalid("expires_at is invalid")),
    ],
    ids=["no key", "no title", "nothing", "invalid key", "blank title", "invalid time"],
)
def test_invalid_keys_are_refused(fakeplat: Fakeplat, body: dict[str, Any], expected: Outcome) -> None:
    """Invalid keys are refused for the caller and for other users."""
    assert expected == refusal(fakeplat, "ada", "POST", "user/keys", json=body)
    path = f"users/{person(fakeplat, 'eve')}/keys"
    assert expected == refusal(fakeplat, "root", "POST", path, json=body)


def test_settings_restrict_kinds_and_sizes(fakeplat: Fakeplat) -> None:
    """A size is the least one in bits; -1 forbids the kind."""
    restrictions = {"rsa_key_restriction": 2048, "dsa_key_restriction": -1, "ecdsa_key_restriction": -1}
    assert 200 == fakeplat.as_user("root").put("application/settings", json=restrictions).status
    forbidden = invalid_record(key=["type is forbidden. Must be RSA or ED25519"])

    for text in (DSA, ECDSA):
        assert forbidden == refusal(fakeplat, "ada", "POST", "user/keys", json={"title": "x", "key": text})
    short = invalid_record(key=["must be at least 2048 bits"])
    assert short == refusal(fakeplat, "ada", "POST", "user/keys", json={"title": "x", "key": RSA})
    add_key(fakeplat, key=ED25519)


def test_administrators_manage_the_keys_of_others(fakeplat: Fakeplat) -> None:
    """Only administrators add and delete the keys of other users."""
    path = f"users/{person(fakeplat, 'eve')}/keys"
    body = {"title": "work", "key": ECDSA}

    assert FORBIDDEN == refusal(fakeplat, "eve", "POST", path, json=body)
    assert UNAUTHORIZED == refusal(fakeplat, None, "POST", path, json=body)
    key = fakeplat.as_user("root").post(path, json=body).json()
    assert [key] == fakeplat.as_user("eve").get("user/keys").json()
    assert FORBIDDEN == refusal(fakeplat, "eve", "DELETE", f"{path}/{key['id']}")
    assert STALE == refusal(fakeplat, "root", "DELETE", f"{path}/{key['id']}", headers=LONG_AGO)
    assert 204 == fakeplat.as_user("root").delete(f"{path}/{key['id']}").status
    assert NO_KEY == refusal(fakeplat, "root", "DELETE", f"{path}/{key['id']}")


def test_users_delete_their_own_keys(fakeplat: Fakeplat) -> None:
    """A key of somebody else is not found."""
    key = add_key(fakeplat)
    path = f"user/keys/{key['id']}"

    assert NO_KEY == refusal(fakeplat, "eve", "GET", path)
    assert NO_KEY == refusal(fakeplat, "eve", "DELETE", path)
    assert STALE == refusal(fakeplat, "ada", "DELETE", path, headers=LONG_AGO)
    assert 204 == fakeplat.as_user("ada").delete(path).status
    assert [] == fakeplat.as_user("ada").get("user/keys").json()


def test_a_key_is_looked_up_with_its_user(fakeplat: Fakeplat) -> None:
    """A key is found by id or fingerprint with its user."""
    key, root = add_key(fakeplat, key=ED25519), fakeplat.as_user("root")
    sha256 = "SHA256:" + fakeplat.bench.platform.view.ssh_keys[key["id"]].fingerprint_sha256
    md5 = fakeplat.bench.platform.view.ssh_keys[key["id"]].fingerprint
    by_id = root.get(f"keys/{key['id']}").json()

    assert key == {name: by_id[name] for name in key}
    assert ("ada", "ada@example.test") == (by_id["user"]["username"], by_id["user"]["email"])
    assert "is_admin" not in by_id["user"]
    for fingerprint in (md5, sha256, sha256.replace("SHA256", "sha256")):
        assert by_id == root.get("keys", params={"fingerprint": fingerprint}).json()


def test_a_deploy_key_is_found_with_its_projects(fakeplat: Fakeplat) -> None:
    """A deploy key is found by fingerprint with its projects and user."""
    mia = fakeplat.as_user("mia")
    key = mia.post("projects/acme%2Fsite/deploy_keys", json={"title": "x", "key": RSA}).json()
    mia.post("projects/acme%2Fdocs/deploy_keys", json={"title": "x", "key": RSA, "can_push": True})
    fingerprint = fakeplat.bench.platform.view.deploy_keys[key["id"]].fingerprint
    key_view = fakeplat.as_user("root").get("keys", params={"fingerprint": fingerprint}).json()

    assert (key["id"], "mia") == (key_view["id"], key_view["user"]["username"])
    assert [False, True] == names(key_view["deploy_keys_projects"], "can_push")
    assert [key["id"], key["id"]] == names(key_view["deploy_keys_projects"], "deploy_key_id")


@pytest.mark.fakeplat(version="latest")
def test_a_deploy_key_is_found_with_what_keys_have_today(fakeplat: Fakeplat) -> None:
    """A deploy key is found with its use, as the keys of users are."""
    key = fakeplat.as_user("mia").post("projects/acme%2Fsite/deploy_keys", json={"title": "x", "key": RSA}).json()
    fingerprint = f"SHA256:{fakeplat.bench.platform.view.deploy_keys[key['id']].fingerprint_sha256}"
    shown = fakeplat.as_user("root").get("keys", params={"fingerprint": fingerprint}).json()
    assert (key["id"], None, "auth_and_signing") == (shown["id"], shown["last_used_at"], shown["usage_type"])


@by_release(DEPLOY_KEYS_ARE_FOUND_WHOLE, "comment", {"13.10": "Mia Example (127.0.0.1)", "13.11": "user@host"})
def test_a_deploy_key_is_found_as_it_was_given(fakeplat: Fakeplat, comment: str) -> None:
    """A fingerprint finds the text of a deploy key as it was given; the first release known to do so is 13.11."""
    text = " ".join(RSA.split()[:2])
    mia = fakeplat.as_user("mia")
    key = mia.post("projects/acme%2Fsite/deploy_keys", json={"title": "x", "key": f"{text} user@host"}).json()
    fingerprint = fakeplat.bench.platform.view.deploy_keys[key["id"]].fingerprint
    shown = fakeplat.as_user("root").get("keys", params={"fingerprint": fingerprint}).json()

    assert f"{text} {comment}" == shown["key"]
    assert f"{text} Mia Example (127.0.0.1)" == fakeplat.as_user("root").get(f"keys/{key['id']}").json()["key"]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("keys/0", (404, {"message": "404 Not found"})),
        ("keys/x", (404, {"message": "404 Not found"})),
        ("keys", invalid("fingerprint is missing")),
        (f"keys?fingerprint={MD5}", NO_KEY),
        ("keys?fingerprint=SHA256:nUhzNyftwADy8AH3wFY31tAKs7HufskYTte2aXo1lCg", NO_KEY),
        ("keys?fingerprint=x", (400, {"message": "Failed to return the key"})),
        ("keys?fingerprint=SHA256:x", (400, {"message": "Failed to return the key"})),
    ],
    ids=["no id", "no number", "no fingerprint", "unknown md5", "unknown sha256", "invalid", "invalid sha256"],
)
def test_unknown_keys_are_not_found(fakeplat: Fakeplat, path: str, expected: Outcome) -> None:
    """The text of the answer depends on how they were looked up."""
    assert expected == refusal(fakeplat, "root", "GET", path)


def test_only_administrators_look_keys_up(fakeplat: Fakeplat) -> None:
    """Only administrators find keys by id or fingerprint."""
    for path in ("keys/1", f"keys?fingerprint={MD5}"):
        assert FORBIDDEN == refusal(fakeplat, "ada", "GET", path)
        assert UNAUTHORIZED == refusal(fakeplat, None, "GET", path)


def test_the_keys_of_a_user_have_a_page(fakeplat: Fakeplat) -> None:
    """The page of a user's keys has one key a line."""
    key = add_key(fakeplat)["key"]
    page = fakeplat.as_user(None).get(f"{fakeplat.url}/ada.keys")

    assert (200, key) == (page.status, page.text)
    assert "" == fakeplat.as_user(None).get(f"{fakeplat.url}/eve.gpg").text


def test_keys_survive_an_export(fakeplat: Fakeplat) -> None:
    """Keys are exported with their titles and times."""
    fakeplat.load({"users": [{"username": "eve", "keys": [{"title": "old", "key": DSA, "expires_at": None}]}]})
    (key,) = fakeplat.as_user("eve").get("user/keys").json()

    assert ("old", None) == (key["title"], key["expires_at"])
