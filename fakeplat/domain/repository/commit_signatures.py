"""GPG and SSH signatures of commits, checked with the keys of users. Source: docs/platform/commits.md.

A signature is checked whenever it is read, so it follows the keys and e-mail addresses of users.
"""

from typing import Final, Literal, NamedTuple

from fakeplat.core import ssh_signatures
from fakeplat.core.openpgp import is_valid_signature, read_issuer
from fakeplat.domain.people import gpg_keys
from fakeplat.domain.people.users import find_by_any_email, list_confirmed_emails
from fakeplat.domain.repository import repositories
from fakeplat.domain.repository.commits import ProjectCommit
from fakeplat.model.people import GpgKey, SshKey
from fakeplat.model.world import World
from fakeplat.policy.behaviours import SSH_SIGNATURES_ARE_CHECKED
from fakeplat.policy.context import ReadContext

Status = Literal["verified", "unverified", "unknown_key", "unverified_key", "same_user_different_email", "other_user"]
_HEADER: Final = b"gpgsig "
_GPG: Final = b"-----BEGIN PGP"
_NAMESPACE: Final = b"git"
"""The purpose for which git signs with SSH keys."""


class CommitSignature(NamedTuple):
    """The signature of a commit, and the key that made it: a user's, one of its subkeys, or an unknown one.

    ``ssh_key`` is that of a signature with an SSH key (``type``), which has nothing of the others.
    """

    status: Status
    keyid: str = ""
    key_id: int | None = None
    subkey_id: int | None = None
    user_name: str | None = None
    user_email: str | None = None
    type: Literal["PGP", "SSH"] = "PGP"
    ssh_key: SshKey | None = None
    fingerprint_sha256: str | None = None


def split_signature(content: bytes) -> tuple[bytes, bytes] | None:
    """Return the signature in the content of a commit, and the content that was signed; None without a signature."""
    headers, separator, message = content.partition(b"\n\n")
    lines = headers.split(b"\n")
    start = next((index for index, line in enumerate(lines) if line.startswith(_HEADER)), None)
    if start is None:
        return None
    end = start + 1
    # Further lines of a header start with a blank.
    while end < len(lines) and lines[end].startswith(b" "):
        end += 1
    signature = b"\n".join([lines[start].removeprefix(_HEADER), *(line[1:] for line in lines[start + 1 : end])])
    return signature, b"\n".join([*lines[:start], *lines[end:]]) + separator + message


def find_signature(ctx: ReadContext, commit: ProjectCommit) -> CommitSignature | None:
    """Return the GPG or SSH signature of a commit, or None."""
    world = ctx.world
    objects = repositories.open_repository(world, commit.project).objects
    parts = split_signature(objects.get(commit.commit.sha).content)
    if parts is not None and parts[0].startswith(ssh_signatures.BEGIN):
        is_checked = ctx.profile.has(SSH_SIGNATURES_ARE_CHECKED)
        return _check_ssh(world, *parts, commit.commit.committer.email) if is_checked else None
    keyid = read_issuer(parts[0]) if parts is not None and parts[0].startswith(_GPG) else None
    if parts is None or keyid is None:
        return None
    key = gpg_keys.find_by_keyid(world, keyid)
    if key is None:
        return CommitSignature("unknown_key", keyid)
    is_valid = is_valid_signature(*parts, key.key)
    return _describe(world, key, keyid, _status(world, key, commit.commit.committer.email, is_valid=is_valid))


def _status(world: World, key: GpgKey, committer: str, *, is_valid: bool) -> Status:
    verified = gpg_keys.list_verified_emails(world, key)
    if not verified:
        return "unverified_key"
    if not is_valid:
        return "unverified"
    if committer.lower() in verified:
        return "verified"
    own = list_confirmed_emails(world, world.users[key.user_id])
    return "same_user_different_email" if committer.lower() in own else "other_user"


def _check_ssh(world: World, armor: bytes, content: bytes, committer: str) -> CommitSignature:
    signature = ssh_signatures.parse_signature(armor)
    if signature is None or signature.namespace != _NAMESPACE or not committer:
        return CommitSignature("unverified", type="SSH")
    key = next(
        (
            key
            for key in world.ssh_keys.all()
            if key.fingerprint_sha256 == signature.fingerprint_sha256 and key.usage_type != "auth"
        ),
        None,
    )
    is_valid = ssh_signatures.is_valid_signature(signature, content)
    status = _ssh_status(world, key, committer) if is_valid else "unverified"
    return CommitSignature(status, type="SSH", ssh_key=key, fingerprint_sha256=signature.fingerprint_sha256)


def _ssh_status(world: World, key: SshKey | None, committer: str) -> Status:
    if key is None:
        return "unknown_key"
    owner = find_by_any_email(world, committer)
    if owner is None or owner.id != key.user_id:
        return "other_user"
    return "verified" if committer.lower() in list_confirmed_emails(world, owner) else "unverified"


def _describe(world: World, key: GpgKey, keyid: str, status: Status) -> CommitSignature:
    subkey_id = next((subkey.id for subkey in key.subkeys if subkey.keyid == keyid), None)
    verified = gpg_keys.list_verified_emails(world, key)
    # The first verified user id of the key, otherwise the first one.
    index = key.emails.index(verified[0]) if verified else 0
    has_user_id = bool(key.emails)
    return CommitSignature(
        status,
        keyid,
        key_id=key.id if subkey_id is None else None,
        subkey_id=subkey_id,
        user_name=key.names[index] if has_user_id else None,
        user_email=key.emails[index] if has_user_id else None,
    )
