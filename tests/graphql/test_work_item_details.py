"""Edits, meetings, contacts, merge requests and preferences of work items.

Source: docs/platform/work-items.md ('Details', 'Preferences').
"""

from typing import Any, Final

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.company import COMPANY
from tests.graphql.queries import (
    NOT_AVAILABLE,
    list_messages,
    post_query,
    query_data,
    query_refused,
    write_mutation,
)

ACME: Final[dict[str, Any]] = COMPANY["groups"][0]
COMMITS: Final = [{"message": "first", "branch": "main", "files": {"a": "b"}}]
BRANCH: Final = {"message": "second", "branch": "topic", "files": {"c": "d"}}
SITE: Final[dict[str, Any]] = {
    **ACME["projects"][0],
    "repository": {"commits": [*COMMITS, BRANCH]},
    "default_branch": "main",
    "issues": [
        {"title": "Page", "author": "rep", "description": "All"},
        {"title": "Do", "author": "rep", "type": "task"},
        {"title": "Test", "author": "rep", "type": "test_case"},
    ],
    "merge_requests": [{"title": "Change", "author": "dev", "source_branch": "topic", "target_branch": "main"}],
}
DOCS: Final[dict[str, Any]] = {**ACME["projects"][1], "issues": [{"title": "Text", "author": "rep"}]}
GROUP: Final[dict[str, Any]] = {
    **ACME,
    "epics": [{"title": "Plan", "author": "rep"}],
    "crm_contacts": [{"first_name": name, "last_name": "Example"} for name in ("Bo", "Al")],
    "projects": [SITE, DOCS],
}
SCENARIO: Final[dict[str, Any]] = {**COMPANY, "groups": [GROUP]}
pytestmark = pytest.mark.fakeplat(version="latest", tier="ultimate", clock="virtual", scenario=SCENARIO)
UPDATE: Final = write_mutation("workItemUpdate", "workItem { title }")
CREATE: Final = write_mutation("workItemCreate", "workItem { title createdAt }")
CLOSE: Final = write_mutation(
    "workItemAddClosingMergeRequest",
    "closingMergeRequest { mergeRequest { title } fromMrDescription } workItem { title }",
)
MOVE: Final = write_mutation("workItemBulkMove", "movedWorkItemCount")


def find_ids(fake: Fakeplat) -> dict[str, str]:
    parents = ('a: project(fullPath: "acme/site")', 'b: project(fullPath: "acme/docs")', 'group(fullPath: "acme")')
    query = " ".join(f"{parent} {{ workItems {{ nodes {{ id title }} }} }}" for parent in parents)
    data = query_data(fake, "ada", f"{{ {query} }}")
    return {node["title"]: node["id"] for parent in data.values() for node in parent["workItems"]["nodes"]}


def read_widget(fake: Fakeplat, title: str, kind: str, selection: str, by: str = "rep") -> Any:
    name = "".join(part.title() for part in kind.split("_"))
    widget = f"widgets(onlyTypes: [{kind}]) {{ ... on WorkItemWidget{name} {{ {selection} }} }}"
    query = f"query($id: WorkItemID!) {{ workItem(id: $id) {{ {widget} }} }}"
    (shown,) = query_data(fake, by, query, id=find_ids(fake)[title])["workItem"]["widgets"]
    return shown


# Edits


@pytest.mark.parametrize("title", ["Page", "Plan"])
def test_the_last_edit_of_a_description_is_kept(fakeplat: Fakeplat, title: str) -> None:
    """Who changed the description last is told, but not who changed the title."""
    fields = "edited lastEditedAt lastEditedBy { username }"
    never = {"edited": False, "lastEditedAt": None, "lastEditedBy": None}
    query_data(fakeplat, "ada", UPDATE, input={"id": find_ids(fakeplat)[title], "confidential": True})
    assert never == read_widget(fakeplat, title, "DESCRIPTION", fields)

    given = {"id": find_ids(fakeplat)[title], "descriptionWidget": {"description": "None"}}
    query_data(fakeplat, "dev", UPDATE, input=given)
    edit = {"edited": True, "lastEditedAt": "2020-11-20T09:00:00Z", "lastEditedBy": {"username": "dev"}}
    assert edit == read_widget(fakeplat, title, "DESCRIPTION", fields)


