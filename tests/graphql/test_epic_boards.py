"""Boards of epics, their lists, and moves of epics. Source: docs/platform/epics.md ('Boards')."""

from typing import Any, Final

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.company import COMPANY
from tests.graphql.queries import NOT_AVAILABLE, list_messages, query_data, query_refused, write_mutation

ACME: Final[dict[str, Any]] = COMPANY["groups"][0]
GROUP: Final[dict[str, Any]] = {
    **ACME,
    "labels": [{"title": name, "color": "#d9534f"} for name in ("now", "later", "other")],
    "epics": [
        {"title": "Plan", "author": "rep"},
        {"title": "Build", "author": "dev", "labels": ["now"], "issues": ["acme/site#1"]},
        {"title": "Ship", "author": "rep", "labels": ["now", "other"], "parent": "acme&2"},
        {"title": "Rest", "author": "rep", "labels": ["later"]},
        {"title": "Old", "author": "rep", "labels": ["now"], "state": "closed", "closed_at": "2020-11-01T00:00:00Z"},
        {"title": "Done", "author": "rep", "state": "closed", "closed_at": "2020-11-02T00:00:00Z"},
        {"title": "Secret", "author": "rep", "confidential": True},
    ],
    "epic_boards": [{"name": "Roadmap", "lists": ["now", "later"], "labels": ["other"]}, {"name": "another"}],
    "projects": [
        {**ACME["projects"][0], "issues": [{"title": "Page", "author": "rep", "weight": 3}]},
        ACME["projects"][1],
    ],
    "groups": [{**ACME["groups"][0], "epics": [{"title": "Kit", "author": "rep"}]}],
}
PRIVATE: Final[dict[str, Any]] = {**GROUP, "visibility": "private", "projects": GROUP["projects"][:1], "groups": []}
SCENARIO: Final[dict[str, Any]] = {**COMPANY, "groups": [GROUP]}
pytestmark = pytest.mark.fakeplat(version="latest", tier="premium", clock="virtual", scenario=SCENARIO)

BOARD: Final = "epicBoard { id name hideBacklogList hideClosedList displayColors labels { count nodes { title } } }"
CREATE: Final = write_mutation("epicBoardCreate", BOARD)
UPDATE: Final = write_mutation("epicBoardUpdate", BOARD)
DESTROY: Final = write_mutation("destroyEpicBoard", "epicBoard { name }")
LIST: Final = "list { id title listType position collapsed label { title } }"
ADD_LIST: Final = write_mutation("epicBoardListCreate", LIST)
UPDATE_LIST: Final = write_mutation("updateEpicBoardList", LIST)
DESTROY_LIST: Final = write_mutation("epicBoardListDestroy", "list { title }")
MOVE: Final = write_mutation("epicMoveList", "epic { title state labels { nodes { title } } }")


def query_group(fake: Fakeplat, by: str | None, selection: str) -> Any:
    return query_data(fake, by, f'{{ group(fullPath: "acme") {{ {selection} }} }}')["group"]


def find_board(fake: Fakeplat, name: str = "Roadmap") -> str:
    nodes = query_group(fake, "root", "epicBoards { nodes { id name } }")["epicBoards"]["nodes"]
    return next(str(node["id"]) for node in nodes if node["name"] == name)


def show_board(fake: Fakeplat, selection: str, by: str = "rep", name: str = "Roadmap") -> Any:
    return query_group(fake, by, f'epicBoard(id: "{find_board(fake, name)}") {{ {selection} }}')["epicBoard"]


def list_lists(fake: Fakeplat, selection: str = "title", by: str = "rep", name: str = "Roadmap") -> list[Any]:
    nodes = show_board(fake, f"lists {{ nodes {{ {selection} }} }}", by, name)["lists"]["nodes"]
    return [node["title"] for node in nodes] if selection == "title" else nodes


def find_list(fake: Fakeplat, title: str) -> str:
    return next(str(node["id"]) for node in list_lists(fake, "id title") if node["title"] == title)


def list_epics(fake: Fakeplat, by: str = "rep", arguments: str = "") -> dict[str, list[str]]:
    lists = list_lists(fake, f"title epics{arguments} {{ nodes {{ title }} }}", by)
    return {each["title"]: [node["title"] for node in each["epics"]["nodes"]] for each in lists}


