"""Views of what belongs to accounts: keys, e-mail addresses, statuses, memberships. Source: docs/platform/users.md."""

import re
from html import escape
from typing import Any, cast

from typing_extensions import override

from fakeplat.core.operations.entity import Entity, attr, computed, computed_if
from fakeplat.core.store.table import Table
from fakeplat.domain.people.members import container_of
from fakeplat.entities import urls
from fakeplat.entities.people.users import UserSelf
from fakeplat.model.people import Email, GpgKey, SshCertificate, SshKey, User, UserStatus
from fakeplat.model.projects import DeployKey, DeployKeyProject, Member
from fakeplat.policy.behaviours import DEPLOY_KEYS_ARE_FOUND_WHOLE
from fakeplat.policy.context import ReadContext


def publish_key(ctx: ReadContext, key: SshKey, user: User | None) -> str:
    """Return the text of a key whose comment, often an e-mail address, is replaced by the user's name and the host."""
    algorithm, blob, *_comment = key.key.split()
    return f"{algorithm} {blob} {user.name if user else ''} ({ctx.hostname})"


class SshKeyView(Entity[SshKey]):
    """An SSH key of a user. Its comment is replaced by the name of the user and the host."""

    ctx: ReadContext

    id = attr()
    title = attr()
    created_at = attr()
    expires_at = attr()
    last_used_at = attr(since="<=18.9")
    usage_type = attr(since="15.7")

    @computed
    def key(self) -> str:
        return self._text

    @property
    def _text(self) -> str:
        return publish_key(self.ctx, self.record, self._owner)

    @property
    def _owner(self) -> User | None:
        # A deploy key may have no user.
        user_id: int | None = self.record.user_id
        return None if user_id is None else self.ctx.world.users.get(user_id)


class DeployKeyLink(Entity[DeployKeyProject]):
    """A project in which a deploy key is enabled."""

    ctx: ReadContext

    id = attr()
    deploy_key_id = attr()
    project_id = attr()
    created_at = attr()
    updated_at = attr()
    can_push = attr()


class KeyWithUser(SshKeyView):
    """An SSH key with its user, as administrators look it up; a deploy key also with its projects."""

    @computed
    def user(self) -> UserSelf | None:
        return cast(UserSelf | None, self.ctx.render(UserSelf, self._owner))

    @computed_if(when=lambda view: isinstance(view.record, DeployKey))
    def deploy_keys_projects(self) -> list[DeployKeyLink]:
        links = self.ctx.world.deploy_key_projects.where("deploy_key", self.record.id)
        return [self.ctx.render(DeployKeyLink, link) for link in links]


class FoundKey(KeyWithUser):
    """A key that was found by its fingerprint; a deploy key with the text that was given."""

    @property
    @override
    def _text(self) -> str:
        is_whole = isinstance(self.record, DeployKey) and self.ctx.profile.has(DEPLOY_KEYS_ARE_FOUND_WHOLE)
        return self.record.key if is_whole else super()._text


class GpgKeyView(Entity[GpgKey]):
    """A GPG key of a user."""

    id = attr()
    key = attr()
    created_at = attr()


class EmailView(Entity[Email]):
    """A further e-mail address of a user."""

    id = attr()
    email = attr()
    confirmed_at = attr()


def escape_message(status: UserStatus) -> str:
    """Return the message of a status as HTML."""
    return escape(status.message or "", quote=False)


class UserStatusView(Entity[User]):
    """The status of a user; without one, all is null."""

    @computed
    def emoji(self) -> str | None:
        return self.record.status.emoji if self.record.status else None

    @computed
    def message(self) -> str | None:
        return self.record.status.message if self.record.status else None

    @computed
    def message_html(self) -> str:
        return escape_message(self.record.status) if self.record.status else ""

    @computed_if(since="13.6")
    def availability(self) -> str | None:
        return self.record.status.availability if self.record.status else None

    @computed_if(since="<=18.1")
    def clear_status_at(self) -> str | None:
        return self.record.status.clear_status_at if self.record.status else None


class AvatarView(Entity[User]):
    """The avatar of a user."""

    ctx: ReadContext

    @computed
    def avatar_url(self) -> str | None:
        return urls.user_avatar_url(self.ctx, self.record)


class UserPreferencesView(Entity[User]):
    """The preferences of a user."""

    id = attr()
    user_id = attr("id")
    view_diffs_file_by_file = attr()
    show_whitespace_in_diffs = attr()
    pass_user_identities_to_ci_jwt = attr(since="15.11")
    policy_advanced_editor = attr(since="<=18.9", when=lambda view: view.ctx.instance.has("premium"))


class MembershipView(Entity[Member]):
    """A membership in the list of a user's memberships."""

    ctx: ReadContext

    @computed
    def source_id(self) -> int:
        return self.record.source[1]

    @computed
    def source_name(self) -> str:
        return container_of(self.ctx.world, self.record.source).name

    @computed
    def source_type(self) -> str:
        return "Project" if self.record.source[0] == "project" else "Namespace"

    access_level = attr()


class UserActivityView(Entity[User]):
    """The last day on which a user was active; ``last_activity_at`` is its older name."""

    username = attr()
    last_activity_on = attr()
    last_activity_at = attr("last_activity_on")


class ManagedKeyView(Entity[SshKey]):
    """An SSH key of an enterprise user."""

    id = attr()
    title = attr()
    created_at = attr()
    expires_at = attr()
    last_used_at = attr()
    usage_type = attr()
    user_id = attr()


class SshCertificateView(Entity[SshCertificate]):
    """The key of an authority of a group."""

    id = attr()
    title = attr()
    key = attr()
    created_at = attr()


class CreditCardValidationView(Entity[User]):
    """When the credit card of a user was validated."""

    user_id = attr("id")
    credit_card_validated_at = attr()


class SupportPinView(Entity[User]):
    """The support PIN of a user."""

    pin = attr("support_pin")

    @computed
    def expires_at(self) -> str | None:
        return re.sub(r"\.\d+Z$", "Z", self.record.support_pin_expires_at or "") or None


class UserCountsView(Entity[User]):
    """How much a user has to do."""

    ctx: ReadContext
    cached_by_id = False

    @computed
    def merge_requests(self) -> int:
        return self._count(self.ctx.world.merge_requests, "assignee")

    @computed_if(since="14.2")
    def assigned_issues(self) -> int:
        return self._count(self.ctx.world.issues, "assignee")

    @computed_if(since="13.8")
    def assigned_merge_requests(self) -> int:
        return self._count(self.ctx.world.merge_requests, "assignee")

    @computed_if(since="13.8")
    def review_requested_merge_requests(self) -> int:
        return self._count(self.ctx.world.merge_requests, "reviewer")

    @computed_if(since="14.2")
    def todos(self) -> int:
        return sum(todo.state == "pending" for todo in self.ctx.world.todos.where("user", self.record.id))

    def _count(self, table: Table[Any], role: str) -> int:
        return (table.bits("facts", (role, self.record.id)) & table.bits("facts", ("state", "opened"))).bit_count()