# Meetings and contacts


def test_a_meeting_is_a_linked_resource(fakeplat: Fakeplat) -> None:
    """The Zoom meeting of an issue is shown until it is removed."""
    notes = "projects/acme%2Fsite/issues/1/notes"
    selection = "linkedResources { nodes { url } }"
    assert [] == read_widget(fakeplat, "Page", "LINKED_RESOURCES", selection)["linkedResources"]["nodes"]
    fakeplat.as_user("rep").post(notes, json={"body": "/zoom https://acme.zoom.us/j/1"})
    shown = read_widget(fakeplat, "Page", "LINKED_RESOURCES", selection)["linkedResources"]["nodes"]
    assert [{"url": "https://acme.zoom.us/j/1"}] == shown
    fakeplat.as_user("rep").post(notes, json={"body": "/remove_zoom"})
    assert [] == read_widget(fakeplat, "Page", "LINKED_RESOURCES", selection)["linkedResources"]["nodes"]


def find_contacts(fake: Fakeplat) -> dict[str, str]:
    nodes = query_data(fake, "rep", '{ group(fullPath: "acme") { contacts { nodes { id firstName } } } }')
    return {node["firstName"]: node["id"] for node in nodes["group"]["contacts"]["nodes"]}


def list_contacts(fake: Fakeplat, title: str = "Page") -> list[str]:
    widget = read_widget(fake, title, "CRM_CONTACTS", "contactsAvailable contacts { nodes { firstName } }")
    assert widget["contactsAvailable"] is True
    return [node["firstName"] for node in widget["contacts"]["nodes"]]


def set_contacts(fake: Fakeplat, *names: str, by: str = "rep", **mode: str) -> Any:
    ids = find_contacts(fake)
    widget = {"contactIds": [ids[name] for name in names], **mode}
    given = {"id": find_ids(fake)["Page"], "crmContactsWidget": widget}
    return query_data(fake, by, UPDATE, input=given)["workItemUpdate"]["errors"]


def test_contacts_are_replaced_added_and_removed(fakeplat: Fakeplat) -> None:
    """Contacts replace the present ones unless they are added or removed."""
    for names, mode, expected in (
        (["Bo"], {}, ["Bo"]),
        (["Al"], {"operationMode": "APPEND"}, ["Bo", "Al"]),
        (["Bo"], {"operationMode": "REMOVE"}, ["Al"]),
        (["Bo"], {"operationMode": "REPLACE"}, ["Bo"]),
    ):
        assert [] == set_contacts(fakeplat, *names, **mode)
        assert expected == list_contacts(fakeplat)


def test_a_guest_sets_no_contacts(fakeplat: Fakeplat) -> None:
    """The author of a work item who is a Guest may not set its contacts."""
    fakeplat.as_user("gus").post("projects/acme%2Fsite/issues", json={"title": "Mine"})
    widget = {"contactIds": [find_contacts(fakeplat)["Bo"]]}
    given = {"id": find_ids(fakeplat)["Mine"], "crmContactsWidget": widget}
    payload = query_refused(fakeplat, "gus", UPDATE, input=given)["data"]["workItemUpdate"]

    text = "You have insufficient permissions to set customer relations contacts for this issue"
    assert [text] == payload["errors"]


def test_a_new_work_item_has_contacts(fakeplat: Fakeplat) -> None:
    """Contacts can be set with the creation."""
    given = {
        "namespacePath": "acme/site",
        "title": "New",
        "workItemTypeId": "gid://gitlab/WorkItems::Type/1",
        "crmContactsWidget": {"contactIds": [find_contacts(fakeplat)["Bo"]]},
    }
    assert [] == query_data(fakeplat, "rep", CREATE, input=given)["workItemCreate"]["errors"]
    assert ["Bo"] == list_contacts(fakeplat, "New")


