"""Alerts. Source: docs/platform/alerts.md, docs/contract.md ('Alerts, SCIM, pipelines')."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypedDict, Unpack

from fakeplat.core.operations.errors import NotFound
from fakeplat.core.store.frozen import frozen
from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.domain.alerts import alert_payload, alerts, incidents
from fakeplat.domain.issues.issue_search import search_test
from fakeplat.domain.notes.system_notes import ALERT as ALERT_KIND
from fakeplat.domain.people import users
from fakeplat.graphql.deployments.environments import ENVIRONMENT
from fakeplat.graphql.errors import collect_errors
from fakeplat.graphql.lookups import require_project
from fakeplat.graphql.operation_mode import REPLACE, combine_ids
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import Enumeration, Type, mutation
from fakeplat.model.alerts import Alert, Status
from fakeplat.model.deployments import Environment
from fakeplat.model.issues import Issue
from fakeplat.model.notes import Note
from fakeplat.model.people import User
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize, can, decide
from fakeplat.policy.context import ReadContext, WriteContext

STATUSES: Final = ("triggered", "acknowledged", "resolved", "ignored")
SEVERITIES: Final = ("critical", "high", "medium", "low", "info", "unknown")
NO_PERMISSIONS: Final = "You have no permissions"
# Timestamps are compared as text; this one is later than any other.
_NEVER: Final = "9999-12-31"

Enumeration(
    "AlertManagementStatus",
    "The status of an alert.",
    {
        "TRIGGERED": ("triggered", "The alert was triggered."),
        "ACKNOWLEDGED": ("acknowledged", "Someone is investigating the alert."),
        "RESOLVED": ("resolved", "The problem was resolved."),
        "IGNORED": ("ignored", "No action will be taken."),
    },
)
Enumeration(
    "AlertManagementSeverity",
    "The severity of an alert.",
    {severity.upper(): (severity, f"The severity is {severity}.") for severity in SEVERITIES},
)


# The constants list the highest first, so their indexes are negated.
def _severity(alert: Alert) -> int:
    return -SEVERITIES.index(alert.severity)


def _status(alert: Alert) -> int:
    return -STATUSES.index(alert.status)


def _end_or_never(alert: Alert) -> str:
    return alert.ended_at or _NEVER


Order = tuple[Callable[[Alert], Any], bool]
_ORDERS: Final[dict[str, tuple[Callable[[Alert], Any], str]]] = {
    "STARTED_AT": (lambda alert: alert.started_at, "By start time"),
    "ENDED_AT": (_end_or_never, "By end time, with open alerts as the latest"),
    "CREATED_TIME": (lambda alert: alert.created_at, "By creation time"),
    "UPDATED_TIME": (lambda alert: alert.updated_at, "By the time of the last update"),
    "EVENT_COUNT": (lambda alert: alert.event_count, "By number of events"),
    "SEVERITY": (_severity, "By severity"),
    "STATUS": (_status, "By status, where triggered is the highest and ignored the lowest"),
}
_SORTS: Final[dict[str, tuple[Order, str]]] = {
    f"{name}_{direction}": (
        (key, direction == "DESC"),
        f"{description}, {'descending' if direction == 'DESC' else 'ascending'}.",
    )
    for name, (key, description) in _ORDERS.items()
    for direction in ("ASC", "DESC")
}
# The names that issues and merge requests have, too; those in lower case are deprecated.
_SHARED_SORTS: Final = {
    name: _SORTS[f"{column}_TIME_{direction}"]
    for column in ("CREATED", "UPDATED")
    for direction in ("ASC", "DESC")
    for name in (f"{column}_{direction}", f"{column}_{direction}".lower())
}
Enumeration("AlertManagementAlertSort", "The sort order of alerts.", {**_SORTS, **_SHARED_SORTS})

ALERT = Type("AlertManagementAlert", "An alert that a monitoring tool sent to a project.")
ALERT.attributes(
    {
        "iid: ID!": "The number within the project.",
        "title: String": "The title.",
        "description: String": "The description.",
        "severity: AlertManagementSeverity": "The severity.",
        "status: AlertManagementStatus": "The status.",
        "service: String": "The affected service.",
        "monitoringTool: String": "The monitoring tool that sent the alert.",
        "startedAt: Time": "Timestamp of the start.",
        "endedAt: Time": "Timestamp of the end.",
        "eventCount: Int": "Number of events of the alert.",
        "createdAt: Time": "Timestamp of creation.",
        "updatedAt: Time": "Timestamp of the last update.",
    }
)


@ALERT.field("hosts: [String!]")
def hosts(_ctx: ReadContext, alert: Alert) -> list[str]:
    """The affected hosts."""
    return [*alert.hosts]


@ALERT.field("environment: Environment", since="13.6")
def environment(ctx: ReadContext, alert: Alert) -> Environment | None:
    """The affected environment."""
    id_ = alert.environment_id
    return ctx.world.environments.get(id_) if id_ is not None else None


@ENVIRONMENT.field("latestOpenedMostSevereAlert: AlertManagementAlert")
def most_severe_alert(ctx: ReadContext, environment: Environment) -> Alert | None:
    """The most severe of its alerts that are not over, and of several the one that started last."""
    readable = can(ctx, Ability.READ_ALERT, ctx.world.projects[environment.project_id])
    return alerts.find_most_severe(ctx.world, environment) if readable else None


@ALERT.field("details: JSON")
def details(_ctx: ReadContext, alert: Alert) -> dict[str, Any]:
    """The other fields of the payload."""
    return alert_payload.flatten_details(alert.payload)


@ALERT.field("runbook: String")
def runbook(_ctx: ReadContext, alert: Alert) -> str | None:
    """The runbook from the payload."""
    # Payloads are arbitrary JSON, so the value can have any type.
    text = alert.payload.get("runbook")
    return text if isinstance(text, str) else None


@ALERT.field("name: String", since="<=18.5")
def name(_ctx: ReadContext, alert: Alert) -> str:
    """The title."""
    return alert.title


@ALERT.field("commenters: UserConnection!", since="15.8")
def commenters(ctx: ReadContext, alert: Alert) -> Sequence[User]:
    """The users who commented on it."""
    user_ids = {note.author_id for note in ctx.world.notes.where("comments", (ALERT_KIND, alert.id))}
    return [ctx.world.users[id_] for id_ in sorted(user_ids, reverse=True)]


@ALERT.field("webUrl: String!", since="<=14.10")
@ALERT.field("detailsUrl: String!")
def details_url(ctx: ReadContext, alert: Alert) -> str:
    """The URL of the alert's page."""
    return f"{ctx.origin}{incidents.alert_path(ctx, alert)}"