def find_label(fake: Fakeplat, title: str) -> str:
    nodes = query_group(fake, "root", "labels { nodes { id title } }")["labels"]["nodes"]
    return next(str(node["id"]) for node in nodes if node["title"] == title)


def find_epic(fake: Fakeplat, title: str) -> str:
    nodes = query_group(fake, "root", "epics { nodes { id title } }")["epics"]["nodes"]
    return next(str(node["id"]) for node in nodes if node["title"] == title)


def run(fake: Fakeplat, by: str, text: str, **given: Any) -> Any:
    (payload,) = query_data(fake, by, text, input=given).values()
    return payload


def move(fake: Fakeplat, title: str, source: str | None, target: str, by: str = "rep", **places: str) -> Any:
    given = {"boardId": find_board(fake), "epicId": find_epic(fake, title), "toListId": find_list(fake, target)}
    places = {name: find_epic(fake, other) for name, other in places.items()}
    if source is not None:
        places["fromListId"] = find_list(fake, source)
    return run(fake, by, MOVE, **given, **places)


# Boards and lists


def test_boards_are_listed_by_name(fakeplat: Fakeplat) -> None:
    """A group shows its boards with their addresses and labels."""
    fields = "name webPath hideBacklogList hideClosedList displayColors labels { nodes { title } }"
    first, second = query_group(fakeplat, "gus", f"epicBoards {{ nodes {{ {fields} }} }}")["epicBoards"]["nodes"]
    number = find_board(fakeplat).rpartition("/")[2]

    assert find_board(fakeplat).startswith("gid://gitlab/Boards::EpicBoard/")
    assert "another" == first["name"]
    assert {
        "name": "Roadmap",
        "webPath": f"/groups/acme/-/epic_boards/{number}",
        "hideBacklogList": False,
        "hideClosedList": False,
        "displayColors": True,
        "labels": {"nodes": [{"title": "other"}]},
    } == second


def test_a_board_has_open_labelled_and_closed_lists(fakeplat: Fakeplat) -> None:
    """The list of open epics is the first, that of closed ones the last; only lists of labels have positions."""
    fields = "title listType position collapsed label { title }"

    assert [
        {"title": "Open", "listType": "backlog", "position": None, "collapsed": False, "label": None},
        {"title": "now", "listType": "label", "position": 0, "collapsed": False, "label": {"title": "now"}},
        {"title": "later", "listType": "label", "position": 1, "collapsed": False, "label": {"title": "later"}},
        {"title": "Closed", "listType": "closed", "position": None, "collapsed": False, "label": None},
    ] == list_lists(fakeplat, fields)
    one = find_list(fakeplat, "later")
    found = show_board(fakeplat, f'lists(id: "{one}") {{ nodes {{ title }} }}')["lists"]["nodes"]
    assert [{"title": "later"}] == found
    assert {"title": "later"} == query_data(fakeplat, "gus", f'{{ epicBoardList(id: "{one}") {{ title }} }}')[
        "epicBoardList"
    ]


def test_lists_have_the_epics_of_the_group_and_those_below(fakeplat: Fakeplat) -> None:
    """Open epics are in the list of their label, the newest first, else in the first; closed ones by their closing."""
    assert {
        "Open": ["Secret", "Plan", "Kit"],
        "now": ["Ship", "Build"],
        "later": ["Rest"],
        "Closed": ["Done", "Old"],
    } == list_epics(fakeplat)
    assert ["Plan", "Kit"] == list_epics(fakeplat, "gus")["Open"]


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ('{labelName: ["other"]}', ["Ship"]),
        ('{authorUsername: "dev"}', ["Build"]),
        ('{search: "shi"}', ["Ship"]),
        ('{not: {labelName: ["other"]}}', ["Build"]),
        ('{or: {labelName: ["other", "later"]}}', ["Ship"]),
        ("{confidential: true}", []),
    ],
)
def test_epics_of_lists_are_filtered(fakeplat: Fakeplat, filters: str, expected: list[str]) -> None:
    """Filters select the epics of each list."""
    assert expected == list_epics(fakeplat, "rep", f"(filters: {filters})")["now"]


