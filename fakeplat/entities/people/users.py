"""Users, their notification settings and user agents.

Source: docs/platform/users.md, docs/platform/authentication.md, docs/platform/issues.md.
"""

from collections.abc import Iterable

from fakeplat.core.operations.entity import Entity, attr, computed, computed_if, constant
from fakeplat.domain.markup import markup
from fakeplat.domain.people import notification_settings
from fakeplat.domain.people.members import highest_role
from fakeplat.domain.people.users import commit_email_of
from fakeplat.domain.scim.instance_provisioning import PROVIDER as SCIM_PROVIDER
from fakeplat.entities import urls
from fakeplat.entities.projects.custom_attributes import WithCustomAttributes
from fakeplat.model.people import Identity, Namespace, NotificationSetting, User, UserAgentDetail
from fakeplat.policy.authorization import can_see_profile
from fakeplat.policy.behaviours import ADMINISTRATORS_SEE_THEIR_NOTE, NO_PLAN_IS_NO_TRIAL
from fakeplat.policy.context import ReadContext
from fakeplat.policy.documented import Ruling


def _paid(view: Entity[User]) -> bool:
    return bool(view.ctx.instance.has("premium"))


# The specification and the running platform disagree about some fields; a ruling of the instance decides.
def _as_specified(view: Entity[User]) -> bool:
    return Ruling.FIELDS_ARE_AS_SPECIFIED.holds(view.ctx.world)


def _as_implemented(view: Entity[User]) -> bool:
    return not _as_specified(view)


def _shows_own_note(view: Entity[User]) -> bool:
    return view.ctx.profile.has(ADMINISTRATORS_SEE_THEIR_NOTE) or _as_implemented(view)


def _find_namespace_id(view: Entity[User]) -> int | None:
    return next((namespace.id for namespace in view.ctx.world.namespaces.where("owner", view.record.id)), None)


class IdentityView(Entity[Identity]):
    """An account at an external identity provider."""

    ctx: ReadContext

    provider = attr()
    extern_uid = attr()

    @computed_if(when=lambda view: _paid(view) and view.record.provider == "group_saml")
    def saml_provider_id(self) -> int | None:
        return self.record.saml_provider_id


class GroupScimIdentityView(Entity[Identity]):
    """An account at the identity provider of a group, which is not active once its user was deprovisioned."""

    ctx: ReadContext

    extern_uid = attr()

    @computed
    def group_id(self) -> int | None:
        provider = self.ctx.world.saml_providers.get(self.record.saml_provider_id or 0)
        return provider.group_id if provider is not None else None

    active = attr()


class UserSafe(Entity[User]):
    """A user in the lists of boards."""

    ctx: ReadContext

    id = attr()
    name = attr()
    username = attr()
    public_email = attr(since="<=18.9")


class UserBasic(WithCustomAttributes[User], UserSafe):
    """A user as part of other records."""

    state = attr()
    # Nobody is locked out, because failed attempts to sign in are not counted.
    locked = constant(False, bool, since="16.6")

    @computed
    def avatar_url(self) -> str | None:
        return urls.user_avatar_url(self.ctx, self.record)

    @computed
    def web_url(self) -> str:
        return urls.user_url(self.ctx, self.record)


class UserProfile(UserBasic):
    """A user's profile, without the public e-mail address."""

    @computed_if(when=lambda view: view.shows_created_at)
    def created_at(self) -> str:
        return self.record.created_at

    bio = attr()

    @computed_if(until="14.4")
    def bio_html(self) -> str:
        return markup.render_html(self.ctx, self.record.bio)

    location = attr()
    skype = attr(until="<=18.9")
    linkedin = attr()
    twitter = attr()
    website_url = attr()
    organization = attr()
    job_title = attr()
    pronouns = attr(since="<=15.4")
    discord = attr(since="<=17.11")
    github = attr(since="18.4")
    # Nobody chooses a time zone.
    local_time = constant(None, str | None, since="<=15.4")

    @computed_if(since="<=14.10")
    def bot(self) -> bool:
        return self.record.kind != "human" and self.record.kind != "ghost"

    @computed_if(since="<=15.4", when=lambda view: view.shows_created_at)
    def followers(self) -> int:
        return len(self.ctx.world.follows.where("followee", self.record.id))

    @computed_if(since="<=15.4", when=lambda view: view.shows_created_at)
    def following(self) -> int:
        return len(self.ctx.world.follows.where("follower", self.record.id))

    @computed_if(since="<=15.4", when=lambda view: view.shows_created_at and view.ctx.viewer is not None)
    def is_followed(self) -> bool:
        viewer = self.ctx.viewer
        return viewer is not None and self.ctx.world.follows.find("pair", (viewer.id, self.record.id)) is not None

    @property
    def shows_created_at(self) -> bool:
        """Whether the viewer may see the creation time of the account."""
        return can_see_profile(self.ctx, self.record)


def describe_work(user: User) -> str | None:
    """Return the job and the organization of a user in a few words."""
    return " at ".join(part for part in (user.job_title, user.organization) if part) or None


