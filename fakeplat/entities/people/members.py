"""Members, and users who ask for access. Source: docs/platform/project-members.md."""

from typing import Final, NotRequired, Protocol, TypedDict, TypeVar

from fakeplat.core.operations.entity import Entity, attr, computed, computed_if, constant
from fakeplat.domain.people import enterprise_users, namespaces, seats
from fakeplat.domain.people.billable_members import BillableMember
from fakeplat.domain.people.members import container_of
from fakeplat.domain.scim import saml_providers
from fakeplat.entities import urls
from fakeplat.entities.people.member_roles import MemberRoleView
from fakeplat.entities.people.users import GroupScimIdentityView, IdentityView, UserBasic
from fakeplat.model.people import AccessRequest, Group, Identity, Invitation, Level, MemberRole, User
from fakeplat.model.projects import Member, Project, Routable
from fakeplat.policy import custom_roles
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.behaviours import ADMINISTRATORS_SEE_EMAILS_OF_MEMBERS, BILLABLE_MEMBERSHIPS_HAVE_ROLES
from fakeplat.policy.context import ReadContext
from fakeplat.policy.levels import ancestors_of

SEATS = "seats"
"""The option of views that tells who takes a seat."""
LEVEL_TITLES: Final = {level: level.name.title() for level in Level} | {Level.MINIMAL: "Minimal Access"}


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

    # As in `UserBasic`.
    locked = constant(False, bool, since="16.6")

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

    @computed_if(since="<=15.4", when=lambda view: view.ctx.instance.has("premium"))
    def membership_state(self) -> str:
        return self.record.state

    @computed_if(when=lambda view: view._shows_email)
    def email(self) -> str:
        return self._user.email

    @computed_if(when=lambda view: view._shows_identities)
    def group_saml_identity(self) -> IdentityView | None:
        return self.ctx.render(IdentityView, self._identity) if self._identity is not None else None

    @computed_if(since="<=18.9", when=lambda view: view._shows_identities)
    def group_scim_identity(self) -> GroupScimIdentityView | None:
        return self.ctx.render(GroupScimIdentityView, self._identity) if self._identity is not None else None

    @computed_if(since="<=14.3", when=lambda view: SEATS in view.options)
    def is_using_seat(self) -> bool:
        *_, root = ancestors_of(self.ctx.world, self._container)
        lowest = seats.lowest_billable_level(self.ctx.world, root)
        return self._user.state == "active" and self.record.access_level >= lowest

    override = attr(when=lambda view: view.record.ldap and view.record.source[0] == "group")

    @computed_if(when=lambda view: view._role is not None)
    def member_role(self) -> MemberRoleView | None:
        role: MemberRoleView | None = self.ctx.render(MemberRoleView, self._role)
        return role

    @property
    def _role(self) -> MemberRole | None:
        """The custom role; a downgraded instance does not show it."""
        id_, world = self.record.member_role_id, self.ctx.world
        if id_ is None or not custom_roles.are_available(world, self._container):
            return None
        return world.member_roles[id_]

    @property
    def _container(self) -> Routable:
        return container_of(self.ctx.world, self.record.source)

    @property
    def _shows_email(self) -> bool:
        """Whether the viewer manages the account: as an owner of its enterprise group, later also administrators."""
        if not self.ctx.instance.has("premium"):
            return False
        if self.ctx.profile.has(ADMINISTRATORS_SEE_EMAILS_OF_MEMBERS) and self.ctx.admin:
            return True
        return enterprise_users.is_managed(self.ctx, self._user)

    @property
    def _shows_identities(self) -> bool:
        """Whether the viewer owns the group, which has a single sign-on."""
        group = self._container
        return (
            isinstance(group, Group)
            and self.ctx.instance.has("premium")
            and saml_providers.find_by_group(self.ctx.world, group) is not None
            and can(self.ctx, Ability.ADMIN_GROUP, group)
        )

    @property
    def _identity(self) -> Identity | None:
        """The identity of the user at the single sign-on of the group."""
        provider = self.ctx.world.saml_providers.find("group", self.record.source[1])
        identities = self.ctx.world.identities.where("user", self.record.user_id)
        return next((each for each in identities if provider and each.saml_provider_id == provider.id), None)


