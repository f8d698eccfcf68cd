"""Mutations of branches, tags, stars and boards."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.graphql.queries import NOT_AVAILABLE, WORLD, list_messages, query_data, query_refused, write_mutation

pytestmark = pytest.mark.fakeplat(scenario=WORLD, version="latest")
SITE = "acme/site"


def run(fake: Fakeplat, mutation: str, selection: str, by: str = "dev", **input_: Any) -> Any:
    return query_data(fake, by, write_mutation(mutation, selection), input=input_)[mutation]


def create_first_branch(fake: Fakeplat) -> None:
    """Create a branch in the empty repository, which gives it a first commit."""
    run(fake, "createBranch", "", projectPath=SITE, name="first", ref="main")


def test_a_branch_is_created_and_deleted(fakeplat: Fakeplat) -> None:
    """A branch shows its newest commit; one that was deleted is gone."""
    new: dict[str, Any] = {"projectPath": SITE, "name": "topic"}
    created = run(fakeplat, "createBranch", "branch { name commit { title } }", **new, ref="main")
    refused = run(fakeplat, "createBranch", "branch { name }", **new, ref="main")

    assert {"branch": {"name": "topic", "commit": {"title": "Add README.md"}}, "errors": []} == created
    assert {"branch": None, "errors": ["Branch already exists"]} == refused
    assert {"branch": None, "errors": []} == run(fakeplat, "branchDelete", "branch { name }", **new)
    assert {"branch": None, "errors": ["No such branch"]} == run(fakeplat, "branchDelete", "branch { name }", **new)
    assert 404 == fakeplat.as_user("dev").get("projects/acme%2Fsite/repository/branches/topic").status


def test_a_tag_is_created_and_deleted(fakeplat: Fakeplat) -> None:
    """A tag with a message is annotated; one that was deleted is gone."""
    new: dict[str, Any] = {"projectPath": SITE, "name": "v1"}
    create_first_branch(fakeplat)
    selection = "tag { name message commit { title } }"
    created = run(fakeplat, "tagCreate", selection, **new, ref="main", message="First")

    assert {"name": "v1", "message": "First", "commit": {"title": "Add README.md"}} == created["tag"]
    assert ["Target gone is invalid"] == run(fakeplat, "tagCreate", "", **{**new, "name": "v2"}, ref="gone")["errors"]
    assert {"tag": None, "errors": []} == run(fakeplat, "tagDelete", "tag { name }", **new)
    assert {"tag": None, "errors": ["No such tag"]} == run(fakeplat, "tagDelete", "tag { name }", **new)


@pytest.mark.parametrize(
    ("mutation", "input_"),
    [
        ("createBranch", {"name": "topic", "ref": "main"}),
        ("branchDelete", {"name": "main"}),
        ("tagCreate", {"name": "v1", "ref": "main"}),
        ("tagDelete", {"name": "v1"}),
    ],
)
@pytest.mark.parametrize(("by", "path"), [("rep", SITE), ("eve", SITE), ("dev", "acme/gone")])
def test_refs_are_changed_by_those_who_push(
    fakeplat: Fakeplat, by: str, path: str, mutation: str, input_: dict[str, str]
) -> None:
    """Reporters and strangers change no refs, and a missing project gets the same answer."""
    refused = query_refused(fakeplat, by, write_mutation(mutation, ""), input={"projectPath": path, **input_})

    assert [NOT_AVAILABLE] == list_messages(refused)


def test_a_project_is_starred_once(fakeplat: Fakeplat) -> None:
    """Starring again changes nothing; the answer is the number of stars as text."""
    id_ = f"gid://gitlab/Project/{fakeplat.world.project(SITE).id}"

    counts = [
        run(fakeplat, "starProject", "count", by, projectId=id_, starred=starred)["count"]
        for by, starred in (("dev", True), ("dev", True), ("gus", True), ("dev", False), ("dev", False))
    ]

    assert ["1", "1", "2", "1", "1"] == counts
    refused = query_refused(
        fakeplat, "eve", write_mutation("starProject", ""), input={"projectId": id_, "starred": True}
    )
    assert [NOT_AVAILABLE] == list_messages(refused)


def test_boards_are_created_and_deleted(fakeplat: Fakeplat) -> None:
    """A board is created in a project or in a group, and the last one of it stays."""
    first = run(fakeplat, "createBoard", "board { id name hideClosedList }", projectPath=SITE, hideClosedList=True)
    second = run(fakeplat, "createBoard", "board { id name }", projectPath=SITE, name="Other")
    ids = [created["board"].pop("id") for created in (first, second)]

    assert {"board": {"name": "Development", "hideClosedList": True}, "errors": []} == first
    assert {"board": {"name": "Other"}, "errors": []} == second
    assert {"board": None, "errors": []} == run(fakeplat, "destroyBoard", "board { id }", id=ids[0])
    assert {
        "board": {"id": ids[1]},
        "errors": ["The board could not be deleted, because the parent doesn't have any other boards."],
    } == query_refused(fakeplat, "dev", write_mutation("destroyBoard", "board { id }"), input={"id": ids[1]})["data"][
        "destroyBoard"
    ]


@pytest.mark.parametrize(
    ("by", "input_", "message"),
    [
        ("gus", {"projectPath": SITE}, NOT_AVAILABLE),
        ("eve", {"groupPath": "acme"}, NOT_AVAILABLE),
        ("dev", {"groupPath": "gone"}, NOT_AVAILABLE),
        ("dev", {}, "Exactly one of group_path or project_path arguments is required"),
        (
            "dev",
            {"projectPath": SITE, "groupPath": "acme"},
            "Exactly one of group_path or project_path arguments is required",
        ),
    ],
    ids=["guest", "stranger", "missing", "none", "two"],
)
def test_a_board_needs_one_place_and_the_right(
    fakeplat: Fakeplat, by: str, input_: dict[str, str], message: str
) -> None:
    """Boards are created by those who administer them, in exactly one project or group."""
    assert [message] == list_messages(query_refused(fakeplat, by, write_mutation("createBoard", ""), input=input_))
