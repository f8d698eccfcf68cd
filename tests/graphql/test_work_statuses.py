"""Statuses of work items and of incidents, and what is developed for work items.

Source: ee/spec/lib/ee/work_items/callbacks/status_spec.rb, docs/platform/work-items.md and docs/platform/alerts.md.
"""

from collections.abc import Callable
from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import INCIDENTS_HAVE_STATUSES
from tests.api.company import COMPANY
from tests.api.planning_records import SITE, get_json
from tests.by_release import by_release
from tests.graphql.queries import NOT_AVAILABLE, list_messages, query_data, query_project, query_refused, write_mutation

ISSUES = [
    {"title": "Broken link", "author": "gus", "time_estimate": 5400},
    {"title": "Mend it", "author": "rep", "type": "task", "parent": "acme/site#1", "work_status": "in_progress"},
    {"title": "Down", "author": "rep", "type": "incident"},
    {"title": "Old", "author": "rep", "state": "closed"},
]
ACME: dict[str, Any] = COMPANY["groups"][0]
GROUP: dict[str, Any] = {
    **ACME,
    "epics": [{"title": "Launch", "author": "ada", "start_date_fixed": "2020-12-01", "start_date_is_fixed": True}],
    "projects": [
        {
            **ACME["projects"][0],
            "issues": ISSUES,
            "repository": {"commits": [{"message": "First", "author": "ada", "files": {"a.txt": "a"}}]},
        },
        *ACME["projects"][1:],
    ],
}
pytestmark = pytest.mark.fakeplat(scenario={**COMPANY, "groups": [GROUP]}, version="latest", tier="ultimate")
STATUS = "gid://gitlab/WorkItems::Statuses::SystemDefined::Status/"
TASK = "gid://gitlab/WorkItems::Type/5"
WIDGET = (
    "state widgets(onlyTypes: [STATUS]) { ... on WorkItemWidgetStatus { status { id name category iconName color } } }"
)


def item_id(fake: Fakeplat, iid: int, kind: str = "WorkItem") -> str:
    return f"gid://gitlab/{kind}/{get_json(fake, f'{SITE}/issues/{iid}')['id']}"


def read_status(fake: Fakeplat, iid: int) -> tuple[str, str]:
    """Return the state and the name of the status of a work item."""
    query = f"query($id: WorkItemID!) {{ workItem(id: $id) {{ {WIDGET} }} }}"
    item = query_data(fake, "rep", query, id=item_id(fake, iid))["workItem"]
    return item["state"], item["widgets"][0]["status"]["name"]


def set_status(fake: Fakeplat, iid: int, number: int, by: str = "rep") -> Any:
    given = {"id": item_id(fake, iid), "statusWidget": {"status": f"{STATUS}{number}"}}
    return query_data(fake, by, write_mutation("workItemUpdate", "workItem { id }"), input=given)["workItemUpdate"]


def list_system_notes(fake: Fakeplat, iid: int) -> list[str]:
    notes = get_json(fake, f"{SITE}/issues/{iid}/notes?sort=asc")
    return [note["body"] for note in notes if note["system"]]


def test_a_status_follows_from_the_state(fakeplat: Fakeplat) -> None:
    """Open work items are to do and closed ones are done, unless they have another status."""
    assert [("OPEN", "To do"), ("OPEN", "In progress"), ("CLOSED", "Done")] == [
        read_status(fakeplat, iid) for iid in (1, 2, 4)
    ]


@pytest.mark.parametrize(
    ("number", "expected"),
    [(2, ("OPEN", "In progress")), (3, ("CLOSED", "Done")), (4, ("CLOSED", "Won't do")), (5, ("CLOSED", "Duplicate"))],
)
def test_a_status_closes_and_opens(fakeplat: Fakeplat, number: int, expected: tuple[str, str]) -> None:
    """Statuses of the categories done and canceled close a work item, and a system note tells each status."""
    assert [] == set_status(fakeplat, 1, number)["errors"]
    assert expected == read_status(fakeplat, 1)
    assert f"set status to **{expected[1]}**" in list_system_notes(fakeplat, 1)


def test_a_closed_work_item_is_opened_by_a_status(fakeplat: Fakeplat) -> None:
    """A status of the category in progress reopens; closing and reopening by REST give the default statuses."""
    set_status(fakeplat, 4, 2)
    reopened = read_status(fakeplat, 4)
    fakeplat.as_user("rep").put(f"{SITE}/issues/4", json={"state_event": "close"})
    closed = read_status(fakeplat, 4)
    fakeplat.as_user("rep").put(f"{SITE}/issues/4", json={"state_event": "reopen"})

    assert [("OPEN", "In progress"), ("CLOSED", "Done"), ("OPEN", "To do")] == [
        reopened,
        closed,
        read_status(fakeplat, 4),
    ]


