"""Members of groups and projects."""

from typing import Any, Final

from fakeplat.core.schema.shapes import COUNT, DATE, DATE_TIME, TEXT, Choice, Nullable, Object
from fakeplat.domain.people import members
from fakeplat.model.levels import LEVEL_NAMES, Level
from fakeplat.model.projects import Member
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import MEMBERSHIPS, Section, Told
from fakeplat.scenario.sections import serialization as telling

KEY: Final = "members"
LEVEL: Final = Choice(*LEVEL_NAMES, *map(int, LEVEL_NAMES.values()), meanings=LEVEL_NAMES)
"""An access level, by name or number."""
_KEYS: Final = {
    "username": TEXT,
    "access_level": LEVEL,
    "expires_at": Nullable(DATE),
    "notification_level": COUNT,
    "created_at": DATE_TIME,
}
_CHECKED: Final = ("access_level", "expires_at")


def _make(entry: Entry) -> Member:
    place, user = entry.owner, entry.user("username")
    found = members.find_member(entry.world, place, user)
    if found is None:
        member = members.add_member(entry.ctx, place, user, **entry.given(_CHECKED), came_first=True)
        member = entry.world.members.change(member, created_at=entry.since)
    else:
        member = members.update_member(entry.ctx, place, found, **entry.given(_CHECKED))
    return entry.world.members.change(member, **entry.given(("notification_level", "created_at")))


def _tell(world: World, place: Any) -> list[tuple[Member, Told]]:
    """Those that there are, even if there is none: a creator who is not among them is no member."""
    return [(member, _told(world, place, member)) for member in members.list_direct(world, place)]


def _told(world: World, place: Any, member: Member) -> Told:
    found = telling.non_default_fields(member, _KEYS)
    named = {
        "username": telling.username_of(world, member.user_id),
        "access_level": Level(member.access_level).name.lower(),
    }
    return named | telling.remove_defaults(found, access_level=member.access_level, created_at=place.created_at)


SECTION: Final = Section(
    KEY,
    under=("group", "project"),
    rank=MEMBERSHIPS,
    keys=Object(_KEYS, required=("username", "access_level")),
    make=_make,
    tell=_tell,
    named="username",
    value="access_level",
)
