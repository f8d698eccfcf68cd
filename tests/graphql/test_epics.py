"""Epics: their fields, lists and mutations."""

from typing import Any

import pytest

from fakeplat.core.release import LATEST_RELEASE, profile_of
from fakeplat.harness.fake import Fakeplat
from tests.graphql.queries import (
    NOT_AVAILABLE,
    list_messages,
    list_scalar_fields,
    query_data,
    query_refused,
    write_mutation,
)

SCENARIO: dict[str, Any] = {
    "users": [{"username": name} for name in ("rep", "gus", "eve")],
    "groups": [
        {
            "path": "acme",
            "visibility": "private",
            "members": {"rep": "reporter", "gus": "guest"},
            "labels": [{"title": "big", "color": "#d9534f"}],
            "epics": [
                {
                    "title": "Launch",
                    "author": "rep",
                    "labels": ["big"],
                    "issues": ["acme/site#1"],
                    "start_date_fixed": "2020-11-01",
                    "start_date_is_fixed": True,
                },
                {"title": "Docs", "author": "gus", "parent": "acme&1", "state": "closed", "issues": ["acme/site#2"]},
                {"title": "Secret", "author": "rep", "confidential": True},
            ],
            "projects": [
                {
                    "path": "site",
                    "issues": [
                        {"title": "Page", "author": "rep", "weight": 2, "health_status": "at_risk"},
                        {"title": "Text", "author": "rep", "state": "closed", "weight": 3},
                        {"title": "Loose", "author": "rep"},
                    ],
                }
            ],
        }
    ],
}
pytestmark = pytest.mark.fakeplat(tier="ultimate", scenario=SCENARIO)


def read_epic(fake: Fakeplat, selection: str, by: str = "rep", iid: int = 1) -> Any:
    query = f'{{ group(fullPath: "acme") {{ epic(iid: "{iid}") {{ {selection} }} }} }}'
    return query_data(fake, by, query)["group"]["epic"]


def list_titles(fake: Fakeplat, arguments: str, by: str = "rep") -> list[str]:
    query = f'{{ group(fullPath: "acme") {{ epics{arguments} {{ nodes {{ title }} }} }} }}'
    return [row["title"] for row in query_data(fake, by, query)["group"]["epics"]["nodes"]]


def change(fake: Fakeplat, name: str, by: str = "rep", selection: str = "epic { title state }", **input_: Any) -> Any:
    return query_data(fake, by, write_mutation(name, selection), input={"groupPath": "acme", **input_})[name]


def test_an_epic_shows_what_is_in_it_and_below_it(fakeplat: Fakeplat) -> None:
    """An epic shows its issues with their links, and counts issues and epics, weights and health below it."""
    read = read_epic(
        fakeplat,
        """title reference full: reference(full: true) webPath hasChildren hasIssues hasParent
        author { username } group { fullPath } labels { nodes { title } } startDate
        children { nodes { title parent { title } relationPath } }
        issues { nodes { title iid epicIssueId relationPath } }
        descendantCounts { openedEpics closedEpics openedIssues closedIssues }
        descendantWeightSum { openedIssues closedIssues }
        healthStatus { issuesOnTrack issuesNeedingAttention issuesAtRisk }
        userPermissions { readEpic updateEpic destroyEpic createNote }""",
    )
    (issue,) = read.pop("issues")["nodes"]
    (child,) = read.pop("children")["nodes"]

    assert {
        "title": "Launch",
        "reference": "&1",
        "full": "acme&1",
        "webPath": "/groups/acme/-/epics/1",
        "hasChildren": True,
        "hasIssues": True,
        "hasParent": False,
        "author": {"username": "rep"},
        "group": {"fullPath": "acme"},
        "labels": {"nodes": [{"title": "big"}]},
        "startDate": "2020-11-01",
        "descendantCounts": {"openedEpics": 0, "closedEpics": 1, "openedIssues": 1, "closedIssues": 1},
        "descendantWeightSum": {"openedIssues": 2, "closedIssues": 3},
        "healthStatus": {"issuesOnTrack": 0, "issuesNeedingAttention": 0, "issuesAtRisk": 1},
        "userPermissions": {"readEpic": True, "updateEpic": True, "destroyEpic": False, "createNote": True},
    } == read
    assert ("Page", "1") == (issue["title"], issue["iid"])
    link_id = issue["epicIssueId"].removeprefix("gid://gitlab/EpicIssue/")
    assert f"/groups/acme/-/epics/1/issues/{link_id}" == issue["relationPath"]
    assert ("Docs", {"title": "Launch"}) == (child["title"], child["parent"])


