"""Notification settings of users. The mails that follow from them are written in `fakeplat.domain.mail`."""

from collections.abc import Mapping
from typing import Any, Final, cast, get_args

from fakeplat.core.operations.errors import BadRequest, InvalidRecord
from fakeplat.core.release import ALWAYS, Lifetime
from fakeplat.domain.people.members import source_of
from fakeplat.domain.people.users import list_confirmed_emails
from fakeplat.model.people import NotificationLevel, NotificationSetting, User
from fakeplat.model.projects import Routable
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext

LEVELS: Final = get_args(NotificationLevel)
_SERVICE_ACCOUNTS: Final = Lifetime(since="<=18.9")
EVENTS: Final[Mapping[str, Lifetime]] = {
    "new_release": ALWAYS,
    "new_note": ALWAYS,
    "new_issue": ALWAYS,
    "reopen_issue": ALWAYS,
    "close_issue": ALWAYS,
    "reassign_issue": ALWAYS,
    "issue_due": ALWAYS,
    "new_merge_request": ALWAYS,
    "push_to_merge_request": ALWAYS,
    "reopen_merge_request": ALWAYS,
    "close_merge_request": ALWAYS,
    "reassign_merge_request": ALWAYS,
    "change_reviewer_merge_request": Lifetime(since="<=18.9"),
    "merge_merge_request": ALWAYS,
    "failed_pipeline": ALWAYS,
    "fixed_pipeline": ALWAYS,
    "success_pipeline": ALWAYS,
    "moved_project": ALWAYS,
    "merge_when_pipeline_succeeds": Lifetime(since="13.9"),
    "service_account_failed_pipeline": _SERVICE_ACCOUNTS,
    "service_account_success_pipeline": _SERVICE_ACCOUNTS,
    "service_account_fixed_pipeline": _SERVICE_ACCOUNTS,
}
"""The events of the level ``custom``, and the releases that have them."""
PAID_EVENTS: Final[Mapping[str, Lifetime]] = {"new_epic": ALWAYS, "approver": Lifetime(since="<=18.9")}
_DEFAULT_EVENTS: Final = ("failed_pipeline", "fixed_pipeline", "moved_project")
_UNSAVED: Final = 0


def get_setting(world: World, user: User, container: Routable | None) -> NotificationSetting:
    """Return a user's setting for a project or group, or the global one; the platform's defaults if never changed."""
    source = source_of(container) if container is not None else None
    setting = world.notification_settings.find("own", (source, user.id))
    if setting is not None:
        return setting
    level = _membership_level(world, user, container) if container is not None else "participating"
    return NotificationSetting(_UNSAVED, user.id, source, level, events=_DEFAULT_EVENTS)


def _membership_level(world: World, user: User, container: Routable) -> NotificationLevel:
    member = world.members.find("pair", (source_of(container), user.id))
    return cast(NotificationLevel, LEVELS[member.notification_level]) if member else "global"


def update(
    ctx: WriteContext,
    user: User,
    container: Routable | None,
    *,
    level: str | None = None,
    notification_email: str | None = None,
    **events: bool | None,
) -> NotificationSetting:
    """Update a user's setting: ``level``, ``notification_email``, and events by name."""
    before, table = get_setting(ctx.world, user, container), ctx.world.notification_settings
    level = level or before.level
    if level not in LEVELS:
        raise BadRequest(f"'{level}' is not a valid level")
    # The events are stored for every level, although only the level ``custom`` uses them.
    enabled = [name for name in (*EVENTS, *PAID_EVENTS) if _is_event_enabled(before, name, events.get(name))]
    fields: dict[str, Any] = {"level": level, "events": tuple(enabled)}
    if notification_email:
        fields["notification_email"] = notification_email
    if container is not None:
        # Memberships show the notification level too, so both records change together.
        _update_member_level(ctx, user, container, LEVELS.index(level))
    if before.id == _UNSAVED:
        source = source_of(container) if container is not None else None
        before = table.add(NotificationSetting(table.next_id(), user.id, source, cast(NotificationLevel, level)))
    return table.change(before, **fields)


def require_own_email(world: World, user: User, email: str | None) -> None:
    """Raise 400 for an email address that is not the user's, or a further one that is not confirmed."""
    if email and email != user.email and email.lower() not in list_confirmed_emails(world, user):
        reason = f"{email} is not the email address of {user.username}"
        raise InvalidRecord({"notification_email": ["is not an email you own"]}, reason=reason)


def _is_event_enabled(before: NotificationSetting, name: str, sent: bool | None) -> bool:
    return name in before.events if sent is None else sent


def _update_member_level(ctx: WriteContext, user: User, container: Routable, level: int) -> None:
    member = ctx.world.members.find("pair", (source_of(container), user.id))
    if member is not None:
        ctx.world.members.change(member, notification_level=level)
