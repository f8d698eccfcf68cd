"""Members, and users who ask for access. Source: docs/platform/project-members.md."""

from typing import Protocol, TypeVar

from fakeplat.core.operations.entity import Entity, attr, computed, computed_if, constant
from fakeplat.domain.people.members import container_of
from fakeplat.entities import urls
from fakeplat.entities.people.member_roles import MemberRoleView
from fakeplat.entities.people.users import UserBasic
from fakeplat.model.people import AccessRequest, MemberRole, User
from fakeplat.model.projects import Member
from fakeplat.policy import custom_roles
from fakeplat.policy.context import ReadContext


class UserFields(Protocol):
    """A record that belongs to a user."""

    @property
    def id(self) -> int:
        """The record's id."""

    @property
    def user_id(self) -> int:
        """The user's id."""


R = TypeVar("R", bound=UserFields)


class MemberBase(Entity[R]):
    """The basic fields of a record's user; ``id`` is the user's."""

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
    """A member: the user's basic fields, the access level and the expiry date."""

    access_level = attr()
    created_at = attr(since="<=14.10")
    expires_at = attr()

    @computed_if(since="<=15.4", when=lambda view: view.record.created_by is not None)
    def created_by(self) -> UserBasic | None:
        creator = self.ctx.world.users.get(self.record.created_by) if self.record.created_by is not None else None
        rendered: UserBasic | None = self.ctx.render(UserBasic, creator) if creator is not None else None
        return rendered

    membership_state = constant("active", str, since="<=15.4", when=lambda view: view.ctx.instance.has("premium"))

    @computed_if(when=lambda view: view._role is not None)
    def member_role(self) -> MemberRoleView | None:
        role: MemberRoleView | None = self.ctx.render(MemberRoleView, self._role)
        return role

    @property
    def _role(self) -> MemberRole | None:
        """The custom role; a downgraded instance does not show it."""
        id_, world = self.record.member_role_id, self.ctx.world
        if id_ is None or not custom_roles.are_available(world, container_of(world, self.record.source)):
            return None
        return world.member_roles[id_]


class AccessRequestView(MemberBase[AccessRequest]):
    """The requesting user, and the time of the request."""

    requested_at = attr()