@ALERT.field("issueIid: ID")
def issue_iid(ctx: ReadContext, alert: Alert) -> int | None:
    """The number of the incident within the project."""
    incident = _find_incident(ctx, alert)
    return incident.iid if incident is not None else None


def _find_incident(ctx: ReadContext, alert: Alert) -> Issue | None:
    return ctx.world.issues.get(alert.issue_id) if alert.issue_id is not None else None


@ALERT.field("assignees: UserConnection")
def assignees(ctx: ReadContext, alert: Alert) -> Sequence[User]:
    """The assignees: at most one user."""
    return [ctx.world.users[id_] for id_ in alert.assignee_ids]


@ALERT.field("notes: NoteConnection!")
def notes(ctx: ReadContext, alert: Alert) -> Sequence[Note]:
    """The system notes of the alert."""
    return list(ctx.world.notes.where("subject", (ALERT_KIND, alert.id)))


COUNTS = Type("AlertManagementAlertStatusCountsType", "Number of alerts by status.")
COUNTS.attributes(
    {
        "all: Int": "Number of alerts in any status.",
        "open: Int": "Number of triggered or acknowledged alerts.",
        **{f"{status}: Int": f"Number of {status} alerts." for status in STATUSES},
    }
)


@frozen
class Counts:
    """Number of alerts by status."""

    all: int
    open: int
    triggered: int
    acknowledged: int
    resolved: int
    ignored: int


@PROJECT.field(
    "alertManagementAlertStatusCounts(search: String, assigneeUsername: String): AlertManagementAlertStatusCountsType"
)
def status_counts(
    ctx: ReadContext, project: Project, search: str | None = None, assignee_username: str | None = None
) -> Counts:
    """Number of alerts by status."""
    matches, is_assigned = _search_test(search), _assignee_test(ctx, assignee_username)
    statuses = [alert.status for alert in _list_visible_alerts(ctx, project) if matches(alert) and is_assigned(alert)]
    counts = {status: statuses.count(status) for status in STATUSES}
    return Counts(all=len(statuses), open=counts["triggered"] + counts["acknowledged"], **counts)


_FILTERS: Final = (
    "iid: String, statuses: [AlertManagementStatus!], sort: AlertManagementAlertSort, search: String, "
    "assigneeUsername: String"
)


class AlertFilters(TypedDict, total=False):
    """The arguments of the fields."""

    iid: str | None
    statuses: Sequence[str] | None
    sort: "Order | None"
    search: str | None
    assignee_username: str | None


