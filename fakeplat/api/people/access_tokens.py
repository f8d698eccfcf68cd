"""Impersonation tokens and personal access tokens. Source: docs/platform/impersonation-and-access-tokens.md."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Annotated, Final, Literal, TypeVar

from attrs import evolve

from fakeplat.api.people.token_filters import FilterTokens, select_tokens
from fakeplat.api.scopes import USER
from fakeplat.core.operations.errors import (
    BadRequest,
    InsufficientScope,
    InvalidRecord,
    MethodNotAllowed,
    NotFound,
    RecordNotFound,
    Unauthorized,
    Unprocessable,
)
from fakeplat.core.operations.operation import Area, Login, Operation
from fakeplat.core.operations.paging import MAX_PAGE_SIZE, Paged
from fakeplat.core.params.params import CommaList, Day, Moment, Params, exactly_one_of, mutually_exclusive
from fakeplat.core.release import Lifetime, Required
from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.core.timestamps import DAY, to_iso_date
from fakeplat.domain.people import associations, granular_tokens, tokens
from fakeplat.domain.people.associations import AssociationLists
from fakeplat.domain.people.granular_tokens import ScopeRequest
from fakeplat.domain.people.tokens import LaterScope, Scope
from fakeplat.entities.people.access_tokens import (
    AccessTokenView,
    AccessTokenWithAddresses,
    AccessTokenWithToken,
    Associations,
    ImpersonationTokenView,
    ImpersonationTokenWithToken,
    ListedAccessToken,
    RotatedAccessToken,
)
from fakeplat.model.people import GranularAccess, Token, TokenKind, User
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize_admin, caller_name
from fakeplat.policy.behaviours import (
    CURRENT_USER_TOKEN_DAYS,
    EVERY_TOKEN_REVOKES_ITSELF,
    IMPERSONATION_TOKENS_ARE_HIDDEN,
    REVOKED_TOKEN_TEXT,
    UNKNOWN_TOKENS_ARE_TOLD_TO_ADMINISTRATORS,
)
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.credentials import LATER_SCOPES

T = TypeVar("T")


def _require_administrator(ctx: ReadContext, _operation: Operation, _texts: Mapping[str, str]) -> None:
    """Refuse callers who are no administrators before their parameters are read."""
    authorize_admin(ctx, Ability.ADMIN_USERS)


users_area: Final = Area("Access tokens", login=Login.ALWAYS, scopes=("read_user",), guard=_require_administrator)
area: Final = Area("Access tokens", login=Login.ALWAYS)
own_area: Final = Area("Access tokens", login=Login.ALWAYS, any_scope=True)
rotation_area: Final = Area("Access tokens", login=Login.ALWAYS, write_scopes=("self_rotate",))
IMPERSONATION: Final = "impersonation_tokens"
PERSONAL: Final = "personal_access_tokens"
_ALL: Final[tuple[TokenKind, ...]] = ("personal", "project", "group", "impersonation")
_NOT_IMPERSONATING: Final[tuple[TokenKind, ...]] = ("personal", "project", "group")
_DESCRIPTION: Final = Lifetime(since="17.7")
LATER_SCOPE_MARKERS: Final = tuple(evolve(lifetime, values=(scope,)) for scope, lifetime in LATER_SCOPES.items())


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


class GranularScopeParams(Params):
    """Permissions, and where a token is to have them: of ``selected_memberships``, the projects and groups."""

    access: GranularAccess
    permissions: list[str]
    project_ids: CommaList[int] | None = None
    group_ids: CommaList[int] | None = None


_GRANULAR: Final = Lifetime(since="19.2")
GranularScopes = Annotated[list[GranularScopeParams] | None, _GRANULAR]


def _request_scopes(given: Sequence[GranularScopeParams]) -> list[ScopeRequest]:
    return [ScopeRequest(p.access, p.permissions, p.project_ids or (), p.group_ids or ()) for p in given]


class CreateImpersonationToken(Params):
    """A new impersonation token. Which scopes exist is checked later than the other parameters."""

    name: str
    expires_at: Day | None = None
    scopes: list[str] | None = None
    description: Annotated[str | None, Lifetime(since="<=18.9")] = None
    granular_scopes: GranularScopes = None

    rules = (mutually_exclusive("scopes", "granular_scopes"),)


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
    if p.granular_scopes is not None:
        return create_granular_token(ctx, user, "impersonation", p)
    return tokens.create_checked(
        ctx,
        user,
        "impersonation",
        name=p.name,
        scopes=p.scopes or (),
        expires_at=p.expires_at,
        description=p.description,
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
    scopes: CommaList[Annotated[Literal[Scope, LaterScope], *LATER_SCOPE_MARKERS]]
    expires_at: Day | None = None
    description: Annotated[str | None, _DESCRIPTION] = None


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
    return create_personal_token(ctx, user, p.name, p.scopes, p.expires_at, p.description)


def create_granular_token(
    ctx: WriteContext, user: User, kind: TokenKind, p: "CreateImpersonationToken | CreateOwnToken"
) -> Token:
    """Create a fine-grained token; 422 with a sentence for a day that is too late."""
    scopes = _request_scopes(p.granular_scopes or ())
    with _refuse_in_sentence():
        return granular_tokens.create(
            ctx, user, kind, scopes, name=p.name, expires_at=p.expires_at, description=p.description
        )


@contextmanager
def _refuse_in_sentence() -> Iterator[None]:
    """Make 422 with a sentence of the errors inside, as the platform's service does."""
    try:
        yield
    except InvalidRecord as refusal:
        raise Unprocessable(refusal.sentence(), reason=refusal.explain()) from None


