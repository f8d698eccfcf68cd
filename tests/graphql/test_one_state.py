"""REST and GraphQL show one state: what one of them changes, the other one shows."""

from collections.abc import Callable
from typing import Any

import orjson
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fakeplat.core.operations.http_messages import Request
from fakeplat.workbench.bench import Workbench
from fakeplat.workbench.options import Options
from tests.examples import examples
from tests.graphql.queries import write_mutation
from tests.graphql.reviewed_world import REVIEWED

SITE = "/api/v4/projects/acme%2Fsite"
HEADERS = {"content-type": "application/json", "private-token": "ada-token"}
patient = settings(deadline=None, max_examples=examples(15), suppress_health_check=[HealthCheck.too_slow])
titles = st.text("ABCDEabcde", min_size=1, max_size=8)
emoji = st.sampled_from(["rocket", "heart", "tada"])
QUERY = """{ project(fullPath: "acme/site") {
    issues(sort: CREATED_ASC) { nodes { iid title state description labels { nodes { title } }
        milestone { title } notes { nodes { body system } } userNotesCount } }
    mergeRequests(sort: CREATED_ASC) { nodes { iid title state description userNotesCount } }
    labels { nodes { title color } } milestones { nodes { title } } } }"""


def send(on: Workbench, method: str, path: str, body: Any = None) -> Any:
    sent = orjson.dumps(body) if body is not None else b""
    path, _, query = path.partition("?")
    reply = on.platform.handle(Request(method, path, query, HEADERS, sent))
    return orjson.loads(reply.body) if reply.body else None


def mutate(on: Workbench, name: str, fields: dict[str, Any]) -> None:
    query = write_mutation(name, "")
    send(on, "POST", "/api/graphql", {"query": query, "variables": {"input": fields}})


def id_of(issue: dict[str, Any]) -> str:
    return f"gid://gitlab/Issue/{issue['id']}"


def find_issue(on: Workbench) -> dict[str, Any]:
    found: dict[str, Any] = send(on, "GET", f"{SITE}/issues?order_by=created_at&sort=asc")[0]
    return found


Step = Callable[[Workbench, dict[str, Any], str, str], object]
STEPS: dict[str, Step] = {
    "rest issue": lambda on, _, title, _name: send(on, "POST", f"{SITE}/issues", {"title": title, "labels": "bug"}),
    "graphql issue": lambda on, _, title, name: mutate(
        on, "createIssue", {"projectPath": "acme/site", "title": title, "description": name}
    ),
    "rest edit": lambda on, issue, title, name: send(
        on, "PUT", f"{SITE}/issues/{issue['iid']}", {"title": title, "description": name}
    ),
    "graphql edit": lambda on, issue, title, _name: mutate(
        on, "updateIssue", {"projectPath": "acme/site", "iid": str(issue["iid"]), "title": title}
    ),
    "rest note": lambda on, issue, title, _name: send(
        on, "POST", f"{SITE}/issues/{issue['iid']}/notes", {"body": title}
    ),
    "graphql note": lambda on, issue, title, _name: mutate(
        on, "createNote", {"noteableId": id_of(issue), "body": title}
    ),
    "rest label": lambda on, _, title, _name: send(on, "POST", f"{SITE}/labels", {"name": title, "color": "#112233"}),
    "graphql label": lambda on, _, title, _name: mutate(
        on, "labelCreate", {"projectPath": "acme/site", "title": title}
    ),
    "rest milestone": lambda on, _, title, _name: send(on, "POST", f"{SITE}/milestones", {"title": title}),
    "rest award": lambda on, issue, _title, name: send(
        on, "POST", f"{SITE}/issues/{issue['iid']}/award_emoji", {"name": name}
    ),
    "graphql award": lambda on, issue, _title, name: mutate(
        on, "awardEmojiAdd", {"awardableId": id_of(issue), "name": name}
    ),
    "rest merge request": lambda on, _, title, _name: send(
        on, "PUT", f"{SITE}/merge_requests/1", {"description": title, "state_event": "close"}
    ),
    "graphql merge request": lambda on, _, title, _name: mutate(
        on, "mergeRequestUpdate", {"projectPath": "acme/site", "iid": "1", "title": title}
    ),
}