# What pages offer


@pytest.mark.fakeplat(tier="free")
def test_the_free_tier_advertises_others(fakeplat: Fakeplat) -> None:
    """The page of a work item advertises paid tiers in the free one only."""
    query = '{ project(fullPath: "acme/site") { workItems { nodes { showPlanUpgradePromotion } } } }'
    nodes = query_data(fakeplat, "rep", query)["project"]["workItems"]["nodes"]

    assert {True} == {node["showPlanUpgradePromotion"] for node in nodes}


def list_widgets(fake: Fakeplat, numbers: list[int], arguments: str = "") -> set[str]:
    ids = ", ".join(f'"gid://gitlab/WorkItems::Type/{number}"' for number in numbers)
    query = f'{{ namespace(fullPath: "acme") {{ workItemsWidgets(ids: [{ids}]{arguments}) }} }}'
    return {*query_data(fake, "rep", query)["namespace"]["workItemsWidgets"]}


def test_types_share_widgets(fakeplat: Fakeplat) -> None:
    """The widgets that all of some types have are listed, or those that any has."""
    issue, task = list_widgets(fakeplat, [1]), list_widgets(fakeplat, [5])

    assert "HEALTH_STATUS" in issue - task
    assert issue & task == list_widgets(fakeplat, [1, 5])
    assert issue | task == list_widgets(fakeplat, [1, 5], ", union: true")
    assert set() == list_widgets(fakeplat, [99])


def test_widgets_of_many_types_are_refused(fakeplat: Fakeplat) -> None:
    """At most 100 types are asked for at once."""
    ids = ", ".join(f'"gid://gitlab/WorkItems::Type/{number}"' for number in range(101))
    query = f'{{ namespace(fullPath: "acme") {{ workItemsWidgets(ids: [{ids}]) }} }}'

    text = "No more than 100 work items can be loaded at the same time"
    assert [text] == list_messages(post_query(fakeplat, "rep", query))


def list_own(fake: Fakeplat, by: str, arguments: str) -> list[str]:
    query = f"{{ currentUser {{ workItems{arguments} {{ nodes {{ title }} }} }} }}"
    return [node["title"] for node in query_data(fake, by, query)["currentUser"]["workItems"]["nodes"]]


def test_work_items_of_all_projects_are_listed(fakeplat: Fakeplat) -> None:
    """The work items of the projects that the caller sees are listed, as far as they match the filters."""
    filters = '(authorUsername: "rep", sort: TITLE_ASC)'
    assert ["Do", "Page", "Test", "Text"] == list_own(fakeplat, "gus", filters)
    assert ["Text"] == list_own(fakeplat, "eve", filters)


def test_work_items_of_all_projects_need_a_filter(fakeplat: Fakeplat) -> None:
    """Without a filter, the order aside, there is an error."""
    content = post_query(fakeplat, "gus", "{ currentUser { workItems(sort: TITLE_ASC) { nodes { title } } } }")

    assert ["You must provide at least one filter argument for this query"] == list_messages(content)


def test_conversions_lose_widgets(fakeplat: Fakeplat) -> None:
    """A type tells which widgets another type does not have."""
    field = 'unavailableWidgetsOnConversion(target: "gid://gitlab/WorkItems::Type/5") { type }'
    query = f'{{ project(fullPath: "acme/site") {{ workItemTypes(name: ISSUE) {{ nodes {{ {field} }} }} }} }}'
    (kind,) = query_data(fakeplat, "gus", query)["project"]["workItemTypes"]["nodes"]

    assert [{"type": "HEALTH_STATUS"}] == kind["unavailableWidgetsOnConversion"]


DESIGNS: Final = "readDesign createDesign updateDesign moveDesign destroyDesign"


