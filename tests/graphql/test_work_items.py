"""Work items: issues and epics under one name, their widgets and their mutations.

Source: spec/requests/api/graphql/work_item_spec.rb and spec/requests/api/graphql/mutations/work_items of the platform.
"""

from collections.abc import Callable
from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import PROJECTS_ARE_NAMESPACES
from tests.api.company import COMPANY
from tests.api.planning_records import SITE, get_json
from tests.by_release import by_release
from tests.graphql.queries import NOT_AVAILABLE, list_messages, post_query, query_data, query_refused, write_mutation

ISSUES = [
    {"title": "Broken link", "author": "gus", "labels": ["bug"], "assignees": ["dev"], "description": "- [x] find"},
    {"title": "Mend it", "author": "rep", "type": "task", "parent": "acme/site#1"},
    {"title": "Secret", "author": "ada", "confidential": True, "state": "closed"},
]
ACME: dict[str, Any] = COMPANY["groups"][0]
GROUP: dict[str, Any] = {
    **ACME,
    "labels": [{"title": "bug", "color": "#112233"}],
    "epics": [{"title": "Launch", "author": "ada", "issues": ["acme/site#1"]}, {"title": "Below", "author": "rep"}],
    "projects": [{**ACME["projects"][0], "issues": ISSUES}, ACME["projects"][1]],
}
pytestmark = pytest.mark.fakeplat(
    scenario={**COMPANY, "groups": [GROUP]},
    version="latest",
    tier="ultimate",
    clock="virtual",
    start="2020-11-20T09:00:00.000Z",
)
TASK, ISSUE_TYPE, EPIC_TYPE = (f"gid://gitlab/WorkItems::Type/{number}" for number in (5, 1, 8))


def item_id(fake: Fakeplat, iid: int) -> str:
    return f"gid://gitlab/WorkItem/{get_json(fake, f'{SITE}/issues/{iid}')['id']}"


def epic_id(fake: Fakeplat, iid: int = 1) -> str:
    return f"gid://gitlab/WorkItem/{get_json(fake, f'groups/acme/epics/{iid}')['id']}"


def read_item(fake: Fakeplat, selection: str, id_: str | None = None, by: str | None = "ada") -> Any:
    query = f"query($id: WorkItemID!) {{ workItem(id: $id) {{ {selection} }} }}"
    return query_data(fake, by, query, id=id_ or item_id(fake, 1))["workItem"]


def read_widget(fake: Fakeplat, kind: str, selection: str, id_: str | None = None, by: str = "ada") -> Any:
    name = "".join(part.title() for part in kind.split("_"))
    fragment = f"... on WorkItemWidget{name} {{ {selection} }}"
    (widget,) = read_item(fake, f"widgets(onlyTypes: [{kind}]) {{ type {fragment} }}", id_, by)["widgets"]
    assert kind == widget.pop("type")
    return widget


def change(fake: Fakeplat, mutation: str, selection: str = "workItem { title }", by: str = "rep", **input_: Any) -> Any:
    data = query_data(fake, by, write_mutation(mutation, f"errors {selection}"), input=input_)
    return data[mutation]


# Reading


def test_a_work_item_shows_its_fields(fakeplat: Fakeplat) -> None:
    """An issue is a work item with the same id, its type, its state and its namespace."""
    id_ = item_id(fakeplat, 1)
    assert {
        "id": id_,
        "iid": "1",
        "title": "Broken link",
        "state": "OPEN",
        "confidential": False,
        "reference": "#1",
        "full": "acme/site#1",
        "webUrl": f"{fakeplat.url}/acme/site/-/issues/1",
        "author": {"username": "gus"},
        "project": {"fullPath": "acme/site"},
        "namespace": {"fullPath": "acme/site", "name": "Site"},
        "workItemType": {"id": ISSUE_TYPE, "name": "Issue"},
        "userPermissions": {"readWorkItem": True, "updateWorkItem": True, "deleteWorkItem": True},
    } == read_item(
        fakeplat,
        """id iid title state confidential reference full: reference(full: true) webUrl author { username }
           project { fullPath } namespace { fullPath name } workItemType { id name }
           userPermissions { readWorkItem updateWorkItem deleteWorkItem }""",
    )


