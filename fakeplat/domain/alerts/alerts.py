"""Alerts: taking them, telling which are the same, moving them between statuses.

Source: docs/platform/alerts.md, docs/decisions/rulings.md (9, 10), docs/platform/specification.md ('States and
transitions').
"""

from collections.abc import Sequence
from typing import Any, Final

from fakeplat.core.operations.errors import BadRequest, Conflict, OperationNotImplemented
from fakeplat.domain.alerts import alert_payload, incidents
from fakeplat.domain.alerts.alert_endpoint import AUTO_CLOSE, CREATE_ISSUE, SEND_EMAIL, has_incident_setting
from fakeplat.domain.alerts.alert_payload import Payload
from fakeplat.domain.issues import issue_notes, issues
from fakeplat.domain.notes import system_notes
from fakeplat.domain.notes.system_notes import ALERT
from fakeplat.domain.people import bots
from fakeplat.domain.projects import environments
from fakeplat.model.alerts import Alert, Status
from fakeplat.model.issues import Issue
from fakeplat.model.projects import Project
from fakeplat.model.users import User
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.documented import Ruling
from fakeplat.policy.features import has_feature

DEFAULT_SOURCE: Final = "Generic Alert Endpoint"
_STATUS_NOTE: Final = "changed the status to **{}**"
ALREADY_OPEN: Final = (
    "An alert with the same fingerprint is already open. To change the status of this alert, resolve the linked alert."
)

NO_PERMISSIONS_OF_ASSIGNEE: Final = "Assignee has no permissions"


def receive(ctx: WriteContext, project: Project, payload: Payload) -> Alert:
    """Take a payload: a new alert, a repeat of an open one, or the end of it. 400 for what makes no alert."""
    if alert_payload.is_prometheus(payload):
        raise OperationNotImplemented("ingest_prometheus_alert")
    title_required = Ruling.ALERT_TITLE_IS_REQUIRED.holds(ctx.world)
    fields = alert_payload.extract_fields(payload, title_required=title_required)
    environment_name = alert_payload.environment_name(payload)
    fingerprint = alert_payload.compute_fingerprint(payload, grouped=has_feature(ctx.world, "premium", project))
    found = find_open_alert(ctx.world, project, fingerprint)
    if found is None:
        environment = environments.find_by_name(ctx.world, project, environment_name) if environment_name else None
        place = {"environment_id": environment.id} if environment else {}
        return _report(ctx, project, create(ctx, project, fingerprint=fingerprint, **fields, **place))
    ended_at = alert_payload.ended_at(payload)
    return _repeated(ctx, project, found) if ended_at is None else _ended(ctx, project, found, ended_at)


def find_open_alert(world: World, project: Project, fingerprint: str | None) -> Alert | None:
    """The unresolved alert of a project with a fingerprint; None matches nothing."""
    return world.alerts.find("open", (project.id, fingerprint)) if fingerprint else None


def create(ctx: WriteContext, project: Project, **fields: Any) -> Alert:
    """Make an alert from fields of the record, a title at least; its time is now, unless it is said."""
    world, now = ctx.world, ctx.now_iso
    iid = fields.pop("iid", None) or world.count_of(ALERT, project.id) + 1
    world.raise_to(iid, ALERT, project.id)
    created_at = fields.get("created_at", now)
    usual = {"started_at": created_at, "created_at": created_at, "updated_at": created_at}
    alert = world.alerts.add(Alert(id=world.alerts.next_id(), iid=iid, project_id=project.id, **{**usual, **fields}))
    source = alert.monitoring_tool or DEFAULT_SOURCE
    _note(ctx, alert, bots.find_or_create_bot(ctx, "alert_bot"), f"logged an alert from **{source}**")
    ctx.emit("alert_created", alert)
    return alert


def _report(ctx: WriteContext, project: Project, alert: Alert) -> Alert:
    """What a project wants to become of an alert beside it."""
    if has_incident_setting(ctx.world, project, CREATE_ISSUE):
        incidents.schedule_incident(ctx, alert)
    if has_incident_setting(ctx.world, project, SEND_EMAIL):
        ctx.emit("alert_to_be_mailed", alert)
    return alert


