"""Snoozed to-dos, their filters and changes of several at once by GraphQL.

Source: docs/platform/todos.md, app/graphql/mutations/todos and app/finders/todos_finder.rb of the platform.
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.company import COMPANY
from tests.graphql.queries import NOT_AVAILABLE, list_messages, query_data, query_refused, write_mutation

ACME: dict[str, Any] = COMPANY["groups"][0]
SITE = {**ACME["projects"][0], "issues": [{"title": title, "author": "ada"} for title in ("One", "Two", "Three")]}
ACME = {**ACME, "projects": [SITE, *ACME["projects"][1:]]}
TODOS = [{"issue": f"acme/site#{number}", "author": "ada", "action": "assigned"} for number in (1, 2, 3)]
PEOPLE = [{**user, **({"todos": TODOS} if user["username"] == "dev" else {})} for user in COMPANY["users"]]
pytestmark = pytest.mark.fakeplat(
    version="latest",
    clock="virtual",
    start="2020-11-20T09:00:00.000Z",
    scenario={**COMPANY, "users": PEOPLE, "groups": [ACME, *COMPANY["groups"][1:]]},
)
LATER = "2020-11-21T09:00:00Z"


def list_todos(fake: Fakeplat, arguments: str = "", by: str = "dev") -> list[str]:
    """Return the titles of the caller's to-dos."""
    query = f"{{ currentUser {{ todos{arguments} {{ nodes {{ body }} }} }} }}"
    return [todo["body"] for todo in query_data(fake, by, query)["currentUser"]["todos"]["nodes"]]


def list_ids(fake: Fakeplat) -> list[str]:
    nodes = query_data(fake, "dev", "{ currentUser { todos { nodes { id } } } }")["currentUser"]["todos"]["nodes"]
    return [todo["id"] for todo in nodes]


def change(fake: Fakeplat, name: str, selection: str = "", by: str = "dev", **given: Any) -> Any:
    return query_data(fake, by, write_mutation(name, selection), input=given)[name]


def test_a_snoozed_todo_returns(fakeplat: Fakeplat) -> None:
    """A snoozed to-do is in no list of pending ones until its time, by GraphQL and by REST."""
    newest = list_ids(fakeplat)[0]
    changed = change(fakeplat, "todoSnooze", "todo { snoozedUntil state }", id=newest, snoozeUntil=LATER)
    hidden, snoozed = list_todos(fakeplat), list_todos(fakeplat, "(isSnoozed: true)")
    by_rest = [todo["body"] for todo in fakeplat.as_user("dev").get("todos").json()]
    fakeplat.clock.advance_to(LATER)

    assert {"todo": {"snoozedUntil": LATER, "state": "pending"}, "errors": []} == changed
    assert (["Two", "One"], ["Three"], ["Two", "One"]) == (hidden, snoozed, by_rest)
    assert ["Three", "Two", "One"] == list_todos(fakeplat)


def test_a_todo_is_shown_again(fakeplat: Fakeplat) -> None:
    """A snoozed to-do is shown again by a mutation; several go together."""
    first, *others = list_ids(fakeplat)
    change(fakeplat, "todoSnoozeMany", "todos { id }", ids=[first, *others], snoozeUntil=LATER)
    assert [] == list_todos(fakeplat)
    change(fakeplat, "todoUnSnooze", "todo { id }", id=first)
    assert ["Three"] == list_todos(fakeplat)
    payload = change(fakeplat, "todoUnsnoozeMany", "todos { body }", ids=others)

    assert {"todos": [{"body": "Two"}, {"body": "One"}], "errors": []} == payload
    assert ["Three", "Two", "One"] == list_todos(fakeplat)


def test_several_todos_are_resolved_and_deleted(fakeplat: Fakeplat) -> None:
    """Only pending to-dos are resolved, and only done ones deleted."""
    first, second, third = list_ids(fakeplat)
    resolved = change(fakeplat, "todoResolveMany", "todos { body }", ids=[first, second])
    change(fakeplat, "todoDeleteMany", ids=[first, third])

    assert [{"body": "Three"}, {"body": "Two"}] == resolved["todos"]
    assert (["One"], ["Two"]) == (list_todos(fakeplat), list_todos(fakeplat, "(state: [done])"))
    deleted = change(fakeplat, "todoDeleteAllDone", "__typename")
    assert {"__typename": "TodoDeleteAllDonePayload", "errors": []} == deleted
    assert (["One"], []) == (list_todos(fakeplat), list_todos(fakeplat, "(state: [done])"))


def test_todos_of_others_are_left_alone(fakeplat: Fakeplat) -> None:
    """A to-do of somebody else is not found, and is ignored among several."""
    first = list_ids(fakeplat)[0]
    snooze = write_mutation("todoSnooze", "")
    content = query_refused(fakeplat, "rep", snooze, input={"id": first, "snoozeUntil": LATER})

    assert [NOT_AVAILABLE] == list_messages(content)
    assert {"todos": [], "errors": []} == change(fakeplat, "todoResolveMany", "todos { id }", by="rep", ids=[first])


def test_at_most_a_hundred_todos_are_changed(fakeplat: Fakeplat) -> None:
    """More than a hundred ids are refused."""
    ids = [f"gid://gitlab/Todo/{number}" for number in range(1, 102)]
    content = query_refused(fakeplat, "dev", write_mutation("todoResolveMany", ""), input={"ids": ids})

    assert ["Too many to-do items requested."] == list_messages(content)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("(sort: CREATED_ASC)", ["One", "Two", "Three"]),
        ("(sort: LABEL_PRIORITY_ASC, action: [assigned])", ["One", "Two", "Three"]),
        ("(action: [ssh_key_expired])", []),
        ('(groupId: ["gid://gitlab/Group/GROUP"])', ["Three", "Two", "One"]),
        ('(groupId: ["gid://gitlab/Group/1"])', []),
        ("(type: [WORKITEM])", []),
    ],
    ids=["created", "priority", "action", "group", "other-group", "type"],
)
def test_todos_are_filtered_and_sorted(fakeplat: Fakeplat, arguments: str, expected: list[str]) -> None:
    """To-dos are filtered by action, group and type, and sorted by time or by their labels."""
    group_id = fakeplat.as_user("dev").get("groups/acme").json()["id"]

    assert expected == list_todos(fakeplat, arguments.replace("GROUP", str(group_id)))


def test_todos_about_a_record_are_marked(fakeplat: Fakeplat) -> None:
    """Marking all as done can be limited to those about a record, or with an action."""
    issue_id = fakeplat.as_user("dev").get("projects/acme%2Fsite/issues/2").json()["id"]
    target = f"gid://gitlab/Issue/{issue_id}"
    none = change(fakeplat, "todosMarkAllDone", "todos { id }", action=["mentioned"])
    marked = change(fakeplat, "todosMarkAllDone", "todos { body targetUrl note { id } group { id } }", targetId=target)

    assert [] == none["todos"]
    url = f"{fakeplat.url}/acme/site/-/issues/2"
    assert [{"body": "Two", "targetUrl": url, "note": None, "group": None}] == marked["todos"]
    assert ["Three", "One"] == list_todos(fakeplat)