def change(on: Workbench, step: str, title: str, name: str) -> None:
    """Change something through REST or through GraphQL."""
    STEPS[step](on, find_issue(on), title, name)


changes = st.lists(st.tuples(st.sampled_from([*STEPS]), titles, emoji), min_size=1, max_size=6)


def read_by_graphql(on: Workbench) -> Any:
    project = send(on, "POST", "/api/graphql", {"query": QUERY})["data"]["project"]
    issues = [
        {
            "iid": int(row["iid"]),
            "title": row["title"],
            "state": row["state"],
            "description": row["description"],
            "labels": sorted(label["title"] for label in row["labels"]["nodes"]),
            "milestone": row["milestone"] and row["milestone"]["title"],
            "notes": sorted(note["body"] for note in row["notes"]["nodes"] if not note["system"]),
            "count": row["userNotesCount"],
        }
        for row in project["issues"]["nodes"]
    ]
    merge_requests = [
        {
            "iid": int(row["iid"]),
            **{key: row[key] for key in ("title", "state", "description")},
            "count": row["userNotesCount"],
        }
        for row in project["mergeRequests"]["nodes"]
    ]
    labels = {row["title"]: row["color"] for row in project["labels"]["nodes"]}
    return issues, merge_requests, labels, sorted(row["title"] for row in project["milestones"]["nodes"])


def read_by_rest(on: Workbench) -> Any:
    issues = [
        {
            **{key: row[key] for key in ("iid", "title", "state", "description")},
            "labels": sorted(row["labels"]),
            "milestone": row["milestone"] and row["milestone"]["title"],
            "notes": sorted(
                note["body"] for note in send(on, "GET", f"{SITE}/issues/{row['iid']}/notes") if not note["system"]
            ),
            "count": row["user_notes_count"],
        }
        for row in send(on, "GET", f"{SITE}/issues?order_by=created_at&sort=asc")
    ]
    merge_requests = [
        {**{key: row[key] for key in ("iid", "title", "state", "description")}, "count": row["user_notes_count"]}
        for row in send(on, "GET", f"{SITE}/merge_requests?order_by=created_at&sort=asc")
    ]
    labels = {row["name"]: row["color"] for row in send(on, "GET", f"{SITE}/labels")}
    return issues, merge_requests, labels, sorted(row["title"] for row in send(on, "GET", f"{SITE}/milestones"))


@patient
@given(changes)
def test_both_show_one_state(steps: list[tuple[str, str, str]]) -> None:
    """After any changes through either of them, REST and GraphQL show the same issues, labels and merge requests."""
    on = Options(scenario=REVIEWED).bench()
    for step, title, name in steps:
        change(on, step, title, name)

    assert [] == on.platform.failures
    assert read_by_rest(on) == read_by_graphql(on)


@patient
@given(st.lists(st.tuples(st.sampled_from(["rest award", "graphql award"]), emoji), min_size=1, max_size=4))
def test_both_show_the_same_reactions(steps: list[tuple[str, str]]) -> None:
    """Reactions given through either of them are counted by both."""
    on = Options(scenario=REVIEWED, instance={"version": "latest", "default_branch": "master"}).bench()
    for step, name in steps:
        change(on, step, "Title", name)
    issue = find_issue(on)
    query = """query($id: WorkItemID!) { workItem(id: $id) { widgets(onlyTypes: [AWARD_EMOJI]) {
        ... on WorkItemWidgetAwardEmoji { awardEmoji { nodes { name } } } } } }"""
    sent = {"query": query, "variables": {"id": f"gid://gitlab/WorkItem/{issue['id']}"}}
    (widget,) = send(on, "POST", "/api/graphql", sent)["data"]["workItem"]["widgets"]
    rest = send(on, "GET", f"{SITE}/issues/{issue['iid']}/award_emoji")

    assert {name for _, name in steps} == {row["name"] for row in rest}
    assert sorted(row["name"] for row in rest) == sorted(row["name"] for row in widget["awardEmoji"]["nodes"])