def test_an_epic_is_a_work_item_of_its_group(fakeplat: Fakeplat) -> None:
    """An epic has no project, the type of epics, a color, and issues below it."""
    id_ = epic_id(fakeplat)
    item = read_item(fakeplat, "title project { id } namespace { fullPath } workItemType { name } webUrl", id_)
    children = read_widget(fakeplat, "HIERARCHY", "hasChildren children { nodes { title } }", id_)

    assert ("Launch", None, "acme", "Epic") == (
        item["title"],
        item["project"],
        item["namespace"]["fullPath"],
        item["workItemType"]["name"],
    )
    assert f"{fakeplat.url}/groups/acme/-/epics/1" == item["webUrl"]
    assert {"hasChildren": True, "children": {"nodes": [{"title": "Broken link"}]}} == children
    assert {"color": "#1068bf", "textColor": "#FFFFFF"} == read_widget(fakeplat, "COLOR", "color textColor", id_)


def test_hidden_work_items_are_not_found(fakeplat: Fakeplat) -> None:
    """Who does not see an issue finds no work item."""
    for iid, by in ((3, "gus"), (1, "eve"), (1, None)):
        assert None is read_item(fakeplat, "title", item_id(fakeplat, iid), by)


@pytest.mark.parametrize(
    ("iid", "missing"),
    [
        (1, {"COLOR", "PROGRESS", "ROLLEDUP_DATES"}),
        (2, {"COLOR", "HEALTH_STATUS", "PROGRESS", "ROLLEDUP_DATES"}),
    ],
)
def test_types_have_their_own_widgets(fakeplat: Fakeplat, iid: int, missing: set[str]) -> None:
    """Issues have all widgets but those of epics and objectives, tasks have no health."""
    widgets = read_item(fakeplat, "widgets { type }", item_id(fakeplat, iid))["widgets"]
    every = query_data(fakeplat, "ada", '{ __type(name: "WorkItemWidgetType") { enumValues { name } } }')
    assert {value["name"] for value in every["__type"]["enumValues"]} - missing == {each["type"] for each in widgets}


def test_widgets_show_the_parts_of_an_issue(fakeplat: Fakeplat) -> None:
    """Widgets show people, labels, tasks of the text, the parent and the caller's subscription."""
    assert {"assignees": {"nodes": [{"username": "dev"}]}} == read_widget(
        fakeplat, "ASSIGNEES", "assignees { nodes { username } }"
    )
    assert {"labels": {"nodes": [{"title": "bug"}]}} == read_widget(fakeplat, "LABELS", "labels { nodes { title } }")
    tasks = read_widget(fakeplat, "DESCRIPTION", "description taskCompletionStatus { count completedCount }")
    assert {"description": "- [x] find", "taskCompletionStatus": {"count": 1, "completedCount": 1}} == tasks
    hierarchy = read_widget(
        fakeplat,
        "HIERARCHY",
        "parent { title } ancestors { nodes { title } }",
        item_id(fakeplat, 2),
    )
    assert {
        "parent": {"title": "Broken link"},
        "ancestors": {"nodes": [{"title": "Launch"}, {"title": "Broken link"}]},
    } == hierarchy
    assert {"subscribed": True} == read_widget(fakeplat, "NOTIFICATIONS", "subscribed", by="gus")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("", ["Secret", "Mend it", "Broken link"]),
        ("(state: closed)", ["Secret"]),
        ("(types: [TASK])", ["Mend it"]),
        ('(search: "LINK")', ["Broken link"]),
        ('(iids: ["1", "2"], sort: TITLE_ASC)', ["Broken link", "Mend it"]),
        ('(authorUsername: "rep")', ["Mend it"]),
        ('(labelName: ["bug"])', ["Broken link"]),
        ('(assigneeUsernames: ["dev"])', ["Broken link"]),
        ("(confidential: true)", ["Secret"]),
    ],
)
def test_work_items_of_a_project_are_listed(fakeplat: Fakeplat, arguments: str, expected: list[str]) -> None:
    """The work items of a project are its issues of all types, the newest first."""
    query = f'{{ project(fullPath: "acme/site") {{ workItems{arguments} {{ nodes {{ title }} }} }} }}'
    nodes = query_data(fakeplat, "ada", query)["project"]["workItems"]["nodes"]
    assert expected == [node["title"] for node in nodes]


