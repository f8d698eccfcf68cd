"""Personal access tokens. Source: docs/platform/impersonation-and-access-tokens.md, docs/platform/graphql.md."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, Required, TypedDict, Unpack

from graphql import GraphQLError

from fakeplat.core.operations.errors import InvalidRecord, NotFound, Unprocessable
from fakeplat.core.store.frozen import frozen
from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.domain.people import granular_tokens, token_lists, tokens
from fakeplat.domain.people.granular_tokens import ScopeRequest
from fakeplat.domain.people.namespaces import find_user_namespace
from fakeplat.domain.people.token_lists import TokenFilters, TokenOrder
from fakeplat.domain.validation import join_words
from fakeplat.graphql.errors import ResourceNotAvailable, error_messages
from fakeplat.graphql.ids import parse_global_id, parse_id
from fakeplat.graphql.people.groups import NAMESPACE
from fakeplat.graphql.people.users import USER
from fakeplat.graphql.schema_builder import Enumeration, Input, Scalar, Type, Union, mutation
from fakeplat.model.people import GranularAccess, GranularScope, Namespace, Token, TokenKind, User
from fakeplat.model.projects import Project
from fakeplat.policy.authorization import caller_name
from fakeplat.policy.behaviours import REVOKED_TOKEN_TEXT
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.granular_scopes import FLAG, are_enabled, is_granular

Payload = Mapping[str, Any]
_SINCE: Final = "18.6"
_ROTATED: Final = "18.7"
_REVOKED: Final = "18.8"
_KIND: Final = "PersonalAccessToken"
_KINDS: Final[tuple[TokenKind, ...]] = ("personal", "project", "group", "impersonation")
_ID: Final = '"""The global ID of the token."""\nid: PersonalAccessTokenID!'
_DATE: Final = len("2020-11-20")
_ORDERS: Final[Mapping[str, tuple[TokenOrder, str]]] = {
    "CREATED": ("created", "the time of creation"),
    "EXPIRES": ("expires", "the last day"),
    "LAST_USED": ("last_used", "the last use"),
    "ID": ("id", "ID"),
    "NAME": ("name", "name"),
}
_DIRECTIONS: Final = (("DESC", True, "falling"), ("ASC", False, "rising"))

Scalar("GlobalID", "A global ID.", since="<=14.0")
Scalar("PersonalAccessTokenID", "The global ID of a record of the type PersonalAccessToken.", since=_ROTATED)
Enumeration(
    "AccessTokenSort",
    "Orders of tokens.",
    {
        f"{name}_{direction}": ((order, is_descending), f"By {words}, {way}.")
        for name, (order, words) in _ORDERS.items()
        for direction, is_descending, way in _DIRECTIONS
    },
    since=_SINCE,
)
Enumeration(
    "AccessTokenState",
    "States of tokens.",
    {"ACTIVE": ("active", "It is valid."), "INACTIVE": ("inactive", "It is revoked or expired.")},
    since=_SINCE,
)
Enumeration(
    "AccessTokenGranularScopeAccess",
    "Where a fine-grained token has permissions.",
    {
        "PERSONAL_PROJECTS": ("personal_projects", "In the user's own projects."),
        "ALL_MEMBERSHIPS": ("all_memberships", "In all groups and projects of the user."),
        "SELECTED_MEMBERSHIPS": ("selected_memberships", "In a group or project."),
        "USER": ("user", "For the user's own things."),
        "INSTANCE": ("instance", "For those of the instance."),
    },
    since=_SINCE,
)
LEGACY_SCOPE = Type("AccessTokenLegacyScope", "A scope of a token that is not fine-grained.", since=_SINCE)
LEGACY_SCOPE.attributes({"value: String!": "The name."})
Input(
    "GranularScopeInput",
    "Permissions of a new fine-grained token.",
    '''
"""Where the token has them."""
access: AccessTokenGranularScopeAccess!
"""The permissions."""
permissions: [String!]!
"""The global IDs of the groups and projects."""
resourceIds: [GlobalID!]
''',
    since=_ROTATED,
)
GRANULAR_SCOPE = Type("AccessTokenGranularScope", "Permissions of a fine-grained token.", since=_SINCE)
GRANULAR_SCOPE.attributes({"access: AccessTokenGranularScopeAccess!": "Where the token has them."})
TOKEN = Type(_KIND, "A personal access token.", gid=_KIND, since=_SINCE, has_count=True)
TOKEN.attributes(
    {
        "name: String!": "The name.",
        "description: String": "The description.",
        "revoked: Boolean!": "Whether it is revoked.",
        "lastUsedIps: [String!]!": "The addresses that used it last.",
        "lastUsedAt: Time": "Timestamp of the last use.",
        "createdAt: Time!": "Timestamp of creation.",
    }
)


@frozen
class LegacyScope:
    """A scope of a token that is not fine-grained."""

    value: str


Union(
    "PersonalAccessTokenScope",
    "A scope of a token.",
    (LEGACY_SCOPE, GRANULAR_SCOPE),
    lambda scope: (LEGACY_SCOPE if isinstance(scope, LegacyScope) else GRANULAR_SCOPE).name,
    since=_SINCE,
)


@GRANULAR_SCOPE.field(f"namespace: {NAMESPACE.name}")
def namespace_of(ctx: ReadContext, scope: GranularScope) -> Namespace | Project | None:
    """The group or project, or the user's namespace; null for all of them and for what belongs to none."""
    if scope.project_id is not None:
        return ctx.world.projects.get(scope.project_id)
    if scope.group_id is not None:
        return ctx.world.namespaces.get(scope.group_id)
    owner = tokens.owner_of(ctx.world, ctx.world.tokens[scope.token_id])
    if scope.access != "personal_projects" or owner is None:
        return None
    return find_user_namespace(ctx.world, owner)