@pytest.mark.parametrize(("by", "may_change"), [("gus", False), ("rep", True)])
def test_reporters_change_designs(fakeplat: Fakeplat, by: str, may_change: bool) -> None:
    """Who sees issues sees designs, which Reporters change, unless the project has no LFS."""
    query = f'{{ project(fullPath: "acme/site") {{ userPermissions {{ {DESIGNS} }} }} }}'
    first, *others = query_data(fakeplat, by, query)["project"]["userPermissions"].values()
    assert (True, {may_change}) == (first, {*others})

    fakeplat.as_user("ada").put("projects/acme%2Fsite", json={"lfs_enabled": False})
    assert {False} == {*query_data(fakeplat, by, query)["project"]["userPermissions"].values()}


# Creation


def test_an_owner_chooses_the_time_of_creation(fakeplat: Fakeplat) -> None:
    """The time of creation is that of owners; for others it is ignored."""
    given = {
        "namespacePath": "acme/site",
        "title": "New",
        "workItemTypeId": "gid://gitlab/WorkItems::Type/1",
        "createdAt": "2020-01-01T00:00:00Z",
    }
    times = [query_data(fakeplat, by, CREATE, input=given)["workItemCreate"]["workItem"] for by in ("ada", "rep")]

    assert ["2020-01-01T00:00:00Z", "2020-11-20T09:00:00Z"] == [item["createdAt"] for item in times]


def start_thread(fake: Fakeplat) -> tuple[str, str]:
    """Return the ID of the merge request and that of a thread in it."""
    client = fake.as_user("dev")
    path = "projects/acme%2Fsite/merge_requests/1"
    thread = client.post(f"{path}/discussions", json={"body": "Why?"}).json()
    return f"gid://gitlab/MergeRequest/{client.get(path).json()['id']}", thread["id"]


def describe_follow_up(fake: Fakeplat, **threads: str) -> dict[str, Any]:
    kind = "gid://gitlab/WorkItems::Type/1"
    return {"namespacePath": "acme/site", "title": "Go on", "workItemTypeId": kind, "discussionsToResolve": threads}


@pytest.mark.parametrize("is_named", [True, False], ids=["one", "all"])
def test_a_work_item_resolves_threads(fakeplat: Fakeplat, is_named: bool) -> None:
    """A new work item continues one thread of a merge request, or all of them, which are resolved."""
    noteable, thread = start_thread(fakeplat)
    threads = {"noteableId": noteable, **({"discussionId": thread} if is_named else {})}
    given = describe_follow_up(fakeplat, **threads)
    assert [] == query_data(fakeplat, "dev", CREATE, input=given)["workItemCreate"]["errors"]

    rows = fakeplat.as_user("dev").get("projects/acme%2Fsite/merge_requests/1/discussions").json()
    assert [True] == [row["notes"][0]["resolved"] for row in rows if row["id"] == thread]


def test_threads_are_those_of_merge_requests(fakeplat: Fakeplat) -> None:
    """Threads of issues are not resolved."""
    issue = find_ids(fakeplat)["Page"].replace("WorkItem", "Issue")
    text = "Only Merge Requests are allowed as a noteable to resolve discussions of at the moment."
    given = describe_follow_up(fakeplat, noteableId=issue)

    assert [text] == list_messages(query_refused(fakeplat, "dev", CREATE, input=given))


def test_a_guest_resolves_no_threads(fakeplat: Fakeplat) -> None:
    """Who may not resolve the threads creates no work item for them."""
    noteable, thread = start_thread(fakeplat)
    given = describe_follow_up(fakeplat, noteableId=noteable, discussionId=thread)

    assert [NOT_AVAILABLE] == list_messages(query_refused(fakeplat, "gus", CREATE, input=given))


# Merge requests


def describe_closing(fake: Fakeplat, title: str = "Page", reference: str = "!1", **more: str) -> dict[str, Any]:
    return {"id": find_ids(fake)[title], "mergeRequestReference": reference, **more}


