"""Epics on boards of issues, and new epics on boards of epics. Source: docs/platform/boards.md ('Epics')."""

from typing import Any, Final

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.company import COMPANY
from tests.graphql.queries import NOT_AVAILABLE, list_messages, query_data, query_refused, write_mutation

ACME: Final[dict[str, Any]] = COMPANY["groups"][0]
SITE: Final[dict[str, Any]] = {
    **ACME["projects"][0],
    "boards": [{"name": "Site"}],
    "issues": [
        {"title": "Page", "author": "rep", "labels": ["now"]},
        {"title": "Style", "author": "rep"},
        {"title": "Script", "author": "rep", "state": "closed"},
        {"title": "Odd", "author": "rep"},
    ],
}
GROUP: Final[dict[str, Any]] = {
    **ACME,
    "labels": [{"title": "now", "color": "#d9534f"}],
    "epics": [
        {"title": "Build", "author": "dev", "issues": ["acme/site#1"]},
        {"title": "Ship", "author": "dev", "confidential": True, "issues": ["acme/site#2"]},
        {"title": "Done", "author": "dev", "state": "closed", "issues": ["acme/site#4"]},
        {"title": "Script", "author": "dev", "issues": ["acme/site#3"]},
        {"title": "Empty", "author": "dev"},
    ],
    "boards": [{"name": "All", "epic_preferences": [{"user": "rep", "epic": "acme&1", "collapsed": True}]}],
    "epic_boards": [{"name": "Roadmap", "lists": ["now"]}],
    "projects": [SITE, ACME["projects"][1]],
}
SCENARIO: Final[dict[str, Any]] = {**COMPANY, "groups": [GROUP]}
pytestmark = pytest.mark.fakeplat(version="latest", tier="premium", clock="virtual", scenario=SCENARIO)

PREFER: Final = write_mutation("updateBoardEpicUserPreferences", "epicUserPreferences { collapsed }")
CREATE: Final = write_mutation("boardEpicCreate", "epic { title labels { nodes { title } } group { fullPath } }")


def query_group(fake: Fakeplat, by: str | None, selection: str) -> Any:
    return query_data(fake, by, f'{{ group(fullPath: "acme") {{ {selection} }} }}')["group"]


def list_epics(fake: Fakeplat, by: str = "rep", filters: str = "") -> dict[str, bool | None]:
    """Return the titles of the epics of the group's board, and whether the user folded them up."""
    selection = f"boards {{ nodes {{ epics{filters} {{ nodes {{ title userPreferences {{ collapsed }} }} }} }} }}"
    (board,) = query_group(fake, by, selection)["boards"]["nodes"]
    nodes = board["epics"]["nodes"]
    return {node["title"]: node["userPreferences"] and node["userPreferences"]["collapsed"] for node in nodes}


def find_board(fake: Fakeplat) -> str:
    (board,) = query_group(fake, "rep", "boards { nodes { id } }")["boards"]["nodes"]
    return str(board["id"])


def find_epic(fake: Fakeplat, title: str) -> str:
    nodes = query_group(fake, "root", "epics { nodes { id title } }")["epics"]["nodes"]
    return next(str(node["id"]) for node in nodes if node["title"] == title)


def prefer(fake: Fakeplat, by: str, *, collapsed: bool, epic: str = "Build") -> Any:
    given = {"boardId": find_board(fake), "epicId": find_epic(fake, epic), "collapsed": collapsed}
    return query_data(fake, by, PREFER, input=given)["updateBoardEpicUserPreferences"]


# Boards of issues


def test_a_board_shows_the_epics_of_its_issues(fakeplat: Fakeplat) -> None:
    """The open epics of open and closed issues are on the board, with what the caller chose for them."""
    assert {"Script": None, "Ship": None, "Build": True} == list_epics(fakeplat)
    assert {"Script": None, "Ship": None, "Build": None} == list_epics(fakeplat, by="dev")


def test_a_guest_sees_no_confidential_epics_on_a_board(fakeplat: Fakeplat) -> None:
    """A confidential epic is on the board for Reporters only."""
    assert {"Script": None, "Build": None} == list_epics(fakeplat, by="gus")


@pytest.mark.parametrize(
    ("filters", "titles"),
    [
        ('(issueFilters: {labelName: ["now"]})', ["Build"]),
        ('(issueFilters: {search: "style"})', ["Ship"]),
        ('(issueFilters: {not: {labelName: ["now"]}})', ["Script", "Ship"]),
        ("(issueFilters: {epicWildcardId: NONE})", []),
    ],
    ids=["label", "search", "not", "none"],
)
def test_filters_of_issues_narrow_the_epics(fakeplat: Fakeplat, filters: str, titles: list[str]) -> None:
    """Only epics of issues that pass the filters are shown."""
    assert titles == [*list_epics(fakeplat, filters=filters)]


