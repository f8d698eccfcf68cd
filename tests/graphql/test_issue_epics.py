"""Epics that new issues and issues on boards get. Source: docs/platform/epics.md ('Choosing an epic')."""

from typing import Any, Final

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.company import COMPANY
from tests.graphql.queries import list_messages, query_data, query_project, query_refused, write_mutation

ACME: Final[dict[str, Any]] = COMPANY["groups"][0]
ISSUES: Final[list[dict[str, Any]]] = [
    {"title": "Page", "author": "rep", "relative_position": 100},
    {"title": "Style", "author": "rep", "relative_position": 200},
]
GROUP: Final[dict[str, Any]] = {
    **ACME,
    "epics": [
        {"title": "Plan", "author": "ada", "issues": ["acme/site#2"]},
        {"title": "Secret", "author": "ada", "confidential": True},
        {"title": "Other", "author": "ada"},
    ],
    "projects": [{**ACME["projects"][0], "issues": ISSUES, "boards": [{"name": "Work"}]}, ACME["projects"][1]],
}
SCENARIO: Final[dict[str, Any]] = {**COMPANY, "groups": [GROUP]}
pytestmark = pytest.mark.fakeplat(version="latest", tier="premium", clock="virtual", scenario=SCENARIO)
CREATE: Final = write_mutation("createIssue", "issue { title epic { title } }")
MOVE: Final = write_mutation("issueMoveList", "issue { title epic { title } }")


def find_epic(fake: Fakeplat, title: str) -> str:
    nodes = query_data(fake, "root", '{ group(fullPath: "acme") { epics { nodes { id title } } } }')["group"]["epics"]
    return next(str(node["id"]) for node in nodes["nodes"] if node["title"] == title)


def describe_new(fake: Fakeplat, epic: str) -> dict[str, Any]:
    return {"projectPath": "acme/site", "title": "New", "epicId": find_epic(fake, epic)}


def describe_move(fake: Fakeplat, iid: int, epic: str | None) -> dict[str, Any]:
    (board,) = query_project(fake, "rep", "boards { nodes { id } }")["boards"]["nodes"]
    id_ = None if epic is None else find_epic(fake, epic)
    return {"boardId": board["id"], "projectPath": "acme/site", "iid": str(iid), "epicId": id_}


def test_a_new_issue_is_in_an_epic(fakeplat: Fakeplat) -> None:
    """An issue is created in an epic of the groups above its project."""
    payload = query_data(fakeplat, "rep", CREATE, input=describe_new(fakeplat, "Plan"))["createIssue"]

    assert {"issue": {"title": "New", "epic": {"title": "Plan"}}, "errors": []} == payload


def test_a_hidden_epic_is_not_chosen(fakeplat: Fakeplat) -> None:
    """For who does not see an epic there is none, and no issue is created."""
    given = describe_new(fakeplat, "Secret")
    payload = query_refused(fakeplat, "gus", CREATE, input=given)["data"]["createIssue"]

    assert {"issue": None, "errors": [f"Couldn't find Epic with 'id'={given['epicId'].rpartition('/')[2]}"]} == payload


@pytest.mark.parametrize(("iid", "epic"), [(1, "Plan"), (2, "Other"), (2, None)], ids=["added", "changed", "removed"])
def test_an_issue_on_a_board_changes_its_epic(fakeplat: Fakeplat, iid: int, epic: str | None) -> None:
    """The epic alone is a move on the board, and null takes the issue out of it."""
    payload = query_data(fakeplat, "rep", MOVE, input=describe_move(fakeplat, iid, epic))["issueMoveList"]

    assert (epic and {"title": epic}, []) == (payload["issue"]["epic"], payload["errors"])


def test_the_author_of_an_issue_does_not_see_the_epic(fakeplat: Fakeplat) -> None:
    """A Guest who wrote the issue cannot move it to an epic that they do not see."""
    fakeplat.as_user("gus").post("projects/acme%2Fsite/issues", json={"title": "Mine"})
    payload = query_refused(fakeplat, "gus", MOVE, input=describe_move(fakeplat, 3, "Secret"))["data"]["issueMoveList"]

    assert {"issue": {"title": "Mine", "epic": None}, "errors": ["Resource not found"]} == payload


