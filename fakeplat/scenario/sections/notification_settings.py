"""Of what users want to be told: in groups and projects by user, everywhere under the user."""

from collections.abc import Iterable
from typing import Any, Final

from fakeplat.core.schema.shapes import NULLABLE_TEXT, TEXT, Choice, ListOf, Object, Shape
from fakeplat.domain.people import notification_settings
from fakeplat.domain.people.members import source_of
from fakeplat.domain.people.notification_settings import EVENTS, LEVELS, PAID_EVENTS
from fakeplat.model.notification_settings import NotificationSetting
from fakeplat.model.users import User
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import FURTHER, Section, Told
from fakeplat.scenario.sections import serialization as telling

_ALL: Final = (*EVENTS, *PAID_EVENTS)
_KEYS: Final[dict[str, Shape]] = {"level": Choice(*LEVELS), "events": ListOf(Choice(*_ALL))}
_ABOUT: Final = {"events": "Those that are on; they count at the level custom."}


def _put(entry: Entry, user: User, place: Any) -> NotificationSetting:
    given = {"level": entry.said.get("level")}
    if "events" in entry.said:
        given |= {name: name in entry.said["events"] for name in _ALL}
    if "notification_email" in entry.said:
        given["notification_email"] = entry.said["notification_email"]
    return notification_settings.update(entry.ctx, user, place, given)


def _told(setting: NotificationSetting) -> Told:
    email = {"notification_email": setting.notification_email} if setting.notification_email else {}
    return {"level": setting.level, "events": list(setting.events), **email}


def _tell_of_place(world: World, place: Any) -> Iterable[tuple[NotificationSetting, Told]] | None:
    found = world.notification_settings.where("source", source_of(place))
    return [(one, {"username": telling.username_of(world, one.user_id), **_told(one)}) for one in found] or None


def _tell_of_user(world: World, user: User) -> Iterable[tuple[NotificationSetting, Told]] | None:
    found = world.notification_settings.find("own", (None, user.id))
    return [(found, _told(found))] if found else None


OF_PLACES: Final = Section(
    "notification_settings",
    under=("group", "project"),
    rank=FURTHER,
    keys=Object({"username": TEXT, **_KEYS}, required=("username",), descriptions=_ABOUT),
    make=lambda entry: _put(entry, entry.user("username"), entry.owner),
    tell=_tell_of_place,
    named="username",
    value="level",
)
OF_USERS: Final = Section(
    "global_notification_setting",
    under=("user",),
    rank=FURTHER,
    keys=Object({**_KEYS, "notification_email": NULLABLE_TEXT}, descriptions=_ABOUT),
    make=lambda entry: _put(entry, entry.owner, None),
    tell=_tell_of_user,
    single=True,
)