def test_lists_count_epics_and_weights(fakeplat: Fakeplat) -> None:
    """A list counts its epics, and the weights of the issues below them; filters of lists change that."""
    fields = "title metadata { epicsCount totalWeight }"

    counted = {each["title"]: each for each in list_lists(fakeplat, fields)}
    assert {"title": "now", "metadata": {"epicsCount": 2, "totalWeight": 3}} == counted["now"]
    selection = f'lists(epicFilters: {{search: "ship"}}) {{ nodes {{ {fields} }} }}'
    counted = {each["title"]: each for each in show_board(fakeplat, selection)["lists"]["nodes"]}
    assert {"title": "now", "metadata": {"epicsCount": 1, "totalWeight": 0}} == counted["now"]


@pytest.mark.fakeplat(version="18.5")
def test_lists_of_earlier_releases_count_epics_themselves(fakeplat: Fakeplat) -> None:
    """Until 18.9 a list had the number of its epics beside its metadata."""
    counted = {each["title"]: each["epicsCount"] for each in list_lists(fakeplat, "title epicsCount")}
    assert 2 == counted["now"]


def test_boards_hide_their_fixed_lists(fakeplat: Fakeplat) -> None:
    """A board does not show the lists that it hides."""
    run(fakeplat, "rep", UPDATE, id=find_board(fakeplat), hideBacklogList=True, hideClosedList=True)

    assert ["now", "later"] == list_lists(fakeplat)


@pytest.mark.fakeplat(tier="free", scenario={**COMPANY, "groups": [{**ACME, "labels": GROUP["labels"]}]})
def test_boards_of_epics_are_a_paid_feature(fakeplat: Fakeplat) -> None:
    """Without a licence, boards are null, and nobody creates them."""
    assert {"epicBoards": None} == query_group(fakeplat, "ada", "epicBoards { nodes { id } }")
    content = query_refused(fakeplat, "ada", CREATE, input={"groupPath": "acme", "name": "New"})
    assert [NOT_AVAILABLE] == list_messages(content)


@pytest.mark.fakeplat(scenario={**COMPANY, "groups": [PRIVATE]})
def test_strangers_see_no_lists(fakeplat: Fakeplat) -> None:
    """Who does not see the group finds neither its boards nor their lists."""
    one = find_list(fakeplat, "later")

    assert None is query_data(fakeplat, "eve", f'{{ epicBoardList(id: "{one}") {{ title }} }}')["epicBoardList"]
    unknown = '{ epicBoardList(id: "gid://gitlab/Boards::EpicList/1") { title } }'
    assert None is query_data(fakeplat, "ada", unknown)["epicBoardList"]


# Changes of boards


def test_reporters_create_boards(fakeplat: Fakeplat) -> None:
    """A new board has its two fixed lists; labels are given by name, unknown ones are created, or by id."""
    payload = run(fakeplat, "rep", CREATE, groupPath="acme", name="New", hideClosedList=True, labels=["now", "fresh"])
    board = payload["epicBoard"]

    assert [] == payload["errors"]
    assert {
        "id": board["id"],
        "name": "New",
        "hideBacklogList": False,
        "hideClosedList": True,
        "displayColors": True,
        "labels": {"count": 2, "nodes": [{"title": "now"}, {"title": "fresh"}]},
    } == board
    assert ["Open"] == list_lists(fakeplat, name="New")
    named = run(fakeplat, "rep", CREATE, groupPath="acme", labelIds=[find_label(fakeplat, "later")])["epicBoard"]
    assert ("Development", ["later"]) == (named["name"], [each["title"] for each in named["labels"]["nodes"]])


def test_boards_are_changed(fakeplat: Fakeplat) -> None:
    """What is not sent stays."""
    payload = run(fakeplat, "rep", UPDATE, id=find_board(fakeplat), name="Plan", displayColors=False, labels=["now"])

    assert [] == payload["errors"]
    assert ("Plan", False, False, [{"title": "now"}]) == (
        payload["epicBoard"]["name"],
        payload["epicBoard"]["hideBacklogList"],
        payload["epicBoard"]["displayColors"],
        payload["epicBoard"]["labels"]["nodes"],
    )


