"""Views of notification settings."""

from fakeplat.core.operations.entity import Entity, attr, computed, computed_if
from fakeplat.domain.people import notification_settings
from fakeplat.model.notification_settings import NotificationSetting
from fakeplat.policy.context import ReadContext


class NotificationSettingView(Entity[NotificationSetting]):
    """The level; with a custom level also the events."""

    ctx: ReadContext
    cached_by_id = False

    level = attr()

    @computed_if(lambda view: view.record.level == "custom")
    def events(self) -> dict[str, bool]:
        paid = notification_settings.PAID_EVENTS if self.ctx.instance.has("premium") else ()
        return {name: name in self.record.events for name in (*notification_settings.EVENTS, *paid)}


class GlobalNotificationSettingView(NotificationSettingView):
    """The global settings, with the e-mail address for notifications."""

    @computed
    def notification_email(self) -> str:
        user = self.ctx.world.users[self.record.user_id]
        return self.record.notification_email or user.email