def test_a_duplicate_has_the_status_of_duplicates(fakeplat: Fakeplat) -> None:
    """Marking an issue as a duplicate gives it the status of duplicates."""
    fakeplat.as_user("rep").post(f"{SITE}/issues/1/notes", json={"body": "/duplicate #4"})

    assert ("CLOSED", "Duplicate") == read_status(fakeplat, 1)


def test_a_status_is_ignored_for_those_who_may_not_set_it(fakeplat: Fakeplat) -> None:
    """The author of an issue may change its title as a Guest, but not its status."""
    assert [] == set_status(fakeplat, 1, 2, by="gus")["errors"]
    assert ("OPEN", "To do") == read_status(fakeplat, 1)


@pytest.mark.parametrize(
    ("iid", "number", "text"),
    [
        (1, 99, "System defined status not provided or references non-existent system defined status"),
        (3, 2, "System defined status not allowed for this work item type"),
    ],
)
def test_a_status_that_does_not_fit_is_refused(fakeplat: Fakeplat, iid: int, number: int, text: str) -> None:
    """A status that does not exist, or that incidents do not have, is an error of the payload."""
    given = {"id": item_id(fakeplat, iid), "statusWidget": {"status": f"{STATUS}{number}"}}
    content = query_refused(fakeplat, "rep", write_mutation("workItemUpdate", ""), input=given)

    assert {"errors": [text]} == content["data"]["workItemUpdate"]


def test_a_work_item_is_created_with_a_status_and_links(fakeplat: Fakeplat) -> None:
    """A new task can have a status and links to other work items."""
    given = {
        "namespacePath": "acme/site",
        "title": "Next",
        "workItemTypeId": TASK,
        "statusWidget": {"status": f"{STATUS}2"},
        "linkedItemsWidget": {"workItemsIds": [item_id(fakeplat, 1)], "linkType": "RELATED"},
    }
    query = write_mutation("workItemCreate", "workItem { iid }")
    work_item = query_data(fakeplat, "rep", query, input=given)["workItemCreate"]["workItem"]
    links = get_json(fakeplat, f"{SITE}/issues/{work_item['iid']}/links")

    assert ("OPEN", "In progress") == read_status(fakeplat, int(work_item["iid"]))
    assert [("Broken link", "relates_to")] == [(link["title"], link["link_type"]) for link in links]


def test_a_namespace_shows_its_lifecycle(fakeplat: Fakeplat) -> None:
    """Issues and tasks share a lifecycle of five statuses."""
    query = """{ namespace(fullPath: "acme") { statuses { nodes { id } } lifecycles { nodes { name
        statuses { name } defaultClosedStatus { name } workItemTypes { name } } } } }"""
    namespace = query_data(fakeplat, "rep", query)["namespace"]
    (lifecycle,) = namespace["lifecycles"]["nodes"]

    assert [{"id": f"{STATUS}{number}"} for number in range(1, 6)] == namespace["statuses"]["nodes"]
    assert ["To do", "In progress", "Done", "Won't do", "Duplicate"] == [row["name"] for row in lifecycle["statuses"]]
    assert ({"name": "Done"}, [{"name": "Issue"}, {"name": "Task"}]) == (
        lifecycle["defaultClosedStatus"],
        lifecycle["workItemTypes"],
    )


@pytest.mark.fakeplat(tier="free")
def test_statuses_are_paid(fakeplat: Fakeplat) -> None:
    """On the free tier, work items have no widget of statuses and namespaces no lifecycle."""
    query = f"""query($id: WorkItemID!) {{ workItem(id: $id) {{ {WIDGET} }}
        namespace(fullPath: "acme/site") {{ lifecycles {{ nodes {{ name }} }} }} }}"""

    shown = query_data(fakeplat, "rep", query, id=item_id(fakeplat, 1))
    assert {"workItem": {"state": "OPEN", "widgets": []}, "namespace": {"lifecycles": None}} == shown


# What is below, and the dates of epics