def create_personal_token(
    ctx: WriteContext, user: User, name: str, scopes: Sequence[str], expires_at: str | None, description: str | None
) -> Token:
    """Create a personal access token of a user; 422 with a sentence for invalid scopes or a day that is too late."""
    # The service of impersonation tokens makes no sentence of the errors.
    with _refuse_in_sentence():
        return tokens.create_checked(
            ctx, user, "personal", name=name, scopes=scopes, expires_at=expires_at, description=description
        )


_FILTERS: Final = Lifetime(since="15.5")
_LATER_FILTERS: Final = Lifetime(since="<=18.4")


class ListPersonalTokens(FilterTokens):
    """The user; only administrators may choose another than themselves."""

    user_id: int | None = None
    revoked: Annotated[bool | None, _FILTERS] = None
    state: Annotated[Literal["active", "inactive"] | None, _FILTERS] = None
    created_before: Annotated[Moment | None, _FILTERS] = None
    created_after: Annotated[Moment | None, _FILTERS] = None
    last_used_before: Annotated[Moment | None, _FILTERS] = None
    last_used_after: Annotated[Moment | None, _FILTERS] = None
    expires_before: Annotated[Day | None, _LATER_FILTERS] = None
    expires_after: Annotated[Day | None, _LATER_FILTERS] = None
    search: Annotated[str | None, _FILTERS] = None
    sort: Annotated[str | None, _LATER_FILTERS] = None


@area.operation("GET", PERSONAL, params=ListPersonalTokens, view=ListedAccessToken, many=True, refusals=(401, 404))
def list_personal_access_tokens(ctx: ReadContext, p: ListPersonalTokens) -> Sequence[Token]:
    """List the caller's personal access tokens; for administrators those of all users."""
    return select_tokens(ctx, _list_visible(ctx, p), p)


def _list_visible(ctx: ReadContext, p: ListPersonalTokens) -> Sequence[Token]:
    caller = ctx.signed_in_user
    if ctx.admin and "user_id" not in p.given():
        everybody = ctx.world.users.all()
        return [token for user in everybody for token in tokens.list_of_user(ctx.world, user, *_ALL)]
    if not ctx.admin and p.user_id not in (None, caller.id):
        raise Unauthorized(reason=f"{caller_name(ctx)} is no administrator and sees only their own tokens")
    user = caller if not ctx.admin else ctx.world.users.get(p.user_id or 0)
    if user is None:
        raise NotFound(reason=f"there is no user with the id {p.user_id}")
    return tokens.list_of_user(ctx.world, user, *(_ALL if ctx.admin else _own_kinds(ctx)))