@PROJECT.field(f"alertManagementAlerts({_FILTERS}): AlertManagementAlertConnection")
def alerts_of(
    ctx: ReadContext,
    project: Project,
    iid: str | None = None,
    statuses: Sequence[str] | None = None,
    sort: Order | None = None,
    search: str | None = None,
    assignee_username: str | None = None,
) -> Sequence[Alert]:
    """The alerts of the project, by default newest first."""
    # What is not a number becomes 0, which is the number of no alert.
    number = None if iid is None else parse_number(iid) or 0
    matches, is_assigned = _search_test(search), _assignee_test(ctx, assignee_username)
    matching = [
        alert
        for alert in _list_visible_alerts(ctx, project)
        if number in (None, alert.iid)
        and (not statuses or alert.status in statuses)
        and is_assigned(alert)
        and matches(alert)
    ]
    key, descending = sort or _NEWEST_FIRST
    # Two stable sorts: among equals the newest is always first, in either direction.
    newest_first = sorted(matching, key=lambda alert: -alert.id)
    return sorted(newest_first, key=key, reverse=descending)


_NEWEST_FIRST: Final[Order] = (lambda alert: alert.id, True)


@PROJECT.field(f"alertManagementAlert({_FILTERS}): AlertManagementAlert", single=True)
def alert_of(ctx: ReadContext, project: Project, **filters: Unpack[AlertFilters]) -> Alert | None:
    """The first alert of the project that matches the filters."""
    return next(iter(alerts_of(ctx, project, **filters)), None)


def _list_visible_alerts(ctx: ReadContext, project: Project) -> Sequence[Alert]:
    """Return the project's alerts, if the caller may read them."""
    return alerts.list_project_alerts(ctx.world, project) if can(ctx, Ability.READ_ALERT, project) else ()


def _search_test(search: str | None) -> Callable[[Any], bool]:
    """Return a test for alerts whose text fields match a search, as in a search of issues."""
    return search_test(search or "", ("title", "description", "monitoring_tool", "service"))


def _assignee_test(ctx: ReadContext, username: str | None) -> Callable[[Alert], bool]:
    """Return a test for alerts that are assigned to a user; without a username all pass."""
    if not username:
        return lambda alert: True
    user = users.find_by_username(ctx.world, username)
    return lambda alert: user is not None and user.id in alert.assignee_ids


# Changes

_WHICH: Final = '''
"""The full path of the project."""
projectPath: ID!
"""The number of the alert within the project."""
iid: String!
'''
_GIVES: Final = '''
"""The alert."""
alert: AlertManagementAlert
"""The incident created for the alert."""
issue: Issue
'''


def _get_updatable_alert(ctx: ReadContext, project_path: str, iid: str) -> tuple[Project, Alert]:
    """Return an alert that the caller may update, or refuse."""
    project = require_project(ctx, project_path)
    authorize(ctx, Ability.UPDATE_ALERT, project)
    alert = alerts.find_by_iid(ctx, project, parse_number(iid) or 0)
    if alert is None:
        raise NotFound("Alert", reason=f"{project_path} has no alert {iid}")
    return project, alert


@mutation(
    "updateAlertStatus",
    input_fields=f'{_WHICH}\n"""The status."""\nstatus: AlertManagementStatus!',
    payload_fields=_GIVES,
)
def update_alert_status(ctx: WriteContext, project_path: str, iid: str, status: Status) -> Mapping[str, Any]:
    """Set the status of an alert."""
    _, alert = _get_updatable_alert(ctx, project_path, iid)
    with collect_errors(alert=alert):
        return {"alert": alerts.set_status(ctx, alert, status, ctx.signed_in_user)}


@mutation(
    "alertSetAssignees",
    input_fields=f'''{_WHICH}
"""The usernames of the assignees; only the first one is assigned."""
assigneeUsernames: [String!]!
"""How the list changes the current assignees."""
operationMode: MutationOperationMode = REPLACE
''',
    payload_fields=_GIVES,
)
def alert_set_assignees(
    ctx: WriteContext, project_path: str, iid: str, assignee_usernames: list[str], operation_mode: str | None = REPLACE
) -> Mapping[str, Any]:
    """Set the assignees of an alert."""
    _, alert = _get_updatable_alert(ctx, project_path, iid)
    assignee_ids = [
        user.id for name in assignee_usernames if (user := users.find_by_username(ctx.world, name)) is not None
    ]
    with collect_errors(alert=alert):
        user_ids = combine_ids(operation_mode, alert.assignee_ids, assignee_ids)
        return {"alert": alerts.set_assignees(ctx, alert, user_ids, ctx.signed_in_user)}


@mutation("createAlertIssue", input_fields=_WHICH, payload_fields=_GIVES)
def create_alert_issue(ctx: WriteContext, project_path: str, iid: str) -> Mapping[str, Any]:
    """Create an incident for an alert."""
    project, alert = _get_updatable_alert(ctx, project_path, iid)
    # Unlike a missing permission for the alert, this one is an error of the payload, beside the alert.
    if not decide(ctx, Ability.CREATE_ISSUE, project).allowed:
        return {"alert": alert, "errors": [NO_PERMISSIONS]}
    with collect_errors(alert=alert):
        issue = incidents.create_issue(ctx, alert, ctx.signed_in_user)
        return {"alert": ctx.world.alerts[alert.id], "issue": issue}
