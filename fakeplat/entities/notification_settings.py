"""What settings of notifications show."""

from fakeplat.core.operations.entity import Entity, attr, shown, shown_when
from fakeplat.domain.people import notification_settings
from fakeplat.model.notification_settings import NotificationSetting
from fakeplat.policy.context import Context


class NotificationSettingView(Entity[NotificationSetting]):
    """The level, and the single events where they count."""

    cx: Context
    keyed = False

    level = attr(str)

    @shown_when(lambda view: view.record.level == "custom")
    def events(self) -> dict[str, bool]:
        paid = notification_settings.PAID_EVENTS if self.cx.instance.has("premium") else ()
        return {name: name in self.record.events for name in (*notification_settings.EVENTS, *paid)}


class GlobalNotificationSettingView(NotificationSettingView):
    """The same everywhere, with the address that mail goes to."""

    @shown
    def notification_email(self) -> str:
        user = self.cx.world.users[self.record.user_id]
        return self.record.notification_email or user.email
