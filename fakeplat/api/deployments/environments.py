"""Environments of projects. Source: docs/platform/deployments.md."""

from collections.abc import Sequence
from typing import Annotated, Any, Final, Literal

from fakeplat.api.scopes import PROJECT
from fakeplat.core.operations.errors import BadRequest, Forbidden, UnauthorizedWithMessage
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import Check, Moment, Params, mutually_exclusive
from fakeplat.core.release import Lifetime
from fakeplat.core.timestamps import DAY, from_iso, to_iso
from fakeplat.domain.deployments import environment_stops, environments, protected_environments
from fakeplat.domain.purging import purge
from fakeplat.entities.deployments.deployments import EnvironmentBasic, EnvironmentDetail, EnvironmentView
from fakeplat.model.deployments import AutoStopSetting, Environment, EnvironmentTier
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize, can
from fakeplat.policy.behaviours import JOBS_USE_APIS_OF_THEIR_PROJECT, SHORT_ENVIRONMENT_SEARCHES_ARE_REFUSED
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Environments", login=Login.ALWAYS, job_tokens=JOBS_USE_APIS_OF_THEIR_PROJECT)
_MIN_SEARCH: Final = 3
# Known from lib/api/environments.rb of releases in which environments could be renamed, which ended with 16.0.
_WITH_NAME: Final = "<=15.11"
_MOST: Final = 1000
_WEEK: Final = 7 * DAY
_MONTH: Final = 30 * DAY
_TEN_YEARS: Final = 3652 * DAY
_NO_AGENT: Final = "cluster agent doesn't exist or cannot be associated with this environment"
_NO_PERMISSION: Final = "You do not have permission to destroy environments in this project"
_NOTHING_FOUND: Final = (
    "No environments found for scheduled deletion. Either your query did not match any environments "
    "(default parameters match environments that are 30 days or older), "
    "or you have insufficient permissions to delete matching environments."
)
_GENERATED: Final = "is automatically generated and cannot be changed"
Tier = Annotated[EnvironmentTier | None, Lifetime(since="13.10")]
Slug = Annotated[str | None, Check(lambda slug: _GENERATED, null=_GENERATED)]


class ListEnvironments(Paged):
    """Filters of the list of environments."""

    name: str | None = None
    search: str | None = None
    # Environments stop at once here.
    states: Annotated[
        Literal["available", "stopped", "stopping"] | None, Lifetime(since=_WITH_NAME, values=("stopping",))
    ] = None

    rules = (mutually_exclusive("name", "search", text="cannot be used together"),)


@area.operation(
    "GET",
    "environments",
    scope=PROJECT,
    ability=Ability.READ_ENVIRONMENT,
    params=ListEnvironments,
    view=EnvironmentView,
    many=True,
    refusals=(400,),
)
def list_environments(ctx: ReadContext, project: Project, p: ListEnvironments) -> Sequence[Environment]:
    """List the environments of a project."""
    if p.search and len(p.search) < _MIN_SEARCH and ctx.profile.has(SHORT_ENVIRONMENT_SEARCHES_ARE_REFUSED):
        text = f"400 Bad request - Search query is less than {_MIN_SEARCH} characters"
        raise BadRequest(text, reason=f"{p.search!r} is too short")
    states = (p.states,) if p.states else ()
    return environments.list_environments(ctx.world, project, name=p.name or "", prefix=p.search or "", states=states)


@area.operation(
    "GET",
    "environments/:environment_id",
    scope=PROJECT,
    ability=Ability.READ_ENVIRONMENT,
    view=EnvironmentDetail,
    refusals=(404,),
)
def get_environment(ctx: ReadContext, project: Project, environment_id: int) -> Environment:
    """Get an environment with its last deployment."""
    return environments.get_environment(ctx.world, project, environment_id)


_DASHBOARD: Final = Lifetime(since="<=17.5")


class EnvironmentAttributes(Params):
    """What an environment is, and where its dashboard in a cluster is."""

    external_url: str | None = None
    slug: Slug = None
    tier: Tier = None
    cluster_agent_id: Annotated[int | None, _DASHBOARD] = None
    kubernetes_namespace: Annotated[str | None, _DASHBOARD] = None
    flux_resource_path: Annotated[str | None, _DASHBOARD] = None
    description: Annotated[str | None, _DASHBOARD] = None
    auto_stop_setting: Annotated[AutoStopSetting | None, Lifetime(since="17.8")] = None


def _collect_attributes(ctx: ReadContext, project: Project, p: EnvironmentAttributes) -> dict[str, Any]:
    """Return the attributes that were sent; 400 for an agent that the caller may not use."""
    values = p.given()
    values.pop("slug", None)
    agent_id = values.get("cluster_agent_id")
    if agent_id is not None and not _is_usable_agent(ctx, project, agent_id):
        raise BadRequest(f"400 Bad request - {_NO_AGENT}", reason=f"{agent_id} is no agent of the project")
    if values.get("auto_stop_setting", "") is None:
        del values["auto_stop_setting"]
    return values


def _is_usable_agent(ctx: ReadContext, project: Project, id_: int) -> bool:
    agent = ctx.world.cluster_agents.get(id_)
    is_own = agent is not None and agent.project_id == project.id
    return is_own and can(ctx, Ability.READ_CLUSTER_AGENT, project)


class CreateEnvironment(EnvironmentAttributes):
    """A new environment."""

    name: str


