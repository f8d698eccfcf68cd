"""Alerts: taking them, telling which are the same, moving them between statuses.

Source: docs/platform/alerts.md, docs/decisions/rulings.md (9, 10), docs/platform/specification.md ('States and
transitions').
"""

from typing import Any, Final

from fakeplat.core.operations.errors import Conflict, NotBuilt
from fakeplat.domain.alerts import alert_payload, incidents
from fakeplat.domain.alerts.alert_endpoint import AUTO_CLOSE, CREATE_ISSUE, SEND_EMAIL, setting
from fakeplat.domain.alerts.alert_payload import Payload
from fakeplat.domain.issues import issues
from fakeplat.domain.notes import system_notes
from fakeplat.domain.notes.system_notes import ALERT
from fakeplat.domain.people import users
from fakeplat.domain.projects import environments
from fakeplat.model.alerts import Alert, Status
from fakeplat.model.issues import Issue
from fakeplat.model.projects import Project
from fakeplat.model.users import User
from fakeplat.model.world import World
from fakeplat.policy.context import Context, Doing
from fakeplat.policy.documented import Ruling
from fakeplat.policy.features import has

DEFAULT_SOURCE: Final = "Generic Alert Endpoint"
_STATUS_NOTE: Final = "changed the status to **{}**"
ALREADY_OPEN: Final = (
    "An alert with the same fingerprint is already open. To change the status of this alert, resolve the linked alert."
)


def receive(cx: Doing, project: Project, payload: Payload) -> Alert:
    """Take a payload: a new alert, a repeat of an open one, or the end of it. 400 for what makes no alert."""
    if alert_payload.is_prometheus(payload):
        raise NotBuilt("ingest_prometheus_alert")
    title_required = Ruling.ALERT_TITLE_IS_REQUIRED.holds(cx.world)
    fields = alert_payload.fields(payload, title_required=title_required)
    environment_name = alert_payload.environment_name(payload)
    fingerprint = alert_payload.fingerprint(payload, grouped=has(cx.world, "premium", project))
    found = same(cx.world, project, fingerprint)
    if found is None:
        environment = environments.by_name(cx.world, project, environment_name) if environment_name else None
        place = {"environment_id": environment.id} if environment else {}
        return _report(cx, project, create(cx, project, fingerprint=fingerprint, **fields, **place))
    ended_at = alert_payload.ended_at(payload)
    return _repeated(cx, project, found) if ended_at is None else _ended(cx, project, found, ended_at)


def same(world: World, project: Project, fingerprint: str | None) -> Alert | None:
    """The unresolved alert of a project with a fingerprint; None matches nothing."""
    return world.alerts.find("open", (project.id, fingerprint)) if fingerprint else None


def create(cx: Doing, project: Project, **fields: Any) -> Alert:
    """Make an alert from fields of the record, a title at least; its time is now, unless it is said."""
    world, now = cx.world, cx.instant
    iid = fields.pop("iid", None) or world.count_of(ALERT, project.id) + 1
    world.raise_to(iid, ALERT, project.id)
    created_at = fields.get("created_at", now)
    usual = {"started_at": created_at, "created_at": created_at, "updated_at": created_at}
    alert = world.alerts.add(Alert(id=world.alerts.next_id(), iid=iid, project_id=project.id, **{**usual, **fields}))
    source = alert.monitoring_tool or DEFAULT_SOURCE
    _note(cx, alert, users.bot(cx, "alert_bot"), f"logged an alert from **{source}**")
    cx.emit("alert_created", alert)
    return alert


def _report(cx: Doing, project: Project, alert: Alert) -> Alert:
    """What a project wants to become of an alert beside it."""
    if setting(cx.world, project, CREATE_ISSUE):
        incidents.ask_for(cx, alert)
    if setting(cx.world, project, SEND_EMAIL):
        cx.emit("alert_to_be_mailed", alert)
    return alert


def _repeated(cx: Doing, project: Project, alert: Alert) -> Alert:
    counted = cx.world.alerts.change(alert, event_count=alert.event_count + 1)
    cx.emit("alert_repeated", counted)
    if counted.issue_id is None and setting(cx.world, project, CREATE_ISSUE):
        incidents.ask_for(cx, counted)
    return counted


def _ended(cx: Doing, project: Project, alert: Alert, ended_at: str) -> Alert:
    bot = users.bot(cx, "alert_bot")
    ended = _moved(cx, alert, "resolved", ended_at)
    _note(cx, ended, bot, _STATUS_NOTE.format("Resolved"))
    issue = cx.world.issues.get(ended.issue_id) if ended.issue_id else None
    if issue is not None and setting(cx.world, project, AUTO_CLOSE):
        issues.close(cx, issue, bot)
    return ended


def set_status(cx: Doing, alert: Alert, status: Status, by: User) -> Alert:
    """Move an alert to another status by hand; the status that it has changes nothing.

    Resolving says when it ended, any other status that it did not. A resolved one stays so (409) while another
    unresolved alert has its fingerprint.
    """
    if status == alert.status:
        return alert
    project = cx.world.projects[alert.project_id]
    if alert.status == "resolved" and same(cx.world, project, alert.fingerprint):
        raise Conflict(ALREADY_OPEN)
    moved = _moved(cx, alert, status, cx.instant if status == "resolved" else None)
    _note(cx, moved, by, _STATUS_NOTE.format(status.title()))
    return moved


def _moved(cx: Doing, alert: Alert, status: Status, ended_at: str | None) -> Alert:
    moved = cx.world.alerts.change(alert, status=status, ended_at=ended_at, updated_at=cx.instant)
    cx.emit("alert_updated", moved)
    return moved


def _note(cx: Doing, alert: Alert, author: User, body: str) -> None:
    system_notes.write(cx, (ALERT, alert.id), author, body)


def of_project(world: World, project: Project) -> list[Alert]:
    """A project's alerts, the oldest first."""
    return list(world.alerts.where("project", project.id))


def by_iid(cx: Context, project: Project, iid: int) -> Alert | None:
    """A project's alert with a number."""
    return cx.world.alerts.find("iid", (project.id, iid))


def drop(cx: Doing, project: Project) -> None:
    """Remove all alerts of a project that goes."""
    for alert in of_project(cx.world, project):
        cx.cancel(("alerts", alert.id))
        system_notes.drop(cx, (ALERT, alert.id))
        cx.world.alerts.remove(alert)


def _follow_closing(cx: Doing, issue: Issue) -> None:
    """Who closes an issue resolves the alerts that it was made for."""
    for alert in list(cx.world.alerts.where("issue", issue.id)):
        if alert.status != "resolved":
            resolved = _moved(cx, alert, "resolved", cx.instant)
            by = cx.world.users.get(issue.closed_by_id or 0) or users.bot(cx, "alert_bot")
            _note(cx, resolved, by, f"{_STATUS_NOTE.format('Resolved')} by closing issue #{issue.iid}")


def _follow_removal(cx: Doing, issue: Issue) -> None:
    for alert in list(cx.world.alerts.where("issue", issue.id)):
        cx.world.alerts.change(alert, issue_id=None)


issues.ON_CLOSE.append(_follow_closing)
issues.ON_REMOVE.append(_follow_removal)
