"""The order of the work items below another one. Source: docs/platform/work-items.md ('Order of children')."""

from typing import Any, Final

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.company import COMPANY
from tests.graphql.queries import NOT_AVAILABLE, list_messages, query_data, query_refused, write_mutation

ACME: Final[dict[str, Any]] = COMPANY["groups"][0]
ISSUES: Final[list[dict[str, Any]]] = [
    {"title": "Page"},
    *({"title": title, "type": "task", "parent": "acme/site#1"} for title in ("a", "b", "c")),
    {"title": "Other"},
    {"title": "d", "type": "task"},
]
SITE: Final[dict[str, Any]] = {**ACME["projects"][0], "issues": [{**issue, "author": "rep"} for issue in ISSUES]}
EPICS: Final[list[dict[str, Any]]] = [
    {"title": "Plan", "author": "rep", "issues": ["acme/site#1", "acme/site#5"]},
    {"title": "Below", "author": "rep", "parent": "acme&1"},
]
SCENARIO: Final[dict[str, Any]] = {**COMPANY, "groups": [{**ACME, "epics": EPICS, "projects": [SITE]}]}
pytestmark = pytest.mark.fakeplat(version="latest", tier="ultimate", clock="virtual", scenario=SCENARIO)
SHOWN: Final = "workItem { title } adjacentWorkItem { title } parentWorkItem { title }"
REORDER: Final = write_mutation("workItemsHierarchyReorder", SHOWN)
UPDATE: Final = write_mutation("workItemUpdate", "workItem { title }")
CHILDREN: Final = "... on WorkItemWidgetHierarchy { children { nodes { title } } }"


def find_ids(fake: Fakeplat) -> dict[str, str]:
    parents = ('project(fullPath: "acme/site")', 'group(fullPath: "acme")')
    query = " ".join(f"{parent} {{ workItems {{ nodes {{ id title }} }} }}" for parent in parents)
    data = query_data(fake, "rep", f"{{ {query} }}")
    return {node["title"]: node["id"] for parent in data.values() for node in parent["workItems"]["nodes"]}


def list_children(fake: Fakeplat, title: str = "Page") -> list[str]:
    query = f"query($id: WorkItemID!) {{ workItem(id: $id) {{ widgets(onlyTypes: [HIERARCHY]) {{ {CHILDREN} }} }} }}"
    (widget,) = query_data(fake, "rep", query, id=find_ids(fake)[title])["workItem"]["widgets"]
    return [node["title"] for node in widget["children"]["nodes"]]


def describe(fake: Fakeplat, title: str, neighbour: str = "", side: str = "", parent: str = "") -> dict[str, Any]:
    ids = find_ids(fake)
    named = {"adjacentWorkItemId": ids.get(neighbour), "relativePosition": side or None, "parentId": ids.get(parent)}
    return {"id": ids[title], **{name: value for name, value in named.items() if value}}


def reorder(fake: Fakeplat, *where: str, by: str = "rep") -> dict[str, Any]:
    payload: dict[str, Any] = query_data(fake, by, REORDER, input=describe(fake, *where))["workItemsHierarchyReorder"]
    return payload


@pytest.mark.parametrize(
    ("where", "titles"),
    [
        (("c", "a", "AFTER"), ["a", "c", "b"]),
        (("c", "a", "BEFORE"), ["c", "a", "b"]),
        (("a", "c", "AFTER"), ["b", "c", "a"]),
        (("a", "a", "AFTER"), ["a", "b", "c"]),
        (("d", "b", "BEFORE", "Page"), ["a", "d", "b", "c"]),
        (("d", "", "", "Page"), ["d", "a", "b", "c"]),
    ],
    ids=["after", "before", "end", "itself", "new", "first"],
)
def test_tasks_are_put_in_order(fakeplat: Fakeplat, where: tuple[str, ...], titles: list[str]) -> None:
    """A task is put next to another one, or below another issue, where it is the first without a neighbour."""
    payload = reorder(fakeplat, *where)

    assert ([], {"title": "Page"}) == (payload["errors"], payload["parentWorkItem"])
    assert titles == list_children(fakeplat)


def test_tasks_are_put_in_order_again(fakeplat: Fakeplat) -> None:
    """Any number of moves has its effect, whether or not there is a gap between the others."""
    for _ in range(12):
        reorder(fakeplat, "c", "a", "AFTER")
        reorder(fakeplat, "b", "a", "AFTER")
    assert ["a", "b", "c"] == list_children(fakeplat)


