"""Access tokens, and the bot users of project and group access tokens.

Source: docs/platform/authentication.md.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, cast, get_args

from attrs import evolve

from fakeplat.core.operations.errors import InvalidRecord
from fakeplat.core.release import Profile
from fakeplat.core.timestamps import DAY, from_iso, to_iso_date
from fakeplat.domain import signals
from fakeplat.domain.instance import features
from fakeplat.domain.people import members, users
from fakeplat.domain.people.bots import add_bot, name_bot
from fakeplat.domain.validation import BLANK, TAKEN, ValidationErrors
from fakeplat.model.people import GRANULAR, GranularScope, Group, Level, Token, TokenKind, User
from fakeplat.model.projects import Project
from fakeplat.model.settings import Settings
from fakeplat.model.world import World, lookup_kind
from fakeplat.policy.behaviours import (
    ADMIN_MODE_ASKS_TOKENS,
    BUFFERED_TOKEN_LIFETIME,
    INACTIVE_BOTS_STAY,
    JOB_TOKEN_PREFIX,
    TOKEN_LIFETIME,
)
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.credentials import ADMIN_MODE, LATER_SCOPES

if TYPE_CHECKING:
    from fakeplat.model.ci import Job

Scope = Literal[
    "api",
    "read_user",
    "read_api",
    "read_repository",
    "write_repository",
    "read_registry",
    "write_registry",
    "sudo",
]
LaterBotScope = Literal[
    "ai_features",
    "create_runner",
    "k8s_proxy",
    "manage_runner",
    "read_virtual_registry",
    "self_rotate",
    "write_virtual_registry",
]
LaterScope = Literal[LaterBotScope, "admin_mode", "read_service_ping"]
SUDO: Final = "sudo"
SCOPES: Final = tuple(scope for scope in get_args(Scope) if scope != SUDO)
_REMEMBERED_ADDRESSES: Final = 5
_ROTATED_DAYS: Final = 7
_NAMES: Final = {"expires_at": "Expiration date"}
"""The names that sentences have for fields."""
_BUFFERED_LIFETIME: Final = 400
_BUFFERED_LIFETIME_FLAG: Final = "buffered_token_expiration_limit"
"""For how many days tokens are valid at most with a feature flag."""


def all_scopes(user: User | None, profile: Profile) -> tuple[str, ...]:
    """Return the scopes that give a user's token all rights of the user."""
    if user is None or not user.admin:
        return SCOPES
    return (*SCOPES, SUDO, *((ADMIN_MODE,) if profile.has(ADMIN_MODE_ASKS_TOKENS) else ()))


def find(world: World, kind: TokenKind, value: str) -> Token | None:
    """Return the token with a value, among the kinds sent in the same header or parameter."""
    return world.tokens.find("value", (lookup_kind(kind), value))


def owner_of(world: World, token: Token) -> User | None:
    """Return the user of a token, if it has one."""
    return None if token.user_id is None else world.users.get(token.user_id)


def bot_of(world: World, token: Token) -> User:
    """Return the bot user of an access token of a project or group."""
    return world.users[token.user_id or 0]


def create(
    ctx: WriteContext,
    user: User | None,
    kind: TokenKind = "personal",
    *,
    value: str | None = None,
    name: str = "",
    scopes: Sequence[str] | None = None,
    expires_at: str | None = None,
    project: Project | None = None,
    group: Group | None = None,
    job: "Job | None" = None,
    description: str | None = None,
    previous: Token | None = None,
) -> Token:
    """Create a token; by default with every scope and a random value. Only OAuth tokens may have no user."""
    if value is not None and find(ctx.world, kind, value):
        raise InvalidRecord({"token": [TAKEN]})
    token = Token(
        id=ctx.world.tokens.next_id(),
        user_id=user.id if user else None,
        kind=kind,
        value=_draw_value(ctx, kind) if value is None else value,
        created_at=ctx.now_iso,
        name=name or f"{kind} token",
        scopes=all_scopes(user, ctx.profile) if scopes is None else tuple(scopes),
        expires_at=expires_at,
        project_id=project.id if project else None,
        group_id=group.id if group else None,
        job_id=job.id if job else None,
        description=description,
        previous_id=previous.id if previous else None,
    )
    ctx.world.tokens.add(token)
    signals.post_create.send(ctx, token)
    return token


def _draw_value(ctx: WriteContext, kind: TokenKind) -> str:
    # Twenty characters, the length of the platform's own tokens.
    return f"{_prefix_of(ctx, kind)}{ctx.random_hex('token', 10)}"


def _prefix_of(ctx: WriteContext, kind: TokenKind) -> str:
    if kind in ("personal", "impersonation", "project", "group"):
        return ctx.world.settings.personal_access_token_prefix or ""
    return ctx.profile.choose(JOB_TOKEN_PREFIX) if kind == "job" else ""


