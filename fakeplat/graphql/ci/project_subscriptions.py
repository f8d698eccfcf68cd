"""Subscriptions to the pipelines of other projects. Source: docs/platform/graphql.md."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from fakeplat.core.operations.errors import BadRequest
from fakeplat.domain.ci import project_subscriptions
from fakeplat.domain.people import namespaces
from fakeplat.domain.purging import purge
from fakeplat.graphql.errors import ResourceNotAvailable, collect_errors
from fakeplat.graphql.ids import global_id, parse_id
from fakeplat.graphql.lookups import find_visible_project, require_ability
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import Scalar, Type, mutation
from fakeplat.model.ci import ProjectSubscription
from fakeplat.model.people import Level, Namespace, User
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can, can_see, level_on
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.features import has_feature

_SINCE: Final = "<=16.9"
_DETAILS: Final = "17.6"
_KIND: Final = "Ci::Subscriptions::Project"
Scalar("CiSubscriptionsProjectID", "The global ID of a subscription to pipelines.", since=_SINCE)
SUBSCRIPTION = Type("CiSubscriptionsProject", "A subscription to pipelines.", has_count=True, since=_SINCE)
DETAILED = Type("CiProjectSubscription", "A subscription to pipelines.", has_count=True, since=_DETAILS)
DETAILS = Type("CiSubscriptionsProjectDetails", "A project of a subscription.", since=_DETAILS)
NAMESPACE = Type("CiSubscriptionsProjectNamespaceDetails", "The namespace of such a project.", since=_DETAILS)

for _type in (DETAILS, NAMESPACE):
    _type.attributes({"name: ID!": "The name."})


def _list_readable(ctx: ReadContext, rows: Iterable[ProjectSubscription]) -> list[ProjectSubscription]:
    """Return the subscriptions that the caller sees, who administers one of the projects."""
    return [row for row in rows if _administers(ctx, row.upstream_project_id, row.downstream_project_id)]


def _administers(ctx: ReadContext, *project_ids: int) -> bool:
    return any(can(ctx, Ability.ADMIN_PROJECT, ctx.world.projects[id_]) for id_ in project_ids)


@PROJECT.field("ciSubscriptionsProjects: CiSubscriptionsProjectConnection", since=_SINCE)
@PROJECT.field("ciUpstreamProjectSubscriptions: CiProjectSubscriptionConnection", since=_DETAILS)
def list_subscriptions(ctx: ReadContext, project: Project) -> Sequence[ProjectSubscription]:
    """The subscriptions of the project to others, for those who administer one of both."""
    return _list_readable(ctx, project_subscriptions.list_upstream(ctx.world, project))


@PROJECT.field("ciSubscribedProjects: CiSubscriptionsProjectConnection", since=_SINCE)
@PROJECT.field("ciDownstreamProjectSubscriptions: CiProjectSubscriptionConnection", since=_DETAILS)
def list_subscribers(ctx: ReadContext, project: Project) -> Sequence[ProjectSubscription]:
    """The subscriptions of others to the project, for those who administer one of both."""
    return _list_readable(ctx, project_subscriptions.list_downstream(ctx.world, project))


@SUBSCRIPTION.field("id: CiSubscriptionsProjectID")
@DETAILED.field("id: CiSubscriptionsProjectID")
def id_of(ctx: ReadContext, subscription: ProjectSubscription) -> str:
    """The global ID."""
    return global_id(ctx, _KIND, subscription.id)


@SUBSCRIPTION.field("downstreamProject: Project")
def downstream_of(ctx: ReadContext, subscription: ProjectSubscription) -> Project | None:
    """The project whose pipelines are started, if the caller sees it."""
    return _find_visible(ctx, subscription.downstream_project_id)


@SUBSCRIPTION.field("upstreamProject: Project")
def upstream_of(ctx: ReadContext, subscription: ProjectSubscription) -> Project | None:
    """The project whose pipelines start others, if the caller sees it."""
    return _find_visible(ctx, subscription.upstream_project_id)


def _find_visible(ctx: ReadContext, id_: int) -> Project | None:
    project = ctx.world.projects[id_]
    return project if can_see(ctx, project) else None


@SUBSCRIPTION.field("author: User")
@DETAILED.field("author: User")
def author_of(ctx: ReadContext, subscription: ProjectSubscription) -> User | None:
    """The user who subscribed."""
    return ctx.world.users.get(subscription.author_id or 0)


@DETAILED.field("downstreamProject: CiSubscriptionsProjectDetails")
def downstream_details(ctx: ReadContext, subscription: ProjectSubscription) -> Project:
    """The project whose pipelines are started."""
    return ctx.world.projects[subscription.downstream_project_id]


@DETAILED.field("upstreamProject: CiSubscriptionsProjectDetails")
def upstream_details(ctx: ReadContext, subscription: ProjectSubscription) -> Project:
    """The project whose pipelines start others."""
    return ctx.world.projects[subscription.upstream_project_id]


@DETAILS.field("id: ID!")
def id_of_project(ctx: ReadContext, project: Project) -> str:
    """The global ID."""
    return global_id(ctx, "Project", project.id)


@DETAILS.field("namespace: CiSubscriptionsProjectNamespaceDetails!")
def namespace_of_project(ctx: ReadContext, project: Project) -> Namespace:
    """The namespace."""
    return ctx.world.namespaces[project.namespace_id]


@DETAILS.field("webUrl: String")
def url_of_project(ctx: ReadContext, project: Project) -> str:
    """The URL of the page."""
    return f"{ctx.origin}/{namespaces.project_path(ctx.world, project)}"


@NAMESPACE.field("id: ID!")
def id_of_namespace(ctx: ReadContext, namespace: Namespace) -> str:
    """The global ID."""
    return global_id(ctx, type(namespace).__name__, namespace.id)


@mutation(
    "projectSubscriptionCreate",
    input_fields='''
"""The full path of the project whose pipelines are to be started."""
projectPath: String!
"""The full path of the project whose pipelines start them."""
upstreamPath: String!
''',
    payload_fields='"""The subscription."""\nsubscription: CiSubscriptionsProject',
    since=_SINCE,
)
def create_subscription(ctx: WriteContext, project_path: str, upstream_path: str) -> Mapping[str, Any]:
    """Subscribe a project to the pipelines of another one."""
    project, upstream = (_require_project(ctx, path) for path in (project_path, upstream_path))
    require_ability(ctx, Ability.ADMIN_PROJECT, project)
    if level_on(ctx, upstream) < Level.DEVELOPER:
        raise ResourceNotAvailable(f"the caller is no Developer of {upstream_path}")
    with collect_errors(subscription=None):
        if not has_feature(ctx.world, project_subscriptions.TIER, project):
            raise BadRequest("Feature unavailable for this user.")
        return {"subscription": project_subscriptions.create(ctx, project, upstream, ctx.signed_in_user)}


def _require_project(ctx: ReadContext, full_path: str) -> Project:
    project = find_visible_project(ctx, full_path)
    if project is None:
        raise ResourceNotAvailable(f"there is no project {full_path}, or the caller does not see it")
    return project


@mutation(
    "projectSubscriptionDelete",
    input_fields='"""The global ID of the subscription."""\nsubscriptionId: CiSubscriptionsProjectID!',
    payload_fields='"""The project that was subscribed."""\nproject: Project',
    since=_SINCE,
)
def delete_subscription(ctx: WriteContext, subscription_id: str) -> Mapping[str, Any]:
    """End the subscription of a project."""
    subscription = ctx.world.project_subscriptions.get(parse_id(ctx, subscription_id, _KIND))
    if subscription is None:
        raise ResourceNotAvailable(f"{subscription_id} does not exist")
    project = ctx.world.projects[subscription.downstream_project_id]
    require_ability(ctx, Ability.ADMIN_PROJECT, project)
    with collect_errors(project=None):
        if not has_feature(ctx.world, project_subscriptions.TIER, project):
            raise BadRequest("Failed to delete subscription.")
        purge(ctx, subscription)
    return {"project": project}
