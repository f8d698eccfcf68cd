"""Pages, permissions and paid features of namespaces. Source: docs/platform/graphql.md ('Namespaces')."""

from collections.abc import Mapping
from typing import Final

from fakeplat.domain import urls
from fakeplat.domain.customer_relations import crm_access
from fakeplat.domain.instance import features
from fakeplat.domain.people import namespaces, seats
from fakeplat.graphql.people.groups import BOTH, GROUP, NAMESPACE
from fakeplat.graphql.permissions import permit
from fakeplat.graphql.schema_builder import Type
from fakeplat.model.people import Group
from fakeplat.model.projects import Project, Routable
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext
from fakeplat.policy.features import has_feature

_LATER: Final = "<=18.5"
_DATE_FILTER: Final = "issue_date_filter"


@NAMESPACE.field("webUrl: String", since=_LATER)
def web_url(ctx: ReadContext, namespace: Routable) -> str:
    """The URL of the group, user or project."""
    return urls.container_url(ctx, namespace)


@NAMESPACE.field("avatarUrl: String", since=_LATER)
def avatar_url(ctx: ReadContext, namespace: Routable) -> str | None:
    """The URL of the avatar of the group, user or project."""
    if isinstance(namespace, Project | Group):
        return urls.avatar_url(ctx, type(namespace).__name__.lower(), namespace.id, namespace.avatar)
    owner = namespaces.owner_of(ctx.world, namespace)
    return urls.user_avatar_url(ctx, owner) if owner is not None else None


@NAMESPACE.field("mergeRequestsEnabled: Boolean!", since="18.3")
def has_merge_requests(_ctx: ReadContext, namespace: Routable) -> bool:
    """Whether there are merge requests, which a project can do without."""
    return not isinstance(namespace, Project) or namespace.merge_requests_access_level != "disabled"


def has_cross_project_pipelines(ctx: ReadContext, namespace: Routable) -> bool:
    """Whether pipelines can start those of other projects; paid tiers only."""
    return has_feature(ctx.world, "premium", namespace)


for _type in BOTH:
    _type.field("crossProjectPipelineAvailable: Boolean!", since="<=14.10")(has_cross_project_pipelines)


@GROUP.field('billableMembersCount(requestedHostedPlan: String @lifetime(since: "<=14.10")): Int', since="<=14.0")
def count_billable_members(ctx: ReadContext, group: Group, requested_hosted_plan: str | None = None) -> int | None:
    """Number of the members who take a seat, for Owners; without Guests in a plan that does not count them."""
    if not can(ctx, Ability.ADMIN_GROUP, group):
        return None
    return seats.count_billable(ctx.world, group, requested_hosted_plan or "")


# Permissions

PERMISSIONS: Final = Type("NamespacePermissions", "What the caller may do in a namespace.", since=_LATER)
permit(PERMISSIONS, {"createProjects": Ability.CREATE_PROJECTS})


@NAMESPACE.field("userPermissions: NamespacePermissions!", since=_LATER)
def permissions_in_namespace(_ctx: ReadContext, namespace: Routable) -> Routable:
    """What the caller may do."""
    return namespace


def _permit_in_containers(name: str, ability: Ability) -> None:
    def may(ctx: ReadContext, namespace: Routable) -> bool:
        return isinstance(namespace, Project | Group) and can(ctx, ability, namespace)

    PERMISSIONS.field(f"{name}: Boolean!", description=f"Whether the caller has {ability.value}.")(may)


_permit_in_containers("adminIssue", Ability.ADMIN_ISSUE)
_permit_in_containers("adminLabel", Ability.ADMIN_LABEL)
_permit_in_containers("adminProject", Ability.ADMIN_PROJECT)
_permit_in_containers("importIssues", Ability.IMPORT_ISSUES)


def _permit_customers(name: str, ability: Ability) -> None:
    def may(ctx: ReadContext, namespace: Routable) -> bool:
        source = crm_access.find_source(ctx.world, namespace)
        return source is not None and crm_access.may(ctx, ability, source)

    PERMISSIONS.field(f"{name}: Boolean!", description=f"Whether the caller has {ability.value}.")(may)


_permit_customers("readCrmContact", Ability.READ_CRM_CONTACT)
_permit_customers("readCrmOrganization", Ability.READ_CRM_ORGANIZATION)


@PERMISSIONS.field("readNamespace: Boolean!")
def may_read_namespace(ctx: ReadContext, namespace: Routable) -> bool:
    """Whether the caller has read_namespace."""
    return isinstance(namespace, Project) or can(ctx, Ability.READ_NAMESPACE, namespace)


# Paid features

FEATURES: Final = Type("NamespaceAvailableFeatures", "Which features a namespace has.", since="18.1")
_PREMIUM: Final[Mapping[str, str]] = {
    "hasEpicsFeature": "epics",
    "hasIssueWeightsFeature": "weights of issues",
    "hasIterationsFeature": "iterations",
    "hasLinkedItemsEpicsFeature": "linked epics",
    "hasScopedLabelsFeature": "scoped labels",
}
_ULTIMATE: Final[Mapping[str, str]] = {
    "hasIssuableHealthStatusFeature": "the health of issues",
    "hasOkrsFeature": "objectives and key results",
    "hasQualityManagementFeature": "requirements and test cases",
    "hasSubepicsFeature": "epics below epics",
}
_LATER_PREMIUM: Final[Mapping[str, str]] = {
    "hasBlockedIssuesFeature": "issues that block others",
    "hasCustomFieldsFeature": "custom fields",
    "hasGroupBulkEditFeature": "changes of many issues in a group",
    "hasWorkItemStatusFeature": "statuses of work items",
}


@NAMESPACE.field("licensedFeatures: NamespaceAvailableFeatures!", since="18.1")
@NAMESPACE.field("availableFeatures: NamespaceAvailableFeatures!", since="18.3")
@GROUP.field("licensedFeatures: NamespaceAvailableFeatures!", since="18.1")
@GROUP.field("availableFeatures: NamespaceAvailableFeatures!", since="18.3")
def features_of_namespace(_ctx: ReadContext, namespace: Routable) -> Routable:
    """The features that the namespace has."""
    return namespace


def _declare_features(tier: str, names: Mapping[str, str], since: str = "") -> None:
    def is_available(ctx: ReadContext, namespace: Routable) -> bool:
        return has_feature(ctx.world, tier, namespace)

    for name, words in names.items():
        FEATURES.field(f"{name}: Boolean!", since=since, description=f"Whether there are {words}.")(is_available)


_declare_features("premium", _PREMIUM)
_declare_features("premium", _LATER_PREMIUM, since="18.3")
_declare_features("ultimate", _ULTIMATE)


@FEATURES.field("hasIssueDateFilterFeature: Boolean!")
def has_date_filter(ctx: ReadContext, namespace: Routable) -> bool:
    """Whether lists of issues are filtered by dates, a feature that is off unless switched."""
    group = ctx.world.namespaces[namespace.namespace_id] if isinstance(namespace, Project) else namespace
    actors = (ctx.viewer, group if isinstance(group, Group) else None)
    return any(features.is_enabled(ctx.world, _DATE_FILTER, actor) for actor in actors)


@FEATURES.field("hasDesignManagementFeature: Boolean!", since="18.6")
def has_designs(_ctx: ReadContext, namespace: Routable) -> bool:
    """Whether there are designs, as in projects with Git LFS."""
    return isinstance(namespace, Project) and namespace.lfs_enabled
