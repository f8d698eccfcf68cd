"""The custom role of administrators that a user has, under ``admin_role`` of the user."""

from typing import Final

from fakeplat.core.schema.shapes import TEXT
from fakeplat.domain.people import member_roles
from fakeplat.model.people import UserMemberRole
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section
from fakeplat.scenario.section import MEMBERSHIPS, EntryData

_ROLE: Final = "member_role"


def _create(entry: Entry) -> UserMemberRole:
    name = entry.values[_ROLE]
    role = next((each for each in member_roles.list_admin_roles(entry.world) if each.name == name), None)
    if role is None:
        entry.fail(f"there is no custom role {name!r} of administrators", _ROLE)
    return member_roles.assign(entry.ctx, entry.owner, role)


def _describe(world: World, record: UserMemberRole) -> EntryData:
    return {_ROLE: world.member_roles[record.member_role_id].name}


SECTION: Final = derive_section(
    "admin_role",
    UserMemberRole,
    within=("user",),
    rank=MEMBERSHIPS,
    keys={_ROLE: TEXT},
    required=(_ROLE,),
    create=_create,
    parts=_describe,
    single=True,
)
