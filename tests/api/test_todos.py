"""To-dos. Source: docs/platform/todos.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import (
    ACCESS_REQUESTS_ARE_TODOS,
    EACH_ACCESS_REQUEST_IS_A_TODO,
    TODOS_HAVE_MORE_ACTIONS,
)
from tests.api.company import COMPANY
from tests.api.issue_fields import ISSUE
from tests.api.notes import ONE, TWO, create_note, list_todos
from tests.api.planning_records import ACME, DOCS, KIT, MISSING, SITE, create_record, get_json, issue
from tests.api.requests import (
    UNAUTHORIZED,
    UNMODIFIED,
    Outcome,
    invalid,
    names,
    outcome,
    person,
    refusal,
    resource_not_found,
)
from tests.by_release import by_release
from tests.graphql.queries import query_data

pytestmark = pytest.mark.fakeplat(scenario=COMPANY)


@pytest.mark.fakeplat(clock="virtual")
def test_a_to_do(fakeplat: Fakeplat) -> None:
    """A new to-do shows its project, author and target."""
    new_issue = issue(fakeplat)
    todo = create_record(fakeplat, f"{ONE}/todo", "gus")
    target, project, author = todo.pop("target"), todo.pop("project"), todo.pop("author")

    assert {
        "id": todo["id"],
        "action_name": "marked",
        "target_type": "Issue",
        "target_url": new_issue["web_url"],
        "body": "One",
        "state": "pending",
        "created_at": "2020-11-20T09:00:00.001Z",
    } == todo
    assert {
        "id": new_issue["project_id"],
        "description": None,
        "name": "Site",
        "name_with_namespace": "Acme / Site",
        "path": "site",
        "path_with_namespace": "acme/site",
        "created_at": "2020-11-20T09:00:00.000Z",
    } == project
    assert ("gus", ISSUE | {"subscribed"}) == (author["username"], set(target))
    assert [{**todo, "target": target, "project": project, "author": author}] == get_json(fakeplat, "todos", "gus")


def test_a_record_has_one_pending_todo(fakeplat: Fakeplat) -> None:
    """A second to-do for an issue answers 304 while one is pending."""
    issue(fakeplat, description="@gus")
    assert UNMODIFIED == refusal(fakeplat, "gus", "POST", f"{ONE}/todo")
    fakeplat.as_user("gus").post("todos/mark_as_done")
    create_record(fakeplat, f"{ONE}/todo", "gus")
    assert UNMODIFIED == refusal(fakeplat, "gus", "POST", f"{ONE}/todo")


def test_the_target_counts_its_awards(fakeplat: Fakeplat) -> None:
    """An issue with its votes and merge requests, as it is when the list is read."""
    issue(fakeplat)
    create_record(fakeplat, f"{ONE}/todo", "gus")
    for by, name in (("ada", "thumbsup"), ("dev", "thumbsdown"), ("mia", "thumbsup")):
        create_record(fakeplat, f"{ONE}/award_emoji", by, name=name)
    (todo,) = get_json(fakeplat, "todos", "gus")
    assert (2, 1, 0) == tuple(todo["target"][name] for name in ("upvotes", "downvotes", "merge_requests_count"))


@pytest.mark.parametrize(
    ("who", "method", "path", "expected"),
    [
        (None, "GET", "todos", UNAUTHORIZED),
        (None, "POST", "todos/mark_as_done", UNAUTHORIZED),
        (None, "POST", "todos/1/mark_as_done", UNAUTHORIZED),
        (None, "POST", f"{ONE}/todo", UNAUTHORIZED),
        ("eve", "POST", f"{ONE}/todo", resource_not_found("Project")),
        ("gus", "POST", f"{TWO}/todo", MISSING),
        ("ada", "POST", f"{SITE}/issues/99/todo", MISSING),
        ("ada", "POST", "todos/1/mark_as_done", MISSING),
        ("ada", "POST", "todos/{todo}/mark_as_done", MISSING),
        ("root", "POST", "todos/{todo}/mark_as_done", MISSING),
        ("ada", "POST", "todos/first/mark_as_done", invalid("id is invalid")),
        ("ada", "GET", "todos?author_id=me", invalid("author_id is invalid")),
        ("ada", "GET", "todos?action=Invalid", invalid("action does not have a valid value")),
        ("ada", "GET", "todos?state=Invalid", invalid("state does not have a valid value")),
        ("ada", "GET", "todos?type=Invalid", invalid("type does not have a valid value")),
    ],
)
def test_refusals(fakeplat: Fakeplat, who: str | None, method: str, path: str, expected: Outcome) -> None:
    """Hidden issues, and to-dos of others, are not there."""
    issue(fakeplat)
    issue(fakeplat, confidential=True)
    todo = create_record(fakeplat, f"{ONE}/todo", "gus")["id"]
    assert expected == refusal(fakeplat, who, method, path.format(todo=todo))


def test_a_single_todo_is_finished(fakeplat: Fakeplat) -> None:
    """Finishing a to-do answers 201 and removes it from pending ones."""
    issue(fakeplat)
    todo = create_record(fakeplat, f"{ONE}/todo", "gus")["id"]
    assert 1 == len(list_todos(fakeplat, "gus"))
    reply = fakeplat.as_user("gus").post(f"todos/{todo}/mark_as_done")

    assert (201, todo, "done") == (reply.status, reply.json()["id"], reply.json()["state"])
    assert [] == list_todos(fakeplat, "gus")
    assert [("marked", "One")] == list_todos(fakeplat, "gus", "&state=done")
    assert 201 == fakeplat.as_user("gus").post(f"todos/{todo}/mark_as_done").status


def test_all_todos_are_finished(fakeplat: Fakeplat) -> None:
    """Finishing all to-dos answers 204 and affects only the caller's."""
    for title in ("One", "Two"):
        issue(fakeplat, title=title, description="@gus @rep")
    dev = fakeplat.world.user("dev").id
    assert (204, None) == outcome(fakeplat.as_user("gus").post("todos/mark_as_done", json={"author_id": dev}))
    assert 2 == len(list_todos(fakeplat, "gus"))
    assert (204, None) == outcome(fakeplat.as_user("gus").post("todos/mark_as_done"))
    assert ([], 2) == (list_todos(fakeplat, "gus"), len(list_todos(fakeplat, "rep")))


