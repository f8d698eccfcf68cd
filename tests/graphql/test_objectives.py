"""Objectives, key results and their progress. Source: docs/platform/work-items.md ('Objectives')."""

from typing import Any, Final

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.company import COMPANY
from tests.graphql.queries import NOT_AVAILABLE, list_messages, query_data, query_refused, write_mutation

ACME: Final[dict[str, Any]] = COMPANY["groups"][0]
ISSUES: Final[list[dict[str, Any]]] = [
    {"title": "Grow", "type": "objective"},
    {"title": "Sell", "type": "objective", "parent": "acme/site#1"},
    {"title": "Deals", "type": "key_result", "parent": "acme/site#2"},
    {"title": "Calls", "type": "key_result", "parent": "acme/site#2", "progress": {"current_value": 50}},
    {"title": "Plain"},
]
SITE: Final[dict[str, Any]] = {**ACME["projects"][0], "issues": [{**issue, "author": "rep"} for issue in ISSUES]}
SCENARIO: Final[dict[str, Any]] = {
    **COMPANY,
    "features": [{"name": "okrs_mvc", "enabled": True}],
    "groups": [{**ACME, "projects": [SITE]}],
}
OFF: Final[dict[str, Any]] = {**SCENARIO, "features": []}
pytestmark = pytest.mark.fakeplat(version="latest", tier="ultimate", clock="virtual", scenario=SCENARIO)
UPDATE: Final = write_mutation("workItemUpdate", "workItem { title }")
CREATE: Final = write_mutation("workItemCreate", "workItem { title webUrl workItemType { name } }")
PROGRESS: Final = "progress currentValue startValue endValue updatedAt"
OBJECTIVE: Final = "gid://gitlab/WorkItems::Type/6"


def read_items(fake: Fakeplat, selection: str, by: str = "rep") -> dict[str, Any]:
    query = f'{{ project(fullPath: "acme/site") {{ workItems {{ nodes {{ title {selection} }} }} }} }}'
    nodes = query_data(fake, by, query)["project"]["workItems"]["nodes"]
    return {node["title"]: node for node in nodes}


def find_id(fake: Fakeplat, title: str) -> str:
    return str(read_items(fake, "id")[title]["id"])


def read_progress(fake: Fakeplat) -> dict[str, int | None]:
    """Return the percents of the work items that have any."""
    items = read_items(fake, "widgets { ... on WorkItemWidgetProgress { progress } }")
    shown = ((title, widget) for title, item in items.items() for widget in item["widgets"])
    return {title: widget["progress"] for title, widget in shown if "progress" in widget}


def set_progress(fake: Fakeplat, title: str, **values: int) -> dict[str, Any]:
    given = {"id": find_id(fake, title), "progressWidget": values}
    payload: dict[str, Any] = query_data(fake, "rep", UPDATE, input=given)["workItemUpdate"]
    return payload


def list_notes(fake: Fakeplat, iid: int) -> list[tuple[str, str]]:
    rows = fake.as_user("rep").get(f"projects/acme%2Fsite/issues/{iid}/notes", params={"sort": "asc"}).json()
    return [(row["author"]["username"], row["body"]) for row in rows]


def test_progress_follows_from_values(fakeplat: Fakeplat) -> None:
    """The percents are those of the way from the value at the start to the one to reach, and a note tells them."""
    assert [] == set_progress(fakeplat, "Deals", currentValue=100, startValue=20, endValue=220)["errors"]
    fragment = f"widgets(onlyTypes: [PROGRESS]) {{ ... on WorkItemWidgetProgress {{ {PROGRESS} }} }}"
    (widget,) = read_items(fakeplat, fragment)["Deals"]["widgets"]

    assert {
        "progress": 40,
        "currentValue": 100,
        "startValue": 20,
        "endValue": 220,
        "updatedAt": "2020-11-20T09:00:00Z",
    } == widget
    assert [("rep", "changed progress to **40%**")] == list_notes(fakeplat, 3)


@pytest.mark.parametrize(
    ("values", "percents"),
    [
        ({"currentValue": 20}, 20),
        ({"currentValue": 200}, 100),
        ({"currentValue": -1}, 0),
        ({"currentValue": 75, "startValue": 100, "endValue": 0}, 25),
        ({"currentValue": 1, "endValue": 8}, 13),
    ],
    ids=["default", "above", "below", "downwards", "rounded"],
)
def test_percents_are_between_0_and_100(fakeplat: Fakeplat, values: dict[str, int], percents: int) -> None:
    """Values go from 0 to 100 unless told otherwise, up or down, and what is beyond them does not count."""
    set_progress(fakeplat, "Deals", **values)

    assert percents == read_progress(fakeplat)["Deals"]


def test_objectives_have_the_average(fakeplat: Fakeplat) -> None:
    """The objectives above have the average of what is right below them, rounded down, by a bot."""
    assert {"Grow": None, "Sell": None, "Deals": None, "Calls": 50} == read_progress(fakeplat)
    set_progress(fakeplat, "Deals", currentValue=25)

    assert {"Grow": 37, "Sell": 37, "Deals": 25, "Calls": 50} == read_progress(fakeplat)
    assert [("automation-bot", "changed progress to **37%**")] == list_notes(fakeplat, 1)


def test_a_guest_changes_no_progress(fakeplat: Fakeplat) -> None:
    """Who may not update the key result gets an error."""
    given = {"id": find_id(fakeplat, "Deals"), "progressWidget": {"currentValue": 10}}

    assert [NOT_AVAILABLE] == list_messages(query_refused(fakeplat, "gus", UPDATE, input=given))


