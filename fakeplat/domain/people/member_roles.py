"""Custom roles of the instance. Source: docs/platform/project-members.md."""

from collections.abc import Sequence
from typing import Any, Final

from fakeplat.core.operations.errors import BadRequest, NotFound
from fakeplat.domain.validation import TAKEN, ValidationErrors
from fakeplat.model.member_roles import BaseLevel, MemberRole
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext

_LEVEL_NAMES: Final = {10: "Guest", 15: "Planner", 20: "Reporter", 30: "Developer", 40: "Maintainer", 50: "Owner"}


def list_member_roles(world: World) -> Sequence[MemberRole]:
    """Return the custom roles, the oldest first."""
    return world.member_roles.all()


def find_member_role(world: World, id_: int) -> MemberRole:
    """Return the custom role with an id, or refuse with 404."""
    role = world.member_roles.get(id_)
    if role is None:
        raise NotFound("Member Role", reason=f"there is no custom role {id_}")
    return role


def create(ctx: WriteContext, *, base_access_level: BaseLevel, name: str | None = None, **fields: Any) -> MemberRole:
    """Create a custom role, named after its level by default; 400 for a name that is taken."""
    table = ctx.world.member_roles
    chosen = name if name and name.strip() else f"{_LEVEL_NAMES[base_access_level]} - custom"
    errors = ValidationErrors()
    errors.when(table.find("name", chosen), "name", TAKEN)
    if errors:
        raise BadRequest(", ".join(errors.full_messages()), reason=f"there is a custom role {chosen!r}")
    values = {"created_at": ctx.now_iso, **fields}
    return table.add(MemberRole(table.next_id(), chosen, base_access_level, **values))
