"""Members of groups and projects."""

from typing import Final, Protocol

from fakeplat.core.schema.shapes import BOOLEAN, COUNT, DATE, DATE_TIME, NULLABLE_TEXT, TEXT, Choice, Nullable, Object
from fakeplat.domain.people import members
from fakeplat.model.people import LEVEL_NAMES, Level, MemberRole
from fakeplat.model.projects import Member, Routable
from fakeplat.model.world import World
from fakeplat.policy.levels import ancestors_of
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import MEMBERSHIPS, EntryData, Section
from fakeplat.scenario.sections import serialization

KEY: Final = "members"


class _WithRole(Protocol):
    @property
    def member_role_id(self) -> int | None: ...


LEVEL: Final = Choice(*LEVEL_NAMES, *map(int, LEVEL_NAMES.values()), meanings=LEVEL_NAMES)
"""An access level, by name or number."""
_KEYS: Final = {
    "username": TEXT,
    "access_level": LEVEL,
    "expires_at": Nullable(DATE),
    "notification_level": COUNT,
    "created_at": DATE_TIME,
    "member_role": NULLABLE_TEXT,
    "state": Choice("active", "awaiting"),
    "ldap": BOOLEAN,
    "override": BOOLEAN,
}
_ROLE: Final = "member_role"
_COPIED: Final = tuple(name for name in _KEYS if name != _ROLE)
_CHECKED: Final = ("access_level", "expires_at")
_STORED: Final = ("notification_level", "created_at", "state", "ldap", "override")


def _create(entry: Entry) -> Member:
    container, user = entry.owner, entry.user("username")
    existing = members.find_member(entry.world, container, user)
    role_change = resolve_role(entry)
    if existing is None:
        member = members.add_member(entry.ctx, container, user, **entry.select(_CHECKED), **role_change, is_older=True)
        member = entry.world.members.change(member, created_at=entry.since)
    else:
        member = members.update_member(entry.ctx, container, existing, **entry.select(_CHECKED), **role_change)
    return entry.world.members.change(member, **entry.select(_STORED))


def resolve_role(entry: Entry) -> EntryData:
    """Return the id of the custom role that an entry names, if it has the key."""
    name = entry.values.get(_ROLE)
    if name is None:
        return {"member_role_id": None} if _ROLE in entry.values else {}
    role = find_role(entry.world, entry.owner, name)
    if role is None:
        entry.fail(f"unknown custom role {name!r}", _ROLE)
    return {"member_role_id": role.id}


def find_role(world: World, container: Routable, name: str) -> MemberRole | None:
    """Return the custom role of the top-level group or of the instance with a name."""
    *_, root = ancestors_of(world, container)
    table = world.member_roles
    return table.find("name", (root.id, name)) or table.find("name", (None, name))


def _export(world: World, container: Routable) -> list[tuple[Member, EntryData]]:
    """Export the members even if there are none: without the key, the creator would become a member."""
    return [(member, _serialize(world, container, member)) for member in members.list_direct(world, container)]


def _serialize(world: World, container: Routable, member: Member) -> EntryData:
    data = serialization.non_default_fields(member, _COPIED)
    identity = {
        "username": serialization.username_of(world, member.user_id),
        "access_level": Level(member.access_level).name.lower(),
    }
    shown = serialization.remove_defaults(data, access_level=member.access_level, created_at=container.created_at)
    return identity | shown | serialize_role(world, member)


def serialize_role(world: World, record: _WithRole) -> EntryData:
    """Return the name of a record's custom role, if it has one."""
    return {_ROLE: world.member_roles[record.member_role_id].name} if record.member_role_id else {}


SECTION: Final = Section(
    KEY,
    within=("group", "project"),
    rank=MEMBERSHIPS,
    keys=Object(
        _KEYS,
        required=("username", "access_level"),
        descriptions={
            _ROLE: "Name of the member's custom role, which has the same access level.",
            "state": "Whether the membership is active or awaits approval and grants nothing. Default: active.",
            "ldap": "Whether an LDAP group decides the level. Default: false.",
            "override": "Whether the level may differ from that of the LDAP group. Default: false.",
        },
    ),
    create=_create,
    export=_export,
    name_key="username",
    value_key="access_level",
    record=Member,
)