def _repeated(ctx: WriteContext, project: Project, alert: Alert) -> Alert:
    counted = ctx.world.alerts.change(alert, event_count=alert.event_count + 1)
    ctx.emit("alert_repeated", counted)
    if counted.issue_id is None and has_incident_setting(ctx.world, project, CREATE_ISSUE):
        incidents.schedule_incident(ctx, counted)
    return counted


def _ended(ctx: WriteContext, project: Project, alert: Alert, ended_at: str) -> Alert:
    bot = bots.find_or_create_bot(ctx, "alert_bot")
    ended = _moved(ctx, alert, "resolved", ended_at)
    _note(ctx, ended, bot, _STATUS_NOTE.format("Resolved"))
    issue = ctx.world.issues.get(ended.issue_id) if ended.issue_id else None
    if issue is not None and has_incident_setting(ctx.world, project, AUTO_CLOSE):
        issues.close(ctx, issue, bot)
    return ended


def set_status(ctx: WriteContext, alert: Alert, status: Status, by: User) -> Alert:
    """Move an alert to another status by hand; the status that it has changes nothing.

    Resolving says when it ended, any other status that it did not. A resolved one stays so (409) while another
    unresolved alert has its fingerprint.
    """
    if status == alert.status:
        return alert
    project = ctx.world.projects[alert.project_id]
    if alert.status == "resolved" and find_open_alert(ctx.world, project, alert.fingerprint):
        raise Conflict(ALREADY_OPEN)
    moved = _moved(ctx, alert, status, ctx.now_iso if status == "resolved" else None)
    _note(ctx, moved, by, _STATUS_NOTE.format(status.title()))
    return moved


def set_assignees(ctx: WriteContext, alert: Alert, user_ids: Sequence[int], by: User) -> Alert:
    """Assign an alert to the first of some users, or to nobody; 400 for a user who cannot read alerts."""
    project, assignee_ids = ctx.world.projects[alert.project_id], tuple(user_ids[:1])
    for user_id in assignee_ids:
        if not can(ctx.as_user(ctx.world.users[user_id]), Ability.READ_ALERT, project):
            raise BadRequest(NO_PERMISSIONS_OF_ASSIGNEE)
    if assignee_ids == alert.assignee_ids:
        return alert
    assigned = ctx.world.alerts.change(alert, assignee_ids=assignee_ids, updated_at=ctx.now_iso)
    for text in issue_notes.describe_assignment(ctx.world, alert, assigned):
        _note(ctx, assigned, by, text)
    ctx.emit("alert_updated", assigned)
    return assigned


def _moved(ctx: WriteContext, alert: Alert, status: Status, ended_at: str | None) -> Alert:
    moved = ctx.world.alerts.change(alert, status=status, ended_at=ended_at, updated_at=ctx.now_iso)
    ctx.emit("alert_updated", moved)
    return moved


def _note(ctx: WriteContext, alert: Alert, author: User, body: str) -> None:
    system_notes.write(ctx, (ALERT, alert.id), author, body)


def list_project_alerts(world: World, project: Project) -> list[Alert]:
    """A project's alerts, the oldest first."""
    return list(world.alerts.where("project", project.id))


def find_by_iid(ctx: ReadContext, project: Project, iid: int) -> Alert | None:
    """A project's alert with a number."""
    return ctx.world.alerts.find("iid", (project.id, iid))


def follow_closing(ctx: WriteContext, issue: Issue) -> None:
    """Who closes an issue resolves the alerts that it was made for."""
    for alert in list(ctx.world.alerts.where("issue", issue.id)):
        if alert.status != "resolved":
            resolved = _moved(ctx, alert, "resolved", ctx.now_iso)
            by = ctx.world.users.get(issue.closed_by_id or 0) or bots.find_or_create_bot(ctx, "alert_bot")
            _note(ctx, resolved, by, f"{_STATUS_NOTE.format('Resolved')} by closing issue #{issue.iid}")
