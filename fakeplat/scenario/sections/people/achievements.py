"""Achievements: under ``achievements`` of a group, and of a user who got some under ``awarded_achievements``."""

from typing import Final

from fakeplat.core.schema.shapes import TEXT
from fakeplat.domain.groups import achievements
from fakeplat.domain.people import namespaces
from fakeplat.model.people import Achievement, UserAchievement
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section, own_fields
from fakeplat.scenario.section import FURTHER, EntryData

_TIMES: Final = ("created_at", "updated_at")
_COPIED: Final = ("revoked_at", "priority", "show_on_profile")
_GROUP: Final = "group"
_NAME: Final = "achievement"


def _award(entry: Entry) -> UserAchievement:
    group, name = entry.get_group(entry.values[_GROUP], _GROUP), entry.values[_NAME]
    owned = entry.world.achievements.where("group", group.id)
    achievement = next((each for each in owned if each.name == name), None)
    if achievement is None:
        entry.fail(f"the group has no achievement {name!r}", _NAME)
    table = entry.world.user_achievements
    awarded_by = entry.user("awarded_by").id
    times = {time: entry.values.get(time, entry.created_at) for time in _TIMES}
    award = UserAchievement(table.next_id(), achievement.id, entry.owner.id, awarded_by, **times)
    revoked_by = entry.user("revoked_by").id if entry.values.get("revoked_by") else None
    return table.change(table.add(award), revoked_by_user_id=revoked_by, **entry.select(_COPIED))


def _describe(world: World, award: UserAchievement) -> EntryData:
    achievement = world.achievements[award.achievement_id]
    return {
        _GROUP: namespaces.full_path(world, achievements.group_of(world, achievement)),
        _NAME: achievement.name,
    }


GROUP: Final = derive_section("achievements", Achievement, within=("group",), required=("name",))
USER: Final = derive_section(
    "awarded_achievements",
    UserAchievement,
    within=("user",),
    rank=FURTHER + 1,
    keys={_GROUP: TEXT, _NAME: TEXT, "awarded_by": TEXT, "revoked_by": TEXT, **own_fields(UserAchievement)},
    references={"awarded_by": "awarded_by_user_id", "revoked_by": "revoked_by_user_id"},
    required=(_GROUP, _NAME, "awarded_by"),
    create=_award,
    parts=_describe,
)