def test_children_are_counted_and_added(fakeplat: Fakeplat) -> None:
    """An issue counts the tasks below it by state, and takes further ones."""
    query = write_mutation("workItemCreate", "workItem { id }")
    given = {"namespacePath": "acme/site", "title": "Next", "workItemTypeId": TASK}
    child = query_data(fakeplat, "rep", query, input=given)["workItemCreate"]["workItem"]["id"]
    add = write_mutation("workItemHierarchyAddChildrenItems", "addedChildren { title }")
    added = query_data(fakeplat, "rep", add, input={"id": item_id(fakeplat, 1), "childrenIds": [child]})
    fields = """... on WorkItemWidgetHierarchy { depthLimitReachedByType { depthLimitReached workItemType { name } }
        rolledUpCountsByType { workItemType { name } countsByState { all opened closed } } }
        ... on WorkItemWidgetTimeTracking { humanReadableAttributes { timeEstimate totalTimeSpent } }"""
    widgets = f"widgets(onlyTypes: [HIERARCHY, TIME_TRACKING]) {{ {fields} }}"
    query = f"query($id: WorkItemID!) {{ workItem(id: $id) {{ {widgets} }} }}"
    hierarchy, times = query_data(fakeplat, "rep", query, id=item_id(fakeplat, 1))["workItem"]["widgets"]

    assert {"addedChildren": [{"title": "Next"}], "errors": []} == added["workItemHierarchyAddChildrenItems"]
    assert {
        "depthLimitReachedByType": [{"depthLimitReached": False, "workItemType": {"name": "Task"}}],
        "rolledUpCountsByType": [
            {"workItemType": {"name": "Task"}, "countsByState": {"all": 2, "opened": 2, "closed": 0}}
        ],
    } == hierarchy
    assert {"humanReadableAttributes": {"timeEstimate": "1h 30m", "totalTimeSpent": None}} == times


def show_dates(fake: Fakeplat, widget: str, fields: str) -> Any:
    """Return what a widget shows of the dates of an epic."""
    epic = get_json(fake, "groups/acme/epics/1")
    query = f"query($id: WorkItemID!) {{ workItem(id: $id) {{ widgets {{ ... on {widget} {{ {fields} }} }} }} }}"
    widgets = query_data(fake, "rep", query, id=f"gid://gitlab/WorkItem/{epic['id']}")["workItem"]["widgets"]
    return next(widget for widget in widgets if widget)


def test_an_epic_shows_whether_its_dates_are_fixed(fakeplat: Fakeplat) -> None:
    """An epic shows whether its dates are fixed, or follow from what is below it."""
    dates = show_dates(fakeplat, "WorkItemWidgetStartAndDueDate", "isFixed rollUp")
    assert {"isFixed": True, "rollUp": False} == dates


@pytest.mark.fakeplat(version="18.8")
def test_an_epic_shows_its_fixed_dates(fakeplat: Fakeplat) -> None:
    """Until 18.9 a widget of its own shows the dates of an epic, and which of them are fixed."""
    fields = "startDate startDateFixed startDateIsFixed dueDate dueDateIsFixed"
    rolled_up = show_dates(fakeplat, "WorkItemWidgetRolledupDates", fields)

    assert {
        "startDate": "2020-12-01",
        "startDateFixed": "2020-12-01",
        "startDateIsFixed": True,
        "dueDate": None,
        "dueDateIsFixed": False,
    } == rolled_up


# What is developed


def test_a_work_item_shows_its_merge_requests_and_branches(fakeplat: Fakeplat) -> None:
    """A work item shows the merge request that will close it, and the branches that are named after it."""
    dev = fakeplat.as_user("ada")
    for branch in ("1-mend", "topic"):
        commit = {"branch": branch, "commit_message": "Add", "actions": [{"action": "create", "file_path": branch}]}
        dev.post(f"{SITE}/repository/commits", json={**commit, "start_branch": "main"})
    change = {"source_branch": "topic", "target_branch": "main", "title": "Mend", "description": "Closes #1"}
    assert 201 == dev.post(f"{SITE}/merge_requests", json=change).status
    fields = """willAutoCloseByMergeRequest closingMergeRequests { nodes { fromMrDescription mergeRequest { title } } }
        relatedMergeRequests { nodes { title } }
        relatedBranches { nodes { name comparePath pipelineStatus { text } } }"""
    query = f"""query($id: WorkItemID!) {{ workItem(id: $id) {{ userPermissions {{ moveWorkItem markNoteAsInternal }}
        widgets(onlyTypes: [DEVELOPMENT]) {{ ... on WorkItemWidgetDevelopment {{ {fields} }} }} }} }}"""
    item = query_data(fakeplat, "ada", query, id=item_id(fakeplat, 1))["workItem"]
    path = "/acme/site/-/compare/main...1-mend"

    assert {
        "willAutoCloseByMergeRequest": True,
        "closingMergeRequests": {"nodes": [{"fromMrDescription": True, "mergeRequest": {"title": "Mend"}}]},
        "relatedMergeRequests": {"nodes": [{"title": "Mend"}]},
        "relatedBranches": {"nodes": [{"name": "1-mend", "comparePath": path, "pipelineStatus": None}]},
    } == item["widgets"][0]
    assert {"moveWorkItem": True, "markNoteAsInternal": True} == item["userPermissions"]


