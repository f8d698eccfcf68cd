"""Lists of issue boards, the issues in them, and how these are moved, by GraphQL.

Source: docs/platform/boards.md, spec/requests/api/graphql/boards of the platform.
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.graphql.queries import (
    NOT_AVAILABLE,
    list_messages,
    query_data,
    query_project,
    query_refused,
    write_mutation,
)

SITE: dict[str, Any] = {
    "path_with_namespace": "acme/site",
    "labels": [{"title": name, "color": "#428bca"} for name in ("fault", "idea")],
    "milestones": [{"title": "v9"}],
    "boards": [{"name": "Work", "lists": [{"label": "fault"}, {"label": "idea"}]}],
    "issues": [
        {"title": "Plain", "author": "gus", "weight": 2, "relative_position": 100},
        {"title": "Broken", "author": "rep", "labels": ["fault"], "weight": 3, "relative_position": 200},
        {"title": "Torn", "author": "gus", "labels": ["fault", "idea"], "assignees": ["dev"], "relative_position": 300},
        {"title": "Over", "author": "rep", "labels": ["fault"], "state": "closed"},
        {"title": "Secret", "author": "ada", "confidential": True, "relative_position": 400},
    ],
}
PREMIUM = {"extends": "starter", "instance": {"tier": "premium"}, "projects": [SITE]}
pytestmark = pytest.mark.fakeplat(version="latest", clock="virtual", scenario=PREMIUM)
LISTS = """boards { nodes { name id lists { nodes {
    id title listType position issuesCount totalIssueWeight label { title } } } } }"""


def find_board(fake: Fakeplat, by: str = "mia", selection: str = LISTS) -> dict[str, Any]:
    nodes = query_project(fake, by, selection)["boards"]["nodes"]
    return next(node for node in nodes if node["name"] == "Work")


def find_lists(fake: Fakeplat, by: str = "mia") -> dict[str, dict[str, Any]]:
    return {row["title"]: row for row in find_board(fake, by)["lists"]["nodes"]}


def list_titles(fake: Fakeplat, by: str = "mia", filters: str = "{}") -> dict[str, list[str]]:
    list_fields = f"title issues(filters: {filters}) {{ nodes {{ title }} }}"
    selection = f"boards {{ nodes {{ name lists {{ nodes {{ {list_fields} }} }} }} }}"
    rows = find_board(fake, by, selection)["lists"]["nodes"]
    own = ("Plain", "Broken", "Torn", "Over", "Secret")
    return {row["title"]: [issue["title"] for issue in row["issues"]["nodes"] if issue["title"] in own] for row in rows}


def test_lists_stand_between_those_of_open_and_closed_issues(fakeplat: Fakeplat) -> None:
    """A board has a list of open issues, its own ones with positions, and one of closed issues."""
    lists = find_lists(fakeplat)

    assert [("Open", "backlog", None), ("fault", "label", 0), ("idea", "label", 1), ("Closed", "closed", None)] == [
        (row["title"], row["listType"], row["position"]) for row in lists.values()
    ]
    assert [None, {"title": "fault"}] == [lists[name]["label"] for name in ("Open", "fault")]
    assert (2, "3") == (lists["fault"]["issuesCount"], lists["fault"]["totalIssueWeight"])


def test_lists_are_paginated(fakeplat: Fakeplat) -> None:
    """A page of lists goes on after the cursor of one."""
    page = "edges { cursor node { title } } pageInfo { endCursor }"
    first = find_board(fakeplat, "mia", f"boards {{ nodes {{ name lists(first: 3) {{ {page} }} }} }}")["lists"]
    after = first["pageInfo"]["endCursor"]
    rest = find_board(fakeplat, "mia", f'boards {{ nodes {{ name lists(after: "{after}") {{ {page} }} }} }}')["lists"]

    assert ["Open", "fault", "idea"] == [edge["node"]["title"] for edge in first["edges"]]
    assert after == first["edges"][-1]["cursor"]
    assert ["Closed"] == [edge["node"]["title"] for edge in rest["edges"]]


def test_issues_are_in_the_lists_of_their_labels(fakeplat: Fakeplat) -> None:
    """An open issue is in each list that it belongs to, or else in that of open issues; others see no secrets."""
    expected = {"Open": ["Plain", "Secret"], "fault": ["Broken", "Torn"], "idea": ["Torn"], "Closed": ["Over"]}

    assert expected == list_titles(fakeplat)
    assert {**expected, "Open": ["Plain"]} == list_titles(fakeplat, "gus")


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ('{authorUsername: "rep"}', ["Broken"]),
        ('{assigneeUsername: ["dev"]}', ["Torn"]),
        ("{assigneeWildcardId: NONE}", ["Broken"]),
        ('{not: {labelName: ["idea"]}}', ["Broken"]),
        ('{search: "torn"}', ["Torn"]),
        ('{weight: "3"}', ["Broken"]),
        ('{labelName: ["idea"]}', ["Torn"]),
        ('{milestoneTitle: "v9"}', []),
        ('{iterationTitle: "none"}', []),
    ],
)
def test_issues_of_lists_are_filtered(fakeplat: Fakeplat, filters: str, expected: list[str]) -> None:
    """A list shows the issues that pass the filters of a board."""
    assert expected == list_titles(fakeplat, filters=filters)["fault"]


def test_filters_that_exclude_each_other_are_refused(fakeplat: Fakeplat) -> None:
    """A name and a kind of assignees together are an error."""
    filters = '{assigneeUsername: ["dev"], assigneeWildcardId: ANY}'
    lists = f"lists {{ nodes {{ issues(filters: {filters}) {{ nodes {{ id }} }} }} }}"
    query = f'{{ project(fullPath: "acme/site") {{ boards {{ nodes {{ {lists} }} }} }} }}'
    messages = {*list_messages(query_refused(fakeplat, "mia", query))}

    assert {"Incompatible arguments: assigneeUsername, assigneeWildcardId."} == messages


def test_a_list_is_found_by_its_id(fakeplat: Fakeplat) -> None:
    """A list is found by its global id, with a number of issues that pass filters; not by those who do not see it."""
    query = 'query($id: ListID!) { boardList(id: $id, issueFilters: {authorUsername: "rep"}) { title issuesCount } }'
    lists = find_lists(fakeplat)

    for name in ("Open", "fault", "Closed"):
        assert name == query_data(fakeplat, "mia", query, id=lists[name]["id"])["boardList"]["title"]
    board_list = query_data(fakeplat, "mia", query, id=lists["fault"]["id"])["boardList"]
    assert {"title": "fault", "issuesCount": 1} == board_list
    assert query_data(fakeplat, None, query, id=lists["fault"]["id"])["boardList"] is None
    assert query_data(fakeplat, "mia", query, id="gid://gitlab/List/7")["boardList"] is None


# Changes of lists

CREATE = write_mutation("boardListCreate", "list { title listType position }")
UPDATE = write_mutation("updateBoardList", "list { title position }")
DESTROY = write_mutation("destroyBoardList", "list { title }")


def find_label_id(fake: Fakeplat, name: str) -> str:
    labels = query_project(fake, "mia", "labels { nodes { id title } }")["labels"]["nodes"]
    return str(next(label["id"] for label in labels if label["title"] == name))


def create_list(fake: Fakeplat, **target: Any) -> Any:
    board = find_board(fake)["id"]
    return query_data(fake, "mia", CREATE, input={"boardId": board, **target})["boardListCreate"]


def test_a_list_is_added_at_a_place(fakeplat: Fakeplat) -> None:
    """A list of a label or of a milestone is added at the end or at a position; a second one is an error."""
    fakeplat.as_user("mia").post("projects/acme%2Fsite/labels", json={"name": "now", "color": "#ff0000"})
    milestone = fakeplat.as_user("mia").get("projects/acme%2Fsite/milestones?title=v9").json()[0]["id"]
    first = create_list(fakeplat, labelId=find_label_id(fakeplat, "now"), position=0)
    second = create_list(fakeplat, milestoneId=f"gid://gitlab/Milestone/{milestone}")

    assert {"title": "now", "listType": "label", "position": 0} == first["list"]
    assert {"title": "v9", "listType": "milestone", "position": 3} == second["list"]
    assert ["Open", "now", "fault", "idea", "v9", "Closed"] == [*find_lists(fakeplat)]
    assert create_list(fakeplat, labelId=find_label_id(fakeplat, "now"))["list"] is None
    assert "Open" == create_list(fakeplat, backlog=True)["list"]["title"]


@pytest.mark.parametrize("target", [{}, {"backlog": True, "labelId": "gid://gitlab/Label/1"}], ids=["none", "two"])
def test_a_list_has_one_subject(fakeplat: Fakeplat, target: dict[str, Any]) -> None:
    """A new list is for exactly one thing."""
    content = query_refused(fakeplat, "mia", CREATE, input={"boardId": find_board(fakeplat)["id"], **target})
    text = "one and only one of backlog or labelId or milestoneId or iterationId or assigneeId is required"
    assert [text] == list_messages(content)


def test_lists_are_moved_and_deleted(fakeplat: Fakeplat) -> None:
    """A list gets another position or is deleted; that of closed issues stays."""
    lists = find_lists(fakeplat)
    moved = query_data(fakeplat, "mia", UPDATE, input={"listId": lists["idea"]["id"], "position": 0})
    deleted = query_data(fakeplat, "mia", DESTROY, input={"listId": lists["fault"]["id"]})
    kept = query_data(fakeplat, "mia", DESTROY, input={"listId": lists["Closed"]["id"]})["destroyBoardList"]

    assert {"list": {"title": "idea", "position": 0}, "errors": []} == moved["updateBoardList"]
    assert {"list": None, "errors": []} == deleted["destroyBoardList"]
    text = "Open and closed lists on a board cannot be destroyed."
    assert {"list": {"title": "Closed"}, "errors": [text]} == kept
    assert ["Open", "idea", "Closed"] == [*find_lists(fakeplat)]


def test_only_reporters_change_lists(fakeplat: Fakeplat) -> None:
    """A Guest adds and deletes no list, and moves none."""
    lists = find_lists(fakeplat)
    board = find_board(fakeplat)["id"]
    for text, given in (
        (CREATE, {"boardId": board, "labelId": find_label_id(fakeplat, "fault")}),
        (DESTROY, {"listId": lists["fault"]["id"]}),
    ):
        assert [NOT_AVAILABLE] == list_messages(query_refused(fakeplat, "gus", text, input=given))
    moved = query_data(fakeplat, "gus", UPDATE, input={"listId": lists["idea"]["id"], "position": 0})
    assert 1 == moved["updateBoardList"]["list"]["position"]


# Moves of issues

MOVE = write_mutation("issueMoveList", "issue { title state labels { nodes { title } } }")


def find_number(fake: Fakeplat, title: str) -> int:
    return next(issue.id for issue in fake.bench.platform.view.issues.all() if issue.title == title)


def move(fake: Fakeplat, title: str, by: str = "mia", **where: Any) -> Any:
    lists = {name: row["id"].rpartition("/")[2] for name, row in find_lists(fake).items()}
    iid = next(issue.iid for issue in fake.bench.platform.view.issues.all() if issue.title == title)
    given = {name: lists.get(value, value) for name, value in where.items()}
    target = {"boardId": find_board(fake)["id"], "projectPath": "acme/site", "iid": str(iid), **given}
    return query_data(fake, by, MOVE, input=target)["issueMoveList"]


@pytest.mark.parametrize(
    ("title", "source", "target", "state", "labels"),
    [
        ("Broken", "fault", "idea", "opened", ["idea"]),
        ("Plain", "Open", "fault", "opened", ["fault"]),
        ("Torn", "fault", "Closed", "closed", []),
        ("Over", "Closed", "idea", "opened", ["fault", "idea"]),
        ("Torn", "fault", "Open", "opened", []),
    ],
)
def test_moved_issues_change_their_labels_and_state(
    fakeplat: Fakeplat, title: str, source: str, target: str, state: str, labels: list[str]
) -> None:
    """An issue gets the label of its new list and loses that of the old one; to and from closed issues, its state."""
    issue = move(fakeplat, title, fromListId=source, toListId=target)["issue"]
    assert (state, labels) == (issue["state"], sorted(label["title"] for label in issue["labels"]["nodes"]))


def test_issues_are_moved_within_a_list(fakeplat: Fakeplat) -> None:
    """An issue is put before or after another one, or at a place of a list."""
    move(fakeplat, "Torn", moveAfterId=str(find_number(fakeplat, "Broken")))
    first = list_titles(fakeplat)["fault"]
    move(fakeplat, "Torn", fromListId="fault", toListId="fault", positionInList=-1)
    second = list_titles(fakeplat)["fault"]
    move(fakeplat, "Plain", fromListId="Open", toListId="fault", positionInList=0)

    assert (["Torn", "Broken"], ["Broken", "Torn"]) == (first, second)
    assert ["Plain", "Broken", "Torn"] == list_titles(fakeplat)["fault"]


def test_lists_of_assignees_and_milestones_change_these(fakeplat: Fakeplat) -> None:
    """An issue gets the assignee or the milestone of its new list, and loses it in that of open issues."""
    dev = fakeplat.world.user("dev").id
    milestone = fakeplat.as_user("mia").get("projects/acme%2Fsite/milestones?title=v9").json()[0]["id"]
    create_list(fakeplat, assigneeId=f"gid://gitlab/User/{dev}")
    create_list(fakeplat, milestoneId=f"gid://gitlab/Milestone/{milestone}")

    def show() -> tuple[tuple[int, ...], int | None]:
        issue = next(row for row in fakeplat.bench.platform.view.issues.all() if row.title == "Plain")
        return issue.assignee_ids, issue.milestone_id

    seen = []
    for source, target in (("Open", "@dev"), ("@dev", "v9"), ("v9", "Open"), ("@dev", "Open")):
        move(fakeplat, "Plain", fromListId=source, toListId=target)
        seen.append(show())
    assert [((dev,), None), ((dev,), milestone), ((dev,), None), ((), None)] == seen


ARGUMENTS = "fromListId, toListId, positionInList, moveAfterId, or moveBeforeId"


@pytest.mark.parametrize(
    ("where", "message"),
    [
        (
            {},
            f"At least one of the arguments {ARGUMENTS} is required",
        ),
        ({"fromListId": "fault"}, "Both fromListId and toListId must be present"),
        ({"positionInList": 0}, "Both fromListId and toListId are required when positionInList is given"),
        ({"fromListId": "fault", "toListId": "fault", "positionInList": -2}, "positionInList must be >= 0 or -1"),
        (
            {"fromListId": "fault", "toListId": "fault", "positionInList": 0, "moveAfterId": "1"},
            "positionInList is mutually exclusive with any of moveBeforeId or moveAfterId",
        ),
    ],
    ids=["nothing", "one list", "no list", "place", "both"],
)
def test_incomplete_moves_are_refused(fakeplat: Fakeplat, where: dict[str, Any], message: str) -> None:
    """A move needs a source and a target, or a place."""
    target = {"boardId": find_board(fakeplat)["id"], "projectPath": "acme/site", "iid": "1", **where}
    assert [message] == list_messages(query_refused(fakeplat, "mia", MOVE, input=target))


def test_guests_move_no_issues(fakeplat: Fakeplat) -> None:
    """Who may not update an issue does not move it."""
    iid = next(issue.iid for issue in fakeplat.bench.platform.view.issues.all() if issue.title == "Broken")
    target = {"boardId": find_board(fakeplat)["id"], "projectPath": "acme/site", "iid": str(iid), "moveAfterId": "1"}
    assert [NOT_AVAILABLE] == list_messages(query_refused(fakeplat, "gus", MOVE, input=target))


def test_a_board_is_limited_to_its_scope(fakeplat: Fakeplat) -> None:
    """The lists of a board that is limited to an assignee show the issues of that one only."""
    number = find_board(fakeplat)["id"].rpartition("/")[2]
    fakeplat.as_user("mia").put(
        f"projects/acme%2Fsite/boards/{number}", json={"assignee_id": fakeplat.world.user("dev").id}
    )
    assert {"Open": [], "fault": ["Torn"], "idea": ["Torn"], "Closed": []} == list_titles(fakeplat)


def test_boards_of_groups_have_the_issues_of_all_projects(fakeplat: Fakeplat) -> None:
    """The list of open issues of a group's board has the issues of its projects."""
    fakeplat.as_user("rep").post("groups/acme/boards", json={"name": "All"})
    query = (
        '{ group(fullPath: "acme") { boards { nodes { name lists { nodes { title issues { nodes { title } } } } } } } }'
    )
    boards = query_data(fakeplat, "mia", query)["group"]["boards"]["nodes"]
    opened, _ = next(board for board in boards if board["name"] == "All")["lists"]["nodes"]

    assert {"Plain", "Broken", "Torn", "Secret"} <= {issue["title"] for issue in opened["issues"]["nodes"]}