def test_work_items_of_a_group_are_its_epics(fakeplat: Fakeplat) -> None:
    """A group has epics, with its descendants also the issues of its projects that the caller sees."""
    query = """{ group(fullPath: "acme") { own: workItems(sort: TITLE_ASC) { nodes { title } }
               all: workItems(sort: TITLE_ASC, includeDescendants: true) { nodes { title } } } }"""
    group = query_data(fakeplat, "gus", query)["group"]

    assert ["Below", "Launch"] == [node["title"] for node in group["own"]["nodes"]]
    assert ["Below", "Broken link", "Launch", "Mend it"] == [node["title"] for node in group["all"]["nodes"]]


@by_release(PROJECTS_ARE_NAMESPACES, "expected", {"16.9": None, "16.10": {"fullPath": "acme/site"}})
def test_projects_are_namespaces(fakeplat: Fakeplat, expected: object) -> None:
    """A project is found as a namespace since work items are."""
    assert expected == query_data(fakeplat, "ada", '{ namespace(fullPath: "acme/site") { fullPath } }')["namespace"]


def test_a_work_item_is_found_in_its_namespace(fakeplat: Fakeplat) -> None:
    """The number of a work item is one of its project or group."""
    query = 'query($path: ID!) { namespace(fullPath: $path) { workItem(iid: "1") { title } } }'
    namespaces = [query_data(fakeplat, "ada", query, path=path)["namespace"] for path in ("acme/site", "acme")]
    assert ["Broken link", "Launch"] == [namespace["workItem"]["title"] for namespace in namespaces]


def test_types_depend_on_the_namespace(fakeplat: Fakeplat) -> None:
    """Projects have no epics, and a type is found by its name."""
    query = "query($path: ID!) { namespace(fullPath: $path) { workItemTypes(name: EPIC) { nodes { id } } } }"
    namespaces = [query_data(fakeplat, "ada", query, path=path)["namespace"] for path in ("acme/site", "acme")]
    assert [[], [{"id": EPIC_TYPE}]] == [namespace["workItemTypes"]["nodes"] for namespace in namespaces]


# Creating and changing


def test_a_task_is_created_below_an_issue(fakeplat: Fakeplat) -> None:
    """A new work item has the type, the parent and the values of its widgets; REST shows the same."""
    label = f"gid://gitlab/GroupLabel/{get_json(fakeplat, f'{SITE}/labels')[0]['id']}"
    payload = change(
        fakeplat,
        "workItemCreate",
        "workItem { iid }",
        namespacePath="acme/site",
        title="New",
        workItemTypeId=TASK,
        descriptionWidget={"description": "Text"},
        labelsWidget={"labelIds": [label]},
        startAndDueDateWidget={"startDate": "2020-12-01", "dueDate": "2020-12-24"},
        hierarchyWidget={"parentId": item_id(fakeplat, 1)},
        weightWidget={"weight": 3},
    )
    created = get_json(fakeplat, f"{SITE}/issues/4")

    assert {"errors": [], "workItem": {"iid": "4"}} == payload
    assert ("TASK", "Text", ["bug"], "2020-12-01", "2020-12-24", 3) == tuple(
        created[name] for name in ("type", "description", "labels", "start_date", "due_date", "weight")
    )
    children = read_widget(fakeplat, "HIERARCHY", "children { nodes { iid } }")["children"]["nodes"]
    assert ["2", "4"] == sorted(child["iid"] for child in children)
    notes = [note["body"] for note in get_json(fakeplat, f"{SITE}/issues/1/notes")]
    assert "added #4 as child task" in notes


def test_an_epic_is_created_in_a_group(fakeplat: Fakeplat) -> None:
    """A work item of a group is an epic, which the REST API shows."""
    change(fakeplat, "workItemCreate", namespacePath="acme", title="Plan", workItemTypeId=EPIC_TYPE)
    assert "Plan" == get_json(fakeplat, "groups/acme/epics/3")["title"]


