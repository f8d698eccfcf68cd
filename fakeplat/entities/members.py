"""What members show. Source: more on project members."""

from fakeplat.core.entity import Entity, attr, shown
from fakeplat.entities import urls
from fakeplat.model.projects import Member
from fakeplat.model.users import User
from fakeplat.policy.context import Context


class MemberView(Entity[Member]):
    """A member: the user's basic fields, the level, the last day."""

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

    access_level = attr(int)
    expires_at = attr(str | None)

    @property
    def _user(self) -> User:
        return self.cx.world.users[self.record.user_id]
