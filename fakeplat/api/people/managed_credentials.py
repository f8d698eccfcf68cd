"""Credentials that the owners of a group manage: those of enterprise users and of bots, and any token of the group.

Source: docs/platform/impersonation-and-access-tokens.md ('Managed credentials').
"""

from collections.abc import Sequence
from typing import Final

from fakeplat.api.people.access_tokens import RotateToken, refuse_rotation, rotate
from fakeplat.api.people.managed_users import require_root
from fakeplat.api.people.token_filters import FilterTokens, select_tokens
from fakeplat.api.scopes import GROUP
from fakeplat.core.operations.errors import BadRequest, Forbidden, NotFound, RecordNotFound, Unprocessable
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import Moment, Params
from fakeplat.domain.people import enterprise_users, namespaces, token_identification, tokens
from fakeplat.domain.people.billable_members import list_memberships
from fakeplat.domain.purging import purge
from fakeplat.entities.people.access_tokens import (
    AccessTokenView,
    AccessTokenWithToken,
    ResourceAccessTokenView,
    ResourceAccessTokenWithToken,
)
from fakeplat.entities.people.accounts import ManagedKeyView
from fakeplat.entities.projects.deploy_tokens import DeployTokenView
from fakeplat.model.people import Group, SshKey, Token
from fakeplat.model.projects import DeployToken
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.descriptions import describe

area: Final = Area("Access tokens", login=Login.ALWAYS, located_first=True)
key_area: Final = Area("Groups", login=Login.ALWAYS, located_first=True)
revocation_area: Final = Area("Access tokens", login=Login.ALWAYS)
PERSONAL: Final = "manage/personal_access_tokens"
RESOURCE: Final = "manage/resource_access_tokens"
KEYS: Final = "manage/ssh_keys"
_OF_BOTS: Final = ("project", "group")


def _authorize(ctx: ReadContext, group: Group) -> None:
    """Refuse with 404 where the instance is not hosted, and with 403 whoever does not own the group."""
    if not ctx.instance.hosted:
        raise NotFound(reason="only the hosted offering has an inventory of credentials; instance.hosted is off")
    authorize(ctx, Ability.ADMIN_GROUP, group)


def _get_token(ctx: ReadContext, token_id: int) -> Token:
    token = ctx.world.tokens.get(token_id)
    if token is None or token.kind not in ("personal", "impersonation", *_OF_BOTS):
        raise RecordNotFound(reason=f"there is no token {token_id}")
    return token


@area.operation(
    "GET",
    PERSONAL,
    scope=GROUP,
    params=FilterTokens,
    view=AccessTokenView,
    many=True,
    tier="ultimate",
    since="18.7",
    refusals=(403, 404),
)
def list_group_manage_personal_access_tokens(ctx: ReadContext, group: Group, p: FilterTokens) -> Sequence[Token]:
    """List the personal access tokens of the enterprise users of a group."""
    _authorize(ctx, group)
    users = enterprise_users.list_users(ctx.world, group)
    found = [token for user in users for token in tokens.list_of_user(ctx.world, user, "personal")]
    return select_tokens(ctx, sorted(found, key=lambda token: token.id), p)


def _get_managed_token(ctx: ReadContext, group: Group, token_id: int) -> Token:
    _authorize(ctx, group)
    token = _get_token(ctx, token_id)
    user = tokens.owner_of(ctx.world, token)
    if user is None or user.enterprise_group_id != group.id:
        raise Forbidden(reason=lambda: f"its user is no enterprise user of {describe(ctx.world, group)}")
    return token


@area.operation("DELETE", f"{PERSONAL}/:pat_id", scope=GROUP, tier="ultimate", since="18.7", refusals=(403, 404))
def delete_group_manage_personal_access_token(ctx: WriteContext, group: Group, pat_id: int) -> None:
    """Revoke a personal access token of an enterprise user."""
    tokens.revoke(ctx, _get_managed_token(ctx, group, pat_id))


@area.operation(
    "POST",
    f"{PERSONAL}/:pat_id/rotate",
    scope=GROUP,
    params=RotateToken,
    view=AccessTokenWithToken,
    status=200,
    tier="ultimate",
    since="18.7",
    refusals=(400, 403, 404),
)
def rotate_group_manage_personal_access_token(ctx: WriteContext, group: Group, pat_id: int, p: RotateToken) -> Token:
    """Revoke a personal access token of an enterprise user, and create another one like it."""
    return rotate(ctx, _get_managed_token(ctx, group, pat_id), p)


def _is_within(ctx: ReadContext, group: Group, token: Token) -> bool:
    """Return whether the project or group of a bot's token belongs to a group."""
    container = tokens.container_of(ctx.world, token)
    start = container if isinstance(container, Group) else ctx.world.namespaces[container.namespace_id]
    return namespaces.root_of(ctx.world, start).id == group.id


@area.operation(
    "GET",
    RESOURCE,
    scope=GROUP,
    params=FilterTokens,
    view=ResourceAccessTokenView,
    many=True,
    tier="ultimate",
    since="18.7",
    refusals=(403, 404),
)
def list_group_manage_resource_access_tokens(ctx: ReadContext, group: Group, p: FilterTokens) -> Sequence[Token]:
    """List the access tokens of a group, and of the groups and projects below it."""
    _authorize(ctx, group)
    candidates = [token for token in ctx.world.tokens.all() if token.kind in _OF_BOTS]
    return select_tokens(ctx, [token for token in candidates if _is_within(ctx, group, token)], p)


