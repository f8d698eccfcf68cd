"""Access tokens of projects and groups, whose users are bots.

Source: docs/platform/impersonation-and-access-tokens.md.
"""

from collections.abc import Sequence
from functools import partial
from typing import Annotated, Final, Literal

from fakeplat.api.access_levels import PLANNER_SINCE, AccessLevel
from fakeplat.api.people.access_tokens import (
    LATER_SCOPE_MARKERS,
    RotateToken,
    RotateTokenById,
    get_rotated_token,
    refuse_rotation,
)
from fakeplat.api.people.token_filters import FilterTokens, select_tokens
from fakeplat.api.scopes import GROUP, PROJECT
from fakeplat.core.operations.errors import BadRequest, MethodNotAllowed, NotFound, NotFoundWithMessage, Unauthorized
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import CommaList, Day, Moment, Params
from fakeplat.core.release import Lifetime
from fakeplat.domain.people import members, tokens
from fakeplat.entities.people.access_tokens import ResourceAccessTokenView, ResourceAccessTokenWithToken
from fakeplat.model.people import Level, Token
from fakeplat.model.projects import Container, Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import caller_name, can, decide, level_on
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.descriptions import describe

area: Final = Area("Access tokens", login=Login.ALWAYS)
rotation_area: Final = Area("Access tokens", login=Login.ALWAYS, write_scopes=("self_rotate",))
CONTAINERS: Final = (PROJECT, GROUP)
PATH: Final = "access_tokens"
Scope = Literal["api", "read_api", "read_repository", "write_repository", "read_registry", "write_registry"]


_FILTERS: Final = Lifetime(since="<=18.1")


class ListResourceTokens(FilterTokens):
    """Filters, which came one after the other."""

    revoked: Annotated[bool | None, _FILTERS] = None
    state: Annotated[Literal["active", "inactive"] | None, Lifetime(since="17.2")] = None
    created_before: Annotated[Moment | None, _FILTERS] = None
    created_after: Annotated[Moment | None, _FILTERS] = None
    last_used_before: Annotated[Moment | None, _FILTERS] = None
    last_used_after: Annotated[Moment | None, _FILTERS] = None
    expires_before: Annotated[Day | None, _FILTERS] = None
    expires_after: Annotated[Day | None, _FILTERS] = None
    search: Annotated[str | None, _FILTERS] = None
    sort: Annotated[str | None, _FILTERS] = None


def _kind(container: Container) -> str:
    return "project" if isinstance(container, Project) else "group"


@area.operation(
    "GET",
    PATH,
    scope=CONTAINERS,
    params=ListResourceTokens,
    view=ResourceAccessTokenView,
    many=True,
    refusals=(401,),
    since=("13.9", "14.7"),
)
def list_access_tokens(ctx: ReadContext, container: Container, p: ListResourceTokens) -> Sequence[Token]:
    """List the access tokens of a project or group."""
    _authorize_reading(ctx, container)
    return select_tokens(ctx, tokens.list_of_container(ctx.world, container), p)


def _authorize_reading(ctx: ReadContext, container: Container) -> None:
    decision = decide(ctx, Ability.READ_RESOURCE_ACCESS_TOKENS, container)
    if not decision.allowed:
        # The platform answers 401 here, although the caller is signed in.
        raise Unauthorized(reason=decision.why)


@area.operation(
    "GET", f"{PATH}/:token_id", scope=CONTAINERS, view=ResourceAccessTokenView, refusals=(401, 404), since="14.10"
)
def get_access_token(ctx: ReadContext, container: Container, token_id: str) -> Token:
    """Get an access token of a project or group."""
    _authorize_reading(ctx, container)
    return _get_token(ctx, container, token_id)


def _find_token(ctx: ReadContext, container: Container, token_id: str) -> Token | None:
    return next((one for one in tokens.list_of_container(ctx.world, container) if str(one.id) == token_id), None)


def _get_token(ctx: ReadContext, container: Container, token_id: str) -> Token:
    token = _find_token(ctx, container, token_id)
    if token is None:
        text = f"404 Could not find {_kind(container)} access token with token_id: {token_id} Not Found"
        raise NotFoundWithMessage(text, reason=f"{describe(ctx.world, container)} has no such token")
    return token


class CreateResourceToken(Params):
    """A new access token, and the role of its bot."""

    name: str
    scopes: CommaList[Annotated[Literal[Scope, tokens.LaterBotScope], *LATER_SCOPE_MARKERS]]
    expires_at: Day | None = None
    description: Annotated[str | None, Lifetime(since="17.7")] = None
    access_level: Annotated[AccessLevel, PLANNER_SINCE] = 40


