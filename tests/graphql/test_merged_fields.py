"""Fields with one name in the answer. Source: fields_will_merge_spec.rb of the library that the platform uses."""

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.graphql.queries import WORLD, list_messages, post_query, query_data

pytestmark = pytest.mark.fakeplat(version="latest", clock="virtual", scenario=WORLD)
PROJECT = '{ project(fullPath: "acme/docs") { %s } } %s'
FRAGMENT = "fragment Named on Project { a: path }"


@pytest.mark.parametrize(
    ("selection", "fragments", "error"),
    [
        ("a: name a: path", "", "Field 'a' has a field conflict: name or path?"),
        ("a: name a: path a: id", "", "Field 'a' has a field conflict: name or path or id?"),
        ("a: name ...Named", FRAGMENT, "Field 'a' has a field conflict: name or path?"),
        ("path: __typename path", "", "Field 'path' has a field conflict: __typename or path?"),
        (
            "issues(first: 1) { count } issues(first: 2) { count }",
            "",
            'Field \'issues\' has an argument conflict: {first:"1"} or {first:"2"}?',
        ),
        (
            "issues { count } issues(state: opened) { count }",
            "",
            "Field 'issues' has an argument conflict: {} or {state:\"opened\"}?",
        ),
        ("group { a: name } group { a: path }", "", "Field 'a' has a field conflict: name or path?"),
    ],
)
def test_fields_that_differ_conflict(fakeplat: Fakeplat, selection: str, fragments: str, error: str) -> None:
    """Fields with one name in the answer must be the same field with the same arguments."""
    content = post_query(fakeplat, "ada", PROJECT % (selection, fragments))
    assert [error] == list_messages(content)
    extensions = content["errors"][0]["extensions"]
    assert ("fieldConflict", error.split("'")[1]) == (extensions["code"], extensions["fieldName"])
    assert error.endswith(f"conflict: {extensions['conflicts']}?")
    assert 2 <= len(content["errors"][0]["locations"])


@pytest.mark.parametrize(
    "selection",
    [
        "name name",
        "a: name a: name",
        "issues(first: 1, state: opened) { count } issues(state: opened, first: 1) { nodes { iid } }",
        "group { name } group { path }",
        "...Named a: path",
    ],
)
def test_equal_fields_are_merged(fakeplat: Fakeplat, selection: str) -> None:
    """Equal fields are merged into one, in whatever order their arguments come."""
    fragments = FRAGMENT if "...Named" in selection else ""
    assert query_data(fakeplat, "ada", PROJECT % (selection, fragments))["project"]


def test_types_that_never_meet_do_not_conflict(fakeplat: Fakeplat) -> None:
    """Fields of types that no record has at once may share a name, even with different types."""
    query = """{ project(fullPath: "acme/site") { issue(iid: "1") { id } } workItem(id: "gid://gitlab/WorkItem/%s") {
        widgets { ... on WorkItemWidgetAssignees { a: type b: allowsMultipleAssignees }
                  ... on WorkItemWidgetDescription { a: description b: type } } } }"""
    number = fakeplat.as_user("ada").get("projects/acme%2Fsite/issues/1").json()["id"]
    widgets = query_data(fakeplat, "ada", query % number)["workItem"]["widgets"]
    assert {"a": "ASSIGNEES", "b": False} in widgets
    assert {"a": "- [x] find\n- [ ] mend", "b": "DESCRIPTION"} in widgets


def test_many_equal_fields_are_no_burden(fakeplat: Fakeplat) -> None:
    """A query that repeats a field, or its conflicts, as often as fits is answered."""
    assert {"name": "Docs"} == query_data(fakeplat, "ada", PROJECT % ("name " * 240, ""))["project"]
    conflicts = " ".join(f"a: issues(first: {number}) {{ count }}" for number in range(300))
    (message,) = list_messages(post_query(fakeplat, "ada", PROJECT % (conflicts, "")))
    assert message.startswith('Field \'a\' has an argument conflict: {first:"0"} or {first:"1"}')
