"""Alerts. Source: docs/platform/alerts.md, docs/contract.md ('Alerts, SCIM, pipelines')."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from fakeplat.core.operations.errors import NotFound
from fakeplat.core.store.frozen import frozen
from fakeplat.core.store.sorted_sequence import number_of
from fakeplat.domain.alerts import alert_payload, alerts, incidents
from fakeplat.domain.issues.issue_search import search_test
from fakeplat.domain.notes.system_notes import ALERT as ALERT_KIND
from fakeplat.domain.people import users
from fakeplat.graphql.errors import collect_errors
from fakeplat.graphql.lookups import demand_project
from fakeplat.graphql.operation_mode import REPLACE, combine_ids
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import Enumeration, Type, mutation
from fakeplat.model.alerts import Alert
from fakeplat.model.environments import Environment
from fakeplat.model.issues import Issue
from fakeplat.model.notes import Note
from fakeplat.model.projects import Project
from fakeplat.model.users import User
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize, can, decide
from fakeplat.policy.context import ReadContext, WriteContext

STATUSES: Final = ("triggered", "acknowledged", "resolved", "ignored")
SEVERITIES: Final = ("critical", "high", "medium", "low", "info", "unknown")
NO_PERMISSIONS: Final = "You have no permissions"
_NEVER: Final = "9999-12-31"

Enumeration(
    "AlertManagementStatus",
    "What becomes of an alert.",
    {
        "TRIGGERED": ("triggered", "Nobody has looked at it."),
        "ACKNOWLEDGED": ("acknowledged", "Somebody is looking at it."),
        "RESOLVED": ("resolved", "It is over."),
        "IGNORED": ("ignored", "Nothing will be done."),
    },
)
Enumeration(
    "AlertManagementSeverity",
    "How bad it is.",
    {word.upper(): (word, f"It is {word}.") for word in SEVERITIES},
)


def _severity(alert: Alert) -> int:
    return -SEVERITIES.index(alert.severity)


def _status(alert: Alert) -> int:
    return -STATUSES.index(alert.status)


def _end(alert: Alert) -> str:
    return alert.ended_at or _NEVER


Order = tuple[Callable[[Alert], Any], bool]
_ORDERS: Final[dict[str, tuple[Callable[[Alert], Any], str]]] = {
    "STARTED_AT": (lambda alert: alert.started_at, "By the time when they began"),
    "ENDED_AT": (_end, "By the time when they ended, which is not yet for open ones"),
    "CREATED_TIME": (lambda alert: alert.created_at, "By the time when they were made"),
    "UPDATED_TIME": (lambda alert: alert.updated_at, "By the time when they were last changed"),
    "EVENT_COUNT": (lambda alert: alert.event_count, "By how often they were reported"),
    "SEVERITY": (_severity, "By how bad they are"),
    "STATUS": (_status, "By status, from ignored up to triggered"),
}
_SORTS: Final[dict[str, tuple[Order, str]]] = {
    f"{name}_{way}": ((value, way == "DESC"), f"{told}, {'highest' if way == 'DESC' else 'lowest'} first.")
    for name, (value, told) in _ORDERS.items()
    for way in ("ASC", "DESC")
}
_OLDER_WORDS: Final = {
    f"{column}_{way.lower()}": _SORTS[f"{column.upper()}_TIME_{way}"]
    for column in ("created", "updated")
    for way in ("ASC", "DESC")
}
Enumeration("AlertManagementAlertSort", "In which order alerts come.", {**_SORTS, **_OLDER_WORDS})

ENVIRONMENT = Type("Environment", "Where a project is deployed to.", gid="Environment")
ENVIRONMENT.attributes({"name: String!": "Its name.", "state: String!": "available or stopped."})

ALERT = Type("AlertManagementAlert", "What a monitoring tool reported of a project.")
ALERT.attributes(
    {
        "iid: ID!": "Its number within the project.",
        "title: String": "What it is about.",
        "description: String": "More of it.",
        "severity: AlertManagementSeverity": "How bad it is.",
        "status: AlertManagementStatus": "What becomes of it.",
        "service: String": "What is disturbed.",
        "monitoringTool: String": "What reported it.",
        "startedAt: Time": "When it began.",
        "endedAt: Time": "When it ended.",
        "eventCount: Int": "How often it was reported.",
        "createdAt: Time": "When it was made.",
        "updatedAt: Time": "When it was last changed.",
    }
)


@ALERT.field("hosts: [String!]")
def hosts(ctx: ReadContext, alert: Alert) -> list[str]:
    """Where it happened."""
    del ctx
    return [*alert.hosts]


@ALERT.field("environment: Environment")
def environment(ctx: ReadContext, alert: Alert) -> Environment | None:
    """The environment that it is about."""
    id_ = alert.environment_id
    return ctx.world.environments.get(id_) if id_ is not None else None


@ALERT.field("details: JSON")
def details(ctx: ReadContext, alert: Alert) -> dict[str, Any]:
    """What else was reported."""
    del ctx
    return alert_payload.flatten_details(alert.payload)


@ALERT.field("runbook: String")
def runbook(ctx: ReadContext, alert: Alert) -> str | None:
    """What to do, as the payload says."""
    del ctx
    said = alert.payload.get("runbook")
    return said if isinstance(said, str) else None


@ALERT.field("detailsUrl: String!")
def details_url(ctx: ReadContext, alert: Alert) -> str:
    """Its page."""
    return f"{ctx.origin}{incidents.alert_path(ctx, alert)}"


@ALERT.field("issueIid: ID")
def issue_iid(ctx: ReadContext, alert: Alert) -> int | None:
    """The number of its incident."""
    found = _issue(ctx, alert)
    return found.iid if found is not None else None


def _issue(ctx: ReadContext, alert: Alert) -> Issue | None:
    return ctx.world.issues.get(alert.issue_id) if alert.issue_id is not None else None


@ALERT.field("assignees: UserConnection")
def assignees(ctx: ReadContext, alert: Alert) -> Sequence[User]:
    """Who it is assigned to: one user at most."""
    return [ctx.world.users[id_] for id_ in alert.assignee_ids]


@ALERT.field("notes: NoteConnection!")
def notes(ctx: ReadContext, alert: Alert) -> Sequence[Note]:
    """What the platform noted of it."""
    return list(ctx.world.notes.where("subject", (ALERT_KIND, alert.id)))


COUNTS = Type("AlertManagementAlertStatusCountsType", "How many alerts there are in each status.")
COUNTS.attributes(
    {
        "all: Int": "In any status.",
        "open: Int": "Triggered or acknowledged.",
        **{f"{status}: Int": f"In the status {status}." for status in STATUSES},
    }
)


@frozen
class Counts:
    """Alerts by status."""

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
    """How many alerts it has in each status."""
    is_found, is_assigned = _test(search), _assignee_test(ctx, assignee_username)
    found = [one.status for one in _visible(ctx, project) if is_found(one) and is_assigned(one)]
    each = {status: found.count(status) for status in STATUSES}
    return Counts(all=len(found), open=each["triggered"] + each["acknowledged"], **each)


_FILTERS: Final = (
    "iid: String, statuses: [AlertManagementStatus!], sort: AlertManagementAlertSort, search: String, "
    "assigneeUsername: String"
)


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
    """Its alerts; the newest first unless another order is asked for."""
    number = None if iid is None else number_of(iid) or 0
    is_found, is_assigned = _test(search), _assignee_test(ctx, assignee_username)
    found = [
        one
        for one in _visible(ctx, project)
        if number in (None, one.iid) and (not statuses or one.status in statuses) and is_assigned(one) and is_found(one)
    ]
    value, descending = sort or _NEWEST_FIRST
    newest_first = sorted(found, key=lambda one: -one.id)
    return sorted(newest_first, key=value, reverse=descending)


_NEWEST_FIRST: Final[Order] = (lambda alert: alert.id, True)


@PROJECT.field(f"alertManagementAlert({_FILTERS}): AlertManagementAlert", one=True)
def alert_of(ctx: ReadContext, project: Project, **wanted: Any) -> Alert | None:
    """The first of its alerts that is asked for."""
    return next(iter(alerts_of(ctx, project, **wanted)), None)


def _visible(ctx: ReadContext, project: Project) -> Sequence[Alert]:
    """The project's alerts, if the caller may read them."""
    return alerts.list_project_alerts(ctx.world, project) if can(ctx, Ability.READ_ALERT, project) else ()


