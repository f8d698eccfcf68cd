"""The endpoints of projects for alerts. Source: docs/platform/alerts.md ('Integrations')."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypedDict, Unpack

from graphql import GraphQLError

from fakeplat.domain.alerts import alert_integrations, alert_payload, payload_mappings
from fakeplat.domain.alerts.alert_integrations import MappingFields
from fakeplat.domain.alerts.payload_mappings import MappingInput
from fakeplat.graphql.errors import ResourceNotAvailable, collect_errors
from fakeplat.graphql.ids import parse_global_id, parse_id
from fakeplat.graphql.lookups import require_project
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import Enumeration, Interface, Scalar, Type, mutation
from fakeplat.model.alerts import AlertIntegration, IntegrationKind
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize, can
from fakeplat.policy.context import ReadContext, WriteContext

_SINCE: Final = "<=13.6"
_LIST_SINCE: Final = "<=13.10"
_TYPES_SINCE: Final = "<=18.5"
_HTTP: Final = "AlertManagement::HttpIntegration"
_PROMETHEUS: Final = "Integrations::Prometheus"
_KINDS: Final[Mapping[str, IntegrationKind]] = {_HTTP: "http", _PROMETHEUS: "prometheus"}
_ABILITIES: Final[Mapping[IntegrationKind, Ability]] = {
    "http": Ability.ADMIN_OPERATIONS,
    "prometheus": Ability.ADMIN_PROJECT,
}
Scalar("AlertManagementHttpIntegrationID", "The global ID of an endpoint for alerts of any tool.", since=_SINCE)
Scalar("IntegrationsPrometheusID", "The global ID of the endpoint for alerts of Prometheus.", since=_SINCE)
Enumeration(
    "AlertManagementIntegrationType",
    "Whose alerts an endpoint takes.",
    {
        "PROMETHEUS": ("prometheus", "Those of Prometheus."),
        "HTTP": ("http", "Those of any tool."),
    },
    since=_SINCE,
)
HTTP_NAME: Final = "AlertManagementHttpIntegration"
PROMETHEUS_NAME: Final = "AlertManagementPrometheusIntegration"
INTERFACE: Final = Interface(
    "AlertManagementIntegration",
    "An endpoint for alerts.",
    {
        "id: ID!": "The global ID.",
        "type: AlertManagementIntegrationType!": "Whose alerts it takes.",
        "name: String": "The name.",
        "active: Boolean": "Whether it takes alerts.",
        "token: String": "The key with which alerts are sent.",
        "url: String": "The address to which alerts are sent.",
        "apiUrl: String": "The address at which Prometheus is asked.",
    },
    since=_SINCE,
    type_of=lambda integration: HTTP_NAME if integration.kind == "http" else PROMETHEUS_NAME,
)


def _declare(name: str, gid: str, description: str) -> Type:
    type_ = Type(name, description, gid=gid, since=_SINCE, implements=(INTERFACE.name,))
    type_.attributes(
        {
            "name: String": "The name.",
            "active: Boolean": "Whether it takes alerts.",
            "token: String": "The key with which alerts are sent.",
            "apiUrl: String": "The address at which Prometheus is asked.",
        }
    )
    type_.field("type: AlertManagementIntegrationType!")(kind_of)
    type_.field("url: String")(url_of)
    return type_


def kind_of(_ctx: ReadContext, integration: AlertIntegration) -> str:
    """Whose alerts it takes."""
    return integration.kind


def url_of(ctx: ReadContext, integration: AlertIntegration) -> str:
    """The address to which alerts are sent."""
    return f"{ctx.origin}{alert_integrations.path_of(ctx, integration)}"


HTTP: Final = _declare(HTTP_NAME, _HTTP, "An endpoint for alerts of any tool.")
PROMETHEUS: Final = _declare(PROMETHEUS_NAME, _PROMETHEUS, "The endpoint for alerts of Prometheus.")


def _list_managed(ctx: ReadContext, project: Project, kinds: Sequence[IntegrationKind]) -> Sequence[AlertIntegration]:
    managed = [kind for kind in kinds if can(ctx, _ABILITIES[kind], project)]
    return alert_integrations.list_integrations(ctx.world, project, *managed)


@PROJECT.field(
    f'alertManagementIntegrations(id: ID @lifetime(since: "{_LIST_SINCE}")): AlertManagementIntegrationConnection',
    since=_SINCE,
)
def integrations_of(ctx: ReadContext, project: Project, id: str | None = None) -> Sequence[AlertIntegration]:
    """The endpoints for alerts that the caller manages."""
    integrations = _list_managed(ctx, project, ("http", "prometheus"))
    if id is None:
        return integrations
    kind, _ = parse_global_id(ctx, id, INTERFACE.name, tuple(_KINDS))
    number = parse_id(ctx, id, *_KINDS)
    return [integration for integration in integrations if (integration.kind, integration.id) == (_KINDS[kind], number)]


@PROJECT.field(
    "alertManagementHttpIntegrations(id: AlertManagementHttpIntegrationID, "
    f'types: [AlertManagementIntegrationType!] = [HTTP] @lifetime(since: "{_TYPES_SINCE}")): '
    "AlertManagementHttpIntegrationConnection",
    since=_LIST_SINCE,
)
def http_integrations_of(
    ctx: ReadContext, project: Project, id: str | None = None, types: Sequence[IntegrationKind] | None = None
) -> Sequence[AlertIntegration]:
    """The endpoints for alerts of any tool, for those who manage them."""
    if not can(ctx, Ability.ADMIN_OPERATIONS, project):
        return ()
    integrations = alert_integrations.list_integrations(
        ctx.world, project, *(types if types is not None else ("http",))
    )
    number = None if id is None else parse_id(ctx, id, _HTTP)
    return [integration for integration in integrations if number in (None, integration.id)]


# Changes

_PATH: Final = '"""The full path of the project."""\nprojectPath: ID!\n'
_NAME: Final = '"""The name."""\nname: String{}\n'
_ACTIVE: Final = '"""Whether it takes alerts."""\nactive: Boolean{}\n'
_API_URL: Final = '"""The address at which Prometheus is asked."""\napiUrl: String\n'
_HTTP_ID: Final = '"""The global ID of the endpoint."""\nid: AlertManagementHttpIntegrationID!\n'
_PROMETHEUS_ID: Final = '"""The global ID of the endpoint."""\nid: IntegrationsPrometheusID!\n'
_MAPPED: Final = '''
"""An example of a payload."""
payloadExample: JsonString @lifetime(since: "<=13.9")
"""Where payloads have the fields of alerts; paid tiers only."""
payloadAttributeMappings: [AlertManagementPayloadAlertFieldInput!] @lifetime(since: "<=13.9")
'''
_TOO_LARGE: Final = "payloadExample JSON is too big"
_GIVES_HTTP: Final = f'"""The endpoint."""\nintegration: {HTTP_NAME}'
_GIVES_PROMETHEUS: Final = f'"""The endpoint."""\nintegration: {PROMETHEUS_NAME}'


def _get_integration(ctx: WriteContext, text: str, gid: str) -> AlertIntegration:
    integration = alert_integrations.find_integration(ctx.world, parse_id(ctx, text, gid))
    if integration is None or integration.kind != _KINDS[gid]:
        raise ResourceNotAvailable(f"there is no integration {text}")
    authorize(ctx, _ABILITIES[integration.kind], ctx.world.projects[integration.project_id])
    return integration


class MappingArguments(TypedDict, total=False):
    """The arguments about mappings."""

    payload_example: Any
    payload_attribute_mappings: Sequence[MappingInput] | None


def _read_mapping(ctx: ReadContext, project: Project, given: MappingArguments) -> MappingFields:
    """Return what is stored of mappings; without the paid feature nothing."""
    fields: MappingFields = {}
    if not payload_mappings.are_available(ctx.world, project):
        return fields
    if "payload_example" in given:
        if alert_payload.is_too_large(given["payload_example"]):
            raise GraphQLError(_TOO_LARGE)
        fields["payload_example"] = given["payload_example"]
    if "payload_attribute_mappings" in given:
        fields["payload_mappings"] = payload_mappings.read_mappings(given["payload_attribute_mappings"] or ())
    return fields


def _update(
    ctx: WriteContext, integration: AlertIntegration, changes: alert_integrations.IntegrationChanges
) -> Mapping[str, Any]:
    with collect_errors(integration=None):
        return {"integration": alert_integrations.update(ctx, integration, **changes)}


def _reset(ctx: WriteContext, text: str, gid: str) -> Mapping[str, Any]:
    return {"integration": alert_integrations.reset_token(ctx, _get_integration(ctx, text, gid))}


@mutation(
    "httpIntegrationCreate",
    input_fields=_PATH + _NAME.format("!") + _ACTIVE.format("!") + _MAPPED,
    payload_fields=_GIVES_HTTP,
    since=_SINCE,
)
def http_integration_create(
    ctx: WriteContext, project_path: str, name: str, active: bool, **mapping: Unpack[MappingArguments]
) -> Mapping[str, Any]:
    """Create an endpoint for alerts."""
    project = require_project(ctx, project_path)
    authorize(ctx, Ability.ADMIN_OPERATIONS, project)
    fields = _read_mapping(ctx, project, mapping)
    with collect_errors(integration=None):
        return {"integration": alert_integrations.create_http(ctx, project, name, active=active, **fields)}


@mutation(
    "httpIntegrationUpdate",
    input_fields=f"{_HTTP_ID}{_NAME.format('')}{_ACTIVE.format('')}{_MAPPED}",
    payload_fields=_GIVES_HTTP,
    since=_SINCE,
)
def http_integration_update(
    ctx: WriteContext,
    id: str,
    name: str | None = None,
    active: bool | None = None,
    **mapping: Unpack[MappingArguments],
) -> Mapping[str, Any]:
    """Change an endpoint for alerts."""
    integration = _get_integration(ctx, id, _HTTP)
    fields = _read_mapping(ctx, ctx.world.projects[integration.project_id], mapping)
    changes = alert_integrations.IntegrationChanges()
    if "payload_example" in fields:
        changes["payload_example"] = fields["payload_example"]
    if "payload_mappings" in fields:
        changes["payload_mappings"] = fields["payload_mappings"]
    if name is not None:
        changes["name"] = name
    if active is not None:
        changes["active"] = active
    return _update(ctx, integration, changes)


@mutation("httpIntegrationDestroy", input_fields=_HTTP_ID, payload_fields=_GIVES_HTTP, since=_SINCE)
def http_integration_destroy(ctx: WriteContext, id: str) -> Mapping[str, Any]:
    """Delete an endpoint for alerts; the answer shows it once more."""
    integration = _get_integration(ctx, id, _HTTP)
    alert_integrations.delete(ctx, integration)
    return {"integration": integration}


@mutation("httpIntegrationResetToken", input_fields=_HTTP_ID, payload_fields=_GIVES_HTTP, since=_SINCE)
def http_integration_reset_token(ctx: WriteContext, id: str) -> Mapping[str, Any]:
    """Replace the key of an endpoint for alerts."""
    return _reset(ctx, id, _HTTP)


@mutation(
    "prometheusIntegrationCreate",
    input_fields=_PATH + _ACTIVE.format("!") + _API_URL,
    payload_fields=_GIVES_PROMETHEUS,
    since=_SINCE,
)
def prometheus_integration_create(
    ctx: WriteContext, project_path: str, active: bool, api_url: str | None = None
) -> Mapping[str, Any]:
    """Create the endpoint for alerts of Prometheus."""
    project = require_project(ctx, project_path)
    authorize(ctx, Ability.ADMIN_PROJECT, project)
    with collect_errors(integration=None):
        return {"integration": alert_integrations.create_prometheus(ctx, project, api_url, active=active)}


@mutation(
    "prometheusIntegrationUpdate",
    input_fields=_PROMETHEUS_ID + _ACTIVE.format("") + _API_URL,
    payload_fields=_GIVES_PROMETHEUS,
    since=_SINCE,
)
def prometheus_integration_update(
    ctx: WriteContext, id: str, active: bool | None = None, api_url: str | None = None
) -> Mapping[str, Any]:
    """Change the endpoint for alerts of Prometheus."""
    changes = alert_integrations.IntegrationChanges()
    if active is not None:
        changes["active"] = active
    if api_url is not None:
        changes["api_url"] = api_url
    return _update(ctx, _get_integration(ctx, id, _PROMETHEUS), changes)


@mutation(
    "prometheusIntegrationResetToken", input_fields=_PROMETHEUS_ID, payload_fields=_GIVES_PROMETHEUS, since=_SINCE
)
def prometheus_integration_reset_token(ctx: WriteContext, id: str) -> Mapping[str, Any]:
    """Replace the key of the endpoint for alerts of Prometheus."""
    return _reset(ctx, id, _PROMETHEUS)