def test_filters(fakeplat: Fakeplat) -> None:
    """To-dos are filtered by action, author, project, group, state and type."""
    gus = fakeplat.world.user("gus").id
    for project_path, title in ((SITE, "site"), (DOCS, "docs"), (KIT, "kit")):
        issue(fakeplat, project_path, title=title, description="dear @gus")
    issue(fakeplat, SITE, "mia", title="assigned", assignee_ids=[gus])
    ids: dict[str, Any] = {
        "docs": fakeplat.world.project("acme/docs").id,
        "acme": fakeplat.world.group("acme").id,
        "tools": fakeplat.world.group("acme/tools").id,
        "mia": fakeplat.world.user("mia").id,
    }
    everything = ["assigned", "kit", "docs", "site"]
    for query, expected in (
        ("", everything),
        ("action=assigned", ["assigned"]),
        ("action=mentioned", ["kit", "docs", "site"]),
        ("action=directly_addressed", []),
        ("author_id={mia}", ["assigned"]),
        ("author_id=999", []),
        ("project_id={docs}", ["docs"]),
        ("group_id={acme}", everything),
        ("group_id={tools}", ["kit"]),
        ("group_id=1", []),
        ("state=pending", everything),
        ("state=done", []),
        ("type=Issue", everything),
        ("type=MergeRequest", []),
        ("action=mentioned&project_id={docs}&state=pending", ["docs"]),
    ):
        assert expected == names(get_json(fakeplat, f"todos?{query.format(**ids)}", "gus"), "body"), query