def test_invalid_boards_are_refused(fakeplat: Fakeplat) -> None:
    """A name is not too long; a new board does not tell what is wrong."""
    given = {"groupPath": "acme", "name": "x" * 256}
    created = query_refused(fakeplat, "rep", CREATE, input=given)["data"]["epicBoardCreate"]
    assert {"epicBoard": None, "errors": ["There was an error when creating a board."]} == created
    changed = query_refused(fakeplat, "rep", UPDATE, input={"id": find_board(fakeplat), "name": "x" * 256})
    payload = changed["data"]["epicBoardUpdate"]
    assert ["Name is too long (maximum is 255 characters)"] == payload["errors"]
    assert "Roadmap" == payload["epicBoard"]["name"]
    both = {"id": find_board(fakeplat), "labels": ["now"], "labelIds": []}
    expected = "one and only one of labels or labelIds is required"
    assert [expected] == list_messages(query_refused(fakeplat, "rep", UPDATE, input=both))


def test_the_last_board_is_not_deleted(fakeplat: Fakeplat) -> None:
    """Boards are deleted as long as there is another one."""
    assert {"epicBoard": None, "errors": []} == run(fakeplat, "rep", DESTROY, id=find_board(fakeplat, "another"))
    payload = query_refused(fakeplat, "rep", DESTROY, input={"id": find_board(fakeplat)})["data"]["destroyEpicBoard"]
    text = "The board could not be deleted, because the parent doesn't have any other boards."
    assert {"epicBoard": {"name": "Roadmap"}, "errors": [text]} == payload


def test_guests_change_nothing(fakeplat: Fakeplat) -> None:
    """Guests and anonymous callers neither create, change nor delete boards and lists, and move no epics."""
    board, column = find_board(fakeplat), find_list(fakeplat, "now")
    calls: list[tuple[str, dict[str, Any]]] = [
        (CREATE, {"groupPath": "acme", "name": "New"}),
        (UPDATE, {"id": board, "name": "New"}),
        (DESTROY, {"id": board}),
        (ADD_LIST, {"boardId": board, "backlog": True}),
        (DESTROY_LIST, {"listId": column}),
        (
            MOVE,
            {
                "boardId": board,
                "epicId": find_epic(fakeplat, "Plan"),
                "fromListId": find_list(fakeplat, "Open"),
                "toListId": column,
            },
        ),
    ]
    for by in ("gus", "eve", None):
        for text, given in calls:
            assert [NOT_AVAILABLE] == list_messages(query_refused(fakeplat, by, text, input=given))
    unknown = {"id": "gid://gitlab/Boards::EpicBoard/1", "name": "New"}
    assert [NOT_AVAILABLE] == list_messages(query_refused(fakeplat, "rep", UPDATE, input=unknown))


# Changes of lists


def test_lists_of_labels_are_added(fakeplat: Fakeplat) -> None:
    """A list of a label comes last; the list of open epics exists already."""
    board = find_board(fakeplat)
    added = run(fakeplat, "rep", ADD_LIST, boardId=board, labelId=find_label(fakeplat, "other"))
    shown = added["list"]
    assert ("other", "label", 2, []) == (shown["title"], shown["listType"], shown["position"], added["errors"])
    backlog = run(fakeplat, "rep", ADD_LIST, boardId=board, backlog=True)["list"]
    assert find_list(fakeplat, "Open") == backlog["id"]
    assert ["Open", "now", "later", "other", "Closed"] == list_lists(fakeplat)


def test_lists_of_labels_are_checked(fakeplat: Fakeplat) -> None:
    """A label has one list at most, and must be one of the group; exactly one target is named."""
    board, now = find_board(fakeplat), find_label(fakeplat, "now")
    for label, error in ((now, "Label has already been taken"), ("gid://gitlab/GroupLabel/1", "Label not found")):
        content = query_refused(fakeplat, "rep", ADD_LIST, input={"boardId": board, "labelId": label})
        assert {"list": None, "errors": [error]} == content["data"]["epicBoardListCreate"]
    for target in ({}, {"backlog": True, "labelId": now}):
        content = query_refused(fakeplat, "rep", ADD_LIST, input={"boardId": board, **target})
        assert ["one and only one of backlog or labelId is required"] == list_messages(content)


