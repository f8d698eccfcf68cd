"""Accounts that a group provides: enterprise users, and users with an identity at its single sign-on.

Source: docs/platform/users.md ('Enterprise users').
"""

from collections.abc import Sequence
from typing import Final

from fakeplat.api.people.users import matches_user_search
from fakeplat.api.scopes import GROUP
from fakeplat.core.operations.errors import BadRequest
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import Moment, Params
from fakeplat.domain.people import enterprise_users, two_factor
from fakeplat.domain.scim import saml_providers
from fakeplat.entities.people.users import ManagedUser
from fakeplat.model.people import Group, User
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.descriptions import describe

area: Final = Area("Members", login=Login.ALWAYS, located_first=True)
PATH: Final = "enterprise_users"
ONE: Final = f"{PATH}/:user_id"
open_area: Final = Area("Members", login=Login.WRITES, located_first=True)


class ListManagedUsers(Paged):
    """Filters of users."""

    username: str | None = None
    search: str | None = None
    active: bool = False
    blocked: bool = False
    created_after: Moment | None = None
    created_before: Moment | None = None


class ListEnterpriseUsers(ListManagedUsers):
    """The same, and whether they have two factors; other texts filter nothing."""

    two_factor: str | None = None


def require_root(ctx: ReadContext, group: Group) -> None:
    """Refuse a group that has a parent."""
    if group.parent_id is not None:
        text = "400 Bad request - Must be a top-level group"
        raise BadRequest(text, reason=lambda: f"{describe(ctx.world, group)} has a parent")


def _matches(ctx: ReadContext, p: ListManagedUsers, user: User) -> bool:
    return (
        (not p.username or user.username.lower() == p.username.lower())
        and (not p.search or matches_user_search(ctx.world, user, p.search))
        and (not p.active or user.state == "active")
        and (not p.blocked or user.is_blocked)
        and (p.created_after is None or user.created_at >= p.created_after)
        and (p.created_before is None or user.created_at <= p.created_before)
    )


def _locate(ctx: ReadContext, group: Group, user_id: int) -> User:
    require_root(ctx, group)
    authorize(ctx, Ability.ADMIN_GROUP, group)
    return enterprise_users.get_user(ctx.world, group, user_id)


@area.operation(
    "GET",
    PATH,
    scope=GROUP,
    params=ListEnterpriseUsers,
    view=ManagedUser,
    many=True,
    tier="premium",
    since="17.7",
    refusals=(400, 403),
)
def list_group_enterprise_users(ctx: ReadContext, group: Group, p: ListEnterpriseUsers) -> Sequence[User]:
    """List the enterprise users of a top-level group."""
    require_root(ctx, group)
    authorize(ctx, Ability.ADMIN_GROUP, group)
    return [
        user
        for user in enterprise_users.list_users(ctx.world, group)
        if _matches(ctx, p, user)
        and (p.two_factor not in ("enabled", "disabled") or user.two_factor_enabled is (p.two_factor == "enabled"))
    ]


@area.operation("GET", ONE, scope=GROUP, view=ManagedUser, tier="premium", since="17.9", refusals=(400, 403, 404))
def get_group_enterprise_user(ctx: ReadContext, group: Group, user_id: int) -> User:
    """Get an enterprise user of a top-level group."""
    return _locate(ctx, group, user_id)


class UpdateEnterpriseUser(Params):
    """A new name or address."""

    name: str | None = None
    email: str | None = None


@area.operation(
    "PATCH",
    ONE,
    scope=GROUP,
    params=UpdateEnterpriseUser,
    view=ManagedUser,
    tier="premium",
    since="18.6",
    refusals=(400, 403, 404, 409),
)
def update_group_enterprise_user(ctx: WriteContext, group: Group, user_id: int, p: UpdateEnterpriseUser) -> User:
    """Update an enterprise user of a top-level group."""
    return enterprise_users.update(ctx, group, _locate(ctx, group, user_id), p.name, p.email)


class DeleteEnterpriseUser(Params):
    """Whether the contributions are deleted, too."""

    hard_delete: bool = False


@area.operation(
    "DELETE",
    ONE,
    scope=GROUP,
    params=DeleteEnterpriseUser,
    tier="premium",
    since="18.3",
    refusals=(400, 403, 404, 409, 412),
)
def delete_group_enterprise_user(ctx: WriteContext, group: Group, user_id: int, p: DeleteEnterpriseUser) -> None:
    """Delete an enterprise user of a top-level group."""
    user = _locate(ctx, group, user_id)
    ctx.check_unmodified_since(user.updated_at)
    enterprise_users.delete(ctx, user, hard=p.hard_delete)


@area.operation(
    "PATCH",
    f"{ONE}/disable_two_factor",
    scope=GROUP,
    status=204,
    tier="ultimate",
    since="17.9",
    refusals=(400, 403, 404),
)
def disable_group_enterprise_user_two_factor(ctx: WriteContext, group: Group, user_id: int) -> None:
    """Disable the second factor of an enterprise user."""
    user = _locate(ctx, group, user_id)
    if not user.two_factor_enabled:
        text = "400 Bad request - Two-factor authentication is not enabled for this user"
        raise BadRequest(text, reason=f"{user.username} has no second factor")
    two_factor.disable(ctx, user)


@open_area.operation(
    "GET",
    "provisioned_users",
    scope=GROUP,
    ability=Ability.READ_PROVISIONED_USERS,
    params=ListManagedUsers,
    view=ManagedUser,
    many=True,
    tier="premium",
    since="14.8",
)
def list_group_provisioned_users(ctx: ReadContext, group: Group, p: ListManagedUsers) -> Sequence[User]:
    """List the users whom a group provisioned, the newest first."""
    provisioned = ctx.world.users.where("provisioned_by_group", group.id)
    return [user for user in provisioned if user.kind == "human" and _matches(ctx, p, user)][::-1]


@area.operation(
    "GET",
    "saml_users",
    scope=GROUP,
    params=ListManagedUsers,
    view=ManagedUser,
    many=True,
    tier="premium",
    since="18.1",
    refusals=(400, 403),
)
def list_group_saml_users(ctx: ReadContext, group: Group, p: ListManagedUsers) -> Sequence[User]:
    """List the users with an identity at the single sign-on of a top-level group, the newest first."""
    require_root(ctx, group)
    authorize(ctx, Ability.ADMIN_GROUP, group)
    provider = saml_providers.find_by_group(ctx.world, group)
    identities = [] if provider is None else saml_providers.list_identities(ctx.world, provider)
    found = (ctx.world.users[id_] for id_ in sorted({identity.user_id for identity in identities}, reverse=True))
    return [user for user in found if _matches(ctx, p, user)]
