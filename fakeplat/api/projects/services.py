"""Integrations of projects, which the API calls services.

Each declared integration has the operations below, with the parameters of its declaration. Source:
docs/platform/specification.md ('Integrations'), docs/platform/integrations.md, docs/decisions/rulings.md (31).
"""

from collections.abc import Sequence
from functools import cache
from typing import Any, Final

from fakeplat.api.scopes import PROJECT
from fakeplat.core.operations.errors import InvalidParams, OperationNotImplemented, RouteNotFound
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import Params, binder_of
from fakeplat.domain.projects import services
from fakeplat.domain.projects.services import INTEGRATIONS, UNIMPLEMENTED, Integration
from fakeplat.entities.projects.services import ServiceBasic, ServiceView
from fakeplat.model.projects import Project
from fakeplat.model.services import Service
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
            **{prop.name: prop.kind if prop.required else prop.kind | None for prop in integration.properties},  # type: ignore[operator]  # kinds are types
            **dict.fromkeys(integration.flags, bool | None),
        },
        {prop.name for prop in integration.properties if prop.required},
    )


def _build_params(name: str, types: dict[str, Any], required: set[str]) -> type[Params]:
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


def _find_integration(slug: str, operation: str) -> Integration | None:
    if slug in UNIMPLEMENTED:
        raise OperationNotImplemented(f"{operation} ({slug})")
    return INTEGRATIONS.get(slug)


@area.operation(
    "GET", "services", scope=PROJECT, ability=Ability.ADMIN_SERVICES, view=ServiceBasic, many=True, paged=False
)
def list_services(ctx: ReadContext, project: Project) -> Sequence[Service]:
    """List the active integrations of a project."""
    return services.list_active(ctx.world, project)


@area.operation(
    "GET", "services/:slug", scope=PROJECT, ability=Ability.ADMIN_SERVICES, view=ServiceView, refusals=(400, 501)
)
def get_service(ctx: ReadContext, project: Project, slug: str) -> Service | dict[str, Any]:
    """Get the settings of an integration."""
    _check_slug(slug, "get_service")
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
    refusals=(400, 404, 501),
)
def update_service(ctx: WriteContext, project: Project, slug: str, p: Params) -> Service:
    """Create or update an integration."""
    integration = _find_integration(slug, "update_service")
    if integration is None:
        # On the platform each integration has a PUT route of its own, so an unknown slug is no route.
        raise RouteNotFound(reason=f"no integration has the slug {slug!r}")
    params = binder_of(build_service_params(integration)).bind(p.given())
    return services.update(ctx, project, integration, params.given())


@area.operation("DELETE", "services/:slug", scope=PROJECT, ability=Ability.ADMIN_SERVICES, refusals=(400, 412, 501))
def delete_service(ctx: WriteContext, project: Project, slug: str) -> None:
    """Disable an integration and delete its settings."""
    _check_slug(slug, "delete_service")
    service = services.find_service(ctx.world, project, slug)
    # Deleting an integration that is not configured succeeds without effect.
    if service is not None:
        ctx.check_unmodified_since(service.updated_at)
        services.deactivate(ctx, service)


def _check_slug(slug: str, operation: str) -> None:
    if _find_integration(slug, operation) is None:
        raise InvalidParams("service_slug does not have a valid value", reason=f"no integration is called {slug!r}")
