"""Service accounts of the instance and of top-level groups, and their personal access tokens.

Source: docs/platform/impersonation-and-access-tokens.md ('Service accounts').
"""

from collections.abc import Sequence
from typing import Annotated, Final, Literal

from fakeplat.api.people.access_tokens import (
    LATER_SCOPE_MARKERS,
    RotateToken,
    create_personal_token,
    rotate,
)
from fakeplat.api.people.token_filters import FilterTokens, select_tokens
from fakeplat.api.scopes import GROUP
from fakeplat.core.operations.errors import BadRequest, NotFound, RecordNotFound
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import OrderedCursorPaged, Paging
from fakeplat.core.params.params import CommaList, Day, Params
from fakeplat.core.release import Lifetime
from fakeplat.domain.people import service_accounts, tokens, users
from fakeplat.domain.people.service_accounts import Names
from fakeplat.domain.people.tokens import LaterScope, Scope
from fakeplat.entities.people.access_tokens import AccessTokenView, AccessTokenWithToken
from fakeplat.entities.people.service_accounts import ServiceAccountView
from fakeplat.model.people import Group, Token, User
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Service accounts", login=Login.ALWAYS, located_first=True)
instance_area: Final = Area("Service accounts", login=Login.ALWAYS, located_first=True)
_NAMES: Final = Lifetime(since="16.10")
PATH: Final = "service_accounts"
ACCOUNT: Final = f"{PATH}/:user_id"
TOKENS: Final = f"{ACCOUNT}/personal_access_tokens"


class CreateServiceAccount(Params):
    """The names of a service account; by default, they are made up."""

    name: Annotated[str | None, _NAMES] = None
    username: Annotated[str | None, _NAMES] = None
    email: Annotated[str | None, Lifetime(since="17.9")] = None


class CreateGroupServiceAccount(CreateServiceAccount):
    """The same for an account of a group."""

    email: Annotated[str | None, Lifetime(since="17.11")] = None


class UpdateServiceAccount(Params):
    """New names of a service account."""

    name: str | None = None
    username: str | None = None
    email: str | None = None


class UpdateGroupServiceAccount(UpdateServiceAccount):
    """The same for an account of a group."""

    email: Annotated[str | None, Lifetime(since="18.2")] = None


class ListServiceAccounts(OrderedCursorPaged):
    """The order of service accounts."""

    order_by: Literal["id", "username"] = "id"
    sort: Literal["asc", "desc"] = "desc"


def _names(p: CreateServiceAccount | UpdateServiceAccount) -> Names:
    names: Names = {}
    if p.name:
        names["name"] = p.name
    if p.username:
        names["username"] = p.username
    if p.email:
        names["email"] = p.email
    return names


@instance_area.operation(
    "GET",
    PATH,
    params=ListServiceAccounts,
    view=ServiceAccountView,
    many=True,
    paging=Paging(cursor=True),
    ability=Ability.ADMIN_INSTANCE_SERVICE_ACCOUNTS,
    tier="premium",
    since="17.1",
)
def list_service_accounts(ctx: ReadContext, p: ListServiceAccounts) -> Sequence[User]:
    """List the service accounts of the instance. Administrators only."""
    return service_accounts.list_accounts(ctx.world, p.order_by, p.sort)


@instance_area.operation(
    "POST",
    PATH,
    params=CreateServiceAccount,
    view=ServiceAccountView,
    ability=Ability.ADMIN_INSTANCE_SERVICE_ACCOUNTS,
    tier="premium",
    refusals=(400,),
    since="16.1",
)
def create_service_account(ctx: WriteContext, p: CreateServiceAccount) -> User:
    """Create a service account of the instance. Administrators only."""
    return service_accounts.create(ctx, None, **_names(p))


@instance_area.operation(
    "PATCH",
    ACCOUNT,
    params=UpdateServiceAccount,
    view=ServiceAccountView,
    ability=Ability.ADMIN_INSTANCE_SERVICE_ACCOUNTS,
    tier="premium",
    refusals=(400, 404),
    since="18.2",
)
def update_service_account(ctx: WriteContext, user_id: int, p: UpdateServiceAccount) -> User:
    """Update a service account. Administrators only."""
    account = ctx.world.users.get(user_id)
    if account is None:
        raise RecordNotFound(reason=f"there is no user {user_id}")
    if account.kind != "service_account":
        raise BadRequest("User is not a service account", reason=f"{account.username} is no service account")
    return service_accounts.update(ctx, account, **_names(p))


@area.operation(
    "POST",
    PATH,
    scope=GROUP,
    ability=Ability.ADMIN_SERVICE_ACCOUNTS,
    params=CreateGroupServiceAccount,
    view=ServiceAccountView,
    tier="premium",
    refusals=(400,),
    since="16.1",
)
def create_group_service_account(ctx: WriteContext, group: Group, p: CreateGroupServiceAccount) -> User:
    """Create a service account in a top-level group. It is no member yet."""
    if group.parent_id is not None:
        text = "User does not have permission to create a service account in this namespace."
        raise BadRequest(f"400 Bad request - {text}", reason="only top-level groups have service accounts")
    return service_accounts.create(ctx, group, **_names(p))


