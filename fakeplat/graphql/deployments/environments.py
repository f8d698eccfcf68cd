"""Environments of projects. Source: docs/platform/graphql.md, docs/platform/deployments.md."""

from collections.abc import Sequence
from itertools import groupby
from typing import Final, TypedDict, Unpack, get_args

from graphql import GraphQLError

from fakeplat.core.store.frozen import frozen
from fakeplat.core.timestamps import to_iso
from fakeplat.domain.deployments import environment_stops, environments, freeze_periods
from fakeplat.domain.markup import markup
from fakeplat.domain.people import namespaces
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import Enumeration, Type
from fakeplat.model.clusters import ClusterAgent
from fakeplat.model.deployments import (
    AutoStopSetting,
    Environment,
    EnvironmentState,
    EnvironmentTier,
    FreezePeriod,
)
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext

_DETAILS: Final = "<=15.8"
_CLUSTER: Final = "<=16.2"
_LATEST: Final = "<=18.5"
Enumeration(
    "DeploymentTier",
    "What an environment is for.",
    {tier.upper(): (tier, f"The value {tier}.") for tier in get_args(EnvironmentTier)},
    since=_DETAILS,
)
Enumeration(
    "AutoStopSetting",
    "Which environments stop by themselves.",
    {
        setting.upper(): (setting, text)
        for setting, text in zip(get_args(AutoStopSetting), ("All.", "Those that a job stops."), strict=True)
    },
    since=_LATEST,
)
ENVIRONMENT = Type("Environment", "A deployment environment of a project.", gid="Environment")
ENVIRONMENT.attributes({"name: String!": "The name.", "state: String!": "The state: available or stopped."})
ENVIRONMENT.attributes(
    {
        "slug: String": "The name as a part of addresses.",
        "externalUrl: String": "The URL of what is deployed.",
        "tier: DeploymentTier": "What it is for.",
        "createdAt: Time": "Timestamp of creation.",
        "updatedAt: Time": "Timestamp of the last update.",
        "autoStopAt: Time": "Timestamp at which it stops by itself.",
        "autoDeleteAt: Time": "Timestamp at which it is deleted by itself.",
    },
    since=_DETAILS,
)
ENVIRONMENT.attributes({"kubernetesNamespace: String": "The namespace in the cluster."}, since="<=16.3")
ENVIRONMENT.attributes({"fluxResourcePath: String": "The path of the resource of Flux."}, since="<=16.9")
ENVIRONMENT.attributes(
    {"description: String": "The description.", "autoStopSetting: AutoStopSetting": "When it stops by itself."},
    since=_LATEST,
)
_FILTERS: Final = f'name: String, search: String, states: [String!], type: String @lifetime(since: "{_DETAILS}")'


class EnvironmentFilters(TypedDict, total=False):
    """The arguments of the fields."""

    name: str | None
    search: str | None
    states: Sequence[str] | None
    type: str | None


@PROJECT.field(f"environments({_FILTERS}): EnvironmentConnection", calls=1)
def environments_of(
    ctx: ReadContext,
    project: Project,
    name: str | None = None,
    search: str | None = None,
    states: Sequence[str] | None = None,
    type: str | None = None,  # the argument's name on the wire
) -> Sequence[Environment]:
    """The environments of the project, the newest first: all, or those with a name, in a folder, or found by a text."""
    if not {*(states or ())} <= {*get_args(EnvironmentState)}:
        raise GraphQLError("Requested states are invalid")
    if not can(ctx, Ability.READ_ENVIRONMENT, project):
        return []
    found = environments.list_environments(ctx.world, project, name=name or "", states=states or ())
    matching = [each for each in found if (not type or each.folder == type) and _starts_with(each, search or "")]
    return sorted(matching, key=lambda each: -each.id)


def _starts_with(environment: Environment, search: str) -> bool:
    """Return whether the name of an environment starts with a text, or what follows its folder."""
    name, text = environment.name.lower(), search.lower()
    return name.startswith(text) or name.partition("/")[2].startswith(text)


@PROJECT.field(f"environment({_FILTERS}): Environment", single=True)
def environment_of(ctx: ReadContext, project: Project, **filters: Unpack[EnvironmentFilters]) -> Environment | None:
    """The first environment of the project that matches the filters."""
    return next(iter(environments_of(ctx, project, **filters)), None)


@frozen
class NestedEnvironment:
    """The environments of a folder, or one without a folder. ``environment`` is the newest of them."""

    id: str
    name: str
    size: int
    environment: Environment


NESTED: Final = Type("NestedEnvironment", "Environments of a folder.", since=_DETAILS)
NESTED.attributes(
    {
        "name: String!": "The name of the folder, or of the environment.",
        "size: Int!": "The number of environments.",
        "environment: Environment": "The newest of the environments.",
    }
)


@PROJECT.field(
    "nestedEnvironments(name: String, search: String, states: [String!], type: String): NestedEnvironmentConnection",
    since=_DETAILS,
    calls=1,
)
def nested_environments(
    ctx: ReadContext, project: Project, **filters: Unpack[EnvironmentFilters]
) -> Sequence[NestedEnvironment] | None:
    """The folders of environments, and the environments without one, by name."""
    if not can(ctx, Ability.READ_ENVIRONMENT, project):
        return None
    found = sorted(environments_of(ctx, project, **filters), key=_key_of_folder)
    folders = (tuple(members) for _, members in groupby(found, key=_key_of_folder))
    return [_nest(max(members, key=lambda each: each.id), len(members)) for members in folders]


