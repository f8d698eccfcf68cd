"""Incidents: issues that are made for alerts, by people or by the alert bot. Source: docs/platform/alerts.md."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Final

from fakeplat.core.operations.errors import Conflict
from fakeplat.core.store.agenda import Due, work
from fakeplat.domain.alerts import alert_payload
from fakeplat.domain.issues import issues
from fakeplat.domain.notes import system_notes
from fakeplat.domain.notes.system_notes import ALERT
from fakeplat.domain.people import users
from fakeplat.domain.planning import labels
from fakeplat.model.alerts import Alert
from fakeplat.model.issues import Issue
from fakeplat.model.labels import Label
from fakeplat.model.projects import Project
from fakeplat.model.users import User
from fakeplat.policy.context import Context, Doing
from fakeplat.policy.levels import path_to

LABEL: Final[Mapping[str, str]] = {
    "title": "incident",
    "color": "#CC0033",
    "description": "A service is disturbed and somebody has to look at it at once",
}
ALREADY_THERE: Final = "An issue already exists"
_CREATE: Final = "create_incident"


def ask_for(cx: Doing, alert: Alert) -> None:
    """Have the alert bot make an issue for an alert, right after this."""
    cx.later(_CREATE, ("alerts", alert.id), cx.now())


@work(_CREATE)
def _create_now(cx: Doing, due: Due) -> None:
    alert = cx.world.alerts.get(due.subject[1])
    if alert is None or alert.issue_id is not None:
        return
    project = cx.world.projects[alert.project_id]
    if project.issues_access_level != "disabled" and not project.archived:
        create_issue(cx, alert, users.bot(cx, "alert_bot"))


def create_issue(cx: Doing, alert: Alert, author: User) -> Issue:
    """Make an incident for an alert and link them; 409 where it has an issue. Nobody's rights are asked."""
    if alert.issue_id is not None:
        raise Conflict(ALREADY_THERE)
    project = cx.world.projects[alert.project_id]
    row = {
        "author_id": author.id,
        "title": alert.title,
        "description": description(cx, alert),
        "kind": "incident",
        "label_ids": (_label(cx, project).id,),
    }
    (issue,) = issues.create_many(cx, project, [row])
    linked = cx.world.alerts.change(alert, issue_id=issue.id, updated_at=cx.instant)
    system_notes.write(cx, (ALERT, alert.id), author, f"created issue #{issue.iid} for this alert")
    cx.emit("alert_updated", linked)
    return issue


def _label(cx: Doing, project: Project) -> Label:
    return labels.by_title(cx.world, project, LABEL["title"]) or labels.create_many(cx, project, [LABEL])[0]


def description(cx: Context, alert: Alert) -> str:
    """What the issue says of its alert, in Markdown."""
    lines = [f"**{name}:** {text}" for name, text in _facts(cx, alert) if text]
    details = [
        f"**{name}:** {alert_payload.as_text(value)}" for name, value in alert_payload.details(alert.payload).items()
    ]
    return "  \n".join(lines) + ("\n\n#### Alert Details\n\n" + "  \n".join(details) if details else "")


def _facts(cx: Context, alert: Alert) -> Iterator[tuple[str, str | None]]:
    yield "Start time", f"{datetime.fromisoformat(alert.started_at):%d %B %Y, %H:%M} (UTC)"
    yield "Severity", alert.severity
    yield "Service", alert.service
    yield "Monitoring tool", alert.monitoring_tool
    yield "Hosts", " ".join(alert.hosts)
    yield "Description", alert.description
    yield "Alert", f"[^alert#{alert.iid}]({page(cx, alert)})"


def page(cx: Context, alert: Alert) -> str:
    """The path of an alert's page, from the root."""
    project = cx.world.projects[alert.project_id]
    place = path_to(cx.world, project.namespace_id)
    return f"/{place}/{project.path}/-/alert_management/{alert.iid}/details"