def create_checked(
    ctx: WriteContext,
    user: User,
    kind: TokenKind,
    *,
    name: str,
    scopes: Sequence[str],
    expires_at: str | None,
    description: str | None = None,
) -> Token:
    """Create a token with scopes that a client chose; 400 without any, or for an unknown one."""
    errors = ValidationErrors(_NAMES)
    errors.when(not name.strip(), "name", BLANK)
    errors.when(not scopes, "scopes", BLANK)
    errors.when(not {*scopes} <= available_scopes(ctx), "scopes", "can only contain available scopes")
    _check_expiry(ctx, expires_at, errors)
    errors.refuse()
    expires_at = expires_at or _default_expiry(ctx, user)
    return create(ctx, user, kind, name=name, scopes=scopes, expires_at=expires_at, description=description)


def create_granular(
    ctx: WriteContext,
    user: User,
    kind: TokenKind,
    granular_scopes: Sequence[GranularScope],
    *,
    name: str,
    expires_at: str | None,
    description: str | None = None,
) -> Token:
    """Create a fine-grained token with copies of granular scopes; 400 without a name or for a date that is too late."""
    errors = ValidationErrors(_NAMES)
    errors.when(not name.strip(), "name", BLANK)
    _check_expiry(ctx, expires_at, errors)
    errors.refuse()
    expires_at = expires_at or _default_expiry(ctx, user)
    token = create(ctx, user, kind, name=name, scopes=(GRANULAR,), expires_at=expires_at, description=description)
    return add_granular_scopes(ctx, token, granular_scopes)


def add_granular_scopes(ctx: WriteContext, token: Token, granular_scopes: Sequence[GranularScope]) -> Token:
    """Give a token copies of granular scopes."""
    table = ctx.world.granular_scopes
    for scope in granular_scopes:
        table.add(evolve(scope, id=table.next_id(), token_id=token.id))
    return token


def _default_expiry(ctx: WriteContext, user: User) -> str | None:
    """Return the last day of a token for which none was chosen; that of a service account may be valid for ever."""
    if user.kind == "service_account" and ctx.instance.has("premium"):
        group = ctx.world.namespaces.get(user.provisioned_by_group_id or 0)
        holder = group if isinstance(group, Group) else ctx.world.settings
        if not holder.service_access_tokens_expiration_enforced:
            return None
    return latest_expiry(ctx) if is_expiry_required(ctx.world.settings) else None


def is_expiry_required(settings: Settings) -> bool:
    """Return whether every token expires: by the setting, or because the instance has a lifetime of its own."""
    return settings.require_personal_access_token_expiry or settings.max_personal_access_token_lifetime is not None


def available_scopes(ctx: ReadContext) -> set[str]:
    """Return the scopes that tokens can have."""
    later = {scope for scope, lifetime in LATER_SCOPES.items() if ctx.profile.has(lifetime)}
    return {*get_args(Scope), *later}


def latest_expiry(ctx: WriteContext) -> str | None:
    """Return the last day on which a new token is valid, which is also the default; None without a limit."""
    days = ctx.profile.choose(TOKEN_LIFETIME)
    if days is not None and _is_lifetime_buffered(ctx):
        days = _BUFFERED_LIFETIME
    if days is not None and ctx.instance.has("ultimate"):
        days = ctx.world.settings.max_personal_access_token_lifetime or days
    return None if days is None else to_iso_date(ctx.now() + days * DAY)


def _is_lifetime_buffered(ctx: ReadContext) -> bool:
    return ctx.profile.has(BUFFERED_TOKEN_LIFETIME) and features.is_enabled(ctx.world, _BUFFERED_LIFETIME_FLAG)


def rotate(ctx: WriteContext, token: Token, expires_at: str | None) -> Token:
    """Replace a token by a new one for the same user with the same name and scopes; 400 for a date that is too late."""
    errors = ValidationErrors(_NAMES)
    _check_expiry(ctx, expires_at, errors)
    errors.refuse()
    revoke(ctx, token)
    rotated = create(
        ctx,
        owner_of(ctx.world, token),
        token.kind,
        name=token.name,
        scopes=token.scopes,
        expires_at=expires_at,
        project=ctx.world.projects[token.project_id] if token.project_id else None,
        group=cast(Group, ctx.world.namespaces[token.group_id]) if token.group_id else None,
        description=token.description,
        previous=token,
    )
    return add_granular_scopes(ctx, rotated, list(ctx.world.granular_scopes.where("token", token.id)))


def default_expiry_of_rotated(ctx: ReadContext) -> str | None:
    """Return the last day of a token that replaces another one, if none is chosen: in a week if tokens must expire."""
    is_required = is_expiry_required(ctx.world.settings)
    return to_iso_date(ctx.now() + _ROTATED_DAYS * DAY) if is_required else None


