"""To-dos: what they show, whose they are, and being done with them."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.merge_requests import OPEN, get_json
from tests.api.notes import ONE, create_note, list_todos
from tests.graphql.queries import NOT_AVAILABLE, list_messages, query_data, query_project, query_refused, write_mutation

TODO = "id action state body targetType createdAt author { username } project { fullPath }"


def query_todos(fake: Fakeplat, by: str, arguments: str = "", selection: str = "body") -> list[Any]:
    answer = query_data(fake, by, f"{{ currentUser {{ todos{arguments} {{ nodes {{ {selection} }} }} }} }}")
    rows: list[Any] = answer["currentUser"]["todos"]["nodes"]
    return rows


def build_mutation(name: str, selection: str = "todo { id state }") -> str:
    return write_mutation(name, selection)


@pytest.fixture
def asked(fakeplat: Fakeplat) -> Fakeplat:
    """Mia is named in a note on issue 1 and assigned to merge request 2."""
    create_note(fakeplat, "What says @mia?", "ada")
    fakeplat.as_user("dev").put(OPEN.replace("/1", "/2"), json={"assignee_id": fakeplat.world.user("mia").id})
    return fakeplat


def test_a_todo_shows_what_rest_shows(asked: Fakeplat) -> None:
    """To-dos have the values that REST shows, the newest first."""
    rest = asked.as_user("mia").get("todos").json()

    assert [
        {
            "id": f"gid://gitlab/Todo/{todo['id']}",
            "action": todo["action_name"],
            "state": todo["state"],
            "body": todo["body"],
            "targetType": todo["target_type"].upper(),
            "createdAt": f"{todo['created_at'][:19]}Z",
            "author": {"username": todo["author"]["username"]},
            "project": {"fullPath": "acme/site"},
        }
        for todo in rest
    ] == query_todos(asked, "mia", selection=TODO)
    assert 2 == len(rest)


@pytest.mark.parametrize(
    ("arguments", "targets"),
    [
        ("", ["MERGEREQUEST", "ISSUE"]),
        ("(state: [done])", []),
        ("(state: [pending, done])", ["MERGEREQUEST", "ISSUE"]),
        ("(action: [mentioned])", ["ISSUE"]),
        ("(type: [MERGEREQUEST])", ["MERGEREQUEST"]),
        ('(authorId: ["gid://gitlab/User/1"])', []),
        ('(projectId: ["gid://gitlab/Project/1"])', []),
    ],
)
def test_todos_are_chosen(asked: Fakeplat, arguments: str, targets: list[str]) -> None:
    """To-dos are filtered, and only pending ones are listed by default."""
    assert targets == [todo["targetType"] for todo in query_todos(asked, "mia", arguments, "targetType")]


def test_todos_are_ones_own(asked: Fakeplat) -> None:
    """Nobody sees another user's to-dos, not even an administrator, and an issue shows the caller's."""
    query = '{ user(username: "mia") { todos { nodes { id } } } }'
    mine = 'issue(iid: "1") { currentUserTodos { nodes { body } } }'

    todos = {by: query_data(asked, by, query)["user"]["todos"]["nodes"] for by in ("mia", "root", None)}
    assert {"mia": 2, "root": 0, None: 0} == {by: len(rows) for by, rows in todos.items()}
    assert [{"body": "What says @mia?"}] == query_project(asked, "mia", mine)["issue"]["currentUserTodos"]["nodes"]
    assert [] == query_project(asked, "rep", mine)["issue"]["currentUserTodos"]["nodes"]


@pytest.mark.fakeplat(version="13.6")
def test_todos_of_a_record_are_of_each_state(asked: Fakeplat) -> None:
    """A record shows the caller's to-dos of both states, or of the given one."""
    (first,) = query_todos(asked, "mia", "(type: [ISSUE])", "id")
    query_data(asked, "mia", build_mutation("todoMarkDone"), input={"id": first["id"]})
    target = f"gid://gitlab/Issue/{get_json(asked, ONE)['id']}"
    second = query_data(asked, "mia", build_mutation("todoCreate"), input={"targetId": target})["todoCreate"]["todo"]
    expected = {"": [second["id"], first["id"]], "(state: pending)": [second["id"]], "(state: done)": [first["id"]]}
    for arguments, ids in expected.items():
        query = f'issue(iid: "1") {{ currentUserTodos{arguments} {{ nodes {{ id }} }} }}'
        nodes = query_project(asked, "mia", query)["issue"]["currentUserTodos"]["nodes"]
        assert ids == [node["id"] for node in nodes]


def test_one_is_done(asked: Fakeplat) -> None:
    """A to-do marked as done in GraphQL is done in REST, too."""
    id_ = query_todos(asked, "mia", selection="id")[0]["id"]
    done = query_data(asked, "mia", build_mutation("todoMarkDone"), input={"id": id_})["todoMarkDone"]

    assert {"todo": {"id": id_, "state": "done"}, "errors": []} == done
    assert [("mentioned", "What says @mia?")] == list_todos(asked, "mia")


@pytest.mark.parametrize("name", ["todoMarkDone", "todoRestore"])
@pytest.mark.parametrize("by", ["rep", "root", None])
def test_anothers_is_not_there(asked: Fakeplat, by: str | None, name: str) -> None:
    """The to-do of somebody else is not available, not even to administrators."""
    id_ = query_todos(asked, "mia", selection="id")[0]["id"]

    assert [NOT_AVAILABLE] == list_messages(query_refused(asked, by, build_mutation(name), input={"id": id_}))