def _own_kinds(ctx: ReadContext) -> tuple[TokenKind, ...]:
    return _NOT_IMPERSONATING if ctx.profile.has(IMPERSONATION_TOKENS_ARE_HIDDEN) else _ALL


def _find_token(ctx: ReadContext, token_id: str) -> Token | None:
    number = parse_number(token_id)
    token = None if number is None else ctx.world.tokens.get(number)
    return token if token is not None and token.kind in _ALL else None


def _get_token_of_caller(ctx: ReadContext, token_id: str) -> Token:
    """Return a token of the caller, or for administrators anybody's; others do not learn which tokens exist."""
    token = _find_token(ctx, token_id)
    if token is not None and (ctx.admin or token.user_id == ctx.signed_in_user.id):
        return token
    reason = f"{caller_name(ctx)} has no personal access token with the id {token_id}"
    if ctx.admin and ctx.profile.has(UNKNOWN_TOKENS_ARE_TOLD_TO_ADMINISTRATORS):
        raise NotFound(reason=reason)
    raise Unauthorized(reason=reason)


@area.operation("GET", f"{PERSONAL}/:id", view=AccessTokenWithAddresses, refusals=(401, 404), since="15.1")
def get_personal_access_token(ctx: ReadContext, id: str) -> Token:
    """Get a personal access token: the caller's own, or as an administrator anybody's."""
    return _get_token_of_caller(ctx, id)


class RotateToken(Params):
    """The last day on which the new token is valid; by default, it is valid for a week if tokens have to expire."""

    expires_at: Day | None = None


class RotateTokenById(RotateToken):
    """The same, for operations that are older than the parameter."""

    expires_at: Annotated[Day | None, Lifetime(since="16.6")] = None


@area.operation(
    "POST",
    f"{PERSONAL}/:id/rotate",
    params=RotateTokenById,
    view=RotatedAccessToken,
    status=200,
    refusals=(400, 401, 404),
    since="16.0",
)
def rotate_personal_access_token(ctx: WriteContext, id: str, p: RotateTokenById) -> Token:
    """Revoke a personal access token, and create another one like it."""
    return rotate(ctx, _get_token_of_caller(ctx, id), p)


def rotate(ctx: WriteContext, token: Token, p: RotateToken) -> Token:
    """Rotate a token; 400 if it is revoked, or for a date that is too late."""
    with refuse_rotation(ctx, token, p) as expires_at:
        return tokens.rotate(ctx, token, expires_at)


@contextmanager
def refuse_rotation(ctx: WriteContext, token: Token, p: RotateToken) -> Iterator[str | None]:
    """Give the day until which the new token is to be valid; errors inside are 400, as is a revoked token."""
    if token.revoked:
        raise BadRequest(f"400 Bad request - {ctx.profile.choose(REVOKED_TOKEN_TEXT)}", reason="it is rotated already")
    try:
        yield p.expires_at or tokens.default_expiry_of_rotated(ctx)
    except InvalidRecord as refusal:
        raise BadRequest(f"400 Bad request - {refusal.sentence()}", reason=refusal.explain()) from None


@area.operation("DELETE", f"{PERSONAL}/:id", refusals=(400, 404))
def revoke_personal_access_token(ctx: WriteContext, id: str) -> None:  # the platform's parameter name
    """Revoke a personal access token: the caller's own, or as an administrator anybody's."""
    token = _find_token(ctx, id)
    if token is None:
        raise RecordNotFound(reason=f"there is no personal access token with the id {id}")
    _revoke(ctx, token)


def _revoke(ctx: WriteContext, token: Token) -> None:
    if not (ctx.admin or token.user_id == ctx.signed_in_user.id):
        raise BadRequest("400 Bad request", reason=f"the token belongs to somebody else than {caller_name(ctx)}")
    if not ctx.admin and token.kind not in _own_kinds(ctx):
        raise BadRequest("400 Bad request", reason="only administrators revoke impersonation tokens")
    tokens.revoke(ctx, token)