def test_a_board_of_a_project_shows_epics_of_the_groups_above(fakeplat: Fakeplat) -> None:
    """The board of a project has the epics of its group."""
    query = '{ project(fullPath: "acme/site") { boards { nodes { epics { nodes { title } } } } } }'
    (board,) = query_data(fakeplat, "rep", query)["project"]["boards"]["nodes"]

    assert ["Script", "Ship", "Build"] == [node["title"] for node in board["epics"]["nodes"]]


@pytest.mark.fakeplat(tier="free")
def test_the_free_tier_has_no_epics_on_boards(fakeplat: Fakeplat) -> None:
    """Epics are a paid feature."""
    assert {} == list_epics(fakeplat)


def test_a_user_folds_up_an_epic(fakeplat: Fakeplat) -> None:
    """Whoever sees the board and the epic folds it up for themselves."""
    assert {"epicUserPreferences": {"collapsed": True}, "errors": []} == prefer(fakeplat, "gus", collapsed=True)
    assert list_epics(fakeplat, by="gus")["Build"] is True
    prefer(fakeplat, "rep", collapsed=False)
    assert list_epics(fakeplat)["Build"] is False


@pytest.mark.parametrize(
    "changes", [{"boardId": "gid://gitlab/Board/1"}, {"epicId": "gid://gitlab/Epic/1"}], ids=["board", "epic"]
)
def test_missing_records_have_no_preferences(fakeplat: Fakeplat, changes: dict[str, str]) -> None:
    """The board and the epic must exist."""
    given = {"boardId": find_board(fakeplat), "epicId": find_epic(fakeplat, "Build"), "collapsed": True, **changes}

    assert [NOT_AVAILABLE] == list_messages(query_refused(fakeplat, "rep", PREFER, input=given))


def test_a_hidden_epic_cannot_be_folded_up(fakeplat: Fakeplat) -> None:
    """Guests do not see confidential epics."""
    given = {"boardId": find_board(fakeplat), "epicId": find_epic(fakeplat, "Ship"), "collapsed": True}

    assert [NOT_AVAILABLE] == list_messages(query_refused(fakeplat, "gus", PREFER, input=given))


# Boards of epics


def build_new_epic(fake: Fakeplat, **changes: Any) -> dict[str, Any]:
    """Return the input of a new epic in the list "now"."""
    selection = "epicBoards { nodes { id lists { nodes { id title } } } }"
    (board,) = query_group(fake, "rep", selection)["epicBoards"]["nodes"]
    column = next(node["id"] for node in board["lists"]["nodes"] if node["title"] == "now")
    return {"groupPath": "acme", "boardId": board["id"], "listId": column, "title": "New", **changes}


def test_an_epic_is_created_in_a_list(fakeplat: Fakeplat) -> None:
    """A Reporter creates an epic, which has the label of the list."""
    payload = query_data(fakeplat, "rep", CREATE, input=build_new_epic(fakeplat))["boardEpicCreate"]

    epic = {"title": "New", "labels": {"nodes": [{"title": "now"}]}, "group": {"fullPath": "acme"}}
    assert {"epic": epic, "errors": []} == payload


def test_a_subgroup_uses_the_board_above(fakeplat: Fakeplat) -> None:
    """The board may be that of a group above."""
    given = build_new_epic(fakeplat, groupPath="acme/tools")
    epic = query_data(fakeplat, "rep", CREATE, input=given)["boardEpicCreate"]["epic"]

    assert {"fullPath": "acme/tools"} == epic["group"]


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"title": ""}, "Title can't be blank"),
        ({"boardId": "gid://gitlab/Boards::EpicBoard/1"}, "Board not found"),
        ({"listId": "gid://gitlab/Boards::EpicList/1"}, "List not found"),
    ],
    ids=["title", "board", "list"],
)
def test_an_epic_that_cannot_be_created_is_refused(fakeplat: Fakeplat, changes: dict[str, str], error: str) -> None:
    """An epic needs a title, a board and a list of it."""
    given = build_new_epic(fakeplat, **changes)
    payload = query_refused(fakeplat, "rep", CREATE, input=given)["data"]["boardEpicCreate"]

    assert {"epic": None, "errors": [error]} == payload


def test_a_guest_creates_no_epic(fakeplat: Fakeplat) -> None:
    """Creating epics is for Reporters."""
    refused = query_refused(fakeplat, "gus", CREATE, input=build_new_epic(fakeplat))

    assert [NOT_AVAILABLE] == list_messages(refused)


@pytest.mark.fakeplat(version="13.5")
def test_the_default_release_has_no_epics_on_boards(fakeplat: Fakeplat) -> None:
    """Epics came to boards of issues after 13.5."""
    query = '{ group(fullPath: "acme") { boards { nodes { epics { nodes { id } } } } } }'
    refused = query_refused(fakeplat, "rep", query)

    assert ["Field 'epics' doesn't exist on type 'Board'"] == list_messages(refused)