def test_a_work_item_is_changed_by_its_widgets(fakeplat: Fakeplat) -> None:
    """An update changes attributes and widgets together."""
    dev, ada = (f"gid://gitlab/User/{fakeplat.world.user(name).id}" for name in ("dev", "ada"))
    payload = change(
        fakeplat,
        "workItemUpdate",
        "workItem { title state }",
        id=item_id(fakeplat, 1),
        title="Mended",
        stateEvent="CLOSE",
        assigneesWidget={"assigneeIds": [ada, dev]},
        descriptionWidget={"description": "Text"},
        startAndDueDateWidget={"dueDate": "2020-12-24"},
        healthStatusWidget={"healthStatus": "atRisk"},
        notesWidget={"discussionLocked": True},
        timeTrackingWidget={"timeEstimate": "3h"},
    )
    issue = get_json(fakeplat, f"{SITE}/issues/1")

    assert {"errors": [], "workItem": {"title": "Mended", "state": "CLOSED"}} == payload
    assert ("Text", "2020-12-24", "at_risk", True, 10_800) == (
        issue["description"],
        issue["due_date"],
        issue["health_status"],
        issue["discussion_locked"],
        issue["time_stats"]["time_estimate"],
    )
    assert ["ada", "dev"] == [user["username"] for user in issue["assignees"]]


def test_callers_change_what_is_their_own(fakeplat: Fakeplat) -> None:
    """Who may not change a work item still reacts to it, subscribes, and has to-dos."""
    change(
        fakeplat,
        "workItemUpdate",
        by="gus",
        id=item_id(fakeplat, 2),
        awardEmojiWidget={"action": "TOGGLE", "name": "thumbsup"},
        notificationsWidget={"subscribed": True},
        currentUserTodosWidget={"action": "ADD"},
    )
    task = get_json(fakeplat, f"{SITE}/issues/2", "gus")
    assert (1, True) == (task["upvotes"], task["subscribed"])
    assert 1 == len(get_json(fakeplat, "todos", "gus"))
    change(
        fakeplat,
        "workItemUpdate",
        by="gus",
        id=item_id(fakeplat, 2),
        awardEmojiWidget={"action": "REMOVE", "name": "thumbsup"},
        currentUserTodosWidget={"action": "MARK_AS_DONE"},
    )
    assert 0 == get_json(fakeplat, f"{SITE}/issues/2")["upvotes"]
    assert [] == get_json(fakeplat, "todos", "gus")


def test_an_epic_is_changed_as_a_work_item(fakeplat: Fakeplat) -> None:
    """The color and the dates of an epic are widgets; its dates are fixed then."""
    change(
        fakeplat,
        "workItemUpdate",
        id=epic_id(fakeplat),
        title="Start",
        colorWidget={"color": "#112233"},
        startAndDueDateWidget={"dueDate": "2020-12-24"},
    )
    epic = get_json(fakeplat, "groups/acme/epics/1")
    assert ("Start", "#112233", "2020-12-24", True) == tuple(
        epic[name] for name in ("title", "color", "due_date", "due_date_is_fixed")
    )


def test_the_hierarchy_has_rules(fakeplat: Fakeplat) -> None:
    """Tasks are put below issues and issues below epics, and taken out again; other types do not go together."""
    task, issue = item_id(fakeplat, 2), item_id(fakeplat, 1)
    refused = change(fakeplat, "workItemUpdate", id=issue, hierarchyWidget={"parentId": task})
    assert ["#1 cannot be added: it's not allowed to add this type of parent item"] == refused["errors"]
    assert [] == change(fakeplat, "workItemUpdate", id=task, hierarchyWidget={"parentId": None})["errors"]
    assert {"parent": None} == read_widget(fakeplat, "HIERARCHY", "parent { title }", task)
    moved = change(fakeplat, "workItemUpdate", id=epic_id(fakeplat, 2), hierarchyWidget={"childrenIds": [issue]})

    assert [] == moved["errors"]
    assert "Below" == get_json(fakeplat, f"{SITE}/issues/1")["epic"]["title"]


