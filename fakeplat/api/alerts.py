"""Alerts: the endpoint that takes them, test alerts, their pages.

They are read through GraphQL. Source: docs/platform/specification.md ('Alert ingestion'), docs/platform/alerts.md,
docs/contract.md.
"""

from typing import Any, Final

from fakeplat.api.pages import area as pages
from fakeplat.api.pages import html_page
from fakeplat.api.scopes import PROJECT
from fakeplat.api.services import area
from fakeplat.core.operations.errors import NotFound, NotFoundAs, RouteNotFound
from fakeplat.core.operations.messages import Raw
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.scope import NOWHERE, Segment
from fakeplat.core.store.ids import number_of
from fakeplat.domain.alerts import alert_endpoint, alert_payload, alerts
from fakeplat.domain.people import namespaces
from fakeplat.domain.projects import services
from fakeplat.entities import urls
from fakeplat.entities.alerts import AlertView
from fakeplat.model.alerts import Alert
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import May
from fakeplat.policy.context import Context, Doing
from fakeplat.policy.credentials import bearer_of
from fakeplat.policy.rulings import caller, can, sees

endpoint: Final = Area("Alert ingestion", login=Login.NEVER, prefix="", bare=True)


def _find_by_path(cx: Context, path: str) -> Project:
    """The project with a full path, whoever asks: the key decides."""
    found = namespaces.project_at(cx.world, path)
    if found is None:
        raise NotFound(reason=f"no project has the path {path}")
    return found


BY_PATH: Final = NOWHERE / Segment("*project", locate=_find_by_path, word="project")


@endpoint.operation("POST", "alerts/notify.json", under=BY_PATH, status=200, refuses=(400, 401, 403, 413, 501))
def ingest_alert(cx: Doing, project: Project) -> Raw:
    """Receive an alert payload: create an alert, count a repeat, or resolve one.

    In this order: 404 unknown project; 400 malformed, too large or too deep; 403 while the service is off; 401 another
    key; 400 without a title. Every answer is empty.
    """
    headers, body = (cx.request.headers, cx.request.body) if cx.request else ({}, b"")
    payload = alert_payload.read(headers.get("content-type", ""), body)
    alert_endpoint.admit(cx.world, project, bearer_of(headers.get("authorization")))
    alerts.receive(cx, project, payload)
    return Raw(b"", "text/html")


@area.operation(
    "POST",
    "services/alerts/test",
    under=PROJECT,
    may=May.SEND_TEST_ALERT,
    shows=AlertView,
    refuses=(404,),
    ours=True,
)
def send_test_alert(cx: Doing, project: Project) -> Alert:
    """Send a test alert to a project."""
    service = services.find(cx.world, project, alert_endpoint.SLUG)
    if service is None or not service.active:
        raise NotFoundAs("404 Service Not Found", reason="the service alerts is off")
    return alerts.receive(cx, project, _test_payload(cx))


def _test_payload(cx: Context) -> dict[str, Any]:
    tool = cx.instance.product_name
    return {"title": "Test alert", "description": f"{tool} sent it to try its settings", "monitoring_tool": tool}


@pages.operation("GET", "*project/-/alert_management/:alert_iid/details", ours=True)
def get_alert_page(cx: Context, project: str, alert_iid: str) -> Raw:
    """Show the page of an alert."""
    place = namespaces.project_at(cx.world, project)
    found = alerts.by_iid(cx, place, number_of(alert_iid) or 0) if place and sees(cx, place) else None
    if found is None or not can(cx, May.READ_ALERT, place):
        raise RouteNotFound(reason=f"{caller(cx)} sees no alert {alert_iid} of {project}")
    api = urls.api(cx, f"projects/{found.project_id}/services/{alert_endpoint.SLUG}")
    return html_page("Alert", AlertView(found, cx).values(), api)
