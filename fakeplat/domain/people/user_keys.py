"""SSH keys of users. Source: docs/platform/users.md."""

from collections.abc import Sequence
from typing import TypedDict, Unpack

from fakeplat.core.operations.errors import NotFound
from fakeplat.core.ssh_keys import normalize_public_key, parse_public_key
from fakeplat.domain import signals
from fakeplat.domain.people import ssh_keys
from fakeplat.domain.validation import TAKEN, ValidationErrors
from fakeplat.model.people import KeyUsage, SshKey, User
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext


def list_keys(world: World, user: User) -> Sequence[SshKey]:
    """Return the SSH keys of a user."""
    return world.ssh_keys.where("user", user.id)


def require_key(world: World, user: User, key_id: int) -> SshKey:
    """Return an SSH key of a user, or refuse with 404."""
    key = world.ssh_keys.get(key_id)
    if key is None or key.user_id != user.id:
        raise NotFound("Key", reason=lambda: f"{user.username} has no SSH key {key_id}")
    return key


class SshKeyFields(TypedDict, total=False):
    """Further fields of a new SSH key."""

    created_at: str
    updated_at: str
    expires_at: str | None
    usage_type: KeyUsage


def create(ctx: WriteContext, user: User, *, title: str, text: str, **fields: Unpack[SshKeyFields]) -> SshKey:
    """Add an SSH key to a user; 400 for an invalid one, or one that a user or project has already."""
    text = normalize_public_key(text.strip())
    public_key = parse_public_key(text)
    errors = ValidationErrors()
    ssh_keys.add_title_errors(errors, title)
    ssh_keys.add_key_errors(errors, ctx.world, text, public_key)
    errors.when(public_key and ssh_keys.is_taken(ctx.world, public_key), "fingerprint", TAKEN)
    errors.refuse()
    fingerprints = (public_key.fingerprint, public_key.fingerprint_sha256) if public_key else ("", "")
    values: SshKeyFields = {"created_at": ctx.now_iso, "updated_at": ctx.now_iso, **fields}
    table = ctx.world.ssh_keys
    key = table.add(SshKey(table.next_id(), user.id, title, text, *fingerprints, **values))
    signals.post_create.send(ctx, key)
    return key