def test_weights_are_rolled_up(fakeplat: Fakeplat) -> None:
    """What is below a work item counts in place of its own weight; what is closed counts as completed."""
    issue, task, epic = item_id(fakeplat, 1), item_id(fakeplat, 2), epic_id(fakeplat)
    selection = "weight rolledUpWeight rolledUpCompletedWeight"
    none = {"weight": None, "rolledUpWeight": None, "rolledUpCompletedWeight": None}
    assert none == read_widget(fakeplat, "WEIGHT", selection, task)
    assert {**none, "rolledUpCompletedWeight": 0} == read_widget(fakeplat, "WEIGHT", selection, issue)
    change(fakeplat, "workItemUpdate", id=issue, weightWidget={"weight": 5})
    assert {"weight": None, "rolledUpWeight": 5, "rolledUpCompletedWeight": 0} == read_widget(
        fakeplat, "WEIGHT", selection, epic
    )
    change(fakeplat, "workItemUpdate", id=task, weightWidget={"weight": 2}, stateEvent="CLOSE")
    rolled_up = {"rolledUpWeight": 2, "rolledUpCompletedWeight": 2}
    assert {"weight": 5, **rolled_up} == read_widget(fakeplat, "WEIGHT", selection, issue)
    assert {"weight": None, **rolled_up} == read_widget(fakeplat, "WEIGHT", selection, epic)


@pytest.mark.parametrize(("tier", "counts"), [("free", (None, None, None)), ("premium", (True, 1, 0))])
def test_linked_items_count_what_blocks(
    fakeplat_factory: Callable[..., Fakeplat], tier: str, counts: tuple[object, ...]
) -> None:
    """On paid tiers a work item tells how many open ones block it, and how many it blocks."""
    links = [{"source": "acme/site#2", "target": "acme/site#1", "link_type": "blocks"}]
    world = {**COMPANY, "groups": [GROUP], "issue_links": links}
    fake = fakeplat_factory(scenario=world, version="latest", tier=tier)
    widget = read_widget(fake, "LINKED_ITEMS", "blocked blockedByCount blockingCount")
    assert dict(zip(("blocked", "blockedByCount", "blockingCount"), counts, strict=True)) == widget


def test_deleting_the_parent_keeps_its_tasks(fakeplat: Fakeplat) -> None:
    """A task stays without a parent when its issue is deleted."""
    payload = change(fakeplat, "workItemDelete", "namespace { fullPath }", "ada", id=item_id(fakeplat, 1))
    assert {"errors": [], "namespace": {"fullPath": "acme/site"}} == payload
    assert {"parent": None} == read_widget(fakeplat, "HIERARCHY", "parent { title }", item_id(fakeplat, 2))


def test_a_work_item_changes_its_type(fakeplat: Fakeplat) -> None:
    """A task becomes an issue, but no epic."""
    id_ = item_id(fakeplat, 2)
    refused = change(fakeplat, "workItemConvert", id=id_, workItemTypeId=EPIC_TYPE)
    assert ["You are not allowed to change the Work Item type to Epic."] == refused["errors"]
    change(fakeplat, "workItemConvert", id=id_, workItemTypeId=ISSUE_TYPE)
    assert "ISSUE" == get_json(fakeplat, f"{SITE}/issues/2")["type"]


def test_work_items_are_linked_and_unlinked(fakeplat: Fakeplat) -> None:
    """Links are those of the REST API, with a text about what was done."""
    first, second = item_id(fakeplat, 1), item_id(fakeplat, 2)
    payload = change(fakeplat, "workItemAddLinkedItems", "message", id=first, workItemsIds=[second], linkType="BLOCKS")
    number = second.rpartition("/")[2]
    assert {"errors": [], "message": f"Successfully linked ID(s): {number}."} == payload
    assert ["blocks"] == [link["link_type"] for link in get_json(fakeplat, f"{SITE}/issues/1/links")]
    linked = read_widget(fakeplat, "LINKED_ITEMS", "linkedItems { nodes { linkType workItem { title } } }", second)
    assert [{"linkType": "is_blocked_by", "workItem": {"title": "Broken link"}}] == linked["linkedItems"]["nodes"]
    payload = change(fakeplat, "workItemRemoveLinkedItems", "message", id=first, workItemsIds=[second])
    assert {"errors": [], "message": f"Successfully unlinked IDs: {number}."} == payload
    again = change(fakeplat, "workItemRemoveLinkedItems", "message", id=first, workItemsIds=[second])
    assert {"errors": [f"IDs with errors: {number}."], "message": None} == again


