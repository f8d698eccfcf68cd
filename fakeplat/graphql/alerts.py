"""Alerts. Source: docs/platform/alerts.md, docs/contract.md ('Alerts, SCIM, pipelines')."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from fakeplat.core.operations.errors import NotFound
from fakeplat.core.store.frozen import frozen
from fakeplat.core.store.ids import number_of
from fakeplat.domain.alerts import alert_payload, alerts, incidents
from fakeplat.domain.issues.issue_search import search_test
from fakeplat.domain.notes.system_notes import ALERT as ALERT_KIND
from fakeplat.graphql.declaring import Enumeration, Type, mutation
from fakeplat.graphql.errors import failing
from fakeplat.graphql.places import demand_project
from fakeplat.graphql.projects import PROJECT
from fakeplat.model.alerts import Alert
from fakeplat.model.environments import Environment
from fakeplat.model.issues import Issue
from fakeplat.model.notes import Note
from fakeplat.model.projects import Project
from fakeplat.model.users import User
from fakeplat.policy.abilities import May
from fakeplat.policy.context import Context, Doing
from fakeplat.policy.rulings import can, demand, rule

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
def hosts(cx: Context, alert: Alert) -> list[str]:
    """Where it happened."""
    del cx
    return [*alert.hosts]


@ALERT.field("environment: Environment")
def environment(cx: Context, alert: Alert) -> Environment | None:
    """The environment that it is about."""
    id_ = alert.environment_id
    return cx.world.environments.get(id_) if id_ is not None else None


@ALERT.field("details: JSON")
def details(cx: Context, alert: Alert) -> dict[str, Any]:
    """What else was reported."""
    del cx
    return alert_payload.details(alert.payload)


@ALERT.field("runbook: String")
def runbook(cx: Context, alert: Alert) -> str | None:
    """What to do, as the payload says."""
    del cx
    said = alert.payload.get("runbook")
    return said if isinstance(said, str) else None


@ALERT.field("detailsUrl: String!")
def details_url(cx: Context, alert: Alert) -> str:
    """Its page."""
    return f"{cx.origin}{incidents.page(cx, alert)}"


@ALERT.field("issueIid: ID")
def issue_iid(cx: Context, alert: Alert) -> int | None:
    """The number of its incident."""
    found = _issue(cx, alert)
    return found.iid if found is not None else None


def _issue(cx: Context, alert: Alert) -> Issue | None:
    return cx.world.issues.get(alert.issue_id) if alert.issue_id is not None else None


@ALERT.field("assignees: UserConnection")
def assignees(cx: Context, alert: Alert) -> Sequence[User]:
    """Who looks at it. Nobody can be assigned yet."""
    del cx, alert
    return ()


@ALERT.field("notes: NoteConnection!")
def notes(cx: Context, alert: Alert) -> Sequence[Note]:
    """What the platform noted of it."""
    return list(cx.world.notes.where("subject", (ALERT_KIND, alert.id)))


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
    cx: Context, project: Project, search: str | None = None, assignee_username: str | None = None
) -> Counts:
    """How many alerts it has in each status."""
    is_found = _test(search)
    found = [one.status for one in _visible(cx, project) if is_found(one) and not assignee_username]
    each = {status: found.count(status) for status in STATUSES}
    return Counts(all=len(found), open=each["triggered"] + each["acknowledged"], **each)


_FILTERS: Final = (
    "iid: String, statuses: [AlertManagementStatus!], sort: AlertManagementAlertSort, search: String, "
    "assigneeUsername: String"
)


@PROJECT.field(f"alertManagementAlerts({_FILTERS}): AlertManagementAlertConnection")
def alerts_of(
    cx: Context,
    project: Project,
    iid: str | None = None,
    statuses: Sequence[str] | None = None,
    sort: Order | None = None,
    search: str | None = None,
    assignee_username: str | None = None,
) -> Sequence[Alert]:
    """Its alerts; the newest first unless another order is asked for."""
    number = None if iid is None else number_of(iid) or 0
    is_found = _test(search)
    found = [
        one
        for one in _visible(cx, project)
        if number in (None, one.iid)
        and (not statuses or one.status in statuses)
        and not assignee_username
        and is_found(one)
    ]
    value, descending = sort or _NEWEST_FIRST
    newest_first = sorted(found, key=lambda one: -one.id)
    return sorted(newest_first, key=value, reverse=descending)


_NEWEST_FIRST: Final[Order] = (lambda alert: alert.id, True)


@PROJECT.field(f"alertManagementAlert({_FILTERS}): AlertManagementAlert", one=True)
def alert_of(cx: Context, project: Project, **wanted: Any) -> Alert | None:
    """The first of its alerts that is asked for."""
    return next(iter(alerts_of(cx, project, **wanted)), None)


def _visible(cx: Context, project: Project) -> Sequence[Alert]:
    """The project's alerts, if the caller may read them."""
    return alerts.of_project(cx.world, project) if can(cx, May.READ_ALERT, project) else ()


def _test(search: str | None) -> Callable[[Any], bool]:
    """Whether a text stands in what an alert says of itself, as in a search of issues."""
    return search_test(search or "", ("title", "description", "monitoring_tool", "service"))


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


def _demand_alert(cx: Context, project_path: str, iid: str) -> tuple[Project, Alert]:
    """An alert that the caller may change, or a refusal."""
    project = demand_project(cx, project_path)
    demand(cx, May.UPDATE_ALERT, project)
    found = alerts.by_iid(cx, project, number_of(iid) or 0)
    if found is None:
        raise NotFound("Alert", reason=f"{project_path} has no alert {iid}")
    return project, found


@mutation(
    "updateAlertStatus",
    takes=f'{_WHICH}\n"""What becomes of it."""\nstatus: AlertManagementStatus!',
    gives=_GIVES,
)
def update_alert_status(cx: Doing, project_path: str, iid: str, status: Any) -> Mapping[str, Any]:
    """Move an alert to another status."""
    _, alert = _demand_alert(cx, project_path, iid)
    with failing(alert=alert):
        return {"alert": alerts.set_status(cx, alert, status, cx.someone)}


@mutation("createAlertIssue", takes=_WHICH, gives=_GIVES)
def create_alert_issue(cx: Doing, project_path: str, iid: str) -> Mapping[str, Any]:
    """Make an incident for an alert."""
    project, alert = _demand_alert(cx, project_path, iid)
    shown = {"alert": alert, "issue": _issue(cx, alert)}
    if not rule(cx, May.CREATE_ISSUE, project).allowed:
        return {**shown, "errors": [NO_PERMISSIONS]}
    with failing(**shown):
        issue = incidents.create_issue(cx, alert, cx.someone)
        return {"alert": cx.world.alerts[alert.id], "issue": issue}