ASKING = [
    ("hello @gus", [("mentioned", "gus")]),
    ("@gus, look", [("directly_addressed", "gus")]),
    ("Dear all\n@gus and @rep, look", [("mentioned", "gus"), ("mentioned", "rep")]),
    ("Dear all\n\n@gus\n@rep look", [("directly_addressed", "gus"), ("directly_addressed", "rep")]),
    ("@gus please ask @rep", [("directly_addressed", "gus"), ("mentioned", "rep")]),
    ("@gus. @rep", [("directly_addressed", "gus"), ("mentioned", "rep")]),
    ("@nobody-there @gus", [("mentioned", "gus")]),
    ("-@gus and @@rep", [("mentioned", "gus"), ("mentioned", "rep")]),
    ("https://x.test/@gus", []),
    ("`@gus` and mail@gus", []),
    ("```\n@gus\n```", []),
    ("@GUS", [("directly_addressed", "gus")]),
    ("@eve and @nobody-there", []),
    ("to @acme", [("mentioned", "dev"), ("mentioned", "gus"), ("mentioned", "mia"), ("mentioned", "rep")]),
    ("to @all", [("mentioned", "dev"), ("mentioned", "gus"), ("mentioned", "mia"), ("mentioned", "rep")]),
]
PEOPLE = ("dev", "gus", "mia", "rep", "eve")
# The example of the platform's documentation, and more of its specs.
PARAGRAPHS = """@dev What do you think? cc: @gus

- @mia can you please have a look?

>>>
@rep what do you think?
>>>

@ada @ext thank you!

> @own well done!

1. @tim Can you please check?
"""


@pytest.mark.parametrize(("text", "expected"), ASKING, ids=[text for text, _ in ASKING])
@pytest.mark.parametrize("where", ["description", "note", "later"])
def test_mentions_create_todos(fakeplat: Fakeplat, text: str, expected: list[tuple[str, str]], where: str) -> None:
    """Mentions of users, groups and all members create to-dos for those who see it."""
    issue(fakeplat, **({"description": text} if where == "description" else {}))
    if where == "note":
        create_note(fakeplat, text)
    if where == "later":
        fakeplat.as_user("ada").put(ONE, json={"description": text})
    body = text if where == "note" else "One"
    todos = [(action, name) for name in PEOPLE for action, about in list_todos(fakeplat, name) if about == body]

    assert sorted(expected) == sorted(todos)


def test_paragraphs_address_users_directly(fakeplat: Fakeplat) -> None:
    """Users at the start of a paragraph are addressed directly, those in lists and quotations are mentioned."""
    names = ("dev", "gus", "mia", "rep", "ada", "ext", "own", "tim")
    known = {user.username for user in fakeplat.bench.platform.view.users.all()}
    users = [{"username": name} for name in names if name not in known]
    fakeplat.load({"users": users, "projects": [{"path_with_namespace": "acme/site", "visibility": "public"}]})
    issue(fakeplat, SITE, "root", description=PARAGRAPHS)
    actions = {name: [action for action, _ in list_todos(fakeplat, name)] for name in names}

    addressed = {"dev", "ada", "ext"}
    assert {name: ["directly_addressed" if name in addressed else "mentioned"] for name in names} == actions


def test_a_note_is_what_it_is_about(fakeplat: Fakeplat) -> None:
    """The to-do of a note has its text as body and its anchor as URL."""
    url = issue(fakeplat)["web_url"]
    note = create_note(fakeplat, "hello @gus")
    (todo,) = get_json(fakeplat, "todos", "gus")

    assert ("hello @gus", f"{url}#note_{note['id']}") == (todo["body"], todo["target_url"])
    fakeplat.as_user("ada").delete(f"{ONE}/notes/{note['id']}")
    assert [] == list_todos(fakeplat, "gus")


