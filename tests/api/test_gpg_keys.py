"""GPG keys of users, and the signatures of commits. Sources: docs/platform/users.md, docs/platform/commits.md."""

import sys
from pathlib import Path
from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.histories import set_repository
from tests.api.marks import STARTER_AT_NINE
from tests.api.requests import (
    FORBIDDEN,
    LONG_AGO,
    STALE,
    UNAUTHORIZED,
    Outcome,
    invalid,
    invalid_record,
    person,
    refusal,
    resource_not_found,
)
from tests.git.command import Git
from tests.gpg_keys import BY_KEY, BY_SUBKEY, FINGERPRINT, GPG_KEY, SUBKEY, signed_commit

pytestmark = STARTER_AT_NINE
NO_KEY = resource_not_found("GPG Key")
BEGIN, END = "-----BEGIN PGP PUBLIC KEY BLOCK-----", "-----END PGP PUBLIC KEY BLOCK-----"
INVALID = f"is invalid. A valid public GPG key begins with '{BEGIN}' and ends with '{END}'"
SIGNATURE = "projects/acme%2Fsite/repository/commits/master/signature"


def add_key(fake: Fakeplat, user: str = "ada") -> dict[str, Any]:
    """Add the key to a user's account."""
    reply = fake.as_user(user).post("user/gpg_keys", json={"key": f"  {GPG_KEY}\n"})
    assert 201 == reply.status
    return dict(reply.json())


def test_a_gpg_key_is_stored_as_it_is(fakeplat: Fakeplat) -> None:
    """A GPG key is stored as sent without surrounding white space and is public."""
    key = add_key(fakeplat)
    path = f"users/{person(fakeplat, 'ada')}/gpg_keys"

    assert {"id": key["id"], "key": GPG_KEY, "created_at": "2020-11-20T09:00:00.000Z"} == key
    assert [key] == fakeplat.as_user("ada").get("user/gpg_keys").json()
    assert key == fakeplat.as_user("ada").get(f"user/gpg_keys/{key['id']}").json()
    assert [key] == fakeplat.as_user(None).get(path).json()
    assert key == fakeplat.as_user(None).get(f"{path}/{key['id']}").json()
    assert key["key"] == fakeplat.as_user(None).get(f"{fakeplat.url}/ada.gpg").text


def test_fingerprints_and_user_ids_are_read(fakeplat: Fakeplat) -> None:
    """The fingerprints of a GPG key and its subkeys end in their key ids."""
    key = add_key(fakeplat)
    record = fakeplat.bench.platform.view.gpg_keys[key["id"]]

    assert (FINGERPRINT, "A6DB23E54CCF3277") == (record.fingerprint, record.primary_keyid)
    assert [(SUBKEY, "9D5C02F21CC0B700")] == [(subkey.fingerprint, subkey.keyid) for subkey in record.subkeys]
    assert {"Ada Example": "ada@example.test", "Ada at work": "ada@work.test"} == dict(
        zip(record.names, record.emails, strict=True)
    )


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({}, invalid("key is missing")),
        ({"key": "x"}, invalid_record(key=[INVALID])),
        ({"key": ""}, invalid_record(key=["can't be blank", INVALID])),
        ({"key": f"{BEGIN}\nkey"}, invalid_record(key=[INVALID])),
        ({"key": f"{BEGIN}\na\n{BEGIN}\nb\n{END}"}, invalid_record(key=[INVALID])),
        (
            {"key": f"{BEGIN}\nkey\n{END}"},
            invalid_record(fingerprint=["can't be blank"], primary_keyid=["can't be blank"]),
        ),
    ],
    ids=["missing", "text", "empty", "no end", "two", "unreadable"],
)
def test_invalid_gpg_keys_are_refused(fakeplat: Fakeplat, body: dict[str, Any], expected: Outcome) -> None:
    """GPG keys are validated by their form before their content."""
    assert expected == refusal(fakeplat, "ada", "POST", "user/gpg_keys", json=body)
    path = f"users/{person(fakeplat, 'eve')}/gpg_keys"
    assert expected == refusal(fakeplat, "root", "POST", path, json=body)


