"""What users show.

Source: docs/platform/specification.md ('User'), docs/platform/users.md, docs/platform/authentication.md.
"""

from typing import Any

from fakeplat.core.operations.entity import Entity, attr, computed, computed_if
from fakeplat.domain.notes.markdown import render_html
from fakeplat.domain.people.members import highest_role
from fakeplat.entities import urls
from fakeplat.entities.custom_attributes import WithCustomAttributes
from fakeplat.model.users import Identity, User
from fakeplat.policy.authorization import can_see_profile
from fakeplat.policy.context import ReadContext
from fakeplat.policy.documented import Ruling

Text = str | None


def _paid(view: "Entity[Any]") -> bool:
    return bool(view.ctx.instance.has("premium"))


def _as_specified(view: "Entity[Any]") -> bool:
    return Ruling.FIELDS_ARE_AS_SPECIFIED.holds(view.ctx.world)


def _as_the_platform(view: "Entity[Any]") -> bool:
    return not _as_specified(view)


class IdentityView(Entity[Identity]):
    """An account elsewhere."""

    ctx: ReadContext

    provider = attr(str)
    extern_uid = attr(str)

    @computed_if(lambda view: _paid(view) and view.record.provider == "group_saml")
    def saml_provider_id(self) -> int | None:
        return self.record.saml_provider_id


class UserBasic(WithCustomAttributes, Entity[User]):
    """A user as others' records name them."""

    record: User
    ctx: ReadContext

    id = attr(int)
    name = attr(str)
    username = attr(str)
    state = attr(str)

    @computed
    def avatar_url(self) -> Text:
        return urls.user_avatar_url(self.ctx, self.record)

    @computed
    def web_url(self) -> str:
        return urls.user_url(self.ctx, self.record)


class UserProfile(UserBasic):
    """What a user's page tells, without the public address."""

    @computed_if(lambda view: view.tells_profile)
    def created_at(self) -> str:
        return self.record.created_at

    bio = attr(Text)

    @computed
    def bio_html(self) -> str:
        return render_html(self.record.bio or "")

    location = attr(Text)
    skype = attr(str)
    linkedin = attr(str)
    twitter = attr(str)
    website_url = attr(str)
    organization = attr(Text)
    job_title = attr(str)

    @property
    def tells_profile(self) -> bool:
        """Whether the viewer may see when the account was made."""
        return can_see_profile(self.ctx, self.record)


class UserPublic(UserProfile):
    """A single user as other users see them."""

    public_email = attr(str)

    @computed
    def work_information(self) -> Text:
        parts = [part for part in (self.record.job_title, self.record.organization) if part]
        return " at ".join(parts) or None


class _Account(UserProfile):
    """What only the user and administrators see."""

    email = attr(str)
    last_sign_in_at = attr(Text)
    confirmed_at = attr(Text)
    last_activity_on = attr(Text)
    theme_id = attr(int)
    color_scheme_id = attr(int)
    projects_limit = attr(int)
    current_sign_in_at = attr(Text)

    @computed
    def identities(self) -> list[IdentityView]:
        found = self.ctx.world.identities.where("user", self.record.id)
        return [self.ctx.render(IdentityView, identity) for identity in found]

    can_create_group = attr(bool)

    @computed
    def can_create_project(self) -> bool:
        return self.record.projects_limit > 0

    two_factor_enabled = attr(bool)
    external = attr(bool)
    private_profile = attr(bool)
    shared_runners_minutes_limit = attr(int | None, when=_paid)
    extra_shared_runners_minutes_limit = attr(int | None, when=_paid)

    @property
    def tells_profile(self) -> bool:
        """Always: nobody else gets this view."""
        return True


class UserSelf(_Account):
    """The caller's own account."""

    public_email = attr(str)


class AdminSelf(UserSelf):
    """The caller's own account, where the caller is an administrator."""

    is_admin = attr(bool, of="admin")
    note = attr(Text, when=_as_the_platform)


class UserAdmin(_Account):
    """A user in lists for administrators."""

    public_email = attr(str, when=_as_the_platform)
    is_admin = attr(bool, of="admin")
    note = attr(Text)
    current_sign_in_ip = attr(Text, when=_as_specified)
    last_sign_in_ip = attr(Text, when=_as_specified)


class UserAdminDetail(UserAdmin):
    """A single user for administrators."""

    public_email = attr(str)

    @computed
    def highest_role(self) -> int:
        return highest_role(self.ctx.world, self.record)

    current_sign_in_ip = attr(Text)
    last_sign_in_ip = attr(Text)
    sign_in_count = attr(int)

    @computed_if(_paid)
    def plan(self) -> Text:
        namespaces = self.ctx.world.namespaces.where("owner", self.record.id)
        return next((space.plan for space in namespaces), None)

    @computed_if(_paid)
    def trial(self) -> bool:
        return any(space.trial for space in self.ctx.world.namespaces.where("owner", self.record.id))