@pytest.mark.fakeplat(version="13.5")
def test_the_default_release_chooses_no_epics(fakeplat: Fakeplat) -> None:
    """New issues have had this argument since later than 13.5."""
    (message,) = list_messages(query_refused(fakeplat, "rep", CREATE, input=describe_new(fakeplat, "Plan")))

    assert "epicId (Field is not defined on CreateIssueInput)" in message


# Epics within a time, and their events


def list_epics(fake: Fakeplat, filters: str) -> list[str]:
    query = f'{{ group(fullPath: "acme") {{ epics({filters}) {{ nodes {{ title }} }} }} }}'
    return [node["title"] for node in query_data(fake, "rep", query)["group"]["epics"]["nodes"]]


@pytest.mark.fakeplat(version="16.11")
def test_epics_overlap_with_a_time(fakeplat: Fakeplat) -> None:
    """Epics whose days overlap with those of both arguments are listed."""
    dates = {"start_date_is_fixed": True, "start_date_fixed": "2020-11-10"}
    id_ = find_epic(fakeplat, "Plan").rpartition("/")[2]
    assert 200 == fakeplat.as_user("ada").put("groups/acme/epics/1", json=dates).status, id_

    assert ["Plan"] == list_epics(fakeplat, 'startDate: "2020-11-01", endDate: "2020-11-30"')
    assert [] == list_epics(fakeplat, 'startDate: "2020-12-01", endDate: "2020-12-30"')


@pytest.mark.fakeplat(version="16.11")
@pytest.mark.parametrize(
    ("filters", "error"),
    [
        ('startDate: "2020-11-01"', "Both startDate and endDate must be present."),
        ('startDate: "2020-11-02", endDate: "2020-11-01"', "startDate is after endDate"),
    ],
    ids=["one", "order"],
)
def test_a_time_has_a_start_and_an_end(fakeplat: Fakeplat, filters: str, error: str) -> None:
    """One argument alone, or both in the wrong order, is an error."""
    query = f'{{ group(fullPath: "acme") {{ epics({filters}) {{ nodes {{ title }} }} }} }}'

    assert [error] == list_messages(query_refused(fakeplat, "rep", query))


EVENTS: Final = """{ group(fullPath: "acme") { epic(iid: "4") {
    events { nodes { id action author { username } createdAt updatedAt project { id } } }
    defaultProjectForIssueCreation { fullPath } } } }"""


def test_an_epic_has_events(fakeplat: Fakeplat) -> None:
    """What users did with an epic is listed from the newest on."""
    rep = fakeplat.as_user("rep")
    rep.post("groups/acme/epics", json={"title": "New"})
    rep.put("groups/acme/epics/4", json={"state_event": "close"})
    closed, created = query_data(fakeplat, "gus", EVENTS)["group"]["epic"]["events"]["nodes"]

    assert created.pop("id").startswith("gid://gitlab/Event/")
    times = {"createdAt": "2020-11-20T09:00:00Z", "updatedAt": "2020-11-20T09:00:00Z"}
    assert {"action": "CREATED", "author": {"username": "rep"}, "project": None, **times} == created
    assert "CLOSED" == closed["action"]


def test_the_project_of_the_last_issue_is_the_default(fakeplat: Fakeplat) -> None:
    """An epic has the project below its group in which the caller created an issue last."""
    rep, gus = fakeplat.as_user("rep"), fakeplat.as_user("gus")
    rep.post("groups/acme/epics", json={"title": "New"})
    rep.post("projects/acme%2Fsite/issues", json={"title": "One"})
    fakeplat.as_user("ada").post("projects/ada%2Fnotes/issues", json={"title": "Two"})
    gus.post("projects/acme%2Fsite/issues", json={"title": "Three"})
    gus.post("projects/acme%2Fdocs/issues", json={"title": "Four"})

    shown = {by: query_data(fakeplat, by, EVENTS)["group"]["epic"] for by in ("rep", "gus", "ada", "dev")}
    assert {
        "rep": {"fullPath": "acme/site"},
        "gus": {"fullPath": "acme/docs"},
        "ada": None,
        "dev": None,
    } == {by: epic["defaultProjectForIssueCreation"] for by, epic in shown.items()}
