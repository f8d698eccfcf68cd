"""Notification settings: per user in groups and projects, and the global setting of each user."""

from typing import Final

from fakeplat.core.schema.shapes import NULLABLE_TEXT, TEXT, Choice, ListOf, Shape
from fakeplat.domain.people import notification_settings
from fakeplat.domain.people.notification_settings import EVENTS, LEVELS, PAID_EVENTS
from fakeplat.model.people import NotificationSetting, User
from fakeplat.model.projects import Routable
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section
from fakeplat.scenario.section import EntryData
from fakeplat.scenario.sections import serialization

_ALL_EVENTS: Final = (*EVENTS, *PAID_EVENTS)
_KEYS: Final[dict[str, Shape]] = {
    "level": Choice(*LEVELS),
    "events": ListOf(Choice(*_ALL_EVENTS)),
    "notification_email": NULLABLE_TEXT,
}
_DESCRIPTIONS: Final = {
    "events": "Enabled events; they only take effect at the level custom.",
    "notification_email": "Where mail goes to; for a group, mail about its projects and subgroups.",
}


def _update_setting(entry: Entry, user: User, container: Routable | None) -> NotificationSetting:
    changes = {"level": entry.values.get("level")}
    if "events" in entry.values:
        changes |= {name: name in entry.values["events"] for name in _ALL_EVENTS}
    if "notification_email" in entry.values:
        changes["notification_email"] = entry.values["notification_email"]
    return notification_settings.update(entry.ctx, user, container, **changes)


def _serialize(_world: World, setting: NotificationSetting) -> EntryData:
    email = {"notification_email": setting.notification_email} if setting.notification_email else {}
    return {"level": setting.level, "events": list(setting.events), **email}


def _serialize_in_container(world: World, setting: NotificationSetting) -> EntryData:
    return {"username": serialization.username_of(world, setting.user_id), **_serialize(world, setting)}


def _list_global_settings(world: World, user: User) -> list[NotificationSetting]:
    setting = world.notification_settings.find("own", (None, user.id))
    return [setting] if setting else []


CONTAINER_SETTINGS: Final = derive_section(
    "notification_settings",
    NotificationSetting,
    within=("group", "project"),
    keys={"username": TEXT, **_KEYS},
    required=("username",),
    descriptions=_DESCRIPTIONS,
    create=lambda entry: _update_setting(entry, entry.user("username"), entry.owner),
    serialize=_serialize_in_container,
    name_key="username",
    value_key="level",
)
USER_SETTINGS: Final = derive_section(
    "global_notification_setting",
    NotificationSetting,
    within=("user",),
    keys=_KEYS,
    descriptions=_DESCRIPTIONS,
    create=lambda entry: _update_setting(entry, entry.owner, None),
    rows=_list_global_settings,
    serialize=_serialize,
    single=True,
)
