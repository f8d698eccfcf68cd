"""What requests for access show. Source: more on project members."""

from fakeplat.core.entity import Entity, attr, shown
from fakeplat.entities import urls
from fakeplat.model.access_requests import AccessRequest
from fakeplat.model.users import User
from fakeplat.policy.context import Context


class AccessRequestView(Entity[AccessRequest]):
    """The user who asks, and since when."""

    cx: Context

    @shown
    def id(self) -> int:
        return self.record.user_id

    @shown
    def name(self) -> str:
        return self._user.name

    @shown
    def username(self) -> str:
        return self._user.username

    @shown
    def state(self) -> str:
        return self._user.state

    @shown
    def avatar_url(self) -> str | None:
        return urls.user_avatar(self.cx, self._user)

    @shown
    def web_url(self) -> str:
        return urls.user_page(self.cx, self._user)

    requested_at = attr(str)

    @property
    def _user(self) -> User:
        return self.cx.world.users[self.record.user_id]
