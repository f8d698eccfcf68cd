"""Environments of projects. Source: docs/platform/deployments.md."""

from collections.abc import Sequence
from typing import Annotated, Any, Final, Literal

from fakeplat.api.scopes import PROJECT
from fakeplat.core.operations.errors import BadRequest, Forbidden
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import Check, Params, mutually_exclusive
from fakeplat.core.release import Lifetime
from fakeplat.domain.deployments import environment_stops, environments
from fakeplat.domain.purging import purge
from fakeplat.entities.deployments.deployments import EnvironmentDetail, EnvironmentView
from fakeplat.model.deployments import Environment, EnvironmentTier
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize
from fakeplat.policy.behaviours import SHORT_ENVIRONMENT_SEARCHES_ARE_REFUSED
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Environments", login=Login.ALWAYS)
_MIN_SEARCH: Final = 3
_GENERATED: Final = "is automatically generated and cannot be changed"
Tier = Annotated[EnvironmentTier | None, Lifetime(since="13.10")]
Slug = Annotated[str | None, Check(lambda slug: _GENERATED, null=_GENERATED)]


class ListEnvironments(Paged):
    """Filters of the list of environments."""

    name: str | None = None
    search: str | None = None
    # Environments stop at once here.
    states: Annotated[
        Literal["available", "stopped", "stopping"] | None, Lifetime(since="<=18.9", values=("stopping",))
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


class CreateEnvironment(Params):
    """A new environment."""

    name: str
    external_url: str | None = None
    slug: Slug = None
    tier: Tier = None


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
    return environments.create(ctx, project, p.name, external_url=p.external_url, tier=p.tier)


class UpdateEnvironment(Params):
    """Changes of an environment."""

    name: Annotated[str | None, Lifetime(until="16.0")] = None
    external_url: str | None = None
    slug: Slug = None
    tier: Tier = None


@area.operation(
    "PUT",
    "environments/:environment_id",
    scope=PROJECT,
    ability=Ability.UPDATE_ENVIRONMENT,
    params=UpdateEnvironment,
    view=EnvironmentView,
    refusals=(400, 404),
)
def update_environment(ctx: WriteContext, project: Project, environment_id: int, p: UpdateEnvironment) -> Environment:
    """Update an environment."""
    changes: dict[str, Any] = p.given()
    return environments.update(ctx, environments.get_environment(ctx.world, project, environment_id), **changes)


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


@area.operation(
    "POST",
    "environments/:environment_id/stop",
    scope=PROJECT,
    ability=Ability.READ_ENVIRONMENT,
    view=EnvironmentView,
    status=200,
    refusals=(403, 404),
)
def stop_environment(ctx: WriteContext, project: Project, environment_id: int) -> Environment:
    """Stop an environment, and play the job that stops it."""
    environment = environments.get_environment(ctx.world, project, environment_id)
    decision = environment_stops.decide_stop(ctx, environment)
    if not decision.allowed:
        raise Forbidden(reason=decision.why)
    return environment_stops.stop(ctx, environment)