@TOKEN.field("granular: Boolean!")
def granular(_ctx: ReadContext, token: Token) -> bool:
    """Whether it is fine-grained."""
    return is_granular(token)


@TOKEN.field("active: Boolean!")
def is_active(ctx: ReadContext, token: Token) -> bool:
    """Whether it is neither revoked nor expired."""
    return tokens.is_active(ctx, token)


@TOKEN.field("scopes: [PersonalAccessTokenScope!]!")
def scopes_of(ctx: ReadContext, token: Token) -> Sequence[LegacyScope | GranularScope]:
    """What it allows."""
    if is_granular(token):
        return list(ctx.world.granular_scopes.where("token", token.id))
    return [LegacyScope(scope) for scope in token.scopes]


@TOKEN.field("expiresAt: Date")
def expires_at(_ctx: ReadContext, token: Token) -> str | None:
    """The day from which it is invalid."""
    return token.expires_at[:_DATE] if token.expires_at else None


class TokenArguments(TypedDict, total=False):
    """What restricts tokens."""

    search: str | None
    state: Literal["active", "inactive"] | None
    revoked: bool | None
    expires_before: str | None
    expires_after: str | None
    created_before: str | None
    created_after: str | None
    last_used_before: str | None
    last_used_after: str | None


@USER.field(
    """personalAccessTokens(search: String, sort: AccessTokenSort = EXPIRES_ASC, state: AccessTokenState,
    revoked: Boolean, expiresBefore: Date, expiresAfter: Date, createdBefore: Time, createdAfter: Time,
    lastUsedBefore: Time, lastUsedAfter: Time): PersonalAccessTokenConnection""",
    since=_SINCE,
)
def tokens_of(
    ctx: ReadContext, user: User, sort: tuple[TokenOrder, bool] | None = None, **filters: Unpack[TokenArguments]
) -> Sequence[Token] | None:
    """The personal access tokens, for the user and for administrators."""
    if not _manages(ctx, user):
        return None
    order, is_descending = sort or ("id", True)
    found = token_lists.select(ctx, tokens.list_of_user(ctx.world, user, *_KINDS), TokenFilters(**filters))
    return token_lists.sort(found, order, descending=is_descending)


