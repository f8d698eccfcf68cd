"""Alerts: receive, group and change status.

Source: docs/platform/alerts.md, docs/decisions/rulings.md (9, 10).
"""

from collections.abc import Sequence
from typing import Any, Final, Unpack

from fakeplat.core.operations.errors import BadRequest, Conflict
from fakeplat.domain import signals
from fakeplat.domain.alerts import alert_payload, incidents, payload_mappings, prometheus_payload
from fakeplat.domain.alerts.alert_endpoint import AUTO_CLOSE, CREATE_ISSUE, SEND_EMAIL, incident_settings
from fakeplat.domain.alerts.alert_payload import Payload
from fakeplat.domain.alerts.prometheus_payload import PrometheusAlert
from fakeplat.domain.deployments import environments
from fakeplat.domain.issues import issue_notes, issues
from fakeplat.domain.notes import system_notes
from fakeplat.domain.notes.system_notes import ALERT
from fakeplat.domain.people import bots
from fakeplat.model.alerts import OPEN, SEVERITIES, Alert, NewAlert, PayloadMapping, Status
from fakeplat.model.deployments import Environment
from fakeplat.model.issues import Issue
from fakeplat.model.people import User
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.behaviours import ENDS_WITHOUT_ALERTS_ARE_REFUSED
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.documented import Ruling
from fakeplat.policy.features import has_feature

DEFAULT_SOURCE: Final = "Generic Alert Endpoint"
_DEFAULT_TITLE: Final = "New: Incident"
_STATUS_NOTE: Final = "changed the status to **{}**"
ALREADY_OPEN: Final = (
    "An alert with the same fingerprint is already open. To change the status of this alert, resolve the linked alert."
)

NO_PERMISSIONS_OF_ASSIGNEE: Final = "Assignee has no permissions"


def receive(ctx: WriteContext, project: Project, payload: Payload, mappings: Sequence[PayloadMapping] = ()) -> Alert:
    """Process a payload: a new alert, a repetition of an open one, or its end. 400 for an invalid payload.

    ``mappings`` are those of the endpoint.
    """
    sent = payload
    if mappings and payload_mappings.are_available(ctx.world, project):
        payload = payload_mappings.map_payload(mappings, sent)
    fields = alert_payload.extract_fields(payload)
    if not fields.get("title", "").strip():
        if Ruling.ALERT_TITLE_IS_REQUIRED.holds(ctx.world):
            raise BadRequest(reason="the title is missing or blank")
        fields["title"] = _DEFAULT_TITLE
    environment_name = alert_payload.environment_name(payload)
    fields["payload"] = sent
    # Without a fingerprint, what was sent counts, not what it was mapped to.
    fingerprint = alert_payload.hash_fingerprint(payload) or alert_payload.hash_fingerprint(sent)
    if fingerprint is None and has_feature(ctx.world, "premium", project):
        fingerprint = alert_payload.hash_payload(sent)
    open_alert = find_open_alert(ctx.world, project, fingerprint)
    ended_at = alert_payload.ended_at(payload)
    if open_alert is None:
        if ended_at is not None and ctx.profile.has(ENDS_WITHOUT_ALERTS_ARE_REFUSED):
            raise BadRequest(reason="the payload has an end time, and no open alert has its fingerprint")
        # Earlier releases ignore the end time: the new alert is triggered.
        fields["environment_id"] = _find_environment_id(ctx.world, project, environment_name)
        return _handle_new_alert(ctx, project, create(ctx, project, fingerprint=fingerprint, **fields))
    return (
        _count_repetition(ctx, project, open_alert)
        if ended_at is None
        else _resolve_automatically(ctx, project, open_alert, ended_at)
    )


def receive_prometheus(ctx: WriteContext, project: Project, message: Payload) -> list[Alert]:
    """Process a message of Prometheus, and return the alerts that it concerns; 400 for one without a list of them."""
    alerts = (_receive_one(ctx, project, alert) for alert in prometheus_payload.list_alerts(ctx.profile, message))
    return [alert for alert in alerts if alert is not None]


