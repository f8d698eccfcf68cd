"""What members show. Source: docs/platform/project-members.md."""

from typing import Protocol, TypeVar

from fakeplat.core.operations.entity import Entity, attr, computed
from fakeplat.entities import urls
from fakeplat.model.projects import Member
from fakeplat.model.users import User
from fakeplat.policy.context import ReadContext


class UserFields(Protocol):
    """Whatever is about a user."""

    @property
    def id(self) -> int:
        """The record's number."""

    @property
    def user_id(self) -> int:
        """The user's."""


R = TypeVar("R", bound=UserFields)


class MemberBase(Entity[R]):
    """The basic fields of the user that a record is about, under the user's id."""

    ctx: ReadContext

    @computed
    def id(self) -> int:
        return self.record.user_id

    @computed
    def name(self) -> str:
        return self._user.name

    @computed
    def username(self) -> str:
        return self._user.username

    @computed
    def state(self) -> str:
        return self._user.state

    @computed
    def avatar_url(self) -> str | None:
        return urls.user_avatar_url(self.ctx, self._user)

    @computed
    def web_url(self) -> str:
        return urls.user_url(self.ctx, self._user)

    @property
    def _user(self) -> User:
        return self.ctx.world.users[self.record.user_id]


class MemberView(MemberBase[Member]):
    """A member: the user's basic fields, the level, the last day."""

    access_level = attr()
    expires_at = attr()
