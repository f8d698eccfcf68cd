"""Incidents: issues created for alerts, by users or by the alert bot. Source: docs/platform/alerts.md."""

from collections.abc import Iterator
from datetime import datetime
from typing import Final

from fakeplat.core.operations.errors import Conflict
from fakeplat.core.store.scheduler import ScheduledTask, task_handler
from fakeplat.domain.alerts import alert_payload
from fakeplat.domain.issues import issues
from fakeplat.domain.notes import system_notes
from fakeplat.domain.notes.system_notes import ALERT
from fakeplat.domain.people import bots
from fakeplat.domain.planning import labels
from fakeplat.model.alerts import Alert
from fakeplat.model.issues import Issue
from fakeplat.model.people import User
from fakeplat.model.planning import Label
from fakeplat.model.projects import Project
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.levels import namespace_path

LABEL: Final[labels.NewLabel] = {
    "title": "incident",
    "color": "#CC0033",
    "description": "A service is disturbed and somebody has to look at it at once",
}
ALREADY_EXISTS: Final = "An issue already exists"
_CREATE: Final = "create_incident"


def schedule_incident(ctx: WriteContext, alert: Alert) -> None:
    """Schedule the creation of an alert's incident by the alert bot, immediately after this request."""
    ctx.schedule(_CREATE, ("alerts", alert.id), ctx.now())


@task_handler(_CREATE)
def _create_scheduled(ctx: WriteContext, due: ScheduledTask) -> None:
    alert = ctx.world.alerts.get(due.subject[1])
    # A user may have created the issue, or deleted the project, since the task was scheduled.
    if alert is None or alert.issue_id is not None:
        return
    project = ctx.world.projects[alert.project_id]
    # The alert bot is no member of the project, so its settings are checked instead of an ability.
    if project.issues_access_level != "disabled" and not project.archived:
        create_issue(ctx, alert, bots.get_or_create_bot(ctx, "alert_bot"))


def create_issue(ctx: WriteContext, alert: Alert, author: User) -> Issue:
    """Create an incident for an alert and link them, without permission checks; 409 if it has an issue."""
    if alert.issue_id is not None:
        raise Conflict(ALREADY_EXISTS)
    project = ctx.world.projects[alert.project_id]
    issue = issues.insert(
        ctx,
        project,
        author_id=author.id,
        title=alert.title,
        description=describe_alert(ctx, alert),
        kind="incident",
        label_ids=(_get_or_create_label(ctx, project).id,),
    )
    ctx.world.alerts.change(alert, issue_id=issue.id, updated_at=ctx.now_iso)
    system_notes.write(ctx, (ALERT, alert.id), author, f"created issue #{issue.iid} for this alert")
    return issue


def _get_or_create_label(ctx: WriteContext, project: Project) -> Label:
    return labels.find_by_title(ctx.world, project, LABEL["title"]) or labels.insert(ctx, project, **LABEL)


def describe_alert(ctx: ReadContext, alert: Alert) -> str:
    """Return the incident's description of its alert, in Markdown."""
    lines = [f"**{name}:** {text}" for name, text in _summary_lines(ctx, alert) if text]
    details = [
        f"**{name}:** {alert_payload.as_text(value)}"
        for name, value in alert_payload.flatten_details(alert.payload).items()
    ]
    # Two spaces at the end of a line are a line break in Markdown.
    return "  \n".join(lines) + ("\n\n#### Alert Details\n\n" + "  \n".join(details) if details else "")


def _summary_lines(ctx: ReadContext, alert: Alert) -> Iterator[tuple[str, str | None]]:
    yield "Start time", f"{datetime.fromisoformat(alert.started_at):%d %B %Y, %H:%M} (UTC)"
    yield "Severity", alert.severity
    yield "Service", alert.service
    yield "Monitoring tool", alert.monitoring_tool
    yield "Hosts", " ".join(alert.hosts)
    yield "Description", alert.description
    yield "Alert", f"[^alert#{alert.iid}]({alert_path(ctx, alert)})"


def alert_path(ctx: ReadContext, alert: Alert) -> str:
    """Return the URL path of an alert's page."""
    project = ctx.world.projects[alert.project_id]
    return f"/{namespace_path(ctx.world, project.namespace_id)}/{project.path}/-/alert_management/{alert.iid}/details"