@pytest.mark.fakeplat(version="latest")
def test_every_plain_field_can_be_shown(fakeplat: Fakeplat) -> None:
    """Each field without a selection has a value or is null, at the latest release, too."""
    fields = list_scalar_fields("Epic", profile_of(LATEST_RELEASE))
    read = read_epic(
        fakeplat,
        f"""{fields} ancestors {{ nodes {{ title }} }} blockedByEpics {{ count }} participants {{ count }}
        notes {{ nodes {{ body }} }} discussions {{ nodes {{ id }} }} awardEmoji {{ nodes {{ name }} }}
        currentUserTodos {{ nodes {{ id }} }}""",
        iid=2,
    )

    assert ("Docs", "closed", False, 0) == (read["title"], read["state"], read["blocked"], read["blockingCount"])
    assert {"nodes": [{"title": "Launch"}]} == read["ancestors"]


LISTS = [
    ("", ["Secret", "Docs", "Launch"]),
    ("(state: closed)", ["Docs"]),
    ('(iids: ["1", "2"])', ["Docs", "Launch"]),
    ('(iidStartsWith: "3")', ["Secret"]),
    ('(search: "laun")', ["Launch"]),
    ('(authorUsername: "gus")', ["Docs"]),
    ('(labelName: ["big"])', ["Launch"]),
    ("(confidential: true)", ["Secret"]),
    ('(milestoneTitle: "v1")', []),
    ('(myReactionEmoji: "tada")', []),
    ("(sort: start_date_asc, first: 1)", ["Launch"]),
]
LATER_LISTS = [
    ("(topLevelHierarchyOnly: true)", ["Secret", "Launch"]),
    ('(not: {authorUsername: "gus"})', ["Secret", "Launch"]),
    ('(not: {labelName: ["big"]})', ["Secret", "Docs"]),
    ('(or: {labelNames: ["big"], authorUsernames: ["rep", "gus"]})', ["Launch"]),
    ('(timeframe: {start: "2020-11-01", end: "2020-11-02"})', ["Launch"]),
    ('(search: "Docs", in: [DESCRIPTION])', []),
    ("(sort: TITLE_ASC)", ["Docs", "Launch", "Secret"]),
    ('(createdAfter: "2000-01-01", updatedBefore: "2000-01-01")', []),
]


@pytest.mark.parametrize(("arguments", "expected"), LISTS)
def test_epics_are_chosen(fakeplat: Fakeplat, arguments: str, expected: list[str]) -> None:
    """Epics are filtered as in the REST list, the newest first."""
    assert expected == list_titles(fakeplat, arguments)


@pytest.mark.fakeplat(version="latest")
@pytest.mark.parametrize(("arguments", "expected"), LATER_LISTS)
def test_epics_are_chosen_by_later_filters(fakeplat: Fakeplat, arguments: str, expected: list[str]) -> None:
    """Later releases filter epics by exclusions, unions and days, too."""
    assert expected == list_titles(fakeplat, arguments)


