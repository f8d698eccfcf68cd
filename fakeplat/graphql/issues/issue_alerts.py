"""The alerts of incidents. Source: docs/platform/alerts.md ('Integrations')."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.domain.alerts import alerts
from fakeplat.domain.notes import noteables
from fakeplat.graphql.alerts import ALERT
from fakeplat.graphql.errors import ResourceNotAvailable
from fakeplat.graphql.ids import global_id, parse_id
from fakeplat.graphql.issues.issuables import ISSUE
from fakeplat.graphql.lookups import require_issue
from fakeplat.graphql.schema_builder import Scalar, mutation
from fakeplat.model.alerts import Alert
from fakeplat.model.issues import Issue
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize, can
from fakeplat.policy.context import ReadContext, WriteContext

_SINCE: Final = "<=15.8"
_KIND: Final = "AlertManagement::Alert"
_REFERENCE: Final = re.compile(r"\^alert#(\d+)|/-/alert_management/(\d+)/details")
Scalar("AlertManagementAlertID", "The global ID of an alert.", since=_SINCE)


@ALERT.field("id: ID!", since=_SINCE)
def alert_id(ctx: ReadContext, alert: Alert) -> str:
    """The global ID."""
    return global_id(ctx, _KIND, alert.id)


@ALERT.field("issue: Issue", since="13.10")
def issue_of(ctx: ReadContext, alert: Alert) -> Issue | None:
    """The incident, if the caller sees it."""
    issue = ctx.world.issues.get(alert.issue_id or 0)
    return issue if issue is not None and noteables.is_visible(ctx, issue) else None


@ISSUE.field("alertManagementAlerts: AlertManagementAlertConnection", since=_SINCE)
def alerts_of(ctx: ReadContext, issue: Issue) -> Sequence[Alert]:
    """The alerts that the incident is about, for those who may read alerts."""
    readable = can(ctx, Ability.READ_ALERT, ctx.world.projects[issue.project_id])
    return ctx.world.alerts.where("issue", issue.id) if readable else ()


_WHICH: Final = '''
"""The full path of the project."""
projectPath: ID!
"""The number of the issue within the project."""
iid: String!
'''
_GIVES: Final = '"""The incident."""\nissue: Issue'


def _get_issue(ctx: WriteContext, project_path: str, iid: str) -> Issue:
    project, issue = require_issue(ctx, project_path, iid)
    authorize(ctx, Ability.ADMIN_ISSUE, project)
    return issue


@mutation(
    "issueLinkAlerts",
    input_fields=f'{_WHICH}"""References of alerts, or their addresses."""\nalertReferences: [String!]!',
    payload_fields=_GIVES,
    since=_SINCE,
)
def issue_link_alerts(
    ctx: WriteContext, project_path: str, iid: str, alert_references: Sequence[str]
) -> Mapping[str, Any]:
    """Link alerts of the project to an incident; references that name none are ignored."""
    issue = _get_issue(ctx, project_path, iid)
    project = ctx.world.projects[issue.project_id]
    numbers = [match[1] or match[2] for text in alert_references for match in _REFERENCE.finditer(text)]
    for number in numbers if can(ctx, Ability.READ_ALERT, project) else ():
        alert = alerts.find_by_iid(ctx, project, parse_number(number) or 0)
        if alert is not None:
            alerts.link(ctx, alert, issue)
    return {"issue": issue}


@mutation(
    "issueUnlinkAlert",
    input_fields=f'{_WHICH}"""The global ID of the alert."""\nalertId: AlertManagementAlertID!',
    payload_fields=_GIVES,
    since=_SINCE,
)
def issue_unlink_alert(ctx: WriteContext, project_path: str, iid: str, alert_id: str) -> Mapping[str, Any]:
    """Take an alert from an incident; one that is not linked stays as it is."""
    issue = _get_issue(ctx, project_path, iid)
    alert = ctx.world.alerts.get(parse_id(ctx, alert_id, _KIND))
    if alert is None:
        raise ResourceNotAvailable(f"there is no alert {alert_id}")
    if alert.issue_id == issue.id:
        alerts.link(ctx, alert, None)
    return {"issue": issue}
