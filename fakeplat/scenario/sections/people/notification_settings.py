"""Notification settings: per user in groups and projects, and the global setting of each user."""

from collections.abc import Iterable
from typing import Any, Final

from fakeplat.core.schema.shapes import NULLABLE_TEXT, TEXT, Choice, ListOf, Object, Shape
from fakeplat.domain.people import notification_settings
from fakeplat.domain.people.members import source_of
from fakeplat.domain.people.notification_settings import EVENTS, LEVELS, PAID_EVENTS
from fakeplat.model.people import NotificationSetting, User
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import FURTHER, EntryData, Section
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


def _update_setting(entry: Entry, user: User, container: Any) -> NotificationSetting:
    changes = {"level": entry.values.get("level")}
    if "events" in entry.values:
        changes |= {name: name in entry.values["events"] for name in _ALL_EVENTS}
    if "notification_email" in entry.values:
        changes["notification_email"] = entry.values["notification_email"]
    return notification_settings.update(entry.ctx, user, container, **changes)


def _serialize(setting: NotificationSetting) -> EntryData:
    email = {"notification_email": setting.notification_email} if setting.notification_email else {}
    return {"level": setting.level, "events": list(setting.events), **email}


def _export_container_settings(world: World, container: Any) -> Iterable[tuple[NotificationSetting, EntryData]] | None:
    settings = world.notification_settings.where("source", source_of(container))
    return [
        (setting, {"username": serialization.username_of(world, setting.user_id), **_serialize(setting)})
        for setting in settings
    ] or None


def _export_user_setting(world: World, user: User) -> Iterable[tuple[NotificationSetting, EntryData]] | None:
    setting = world.notification_settings.find("own", (None, user.id))
    return [(setting, _serialize(setting))] if setting else None


CONTAINER_SETTINGS: Final = Section(
    "notification_settings",
    within=("group", "project"),
    rank=FURTHER,
    keys=Object({"username": TEXT, **_KEYS}, required=("username",), descriptions=_DESCRIPTIONS),
    create=lambda entry: _update_setting(entry, entry.user("username"), entry.owner),
    export=_export_container_settings,
    name_key="username",
    value_key="level",
)
USER_SETTINGS: Final = Section(
    "global_notification_setting",
    within=("user",),
    rank=FURTHER,
    keys=Object(_KEYS, descriptions=_DESCRIPTIONS),
    create=lambda entry: _update_setting(entry, entry.owner, None),
    export=_export_user_setting,
    single=True,
)
