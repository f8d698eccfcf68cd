"""Custom roles of the instance. Source: docs/platform/project-members.md."""

from collections.abc import Sequence
from typing import Annotated, Final, cast

from fakeplat.core.operations.errors import BadRequest
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import Params
from fakeplat.core.release import Lifetime
from fakeplat.domain.people import member_roles
from fakeplat.entities.people.member_roles import MemberRoleView
from fakeplat.model.people import ROLE_PERMISSIONS, BaseLevel, MemberRole
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Instance", login=Login.ALWAYS)
_PATH: Final = "member_roles"


@area.operation(
    "GET",
    _PATH,
    ability=Ability.ADMIN_MEMBER_ROLES,
    view=MemberRoleView,
    many=True,
    paging=None,
    tier="ultimate",
    since="16.9",
    refusals=(400,),
)
def list_member_roles(ctx: ReadContext) -> Sequence[MemberRole]:
    """List the custom roles of the instance."""
    _require_own_instance(ctx)
    return member_roles.list_member_roles(ctx.world)


def _require_own_instance(ctx: ReadContext) -> None:
    if ctx.instance.hosted:
        raise BadRequest("400 Bad request", reason="the hosted offering has custom roles of groups only")


class RoleFields(Params):
    """A new custom role, apart from the permissions that it adds."""

    base_access_level: Annotated[BaseLevel, Lifetime(since="17.7", values=(15,))]
    name: str | None = None
    description: str | None = None


CreateMemberRole: Final = cast(
    type[RoleFields],
    type(
        "CreateMemberRole",
        (RoleFields,),
        {
            "__doc__": "A new custom role and the permissions that it adds.",
            "__annotations__": {name: Annotated[bool, lifetime] for name, lifetime in ROLE_PERMISSIONS.items()},
            **dict.fromkeys(ROLE_PERMISSIONS, False),
        },
    ),
)


@area.operation(
    "POST",
    _PATH,
    ability=Ability.ADMIN_MEMBER_ROLES,
    params=CreateMemberRole,
    view=MemberRoleView,
    tier="ultimate",
    since="16.9",
    refusals=(400,),
)
def create_member_role(ctx: WriteContext, p: RoleFields) -> MemberRole:
    """Create a custom role of the instance."""
    _require_own_instance(ctx)
    # A null means the default.
    return member_roles.create(ctx, **{name: value for name, value in p.given().items() if value is not None})


@area.operation(
    "DELETE",
    f"{_PATH}/:id",
    ability=Ability.ADMIN_MEMBER_ROLES,
    tier="ultimate",
    since="16.9",
    refusals=(400, 404),
)
def delete_member_role(ctx: WriteContext, id: int) -> None:
    """Delete a custom role of the instance."""
    _require_own_instance(ctx)
    member_roles.delete(ctx, member_roles.get_member_role(ctx.world, id))