def _test(search: str | None) -> Callable[[Any], bool]:
    """Whether a text stands in what an alert says of itself, as in a search of issues."""
    return search_test(search or "", ("title", "description", "monitoring_tool", "service"))


def _assignee_test(ctx: ReadContext, username: str | None) -> Callable[[Alert], bool]:
    """Return a test for alerts that are assigned to a user; without a username all pass."""
    if not username:
        return lambda alert: True
    user = users.find_by_username(ctx.world, username)
    return lambda alert: user is not None and user.id in alert.assignee_ids


# changes

_WHICH: Final = '''
"""The full path of its project."""
projectPath: ID!
"""Its number within the project."""
iid: String!
'''
_GIVES: Final = '''
"""The alert."""
alert: AlertManagementAlert
"""The incident that was made for it."""
issue: Issue
'''


def _demand_alert(ctx: ReadContext, project_path: str, iid: str) -> tuple[Project, Alert]:
    """An alert that the caller may change, or a refusal."""
    project = demand_project(ctx, project_path)
    authorize(ctx, Ability.UPDATE_ALERT, project)
    found = alerts.find_by_iid(ctx, project, number_of(iid) or 0)
    if found is None:
        raise NotFound("Alert", reason=f"{project_path} has no alert {iid}")
    return project, found


