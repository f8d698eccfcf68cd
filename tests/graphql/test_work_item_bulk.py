"""Work items that change together, their order and their iterations.

Source: app/services/work_items/bulk_update_service.rb, app/services/work_items/reorder_service.rb.
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.company import COMPANY
from tests.api.planning_records import SITE, get_json
from tests.graphql.queries import NOT_AVAILABLE, list_messages, query_data, query_refused, write_mutation

ACME: dict[str, Any] = COMPANY["groups"][0]
ISSUES = [
    {"title": "One", "author": "gus"},
    {"title": "Two", "author": "rep", "type": "task"},
    {"title": "Three", "author": "ada", "confidential": True},
]
GROUP: dict[str, Any] = {
    **ACME,
    "labels": [{"title": "bug", "color": "#112233"}],
    "iterations": [{"title": "Sprint", "start_date": "2020-11-16", "due_date": "2020-11-29"}],
    "epics": [{"title": "Launch", "author": "ada"}],
    "projects": [{**ACME["projects"][0], "issues": ISSUES}, ACME["projects"][1]],
}
pytestmark = pytest.mark.fakeplat(
    scenario={**COMPANY, "groups": [GROUP]}, version="latest", tier="ultimate", clock="virtual"
)
UPDATE = write_mutation("workItemBulkUpdate", "updatedWorkItemCount")
REORDER = write_mutation("workItemsReorder", "workItem { iid }")


def issue(fake: Fakeplat, iid: int) -> Any:
    return get_json(fake, f"{SITE}/issues/{iid}")


def item_id(fake: Fakeplat, iid: int) -> str:
    return f"gid://gitlab/WorkItem/{issue(fake, iid)['id']}"


def update(fake: Fakeplat, *iids: int, by: str = "rep", **values: Any) -> Any:
    given = {"fullPath": "acme/site", "ids": [item_id(fake, iid) for iid in iids], **values}
    return query_data(fake, by, UPDATE, input=given)["workItemBulkUpdate"]


def refused(fake: Fakeplat, mutation: str, by: str = "rep", **values: Any) -> list[str]:
    return list_messages(query_refused(fake, by, mutation, input=values))


def test_work_items_change_together(fakeplat: Fakeplat) -> None:
    """Labels, assignees and the state of several work items change at once, in their own namespace."""
    label = get_json(fakeplat, "groups/acme/labels")[0]["id"]
    dev = get_json(fakeplat, "users?username=dev")[0]["id"]
    payload = update(
        fakeplat,
        1,
        2,
        labelsWidget={"addLabelIds": [f"gid://gitlab/GroupLabel/{label}"]},
        assigneesWidget={"assigneeIds": [f"gid://gitlab/User/{dev}"]},
        stateEvent="CLOSE",
    )

    assert {"updatedWorkItemCount": 2, "errors": []} == payload
    for iid in (1, 2):
        changed = issue(fakeplat, iid)
        assert ("closed", ["bug"], ["dev"]) == (
            changed["state"],
            changed["labels"],
            [user["username"] for user in changed["assignees"]],
        )
    assert "opened" == issue(fakeplat, 3)["state"]


@pytest.mark.fakeplat(version="18.5")
def test_a_group_changes_what_is_below_it(fakeplat: Fakeplat) -> None:
    """With a group, its epics and the work items of its projects change; what belongs elsewhere does not."""
    epic = get_json(fakeplat, "groups/acme/epics/1")["id"]
    label = get_json(fakeplat, "groups/acme/labels")[0]["id"]
    group = fakeplat.world.group("acme").id
    ids = [item_id(fakeplat, 1), f"gid://gitlab/WorkItem/{epic}"]
    labels = {"addLabelIds": [f"gid://gitlab/GroupLabel/{label}"]}
    given: dict[str, Any] = {"parentId": f"gid://gitlab/Group/{group}", "ids": ids, "labelsWidget": labels}

    payload = query_data(fakeplat, "rep", UPDATE, input=given)["workItemBulkUpdate"]
    assert {"updatedWorkItemCount": 2, "errors": []} == payload
    assert ["bug"] == get_json(fakeplat, "groups/acme/epics/1")["labels"]
    given = {"fullPath": "acme/site", "ids": ids, "labelsWidget": {"removeLabelIds": labels["addLabelIds"]}}
    assert 1 == query_data(fakeplat, "rep", UPDATE, input=given)["workItemBulkUpdate"]["updatedWorkItemCount"]
    assert ["bug"] == get_json(fakeplat, "groups/acme/epics/1")["labels"]


def test_what_the_caller_may_not_change_is_left_out(fakeplat: Fakeplat) -> None:
    """Work items that the caller may not change are not counted; an author changes an own one."""
    assert 1 == update(fakeplat, 1, 2, 3, by="gus", stateEvent="CLOSE")["updatedWorkItemCount"]
    assert ["closed", "opened", "opened"] == [issue(fakeplat, iid)["state"] for iid in (1, 2, 3)]


def test_a_caller_subscribes_to_several_work_items(fakeplat: Fakeplat) -> None:
    """The event of subscription concerns the caller."""
    assert 2 == update(fakeplat, 1, 3, subscriptionEvent="SUBSCRIBE")["updatedWorkItemCount"]
    assert fakeplat.as_user("rep").get(f"{SITE}/issues/1").json()["subscribed"]


@pytest.mark.fakeplat(version="18.5")
@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({}, "One and only one of [fullPath, parentId] arguments is required."),
        ({"fullPath": "acme/none"}, NOT_AVAILABLE),
        (
            {"fullPath": "acme/site", "ids": ["gid://gitlab/WorkItem/1"] * 101},
            "No more than 100 work items can be updated at the same time",
        ),
    ],
    ids=["no parent", "unknown parent", "too many"],
)
def test_a_wrong_bulk_update_is_refused(fakeplat: Fakeplat, values: dict[str, Any], expected: str) -> None:
    """There is one parent, which the caller sees, and at most a hundred work items."""
    given = {"ids": [], "stateEvent": "CLOSE", **values}
    assert [expected] == refused(fakeplat, UPDATE, **given)


@pytest.mark.fakeplat(tier="free")
def test_groups_are_paid(fakeplat: Fakeplat) -> None:
    """Without a paid tier only the work items of projects change together."""
    assert [NOT_AVAILABLE] == refused(fakeplat, UPDATE, ids=[], fullPath="acme", stateEvent="CLOSE")
    assert 1 == update(fakeplat, 1, stateEvent="CLOSE")["updatedWorkItemCount"]


def order(fake: Fakeplat) -> list[str]:
    rows = get_json(fake, f"{SITE}/issues?order_by=relative_position&sort=asc")
    return [row["title"] for row in rows]


def test_work_items_are_reordered(fakeplat: Fakeplat) -> None:
    """A work item is put after the one that comes before it, or before the one that comes after it."""
    first, last = order(fakeplat)[0], order(fakeplat)[-1]
    ids = {title: item_id(fakeplat, number) for number, title in enumerate(("One", "Two", "Three"), start=1)}

    payload = query_data(fakeplat, "rep", REORDER, input={"id": ids[first], "moveBeforeId": ids[last]})
    assert [] == payload["workItemsReorder"]["errors"]
    assert first == order(fakeplat)[-1]
    query_data(fakeplat, "rep", REORDER, input={"id": ids[first], "moveAfterId": ids[order(fakeplat)[0]]})
    assert first == order(fakeplat)[0]


def test_a_wrong_order_is_refused(fakeplat: Fakeplat) -> None:
    """A neighbour is needed, which must exist, and the caller must be able to change the work item."""
    work_item = item_id(fakeplat, 1)
    expected = ["At least one of move_before_id and move_after_id are required"]
    assert expected == refused(fakeplat, REORDER, id=work_item)
    assert [NOT_AVAILABLE] == refused(fakeplat, REORDER, "eve", id=work_item, moveAfterId=work_item)
    content = query_refused(fakeplat, "rep", REORDER, input={"id": work_item, "moveAfterId": "gid://gitlab/WorkItem/1"})
    assert ["Work item not found"] == content["data"]["workItemsReorder"]["errors"]


def test_a_work_item_gets_an_iteration(fakeplat: Fakeplat) -> None:
    """The widget of iterations puts a work item into one that its project can use."""
    (sprint,) = get_json(fakeplat, "groups/acme/iterations")
    change = write_mutation("workItemUpdate", "workItem { iid }")
    widget = {"iterationId": f"gid://gitlab/Iteration/{sprint['id']}"}
    query_data(fakeplat, "rep", change, input={"id": item_id(fakeplat, 2), "iterationWidget": widget})
    assert sprint["id"] == issue(fakeplat, 2)["iteration"]["id"]

    query_data(fakeplat, "rep", change, input={"id": item_id(fakeplat, 2), "iterationWidget": {"iterationId": None}})
    assert None is issue(fakeplat, 2)["iteration"]
    unknown = {"iterationId": "gid://gitlab/Iteration/1"}
    query_data(fakeplat, "rep", change, input={"id": item_id(fakeplat, 2), "iterationWidget": unknown})
    assert None is issue(fakeplat, 2)["iteration"]


def test_widgets_have_names_of_their_own(fakeplat: Fakeplat) -> None:
    """The features of a work item are its widgets; one that its type lacks is null, and a status follows the state."""
    selection = """title state features { color { color } weight { weight } labels { labels { nodes { title } } }
        hierarchy { hasParent } status { type status { id name category color iconName } } }"""
    query = f"query($id: WorkItemID!) {{ workItem(id: $id) {{ {selection} }} }}"
    item = query_data(fakeplat, "rep", query, id=item_id(fakeplat, 1))["workItem"]

    to_do = {
        "id": "gid://gitlab/WorkItems::Statuses::SystemDefined::Status/1",
        "name": "To do",
        "category": "TO_DO",
        "color": "#737278",
        "iconName": "status-waiting",
    }
    assert {
        "color": None,
        "weight": {"weight": None},
        "labels": {"labels": {"nodes": []}},
        "hierarchy": {"hasParent": False},
        "status": {"type": "STATUS", "status": to_do},
    } == item["features"]
    update(fakeplat, 1, stateEvent="CLOSE")
    item = query_data(fakeplat, "rep", query, id=item_id(fakeplat, 1))["workItem"]
    assert "Done" == item["features"]["status"]["status"]["name"]