@area.operation(
    "POST",
    PATH,
    scope=CONTAINERS,
    params=CreateResourceToken,
    view=ResourceAccessTokenWithToken,
    refusals=(400,),
    since=("13.9", "14.7"),
)
def create_access_token(ctx: WriteContext, container: Container, p: CreateResourceToken) -> Token:
    """Create an access token of a project or group, with a bot user. Only this response contains the token."""
    kind, caller = _kind(container), ctx.signed_in_user
    # A bot has the role of its token, but makes no further tokens.
    if caller.kind == "project_bot" or not can(ctx, Ability.CREATE_RESOURCE_ACCESS_TOKENS, container):
        text = f"User does not have permission to create {kind} access token"
        raise BadRequest(f"400 Bad request - {text}", reason=partial(_explain_creation, ctx, container))
    if p.access_level > max(level_on(ctx, container), Level.MAINTAINER):
        text = "Access level of the token can't be greater the access level of the user who created the token"
        raise BadRequest(f"400 Bad request - {text}", reason=f"{caller_name(ctx)} is below {p.access_level} there")
    if not p.scopes:
        raise BadRequest("400 Bad request - Scopes can't be blank", reason="a token needs a scope")
    latest = tokens.latest_expiry(ctx)
    if p.expires_at and latest and p.expires_at > latest:
        text = f"400 Bad request - Expiration date must be before {latest}"
        raise BadRequest(text, reason=f"{p.expires_at} is later than an access token is valid")
    return tokens.create_for_container(
        ctx,
        container,
        name=p.name,
        scopes=p.scopes,
        expires_at=p.expires_at or latest,
        description=p.description,
        # Where projects have no owners of their own, their bots are Maintainers at most.
        access_level=min(p.access_level, max(members.list_levels(ctx.world, container))),
    )


def _explain_creation(ctx: ReadContext, container: Container) -> str:
    if ctx.signed_in_user.kind == "project_bot":
        return "bots create no access tokens"
    return decide(ctx, Ability.CREATE_RESOURCE_ACCESS_TOKENS, container).reason


@area.operation(
    "DELETE",
    f"{PATH}/:token_id",
    name=("revoke_project_access_token", "delete_group_access_token"),
    scope=CONTAINERS,
    refusals=(400, 404),
    since=("13.9", "14.7"),
)
def revoke_access_token(ctx: WriteContext, container: Container, token_id: str) -> None:
    """Revoke an access token of a project or group."""
    token = _get_token(ctx, container, token_id)
    decision = decide(ctx, Ability.DESTROY_RESOURCE_ACCESS_TOKENS, container)
    if not decision.allowed:
        text = f"{ctx.signed_in_user.name} cannot delete {tokens.bot_of(ctx.world, token).name}"
        raise BadRequest(f"400 Bad request - {text}", reason=decision.why)
    tokens.revoke_with_bot(ctx, token)


@area.operation(
    "POST",
    f"{PATH}/:token_id/rotate",
    scope=CONTAINERS,
    params=RotateTokenById,
    view=ResourceAccessTokenWithToken,
    status=200,
    refusals=(400, 401, 404),
    since="16.0",
)
def rotate_access_token(ctx: WriteContext, container: Container, token_id: str, p: RotateTokenById) -> Token:
    """Revoke an access token of a project or group, and create another one like it for its bot."""
    decision = decide(ctx, Ability.CREATE_RESOURCE_ACCESS_TOKENS, container)
    is_bot = ctx.signed_in_user.kind == "project_bot"
    token = _find_token(ctx, container, token_id) if decision.allowed and not is_bot else None
    if token is None:
        reason = f"{describe(ctx.world, container)} has no such token" if decision.allowed else decision.reason
        # Only administrators learn that there is no such token.
        raise NotFound(reason=reason) if ctx.admin else Unauthorized(reason=reason)
    if _level_of_bot(ctx, container, token) > level_on(ctx, container) and not ctx.admin:
        text = "400 Bad request - Not eligible to rotate token with access level higher than the user"
        raise BadRequest(text, reason=f"{caller_name(ctx)} is below the bot of the token there")
    return _rotate(ctx, container, token, p)


def _level_of_bot(ctx: ReadContext, container: Container, token: Token) -> int:
    member = members.find_member(ctx.world, container, tokens.bot_of(ctx.world, token))
    return member.access_level if member is not None else Level.NONE


def _rotate(ctx: WriteContext, container: Container, token: Token, p: RotateToken) -> Token:
    with refuse_rotation(ctx, token, p) as expires_at:
        return tokens.rotate_of_container(ctx, container, token, expires_at)


@rotation_area.operation(
    "POST",
    f"{PATH}/self/rotate",
    name="rotate_{scope}_access_token_self",
    scope=CONTAINERS,
    params=RotateToken,
    view=ResourceAccessTokenWithToken,
    status=200,
    refusals=(400, 401, 405),
    since="<=17.11",
)
def rotate_own_access_token(ctx: WriteContext, container: Container, p: RotateToken) -> Token:
    """Revoke the access token of the request, which belongs to a project or group, and create another one like it."""
    token = get_rotated_token(ctx)
    if ctx.signed_in_user.kind != "project_bot":
        raise MethodNotAllowed(reason=f"{caller_name(ctx)} is no bot of a project or group")
    if _find_token(ctx, container, str(token.id)) is None:
        raise Unauthorized(reason=f"the token does not belong to {describe(ctx.world, container)}")
    return _rotate(ctx, container, token, p)