def test_equal_todos_are_not_repeated(fakeplat: Fakeplat) -> None:
    """A user has one pending to-do of a kind for a record."""
    issue(fakeplat, description="to @gus")
    create_note(fakeplat, "again @gus")
    create_note(fakeplat, "@gus!")
    assert ["directly_addressed", "mentioned"] == [action for action, _ in list_todos(fakeplat, "gus")]
    fakeplat.as_user("gus").post("todos/mark_as_done")
    fakeplat.as_user("ada").put(ONE, json={"description": "to @gus and @rep"})
    assert ([], 1) == (list_todos(fakeplat, "gus"), len(list_todos(fakeplat, "rep")))


def test_assignments_create_todos(fakeplat: Fakeplat) -> None:
    """Assigning creates a to-do, also for oneself, by the assigning user."""
    ada, dev = fakeplat.world.user("ada").id, fakeplat.world.user("dev").id
    issue(fakeplat, assignee_ids=[ada])
    fakeplat.as_user("mia").put(ONE, json={"assignee_ids": [dev]})
    (todo,) = get_json(fakeplat, "todos", "dev")

    assert [("assigned", "One")] == list_todos(fakeplat, "ada")
    assert ("assigned", "mia") == (todo["action_name"], todo["author"]["username"])


def test_actions_finish_todos(fakeplat: Fakeplat) -> None:
    """Commenting and closing finish the actor's to-dos."""
    for title in ("One", "Two"):
        issue(fakeplat, title=title, description="@rep @dev")
    create_note(fakeplat, "Well.", "rep")
    fakeplat.as_user("rep").put(TWO, json={"state_event": "close"})

    assert ([], 2) == (list_todos(fakeplat, "rep"), len(list_todos(fakeplat, "dev")))


def test_todos_of_hidden_issues_are_hidden(fakeplat: Fakeplat) -> None:
    """To-dos about an issue are hidden while it is confidential to the user."""
    issue(fakeplat, description="@gus")
    assert 1 == len(list_todos(fakeplat, "gus"))
    fakeplat.as_user("ada").put(ONE, json={"confidential": True})
    assert [] == list_todos(fakeplat, "gus")
    fakeplat.as_user("ada").put(ONE, json={"confidential": False})
    assert 1 == len(list_todos(fakeplat, "gus"))


def test_todos_of_hidden_notes_are_hidden(fakeplat: Fakeplat) -> None:
    """To-dos of a note are hidden when it becomes confidential."""
    issue(fakeplat)
    note = create_note(fakeplat, "hello @gus and @rep")
    fakeplat.as_user("ada").put(f"{ONE}/notes/{note['id']}", json={"confidential": True})
    assert ([], 1) == (list_todos(fakeplat, "gus"), len(list_todos(fakeplat, "rep")))
    fakeplat.as_user("ada").put(f"{ONE}/notes/{note['id']}", json={"confidential": False})
    assert 1 == len(list_todos(fakeplat, "gus"))


@pytest.mark.parametrize("gone", ["issue", "project", "user", "author"])
def test_todos_are_deleted_with_their_records(fakeplat: Fakeplat, gone: str) -> None:
    """To-dos are deleted with their target, project, user and author."""
    issue(fakeplat, SITE, "dev", description="@gus")
    target = {
        "issue": ONE,
        "project": SITE,
        "user": f"users/{fakeplat.world.user('gus').id}",
        "author": f"users/{fakeplat.world.user('dev').id}",
    }[gone]
    assert fakeplat.as_user("root").delete(target).status in (202, 204)
    fakeplat.settle()
    assert 0 == len(fakeplat.bench.platform.view.todos)


def test_the_list_has_pages_newest_first(fakeplat: Fakeplat) -> None:
    """To-dos are listed in pages, the newest first."""
    for title in ("One", "Two", "Three"):
        issue(fakeplat, title=title, description="@gus")
    reply = fakeplat.as_user("gus").get("todos?per_page=2")

    assert ("3", ["Three", "Two"]) == (reply.headers["X-Total"], names(reply.json(), "body"))


def test_scenarios_create_no_todos(fakeplat: Fakeplat) -> None:
    """Mentions and assignments in scenarios create no to-dos and notes."""
    fakeplat.load(
        {
            "projects": [
                {
                    "path_with_namespace": "acme/site",
                    "issues": [{"title": "Said", "description": "@gus #1", "assignees": ["gus"]}],
                }
            ]
        }
    )
    assert [] == list_todos(fakeplat, "gus") == get_json(fakeplat, f"{ONE}/notes")


