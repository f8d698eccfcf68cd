"""Views of namespaces and groups.

Source: docs/platform/namespaces.md, docs/platform/groups.md.
"""

from typing import Any, ClassVar, NotRequired, TypedDict

from fakeplat.core.operations.entity import Entity, attr, computed, computed_if, constant
from fakeplat.domain import settings, statistics
from fakeplat.domain.people import namespaces, seats, subscriptions
from fakeplat.entities import urls
from fakeplat.entities.projects.custom_attributes import WithCustomAttributes
from fakeplat.model.people import Group, Namespace
from fakeplat.model.projects import Share
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can, can_see
from fakeplat.policy.behaviours import (
    BILLS_ARE_FOR_OWNERS,
    DELETION_IS_DELAYED_FOR_ALL,
    EMAILS_ARE_ENABLED,
    LIMITS_ARE_OF_HOSTED_NAMESPACES,
    STATISTICS_HAVE_MORE_PARTS,
    SUBSCRIPTIONS_EXCLUDE_GUESTS,
)
from fakeplat.policy.context import ReadContext
from fakeplat.policy.documented import Ruling
from fakeplat.policy.levels import is_archived

STATISTICS = "statistics"
PLAN = "plan:"


def _avatar(ctx: ReadContext, namespace: Namespace) -> str | None:
    # A user's namespace shows the avatar of its owner.
    owner = namespaces.owner_of(ctx.world, namespace)
    if owner is not None:
        return urls.user_avatar_url(ctx, owner)
    return urls.avatar_url(ctx, "group", namespace.id, namespace.avatar) if isinstance(namespace, Group) else None


class NamespaceBasic(Entity[Namespace]):
    """A namespace as part of a project."""

    ctx: ReadContext

    id = attr()
    name = attr()
    path = attr()

    @computed
    def kind(self) -> str:
        return "group" if isinstance(self.record, Group) else "user"

    @computed
    def full_path(self) -> str:
        return namespaces.full_path(self.ctx.world, self.record)

    parent_id = attr()

    @computed
    def avatar_url(self) -> str | None:
        return _avatar(self.ctx, self.record)

    @computed
    def web_url(self) -> str:
        return urls.namespace_url(self.ctx, self.record)


class GroupBasic(Entity[Group]):
    """The first fields of all views of a group."""

    ctx: ReadContext

    id = attr()

    @computed
    def web_url(self) -> str:
        return urls.namespace_url(self.ctx, self.record)

    name = attr()


class GroupPublic(GroupBasic):
    """A group in a project's list of groups, which includes private ones."""

    @computed
    def avatar_url(self) -> str | None:
        return _avatar(self.ctx, self.record)

    @computed
    def full_name(self) -> str:
        return namespaces.full_name(self.ctx.world, self.record)

    @computed
    def full_path(self) -> str:
        return namespaces.full_path(self.ctx.world, self.record)


def _shows_template_project(ctx: ReadContext, group: Group) -> bool:
    """Return whether a group shows that project: on paid tiers, unless it is hidden from the caller."""
    project = namespaces.find_template_project(ctx.world, group)
    return ctx.instance.has("premium") and (project is None or can_see(ctx, project))


def _is_paid(view: Entity[Group]) -> bool:
    return bool(view.ctx.instance.has("premium"))


