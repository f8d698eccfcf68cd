"""Custom roles in scenarios: of the instance, or of a top-level group."""

from collections.abc import Iterable
from typing import Final

from fakeplat.domain.people import member_roles
from fakeplat.model.people import Group, MemberRole
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section, own_fields
from fakeplat.scenario.section import MEMBERSHIPS, SCENARIO

_FIELDS: Final = own_fields(MemberRole, without=("group_id",))


def _create(entry: Entry) -> MemberRole:
    group = entry.owner if isinstance(entry.owner, Group) else None
    values = {"created_at": entry.created_at, **entry.select(_FIELDS)}
    name, level = values.pop("name", None), values.pop("base_access_level", None)
    # Roles without permissions are of use in tests, although later releases create none.
    role = member_roles.build(entry.ctx, name or member_roles.name_by_default(level), level, group, **values)
    return entry.world.member_roles.add(role)


def _list_rows(world: World, owner: Group | None) -> Iterable[MemberRole]:
    if owner is not None:
        return world.member_roles.where("group", owner.id)
    return (role for role in world.member_roles.all() if role.group_id is None)


SECTION: Final = derive_section(
    "member_roles",
    MemberRole,
    within=(SCENARIO, "group"),
    # Members get roles.
    rank=MEMBERSHIPS - 1,
    keys=_FIELDS,
    create=_create,
    rows=_list_rows,
)
