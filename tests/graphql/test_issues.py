"""Issues: what they show, who sees them, how they are chosen and put in order."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.graphql.queries import NOW, WORLD, query_data, query_project, query_refused

pytestmark = [pytest.mark.every_release, pytest.mark.fakeplat(scenario=WORLD)]


def list_titles(fake: Fakeplat, by: str | None, arguments: str = "") -> list[str]:
    """The titles of the issues that a list gives."""
    project = query_project(fake, by, f"issues{arguments} {{ nodes {{ title }} }}")
    return [issue["title"] for issue in project["issues"]["nodes"]]


def test_an_issue_shows_its_fields(fakeplat: Fakeplat) -> None:
    """An issue shows its fields: iid as a string, times in whole seconds, people and labels as connections."""
    number = fakeplat.world.project("acme/site").issues[0].id
    issue = query_project(
        fakeplat,
        "ada",
        """issue(iid: "1") { id iid title description state confidential createdAt closedAt dueDate type reference
           full: reference(full: true) webUrl webPath userNotesCount upvotes downvotes subscribed discussionLocked
           timeEstimate totalTimeSpent weight healthStatus titleHtml
           author { username } assignees { nodes { username } } participants { nodes { username } }
           labels { nodes { title } } milestone { title } taskCompletionStatus { count completedCount } }""",
    )["issue"]

    assert {
        "id": f"gid://gitlab/Issue/{number}",
        "iid": "1",
        "title": "Broken link",
        "titleHtml": "Broken link",
        "description": "- [x] find\n- [ ] mend",
        "state": "opened",
        "type": "ISSUE",
        "confidential": False,
        "discussionLocked": False,
        "createdAt": NOW,
        "closedAt": None,
        "dueDate": "2020-11-30",
        "reference": "#1",
        "full": "acme/site#1",
        "webUrl": f"{fakeplat.url}/acme/site/-/issues/1",
        "webPath": "/acme/site/-/issues/1",
        "userNotesCount": 0,
        "upvotes": 0,
        "downvotes": 0,
        "subscribed": False,
        "timeEstimate": 0,
        "totalTimeSpent": 0,
        "weight": None,
        "healthStatus": None,
        "author": {"username": "gus"},
        "assignees": {"nodes": [{"username": "dev"}]},
        "participants": {"nodes": [{"username": "gus"}, {"username": "dev"}]},
        "labels": {"nodes": [{"title": "bug"}, {"title": "idea"}]},
        "milestone": {"title": "v1"},
        "taskCompletionStatus": {"count": 2, "completedCount": 1},
    } == issue


@pytest.mark.parametrize(("by", "sees"), [("gus", False), ("rep", True), ("ada", True), ("root", True)])
def test_confidential_issues_are_for_reporters(fakeplat: Fakeplat, by: str, sees: bool) -> None:
    """A guest does not find a confidential issue in the list, by number or by global id."""
    number = fakeplat.world.project("acme/site").issues[1].id
    issue = query_project(fakeplat, by, 'issue(iid: "2") { iid }')["issue"]
    by_id = query_data(
        fakeplat, by, "query($id: IssueID!) { issue(id: $id) { iid } }", id=f"gid://gitlab/Issue/{number}"
    )

    assert sees is ("Secret" in list_titles(fakeplat, by))
    assert ({"iid": "2"} if sees else None) == issue
    assert {"issue": issue} == by_id


def test_an_issue_of_a_hidden_project_is_null(fakeplat: Fakeplat) -> None:
    """An issue of a hidden project, or an unknown one, is null by global id."""
    number = fakeplat.world.project("acme/site").issues[0].id
    query = "query($id: IssueID!) { issue(id: $id) { iid } }"

    assert {"issue": None} == query_data(fakeplat, "eve", query, id=f"gid://gitlab/Issue/{number}")
    assert {"issue": None} == query_data(fakeplat, "ada", query, id="gid://gitlab/Issue/1")


@pytest.mark.parametrize(
    ("id_", "text"),
    [
        ("7", '"7" is not a valid Global ID'),
        ("gid://other/Issue/1", '"gid://other/Issue/1" is not a Platform Global ID'),
        ("gid://gitlab/User/1", '"gid://gitlab/User/1" does not represent an instance of Issue'),
    ],
)
def test_what_is_no_global_id_is_an_error(fakeplat: Fakeplat, id_: str, text: str) -> None:
    """An invalid global id is an error that names it, in a variable and in the text of the query."""
    (of_variable,) = query_refused(fakeplat, "ada", "query($id: IssueID!) { issue(id: $id) { iid } }", id=id_)["errors"]
    literal = query_refused(fakeplat, "ada", f'{{ issue(id: "{id_}") {{ iid }} }}')

    assert "Variable $id of type IssueID! was provided invalid value" == of_variable["message"]
    assert [text] == [problem["explanation"] for problem in of_variable["extensions"]["problems"]]
    assert {
        "errors": [
            {
                "message": text,
                "locations": [{"line": 1, "column": 3}],
                "path": ["query", "issue", "id"],
                "extensions": {"code": "argumentLiteralsIncompatible", "typeName": "CoercionError"},
            }
        ]
    } == literal


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("", ["Old", "Secret", "Broken link"]),
        ("(state: opened)", ["Secret", "Broken link"]),
        ("(state: closed)", ["Old"]),
        ("(state: all)", ["Old", "Secret", "Broken link"]),
        ('(iid: "1")', ["Broken link"]),
        ('(iids: ["1", "3"])', ["Old", "Broken link"]),
        ('(iids: ["x"])', []),
        ("(iids: [])", []),
        ('(labelName: ["bug"])', ["Broken link"]),
        ('(labelName: ["bug", "idea"])', ["Broken link"]),
        ('(labelName: ["None"])', ["Old", "Secret"]),
        ('(milestoneTitle: ["v1"])', ["Broken link"]),
        ('(milestoneTitle: ["v0"])', []),
        ('(authorUsername: "ada")', ["Secret"]),
        ('(assigneeUsername: "dev")', ["Broken link"]),
        ('(assigneeId: "none")', ["Old", "Secret"]),
        ('(assigneeId: "any")', ["Broken link"]),
        ('(search: "LINK")', ["Broken link"]),
        ("(types: [ISSUE])", ["Old", "Secret", "Broken link"]),
        ("(types: [INCIDENT])", []),
        ('(createdAfter: "2020-11-20")', ["Old", "Secret", "Broken link"]),
        ('(createdBefore: "2020-11-19")', []),
        ('(updatedAfter: "2030-01-01T00:00:00Z")', []),
        ("(sort: CREATED_ASC)", ["Old", "Secret", "Broken link"]),
        ("(sort: created_desc)", ["Old", "Secret", "Broken link"]),
        ("(sort: DUE_DATE_ASC)", ["Broken link", "Old", "Secret"]),
        ("(sort: RELATIVE_POSITION_ASC)", ["Broken link", "Secret", "Old"]),
        ("(first: 0)", []),
        ("(last: 1)", ["Broken link"]),
    ],
)
def test_issues_are_chosen(fakeplat: Fakeplat, arguments: str, expected: list[str]) -> None:
    """Issues are filtered and sorted as in the REST list, the newest first among equals."""
    assert expected == list_titles(fakeplat, "ada", arguments)


def test_the_issues_of_a_group(fakeplat: Fakeplat) -> None:
    """A group lists the issues of its own projects and, on request, of its subgroups."""
    fakeplat.as_user("ada").post("projects/acme%2Ftools%2Fkit/issues", json={"title": "Deep"})
    query = """{ group(fullPath: "acme") { own: issues { count } all: issues(includeSubgroups: true) { count } } }"""
    kinds: dict[str | None, Any] = {by: query_data(fakeplat, by, query)["group"] for by in (None, "gus", "ada")}

    assert {"own": {"count": 0}, "all": {"count": 0}} == kinds[None]
    assert {"own": {"count": 2}, "all": {"count": 3}} == kinds["gus"]
    assert {"own": {"count": 3}, "all": {"count": 4}} == kinds["ada"]


def test_issues_are_hidden_where_the_feature_is_off(fakeplat: Fakeplat) -> None:
    """A project with disabled issues shows no issues and a null count."""
    fakeplat.as_user("ada").put("projects/acme%2Fsite", json={"issues_access_level": "disabled"})
    project = query_project(fakeplat, "ada", 'issuesEnabled issue(iid: "1") { iid } issues { count } openIssuesCount')

    assert {"issuesEnabled": False, "issue": None, "issues": {"count": 0}, "openIssuesCount": None} == project