@area.operation(
    "GET",
    PATH,
    scope=GROUP,
    ability=Ability.ADMIN_SERVICE_ACCOUNTS,
    params=ListServiceAccounts,
    view=ServiceAccountView,
    many=True,
    paging=Paging(cursor=True),
    tier="premium",
    since="17.1",
)
def list_group_service_accounts(ctx: ReadContext, group: Group, p: ListServiceAccounts) -> Sequence[User]:
    """List the service accounts of a group."""
    return service_accounts.list_accounts(ctx.world, p.order_by, p.sort, group)


@area.operation(
    "PATCH",
    ACCOUNT,
    scope=GROUP,
    ability=Ability.ADMIN_SERVICE_ACCOUNTS,
    params=UpdateGroupServiceAccount,
    view=ServiceAccountView,
    tier="premium",
    refusals=(400, 404),
    since="17.10",
)
def update_group_service_account(ctx: WriteContext, group: Group, user_id: int, p: UpdateGroupServiceAccount) -> User:
    """Update a service account of a group."""
    return service_accounts.update(ctx, service_accounts.get_account(ctx.world, group, user_id), **_names(p))


class DeleteServiceAccount(Params):
    """Whether the contributions are deleted, too."""

    hard_delete: bool = False


@area.operation(
    "DELETE",
    ACCOUNT,
    scope=GROUP,
    ability=Ability.ADMIN_SERVICE_ACCOUNTS,
    params=DeleteServiceAccount,
    tier="premium",
    refusals=(400, 404, 409, 412),
    since="17.1",
)
def delete_group_service_account(ctx: WriteContext, group: Group, user_id: int, p: DeleteServiceAccount) -> None:
    """Delete a service account of a group."""
    account = service_accounts.get_account(ctx.world, group, user_id)
    ctx.check_unmodified_since(account.updated_at)
    users.delete(ctx, account, hard=p.hard_delete)


@area.operation(
    "GET",
    TOKENS,
    scope=GROUP,
    ability=Ability.ADMIN_SERVICE_ACCOUNTS,
    params=FilterTokens,
    view=AccessTokenView,
    many=True,
    tier="premium",
    refusals=(400, 404),
    since="17.11",
)
def list_group_service_account_personal_access_tokens(
    ctx: ReadContext, group: Group, user_id: int, p: FilterTokens
) -> Sequence[Token]:
    """List the personal access tokens of a service account."""
    account = service_accounts.get_account(ctx.world, group, user_id)
    return select_tokens(ctx, tokens.list_of_user(ctx.world, account, "personal"), p)


class CreateServiceAccountToken(Params):
    """A new token of a service account."""

    name: str
    scopes: CommaList[Annotated[Literal[Scope, LaterScope], *LATER_SCOPE_MARKERS]]
    expires_at: Day | None = None
    description: Annotated[str | None, Lifetime(since="17.7")] = None


@area.operation(
    "POST",
    TOKENS,
    scope=GROUP,
    ability=Ability.ADMIN_SERVICE_ACCOUNTS,
    params=CreateServiceAccountToken,
    view=AccessTokenWithToken,
    tier="premium",
    refusals=(400, 404, 422),
    since="16.1",
)
def create_group_service_account_personal_access_token(
    ctx: WriteContext, group: Group, user_id: int, p: CreateServiceAccountToken
) -> Token:
    """Create a personal access token of a service account. Only this response contains the token."""
    account = service_accounts.get_account(ctx.world, group, user_id)
    return create_personal_token(ctx, account, p.name, p.scopes, p.expires_at, p.description)


@area.operation(
    "DELETE",
    f"{TOKENS}/:token_id",
    scope=GROUP,
    ability=Ability.ADMIN_SERVICE_ACCOUNTS,
    tier="premium",
    refusals=(400, 404),
    since="17.11",
)
def delete_group_service_account_personal_access_token(
    ctx: WriteContext, group: Group, user_id: int, token_id: int
) -> None:
    """Revoke a personal access token of a service account."""
    token = _find_token(ctx, service_accounts.get_account(ctx.world, group, user_id), token_id)
    if token is None:
        raise NotFound("Personal Access Token", reason=f"the account has no token {token_id}")
    tokens.revoke(ctx, token)


def _find_token(ctx: ReadContext, account: User, token_id: int) -> Token | None:
    token = ctx.world.tokens.get(token_id)
    return token if token is not None and token.user_id == account.id else None


class RotateAccountToken(RotateToken):
    """The day of expiry came later than the operation."""

    expires_at: Annotated[Day | None, Lifetime(since="17.9")] = None


@area.operation(
    "POST",
    f"{TOKENS}/:token_id/rotate",
    scope=GROUP,
    ability=Ability.ADMIN_SERVICE_ACCOUNTS,
    params=RotateAccountToken,
    view=AccessTokenWithToken,
    status=200,
    tier="premium",
    refusals=(400, 404),
    since="16.1",
)
def rotate_group_service_account_personal_access_token(
    ctx: WriteContext, group: Group, user_id: int, token_id: int, p: RotateAccountToken
) -> Token:
    """Revoke a personal access token of a service account, and create another one like it."""
    token = _find_token(ctx, service_accounts.get_account(ctx.world, group, user_id), token_id)
    if token is None:
        raise NotFound(reason=f"the account has no token {token_id}")
    return rotate(ctx, token, p)