class GroupView(WithCustomAttributes[Group], GroupBasic):
    """A group in lists."""

    subject_kind: ClassVar[str] = "group"

    path = attr()
    description = attr()
    visibility = attr()
    share_with_group_lock = attr()
    require_two_factor_authentication = attr()
    two_factor_grace_period = attr()
    project_creation_level = attr()
    auto_devops_enabled = attr()
    subgroup_creation_level = attr()

    @computed
    def emails_disabled(self) -> bool | None:
        is_boolean = self.ctx.profile.has(EMAILS_ARE_ENABLED)
        return bool(self.record.emails_disabled) if is_boolean else self.record.emails_disabled

    @computed_if(since="16.5")
    def emails_enabled(self) -> bool:
        return not self.record.emails_disabled

    show_diff_preview_in_email = attr(since="<=18.9")
    mentions_disabled = attr()
    shared_runners_setting = attr(since="<=16.5")
    default_branch = attr(since="16.11")
    max_artifacts_size = attr(since="<=17.9")
    math_rendering_limits_enabled = attr(since="<=17.9")
    lock_math_rendering_limits_enabled = attr(since="<=17.9")
    wiki_access_level = attr(since="<=16.3", when=_is_paid)
    # There is one organization, and the repositories of groups do not move to other storages by themselves.
    organization_id = constant(1, int, since="17.1")
    duo_features_enabled = attr(since="16.10", when=_is_paid)
    lock_duo_features_enabled = attr(since="16.10", when=_is_paid)
    auto_duo_code_review_enabled = attr(since="<=18.9", when=_is_paid)
    web_based_commit_signing_enabled = attr(since="18.2", when=_is_paid)
    service_access_tokens_expiration_enforced = attr(since="<=18.9", when=_is_paid)
    allow_personal_snippets = attr(since="18.9", when=_is_paid)
    lfs_enabled = attr()
    default_branch_protection = attr()

    @computed_if(since="17.0")
    def default_branch_protection_defaults(self) -> dict[str, Any]:
        return dict(settings.group_branch_protection(self.record))

    @computed_if(since="18.2")
    def archived(self) -> bool:
        return is_archived(self.ctx.world, self.record)

    repository_storage = constant("default", str, since="<=16.3", when=lambda view: view.ctx.admin)

    @computed
    def avatar_url(self) -> str | None:
        return _avatar(self.ctx, self.record)

    request_access_enabled = attr()

    @computed
    def full_name(self) -> str:
        return namespaces.full_name(self.ctx.world, self.record)

    @computed
    def full_path(self) -> str:
        return namespaces.full_path(self.ctx.world, self.record)

    created_at = attr()
    parent_id = attr()
    # Synchronization with LDAP is not implemented; paid tiers show nulls.
    ldap_cn = constant(None, str | None, when=lambda view: view.ctx.instance.has("premium"))
    ldap_access = constant(None, int | None, when=lambda view: view.ctx.instance.has("premium"))

    @computed_if(when=lambda view: _shows_template_project(view.ctx, view.record))
    def file_template_project_id(self) -> int | None:
        project = namespaces.find_template_project(self.ctx.world, self.record)
        return project.id if project else None

    marked_for_deletion_on = attr(
        when=lambda view: view.ctx.instance.has("premium") or view.ctx.profile.has(DELETION_IS_DELAYED_FOR_ALL)
    )

    @computed_if(when=lambda view: STATISTICS in view.options and view.ctx.admin)
    def statistics(self) -> dict[str, int]:
        sizes = statistics.with_later_parts(
            self.ctx, statistics.group_statistics(self.ctx, self.record), "uploads_size"
        )
        if self.ctx.profile.has(STATISTICS_HAVE_MORE_PARTS):
            return sizes
        # The specification lists ``packages_size``, but the platform does not send it (ruling 32).
        if Ruling.FIELDS_ARE_AS_SPECIFIED.holds(self.ctx.world):
            return sizes
        return {name: size for name, size in sizes.items() if name != "packages_size"}

    @computed_if(
        since="17.4", when=lambda view: STATISTICS in view.options and view.ctx.admin and view.record.parent_id is None
    )
    def root_storage_statistics(self) -> dict[str, int | bool]:
        return statistics.root_statistics(self.ctx, self.record)


class SharedWith(Entity[Share]):
    """A group with which a project or group is shared."""

    ctx: ReadContext

    group_id = attr()

    @computed
    def group_name(self) -> str:
        return self.ctx.world.namespaces[self.record.group_id].name

    @computed
    def group_full_path(self) -> str:
        return namespaces.full_path(self.ctx.world, self.ctx.world.namespaces[self.record.group_id])

    group_access_level = attr("group_access")
    expires_at = attr()
    member_role_id = attr(since="<=18.0", when=lambda view: view.record.member_role_id is not None)


def _is_billed(view: Entity[Namespace]) -> bool:
    """Whether the instance has paid tiers."""
    return bool(view.ctx.instance.hosted or view.ctx.instance.has("premium"))


def _shows_plan(view: Entity[Namespace]) -> bool:
    """Whether the plan is shown: on instances with paid tiers, to owners of the namespace."""
    return _is_billed(view) and can(view.ctx, Ability.ADMIN_NAMESPACE, view.record)


def _shows_limits(view: Entity[Namespace]) -> bool:
    """Whether limits that can be bought are shown: to administrators, later of the hosted offering only."""
    instance = view.ctx.instance
    are_for_others = instance.has("premium") and not view.ctx.profile.has(LIMITS_ARE_OF_HOSTED_NAMESPACES)
    return bool(view.ctx.admin and (instance.hosted or are_for_others))


def _hides_bills(view: Entity[Namespace]) -> bool:
    """Whether what is billed is null, as for everybody but owners and administrators of later releases."""
    hides = view.ctx.profile.has(BILLS_ARE_FOR_OWNERS)
    if not hides or can(view.ctx, Ability.ADMIN_NAMESPACE, view.record):
        return False
    return not can(view.ctx, Ability.READ_ALL_BILLS)


def _has_seats(view: Entity[Namespace]) -> bool:
    """Whether seats are counted: on the hosted offering, where every namespace has a plan."""
    return bool(view.ctx.instance.hosted)


