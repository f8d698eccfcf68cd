"""Snippets: their fields, rights and refusals. Source: docs/platform/graphql.md, docs/platform/snippets.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.graphql.queries import (
    NOT_AVAILABLE,
    list_messages,
    post_query,
    query_data,
    query_project,
    query_refused,
    write_mutation,
)

pytestmark = pytest.mark.fakeplat(version="latest")
UNBUILT = "501 Not Implemented: comments and emoji on personal snippets. See /_fakeplat/coverage"
RIGHTS = "userPermissions { readSnippet updateSnippet adminSnippet createNote awardEmoji reportSnippet }"


def create_snippet(fake: Fakeplat, by: str, **given: Any) -> str:
    """Create a snippet with two files; return its global id."""
    files = [{"action": "create", "filePath": path, "content": path} for path in ("a.md", "b.txt")]
    content = {"title": "Tips", "visibilityLevel": "public", "blobActions": files, **given}
    payload = query_data(fake, by, write_mutation("createSnippet", "snippet { id }"), input=content)["createSnippet"]
    assert [] == payload["errors"]
    number: str = payload["snippet"]["id"]
    return number


def test_a_snippet_shows_its_notes_and_rights(fakeplat: Fakeplat) -> None:
    """A snippet shows its visibility, addresses, comments and what the caller may do with it."""
    number = create_snippet(fakeplat, "rep", projectPath="acme/site")
    note = write_mutation("createNote", "note { body }")
    assert [] == query_data(fakeplat, "dev", note, input={"noteableId": number, "body": "Nice"})["createNote"]["errors"]
    query = f"""{{ snippets(ids: ["{number}"]) {{ nodes {{ visibilityLevel sshUrlToRepo notes {{ nodes {{ body }} }}
        discussions {{ nodes {{ notes {{ nodes {{ body }} }} }} }} {RIGHTS} }} }} }}"""
    snippet: dict[str, Any] = {}
    for caller, may_change in (("rep", True), ("gus", False), ("mia", True)):
        (snippet,) = query_data(fakeplat, caller, query)["snippets"]["nodes"]
        rights = snippet.pop("userPermissions")
        assert (True, may_change, may_change, True, True, False) == tuple(rights.values()), caller
    ssh = snippet.pop("sshUrlToRepo")
    assert ssh.endswith(f"acme/site/snippets/{number.rpartition('/')[2]}.git")
    notes = {"nodes": [{"body": "Nice"}]}
    assert {"visibilityLevel": "public", "notes": notes, "discussions": {"nodes": [{"notes": notes}]}} == snippet


def test_files_of_a_snippet_are_chosen_by_path(fakeplat: Fakeplat) -> None:
    """No paths are all files; a file shows how it is stored."""
    number = create_snippet(fakeplat, "rep")
    fields = "nodes { path mode externalStorage renderedAsText }"
    for arguments, expected in (
        ("", ["a.md", "b.txt"]),
        ("(paths: [])", ["a.md", "b.txt"]),
        ('(paths: ["b.txt"])', ["b.txt"]),
    ):
        query = f'{{ snippets(ids: ["{number}"]) {{ nodes {{ blobs{arguments} {{ {fields} }} }} }} }}'
        (snippet,) = query_data(fakeplat, "rep", query)["snippets"]["nodes"]
        rows = snippet["blobs"]["nodes"]
        assert expected == [row["path"] for row in rows]
        assert {("100644", None, True)} == {
            (row["mode"], row["externalStorage"], row["renderedAsText"]) for row in rows
        }


def test_snippets_have_one_owner(fakeplat: Fakeplat) -> None:
    """An author and a project exclude each other; no ids are no filter."""
    number = create_snippet(fakeplat, "rep")
    author = f"gid://gitlab/User/{fakeplat.world.user('rep').id}"
    project = f"gid://gitlab/Project/{fakeplat.world.project('acme/site').id}"
    both = f'{{ snippets(authorId: "{author}", projectId: "{project}") {{ nodes {{ id }} }} }}'
    message = "Filtering by both an author and a project is not supported"
    assert [message] == list_messages(query_refused(fakeplat, "rep", both))
    rows = query_data(fakeplat, "rep", "{ snippets(ids: []) { nodes { id } } }")["snippets"]["nodes"]
    assert {"id": number} in rows


def test_snippets_of_a_project_without_them_are_an_error(fakeplat: Fakeplat) -> None:
    """Where snippets are disabled the list is an error of the query."""
    fakeplat.load({"projects": [{"path_with_namespace": "acme/site", "snippets_access_level": "disabled"}]})
    content = post_query(fakeplat, "rep", '{ project(fullPath: "acme/site") { name snippets { nodes { id } } } }')
    assert {"name": "Site", "snippets": None} == content["data"]["project"]
    assert ["Snippets are not enabled for this Project"] == list_messages(content)


@pytest.mark.parametrize(
    ("visibility", "caller", "expected"),
    [
        ("public", "rep", (True, True, True, True, True)),
        ("public", "gus", (True, False, False, True, True)),
        ("public", None, (True, False, False, False, False)),
        ("private", "root", (True, False, False, False, False)),
    ],
)
def test_rights_on_a_personal_snippet_follow_its_visibility(
    fakeplat: Fakeplat, visibility: str, caller: str | None, expected: tuple[bool, ...]
) -> None:
    """Who sees a personal snippet comments on it; administrators only read those that are not visible to them."""
    number = create_snippet(fakeplat, "rep", visibilityLevel=visibility)
    query = f"""{{ snippets(ids: ["{number}"]) {{ nodes {{
        notes {{ nodes {{ body }} }} discussions {{ nodes {{ id }} }} {RIGHTS} }} }} }}"""
    (snippet,) = query_data(fakeplat, caller, query)["snippets"]["nodes"]
    rights = snippet.pop("userPermissions")

    assert (*expected, False) == tuple(rights.values())
    assert {"notes": {"nodes": []}, "discussions": {"nodes": []}} == snippet


@pytest.mark.parametrize("mutation", ["createNote", "createDiscussion"])
def test_comments_on_personal_snippets_are_not_built(fakeplat: Fakeplat, mutation: str) -> None:
    """Who sees a personal snippet is told that comments are missing here; others do not find it."""
    query = write_mutation(mutation, "note { body }")
    for visibility, expected in (("public", UNBUILT), ("private", NOT_AVAILABLE)):
        number = create_snippet(fakeplat, "rep", visibilityLevel=visibility)
        content = query_refused(fakeplat, "gus", query, input={"noteableId": number, "body": "Nice"})
        assert [expected] == list_messages(content)


def test_a_project_shows_more_rights(fakeplat: Fakeplat) -> None:
    """What the caller may do with wikis, deployments, schedules and merge requests follows the role."""
    names = """adminWiki createWiki createDeployment createMergeRequestFrom createMergeRequestIn
        createPipelineSchedule updatePages"""
    for caller, expected in (
        ("rep", (False, False, False, False, True, False, False)),
        ("dev", (False, True, True, True, True, True, False)),
        ("mia", (True, True, True, True, True, True, True)),
    ):
        rights = query_project(fakeplat, caller, f"userPermissions {{ {names} }}")["userPermissions"]
        assert expected == tuple(rights.values()), caller


@pytest.mark.fakeplat(version="18.5")
def test_snippets_of_banned_authors_are_hidden(fakeplat: Fakeplat) -> None:
    """A snippet tells whether its author is banned; none is told to be imported."""
    query = "{ snippets { nodes { author { username } hidden imported } } }"
    for author in ("rep", "dev"):
        create_snippet(fakeplat, author, projectPath="acme/site")
    before = query_data(fakeplat, "root", query)["snippets"]["nodes"]
    author = before[0]["author"]["username"]
    fakeplat.as_user("root").post(f"users/{fakeplat.world.user(author).id}/ban")
    after = query_data(fakeplat, "root", query)["snippets"]["nodes"]

    assert {(False, False)} == {(row["hidden"], row["imported"]) for row in before}
    assert [row["author"]["username"] == author for row in after] == [row["hidden"] for row in after]


@pytest.mark.fakeplat(version="13.5")
def test_a_snippet_had_one_file(fakeplat: Fakeplat) -> None:
    """At first a snippet shows its first file."""
    snippet = {"title": "Tip", "visibility": "public", "files": [{"file_path": "a.md", "content": "Do it."}]}
    fakeplat.as_user("dev").post("projects/acme%2Fsite/snippets", json=snippet)
    rows = query_data(fakeplat, "dev", "{ snippets { nodes { blob { path rawPath plainData } } } }")["snippets"][
        "nodes"
    ]
    assert ("a.md", "Do it.") == (rows[0]["blob"]["path"], rows[0]["blob"]["plainData"])