def _receive_one(ctx: WriteContext, project: Project, reported: PrometheusAlert) -> Alert | None:
    """Process an alert in a message; None for the end of one that is not open."""
    open_alert = find_open_alert(ctx.world, project, reported.fingerprint)
    if reported.is_resolved:
        ended_at = reported.ended_at or ctx.now_iso
        return None if open_alert is None else _resolve_automatically(ctx, project, open_alert, ended_at)
    if open_alert is not None:
        repeated = _count_repetition(ctx, project, open_alert)
        return repeated if repeated.status == "triggered" else _change_status(ctx, repeated, "triggered", None)
    fields: NewAlert = {
        **reported.fields,
        "fingerprint": reported.fingerprint,
        "environment_id": _find_environment_id(ctx.world, project, reported.environment_name),
    }
    return _handle_new_alert(ctx, project, create(ctx, project, **fields))


def _find_environment_id(world: World, project: Project, name: str | None) -> int | None:
    """Return the id of an environment; None for an unknown one, as alerts do not create any."""
    environment = environments.find_by_name(world, project, name) if name else None
    return None if environment is None else environment.id


def find_open_alert(world: World, project: Project, fingerprint: str | None) -> Alert | None:
    """Return a project's unresolved alert with a fingerprint; None matches nothing."""
    return world.alerts.find("open", (project.id, fingerprint)) if fingerprint else None


def create(ctx: WriteContext, project: Project, **fields: Unpack[NewAlert]) -> Alert:
    """Create an alert from fields of the record, at least a title; it starts now unless fields say otherwise."""
    world, now = ctx.world, ctx.now_iso
    iid = fields.get("iid")
    if iid:
        # A scenario may choose iids; the counter follows, so that later ones do not collide.
        world.raise_counter(iid, ALERT, project.id)
    else:
        iid = world.next(ALERT, project.id)
    created_at = fields.get("created_at", now)
    times = {"started_at": created_at, "created_at": created_at, "updated_at": created_at}
    values: dict[str, Any] = {**times, **fields, "iid": iid}
    alerts = world.alerts
    alert = alerts.add(Alert(id=alerts.next_id(), project_id=project.id, **values))
    _write_note(ctx, alert, bots.get_or_create_bot(ctx, "alert_bot"), f"logged an alert from **{_source_of(alert)}**")
    return alert


def _source_of(alert: Alert) -> str:
    return alert.monitoring_tool or DEFAULT_SOURCE


def _handle_new_alert(ctx: WriteContext, project: Project, alert: Alert) -> Alert:
    """Create an incident or send an email for a new alert, as configured."""
    settings = incident_settings(ctx.world, project)
    if settings[CREATE_ISSUE]:
        incidents.schedule_incident(ctx, alert)
    if settings[SEND_EMAIL]:
        signals.alert_reported.send(ctx, alert)
    return alert


def _count_repetition(ctx: WriteContext, project: Project, alert: Alert) -> Alert:
    # ``updated_at`` stays: the platform only increments the counter.
    repeated = ctx.world.alerts.change(alert, event_count=alert.event_count + 1)
    if repeated.issue_id is None and incident_settings(ctx.world, project)[CREATE_ISSUE]:
        incidents.schedule_incident(ctx, repeated)
    return repeated


def _resolve_automatically(ctx: WriteContext, project: Project, alert: Alert, ended_at: str) -> Alert:
    bot = bots.get_or_create_bot(ctx, "alert_bot")
    if ctx.profile.has(ENDS_WITHOUT_ALERTS_ARE_REFUSED):
        _write_note(ctx, alert, bot, f"logged a recovery alert from **{_source_of(alert)}**")
    resolved = _change_status(ctx, alert, "resolved", ended_at)
    _write_note(ctx, resolved, bot, _STATUS_NOTE.format("Resolved"))
    issue = ctx.world.issues.get(resolved.issue_id) if resolved.issue_id else None
    if issue is not None and incident_settings(ctx.world, project)[AUTO_CLOSE]:
        issues.close(ctx, issue, bot)
    return resolved