def test_a_work_item_is_commented(fakeplat: Fakeplat) -> None:
    """Comments are written by the id of the work item, also on epics."""
    for id_ in (item_id(fakeplat, 1), epic_id(fakeplat)):
        query = write_mutation("createNote", "errors note { body }")
        data = query_data(fakeplat, "gus", query, input={"noteableId": id_, "body": "Hm"})
        assert {"errors": [], "note": {"body": "Hm"}} == data["createNote"]
        notes = read_widget(fakeplat, "NOTES", "notes { nodes { body } }", id_)["notes"]["nodes"]
        assert {"body": "Hm"} in notes


@pytest.mark.parametrize(
    ("mutation", "input_"),
    [
        ("workItemUpdate", {"title": "New"}),
        ("workItemConvert", {"workItemTypeId": ISSUE_TYPE}),
        ("workItemDelete", {}),
    ],
)
def test_guests_change_no_work_items_of_others(fakeplat: Fakeplat, mutation: str, input_: dict[str, str]) -> None:
    """Below the role of a reporter the work items of others are left as they are."""
    query = write_mutation(mutation, "errors")
    content = query_refused(fakeplat, "gus", query, input={"id": item_id(fakeplat, 2), **input_})
    assert [NOT_AVAILABLE] == list_messages(content)


def test_work_items_of_hidden_projects_are_not_created(fakeplat: Fakeplat) -> None:
    """Who does not see the project creates nothing in it."""
    query = write_mutation("workItemCreate", "errors")
    given = {"namespacePath": "acme/site", "title": "New", "workItemTypeId": TASK}
    assert [NOT_AVAILABLE] == list_messages(query_refused(fakeplat, "eve", query, input=given))


@pytest.mark.fakeplat(version="13.5")
def test_work_items_came_later(fakeplat: Fakeplat) -> None:
    """At first there were issues alone."""
    content = post_query(fakeplat, "ada", '{ workItem(id: "gid://gitlab/WorkItem/1") { title } }')
    assert any("workItem" in message for message in list_messages(content))


# Issues of later releases


def test_later_fields_of_issues(fakeplat: Fakeplat) -> None:
    """Issues tell what blocks them, what they became, and what is above them."""
    first, second = item_id(fakeplat, 1), item_id(fakeplat, 2)
    change(fakeplat, "workItemAddLinkedItems", "message", id=first, workItemsIds=[second], linkType="BLOCKS")
    query = """{ project(fullPath: "acme/site") { issues { nodes {
        iid severity blockedByCount blockingCount blockedByIssues { nodes { title } } hasEpic hasParent moved
        movedTo { title } mergeRequestsCount humanTimeEstimate relatedMergeRequests { nodes { title } } } } } }"""
    nodes = query_data(fakeplat, "ada", query)["project"]["issues"]["nodes"]
    issues = sorted(nodes, key=lambda issue: str(issue["iid"]))

    assert [(0, 1), (1, 0), (0, 0)] == [(issue["blockedByCount"], issue["blockingCount"]) for issue in issues]
    assert [{"title": "Broken link"}] == issues[1]["blockedByIssues"]["nodes"]
    assert [(True, True), (False, True), (False, False)] == [(issue["hasEpic"], issue["hasParent"]) for issue in issues]
    assert ("UNKNOWN", False, None, 0, None) == tuple(
        issues[0][name] for name in ("severity", "moved", "movedTo", "mergeRequestsCount", "humanTimeEstimate")
    )
    assert {"nodes": []} == issues[0]["relatedMergeRequests"]