@pytest.mark.parametrize(
    ("tier", "by", "names"), [("premium", "dev", ["dark"]), ("premium", "gus", []), ("free", "dev", [])]
)
def test_a_work_item_shows_its_feature_flags(
    fakeplat_factory: Callable[..., Fakeplat], tier: str, by: str, names: list[str]
) -> None:
    """On paid tiers, a work item shows the feature flags that it was linked to, to whoever may read them."""
    flags = [{"name": "dark", "issues": [1]}, {"name": "other"}]
    site = {**ACME["projects"][0], "feature_flags": flags, "issues": [{"title": "A", "author": "ada"}]}
    world = {**COMPANY, "groups": [{**ACME, "projects": [site]}]}
    fake = fakeplat_factory(scenario=world, version="latest", tier=tier)
    query = """query($id: WorkItemID!) { workItem(id: $id) { widgets(onlyTypes: [DEVELOPMENT]) {
        ... on WorkItemWidgetDevelopment { featureFlags { nodes { id name active path reference } } } } } }"""
    (widget,) = query_data(fake, by, query, id=item_id(fake, 1))["workItem"]["widgets"]
    shown = widget["featureFlags"]["nodes"]
    assert names == [flag["name"] for flag in shown]
    assert all(flag["id"].startswith("gid://gitlab/Operations::FeatureFlag/") for flag in shown)
    paths = [(flag["active"], flag["path"], flag["reference"]) for flag in shown]
    assert [(True, "/acme/site/-/feature_flags/1/edit", "[feature_flag:1]")] * len(names) == paths


# Incidents

ESCALATION = write_mutation("issueSetEscalationStatus", "issue { escalationStatus }")


def test_an_incident_has_a_status(fakeplat: Fakeplat) -> None:
    """Developers change the status of an incident, which a system note tells; closing resolves it."""
    given = {"projectPath": "acme/site", "iid": "3", "status": "ACKNOWLEDGED"}
    changed = query_data(fakeplat, "dev", ESCALATION, input=given)["issueSetEscalationStatus"]
    fakeplat.as_user("dev").put(f"{SITE}/issues/3", json={"state_event": "close"})
    shown = query_project(
        fakeplat, "dev", 'issue(iid: "3") { escalationStatus } other: issue(iid: "1") { escalationStatus }'
    )

    assert {"issue": {"escalationStatus": "ACKNOWLEDGED"}, "errors": []} == changed
    assert {"issue": {"escalationStatus": "RESOLVED"}, "other": {"escalationStatus": None}} == shown
    assert [
        "changed the incident status to **Acknowledged**",
        "changed the incident status to **Resolved** by closing the incident",
    ] == [note for note in list_system_notes(fakeplat, 3) if "status" in note]


def test_the_status_of_an_incident_is_that_of_its_alert(fakeplat: Fakeplat) -> None:
    """Changing the status of an incident changes that of its alert, with the reason."""
    fakeplat.load(
        {
            "projects": [
                {"path_with_namespace": "acme/site", "alerts": {"active": True, "received": [{"title": "Disk full"}]}}
            ]
        }
    )
    create = write_mutation("createAlertIssue", "issue { iid }")
    iid = query_data(fakeplat, "dev", create, input={"projectPath": "acme/site", "iid": "1"})["createAlertIssue"][
        "issue"
    ]["iid"]
    given = {"projectPath": "acme/site", "iid": iid, "status": "IGNORED"}
    query_data(fakeplat, "dev", ESCALATION, input=given)
    fields = 'alertManagementAlert(iid: "1") { status notes { nodes { body } } }'
    alert = query_project(fakeplat, "dev", fields)["alertManagementAlert"]

    assert "IGNORED" == alert["status"]
    assert f"changed the status to **Ignored** by changing the incident status of #{iid}" in [
        note["body"] for note in alert["notes"]["nodes"]
    ]


@pytest.mark.parametrize(
    ("by", "iid", "text"),
    [("rep", "3", NOT_AVAILABLE), ("dev", "1", "Feature unavailable for provided issue")],
    ids=["reporter", "issue"],
)
def test_the_status_of_an_incident_is_refused(fakeplat: Fakeplat, by: str, iid: str, text: str) -> None:
    """Reporters cannot change the status of an incident, and issues have none."""
    given = {"projectPath": "acme/site", "iid": iid, "status": "RESOLVED"}

    assert [text] == list_messages(query_refused(fakeplat, by, ESCALATION, input=given))


@by_release(INCIDENTS_HAVE_STATUSES, "has_it", {"14.9": False, "14.10": True})
def test_closing_an_incident_resolves_it_in_later_releases(fakeplat: Fakeplat, has_it: bool) -> None:
    """Closing an incident writes a note on its status from the release on that has it."""
    fakeplat.as_user("dev").put(f"{SITE}/issues/3", json={"state_event": "close"})

    assert has_it == any("status to **Resolved**" in note for note in list_system_notes(fakeplat, 3))