def test_a_gpg_key_belongs_to_one_user(fakeplat: Fakeplat) -> None:
    """A GPG key in use is refused by its text or, in another armor, by its fingerprint."""
    add_key(fakeplat)
    other = GPG_KEY.replace(f"{BEGIN}\n", f"{BEGIN}\nComment: mine\n")

    taken = ["has already been taken"]
    assert invalid_record(key=taken) == refusal(fakeplat, "eve", "POST", "user/gpg_keys", json={"key": GPG_KEY})
    expected = invalid_record(fingerprint=taken, primary_keyid=taken)
    assert expected == refusal(fakeplat, "eve", "POST", "user/gpg_keys", json={"key": other})
    assert [] == fakeplat.as_user("eve").get("user/gpg_keys").json()


def test_administrators_manage_the_gpg_keys_of_others(fakeplat: Fakeplat) -> None:
    """Only administrators add, delete and revoke the GPG keys of other users."""
    path = f"users/{person(fakeplat, 'ada')}/gpg_keys"
    body = {"key": GPG_KEY}

    assert FORBIDDEN == refusal(fakeplat, "ada", "POST", path, json=body)
    assert UNAUTHORIZED == refusal(fakeplat, None, "POST", path, json=body)
    key = fakeplat.as_user("root").post(path, json=body).json()
    key_path = f"{path}/{key['id']}"
    for method, target in (("DELETE", key_path), ("POST", f"{key_path}/revoke")):
        assert FORBIDDEN == refusal(fakeplat, "ada", method, target)
    assert STALE == refusal(fakeplat, "root", "DELETE", key_path, headers=LONG_AGO)
    assert 204 == fakeplat.as_user("root").delete(key_path).status
    for method, target in (("GET", key_path), ("DELETE", key_path), ("POST", f"{key_path}/revoke")):
        assert NO_KEY == refusal(fakeplat, "root", method, target)


def test_a_revoked_key_is_gone(fakeplat: Fakeplat) -> None:
    """Revoking a GPG key answers 202, and the key is not found afterwards."""
    path = f"user/gpg_keys/{add_key(fakeplat)['id']}"

    assert NO_KEY == refusal(fakeplat, "eve", "POST", f"{path}/revoke")
    assert 202 == fakeplat.as_user("ada").post(f"{path}/revoke").status
    assert NO_KEY == refusal(fakeplat, "ada", "GET", path)
    assert NO_KEY == refusal(fakeplat, "ada", "DELETE", path)
    again = add_key(fakeplat)["id"]
    assert 202 == fakeplat.as_user("root").post(f"users/{person(fakeplat, 'ada')}/gpg_keys/{again}/revoke").status


def test_users_delete_their_own_gpg_keys(fakeplat: Fakeplat) -> None:
    """A key of somebody else is not found."""
    path = f"user/gpg_keys/{add_key(fakeplat)['id']}"

    assert NO_KEY == refusal(fakeplat, "eve", "DELETE", path)
    assert 204 == fakeplat.as_user("ada").delete(path).status
    assert [] == fakeplat.as_user("ada").get("user/gpg_keys").json()


def sign_branch(fake: Fakeplat, folder: Path, content: bytes) -> None:
    """Let the branch master of acme/site be one commit."""
    git = Git(folder / "signed")
    git("hash-object", "-t", "tree", "-w", "--stdin", stdin=b"")
    sha = git("hash-object", "-t", "commit", "-w", "--stdin", stdin=content).strip()
    git("update-ref", "refs/heads/master", sha)
    set_repository(fake, git)


def get_signature(fake: Fakeplat) -> dict[str, Any]:
    """The signature of the branch master of acme/site."""
    return dict(fake.as_user("ada").get(SIGNATURE).json())


def test_the_signature_of_an_own_key_is_verified(fakeplat: Fakeplat, tmp_path: Path) -> None:
    """A signature is verified if the key has a confirmed address of the committer."""
    key = add_key(fakeplat)
    sign_branch(fakeplat, tmp_path, signed_commit(BY_KEY))

    assert {
        "signature_type": "PGP",
        "gpg_key_id": key["id"],
        "gpg_key_primary_keyid": "A6DB23E54CCF3277",
        "gpg_key_user_name": "Ada Example",
        "gpg_key_user_email": "ada@example.test",
        "verification_status": "verified",
        "gpg_key_subkey_id": None,
    } == get_signature(fakeplat)


