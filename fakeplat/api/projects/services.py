"""Integrations of projects, which the API calls services.

Each declared integration has the operations below, with the parameters of its declaration.
Source: docs/platform/integrations.md, docs/decisions/rulings.md (31).
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final

from fakeplat.api.scopes import PROJECT
from fakeplat.core.operations.errors import InvalidParams, NotFound, NotFoundWithMessage, RouteNotFound
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import Params, binder_of
from fakeplat.domain.integrations import slash_commands
from fakeplat.domain.integrations.catalog import INTEGRATIONS
from fakeplat.domain.projects import services
from fakeplat.domain.projects.services import Integration
from fakeplat.entities.projects.services import ServiceBasic, ServiceView
from fakeplat.model.hooks import Service
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Integrations", login=Login.ALWAYS, located_first=True)


# Declarations of integrations are constants, so each class is built only once.
@cache
def build_service_params(integration: Integration) -> type[Params]:
    """Return the parameters class of an integration, built from its declaration."""
    return _build_params(
        integration.slug,
        {
            # A required one has to be sent, but a null is a matter of the integration's rules.
            **{prop.name: prop.kind | None for prop in integration.properties},  # type: ignore[operator]  # kinds are types
            **{flag: bool | None if flag in integration.strict_flags else object for flag in integration.flags},
        },
        {prop.name for prop in integration.properties if prop.required},
    )


def _build_params(name: str, types: Mapping[str, object], required: set[str]) -> type[Params]:
    # Class attributes are the defaults of parameters; a parameter without one is required.
    defaults = {kind: None for kind in types if kind not in required}
    return type(name, (Params,), {"__annotations__": types, "__module__": __name__, **defaults})


UpdateService: Final = _build_params(
    "UpdateService",
    {
        # Any type, because properties of two integrations may share a name without sharing a type.
        name: object
        for integration in INTEGRATIONS.values()
        for name in (*(prop.name for prop in integration.properties), *integration.flags)
    },
    set(),
)
"""The parameters of all integrations; they are bound again once the integration is known."""


@area.operation(
    "GET", "services", scope=PROJECT, ability=Ability.ADMIN_SERVICES, view=ServiceBasic, many=True, paging=None
)
def list_services(ctx: ReadContext, project: Project) -> Sequence[Service]:
    """List the active integrations of a project."""
    return services.list_active(ctx.world, project)


def _check_slug(ctx: ReadContext, slug: str, parameter: str = "service_slug") -> Integration:
    integration = services.find_integration(ctx.instance, slug)
    if integration is None:
        raise InvalidParams(f"{parameter} does not have a valid value", reason=f"no integration is called {slug!r}")
    return integration


@area.operation(
    "GET", "services/:slug", scope=PROJECT, ability=Ability.ADMIN_SERVICES, view=ServiceView, refusals=(400,)
)
def get_service(ctx: ReadContext, project: Project, slug: str) -> Service | dict[str, Any]:
    """Get the settings of an integration."""
    _check_slug(ctx, slug)
    service = services.find_service(ctx.world, project, slug)
    # An integration that was never configured is 200 with nulls, not 404 (ruling 31).
    return service or ServiceView(services.unconfigured_service(project, slug), ctx).values()


@area.operation(
    "PUT",
    "services/:slug",
    scope=PROJECT,
    ability=Ability.ADMIN_SERVICES,
    params=UpdateService,
    view=ServiceView,
    refusals=(400, 404),
)
def update_service(ctx: WriteContext, project: Project, slug: str, p: Params) -> Service:
    """Create or update an integration."""
    return _update(ctx, project, slug, p)


def _update(ctx: WriteContext, project: Project, slug: str, p: Params) -> Service:
    integration = services.find_integration(ctx.instance, slug)
    if integration is None:
        # On the platform each integration has a PUT route of its own, so an unknown slug is no route.
        raise RouteNotFound(reason=f"no integration has the slug {slug!r}")
    params = binder_of(build_service_params(integration)).bind(p.given())
    return services.update(ctx, project, integration, params.given())


@area.operation("DELETE", "services/:slug", scope=PROJECT, ability=Ability.ADMIN_SERVICES, refusals=(400, 412))
def delete_service(ctx: WriteContext, project: Project, slug: str) -> None:
    """Disable an integration and delete its settings."""
    services.delete(ctx, project, _check_slug(ctx, slug))


@area.operation(
    "GET",
    "integrations",
    scope=PROJECT,
    ability=Ability.ADMIN_SERVICES,
    view=ServiceBasic,
    many=True,
    paging=None,
    since="14.4",
)
def list_integrations(ctx: ReadContext, project: Project) -> Sequence[Service]:
    """List the active integrations of a project (newer path)."""
    return services.list_active(ctx.world, project)


@area.operation(
    "GET",
    "integrations/:slug",
    scope=PROJECT,
    ability=Ability.ADMIN_SERVICES,
    view=ServiceView,
    refusals=(400, 404),
    since="14.4",
)
def get_integration(ctx: ReadContext, project: Project, slug: str) -> Service:
    """Get the settings of an integration (newer path); 404 if it was never configured."""
    _check_slug(ctx, slug, "slug")
    service = services.find_service(ctx.world, project, slug)
    if service is None:
        raise NotFoundWithMessage("404 Integration Not Found", reason=f"the integration {slug} was never configured")
    return service


@area.operation(
    "PUT",
    "integrations/:slug",
    scope=PROJECT,
    ability=Ability.ADMIN_SERVICES,
    params=UpdateService,
    view=ServiceView,
    refusals=(400, 404),
    since="14.4",
)
def update_integration(ctx: WriteContext, project: Project, slug: str, p: Params) -> Service:
    """Create or update an integration (newer path)."""
    return _update(ctx, project, slug, p)


@area.operation(
    "DELETE",
    "integrations/:slug",
    scope=PROJECT,
    ability=Ability.ADMIN_SERVICES,
    refusals=(400, 404, 412),
    since="14.4",
)
def delete_integration(ctx: WriteContext, project: Project, slug: str) -> None:
    """Disable an integration and delete its settings (newer path); 404 if it was never configured."""
    integration = _check_slug(ctx, slug, "slug")
    if services.find_service(ctx.world, project, slug) is None:
        raise NotFoundWithMessage("404 Integration Not Found", reason=f"the integration {slug} was never configured")
    services.delete(ctx, project, integration)


class SlashCommand(Params):
    """What a chat sends about a command and its user."""

    token: str
    team_id: str | None = None
    team_domain: str | None = None
    user_id: str | None = None
    user_name: str | None = None
    text: str | None = None


commands: Final = Area("Integrations", login=Login.NEVER)


@commands.operation(
    "POST",
    "projects/:id/services/mattermost_slash_commands/trigger",
    params=SlashCommand,
    status=200,
    refusals=(400, 404),
)
def trigger_mattermost_slash_command(ctx: WriteContext, id: str, p: SlashCommand) -> dict[str, Any]:
    """Execute a slash command of Mattermost."""
    return _run_command(ctx, id, slash_commands.MATTERMOST, p)


@commands.operation(
    "POST", "projects/:id/services/slack_slash_commands/trigger", params=SlashCommand, status=200, refusals=(400, 404)
)
def trigger_slack_slash_command(ctx: WriteContext, id: str, p: SlashCommand) -> dict[str, Any]:
    """Execute a slash command of Slack."""
    return _run_command(ctx, id, slash_commands.SLACK, p)


def _run_command(ctx: WriteContext, reference: str, slug: str, p: SlashCommand) -> dict[str, Any]:
    response = slash_commands.trigger(ctx, reference, slug, p.given())
    if response is None:
        # The same for unknown projects, so that their names do not become known.
        raise NotFound("Service", reason=f"no active integration {slug} of a project {reference!r} has this token")
    return response