@mutation(
    "updateAlertStatus",
    takes=f'{_WHICH}\n"""What becomes of it."""\nstatus: AlertManagementStatus!',
    gives=_GIVES,
)
def update_alert_status(ctx: WriteContext, project_path: str, iid: str, status: Any) -> Mapping[str, Any]:
    """Move an alert to another status."""
    _, alert = _demand_alert(ctx, project_path, iid)
    with collect_errors(alert=alert):
        return {"alert": alerts.set_status(ctx, alert, status, ctx.signed_in_user)}


@mutation(
    "alertSetAssignees",
    takes=f'''{_WHICH}
"""The usernames; the first of them is assigned."""
assigneeUsernames: [String!]!
"""What becomes of those who are assigned now."""
operationMode: MutationOperationMode = REPLACE
''',
    gives=_GIVES,
)
def alert_set_assignees(
    ctx: WriteContext, project_path: str, iid: str, assignee_usernames: list[str], operation_mode: str | None = REPLACE
) -> Mapping[str, Any]:
    """Set the assignees of an alert."""
    _, alert = _demand_alert(ctx, project_path, iid)
    named = [user.id for name in assignee_usernames if (user := users.find_by_username(ctx.world, name)) is not None]
    with collect_errors(alert=alert):
        user_ids = combine_ids(operation_mode, alert.assignee_ids, named)
        return {"alert": alerts.set_assignees(ctx, alert, user_ids, ctx.signed_in_user)}


@mutation("createAlertIssue", takes=_WHICH, gives=_GIVES)
def create_alert_issue(ctx: WriteContext, project_path: str, iid: str) -> Mapping[str, Any]:
    """Make an incident for an alert."""
    project, alert = _demand_alert(ctx, project_path, iid)
    if not decide(ctx, Ability.CREATE_ISSUE, project).allowed:
        return {"alert": alert, "errors": [NO_PERMISSIONS]}
    with collect_errors(alert=alert):
        issue = incidents.create_issue(ctx, alert, ctx.signed_in_user)
        return {"alert": ctx.world.alerts[alert.id], "issue": issue}