@pytest.mark.fakeplat(scenario="starter")
def test_a_record_that_a_user_cannot_see_leaves_no_todo(fakeplat: Fakeplat) -> None:
    """Mentioning a Guest in a confidential issue creates no to-do, also once the issue is open to all."""
    site = "projects/acme%2Fsite"
    issue = fakeplat.as_user("mia").post(f"{site}/issues", json={"title": "Secret", "confidential": True}).json()
    path = f"{site}/issues/{issue['iid']}"
    assert 201 == fakeplat.as_user("mia").post(f"{path}/notes", json={"body": "For @gus and @dev"}).status
    assert 200 == fakeplat.as_user("mia").put(path, json={"confidential": False}).status

    todos = {name: fakeplat.as_user(name).get("todos").json() for name in ("gus", "dev")}
    assert {"gus": [], "dev": ["Secret"]} == {
        name: [todo["target"]["title"] for todo in todos if todo["target"]["title"] == "Secret"]
        for name, todos in todos.items()
    }


@pytest.mark.parametrize("version", ["13.5", pytest.param("latest", marks=pytest.mark.fakeplat(version="latest"))])
@pytest.mark.parametrize("name", ["action", "state", "type"])
def test_unknown_values_of_filters(fakeplat: Fakeplat, name: str, version: str) -> None:
    """Every release says the same of a value that a filter does not have."""
    assert invalid(f"{name} does not have a valid value") == refusal(fakeplat, "gus", "GET", f"todos?{name}=x"), version


@by_release(TODOS_HAVE_MORE_ACTIONS, "status", {"18.11": 400, "19.3": 200})
def test_later_actions(fakeplat: Fakeplat, status: int) -> None:
    """The list knows actions that no to-do has here."""
    actions = ("duo_core_access_granted", "transfer_failed")
    assert [status] * 2 == [fakeplat.as_user("gus").get(f"todos?action={action}").status for action in actions]


# requests for access


def request_access(fake: Fakeplat, container: str, username: str) -> None:
    """Request access to a project, which mia maintains, or a group as a user."""
    if container == DOCS:
        body = {"user_id": person(fake, "mia"), "access_level": 40}
        fake.as_user("ada").post(f"{DOCS}/members", json=body)
    assert 201 == fake.as_user(username).post(f"{container}/access_requests").status


def list_requested(fake: Fakeplat, username: str, query: str = "") -> list[dict[str, Any]]:
    """Return the pending to-dos of a user about requests for access."""
    found: list[dict[str, Any]] = fake.as_user(username).get(f"todos?{query}").json()
    return [todo for todo in found if todo["action_name"] == "member_access_requested"]


@by_release(ACCESS_REQUESTS_ARE_TODOS, "number", {"15.7": 0, "15.8": 1})
def test_requests_for_access_are_todos(fakeplat: Fakeplat, number: int) -> None:
    """From 15.8 on those who may approve a request for access get a to-do."""
    request_access(fakeplat, DOCS, "eve")
    assert number == len(list_requested(fakeplat, "mia"))


@pytest.mark.fakeplat(version="latest")
def test_a_request_for_access_to_a_project(fakeplat: Fakeplat) -> None:
    """Such a to-do is about the project: its text is the path, its page that of the requests."""
    request_access(fakeplat, DOCS, "eve")
    (todo,) = list_requested(fakeplat, "mia")
    project = fakeplat.as_user("mia").get(DOCS).json()
    assert ("Project", project["id"], project["path_with_namespace"], "eve", "pending") == (
        todo["target_type"],
        todo["target"]["id"],
        todo["body"],
        todo["author"]["username"],
        todo["state"],
    )
    assert f"{project['web_url']}/-/project_members?tab=access_requests" == todo["target_url"]
    assert (project["id"], project["namespace"]["id"]) == (todo["project"]["id"], todo["group"]["id"])
    assert [todo] == list_requested(fakeplat, "mia", "action=member_access_requested&type=Project")
    assert [] == list_requested(fakeplat, "mia", "type=Namespace")
    assert [] == list_requested(fakeplat, "eve")


