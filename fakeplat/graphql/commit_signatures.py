"""Signatures of commits. Source: docs/platform/commits.md."""

from typing import Final, get_args

from fakeplat.core.store.frozen import frozen
from fakeplat.domain.repository import commit_signatures
from fakeplat.domain.repository.commit_signatures import CommitSignature, Status
from fakeplat.domain.repository.commits import ProjectCommit
from fakeplat.entities.people.accounts import SshKeyView
from fakeplat.graphql.repository import COMMIT
from fakeplat.graphql.schema_builder import Enumeration, Interface, Type
from fakeplat.model.people import SshKey, User
from fakeplat.model.projects import Project
from fakeplat.policy.context import ReadContext

_SINCE: Final = "<=15.8"
_TYPES: Final = {"PGP": "GpgSignature", "SSH": "SshSignature"}


@frozen
class Signed:
    """A commit with its signature."""

    commit: ProjectCommit
    signature: CommitSignature


def _type_of(signed: Signed) -> str:
    return _TYPES[signed.signature.type]


Enumeration(
    "VerificationStatus",
    "What the check of a signature found.",
    {status.upper(): (status, f"{status.replace('_', ' ').capitalize()}.") for status in get_args(Status)},
    since=_SINCE,
)
Interface(
    "CommitSignature",
    "The signature of a commit.",
    {
        "verificationStatus: VerificationStatus": "What the check found.",
        "commitSha: String": "The SHA of the commit.",
        "project: Project": "The project of the commit.",
    },
    since=_SINCE,
    type_of=_type_of,
)
GPG: Final = Type("GpgSignature", "A signature by a GPG key.", implements=("CommitSignature",), since=_SINCE)
SSH: Final = Type("SshSignature", "A signature by an SSH key.", implements=("CommitSignature",), since=_SINCE)
KEY: Final = Type("Key", "An SSH key of a user.", gid="Key", since=_SINCE)
KEY.attributes(
    {
        "title: String!": "The title.",
        "createdAt: Time!": "Timestamp of creation.",
        "expiresAt: Time": "When it expires.",
    }
)


@KEY.field("name: String", since="<=18.9")
def key_name(_ctx: ReadContext, key: SshKey) -> str:
    """The title."""
    return key.title


@KEY.field("key: String!")
def key_text(ctx: ReadContext, key: SshKey) -> str:
    """The public key."""
    return str(SshKeyView(key, ctx).key())


@COMMIT.field("signature: CommitSignature", since=_SINCE)
def signature_of(ctx: ReadContext, commit: ProjectCommit) -> Signed | None:
    """The signature, if the commit has one that can be checked."""
    signature = commit_signatures.find_signature(ctx, commit)
    return None if signature is None else Signed(commit, signature)


@GPG.field("verificationStatus: VerificationStatus")
@SSH.field("verificationStatus: VerificationStatus")
def verification_status(_ctx: ReadContext, signed: Signed) -> str:
    """What the check found."""
    return signed.signature.status


@GPG.field("commitSha: String")
@SSH.field("commitSha: String")
def commit_sha(_ctx: ReadContext, signed: Signed) -> str:
    """The SHA of the commit."""
    return signed.commit.commit.sha


@GPG.field("project: Project")
@SSH.field("project: Project")
def project_of(_ctx: ReadContext, signed: Signed) -> Project:
    """The project of the commit."""
    return signed.commit.project


@GPG.field("gpgKeyUserName: String")
def gpg_key_user_name(_ctx: ReadContext, signed: Signed) -> str | None:
    """The name in the key."""
    return signed.signature.user_name


@GPG.field("gpgKeyUserEmail: String")
def gpg_key_user_email(_ctx: ReadContext, signed: Signed) -> str | None:
    """The e-mail address in the key."""
    return signed.signature.user_email


@GPG.field("gpgKeyPrimaryKeyid: String")
def gpg_key_primary_keyid(_ctx: ReadContext, signed: Signed) -> str:
    """The ID of the key."""
    return signed.signature.keyid


@GPG.field("user: User")
def gpg_user(ctx: ReadContext, signed: Signed) -> User | None:
    """The owner of the key."""
    key = ctx.world.gpg_keys.get(signed.signature.key_id or 0)
    return None if key is None else ctx.world.users[key.user_id]


@SSH.field("user: User")
def ssh_user(ctx: ReadContext, signed: Signed) -> User | None:
    """The owner of the key."""
    key = signed.signature.ssh_key
    return None if key is None else ctx.world.users[key.user_id]


@SSH.field("key: Key")
def ssh_key(_ctx: ReadContext, signed: Signed) -> SshKey | None:
    """The key, if somebody has it."""
    return signed.signature.ssh_key


@SSH.field("keyFingerprintSha256: String")
def key_fingerprint(_ctx: ReadContext, signed: Signed) -> str | None:
    """The fingerprint of the key."""
    return signed.signature.fingerprint_sha256