def test_all_are_done(asked: Fakeplat) -> None:
    """Marking all to-dos as done lists those that were pending."""
    before = {todo["id"] for todo in query_todos(asked, "mia", selection="id")}
    selection = "updatedIds todos { id state }"
    done = query_data(asked, "mia", build_mutation("todosMarkAllDone", selection), input={})["todosMarkAllDone"]

    assert before == {*done["updatedIds"]} == {todo["id"] for todo in done["todos"]}
    assert [] == list_todos(asked, "mia")


def test_one_is_restored(asked: Fakeplat) -> None:
    """A restored to-do is pending again, and a pending one stays pending."""
    id_ = query_todos(asked, "mia", selection="id")[0]["id"]
    query_data(asked, "mia", build_mutation("todoMarkDone"), input={"id": id_})
    for _ in range(2):
        restored = query_data(asked, "mia", build_mutation("todoRestore"), input={"id": id_})["todoRestore"]
        assert {"todo": {"id": id_, "state": "pending"}, "errors": []} == restored
    assert id_ in {todo["id"] for todo in query_todos(asked, "mia", selection="id")}


def test_many_are_restored(asked: Fakeplat) -> None:
    """Of the given to-dos, those that are the caller's and done are restored; others are ignored."""
    first, second = (todo["id"] for todo in query_todos(asked, "mia", selection="id"))
    query_data(asked, "mia", build_mutation("todoMarkDone"), input={"id": second})
    asking_many, given = build_mutation("todoRestoreMany", "updatedIds todos { id state }"), {"ids": [first, second]}
    nothing: dict[str, Any] = {"updatedIds": [], "todos": [], "errors": []}

    for by in ("rep", "root"):
        assert nothing == query_data(asked, by, asking_many, input=given)["todoRestoreMany"]
    restored = query_data(asked, "mia", asking_many, input=given)["todoRestoreMany"]
    assert {"updatedIds": [second], "todos": [{"id": second, "state": "pending"}], "errors": []} == restored
    many = query_refused(asked, "mia", asking_many, input={"ids": [first] * 51})
    assert ["Too many todos requested."] == list_messages(many)


@pytest.mark.parametrize("name", ["todoMarkDone", "todoRestore"])
def test_an_id_of_something_else_is_no_to_do(asked: Fakeplat, name: str) -> None:
    """A global id of another type is refused with the expected type."""
    (text,) = list_messages(query_refused(asked, "mia", build_mutation(name), input={"id": "gid://gitlab/User/1"}))

    assert text.endswith('for id ("gid://gitlab/User/1" does not represent an instance of Todo)')


@pytest.mark.fakeplat(version="13.6")
@pytest.mark.parametrize(("path", "word"), [(ONE, "Issue"), (OPEN, "MergeRequest")])
def test_one_is_made(fakeplat: Fakeplat, path: str, word: str) -> None:
    """A to-do is created for a record once, and not while a pending one exists."""
    given = {"targetId": f"gid://gitlab/{word}/{get_json(fakeplat, path)['id']}"}
    first, again = (
        query_data(fakeplat, "rep", build_mutation("todoCreate"), input=given)["todoCreate"] for _ in range(2)
    )

    assert ("pending", []) == (first["todo"]["state"], first["errors"])
    assert {"todo": None, "errors": []} == again
    assert [("marked", get_json(fakeplat, path)["title"])] == list_todos(fakeplat, "rep")


@pytest.mark.fakeplat(version="13.6")
@pytest.mark.parametrize("by", ["eve", None])
def test_what_is_hidden_is_nothing_to_do(fakeplat: Fakeplat, by: str | None) -> None:
    """`todoCreate` for an issue that the caller cannot read is refused as not available."""
    given = {"targetId": f"gid://gitlab/Issue/{get_json(fakeplat, ONE)['id']}"}

    assert [NOT_AVAILABLE] == list_messages(query_refused(fakeplat, by, build_mutation("todoCreate"), input=given))


@pytest.mark.fakeplat(version="14.10", tier="premium")
def test_a_todo_shows_its_target(asked: Fakeplat) -> None:
    """The target of a to-do is shown by its type: an issue, a merge request, an epic or a commit."""
    group = asked.as_user("ada").get("groups/acme").json()["id"]
    asked.as_user("ada").post(f"groups/{group}/epics", json={"title": "Plan", "description": "@mia"})
    sha = asked.as_user("ada").get("projects/acme%2Fsite/repository/commits").json()[0]["id"]
    asked.as_user("ada").post(f"projects/acme%2Fsite/repository/commits/{sha}/comments", json={"note": "@mia?"})
    shown = """target { __typename webUrl ... on Issue { iid } ... on MergeRequest { title } ... on Commit { sha }
        ... on Epic { title } }"""
    targets = [todo["target"] for todo in query_todos(asked, "mia", selection=shown)]

    assert ["Commit", "Epic", "MergeRequest", "Issue"] == [target["__typename"] for target in targets]
    assert (sha, "Plan", "1") == (targets[0]["sha"], targets[1]["title"], targets[3]["iid"])
    assert [True] * 4 == [target["webUrl"].startswith(asked.url) for target in targets]


@pytest.mark.fakeplat(version="18.5")
def test_targets_have_names(asked: Fakeplat) -> None:
    """The name of a target is its title; a page of a wiki is not shown."""
    titles = [asked.as_user("mia").get(path).json()["title"] for path in (OPEN.replace("/1", "/2"), ONE)]
    todos = query_todos(asked, "mia", selection="targetEntity { name }")
    assert titles == [todo["targetEntity"]["name"] for todo in todos]