def test_lists_are_moved(fakeplat: Fakeplat) -> None:
    """A list of a label gets another place; the fixed ones have none."""
    moved = run(fakeplat, "rep", UPDATE_LIST, listId=find_list(fakeplat, "later"), position=0)

    assert ("later", 0, []) == (moved["list"]["title"], moved["list"]["position"], moved["errors"])
    assert ["Open", "later", "now", "Closed"] == list_lists(fakeplat)
    for title, place in (("Open", 0), ("later", 0), ("later", 2)):
        given = {"listId": find_list(fakeplat, title), "position": place}
        payload = query_refused(fakeplat, "rep", UPDATE_LIST, input=given)["data"]["updateEpicBoardList"]
        assert (title, ["The update was not successful."]) == (payload["list"]["title"], payload["errors"])


def test_everybody_folds_up_lists_for_themselves(fakeplat: Fakeplat) -> None:
    """A list is folded up for one user; Guests do not move it."""
    column = find_list(fakeplat, "now")

    assert run(fakeplat, "gus", UPDATE_LIST, listId=column, collapsed=True, position=1)["list"]["collapsed"]
    assert [False, True, False, False] == [each["collapsed"] for each in list_lists(fakeplat, "collapsed", "gus")]
    assert [False] * 4 == [each["collapsed"] for each in list_lists(fakeplat, "collapsed")]
    assert ["Open", "now", "later", "Closed"] == list_lists(fakeplat)
    assert not run(fakeplat, "gus", UPDATE_LIST, listId=column, collapsed=False)["list"]["collapsed"]
    content = query_refused(fakeplat, "gus", UPDATE_LIST, input={"listId": column, "position": 1})
    assert ["The update was not successful."] == content["data"]["updateEpicBoardList"]["errors"]
    content = query_refused(fakeplat, "rep", UPDATE_LIST, input={"listId": "gid://gitlab/Boards::EpicList/1"})
    assert [NOT_AVAILABLE] == list_messages(content)


def test_lists_of_labels_are_deleted(fakeplat: Fakeplat) -> None:
    """The lists behind a deleted one move up; the fixed lists stay."""
    assert {"list": None, "errors": []} == run(fakeplat, "rep", DESTROY_LIST, listId=find_list(fakeplat, "now"))
    assert [None, 0, None] == [each["position"] for each in list_lists(fakeplat, "position")]
    for title in ("Open", "Closed"):
        content = query_refused(fakeplat, "rep", DESTROY_LIST, input={"listId": find_list(fakeplat, title)})
        text = "Open and closed lists on a board cannot be destroyed."
        assert {"list": {"title": title}, "errors": [text]} == content["data"]["epicBoardListDestroy"]


# Moves of epics


@pytest.mark.parametrize(
    ("title", "source", "target", "labels", "state"),
    [
        ("Plan", "Open", "now", ["now"], "opened"),
        ("Ship", "now", "later", ["later", "other"], "opened"),
        ("Ship", "now", "Open", ["other"], "opened"),
        ("Ship", "now", "Closed", ["other"], "closed"),
        ("Old", "Closed", "later", ["later", "now"], "opened"),
        ("Old", "Closed", "Open", [], "opened"),
        ("Plan", "Open", "Open", [], "opened"),
    ],
)
def test_moves_change_labels_and_states(
    fakeplat: Fakeplat, title: str, source: str, target: str, labels: list[str], state: str
) -> None:
    """An epic gets the label of its new list and loses that of the old one, or all of the board; it opens or closes."""
    payload = move(fakeplat, title, source, target)

    assert [] == payload["errors"]
    assert (state, labels) == (
        payload["epic"]["state"],
        [each["title"] for each in payload["epic"]["labels"]["nodes"]],
    )