WIDGETS = """query($id: WorkItemID!) { workItem(id: $id) { iid state title
    widgets(onlyTypes: [DESCRIPTION, LABELS, MILESTONE, STATUS, START_AND_DUE_DATE, TIME_TRACKING, WEIGHT]) {
        ... on WorkItemWidgetDescription { description }
        ... on WorkItemWidgetLabels { labels { nodes { title } } }
        ... on WorkItemWidgetMilestone { milestone { title } }
        ... on WorkItemWidgetStatus { status { category } }
        ... on WorkItemWidgetStartAndDueDate { startDate dueDate }
        ... on WorkItemWidgetTimeTracking { timeEstimate totalTimeSpent humanReadableAttributes { timeEstimate } }
        ... on WorkItemWidgetWeight { weight } } } }"""
STATUS_ID = "gid://gitlab/WorkItems::Statuses::SystemDefined::Status/{}"


def update_item(on: Workbench, issue: dict[str, Any], **widgets: Any) -> None:
    mutate(on, "workItemUpdate", {"id": f"gid://gitlab/WorkItem/{issue['id']}", **widgets})


WORK_ITEM_STEPS: dict[str, Callable[[Workbench, dict[str, Any], int], object]] = {
    "status": lambda on, issue, number: update_item(
        on, issue, statusWidget={"status": STATUS_ID.format(number % 5 + 1)}
    ),
    "due date": lambda on, issue, number: update_item(
        on, issue, startAndDueDateWidget={"dueDate": f"2020-12-{number + 1:02}"}
    ),
    "estimate": lambda on, issue, number: update_item(
        on, issue, timeTrackingWidget={"timeEstimate": f"{number + 1}h", "timelog": {"timeSpent": "30m"}}
    ),
    "weight": lambda on, issue, number: update_item(on, issue, weightWidget={"weight": number}),
    "rest state": lambda on, issue, number: send(
        on, "PUT", f"{SITE}/issues/{issue['iid']}", {"state_event": ("close", "reopen")[number % 2]}
    ),
    "rest estimate": lambda on, issue, number: send(
        on, "POST", f"{SITE}/issues/{issue['iid']}/time_estimate", {"duration": f"{number + 1}d"}
    ),
    "rest fields": lambda on, issue, number: send(
        on,
        "PUT",
        f"{SITE}/issues/{issue['iid']}",
        {"weight": number, "due_date": f"2020-11-{number + 1:02}", "description": f"Step {number}"},
    ),
}


@patient
@given(st.lists(st.tuples(st.sampled_from([*WORK_ITEM_STEPS]), st.integers(0, 20)), min_size=1, max_size=6))
def test_work_items_show_the_state_of_issues(steps: list[tuple[str, int]]) -> None:
    """After any changes through either of them, the widgets of a work item show what REST shows of the issue.

    A status is open or closed with the issue, whichever of the two was changed.
    """
    instance = {"version": "latest", "tier": "ultimate", "default_branch": "master"}
    on = Options(scenario=REVIEWED, instance=instance).bench()
    for step, number in steps:
        WORK_ITEM_STEPS[step](on, find_issue(on), number)
    issue = find_issue(on)
    sent = {"query": WIDGETS, "variables": {"id": f"gid://gitlab/WorkItem/{issue['id']}"}}
    item = send(on, "POST", "/api/graphql", sent)["data"]["workItem"]
    shown: dict[str, Any] = {}
    for widget in item["widgets"]:
        shown |= widget

    assert [] == on.platform.failures
    assert (issue["title"], {"opened": "OPEN", "closed": "CLOSED"}[issue["state"]]) == (item["title"], item["state"])
    assert (issue["state"] == "closed") == (shown["status"]["category"] in ("DONE", "CANCELED"))
    stats = issue["time_stats"]
    assert {
        "description": issue["description"],
        "labels": sorted(issue["labels"]),
        "milestone": issue["milestone"] and issue["milestone"]["title"],
        "dueDate": issue["due_date"],
        "weight": issue["weight"],
        "timeEstimate": stats["time_estimate"],
        "totalTimeSpent": stats["total_time_spent"],
        "human": stats["human_time_estimate"],
    } == {
        **{key: shown[key] for key in ("description", "dueDate", "weight", "timeEstimate", "totalTimeSpent")},
        "labels": sorted(label["title"] for label in shown["labels"]["nodes"]),
        "milestone": shown["milestone"] and shown["milestone"]["title"],
        "human": shown["humanReadableAttributes"]["timeEstimate"],
    }
