"""SSH keys of users, and the search for keys by id and fingerprint. Source: docs/platform/users.md."""

from collections.abc import Sequence
from typing import Annotated, Final

from fakeplat.api.scopes import USER, VISIBLE_USER
from fakeplat.core.operations.errors import NotFound, RecordNotFound
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import Moment, Params
from fakeplat.core.release import Lifetime
from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.domain.people import ssh_keys, user_keys
from fakeplat.domain.purging import purge
from fakeplat.entities.people.accounts import FoundKey, KeyWithUser, SshKeyView
from fakeplat.model.people import KeyUsage, SshKey, User
from fakeplat.model.projects import DeployKey
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Keys", login=Login.WRITES, scopes=("read_user",))
lookup_area: Final = Area("Keys", login=Login.ALWAYS)
PATH: Final = "keys/:key_id"


class CreateKey(Params):
    """A new SSH key."""

    key: str
    title: str
    expires_at: Moment | None = None
    usage_type: Annotated[KeyUsage, Lifetime(since="15.7")] = "auth_and_signing"


def _create(ctx: WriteContext, user: User, p: CreateKey) -> SshKey:
    return user_keys.create(ctx, user, title=p.title, text=p.key, expires_at=p.expires_at, usage_type=p.usage_type)


def _delete(ctx: WriteContext, user: User, key_id: int) -> None:
    key = user_keys.require_key(ctx.world, user, key_id)
    ctx.check_unmodified_since(key.updated_at)
    purge(ctx, key)


@area.operation("GET", "user/keys", params=Paged, view=SshKeyView, many=True, login=Login.ALWAYS)
def list_current_user_keys(ctx: ReadContext) -> Sequence[SshKey]:
    """List the caller's SSH keys."""
    return user_keys.list_keys(ctx.world, ctx.signed_in_user)


@area.operation("GET", f"user/{PATH}", view=SshKeyView, login=Login.ALWAYS, refusals=(404,))
def get_current_user_key(ctx: ReadContext, key_id: int) -> SshKey:
    """Get an SSH key of the caller."""
    return user_keys.require_key(ctx.world, ctx.signed_in_user, key_id)


@area.operation("POST", "user/keys", params=CreateKey, view=SshKeyView, refusals=(400,))
def create_current_user_key(ctx: WriteContext, p: CreateKey) -> SshKey:
    """Add an SSH key to the caller's account."""
    return _create(ctx, ctx.signed_in_user, p)


@area.operation("DELETE", f"user/{PATH}", refusals=(404, 412))
def delete_current_user_key(ctx: WriteContext, key_id: int) -> None:
    """Delete an SSH key of the caller."""
    _delete(ctx, ctx.signed_in_user, key_id)


@area.operation("GET", "keys", scope=VISIBLE_USER, params=Paged, view=SshKeyView, many=True)
def list_user_keys(ctx: ReadContext, user: User) -> Sequence[SshKey]:
    """List the SSH keys of a user."""
    return user_keys.list_keys(ctx.world, user)


@area.operation("GET", PATH, scope=VISIBLE_USER, view=SshKeyView, refusals=(404,))
def get_user_key(ctx: ReadContext, user: User, key_id: int) -> SshKey:
    """Get an SSH key of a user."""
    return user_keys.require_key(ctx.world, user, key_id)


@area.operation(
    "POST", "keys", scope=USER, params=CreateKey, view=SshKeyView, ability=Ability.ADMIN_USERS, refusals=(400,)
)
def create_user_key(ctx: WriteContext, user: User, p: CreateKey) -> SshKey:
    """Add an SSH key to the account of a user. Administrators only."""
    return _create(ctx, user, p)


@area.operation("DELETE", PATH, scope=USER, ability=Ability.ADMIN_USERS, refusals=(404, 412))
def delete_user_key(ctx: WriteContext, user: User, key_id: int) -> None:
    """Delete an SSH key of a user. Administrators only."""
    _delete(ctx, user, key_id)


@lookup_area.operation("GET", PATH, ability=Ability.ADMIN_USERS, view=KeyWithUser, refusals=(404,))
def get_key(ctx: ReadContext, key_id: str) -> SshKey | DeployKey:
    """Get an SSH key of any user, or a deploy key. Administrators only."""
    number = parse_number(key_id) or 0
    key = ctx.world.ssh_keys.get(number) or ctx.world.deploy_keys.get(number)
    if key is None:
        raise RecordNotFound(reason=f"there is no SSH key {key_id}")
    return key


class FindKey(Params):
    """The fingerprint of a key: MD5, or SHA-256 with the prefix ``SHA256:``."""

    fingerprint: str


@lookup_area.operation("GET", "keys", params=FindKey, ability=Ability.ADMIN_USERS, view=FoundKey, refusals=(400, 404))
def get_key_by_fingerprint(ctx: ReadContext, p: FindKey) -> SshKey | DeployKey:
    """Get the SSH key or deploy key with a fingerprint. Administrators only."""
    key = ssh_keys.find_by_fingerprint(ctx.world, p.fingerprint)
    if key is None:
        raise NotFound("Key", reason=f"no key has the fingerprint {p.fingerprint}")
    return key