def _get_resource_token(ctx: ReadContext, group: Group, token_id: int, verb: str) -> Token:
    _authorize(ctx, group)
    token = _get_token(ctx, token_id)
    if token.kind not in _OF_BOTS:
        text = f"Cannot {verb} resource access token: token belongs to a human user, not a bot"
        raise Forbidden(text, reason=f"token {token_id} is a personal one")
    if not _is_within(ctx, group, token):
        bot = tokens.bot_of(ctx.world, token)
        raise BadRequest(
            f"400 Bad request - {ctx.signed_in_user.name} cannot delete {bot.name}",
            reason=lambda: f"the token does not belong to {describe(ctx.world, group)}",
        )
    return token


@area.operation("DELETE", f"{RESOURCE}/:prat_id", scope=GROUP, tier="ultimate", since="18.7", refusals=(400, 403, 404))
def delete_group_manage_resource_access_token(ctx: WriteContext, group: Group, prat_id: int) -> None:
    """Revoke an access token of a group or project below a group."""
    tokens.revoke_with_bot(ctx, _get_resource_token(ctx, group, prat_id, "revoke"))


@area.operation(
    "POST",
    f"{RESOURCE}/:prat_id/rotate",
    scope=GROUP,
    params=RotateToken,
    view=ResourceAccessTokenWithToken,
    status=200,
    tier="ultimate",
    since="18.7",
    refusals=(400, 403, 404),
)
def rotate_group_manage_resource_access_token(ctx: WriteContext, group: Group, prat_id: int, p: RotateToken) -> Token:
    """Revoke an access token of a group or project below a group, and create another one like it."""
    token = _get_resource_token(ctx, group, prat_id, "rotate")
    with refuse_rotation(ctx, token, p) as expires_at:
        return tokens.rotate_of_container(ctx, tokens.container_of(ctx.world, token), token, expires_at)


class ListManagedKeys(Paged):
    """When the keys were created, and when they expire."""

    created_before: Moment | None = None
    created_after: Moment | None = None
    expires_before: Moment | None = None
    expires_after: Moment | None = None


def _matches(p: ListManagedKeys, key: SshKey) -> bool:
    return (
        (p.created_before is None or key.created_at <= p.created_before)
        and (p.created_after is None or key.created_at >= p.created_after)
        and (p.expires_before is None or (key.expires_at is not None and key.expires_at <= p.expires_before))
        and (p.expires_after is None or (key.expires_at is not None and key.expires_at >= p.expires_after))
    )


@key_area.operation(
    "GET",
    KEYS,
    scope=GROUP,
    params=ListManagedKeys,
    view=ManagedKeyView,
    many=True,
    tier="ultimate",
    since="18.7",
    refusals=(403, 404),
)
def list_group_manage_ssh_keys(ctx: ReadContext, group: Group, p: ListManagedKeys) -> Sequence[SshKey]:
    """List the SSH keys of the enterprise users of a group."""
    _authorize(ctx, group)
    users = enterprise_users.list_users(ctx.world, group)
    keys = (key for user in users for key in ctx.world.ssh_keys.where("user", user.id))
    return sorted((key for key in keys if _matches(p, key)), key=lambda key: key.id)


@key_area.operation("DELETE", f"{KEYS}/:key_id", scope=GROUP, tier="ultimate", since="18.7", refusals=(403, 404, 412))
def delete_group_manage_ssh_key(ctx: WriteContext, group: Group, key_id: int) -> None:
    """Delete an SSH key of an enterprise user."""
    _authorize(ctx, group)
    key = ctx.world.ssh_keys.get(key_id)
    if key is None or ctx.world.users[key.user_id].enterprise_group_id != group.id:
        raise NotFound("Key", reason=lambda: f"no enterprise user of {describe(ctx.world, group)} has the key {key_id}")
    ctx.check_unmodified_since(key.updated_at)
    purge(ctx, key)


class RevokeToken(Params):
    """The token itself."""

    token: str


def _revoked_view(ctx: ReadContext, p: RevokeToken) -> type[AccessTokenView | DeployTokenView]:
    found = token_identification.find_credential(ctx, p.token)
    return DeployTokenView if isinstance(found, DeployToken) else AccessTokenView


def _has_access(ctx: ReadContext, group: Group, credential: object) -> bool:
    """Return whether a credential gives access to a group, or to something below it."""
    if isinstance(credential, DeployToken):
        kind, id_ = credential.source
        start = ctx.world.projects[id_].namespace_id if kind == "project" else id_
        return namespaces.root_of(ctx.world, ctx.world.namespaces[start]).id == group.id
    if not isinstance(credential, Token):
        return False
    if credential.kind in _OF_BOTS:
        return _is_within(ctx, group, credential)
    user = tokens.owner_of(ctx.world, credential)
    return credential.kind == "personal" and user is not None and bool(list_memberships(ctx.world, group, user))


@revocation_area.operation(
    "POST",
    "tokens/revoke",
    name="revoke_group_token",
    scope=GROUP,
    params=RevokeToken,
    view=_revoked_view,
    status=200,
    since="17.2",
    refusals=(400, 403, 422),
)
def revoke_group_token(ctx: WriteContext, group: Group, p: RevokeToken) -> Token | DeployToken:
    """Revoke a token that gives access to a top-level group or to something below it."""
    require_root(ctx, group)
    authorize(ctx, Ability.ADMIN_GROUP, group)
    credential = token_identification.find_credential(ctx, p.token)
    # Nobody learns whether the token exists.
    if not isinstance(credential, Token | DeployToken) or not _has_access(ctx, group, credential):
        raise Unprocessable(reason=lambda: f"no such token gives access to {describe(ctx.world, group)}")
    if isinstance(credential, DeployToken):
        return ctx.world.deploy_tokens.change(credential, revoked=True)
    if not credential.revoked:
        token_identification.revoke(ctx, credential)
    return ctx.world.tokens.get(credential.id) or credential