@own_area.operation("GET", f"{PERSONAL}/self", view=AccessTokenView, refusals=(400,), since="15.5")
def get_personal_access_token_self(ctx: ReadContext) -> Token:
    """Get the access token of the request."""
    return _get_sent_token(ctx)


def _get_sent_token(ctx: ReadContext) -> Token:
    if ctx.token is None or ctx.token.kind not in _ALL:
        text = "400 Bad request - This endpoint requires token type to be a personal access token"
        raise BadRequest(text, reason="the request has a credential of another kind")
    return ctx.world.tokens[ctx.token.id]


@own_area.operation("DELETE", f"{PERSONAL}/self", refusals=(400, 403), since="15.0")
def delete_personal_access_token_self(ctx: WriteContext) -> None:
    """Revoke the access token of the request."""
    token = _get_sent_token(ctx)
    if "api" not in token.scopes and not ctx.profile.has(EVERY_TOKEN_REVOKES_ITSELF):
        raise InsufficientScope("api read_api", reason="only tokens with the scope api revoke themselves")
    _revoke(ctx, token)


class ListAssociations(Paged):
    """The lowest access level of the caller."""

    min_access_level: Literal[5, 10, 15, 20, 25, 30, 40, 50, 60] | None = None


@own_area.operation(
    "GET", f"{PERSONAL}/self/associations", params=ListAssociations, view=Associations, refusals=(400,), since="17.4"
)
def list_personal_access_token_self_associations(ctx: ReadContext, p: ListAssociations) -> AssociationLists:
    """List the groups and projects that the access token of the request reaches."""
    _get_sent_token(ctx)
    groups, projects = (
        associations.list_groups(ctx, p.min_access_level),
        associations.list_projects(ctx, p.min_access_level),
    )
    return AssociationLists(_slice(groups, p), _slice(projects, p))


def _slice(rows: Sequence[T], p: Paged) -> Sequence[T]:
    # One page of each list is in the response, so it has no header for the next one.
    size = min(max(p.per_page, 1), MAX_PAGE_SIZE)
    start = (max(p.page, 1) - 1) * size
    return rows[start : start + size]


@rotation_area.operation(
    "POST",
    f"{PERSONAL}/self/rotate",
    params=RotateToken,
    view=AccessTokenWithToken,
    status=200,
    refusals=(400, 405),
    since="16.10",
)
def rotate_personal_access_token_self(ctx: WriteContext, p: RotateToken) -> Token:
    """Revoke the access token of the request, and create another one like it."""
    return rotate(ctx, get_rotated_token(ctx), p)


def get_rotated_token(ctx: WriteContext) -> Token:
    """Return the access token of the request; 405 for a credential of another kind."""
    if ctx.token is None or ctx.token.kind not in _ALL:
        raise MethodNotAllowed(reason="the request has a credential of another kind")
    return ctx.world.tokens[ctx.token.id]


class CreateOwnToken(Params):
    """A new token of the caller, with scopes that reach little, or a fine-grained one."""

    name: str
    scopes: Annotated[
        CommaList[Annotated[Literal["k8s_proxy", "self_rotate"], Lifetime(since="17.9", values=("self_rotate",))]]
        | None,
        Required(until="19.2"),
    ] = None
    description: Annotated[str | None, _DESCRIPTION] = None
    expires_at: Day | None = None
    granular_scopes: GranularScopes = None

    rules = (exactly_one_of("scopes", "granular_scopes", lifetime=_GRANULAR),)


@area.operation(
    "POST",
    f"user/{PERSONAL}",
    params=CreateOwnToken,
    view=AccessTokenWithToken,
    refusals=(422,),
    since="16.5",
)
def create_current_user_personal_access_token(ctx: WriteContext, p: CreateOwnToken) -> Token:
    """Create a personal access token of the caller. Only this response contains the token."""
    if p.granular_scopes is not None:
        return create_granular_token(ctx, ctx.signed_in_user, "personal", p)
    days = ctx.profile.choose(CURRENT_USER_TOKEN_DAYS)
    expires_at = p.expires_at or (None if days is None else to_iso_date(ctx.now() + days * DAY))
    return create_personal_token(ctx, ctx.signed_in_user, p.name, p.scopes or (), expires_at, p.description)
