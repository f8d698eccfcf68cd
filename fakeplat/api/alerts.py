"""Alerts: the ingestion endpoint, test alerts and alert pages. Alerts are read through GraphQL.

Source: docs/platform/alerts.md, docs/contract.md.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

from fakeplat.api.pages import area as pages
from fakeplat.api.pages import page_not_found, render_html_page
from fakeplat.api.projects.services import area
from fakeplat.api.scopes import PROJECT
from fakeplat.core.operations.errors import Forbidden, NotFound, NotFoundWithMessage, Unauthorized, Unprocessable
from fakeplat.core.operations.http_messages import JSON, RawBody, dump_json
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.scope import NO_SCOPE, Segment
from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.domain.alerts import alert_endpoint, alert_integrations, alert_payload, alerts, prometheus_payload
from fakeplat.domain.alerts.alert_payload import Payload
from fakeplat.domain.people import namespaces
from fakeplat.domain.projects import services
from fakeplat.entities import urls
from fakeplat.entities.alerts import AlertView
from fakeplat.model.alerts import Alert, PayloadMapping
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import caller_name, can, can_see
from fakeplat.policy.behaviours import (
    ALERT_ENDPOINTS_LIST_ALERTS,
    ALERT_KEYS_ARE_PASSWORDS,
    PROMETHEUS_MESSAGES_ARE_CREATED,
)
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.credentials import parse_basic, parse_bearer

endpoint: Final = Area("Alert ingestion", login=Login.NEVER, prefix="", bare=True)


def _get_by_path(ctx: ReadContext, path: str) -> Project:
    """Find a project by its full path, without permission checks: the request's key authorizes it."""
    project = namespaces.find_project_by_path(ctx.world, path)
    if project is None:
        raise NotFound(reason=f"no project has the path {path}")
    return project


_REFUSALS: Final = (400, 401, 403, 413)
_RECEIVED: Final = RawBody(b"", "text/html")
_CREATED: Final = RawBody(b"", "text/html", status=201)
# A star matches several segments of the path, so projects in nested groups are found.
PROJECT_BY_PATH: Final = NO_SCOPE / Segment("*project", locate=_get_by_path, word="project")


@endpoint.operation("POST", "alerts/notify.json", scope=PROJECT_BY_PATH, status=200, also=(201,), refusals=_REFUSALS)
def ingest_alert(ctx: WriteContext, project: Project) -> RawBody:
    """Receive an alert payload: create an alert, count a repeat, or resolve one.

    Checks, in this order: 404 unknown project; 400 malformed, too large or too deep; 403 service inactive; 401 wrong
    key; 400 without a title. Early releases answer nothing.
    """
    payload, key = _read(ctx)
    return _ingest(ctx, project, payload, partial(alert_endpoint.authorize_key, ctx.world, project, key))


@endpoint.operation(
    "POST",
    "alerts/notify/:name/:endpoint_identifier",
    scope=PROJECT_BY_PATH,
    status=200,
    also=(201,),
    refusals=_REFUSALS,
    since="13.6",
)
def ingest_alert_of_integration(ctx: WriteContext, project: Project, name: str, endpoint_identifier: str) -> RawBody:  # noqa: ARG001  # it is part of the path
    """Receive an alert payload at the address of an integration, whose name in it does not matter."""
    payload, key = _read(ctx)
    identifier = endpoint_identifier.removesuffix(".json")
    check = partial(alert_integrations.authorize_key, ctx.world, project, identifier, key)
    return _ingest(ctx, project, payload, check)


@endpoint.operation(
    "POST",
    "prometheus/alerts/notify.json",
    scope=PROJECT_BY_PATH,
    status=200,
    also=(201,),
    refusals=(400, 401, 413, 422),
    ours=True,
)
def ingest_prometheus_alerts(ctx: WriteContext, project: Project) -> RawBody:
    """Receive a message of Prometheus, whose integration has this address."""
    message, key = _read(ctx)
    if not prometheus_payload.is_message(message):
        raise Unprocessable(reason="the body is not a message of Prometheus' alert manager")
    alert_integrations.authorize_prometheus(ctx.world, project, key)
    return _answer_message(ctx, alerts.receive_prometheus(ctx, project, message))