def test_values_must_differ(fakeplat: Fakeplat) -> None:
    """There is no way from a value to itself."""
    values = {"currentValue": 1, "startValue": 5, "endValue": 5}
    given = {"id": find_id(fakeplat, "Deals"), "progressWidget": values}
    payload = query_refused(fakeplat, "rep", UPDATE, input=given)["data"]["workItemUpdate"]

    assert ["Start value cannot be same as end value"] == payload["errors"]


def test_issues_have_no_progress(fakeplat: Fakeplat) -> None:
    """Only objectives and key results have progress."""
    given = {"id": find_id(fakeplat, "Plain"), "progressWidget": {"currentValue": 1}}
    text = "Following widget keys are not supported by Issue type: [:progress_widget]"

    assert [text] == list_messages(query_refused(fakeplat, "rep", UPDATE, input=given))


@pytest.mark.fakeplat(version="15.11")
def test_older_releases_take_the_percents(fakeplat: Fakeplat) -> None:
    """Before there were values, the percents themselves were set."""
    set_progress(fakeplat, "Deals", progress=60)

    assert 60 == read_progress(fakeplat)["Deals"]
    text = "Progress must be less than or equal to 100"
    assert [text] == set_progress(fakeplat, "Deals", progress=101)["errors"]


# Types


def test_an_objective_is_created(fakeplat: Fakeplat) -> None:
    """A project with the feature has objectives, which are work items."""
    given = {"namespacePath": "acme/site", "title": "Earn", "workItemTypeId": OBJECTIVE}
    item = query_data(fakeplat, "rep", CREATE, input=given)["workItemCreate"]["workItem"]

    assert ("Earn", "Objective") == (item["title"], item["workItemType"]["name"])
    assert "/-/work_items/" in item["webUrl"]


TYPES: Final = '{ project(fullPath: "acme/site") { workItemTypes { nodes { name } } } }'


@pytest.mark.parametrize(
    ("types", "version"),
    [
        pytest.param({"Objective", "Key Result"}, "latest", marks=pytest.mark.fakeplat(version="latest")),
        pytest.param({"Objective"}, "15.6", marks=pytest.mark.fakeplat(version="15.6")),
        pytest.param(set(), "15.5", marks=pytest.mark.fakeplat(version="15.5")),
        pytest.param(set(), "off", marks=pytest.mark.fakeplat(scenario=OFF)),
        pytest.param(set(), "premium", marks=pytest.mark.fakeplat(tier="premium")),
    ],
    ids=["latest", "15.6", "15.5", "off", "premium"],
)
def test_types_need_a_release_a_feature_and_a_tier(fakeplat: Fakeplat, types: set[str], version: str) -> None:
    """Objectives came with 15.6, key results with 15.7; both need Ultimate and a feature that is off by default."""
    nodes = query_data(fakeplat, "rep", TYPES)["project"]["workItemTypes"]["nodes"]

    assert types == {node["name"] for node in nodes} & {"Objective", "Key Result"}, version


@pytest.mark.fakeplat(scenario=OFF)
def test_an_issue_does_not_become_an_objective_without_the_feature(fakeplat: Fakeplat) -> None:
    """The type of a new issue is ignored if the project does not have it."""
    create = write_mutation("createIssue", "issue { type }")
    given = {"projectPath": "acme/site", "title": "Earn", "type": "OBJECTIVE"}

    assert {"type": "ISSUE"} == query_data(fakeplat, "rep", create, input=given)["createIssue"]["issue"]


def set_parent(fake: Fakeplat, title: str, parent: str) -> list[str]:
    """Try to put a work item below another one; return the errors."""
    given = {"id": find_id(fake, title), "hierarchyWidget": {"parentId": find_id(fake, parent)}}
    errors: list[str] = query_refused(fake, "rep", UPDATE, input=given)["data"]["workItemUpdate"]["errors"]
    return errors


@pytest.mark.parametrize(
    ("title", "parent", "error"),
    [
        ("Grow", "Grow", "#1 cannot be added: is not allowed to point to itself"),
        ("Grow", "Sell", "#1 cannot be added: it's already present in this item's hierarchy"),
        ("Grow", "Deals", "#1 cannot be added: it's not allowed to add this type of parent item"),
    ],
    ids=["itself", "ring", "type"],
)
def test_objectives_are_below_other_objectives(fakeplat: Fakeplat, title: str, parent: str, error: str) -> None:
    """An objective is neither below itself nor below a key result."""
    assert [error] == set_parent(fakeplat, title, parent)


CHAIN: Final = [
    {
        "title": f"O{number}",
        "type": "objective",
        "author": "rep",
        **({"parent": f"acme/site#{number - 1}"} if number > 1 else {}),
    }
    for number in range(1, 10)
]
DEEP: Final[dict[str, Any]] = {
    **SCENARIO,
    "groups": [
        {**ACME, "projects": [{**SITE, "issues": [*CHAIN, {"title": "Last", "type": "objective", "author": "rep"}]}]}
    ],
}


@pytest.mark.fakeplat(scenario=DEEP)
def test_there_are_nine_levels_of_objectives(fakeplat: Fakeplat) -> None:
    """Nine objectives can be below each other."""
    assert ["#10 cannot be added: reached maximum depth"] == set_parent(fakeplat, "Last", "O9")


def test_a_converted_objective_loses_its_progress(fakeplat: Fakeplat) -> None:
    """What becomes an issue has no progress any more, and a note tells of it."""
    convert = write_mutation("workItemConvert", "workItem { title }")
    given = {"id": find_id(fakeplat, "Calls"), "workItemTypeId": "gid://gitlab/WorkItems::Type/1"}
    assert [] == query_data(fakeplat, "rep", convert, input=given)["workItemConvert"]["errors"]

    assert "Calls" not in read_progress(fakeplat)
    assert ("rep", "removed the progress **50%**") in list_notes(fakeplat, 4)
