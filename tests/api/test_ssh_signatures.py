"""Signatures of commits that SSH keys made. Source: lib/gitlab/ssh/signature.rb, lib/api/entities/ssh_signature.rb."""

from pathlib import Path
from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import SSH_SIGNATURES_ARE_CHECKED
from tests.api.histories import set_repository
from tests.by_release import by_release
from tests.git.command import Git
from tests.graphql.queries import query_project
from tests.ssh_signatures import KEYS, OF_A_FILE, SIGNATURES, signed_commit

pytestmark = pytest.mark.fakeplat(version="latest")
SIGNATURE = "projects/acme%2Fsite/repository/commits/master/signature"
BROKEN = "-----BEGIN SSH SIGNATURE-----\nAAAA\n-----END SSH SIGNATURE-----"


def sign_branch(fake: Fakeplat, folder: Path, content: bytes) -> None:
    """Let the branch master of acme/site be one commit."""
    git = Git(folder / "signed")
    git("hash-object", "-t", "tree", "-w", "--stdin", stdin=b"")
    sha = git("hash-object", "-t", "commit", "-w", "--stdin", stdin=content).strip()
    git("update-ref", "refs/heads/master", sha)
    set_repository(fake, git)


def add_key(fake: Fakeplat, user: str = "ada", kind: str = "ed25519", **values: str) -> dict[str, Any]:
    reply = fake.as_user(user).post("user/keys", json={"title": "Work", "key": KEYS[kind], **values})
    assert 201 == reply.status, reply.text
    return dict(reply.json())


def get_signature(fake: Fakeplat) -> dict[str, Any]:
    return dict(fake.as_user("ada").get(SIGNATURE).json())


@pytest.mark.parametrize("kind", KEYS)
def test_the_signature_of_an_own_key_is_verified(fakeplat: Fakeplat, tmp_path: Path, kind: str) -> None:
    """A commit that a user signed with an SSH key, and committed under a confirmed address, is verified."""
    key = add_key(fakeplat, kind=kind)
    sign_branch(fakeplat, tmp_path, signed_commit(SIGNATURES[kind]))

    signature = get_signature(fakeplat)
    assert {"signature_type", "verification_status", "key", "commit_source"} == signature.keys()
    assert ("SSH", "verified", "gitaly") == (
        signature["signature_type"],
        signature["verification_status"],
        signature["commit_source"],
    )
    assert (key["id"], key["title"], key["key"]) == tuple(signature["key"][name] for name in ("id", "title", "key"))


def test_an_unknown_key_has_no_owner(fakeplat: Fakeplat, tmp_path: Path) -> None:
    """The signature of a key that nobody has shows no key, until somebody adds it."""
    sign_branch(fakeplat, tmp_path, signed_commit(SIGNATURES["ed25519"]))

    expected = {
        "signature_type": "SSH",
        "verification_status": "unknown_key",
        "key": None,
        "commit_source": "gitaly",
    }
    assert expected == get_signature(fakeplat)
    add_key(fakeplat, usage_type="auth")
    assert expected == get_signature(fakeplat)


def test_the_key_of_somebody_else_verifies_nothing(fakeplat: Fakeplat, tmp_path: Path) -> None:
    """A commit under the address of another user than the owner of the key is that of another user."""
    key = add_key(fakeplat, "eve")
    sign_branch(fakeplat, tmp_path, signed_commit(SIGNATURES["ed25519"]))

    signature = get_signature(fakeplat)
    assert ("other_user", key["id"]) == (signature["verification_status"], signature["key"]["id"])


@pytest.mark.parametrize(
    "content",
    [signed_commit(SIGNATURES["ed25519"], "Other\n"), signed_commit(OF_A_FILE), signed_commit(BROKEN)],
    ids=["other content", "other purpose", "unreadable"],
)
def test_a_wrong_signature_is_unverified(fakeplat: Fakeplat, tmp_path: Path, content: bytes) -> None:
    """A signature of other content, for another purpose, or one that cannot be read is unverified."""
    add_key(fakeplat)
    sign_branch(fakeplat, tmp_path, content)

    assert "unverified" == get_signature(fakeplat)["verification_status"]


@by_release(SSH_SIGNATURES_ARE_CHECKED, "status", {"15.6": 404, "15.7": 200})
def test_ssh_signatures_are_checked_later(fakeplat: Fakeplat, tmp_path: Path, status: int) -> None:
    """Before 15.7 a commit that is signed with an SSH key counts as one without a signature."""
    sign_branch(fakeplat, tmp_path, signed_commit(SIGNATURES["ed25519"]))

    assert status == fakeplat.as_user("ada").get(SIGNATURE).status


def test_graphql_shows_the_signature(fakeplat: Fakeplat, tmp_path: Path) -> None:
    """GraphQL shows the status of a signature, its key and the user; a commit without one has none."""
    selection = """repository { tree(ref: "master") { lastCommit { sha signature {
        __typename verificationStatus commitSha project { fullPath }
        ... on SshSignature { user { username } key { title key } keyFingerprintSha256 } } } } }"""
    key = add_key(fakeplat)
    unsigned = query_project(fakeplat, "ada", selection.replace('ref: "master"', 'ref: "HEAD"'))
    assert None is unsigned["repository"]["tree"]["lastCommit"]["signature"]
    sign_branch(fakeplat, tmp_path, signed_commit(SIGNATURES["ed25519"]))

    commit = query_project(fakeplat, "ada", selection)["repository"]["tree"]["lastCommit"]
    signature = commit["signature"]
    assert 43 == len(signature.pop("keyFingerprintSha256"))
    assert {
        "__typename": "SshSignature",
        "verificationStatus": "VERIFIED",
        "commitSha": commit["sha"],
        "project": {"fullPath": "acme/site"},
        "user": {"username": "ada"},
        "key": {"title": "Work", "key": key["key"]},
    } == signature