def set_status(ctx: WriteContext, alert: Alert, status: Status, by: User, reason: str = "") -> Alert:
    """Change the status of an alert by hand; its current status changes nothing. The note ends with the reason.

    Resolving sets the end time, any other status clears it. 409 for a resolved alert while another unresolved alert has
    its fingerprint.
    """
    if status == alert.status:
        return alert
    project = ctx.world.projects[alert.project_id]
    # At most one alert per fingerprint is open, so that a repetition finds the one to count.
    if alert.status == "resolved" and find_open_alert(ctx.world, project, alert.fingerprint):
        raise Conflict(ALREADY_OPEN)
    changed = _change_status(ctx, alert, status, ctx.now_iso if status == "resolved" else None)
    _write_note(ctx, changed, by, f"{_STATUS_NOTE.format(status.title())}{reason}")
    return changed


def set_assignees(ctx: WriteContext, alert: Alert, user_ids: Sequence[int], by: User) -> Alert:
    """Assign an alert to the first of some users, or to nobody; 400 for a user who cannot read alerts."""
    project, assignee_ids = ctx.world.projects[alert.project_id], tuple(user_ids[:1])
    for user_id in assignee_ids:
        # The assignee's permission is asked for, not the caller's.
        if not can(ctx.as_user(ctx.world.users[user_id]), Ability.READ_ALERT, project):
            raise BadRequest(NO_PERMISSIONS_OF_ASSIGNEE)
    if assignee_ids == alert.assignee_ids:
        return alert
    assigned = ctx.world.alerts.change(alert, assignee_ids=assignee_ids, updated_at=ctx.now_iso)
    for text in issue_notes.describe_assignment(ctx.world, alert, assigned):
        _write_note(ctx, assigned, by, text)
    return assigned


def _change_status(ctx: WriteContext, alert: Alert, status: Status, ended_at: str | None) -> Alert:
    return ctx.world.alerts.change(alert, status=status, ended_at=ended_at, updated_at=ctx.now_iso)


def _write_note(ctx: WriteContext, alert: Alert, author: User, body: str) -> None:
    system_notes.write(ctx, (ALERT, alert.id), author, body)


def link(ctx: WriteContext, alert: Alert, issue: Issue | None) -> Alert:
    """Make an alert one of an incident, or of none."""
    return ctx.world.alerts.change(alert, issue_id=None if issue is None else issue.id, updated_at=ctx.now_iso)


def list_project_alerts(world: World, project: Project) -> list[Alert]:
    """Return a project's alerts, oldest first."""
    return list(world.alerts.where("project", project.id))


def find_most_severe(world: World, environment: Environment) -> Alert | None:
    """Return the most severe of the open alerts of an environment, and of several the one that started last."""
    found = [
        alert
        for alert in list_project_alerts(world, world.projects[environment.project_id])
        if alert.environment_id == environment.id and alert.status in OPEN
    ]
    by_start = sorted(found, key=lambda alert: alert.started_at, reverse=True)
    return min(by_start, key=lambda alert: SEVERITIES.index(alert.severity), default=None)


def find_by_iid(ctx: ReadContext, project: Project, iid: int) -> Alert | None:
    """Return a project's alert with an iid."""
    return ctx.world.alerts.find("iid", (project.id, iid))


def follow_closing(ctx: WriteContext, issue: Issue) -> None:
    """Resolve the alerts of an issue that was closed."""
    for alert in list(ctx.world.alerts.where("issue", issue.id)):
        if alert.status != "resolved":
            resolved = _change_status(ctx, alert, "resolved", ctx.now_iso)
            by = ctx.world.users.get(issue.closed_by_id or 0) or bots.get_or_create_bot(ctx, "alert_bot")
            _write_note(ctx, resolved, by, f"{_STATUS_NOTE.format('Resolved')} by closing issue #{issue.iid}")