def test_epics_are_put_in_order(fakeplat: Fakeplat) -> None:
    """An epic comes after one and before another one; those without a place follow, the newest first."""
    move(fakeplat, "Kit", None, "Open", moveBeforeId="Secret")
    assert ["Secret", "Kit", "Plan"] == list_epics(fakeplat)["Open"]
    move(fakeplat, "Plan", None, "Open", moveAfterId="Secret")
    assert ["Plan", "Secret", "Kit"] == list_epics(fakeplat)["Open"]
    move(fakeplat, "Kit", None, "Open", moveBeforeId="Plan", moveAfterId="Secret")
    assert ["Plan", "Kit", "Secret"] == list_epics(fakeplat)["Open"]
    move(fakeplat, "Plan", "Open", "now", moveBeforeId="Ship")
    assert ["Ship", "Plan", "Build"] == list_epics(fakeplat)["now"]


def test_moves_name_a_list_or_a_neighbour(fakeplat: Fakeplat) -> None:
    """The new list alone is not sufficient."""
    given = {
        "boardId": find_board(fakeplat),
        "epicId": find_epic(fakeplat, "Plan"),
        "toListId": find_list(fakeplat, "now"),
    }
    text = (
        "At least one of the following parameters is required: fromListId, moveAfterId, moveBeforeId, positionInList."
    )
    assert [text] == list_messages(query_refused(fakeplat, "rep", MOVE, input=given))


@pytest.mark.fakeplat(version="15.7")
def test_moves_named_a_list_or_a_neighbour(fakeplat: Fakeplat) -> None:
    """Releases without places in lists say so in other words."""
    given = {
        "boardId": find_board(fakeplat),
        "epicId": find_epic(fakeplat, "Plan"),
        "toListId": find_list(fakeplat, "now"),
    }
    text = "One of the parameters fromListId, afterId, beforeId is required together with the toListId parameter."
    assert [text] == list_messages(query_refused(fakeplat, "rep", MOVE, input=given))


@pytest.mark.parametrize(
    ("place", "titles"),
    [
        (0, ["Plan", "Secret", "Kit"]),
        (1, ["Secret", "Plan", "Kit"]),
        (7, ["Secret", "Kit", "Plan"]),
        (-1, ["Secret", "Kit", "Plan"]),
    ],
)
def test_epics_are_put_at_a_place(fakeplat: Fakeplat, place: int, titles: list[str]) -> None:
    """Places start at 0, and -1 is the end, like those that the list does not have."""
    move(fakeplat, "Kit", None, "Open", moveBeforeId="Secret")
    given = {
        "boardId": find_board(fakeplat),
        "epicId": find_epic(fakeplat, "Plan"),
        "toListId": find_list(fakeplat, "Open"),
    }
    assert [] == run(fakeplat, "rep", MOVE, **given, positionInList=place)["errors"]
    assert titles == list_epics(fakeplat)["Open"]


@pytest.mark.parametrize(
    ("where", "text"),
    [
        ({"positionInList": -2}, "positionInList must be >= 0 or -1"),
        (
            {"positionInList": 0, "moveAfterId": "gid://gitlab/Epic/1"},
            "positionInList is mutually exclusive with any of moveBeforeId or moveAfterId",
        ),
    ],
    ids=["negative", "two"],
)
def test_places_are_checked(fakeplat: Fakeplat, where: dict[str, Any], text: str) -> None:
    """A place is a number from -1 on, without other epics beside it."""
    given = {
        "boardId": find_board(fakeplat),
        "epicId": find_epic(fakeplat, "Plan"),
        "toListId": find_list(fakeplat, "Open"),
    }
    assert [text] == list_messages(query_refused(fakeplat, "rep", MOVE, input={**given, **where}))


def test_deleted_epics_and_labels_leave_boards(fakeplat: Fakeplat) -> None:
    """The list of a deleted label is deleted, and the order goes on without deleted epics."""
    move(fakeplat, "Kit", None, "Open", moveBeforeId="Secret")
    client = fakeplat.as_user("ada")

    assert 204 == client.delete("/api/v4/groups/acme/epics/1").status
    assert 204 == client.delete("/api/v4/groups/acme/labels/now").status
    assert ["Open", "later", "Closed"] == list_lists(fakeplat)
    assert ["Secret", "Kit", "Ship", "Build"] == list_epics(fakeplat)["Open"]