def test_epics_are_for_those_who_see_them(fakeplat: Fakeplat) -> None:
    """Confidential epics are for Reporters, and an issue names its epic to those who see both."""
    shown = "epic { title labels { nodes { title } } }"
    query = f'{{ project(fullPath: "acme/site") {{ issues(iid: "1") {{ nodes {{ {shown} }} }} }} }}'
    assert ["Docs", "Launch"] == list_titles(fakeplat, "", "gus")
    assert {"group": None} == query_data(fakeplat, "eve", '{ group(fullPath: "acme") { epics { nodes { id } } } }')
    (row,) = query_data(fakeplat, "gus", query)["project"]["issues"]["nodes"]
    assert {"title": "Launch", "labels": {"nodes": [{"title": "big"}]}} == row["epic"]


@pytest.mark.fakeplat(tier="free", scenario={**SCENARIO, "groups": [{"path": "acme", "members": {"rep": "owner"}}]})
def test_there_are_no_epics_on_the_free_tier(fakeplat: Fakeplat) -> None:
    """On the free tier the list is empty, and creating an epic is refused."""
    assert [] == list_titles(fakeplat, "")
    refused = query_refused(
        fakeplat, "rep", write_mutation("createEpic", ""), input={"groupPath": "acme", "title": "New"}
    )
    assert [NOT_AVAILABLE] == list_messages(refused)


def test_an_epic_is_created_and_changed(fakeplat: Fakeplat) -> None:
    """Mutations of epics do what REST does: labels by id, the state by an event."""
    label = fakeplat.as_user("rep").get("groups/acme/labels").json()[0]["id"]
    created = change(
        fakeplat,
        "createEpic",
        title="New",
        addLabelIds=[f"gid://gitlab/GroupLabel/{label}"],
        selection="epic { title iid labels { nodes { title } } }",
    )
    closed = change(fakeplat, "updateEpic", iid="4", stateEvent="CLOSE", title="Newer")
    blank = change(fakeplat, "updateEpic", iid="4", title="")

    assert {"title": "New", "iid": "4", "labels": {"nodes": [{"title": "big"}]}} == created["epic"]
    assert {"epic": {"title": "Newer", "state": "closed"}, "errors": []} == closed
    assert ["Title can't be blank"] == blank["errors"]
    assert "closed" == fakeplat.as_user("rep").get("groups/acme/epics/4").json()["state"]


def test_an_issue_is_put_into_an_epic(fakeplat: Fakeplat) -> None:
    """Putting an issue into an epic returns the link."""
    added = change(
        fakeplat,
        "epicAddIssue",
        iid="1",
        projectPath="acme/site",
        issueIid="3",
        selection="epicIssue { title epic { title } }",
    )

    assert {"epicIssue": {"title": "Loose", "epic": {"title": "Launch"}}, "errors": []} == added


def test_the_caller_subscribes_to_an_epic(fakeplat: Fakeplat) -> None:
    """Whoever sees an epic can subscribe to it."""
    subscribed = change(
        fakeplat, "epicSetSubscription", "gus", iid="1", subscribedState=True, selection="epic { subscribed }"
    )

    assert {"epic": {"subscribed": True}, "errors": []} == subscribed


@pytest.mark.parametrize(
    ("by", "name", "input_", "message"),
    [
        ("gus", "createEpic", {"title": "New"}, NOT_AVAILABLE),
        ("gus", "updateEpic", {"iid": "1", "title": "New"}, NOT_AVAILABLE),
        ("gus", "epicSetSubscription", {"iid": "3", "subscribedState": True}, NOT_AVAILABLE),
        ("eve", "epicAddIssue", {"iid": "1", "projectPath": "acme/site", "issueIid": "3"}, NOT_AVAILABLE),
        ("rep", "updateEpic", {"iid": "9", "title": "New"}, NOT_AVAILABLE),
        ("rep", "updateEpic", {"iid": "1"}, "The list of epic attributes is empty"),
    ],
)
def test_epics_are_not_changed(fakeplat: Fakeplat, by: str, name: str, input_: Any, message: str) -> None:
    """Guests and strangers change no epic, and a change needs an attribute."""
    given = {"groupPath": "acme", **input_}

    assert [message] == list_messages(query_refused(fakeplat, by, write_mutation(name, ""), input=given))