def test_the_severity_is_one_of_incidents(fakeplat: Fakeplat) -> None:
    """Only an incident gets a severity."""
    fakeplat.as_user("rep").post(f"{SITE}/issues", json={"title": "Down", "issue_type": "incident"})
    severities = [
        change(
            fakeplat,
            "issueSetSeverity",
            "issue { severity }",
            projectPath="acme/site",
            iid=iid,
            severity="HIGH",
        )["issue"]["severity"]
        for iid in ("1", "4")
    ]
    assert ["UNKNOWN", "HIGH"] == severities


def test_an_issue_is_moved(fakeplat: Fakeplat) -> None:
    """An issue is moved to another project, but not to its own."""
    given = {"projectPath": "acme/site", "iid": "1"}
    own = change(fakeplat, "issueMove", "issue { iid }", targetProjectPath="acme/site", **given)
    moved = change(fakeplat, "issueMove", "issue { webUrl }", targetProjectPath="acme/docs", **given)

    assert ["Cannot move issue to project it originates from!"] == own["errors"]
    assert {"errors": [], "issue": {"webUrl": f"{fakeplat.url}/acme/docs/-/issues/1"}} == moved


def test_labels_are_created(fakeplat: Fakeplat) -> None:
    """Reporters create labels in projects and groups, of which one is named."""
    label = "label { title color archived }"
    for path in ({"projectPath": "acme/site"}, {"groupPath": "acme"}):
        created = change(fakeplat, "labelCreate", label, title="new" if "groupPath" in path else "own", **path)
        assert (False, "#6699cc") == (created["label"]["archived"], created["label"]["color"])
    taken = change(fakeplat, "labelCreate", label, title="new", groupPath="acme")
    assert {"errors": ["Title has already been taken"], "label": None} == taken
    above = change(fakeplat, "labelCreate", label, title="new", projectPath="acme/site")
    message = "Title already exists at group level for Acme. Please choose another one."
    assert {"errors": [message], "label": None} == above
    query = write_mutation("labelCreate", "errors")
    content = query_refused(fakeplat, "gus", query, input={"title": "x", "groupPath": "acme"})
    assert [NOT_AVAILABLE] == list_messages(content)
    both = query_refused(fakeplat, "rep", query, input={"title": "x"})
    assert ["Exactly one of group_path or project_path arguments is required"] == list_messages(both)


def test_types_name_their_widgets_and_what_they_can_become(fakeplat: Fakeplat) -> None:
    """A type lists its widgets, the types above and below it, and the types that it can be changed to."""
    query = """{ project(fullPath: "acme/site") { workItemTypes(name: TASK) { nodes { name
        supportedConversionTypes { name }
        widgetDefinitions { type __typename ... on WorkItemWidgetDefinitionHierarchy {
            allowedChildTypes { nodes { name } } allowedParentTypes { nodes { name } } } } } } } }"""
    (task,) = query_data(fakeplat, "ada", query)["project"]["workItemTypes"]["nodes"]
    widgets = {widget.pop("type"): widget for widget in task["widgetDefinitions"]}

    assert ["Incident", "Issue", "Requirement", "Test Case"] == [
        kind["name"] for kind in task["supportedConversionTypes"]
    ]
    assert {
        "__typename": "WorkItemWidgetDefinitionHierarchy",
        "allowedChildTypes": {"nodes": []},
        "allowedParentTypes": {"nodes": [{"name": "Issue"}, {"name": "Incident"}]},
    } == widgets["HIERARCHY"]
    assert {"__typename": "WorkItemWidgetDefinitionGeneric"} == widgets["WEIGHT"]
    assert "COLOR" not in widgets


# Mails, to-dos and system notes


def list_mails(fake: Fakeplat) -> dict[str, list[str]]:
    """Return the first lines of the mails by recipient, and forget them."""
    found: dict[str, list[str]] = {}
    for mail in fake.mails:
        found.setdefault(mail.to.partition("@")[0], []).append(mail.body.partition(": #")[0].partition("\n")[0])
    fake.mails.clear()
    return found


def list_todos(fake: Fakeplat, user: str) -> list[tuple[str, str]]:
    return [(todo["action_name"], todo["target"]["title"]) for todo in get_json(fake, "todos", user)]