def test_a_subkey_signs_for_its_key(fakeplat: Fakeplat, tmp_path: Path) -> None:
    """The answer has the subkey's id, not the key's."""
    key = add_key(fakeplat)
    sign_branch(fakeplat, tmp_path, signed_commit(BY_SUBKEY))
    (subkey,) = fakeplat.bench.platform.view.gpg_keys[key["id"]].subkeys
    shown_signature = get_signature(fakeplat)

    assert "verified" == shown_signature["verification_status"]
    assert (None, subkey.id) == (shown_signature["gpg_key_id"], shown_signature["gpg_key_subkey_id"])
    assert "9D5C02F21CC0B700" == shown_signature["gpg_key_primary_keyid"]


def test_the_signature_of_an_unknown_key_names_it(fakeplat: Fakeplat, tmp_path: Path) -> None:
    """A signature by an unknown or revoked key shows the key's id."""
    sign_branch(fakeplat, tmp_path, signed_commit(BY_KEY))
    unknown = {
        "signature_type": "PGP",
        "gpg_key_id": None,
        "gpg_key_primary_keyid": "A6DB23E54CCF3277",
        "gpg_key_user_name": None,
        "gpg_key_user_email": None,
        "verification_status": "unknown_key",
        "gpg_key_subkey_id": None,
    }

    assert unknown == get_signature(fakeplat)
    key = add_key(fakeplat)
    assert "verified" == get_signature(fakeplat)["verification_status"]
    fakeplat.as_user("ada").post(f"user/gpg_keys/{key['id']}/revoke")
    assert unknown == get_signature(fakeplat)


def test_a_key_without_a_confirmed_address_verifies_nothing(fakeplat: Fakeplat, tmp_path: Path) -> None:
    """A further address counts once it is confirmed; then the committer's address decides."""
    add_key(fakeplat, "eve")
    sign_branch(fakeplat, tmp_path, signed_commit(BY_KEY))

    assert "unverified_key" == get_signature(fakeplat)["verification_status"]
    path = f"users/{person(fakeplat, 'eve')}/emails"
    fakeplat.as_user("root").post(path, json={"email": "ada@work.test", "skip_confirmation": True})
    shown_signature = get_signature(fakeplat)
    assert ("other_user", "Ada at work") == (
        shown_signature["verification_status"],
        shown_signature["gpg_key_user_name"],
    )


def test_a_commit_that_was_changed_is_unverified(fakeplat: Fakeplat, tmp_path: Path) -> None:
    """The signature is one of other content."""
    add_key(fakeplat)
    sign_branch(fakeplat, tmp_path, signed_commit(BY_KEY, "Forged\n"))

    assert "unverified" == get_signature(fakeplat)["verification_status"]


def test_commits_without_a_signature_have_none(fakeplat: Fakeplat) -> None:
    """The signature of an unsigned commit answers 404 with its own text."""
    assert resource_not_found("Signature") == refusal(fakeplat, "ada", "GET", SIGNATURE)
    unknown = SIGNATURE.replace("master", "unknown")
    assert resource_not_found("Commit") == refusal(fakeplat, "ada", "GET", unknown)


def test_without_the_extra_signatures_are_not_judged(
    fakeplat: Fakeplat, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Without pysequoia new keys and signatures of commits get 501, which names the extra, like the journal."""
    explanation = "GPG keys and signatures need an extra: pip install 'fakeplat[signatures]'"
    expected = (501, {"message": f"501 Not Implemented: {explanation}"})
    unsigned = refusal(fakeplat, "ada", "GET", SIGNATURE)
    monkeypatch.setitem(sys.modules, "pysequoia", None)

    assert unsigned == refusal(fakeplat, "ada", "GET", SIGNATURE)
    path = f"users/{person(fakeplat, 'eve')}/gpg_keys"
    assert expected == refusal(fakeplat, "ada", "POST", "user/gpg_keys", json={"key": GPG_KEY})
    assert expected == refusal(fakeplat, "root", "POST", path, json={"key": GPG_KEY})
    assert invalid_record(key=[INVALID]) == refusal(fakeplat, "ada", "POST", "user/gpg_keys", json={"key": "x"})
    sign_branch(fakeplat, tmp_path, signed_commit(BY_KEY))
    assert expected == refusal(fakeplat, "ada", "GET", SIGNATURE)
    assert explanation == fakeplat.requests[-1].reason
