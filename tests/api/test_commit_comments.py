"""Comments on commits and on lines of their diffs. Source: docs/platform/commits.md ('Comments')."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.company import COMPANY
from tests.api.histories import set_repository
from tests.api.requests import FORBIDDEN, Outcome, invalid, names, refusal, resource_not_found
from tests.git.command import Git

pytestmark = pytest.mark.fakeplat(scenario=COMPANY)

PROJECT = "projects/acme%2Fsite"
COMMENTS = f"{PROJECT}/repository/commits/master/comments"


@pytest.fixture(autouse=True)
def _commits(fakeplat: Fakeplat, tmp_path: Any) -> None:
    git = Git(tmp_path / "work")
    git.commit("first", {"a.txt": "1\n2\n3\n4\n5\n", "b.txt": "b\n"})
    git.commit("second", {"a.txt": "1\ntwo\n3\n4\n4.5\n5\n", "b.txt": None})
    set_repository(fakeplat, git)


def create_comment(fake: Fakeplat, **body: Any) -> dict[str, Any]:
    reply = fake.as_user("rep").post(COMMENTS, json={"note": "Nice", **body})
    assert 201 == reply.status, reply.text
    comment: dict[str, Any] = reply.json()
    return comment


def test_a_comment_on_the_whole(fakeplat: Fakeplat) -> None:
    """A comment on a whole commit shows its author, time and text, and no line."""
    comment = create_comment(fakeplat)

    assert ["note", "path", "line", "line_type", "author", "created_at"] == list(comment)
    assert ("Nice", None, None, None, "2020-11-20T09:00:00.000Z") == (
        *(comment[name] for name in ("note", "path", "line", "line_type")),
        comment["created_at"],
    )
    assert ("rep", "active") == (comment["author"]["username"], comment["author"]["state"])


LINES = [
    ({"path": "a.txt", "line": 2}, ("a.txt", 2, "new")),
    ({"path": "a.txt", "line": 5, "line_type": "new"}, ("a.txt", 5, "new")),
    ({"path": "a.txt", "line": 2, "line_type": "old"}, ("a.txt", 2, "old")),
    ({"path": "b.txt", "line": 1, "line_type": "old"}, ("b.txt", 1, "old")),
    ({"path": "a.txt", "line": 1}, (None, None, None)),
    ({"path": "a.txt", "line": 5, "line_type": "old"}, (None, None, None)),
    ({"path": "b.txt", "line": 1}, (None, None, None)),
    ({"path": "nowhere", "line": 1}, (None, None, None)),
]


@pytest.mark.parametrize(("where", "expected"), LINES)
def test_a_comment_on_a_line(fakeplat: Fakeplat, where: dict[str, Any], expected: tuple[Any, ...]) -> None:
    """A comment on a line that the commit did not change is about the whole commit."""
    comment = create_comment(fakeplat, **where)

    assert expected == tuple(comment[name] for name in ("path", "line", "line_type"))
    assert [comment] == fakeplat.as_user("rep").get(COMMENTS).json()


def test_comments_are_listed_oldest_first(fakeplat: Fakeplat) -> None:
    """Comments on a commit are listed in pages, oldest first, under each of its names."""
    for number in range(3):
        create_comment(fakeplat, note=f"n{number}")
    calls = fakeplat.as_user("rep")
    sha = calls.get(f"{PROJECT}/repository/commits/master").json()["id"]
    page = calls.get(f"{COMMENTS}?per_page=2&page=2")

    assert ["n0", "n1", "n2"] == names(calls.get(COMMENTS.replace("master", sha)).json(), "note")
    assert (["n2"], "3") == (names(page.json(), "note"), page.headers["X-Total"])
    assert [] == calls.get(COMMENTS.replace("master", "master~1")).json()


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({}, invalid("note is missing")),
        ({"note": "x", "path": "a.txt"}, invalid("line is missing")),
        ({"note": "x", "path": "a.txt", "line": "first"}, invalid("line is invalid")),
        ({"note": "x", "path": "a", "line": 1, "line_type": "both"}, invalid("line_type does not have a valid value")),
        ({"note": " "}, (400, {"message": 'Failed to save note {:note=>["can\'t be blank"]}'})),
    ],
)
def test_comments_are_refused(fakeplat: Fakeplat, body: dict[str, Any], expected: Outcome) -> None:
    """A text is needed, and with a path its line."""
    assert expected == refusal(fakeplat, "rep", "POST", COMMENTS, json=body)


def test_an_unknown_commit_takes_no_comment(fakeplat: Fakeplat) -> None:
    """A comment on an unknown commit answers 404."""
    path = COMMENTS.replace("master", "nowhere")
    assert resource_not_found("Commit") == refusal(fakeplat, "rep", "POST", path, json={"note": "x"})


def test_a_comment_without_an_author_is_not_valid(fakeplat: Fakeplat) -> None:
    """An anonymous comment on a public commit answers 400, as its author is missing."""
    assert 200 == fakeplat.as_user("ada").put(PROJECT, json={"visibility": "public"}).status
    lacking = "Failed to save note {%s}"
    author, note = """:author=>["can't be blank"]""", """:note=>["can't be blank"]"""
    assert (400, {"message": lacking % author}) == refusal(fakeplat, None, "POST", COMMENTS, json={"note": "x"})
    both = f"{note}, {author}"
    assert (400, {"message": lacking % both}) == refusal(fakeplat, None, "POST", COMMENTS, json={"note": " "})


@pytest.mark.parametrize(
    ("who", "expected"),
    [(None, resource_not_found("Project")), ("eve", resource_not_found("Project")), ("gus", FORBIDDEN)],
)
def test_those_who_cannot_read_cannot_comment(fakeplat: Fakeplat, who: str | None, expected: Outcome) -> None:
    """Below Reporter nobody comments on commits of a private project."""
    assert expected == refusal(fakeplat, who, "POST", COMMENTS, json={"note": "x"})


def test_comments_go_with_their_project(fakeplat: Fakeplat) -> None:
    """Deleting a project deletes the comments on its commits."""
    create_comment(fakeplat)
    fakeplat.as_user("ada").delete(PROJECT)
    fakeplat.settle()

    assert 0 == len(fakeplat.bench.platform.view.notes.all())


def test_mentions_on_a_commit_create_todos(fakeplat: Fakeplat) -> None:
    """A to-do of the type Commit, which shows it and leads to the comment; whoever may not read the code has none."""
    create_comment(fakeplat, note="@dev and @gus, look")
    (todo,) = fakeplat.as_user("dev").get("todos?type=Commit").json()
    sha = fakeplat.as_user("dev").get(f"{PROJECT}/repository/commits/master").json()["id"]

    assert ("Commit", "directly_addressed", "@dev and @gus, look") == (
        todo["target_type"],
        todo["action_name"],
        todo["body"],
    )
    assert (sha, "second") == (todo["target"]["id"], todo["target"]["title"])
    assert f"/acme/site/-/commit/{sha}#note_" in todo["target_url"]
    assert [] == fakeplat.as_user("gus").get("todos").json()
    assert 201 == fakeplat.as_user("dev").post(f"todos/{todo['id']}/mark_as_done").status