@area.operation(
    "POST",
    "environments",
    scope=PROJECT,
    ability=Ability.CREATE_ENVIRONMENT,
    params=CreateEnvironment,
    view=EnvironmentView,
    refusals=(400,),
)
def create_environment(ctx: WriteContext, project: Project, p: CreateEnvironment) -> Environment:
    """Create an environment."""
    values = _collect_attributes(ctx, project, p)
    return environments.create(ctx, project, values.pop("name"), **values)


class UpdateEnvironment(EnvironmentAttributes):
    """Changes of an environment."""

    name: Annotated[str | None, Lifetime(until="16.0")] = None


@area.operation(
    "PUT",
    "environments/:environment_id",
    scope=PROJECT,
    ability=Ability.UPDATE_ENVIRONMENT,
    params=UpdateEnvironment,
    view=EnvironmentView,
    refusals=(400, 403, 404),
)
def update_environment(ctx: WriteContext, project: Project, environment_id: int, p: UpdateEnvironment) -> Environment:
    """Update an environment."""
    environment = environments.get_environment(ctx.world, project, environment_id)
    protected_environments.authorize_modification(ctx, project, environment.name)
    return environments.update(ctx, environment, **_collect_attributes(ctx, project, p))


@area.operation(
    "DELETE",
    "environments/:environment_id",
    scope=PROJECT,
    ability=Ability.READ_ENVIRONMENT,
    refusals=(403, 404, 412),
)
def delete_environment(ctx: WriteContext, project: Project, environment_id: int) -> None:
    """Delete a stopped environment."""
    environment = environments.get_environment(ctx.world, project, environment_id)
    authorize(ctx, Ability.DESTROY_ENVIRONMENT, project)
    if environment.is_available:
        raise Forbidden(reason=f"environment {environment.name} is not stopped, so it cannot be deleted")
    ctx.check_unmodified_since(environment.updated_at)
    purge(ctx, environment)


class StopEnvironment(Params):
    """Whether the job that stops an environment is left out."""

    force: Annotated[bool, Lifetime(since=_WITH_NAME)] = False


@area.operation(
    "POST",
    "environments/:environment_id/stop",
    scope=PROJECT,
    ability=Ability.READ_ENVIRONMENT,
    params=StopEnvironment,
    view=EnvironmentView,
    status=200,
    refusals=(403, 404),
)
def stop_environment(ctx: WriteContext, project: Project, environment_id: int, p: StopEnvironment) -> Environment:
    """Stop an environment, and play the job that stops it."""
    environment = environments.get_environment(ctx.world, project, environment_id)
    decision = environment_stops.decide_stop(ctx, environment)
    if not decision.allowed:
        raise Forbidden(reason=decision.why)
    return environment_stops.stop(ctx, environment, force=bool(p.force))


class StopStaleEnvironments(Params):
    """Until when an environment has to be unchanged to be stale."""

    before: Moment


@area.operation(
    "POST",
    "environments/stop_stale",
    scope=PROJECT,
    ability=Ability.STOP_ENVIRONMENTS,
    params=StopStaleEnvironments,
    status=200,
    refusals=(400,),
    since=_WITH_NAME,
)
def stop_stale_environments(ctx: WriteContext, project: Project, p: StopStaleEnvironments) -> dict[str, str]:
    """Stop the environments that were neither changed nor deployed to for a week or more."""
    if not _TEN_YEARS >= ctx.now() - from_iso(p.before) >= _WEEK:
        raise BadRequest("400 Bad request - Invalid Date", reason="before has to be between ten years and a week ago")
    environment_stops.stop_stale(ctx, project, p.before)
    return {"message": "Successfully scheduled stale environments to stop"}


class DeleteReviewApps(Params):
    """Which stopped environments are deleted, and whether they are only listed."""

    before: Moment | None = None
    limit: Annotated[int, Check(lambda limit: None if 1 <= limit <= _MOST else "does not have a valid value")] = 100
    dry_run: bool = True


@area.operation(
    "DELETE",
    "environments/review_apps",
    scope=PROJECT,
    ability=Ability.READ_ENVIRONMENT,
    params=DeleteReviewApps,
    status=200,
    refusals=(400, 401),
    since="14.2",
)
def delete_environment_review_apps(ctx: WriteContext, project: Project, p: DeleteReviewApps) -> dict[str, Any]:
    """Delete stopped environments below ``review`` in a week, or list them."""
    if not can(ctx, Ability.DESTROY_ENVIRONMENT, project):
        raise UnauthorizedWithMessage(_describe_entries(ctx, (), _NO_PERMISSION))
    before = p.before or to_iso(ctx.now() - _MONTH)
    found = environments.list_stopped_review_apps(ctx.world, project, before, p.limit)
    barred = [
        each for each in found if protected_environments.is_protected_from(ctx, project, each.name, ctx.signed_in_user)
    ]
    if barred or not found:
        raise BadRequest(_describe_entries(ctx, barred, _NOTHING_FOUND))
    if p.dry_run is False:
        for environment in found:
            environments.update(ctx, environment, auto_delete_at=to_iso(ctx.now() + _WEEK))
    return {**_describe_entries(ctx, ()), "scheduled_entries": [_render(ctx, each) for each in found]}


def _describe_entries(ctx: ReadContext, barred: Sequence[Environment], message: str | None = None) -> dict[str, Any]:
    entries = {"scheduled_entries": [], "unprocessable_entries": [_render(ctx, each) for each in barred]}
    return {**entries, **({"message": message} if message else {})}


def _render(ctx: ReadContext, environment: Environment) -> Any:
    return ctx.render(EnvironmentBasic, environment)
