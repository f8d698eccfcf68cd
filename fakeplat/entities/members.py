"""What members show. Source: docs/platform/project-members.md."""

from typing import Generic, Protocol, TypeVar

from fakeplat.core.operations.entity import Entity, attr, shown
from fakeplat.entities import urls
from fakeplat.model.projects import Member
from fakeplat.model.users import User
from fakeplat.policy.context import Context


class OfUser(Protocol):
    """Whatever is about a user."""

    @property
    def id(self) -> int:
        """The record's number."""

    @property
    def user_id(self) -> int:
        """The user's."""


R = TypeVar("R", bound=OfUser)


class Involved(Entity[R], Generic[R]):
    """The basic fields of the user that a record is about, under the user's id."""

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

    @property
    def _user(self) -> User:
        return self.cx.world.users[self.record.user_id]


class MemberView(Involved[Member]):
    """A member: the user's basic fields, the level, the last day."""

    access_level = attr(int)
    expires_at = attr(str | None)