def _manages(ctx: ReadContext, user: User | None) -> bool:
    return user is not None and ctx.viewer is not None and (ctx.admin or ctx.viewer.id == user.id)


# Changes


def _require_feature(ctx: WriteContext) -> None:
    if not are_enabled(ctx, ctx.signed_in_user):
        raise GraphQLError(f"`{FLAG}` feature flag is disabled.")


class ScopeArguments(TypedDict, total=False):
    """A granular scope as a client asks for it."""

    access: Required[GranularAccess]
    permissions: Required[Sequence[str]]
    resource_ids: Sequence[str] | None


@mutation(
    "personalAccessTokenCreate",
    input_fields='''
"""The name."""
name: String!
"""The description."""
description: String
"""The day from which it is invalid."""
expiresAt: ISO8601Date
"""What it allows."""
granularScopes: [GranularScopeInput!]!
''',
    payload_fields='"""The new token."""\ntoken: String',
    since=_ROTATED,
)
def create_token(
    ctx: WriteContext,
    name: str,
    granular_scopes: Sequence[ScopeArguments],
    description: str | None = None,
    expires_at: str | None = None,
) -> Payload:
    """Create a fine-grained token of the caller."""
    _require_feature(ctx)
    requests = [_request_scope(ctx, scope) for scope in granular_scopes]
    try:
        token = granular_tokens.create(
            ctx,
            ctx.signed_in_user,
            "personal",
            requests,
            name=name,
            expires_at=expires_at,
            description=description,
        )
    except NotFound as refusal:
        raise ResourceNotAvailable(refusal.why) from None
    except Unprocessable as refusal:
        return {"token": None, "errors": error_messages(refusal)}
    except InvalidRecord as refusal:
        return {"token": None, "errors": [join_words(refusal.full_messages())]}
    return {"token": token.value}


def _request_scope(ctx: ReadContext, scope: ScopeArguments) -> ScopeRequest:
    ids: dict[str, list[int]] = {"Project": [], "Group": []}
    for text in scope.get("resource_ids") or ():
        kind, id_ = parse_global_id(ctx, text, "GranularScope", ("Project", "Group"))
        ids[kind].append(parse_number(id_) or 0)
    return ScopeRequest(scope["access"], scope["permissions"], ids["Project"], ids["Group"])


def _require_token(ctx: WriteContext, text: str) -> Token:
    """Return a token of the caller, or for administrators anybody's, while the feature is on."""
    _require_feature(ctx)
    token = ctx.world.tokens.get(parse_id(ctx, text, _KIND))
    if token is None or token.kind not in _KINDS or not _manages(ctx, tokens.owner_of(ctx.world, token)):
        raise ResourceNotAvailable(lambda: f"{caller_name(ctx)} has no token {text}")
    return token


@mutation("personalAccessTokenRevoke", input_fields=_ID, payload_fields="", since=_REVOKED)
def revoke_token(ctx: WriteContext, id: str) -> Payload:
    """Revoke a personal access token; only administrators revoke those for impersonation."""
    token = _require_token(ctx, id)
    if token.kind == "impersonation" and not ctx.admin:
        raise ResourceNotAvailable("only administrators revoke impersonation tokens")
    if not token.revoked:
        tokens.revoke(ctx, token)
    return {}


@mutation(
    "personalAccessTokenRotate",
    input_fields=f'{_ID}\n"""The day from which the new token is invalid."""\nexpiresAt: ISO8601Date',
    payload_fields='"""The new token."""\ntoken: String',
    since=_ROTATED,
)
def rotate_token(ctx: WriteContext, id: str, expires_at: str | None = None) -> Payload:
    """Revoke a personal access token, and create another one like it, by default with the same last day."""
    token = _require_token(ctx, id)
    if token.revoked:
        return {"token": None, "errors": [ctx.profile.choose(REVOKED_TOKEN_TEXT)]}
    try:
        rotated = tokens.rotate(ctx, token, expires_at or token.expires_at or tokens.default_expiry_of_rotated(ctx))
    except InvalidRecord as refusal:
        return {"token": None, "errors": refusal.full_messages()}
    return {"token": rotated.value}