class NamespaceView(NamespaceBasic):
    """A single namespace."""

    @computed_if(when=lambda view: isinstance(view.record, Group) and can(view.ctx, Ability.COUNT_MEMBERS, view.record))
    def members_count_with_descendants(self) -> int:
        return namespaces.count_members(self.ctx.world, self.record)

    shared_runners_minutes_limit = attr(when=_shows_limits)
    extra_shared_runners_minutes_limit = attr(when=_shows_limits)

    @computed_if(when=_is_billed)
    def billable_members_count(self) -> int | None:
        if _hides_bills(self):
            return None
        requested = next((option.removeprefix(PLAN) for option in self.options if option.startswith(PLAN)), "")
        return seats.count_billable(self.ctx.world, self.record, requested)

    @computed_if(when=_has_seats)
    def seats_in_use(self) -> int | None:
        return None if _hides_bills(self) else seats.count_in_use(self.ctx, self.record)

    @computed_if(when=_has_seats)
    def max_seats_used(self) -> int | None:
        return None if _hides_bills(self) else seats.max_seats_used(self.ctx, self.record)

    @computed_if(since="<=18.9", when=_has_seats)
    def max_seats_used_changed_at(self) -> str | None:
        return None if _hides_bills(self) else self.record.max_seats_used_changed_at

    @computed_if(when=_shows_plan)
    def plan(self) -> str:
        return namespaces.plan_of(self.ctx.world, self.record)

    trial_ends_on = attr(when=_shows_plan)
    trial = attr(when=_shows_plan)

    @computed_if(since="<=18.9", when=_has_seats)
    def end_date(self) -> str | None:
        subscription = None if _hides_bills(self) else self.record.subscription
        return subscription.end_date if subscription else None

    @computed_if(since="<=18.9", when=lambda view: can(view.ctx, Ability.ADMIN_NAMESPACE, view.record))
    def projects_count(self) -> int:
        return sum(1 for _ in namespaces.list_projects_within(self.ctx.world, self.record))

    @computed_if(since="<=18.9", when=lambda view: can(view.ctx, Ability.ADMIN_NAMESPACE, view.record))
    def root_repository_size(self) -> int:
        root = namespaces.root_of(self.ctx.world, self.record)
        projects = namespaces.list_projects_within(self.ctx.world, root)
        return sum(statistics.project_statistics(self.ctx, project)["repository_size"] for project in projects)

    additional_purchased_storage_size = attr(since="<=13.12", when=_shows_limits)
    additional_purchased_storage_ends_on = attr(since="<=13.12", when=_shows_limits)


class SubscriptionPlan(TypedDict):
    """The plan of a namespace."""

    code: str | None
    name: str | None
    trial: bool | None
    auto_renew: bool | None
    upgradable: bool | None
    exclude_guests: NotRequired[bool | None]


class SubscriptionUsage(TypedDict):
    """The seats that were bought and are used."""

    seats_in_subscription: int | None
    seats_in_use: int | None
    max_seats_used: int | None
    seats_owed: int | None


class SubscriptionBilling(TypedDict):
    """When the subscription begins and ends."""

    subscription_start_date: str | None
    subscription_end_date: str | None
    trial_ends_on: str | None


class SubscriptionView(Entity[Namespace]):
    """The subscription of a namespace; every value is null without one."""

    ctx: ReadContext

    @computed
    def plan(self) -> SubscriptionPlan:
        shown, world = self._show_plan(), self.ctx.world
        if self.ctx.profile.has(SUBSCRIPTIONS_EXCLUDE_GUESTS):
            has_one = self.record.subscription is not None
            shown["exclude_guests"] = seats.has_free_guests(world, self.record) if has_one else None
        return shown

    def _show_plan(self) -> SubscriptionPlan:
        namespace, bought = self.record, self.record.subscription
        if bought is None:
            return {"code": None, "name": None, "trial": None, "auto_renew": None, "upgradable": None}
        code = namespaces.plan_of(self.ctx.world, namespace)
        return {
            "code": code,
            "name": code.replace("_", " ").title(),
            "trial": namespace.trial,
            "auto_renew": bought.auto_renew,
            "upgradable": subscriptions.is_upgradable(self.ctx, namespace),
        }

    @computed
    def usage(self) -> SubscriptionUsage:
        bought = self.record.subscription
        if bought is None:
            return {"seats_in_subscription": None, "seats_in_use": None, "max_seats_used": None, "seats_owed": None}
        return {
            "seats_in_subscription": bought.seats,
            "seats_in_use": seats.count_in_use(self.ctx, self.record),
            "max_seats_used": seats.max_seats_used(self.ctx, self.record),
            "seats_owed": subscriptions.count_owed(self.ctx, self.record),
        }

    @computed
    def billing(self) -> SubscriptionBilling:
        bought = self.record.subscription
        return {
            "subscription_start_date": bought.start_date if bought else None,
            "subscription_end_date": bought.end_date if bought else None,
            "trial_ends_on": self.record.trial_ends_on if bought else None,
        }