def _read(ctx: WriteContext) -> tuple[Payload, str | None]:
    """Return the payload and the key of a request, or refuse a malformed payload with 400."""
    headers, body = (ctx.request.headers, ctx.request.body) if ctx.request else ({}, b"")
    payload = alert_payload.parse_payload(headers.get("content-type", ""), body)
    authorization = headers.get("authorization")
    key = parse_bearer(authorization)
    if key is None and ctx.profile.has(ALERT_KEYS_ARE_PASSWORDS):
        _, key = parse_basic(authorization) or ("", None)
    return payload, key


def _ingest(
    ctx: WriteContext, project: Project, payload: Payload, check_key: Callable[[], Sequence[PayloadMapping]]
) -> RawBody:
    """Receive a payload of any tool, Prometheus among them, once its key is checked."""
    if not prometheus_payload.is_message(payload):
        mappings = check_key()
        return _answer(ctx, [alerts.receive(ctx, project, payload, mappings)])
    try:
        check_key()
    except Forbidden as refusal:
        # For a message, an inactive endpoint has no key that could be right.
        raise Unauthorized(reason=refusal.reason) from None
    return _answer_message(ctx, alerts.receive_prometheus(ctx, project, payload))


def _answer(ctx: ReadContext, received: Sequence[Alert]) -> RawBody:
    if not ctx.profile.has(ALERT_ENDPOINTS_LIST_ALERTS):
        return _RECEIVED
    return RawBody(dump_json([{"iid": alert.iid, "title": alert.title} for alert in received]), JSON)


def _answer_message(ctx: ReadContext, received: Sequence[Alert]) -> RawBody:
    if ctx.profile.has(PROMETHEUS_MESSAGES_ARE_CREATED):
        return _CREATED
    return _answer(ctx, received)


@area.operation(
    "POST",
    "services/alerts/test",
    scope=PROJECT,
    ability=Ability.SEND_TEST_ALERT,
    view=AlertView,
    refusals=(404,),
    ours=True,
)
def send_test_alert(ctx: WriteContext, project: Project) -> Alert:
    """Send a test alert to a project."""
    service = services.find_service(ctx.world, project, alert_endpoint.SLUG)
    if service is None or not service.active:
        raise NotFoundWithMessage("404 Service Not Found", reason="the 'alerts' service of the project is not active")
    return alerts.receive(ctx, project, _build_test_payload(ctx))


def _build_test_payload(ctx: ReadContext) -> dict[str, Any]:
    tool = ctx.instance.product_name
    return {"title": "Test alert", "description": f"{tool} sent it to try its settings", "monitoring_tool": tool}


@pages.operation("GET", "*project/-/alert_management/:alert_iid/details", ours=True)
def get_alert_page(ctx: ReadContext, project: str, alert_iid: str) -> RawBody:
    """Show the page of an alert."""
    container = namespaces.find_project_by_path(ctx.world, project)
    alert = (
        # Iids start at 1, so 0 stands for text that is not a number and finds nothing.
        alerts.find_by_iid(ctx, container, parse_number(alert_iid) or 0)
        if container and can_see(ctx, container)
        else None
    )
    # Hidden and missing alerts are refused alike: the page must not reveal which alerts exist.
    if alert is None or not can(ctx, Ability.READ_ALERT, container):
        raise page_not_found(ctx, f"{caller_name(ctx)} sees no alert {alert_iid} of {project}")
    api_url = urls.api_url(ctx, f"projects/{alert.project_id}/services/{alert_endpoint.SLUG}")
    return render_html_page("Alert", AlertView(alert, ctx).values(), api_url)
