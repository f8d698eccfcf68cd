"""Of what users want to be told. Nothing is sent; what is set is kept and shown."""

from collections.abc import Mapping
from typing import Any, Final, cast, get_args

from fakeplat.core.operations.errors import BadRequest, InvalidRecord
from fakeplat.domain.people.members import Place, source_of
from fakeplat.model.notification_settings import Level, NotificationSetting
from fakeplat.model.users import User
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext

LEVELS: Final = get_args(Level)
EVENTS: Final = (
    "new_release",
    "new_note",
    "new_issue",
    "reopen_issue",
    "close_issue",
    "reassign_issue",
    "issue_due",
    "new_merge_request",
    "push_to_merge_request",
    "reopen_merge_request",
    "close_merge_request",
    "reassign_merge_request",
    "merge_merge_request",
    "failed_pipeline",
    "fixed_pipeline",
    "success_pipeline",
    "moved_project",
)
PAID_EVENTS: Final = ("new_epic",)
_ON_FROM_THE_START: Final = ("failed_pipeline", "fixed_pipeline", "moved_project")
_UNSAVED: Final = 0


def find_setting(world: World, user: User, container: Place | None) -> NotificationSetting:
    """What a user wants to be told in a place, or everywhere; what was never said is as the platform begins."""
    source = source_of(container) if container is not None else None
    found = world.notification_settings.find("own", (source, user.id))
    if found is not None:
        return found
    level = _level_of_member(world, user, container) if container is not None else "participating"
    return NotificationSetting(_UNSAVED, user.id, source, level, events=_ON_FROM_THE_START)


def _level_of_member(world: World, user: User, container: Place) -> Level:
    member = world.members.find("pair", (source_of(container), user.id))
    return cast(Level, LEVELS[member.notification_level]) if member else "global"


def update(ctx: WriteContext, user: User, container: Place | None, given: Mapping[str, Any]) -> NotificationSetting:
    """Change what a user wants to be told: ``level``, ``notification_email``, and the events by their names."""
    before, table = find_setting(ctx.world, user, container), ctx.world.notification_settings
    level = given.get("level") or before.level
    if level not in LEVELS:
        raise BadRequest(f"'{level}' is not a valid level")
    wanted = [name for name in (*EVENTS, *PAID_EVENTS) if _is_wanted(name, before, given)]
    fields: dict[str, Any] = {"level": level, "events": tuple(wanted)}
    if given.get("notification_email"):
        fields["notification_email"] = given["notification_email"]
    if container is not None:
        _tell_member(ctx, user, container, LEVELS.index(level))
    if before.id == _UNSAVED:
        source = source_of(container) if container is not None else None
        before = table.add(NotificationSetting(table.next_id(), user.id, source, level))
    return table.change(before, **fields)


def require_own_email(user: User, email: str | None) -> None:
    """Refuse an address that is not the user's with 400."""
    if email and email != user.email:
        reason = f"{email} is not the address of {user.username}"
        raise InvalidRecord({"notification_email": ["is not an email you own"]}, reason=reason)


def _is_wanted(name: str, before: NotificationSetting, given: Mapping[str, Any]) -> bool:
    said = given.get(name)
    return name in before.events if said is None else bool(said)


def _tell_member(ctx: WriteContext, user: User, container: Place, level: int) -> None:
    member = ctx.world.members.find("pair", (source_of(container), user.id))
    if member is not None:
        ctx.world.members.change(member, notification_level=level)