def revoke_family(ctx: WriteContext, token: Token) -> None:
    """Revoke every token that a token was rotated into, one after the other."""
    for successor in list(ctx.world.tokens.where("previous", token.id)):
        revoke_family(ctx, successor if successor.revoked else revoke(ctx, successor))


def _check_expiry(ctx: WriteContext, expires_at: str | None, errors: ValidationErrors) -> None:
    latest = latest_expiry(ctx)
    if expires_at is not None and latest is not None:
        errors.when(expires_at > latest, "expires_at", f"must be before {latest}")


def create_for_container(
    ctx: WriteContext,
    container: Project | Group,
    *,
    name: str,
    value: str | None = None,
    scopes: Sequence[str] | None = None,
    expires_at: str | None = None,
    access_level: int = Level.MAINTAINER,
    description: str | None = None,
) -> Token:
    """Create an access token of a project or group, which belongs to a new bot user who is a member there."""
    kind: TokenKind = "project" if isinstance(container, Project) else "group"
    bot = name_bot(ctx, add_bot(ctx, name, f"bot of {kind} {container.id}"), container)
    members.add_member(ctx, container, bot, access_level, _end_of_membership(ctx, expires_at))
    place: dict[str, Any] = {kind: container, "description": description}
    return create(ctx, bot, kind, value=value, name=name, scopes=scopes, expires_at=expires_at, **place)


def _end_of_membership(ctx: ReadContext, expires_at: str | None) -> str | None:
    return None if ctx.profile.has(INACTIVE_BOTS_STAY) else expires_at


def rotate_of_container(ctx: WriteContext, container: Project | Group, token: Token, expires_at: str | None) -> Token:
    """Rotate an access token of a project or group, where its bot stays a member as long as the new one is valid."""
    rotated = rotate(ctx, token, expires_at)
    member = members.find_member(ctx.world, container, bot_of(ctx.world, token))
    end = _end_of_membership(ctx, expires_at)
    if member is not None and member.expires_at != end:
        members.update_member(ctx, container, member, expires_at=end)
    return rotated


def list_of_container(world: World, container: Project | Group) -> Sequence[Token]:
    """Return the access tokens of a project or group."""
    kind = "project" if isinstance(container, Project) else "group"
    return [token for token in world.tokens.where(kind, container.id) if token.kind == kind]


def container_of(world: World, token: Token) -> Project | Group:
    """Return the project or group of an access token that belongs to a bot."""
    container = world.projects[token.project_id] if token.project_id else world.namespaces[token.group_id or 0]
    return cast(Project | Group, container)


def list_of_user(world: World, user: User, *kinds: TokenKind) -> Sequence[Token]:
    """Return the tokens of a user that are of some kinds."""
    return [token for token in world.tokens.where("user", user.id) if token.kind in kinds]


def is_expired(ctx: ReadContext, token: Token) -> bool:
    """Return whether the time of a token is over."""
    return token.expires_at is not None and ctx.has_passed(from_iso(token.expires_at))


def is_active(ctx: ReadContext, token: Token) -> bool:
    """Return whether a token is neither revoked nor expired."""
    return not token.revoked and not is_expired(ctx, token)


def revoke(ctx: WriteContext, token: Token) -> Token:
    """Revoke a token."""
    revoked = ctx.world.tokens.change(token, revoked=True)
    signals.post_change.send(ctx, token, revoked)
    return revoked


def revoke_with_bot(ctx: WriteContext, token: Token) -> None:
    """Revoke an access token of a project or group, and delete its bot; in later releases, the bot stays."""
    signals.post_remove.send(ctx, token)
    if ctx.profile.has(INACTIVE_BOTS_STAY):
        ctx.world.tokens.change(token, revoked=True)
    else:
        users.delete(ctx, bot_of(ctx.world, token))


def record_use(ctx: WriteContext, token: Token, address: str | None) -> None:
    """Record that a token was used now, from which IP address."""
    known = ctx.world.tokens.get(token.id)
    # A token that is deleted meanwhile deleted itself.
    if known is not None:
        others = [one for one in known.last_used_ips if one != address]
        addresses = (*others, *([address] if address else []))[-_REMEMBERED_ADDRESSES:]
        ctx.world.tokens.change(known, last_used_at=ctx.now_iso, last_used_ips=tuple(addresses))


def revoke_job_tokens(ctx: WriteContext, _before: "Job", job: "Job") -> None:
    """Revoke the tokens of a job that is completed."""
    if job.is_completed:
        for token in list(ctx.world.tokens.where("job", job.id)):
            ctx.world.tokens.change(token, revoked=True)


def delete_bot(ctx: WriteContext, token: Token) -> None:
    """Delete the bot user of an access token that was deleted with its project or group."""
    user = owner_of(ctx.world, token)
    # Job tokens have a project, too, but belong to ordinary users.
    if user is not None and token.kind in ("project", "group") and user.kind == "project_bot":
        users.delete(ctx, user)