@pytest.mark.fakeplat(version="latest")
def test_a_request_for_access_to_a_group(fakeplat: Fakeplat) -> None:
    """The direct owners of a group get a to-do, which is about a namespace and has no project."""
    request_access(fakeplat, ACME, "eve")
    (todo,) = list_requested(fakeplat, "ada")
    group = fakeplat.as_user("ada").get(ACME).json()
    assert ("Namespace", group["id"], group["full_path"]) == (todo["target_type"], todo["target"]["id"], todo["body"])
    assert f"{group['web_url']}/-/group_members?tab=access_requests" == todo["target_url"]
    assert "project" not in todo
    assert group["id"] == todo["group"]["id"]
    assert [] == list_requested(fakeplat, "mia")


@pytest.mark.fakeplat(version="latest")
@pytest.mark.parametrize("end", ["approve", "deny", "withdraw", "add"])
def test_decisions_finish_the_todos_of_all(fakeplat: Fakeplat, end: str) -> None:
    """A request that was approved, denied or withdrawn is done for everybody; other requests are not."""
    for username in ("eve", "ext"):
        request_access(fakeplat, DOCS, username)
    eve, requests = person(fakeplat, "eve"), f"{DOCS}/access_requests"
    mia = fakeplat.as_user("mia")
    match end:
        case "approve":
            mia.put(f"{requests}/{eve}/approve")
        case "add":
            mia.post(f"{DOCS}/members", json={"user_id": eve, "access_level": 30})
        case _:
            (mia if end == "deny" else fakeplat.as_user("eve")).delete(f"{requests}/{eve}")
    assert ["ext"] == [todo["author"]["username"] for todo in list_requested(fakeplat, "mia")]
    assert ["eve"] == [todo["author"]["username"] for todo in list_requested(fakeplat, "mia", "state=done")]


@by_release(EACH_ACCESS_REQUEST_IS_A_TODO, "number", {"17.7": 1, "17.8": 2})
def test_each_request_is_a_todo_since_17_8(fakeplat: Fakeplat, number: int) -> None:
    """Before 17.8 a further request made no to-do for those who had a pending one about the project."""
    for username in ("eve", "ext"):
        request_access(fakeplat, DOCS, username)
    assert number == len(list_requested(fakeplat, "mia"))


@pytest.mark.fakeplat(version="latest")
def test_requests_for_access_by_graphql(fakeplat: Fakeplat) -> None:
    """GraphQL tells what somebody requested access to, and where."""
    request_access(fakeplat, DOCS, "eve")
    request_access(fakeplat, ACME, "eve")
    fields = "action targetType memberAccessType body targetUrl author { username }"
    query = f"{{ currentUser {{ todos(action: member_access_requested) {{ nodes {{ {fields} }} }} }} }}"
    found = {
        todo["memberAccessType"]: todo
        for username in ("ada", "mia")
        for todo in query_data(fakeplat, username, query)["currentUser"]["todos"]["nodes"]
    }
    assert ("PROJECT", "NAMESPACE") == (found["project"]["targetType"], found["group"]["targetType"])
    assert found["group"]["targetUrl"].endswith("/-/group_members?tab=access_requests")
    assert {"eve"} == {todo["author"]["username"] for todo in found.values()}


@pytest.mark.fakeplat(version="17.11")
def test_todos_of_deleted_groups_are_deleted(fakeplat: Fakeplat) -> None:
    """With a group go the to-dos about requests for access to it."""
    request_access(fakeplat, ACME, "eve")
    assert 1 == len(list_requested(fakeplat, "ada"))
    fakeplat.as_user("ada").delete(ACME)
    fakeplat.settle()
    assert [] == list_requested(fakeplat, "ada")