class BillableMemberView(MemberBase[BillableMember]):
    """A user who takes a seat of a top-level group."""

    # The records are computed for each response.
    cached_by_id = False

    @computed_if(since="<=14.3")
    def email(self) -> str | None:
        """The public address; the other one for those who manage the account."""
        sees_all = self.ctx.profile.has(ADMINISTRATORS_SEE_EMAILS_OF_MEMBERS) and self.ctx.admin
        if sees_all or enterprise_users.is_managed(self.ctx, self._user):
            return self._user.email
        return self._user.public_email or None

    @computed_if(since="<=14.3")
    def last_activity_on(self) -> str | None:
        return self._user.last_activity_on

    membership_type = attr(since="<=14.3")
    removable = attr(since="<=14.3")

    @computed_if(since="<=15.9")
    def created_at(self) -> str:
        return self._user.created_at

    is_last_owner = attr(since="<=15.9")

    @computed_if(since="<=15.9")
    def last_login_at(self) -> str | None:
        return self._user.current_sign_in_at


class CustomRoleView(TypedDict):
    """A custom role by its id and name."""

    id: int
    name: str


class AccessLevelView(TypedDict):
    """An access level as word and number, in later releases with the custom role."""

    string_value: str
    integer_value: int
    custom_role: NotRequired[CustomRoleView | None]


class BillableMembershipView(Entity[Member]):
    """A membership of a billable member."""

    ctx: ReadContext

    id = attr()

    @computed
    def source_id(self) -> int:
        return self.record.source[1]

    @computed
    def source_full_name(self) -> str:
        container, world = container_of(self.ctx.world, self.record.source), self.ctx.world
        if isinstance(container, Project):
            return f"{namespaces.full_name(world, world.namespaces[container.namespace_id])} / {container.name}"
        return namespaces.full_name(world, container)

    @computed
    def source_members_url(self) -> str:
        kind = self.record.source[0]
        return f"{urls.container_url(self.ctx, container_of(self.ctx.world, self.record.source))}/-/{kind}_members"

    created_at = attr()
    expires_at = attr()

    @computed
    def access_level(self) -> AccessLevelView:
        level = Level(self.record.access_level)
        shown: AccessLevelView = {"string_value": LEVEL_TITLES[level], "integer_value": int(level)}
        if self.ctx.profile.has(BILLABLE_MEMBERSHIPS_HAVE_ROLES):
            shown["custom_role"] = self._role
        return shown

    @property
    def _role(self) -> CustomRoleView | None:
        id_, world = self.record.member_role_id, self.ctx.world
        return {"id": id_, "name": world.member_roles[id_].name} if id_ is not None else None


class PendingMemberView(Entity[Member | Invitation]):
    """Someone who awaits approval, or an address that is invited."""

    ctx: ReadContext

    @computed
    def id(self) -> int:
        return self.record.id

    @computed_if(when=lambda view: view._user is not None)
    def name(self) -> str:
        return self._user.name if self._user else ""

    @computed_if(when=lambda view: view._user is not None)
    def username(self) -> str:
        return self._user.username if self._user else ""

    @computed
    def email(self) -> str:
        return self._email

    @computed
    def avatar_url(self) -> str | None:
        if self._user is None:
            return urls.generated_avatar_url(self.ctx, self._email)
        return urls.user_avatar_url(self.ctx, self._user)

    @computed_if(when=lambda view: view._user is not None)
    def web_url(self) -> str:
        return urls.user_url(self.ctx, self._user) if self._user else ""

    @computed
    def approved(self) -> bool:
        return isinstance(self.record, Invitation) or self.record.state == "active"

    @computed
    def invited(self) -> bool:
        return isinstance(self.record, Invitation)

    @property
    def _user(self) -> User | None:
        return self.ctx.world.users[self.record.user_id] if isinstance(self.record, Member) else None

    @property
    def _email(self) -> str:
        if isinstance(self.record, Invitation):
            return self.record.invite_email
        return self.ctx.world.users[self.record.user_id].email


class AccessRequestView(MemberBase[AccessRequest]):
    """The requesting user, and the time of the request."""

    requested_at = attr()