def test_issues_and_epics_share_an_order(fakeplat: Fakeplat) -> None:
    """What is below an epic has one order, whatever its type."""
    assert ["Page", "Other", "Below"] == list_children(fakeplat, "Plan")
    reorder(fakeplat, "Below", "Other", "BEFORE", by="dev")
    assert ["Page", "Below", "Other"] == list_children(fakeplat, "Plan")
    reorder(fakeplat, "Page", "Below", "AFTER", by="dev")
    assert ["Below", "Page", "Other"] == list_children(fakeplat, "Plan")


@pytest.mark.parametrize(
    ("where", "error"),
    [
        (("a", "b", ""), "Both adjacentWorkItemId and relativePosition are required."),
        (("a", "", "AFTER"), "Both adjacentWorkItemId and relativePosition are required."),
        (("a", "d", "AFTER"), "The adjacent work item's parent must match the moving work item's parent."),
        (("d", "a", "AFTER"), "The adjacent work item's parent must match the moving work item's parent."),
    ],
    ids=["side", "neighbour", "elsewhere", "no-parent"],
)
def test_neighbours_have_the_same_parent(fakeplat: Fakeplat, where: tuple[str, ...], error: str) -> None:
    """A neighbour is named with a side, and is below the same work item."""
    assert [error] == list_messages(query_refused(fakeplat, "rep", REORDER, input=describe(fakeplat, *where)))


def test_without_a_parent_there_is_no_order(fakeplat: Fakeplat) -> None:
    """A task that is not below anything is not moved."""
    payload = query_refused(fakeplat, "rep", REORDER, input=describe(fakeplat, "d"))["data"][
        "workItemsHierarchyReorder"
    ]

    assert ["No matching work item found. Make sure that you are adding a valid work item ID."] == payload["errors"]


def test_strangers_see_no_order(fakeplat: Fakeplat) -> None:
    """Who does not see the work item finds none."""
    given = describe(fakeplat, "c", "a", "AFTER")

    assert [NOT_AVAILABLE] == list_messages(query_refused(fakeplat, "eve", REORDER, input=given))


def test_a_guest_puts_tasks_in_order(fakeplat: Fakeplat) -> None:
    """Guests of the project arrange what they see."""
    assert [] == reorder(fakeplat, "c", "a", "BEFORE", by="gus")["errors"]
    assert ["c", "a", "b"] == list_children(fakeplat)


# Updates of work items


def describe_update(fake: Fakeplat, *where: str, **more: Any) -> dict[str, Any]:
    given = describe(fake, *where)
    return {"id": given.pop("id"), "hierarchyWidget": {**given, **more}}


def test_an_update_puts_a_task_in_order(fakeplat: Fakeplat) -> None:
    """The widget of the hierarchy has a neighbour, too, with a new parent or without one."""
    query_data(fakeplat, "rep", UPDATE, input=describe_update(fakeplat, "c", "a", "AFTER"))
    assert ["a", "c", "b"] == list_children(fakeplat)
    query_data(fakeplat, "rep", UPDATE, input=describe_update(fakeplat, "d", "a", "BEFORE", "Page"))
    assert ["d", "a", "c", "b"] == list_children(fakeplat)


@pytest.mark.parametrize(
    ("where", "more", "error"),
    [
        (("a", "b", ""), {}, "Relative position is not valid."),
        (("a", "b", "AFTER"), {"childrenIds": []}, "Relative position cannot be combined with childrenIds."),
        (("d", "a", "AFTER"), {}, "The adjacent work item's parent must match the current parent work item."),
        (
            ("d", "a", "AFTER", "Other"),
            {},
            "The adjacent work item's parent must match the new parent work item.",
        ),
    ],
    ids=["side", "children", "current", "new"],
)
def test_an_update_with_a_wrong_place_is_refused(
    fakeplat: Fakeplat, where: tuple[str, ...], more: dict[str, Any], error: str
) -> None:
    """A wrong place is an error of the payload, and changes nothing."""
    given = describe_update(fakeplat, *where, **more)
    payload = query_refused(fakeplat, "rep", UPDATE, input=given)["data"]["workItemUpdate"]

    assert {"workItem": None, "errors": [error]} == payload


@pytest.mark.fakeplat(version="15.7")
def test_older_releases_have_no_order(fakeplat: Fakeplat) -> None:
    """Neighbours came to the widget after 15.7."""
    given = {"id": "gid://gitlab/WorkItem/1", "hierarchyWidget": {"relativePosition": "AFTER"}}
    (message,) = list_messages(query_refused(fakeplat, "rep", UPDATE, input=given))

    assert "hierarchyWidget.relativePosition (Field is not defined on WorkItemWidgetHierarchyUpdateInput)" in message