@pytest.mark.parametrize(
    ("title", "reference", "more"),
    [
        ("Page", "!1", {}),
        ("Page", "acme/site!1", {}),
        ("Text", "!1", {"contextNamespacePath": "acme/site"}),
        ("Text", "{url}/acme/site/-/merge_requests/1", {}),
    ],
    ids=["short", "full", "context", "address"],
)
def test_a_merge_request_closes_a_work_item(
    fakeplat: Fakeplat, title: str, reference: str, more: dict[str, str]
) -> None:
    """A merge request that is added closes the work item although its description does not say so."""
    given = describe_closing(fakeplat, title, reference.format(url=fakeplat.url), **more)
    payload = query_data(fakeplat, "dev", CLOSE, input=given)["workItemAddClosingMergeRequest"]

    closing = {"mergeRequest": {"title": "Change"}, "fromMrDescription": False}
    assert {"closingMergeRequest": closing, "workItem": {"title": title}, "errors": []} == payload
    # It stays when the texts of the merge request are read again.
    merge_request = "projects/acme%2Fsite/merge_requests/1"
    fakeplat.as_user("dev").put(merge_request, json={"description": "New"})
    rows = fakeplat.as_user("dev").get(f"{merge_request}/closes_issues").json()
    assert [title] == [row["title"] for row in rows]


def test_a_merge_request_is_added_once(fakeplat: Fakeplat) -> None:
    """A second time is an error of the payload."""
    given = describe_closing(fakeplat)
    query_data(fakeplat, "dev", CLOSE, input=given)
    payload = query_refused(fakeplat, "dev", CLOSE, input=given)["data"]["workItemAddClosingMergeRequest"]

    assert ["Merge request has already been taken"] == payload["errors"]


def test_other_types_are_not_closed(fakeplat: Fakeplat) -> None:
    """Types without the widget of the development are refused."""
    given = describe_closing(fakeplat, "Test")
    payload = query_refused(fakeplat, "dev", CLOSE, input=given)["data"]["workItemAddClosingMergeRequest"]

    assert ["Development widget is not enabled for this work item type"] == payload["errors"]


@pytest.mark.parametrize(("by", "reference"), [("gus", "!1"), ("dev", "!9"), ("dev", "x")])
def test_a_missing_merge_request_is_not_added(fakeplat: Fakeplat, by: str, reference: str) -> None:
    """The merge request must exist, and the caller may update the work item."""
    given = describe_closing(fakeplat, reference=reference)

    assert [NOT_AVAILABLE] == list_messages(query_refused(fakeplat, by, CLOSE, input=given))


# Moves


def describe_move(fake: Fakeplat, *titles: str, source: str = "acme/site", target: str = "acme/docs") -> dict[str, Any]:
    ids = find_ids(fake)
    return {"ids": [ids[title] for title in titles], "sourceFullPath": source, "targetFullPath": target}


@pytest.mark.parametrize(
    ("by", "source", "count"),
    [
        ("dev", "acme/site", 1),
        ("dev", "acme", 1),
        ("dev", "acme/docs", 0),
        ("dev", "missing", 0),
        ("gus", "acme/site", 0),
    ],
    ids=["project", "group", "elsewhere", "missing", "guest"],
)
def test_work_items_are_moved(fakeplat: Fakeplat, by: str, source: str, count: int) -> None:
    """Issues of the source are moved, but neither tasks nor what the caller may not move."""
    given = describe_move(fakeplat, "Page", "Do", source=source)
    payload = query_data(fakeplat, by, MOVE, input=given)["workItemBulkMove"]

    assert {"movedWorkItemCount": count, "errors": []} == payload
    rows = fakeplat.as_user("ada").get("projects/acme%2Fdocs/issues").json()
    assert (["Page"] if count else []) == [row["title"] for row in rows if row["title"] == "Page"]


@pytest.mark.parametrize(
    ("by", "target", "error"),
    [
        ("dev", "dev", "User namespaces are not supported as target namespaces."),
        ("dev", "acme", "Cannot move work items from projects to groups."),
        ("ext", "acme/site", "You do not have permission to move items to this namespace."),
    ],
    ids=["user", "group", "stranger"],
)
def test_work_items_are_not_moved_there(fakeplat: Fakeplat, by: str, target: str, error: str) -> None:
    """The target is a project in which the caller may create work items."""
    payload = query_refused(fakeplat, by, MOVE, input=describe_move(fakeplat, "Page", target=target))
    payload = payload["data"]["workItemBulkMove"]

    assert {"movedWorkItemCount": None, "errors": [error]} == payload