def _key_of_folder(environment: Environment) -> tuple[str, int]:
    # Environments without a folder stay alone, even beside a folder of the same name.
    return environment.folder or environment.name, 0 if environment.folder else environment.id


def _nest(newest: Environment, size: int) -> NestedEnvironment:
    return NestedEnvironment(str(newest.id), newest.folder or newest.name, size, newest)


@ENVIRONMENT.field("path: String!", since="<=13.6")
def path_of(ctx: ReadContext, environment: Environment) -> str:
    """The path of the page."""
    project = ctx.world.projects[environment.project_id]
    return f"/{namespaces.project_path(ctx.world, project)}/-/environments/{environment.id}"


@ENVIRONMENT.field("environmentType: String", since=_DETAILS)
def type_of(_ctx: ReadContext, environment: Environment) -> str | None:
    """The folder: the part of the name before the first slash."""
    return environment.folder


@ENVIRONMENT.field("descriptionHtml: String", since=_LATEST)
def description_html(ctx: ReadContext, environment: Environment) -> str:
    """The description rendered as HTML."""
    return markup.render_html(ctx, environment.description or "", ctx.world.projects[environment.project_id])


@ENVIRONMENT.field("clusterAgent: ClusterAgent", since=_CLUSTER, calls=1)
def agent_of(ctx: ReadContext, environment: Environment) -> ClusterAgent | None:
    """The agent of its dashboard, for those who may read the agents of the project."""
    agent = ctx.world.cluster_agents.get(environment.cluster_agent_id or 0)
    readable = agent is not None and can(ctx, Ability.READ_CLUSTER_AGENT, ctx.world.projects[agent.project_id])
    return agent if readable else None


# What the caller may do

PERMISSIONS: Final = Type("EnvironmentPermissions", "What the caller may do with an environment.", since=_DETAILS)


@ENVIRONMENT.field("userPermissions: EnvironmentPermissions!", since=_DETAILS, calls=1)
def permissions_of(_ctx: ReadContext, environment: Environment) -> Environment:
    """What the caller may do."""
    return environment


@PERMISSIONS.field("updateEnvironment: Boolean!")
def may_update(ctx: ReadContext, environment: Environment) -> bool:
    """Whether the caller may change it."""
    return can(ctx, Ability.UPDATE_ENVIRONMENT, ctx.world.projects[environment.project_id])


@PERMISSIONS.field("destroyEnvironment: Boolean!")
def may_destroy(ctx: ReadContext, environment: Environment) -> bool:
    """Whether the caller may delete it, which has to be stopped."""
    project = ctx.world.projects[environment.project_id]
    return not environment.is_available and can(ctx, Ability.DESTROY_ENVIRONMENT, project)


@PERMISSIONS.field("stopEnvironment: Boolean!")
def may_stop(ctx: ReadContext, environment: Environment) -> bool:
    """Whether the caller may stop it."""
    return environment_stops.decide_stop(ctx, environment).allowed


# Freeze periods

Enumeration(
    "CiFreezePeriodStatus",
    "Whether a freeze period is going on.",
    {"ACTIVE": (True, "It is going on."), "INACTIVE": (False, "It is not.")},
    since=_DETAILS,
)
FREEZE_PERIOD: Final = Type("CiFreezePeriod", "A recurring time without deployments.", since=_DETAILS)
FREEZE_PERIOD.attributes({"cronTimezone: String": "The time zone of its start and end."})


@ENVIRONMENT.field("deployFreezes: [CiFreezePeriod!]", since=_DETAILS)
def freezes_of(ctx: ReadContext, environment: Environment) -> Sequence[FreezePeriod]:
    """The freeze periods of the project."""
    project = ctx.world.projects[environment.project_id]
    readable = can(ctx, Ability.READ_FREEZE_PERIOD, project)
    return freeze_periods.list_freeze_periods(ctx.world, project) if readable else ()


@FREEZE_PERIOD.field("startCron: String!")
def start_cron(_ctx: ReadContext, period: FreezePeriod) -> str:
    """The times at which it starts."""
    return period.freeze_start


@FREEZE_PERIOD.field("endCron: String!")
def end_cron(_ctx: ReadContext, period: FreezePeriod) -> str:
    """The times at which it ends."""
    return period.freeze_end


@FREEZE_PERIOD.field("status: CiFreezePeriodStatus!")
def is_active(ctx: ReadContext, period: FreezePeriod) -> bool:
    """Whether it is going on."""
    return freeze_periods.contains(period, ctx.moving_now())


@FREEZE_PERIOD.field("startTime: Time")
def start_time(ctx: ReadContext, period: FreezePeriod) -> str:
    """Timestamp at which the current or else the next one starts."""
    return to_iso(freeze_periods.get_start(period, ctx.moving_now()))


@FREEZE_PERIOD.field("endTime: Time")
def end_time(ctx: ReadContext, period: FreezePeriod) -> str:
    """Timestamp of the next end."""
    return to_iso(freeze_periods.get_end(period, ctx.moving_now()))