class UserPublic(UserProfile):
    """A single user for other users."""

    public_email = attr()

    @computed
    def work_information(self) -> str | None:
        return describe_work(self.record)


class _Account(UserProfile):
    """An account for its user and administrators."""

    email = attr()
    last_sign_in_at = attr()
    confirmed_at = attr()
    last_activity_on = attr()
    theme_id = attr()
    color_scheme_id = attr()
    projects_limit = attr()
    current_sign_in_at = attr()

    @computed
    def identities(self) -> list[IdentityView]:
        identities = self.ctx.world.identities.where("user", self.record.id)
        # Those of the SCIM endpoint of the instance are not for signing in.
        return [self.ctx.render(IdentityView, each) for each in identities if each.provider != SCIM_PROVIDER]

    can_create_group = attr()

    @computed_if(since="<=15.4")
    def work_information(self) -> str | None:
        return describe_work(self.record)

    @computed_if(since="<=15.4")
    def commit_email(self) -> str:
        return commit_email_of(self.ctx, self.record)

    preferred_language = constant("en", str, since="<=18.9")

    @computed_if(since="16.1")
    def scim_identities(self) -> list[GroupScimIdentityView]:
        identities = self.ctx.world.identities.where("user", self.record.id)
        own = [each for each in identities if each.saml_provider_id or each.provider == SCIM_PROVIDER]
        return [self.ctx.render(GroupScimIdentityView, each) for each in own]

    using_license_seat = constant(True, bool, since="<=13.7", when=_paid)
    is_auditor = attr("auditor", since="<=15.4", when=_paid)
    provisioned_by_group_id = attr(since="<=15.4", when=_paid)

    @computed
    def can_create_project(self) -> bool:
        return self.record.projects_limit > 0

    two_factor_enabled = attr()
    external = attr()
    private_profile = attr()
    shared_runners_minutes_limit = attr(when=_paid)
    extra_shared_runners_minutes_limit = attr(when=_paid)

    @property
    def shows_created_at(self) -> bool:
        """Always true, because no one else gets this view."""
        return True


class UserSelf(_Account):
    """The caller's own account."""

    public_email = attr()


class ManagedUser(UserSelf):
    """An account for the owners of the group that provides it."""


class AdminSelf(UserSelf):
    """The caller's own account, if the caller is an administrator."""

    is_admin = attr("admin")
    note = attr(when=_shows_own_note)

    @computed_if(since="14.10")
    def namespace_id(self) -> int | None:
        return _find_namespace_id(self)


class UserAdmin(_Account):
    """A user in lists for administrators."""

    public_email = attr(when=_as_implemented)
    is_admin = attr("admin")
    note = attr()

    @computed_if(since="14.10")
    def namespace_id(self) -> int | None:
        return _find_namespace_id(self)

    @computed_if(since="15.6")
    def created_by(self) -> UserBasic | None:
        creator = self.ctx.world.users.get(self.record.created_by) if self.record.created_by is not None else None
        rendered: UserBasic | None = self.ctx.render(UserBasic, creator) if creator is not None else None
        return rendered

    email_reset_offered_at = constant(None, str | None, since="16.7")
    enterprise_group_id = attr(since="<=18.9", when=_paid)
    enterprise_group_associated_at = attr(since="<=18.9", when=_paid)
    current_sign_in_ip = attr(when=_as_specified)
    last_sign_in_ip = attr(when=_as_specified)


class UserAdminDetail(UserAdmin):
    """A single user for administrators."""

    public_email = attr()

    @computed
    def highest_role(self) -> int:
        return highest_role(self.ctx.world, self.record)

    current_sign_in_ip = attr()
    last_sign_in_ip = attr()
    sign_in_count = attr()

    @computed_if(when=_paid)
    def plan(self) -> str | None:
        return next((namespace.plan for namespace in self._own_namespaces), None)

    @computed_if(when=_paid)
    def trial(self) -> bool | None:
        without = False if self.ctx.profile.has(NO_PLAN_IS_NO_TRIAL) else None
        return next((namespace.trial for namespace in self._own_namespaces if namespace.plan), without)

    @property
    def _own_namespaces(self) -> Iterable[Namespace]:
        return self.ctx.world.namespaces.where("owner", self.record.id)


class NotificationSettingView(Entity[NotificationSetting]):
    """The level; with a custom level also the events."""

    ctx: ReadContext
    cached_by_id = False

    level = attr()

    @computed_if(when=lambda view: view.record.level == "custom")
    def events(self) -> dict[str, bool]:
        paid = notification_settings.PAID_EVENTS if self.ctx.instance.has("premium") else {}
        events = {**notification_settings.EVENTS, **paid}.items()
        return {name: name in self.record.events for name, lifetime in events if self.ctx.profile.has(lifetime)}


class GlobalNotificationSettingView(NotificationSettingView):
    """The global settings, with the e-mail address for notifications."""

    @computed
    def notification_email(self) -> str:
        user = self.ctx.world.users[self.record.user_id]
        return self.record.notification_email or user.email


class UserAgentView(Entity[UserAgentDetail]):
    """The user agent and the IP address from which a record was created."""

    user_agent = attr()
    ip_address = attr()
    antispam_submitted = attr()