def test_a_move_needs_a_target(fakeplat: Fakeplat) -> None:
    """A missing target is an error of the query, like too many work items."""
    given = describe_move(fakeplat, target="missing")
    assert ["Cannot find target namespace."] == list_messages(query_refused(fakeplat, "dev", MOVE, input=given))
    many = {**given, "ids": [f"gid://gitlab/WorkItem/{number}" for number in range(101)]}
    text = "No more than 100 work items can be moved at the same time"
    assert [text] == list_messages(query_refused(fakeplat, "dev", MOVE, input=many))


# Preferences

PREFER: Final = write_mutation(
    "workItemUserPreferenceUpdate",
    "userPreferences { namespace { fullPath } workItemType { name } sort displaySettings }",
)
ISSUE_TYPE: Final = "gid://gitlab/WorkItems::Type/1"


def read_preferences(fake: Fakeplat, by: str, arguments: str) -> Any:
    query = f"{{ currentUser {{ workItemPreferences({arguments}) {{ sort displaySettings }} }} }}"
    return query_data(fake, by, query)["currentUser"]["workItemPreferences"]


@pytest.mark.parametrize("path", ["acme", "acme/site"])
def test_preferences_are_kept(fakeplat: Fakeplat, path: str) -> None:
    """A user has preferences for a type of work items in a project or group, and others for all types."""
    settings = {"hiddenMetadataKeys": ["labels", "dates"]}
    given = {"namespacePath": path, "workItemTypeId": ISSUE_TYPE, "sort": "DUE_DATE_ASC", "displaySettings": settings}
    payload = query_data(fakeplat, "gus", PREFER, input=given)["workItemUserPreferenceUpdate"]

    assert {
        "namespace": {"fullPath": path},
        "workItemType": {"name": "Issue"},
        "sort": "DUE_DATE_ASC",
        "displaySettings": settings,
    } == payload["userPreferences"]
    query_data(fakeplat, "gus", PREFER, input={"namespacePath": path, "workItemTypeId": ISSUE_TYPE})
    mine = f'namespacePath: "{path}", workItemTypeId: "{ISSUE_TYPE}"'
    assert {"sort": "CREATED_ASC", "displaySettings": settings} == read_preferences(fakeplat, "gus", mine)
    assert None is read_preferences(fakeplat, "gus", f'namespacePath: "{path}"')
    assert None is read_preferences(fakeplat, "dev", mine)


@pytest.mark.parametrize(
    ("given", "error"),
    [
        (
            {"sort": "DUE_DATE_ASC", "workItemTypeId": "gid://gitlab/WorkItems::Type/3"},
            'Sort value "due_date_asc" is not available on acme for work items type Test Case',
        ),
        ({"sort": "DUE_DATE_ASC"}, 'Sort value "due_date_asc" is not available on acme'),
        ({"displaySettings": {"hiddenMetadataKeys": "x"}}, "Display settings must be a valid json schema"),
        ({"displaySettings": {"hiddenMetadataKeys": ["x"]}}, "Display settings must be a valid json schema"),
        ({"displaySettings": {"other": 1}}, "Display settings must be a valid json schema"),
    ],
    ids=["type", "no-type", "text", "key", "setting"],
)
def test_wrong_preferences_are_refused(fakeplat: Fakeplat, given: dict[str, Any], error: str) -> None:
    """The order is one that the type has, and settings have the known form."""
    content = query_refused(fakeplat, "gus", PREFER, input={"namespacePath": "acme", **given})

    assert {"userPreferences": None, "errors": [error]} == content["data"]["workItemUserPreferenceUpdate"]


def test_hidden_projects_have_no_preferences(fakeplat: Fakeplat) -> None:
    """Who does not see the project prefers nothing there."""
    assert [NOT_AVAILABLE] == list_messages(
        query_refused(fakeplat, "eve", PREFER, input={"namespacePath": "acme/site"})
    )
