"""Statuses of incidents, which go along with those of their alerts. Source: docs/platform/alerts.md."""

from typing import Final, get_args

from fakeplat.domain.alerts import alerts
from fakeplat.domain.issues import issues
from fakeplat.domain.notes import noteables, system_notes
from fakeplat.model.alerts import Alert
from fakeplat.model.issues import EscalationStatus, Issue
from fakeplat.model.world import World
from fakeplat.policy.behaviours import INCIDENTS_HAVE_STATUSES
from fakeplat.policy.context import WriteContext

_STATUSES: Final[tuple[EscalationStatus, ...]] = get_args(EscalationStatus)
_BY_CLOSING: Final = " by closing the incident"


def find_status(world: World, issue: Issue) -> EscalationStatus | None:
    """Return the status of an incident: its own, that of its alert, or the first one; None for other issues."""
    if issue.kind != "incident":
        return None
    if issue.escalation_status is not None:
        return issue.escalation_status
    if issue.state == "closed":
        return "resolved"
    alert = find_alert(world, issue)
    return alert.status if alert is not None else "triggered"


def find_rank(world: World, record: object) -> int | None:
    """Return the place of an incident's status among all of them; None for other records."""
    status = find_status(world, record) if isinstance(record, Issue) else None
    return None if status is None else _STATUSES.index(status)


def find_alert(world: World, issue: Issue) -> Alert | None:
    """Return the alert for which an incident was created."""
    return next(iter(world.alerts.where("issue", issue.id)), None)


def set_status(ctx: WriteContext, issue: Issue, status: EscalationStatus) -> Issue:
    """Change the status of an incident, and of its alert."""
    if find_status(ctx.world, issue) == status:
        return issue
    changed = issues.change_fields(ctx, issue, escalation_status=status)
    alert = find_alert(ctx.world, issue)
    if alert is not None and alert.status != status:
        reference = noteables.format_reference(ctx.world, issue, ctx.world.projects[issue.project_id])
        reason = f" by changing the incident status of {reference}"
        alerts.set_status(ctx, alert, status, ctx.signed_in_user, reason)
    _write_note(ctx, changed, status)
    return ctx.world.issues[issue.id]


def _write_note(ctx: WriteContext, issue: Issue, status: EscalationStatus, reason: str = "") -> None:
    body = f"changed the incident status to **{status.title()}**{reason}"
    system_notes.write(ctx, ("issue", issue.id), ctx.signed_in_user, body)


def follow_closing(ctx: WriteContext, issue: Issue) -> None:
    """Resolve an incident that is closed by a user."""
    if issue.kind != "incident" or ctx.user is None or not ctx.profile.has(INCIDENTS_HAVE_STATUSES):
        return
    if issue.escalation_status != "resolved":
        ctx.world.issues.change(issue, escalation_status="resolved")
        _write_note(ctx, issue, "resolved", _BY_CLOSING)
