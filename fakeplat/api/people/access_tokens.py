"""Impersonation tokens and personal access tokens. Source: docs/platform/impersonation-and-access-tokens.md."""

from collections.abc import Sequence
from typing import Final, Literal

from fakeplat.api.scopes import USER
from fakeplat.core.operations.errors import (
    BadRequest,
    InvalidRecord,
    NotFound,
    RecordNotFound,
    Unauthorized,
    Unprocessable,
)
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import CommaList, Day, Params
from fakeplat.domain.people import tokens
from fakeplat.domain.people.tokens import Scope
from fakeplat.entities.people.access_tokens import (
    AccessTokenView,
    AccessTokenWithToken,
    ImpersonationTokenView,
    ImpersonationTokenWithToken,
)
from fakeplat.model.people import Token, TokenKind, User
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import caller_name
from fakeplat.policy.context import ReadContext, WriteContext

users_area: Final = Area("Access tokens", login=Login.ALWAYS, scopes=("read_user",))
area: Final = Area("Access tokens", login=Login.ALWAYS)
IMPERSONATION: Final = "impersonation_tokens"
PERSONAL: Final = "personal_access_tokens"
_ALL: Final[tuple[TokenKind, ...]] = ("personal", "project", "group", "impersonation")


class ListTokens(Paged):
    """The state of tokens; inactive ones are revoked or expired."""

    state: Literal["all", "active", "inactive"] = "all"


def _select(ctx: ReadContext, candidates: Sequence[Token], state: str) -> Sequence[Token]:
    return (
        candidates
        if state == "all"
        else [token for token in candidates if tokens.is_active(ctx, token) is (state == "active")]
    )


def _require_impersonation_token(ctx: ReadContext, user: User, token_id: int) -> Token:
    token = ctx.world.tokens.get(token_id)
    if token is None or token.user_id != user.id or token.kind != "impersonation":
        raise NotFound(
            "Impersonation Token", reason=lambda: f"{user.username} has no impersonation token with the id {token_id}"
        )
    return token


@users_area.operation(
    "GET",
    IMPERSONATION,
    scope=USER,
    params=ListTokens,
    view=ImpersonationTokenView,
    many=True,
    ability=Ability.ADMIN_USERS,
)
def list_impersonation_tokens(ctx: ReadContext, user: User, p: ListTokens) -> Sequence[Token]:
    """List the impersonation tokens of a user. Administrators only."""
    return _select(ctx, tokens.list_of_user(ctx.world, user, "impersonation"), p.state)


@users_area.operation(
    "GET",
    f"{IMPERSONATION}/:token_id",
    scope=USER,
    view=ImpersonationTokenView,
    ability=Ability.ADMIN_USERS,
    refusals=(404,),
)
def get_impersonation_token(ctx: ReadContext, user: User, token_id: int) -> Token:
    """Get an impersonation token of a user. Administrators only."""
    return _require_impersonation_token(ctx, user, token_id)


class CreateImpersonationToken(Params):
    """A new impersonation token. Which scopes exist is checked later than the other parameters."""

    name: str
    expires_at: Day | None = None
    scopes: list[str] | None = None


@users_area.operation(
    "POST",
    IMPERSONATION,
    scope=USER,
    params=CreateImpersonationToken,
    view=ImpersonationTokenWithToken,
    ability=Ability.ADMIN_USERS,
    refusals=(400,),
)
def create_impersonation_token(ctx: WriteContext, user: User, p: CreateImpersonationToken) -> Token:
    """Create an impersonation token of a user. Only this response contains the token. Administrators only."""
    return tokens.create_checked(
        ctx, user, "impersonation", name=p.name, scopes=p.scopes or (), expires_at=p.expires_at
    )


@users_area.operation(
    "DELETE", f"{IMPERSONATION}/:token_id", scope=USER, ability=Ability.ADMIN_USERS, refusals=(404, 412)
)
def revoke_impersonation_token(ctx: WriteContext, user: User, token_id: int) -> None:
    """Revoke an impersonation token of a user. Administrators only."""
    token = _require_impersonation_token(ctx, user, token_id)
    ctx.check_unmodified_since(token.created_at)
    tokens.revoke(ctx, token)


class CreatePersonalToken(Params):
    """A new personal access token."""

    name: str
    scopes: CommaList[Scope]
    expires_at: Day | None = None


@users_area.operation(
    "POST",
    PERSONAL,
    scope=USER,
    params=CreatePersonalToken,
    view=AccessTokenWithToken,
    ability=Ability.ADMIN_USERS,
    refusals=(422,),
    since="13.6",
)
def create_user_personal_access_token(ctx: WriteContext, user: User, p: CreatePersonalToken) -> Token:
    """Create a personal access token of a user. Only this response contains the token. Administrators only."""
    try:
        return tokens.create_checked(ctx, user, "personal", name=p.name, scopes=p.scopes, expires_at=p.expires_at)
    except InvalidRecord as refusal:
        # Unlike that of impersonation tokens, the platform's service makes a sentence of the errors.
        raise Unprocessable(refusal.sentence(), reason=refusal.explain()) from None


class ListPersonalTokens(Paged):
    """The user; only administrators may choose another than themselves."""

    user_id: int | None = None


@area.operation("GET", PERSONAL, params=ListPersonalTokens, view=AccessTokenView, many=True, refusals=(401, 404))
def list_personal_access_tokens(ctx: ReadContext, p: ListPersonalTokens) -> Sequence[Token]:
    """List the caller's personal access tokens; for administrators those of all users."""
    caller = ctx.signed_in_user
    if caller.admin and p.user_id is None:
        everybody = ctx.world.users.all()
        return [token for user in everybody for token in tokens.list_of_user(ctx.world, user, *_ALL)]
    if not caller.admin and p.user_id not in (None, caller.id):
        raise Unauthorized(reason=f"{caller.username} is no administrator and sees only their own tokens")
    user = caller if p.user_id is None else ctx.world.users.get(p.user_id)
    if user is None:
        raise NotFound(reason=f"there is no user with the id {p.user_id}")
    return tokens.list_of_user(ctx.world, user, *_ALL)


@area.operation("DELETE", f"{PERSONAL}/:id", refusals=(400, 404))
def revoke_personal_access_token(ctx: WriteContext, id: int) -> None:  # the platform's parameter name
    """Revoke a personal access token: the caller's own, or as an administrator anybody's."""
    token = ctx.world.tokens.get(id)
    if token is None or token.kind not in _ALL:
        raise RecordNotFound(reason=f"there is no personal access token with the id {id}")
    if not (ctx.admin or token.user_id == ctx.signed_in_user.id):
        raise BadRequest("400 Bad request", reason=f"the token belongs to somebody else than {caller_name(ctx)}")
    tokens.revoke(ctx, token)
