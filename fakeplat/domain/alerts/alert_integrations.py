"""The endpoints of projects for alerts, besides the first one: that is the service ``alerts``.

Source: docs/platform/alerts.md ('Integrations').
"""

from collections.abc import Sequence
from typing import Any, Final, TypedDict, Unpack

from fakeplat.core.operations.errors import BadRequest, Forbidden, InvalidRecord, Unauthorized
from fakeplat.domain.alerts import alert_endpoint
from fakeplat.domain.people.path_names import slugify
from fakeplat.domain.projects import services
from fakeplat.domain.purging import purge
from fakeplat.model.alerts import AlertIntegration, IntegrationKind, PayloadMapping
from fakeplat.model.hooks import Service
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.behaviours import ONE_ALERT_INTEGRATION
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.features import has_feature
from fakeplat.policy.levels import namespace_path

_FIRST: Final = "legacy"
_FIRST_NAME: Final = "HTTP endpoint"
_ONE_PROMETHEUS: Final = "Multiple Prometheus integrations are not supported"
_PROMETHEUS: Final = "Prometheus"
_PROMETHEUS_SLUG: Final = "prometheus"
_MOST_CHARACTERS: Final = 255


class IntegrationChanges(TypedDict, total=False):
    """What can be changed of an integration."""

    name: str
    active: bool
    api_url: str | None
    payload_example: Any
    payload_mappings: tuple[PayloadMapping, ...]


class MappingFields(TypedDict, total=False):
    """An example of a payload, and where payloads have fields."""

    payload_example: Any
    payload_mappings: tuple[PayloadMapping, ...]


def list_integrations(world: World, project: Project, *kinds: IntegrationKind) -> Sequence[AlertIntegration]:
    """Return the integrations of a project, the oldest first."""
    first = services.find_service(world, project, alert_endpoint.SLUG)
    is_set = first is not None and alert_endpoint.TOKEN in first.properties
    integrations = [
        *([_describe_first(first)] if first is not None and is_set else ()),
        *world.alert_integrations.where("project", project.id),
    ]
    return [integration for integration in integrations if integration.kind in kinds]


def _describe_first(service: Service) -> AlertIntegration:
    token, project_id = service.properties[alert_endpoint.TOKEN], service.source[1]
    return AlertIntegration(service.id, project_id, "http", _FIRST_NAME, token, _FIRST, service.active)


def find_integration(world: World, id_: int) -> AlertIntegration | None:
    """Return an integration by id."""
    service = world.services.get(id_)
    if service is not None and service.slug == alert_endpoint.SLUG:
        return _describe_first(service)
    return world.alert_integrations.get(id_)


def create_http(
    ctx: WriteContext, project: Project, name: str, *, active: bool, **mapping: Unpack[MappingFields]
) -> AlertIntegration:
    """Create an endpoint for alerts of any tool; free tiers have one only."""
    _check_name(name)
    if list_integrations(ctx.world, project, "http") and not has_feature(ctx.world, "premium", project):
        raise BadRequest(ctx.profile.choose(ONE_ALERT_INTEGRATION), reason="more than one requires the tier premium")
    return ctx.world.alert_integrations.change(_add(ctx, project, "http", name, active=active), **mapping)


def create_prometheus(ctx: WriteContext, project: Project, api_url: str | None, *, active: bool) -> AlertIntegration:
    """Create the endpoint for alerts of Prometheus, of which there is one only."""
    if list_integrations(ctx.world, project, "prometheus"):
        raise BadRequest(_ONE_PROMETHEUS, reason="the project has one")
    return _add(ctx, project, "prometheus", _PROMETHEUS, active=active, api_url=api_url)


def _add(
    ctx: WriteContext, project: Project, kind: IntegrationKind, name: str, *, active: bool, api_url: str | None = None
) -> AlertIntegration:
    table = ctx.world.alert_integrations
    identifier, token = ctx.random_hex("alerts endpoint")[:16], ctx.random_hex("alerts key")
    return table.add(AlertIntegration(table.next_id(), project.id, kind, name, token, identifier, active, api_url))


def update(ctx: WriteContext, integration: AlertIntegration, **changes: Unpack[IntegrationChanges]) -> AlertIntegration:
    """Change an integration; the first one keeps its name."""
    if "name" in changes:
        _check_name(changes["name"])
    if integration.endpoint_identifier != _FIRST:
        return ctx.world.alert_integrations.change(integration, **changes)
    return _change_first(ctx, integration, {"active": changes.get("active", integration.active)})


def reset_token(ctx: WriteContext, integration: AlertIntegration) -> AlertIntegration:
    """Replace the key of an integration."""
    if integration.endpoint_identifier != _FIRST:
        return ctx.world.alert_integrations.change(integration, token=ctx.random_hex("alerts key"))
    return _change_first(ctx, integration, {"active": integration.active, "reset_token": True})


def _change_first(ctx: WriteContext, integration: AlertIntegration, params: dict[str, bool]) -> AlertIntegration:
    project = ctx.world.projects[integration.project_id]
    return _describe_first(services.update(ctx, project, alert_endpoint.ALERTS, params))


def delete(ctx: WriteContext, integration: AlertIntegration) -> None:
    """Delete an integration."""
    purge(ctx, ctx.world.services[integration.id] if integration.endpoint_identifier == _FIRST else integration)


def _check_name(name: str) -> None:
    if not name.strip():
        raise InvalidRecord({"name": ["can't be blank"]}, reason="the name is blank")
    if len(name) > _MOST_CHARACTERS:
        text = f"is too long (maximum is {_MOST_CHARACTERS} characters)"
        raise InvalidRecord({"name": [text]}, reason=f"it has {len(name)}")


def path_of(ctx: ReadContext, integration: AlertIntegration) -> str:
    """Return the path of the address of an integration."""
    project = ctx.world.projects[integration.project_id]
    base = f"/{namespace_path(ctx.world, project.namespace_id)}/{project.path}"
    if integration.kind == "prometheus":
        return f"{base}/prometheus/alerts/notify.json"
    if integration.endpoint_identifier == _FIRST:
        return f"{base}/alerts/notify.json"
    slug = slugify(integration.name) or "http-endpoint"
    return f"{base}/alerts/notify/{slug}/{integration.endpoint_identifier}.json"


def authorize_key(world: World, project: Project, identifier: str, key: str | None) -> Sequence[PayloadMapping]:
    """Check the key of a request to an endpoint: 403 for an unknown or inactive one, 401 for a wrong key.

    Return its mappings.
    """
    integration = world.alert_integrations.find("endpoint", (project.id, identifier))
    if integration is None or not integration.active:
        raise Forbidden(reason=f"the project has no active integration {identifier}")
    if key != integration.token:
        raise Unauthorized(reason="the bearer key is missing, or not that of the integration")
    return integration.payload_mappings


def authorize_prometheus(world: World, project: Project, key: str | None) -> None:
    """Check the key of a message to the address of Prometheus: 401 unless its integration is active and has the key.

    A project whose service ``prometheus`` was set up by hand instead needs none.
    """
    integration = next(iter(list_integrations(world, project, "prometheus")), None)
    if integration is not None:
        is_authorized = integration.active and key == integration.token
    else:
        service = services.find_service(world, project, _PROMETHEUS_SLUG)
        is_authorized = service is not None and service.active and key is None
    if not is_authorized:
        raise Unauthorized(reason="the project has no active integration of Prometheus with this key")