def list_system_notes(fake: Fakeplat, iid: int) -> list[str]:
    notes = get_json(fake, f"{SITE}/issues/{iid}/notes?sort=asc")
    return [note["body"] for note in notes if note["system"]]


def user_id(fake: Fakeplat, name: str) -> str:
    return f"gid://gitlab/User/{fake.world.user(name).id}"


def test_a_new_task_is_mailed(fakeplat: Fakeplat) -> None:
    """A new task is mailed to its assignees and to those whom its description mentions, who get to-dos."""
    query_data(
        fakeplat,
        "rep",
        write_mutation("workItemCreate", "errors"),
        input={
            "namespacePath": "acme/site",
            "title": "Paint it",
            "workItemTypeId": TASK,
            "description": "cc @gus",
            "assigneesWidget": {"assigneeIds": [user_id(fakeplat, "dev")]},
        },
    )

    assert {"dev": ["rep created an issue"], "gus": ["rep created an issue"]} == list_mails(fakeplat)
    assert [("assigned", "Paint it")] == list_todos(fakeplat, "dev")
    assert [("mentioned", "Paint it")] == list_todos(fakeplat, "gus")


def test_changes_of_a_task_are_mailed(fakeplat: Fakeplat) -> None:
    """Another assignee and the end of a task are mailed, noted and, to the assignee, a to-do."""
    task = item_id(fakeplat, 2)
    widget = {"assigneeIds": [user_id(fakeplat, "dev")]}
    change(fakeplat, "workItemUpdate", by="ada", id=task, assigneesWidget=widget, stateEvent="CLOSE")
    texts = ["Assignee changed to dev", "Issue #2 was closed by ada"]

    assert {"rep": texts, "dev": texts} == list_mails(fakeplat)
    assert [("assigned", "Mend it")] == list_todos(fakeplat, "dev")
    assert ["assigned to @dev"] == list_system_notes(fakeplat, 2)


def test_comments_on_a_task_are_mailed(fakeplat: Fakeplat) -> None:
    """A comment on a task is mailed to its author and to those whom it mentions, who get to-dos."""
    query = write_mutation("createNote", "errors note { body }")
    query_data(fakeplat, "ada", query, input={"noteableId": item_id(fakeplat, 2), "body": "Hi @gus"})

    assert {"gus": ["ada commented:"], "rep": ["ada commented:"]} == list_mails(fakeplat)
    assert [("mentioned", "Mend it")] == list_todos(fakeplat, "gus")
    assert [] == list_todos(fakeplat, "rep")


def test_comments_on_an_epic_are_mailed(fakeplat: Fakeplat) -> None:
    """A comment on an epic is mailed to its author and to those whom it mentions, in the name of its group."""
    query = write_mutation("createNote", "errors note { body }")
    query_data(fakeplat, "rep", query, input={"noteableId": epic_id(fakeplat), "body": "Hi @gus"})
    (mail,) = (mail for mail in fakeplat.mails if mail.to.startswith("gus"))

    names = ("X-GitLab-Group-Path", "X-GitLab-Epic-IID", "X-GitLab-NotificationReason")
    assert ("Re: Acme | Launch (&1)", "acme", "1", "mentioned") == (
        mail.subject,
        *(mail.headers[name] for name in names),
    )
    assert "/groups/acme/-/epics/1#note_" in mail.body
    assert {"gus": ["rep commented:"], "ada": ["rep commented:"]} == list_mails(fakeplat)
    assert [("mentioned", "Launch")] == list_todos(fakeplat, "gus")


def test_a_task_tells_of_its_parent(fakeplat: Fakeplat) -> None:
    """A task and the issue above it both tell that they were parted and joined."""
    for parent in (None, item_id(fakeplat, 1)):
        change(fakeplat, "workItemUpdate", by="ada", id=item_id(fakeplat, 2), hierarchyWidget={"parentId": parent})

    assert ["removed #1 as parent issue", "added #1 as parent issue"] == list_system_notes(fakeplat, 2)
    assert ["removed #2 as child task", "added #2 as child task"] == list_system_notes(fakeplat, 1)
