"""Notification settings of the caller: global ones and those for a project or group."""

from typing import Annotated, Final

from fakeplat.api.scopes import GROUP, PROJECT
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import Params
from fakeplat.core.release import Lifetime
from fakeplat.domain.people import notification_settings
from fakeplat.entities.people.users import GlobalNotificationSettingView, NotificationSettingView
from fakeplat.model.people import NotificationSetting
from fakeplat.model.projects import Container
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Notification settings", login=Login.ALWAYS)
_SERVICE_ACCOUNTS: Final = Lifetime(since="<=18.9")
CONTAINERS: Final = (PROJECT, GROUP)


class UpdateSettings(Params):
    """The notification level, and the events of the level ``custom``."""

    level: str | None = None
    new_release: bool | None = None
    new_note: bool | None = None
    new_issue: bool | None = None
    reopen_issue: bool | None = None
    close_issue: bool | None = None
    reassign_issue: bool | None = None
    issue_due: bool | None = None
    new_merge_request: bool | None = None
    push_to_merge_request: bool | None = None
    reopen_merge_request: bool | None = None
    close_merge_request: bool | None = None
    reassign_merge_request: bool | None = None
    change_reviewer_merge_request: Annotated[bool | None, Lifetime(since="<=18.9")] = None
    merge_merge_request: bool | None = None
    failed_pipeline: bool | None = None
    fixed_pipeline: bool | None = None
    success_pipeline: bool | None = None
    moved_project: bool | None = None
    merge_when_pipeline_succeeds: Annotated[bool | None, Lifetime(since="13.9")] = None
    service_account_failed_pipeline: Annotated[bool | None, _SERVICE_ACCOUNTS] = None
    service_account_success_pipeline: Annotated[bool | None, _SERVICE_ACCOUNTS] = None
    service_account_fixed_pipeline: Annotated[bool | None, _SERVICE_ACCOUNTS] = None
    new_epic: bool | None = None
    approver: Annotated[bool | None, Lifetime(since="<=18.9")] = None


class UpdateGlobalSettings(UpdateSettings):
    """The global settings, with the e-mail address for notifications."""

    notification_email: str | None = None


@area.operation("GET", "notification_settings", view=GlobalNotificationSettingView)
def get_notification_settings(ctx: ReadContext) -> NotificationSetting:
    """Get the caller's global notification settings."""
    return notification_settings.get_setting(ctx.world, ctx.signed_in_user, None)


@area.operation(
    "PUT",
    "notification_settings",
    params=UpdateGlobalSettings,
    view=GlobalNotificationSettingView,
    refusals=(400,),
)
def update_notification_settings(ctx: WriteContext, p: UpdateGlobalSettings) -> NotificationSetting:
    """Update the caller's global notification settings."""
    notification_settings.require_own_email(ctx.world, ctx.signed_in_user, p.notification_email)
    return notification_settings.update(ctx, ctx.signed_in_user, None, **p.given())


@area.operation(
    "GET",
    "notification_settings",
    scope=CONTAINERS,
    name="get_{scope}_notification_settings",
    view=NotificationSettingView,
)
def get_container_notification_settings(ctx: ReadContext, container: Container) -> NotificationSetting:
    """Get the caller's notification settings for this group or project."""
    return notification_settings.get_setting(ctx.world, ctx.signed_in_user, container)


@area.operation(
    "PUT",
    "notification_settings",
    scope=CONTAINERS,
    name="update_{scope}_notification_settings",
    params=UpdateSettings,
    view=NotificationSettingView,
    refusals=(400,),
)
def update_container_notification_settings(
    ctx: WriteContext, container: Container, p: UpdateSettings
) -> NotificationSetting:
    """Update the caller's notification settings for this group or project."""
    return notification_settings.update(ctx, ctx.signed_in_user, container, **p.given())
