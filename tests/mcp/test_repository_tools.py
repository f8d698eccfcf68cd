"""The tools for commits, files, conflicts, pipelines and wikis, as their users meet them."""

import json
from base64 import b64encode
from typing import Any

import pytest

from fakeplat.core.release import Lifetime
from fakeplat.harness.fake import Fakeplat
from tests.by_release import by_release
from tests.mcp.messages import WORLD, call, enable_server, fail, schema_of, succeed, tool_names

pytestmark = pytest.mark.fakeplat(scenario=WORLD, version="19.3")
SITE = "projects/acme%2Fsite"
PROJECT = {"project_id": "acme/site"}
CONFLICT = {**PROJECT, "merge_request_iid": 1}
FILE = {**PROJECT, "ref": "main"}
UNREAD = "Could not read the file(s) needed to expand the partial edit; check the project and ref."
RELATIVE = (
    "The path must be relative to the repository root. Do not retry the same path; "
    "use the search tool with scope 'blobs' to locate the file."
)
EXISTING = "Provide an existing branch name, tag name, or commit SHA, or use HEAD for the default branch."


def write(fake: Fakeplat, *actions: dict[str, Any], branch: str = "main", **others: Any) -> dict[str, Any]:
    """Commit files with the tool; return its result."""
    result: dict[str, Any] = succeed(
        fake, "add_commit", **PROJECT, branch=branch, commit_message="Change files", actions=[*actions], **others
    )
    return result


def add(path: str, content: str, **others: Any) -> dict[str, Any]:
    """Return the action that adds a file."""
    return {"action": "create", "file_path": path, "content": content, **others}


def edit(path: str, old: str, new: str, **others: Any) -> dict[str, Any]:
    """Return the action that replaces a part of a file."""
    return {"action": "update", "file_path": path, "old_str": old, "new_str": new, **others}


def read(fake: Fakeplat, path: str, ref: str = "main") -> str:
    """Return the content of a file by the API."""
    return str(fake.as_user("ada").get(f"{SITE}/repository/files/{path.replace('/', '%2F')}/raw?ref={ref}").text)


def user_id(fake: Fakeplat, username: str) -> int:
    """Return the id of a user."""
    id_: int = fake.as_user(username).get("user").json()["id"]
    return id_


@by_release(Lifetime("<=18.11"), "known", {"18.10": False, "18.11": True})
def test_conflicts_are_shown_by_18_11(fakeplat: Fakeplat, known: bool) -> None:
    """The tool for conflicts is there by 18.11."""
    enable_server(fakeplat)
    assert known is ("get_merge_request_conflicts" in tool_names(fakeplat))


@by_release(Lifetime("<=19.2"), "known", {"19.1": False, "19.2": True})
def test_work_item_types_are_listed_by_19_2(fakeplat: Fakeplat, known: bool) -> None:
    """The tool for types of work items is there by 19.2."""
    enable_server(fakeplat)
    assert known is ("get_work_item_types" in tool_names(fakeplat))


# add_commit


def test_add_commit(fakeplat: Fakeplat) -> None:
    """add_commit commits several changes at once; create_commit is another name of it."""
    commit = write(fakeplat, add("a.txt", "one\n"), add("b.bin", b64encode(b"\0").decode(), encoding="base64"))
    assert [] == commit["errors"]
    shown = fakeplat.as_user("ada").get(f"{SITE}/repository/commits/main").json()
    assert (shown["id"], shown["short_id"], shown["web_url"]) == tuple(
        commit["commit"][name] for name in ("sha", "shortId", "webUrl")
    )
    assert ("Change files", "one\n", "\0") == (shown["message"], read(fakeplat, "a.txt"), read(fakeplat, "b.bin"))
    moved = {"action": "move", "file_path": "c.txt", "previous_path": "a.txt"}
    arguments = {"branch": "new", "start_branch": "main", "commit_message": "Move", "actions": [moved]}
    succeed(fakeplat, "create_commit", url=f"{fakeplat.url.rstrip('/')}/acme/site", **arguments)
    assert "one\n" == read(fakeplat, "c.txt", "new")


def test_add_commit_replaces_parts_of_files(fakeplat: Fakeplat) -> None:
    """An update can replace one part of a file; later ones see the earlier, and a new branch its start."""
    write(fakeplat, add("a.txt", "héllo old world\n"))
    write(fakeplat, edit("a.txt", "old", r"\1 new"), edit("a.txt", "new world", "newest"))
    assert "héllo \\1 newest\n" == read(fakeplat, "a.txt")
    write(fakeplat, edit("a.txt", "newest", "n"), branch="other", start_branch="main")
    write(fakeplat, edit("a.txt", r"\1 n", "end"), branch="other")
    assert "héllo end\n" == read(fakeplat, "a.txt", "other")


@pytest.mark.parametrize(
    ("action", "text"),
    [
        (edit("x.txt", "a", "b"), "File 'x.txt' was not found"),
        (edit("b.bin", "a", "b"), "File 'b.bin' is binary and cannot be partially edited"),
        (edit("a.txt", "three", "b"), "old_str was not found in 'a.txt'"),
        (edit("a.txt", "one", "b"), "old_str is ambiguous in 'a.txt'; provide more surrounding context"),
        (edit("a.txt", "", "b"), "old_str cannot be empty"),
        (edit("a.txt", "two", "b", content="c"), "Provide either content or old_str and new_str, not both"),
        (edit("a.txt", "two", "b", encoding="base64"), "Partial edits require text encoding"),
        ({**edit("a.txt", "two", "b"), "action": "delete"}, "Partial edits are only supported for update actions"),
        (
            {"action": "update", "file_path": "a.txt", "new_str": "b"},
            "Provide both old_str and new_str for a partial edit",
        ),
        (
            edit("../a.txt", "two", "b"),
            f"{UNREAD} Error: Path(s) ../a.txt must not contain a path traversal sequence.",
        ),
        (add("a.txt", "one"), "A file with this name already exists"),
    ],
)
def test_wrong_changes_of_files(fakeplat: Fakeplat, action: dict[str, Any], text: str) -> None:
    """A change that cannot be made is told of, and no other one is made."""
    write(fakeplat, add("a.txt", "one one two"), add("b.bin", b64encode(b"\0").decode(), encoding="base64"))
    arguments = {**PROJECT, "branch": "main", "commit_message": "No", "actions": [add("new", ""), action]}
    assert text == fail(fakeplat, "add_commit", **arguments)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"actions": []}, "Validation error: actions is invalid"),
        ({"actions": [add("a", "b")] * 101}, "Validation error: actions cannot contain more than 100 items"),
        ({"actions": [{"action": "create"}]}, "Validation error: file_path is missing"),
        ({"actions": [add("a", "b", mode=1)]}, "Validation error: actions/0/mode is invalid"),
        (
            {"actions": [{"action": "touch", "file_path": "a"}]},
            "Validation error: Invalid actions/0/action: 'touch'. Must be one of: create, update, delete, move, chmod",
        ),
        ({"commit_message": ""}, "Validation error: commit_message is missing"),
        ({"url": "http://other/acme/site"}, "Provide exactly one of project_id or url"),
        ({"project_id": ""}, "Provide exactly one of project_id or url"),
        ({"project_id": "x/y"}, "Tool execution failed: Project 'x/y' not found or inaccessible"),
    ],
)
def test_wrong_commits(fakeplat: Fakeplat, arguments: dict[str, Any], text: str) -> None:
    """Actions are checked one by one, before the project."""
    valid = {**PROJECT, "branch": "main", "commit_message": "No", "actions": [add("a", "b")]}
    assert text == fail(fakeplat, "add_commit", **{**valid, **arguments})


def test_only_developers_commit(fakeplat: Fakeplat) -> None:
    """Without the permission to push, the mutation refuses."""
    fakeplat.as_user("ada").put(SITE, json={"visibility": "public"})
    arguments = {**PROJECT, "branch": "main", "commit_message": "No", "actions": [add("a", "b")]}
    assert "The resource that you are attempting to access does not exist" in fail(
        fakeplat, "add_commit", "eve", **arguments
    )


# get_commit


def test_get_commit(fakeplat: Fakeplat) -> None:
    """get_commit shows a commit by its SHA, a branch or a URL, with its diff or the comments on it."""
    sha = write(fakeplat, add("a.txt", "one\ntwo\n"))["commit"]["sha"]
    commit = succeed(fakeplat, "get_commit", **PROJECT, commit_sha="main")
    assert (sha, "Change files", "mia") == (commit["sha"], commit["title"], commit["author"]["username"])
    assert not {"diffs", "diffStats", "diffStatsSummary", "notes"} & commit.keys()
    url = f"{fakeplat.url.rstrip('/')}/acme/site/-/commit/{sha}"
    assert commit == succeed(fakeplat, "get_commit", url=url)
    counted = succeed(fakeplat, "get_commit", url=url, include=["diff"])
    assert {"additions": 2, "deletions": 0, "changes": 2, "fileCount": 1} == counted["diffStatsSummary"]
    assert [{"path": "a.txt", "additions": 2, "deletions": 0}] == counted["diffStats"]
    (diff,) = succeed(fakeplat, "get_commit", url=url, include=["diff"], diff_detail="full_patch")["diffs"]
    assert ("a.txt", "true", "false", "false") == tuple(
        diff[name] for name in ("newPath", "newFile", "collapsed", "tooLarge")
    )
    assert "+one\n+two\n" in diff["diff"]
    for body in ("First", "Second"):
        fakeplat.as_user("ada").post(f"{SITE}/repository/commits/{sha}/comments", json={"note": body})
    notes = succeed(fakeplat, "get_commit", url=url, include=["notes"], notes_first=1)["notes"]
    assert (2, True, ["First"]) == (
        notes["count"],
        notes["pageInfo"]["hasNextPage"],
        [note["body"] for note in notes["nodes"]],
    )
    after = {"notes_after": notes["pageInfo"]["endCursor"]}
    notes = succeed(fakeplat, "get_commit", url=url, include=["notes"], **after)["notes"]
    assert ["Second"] == [note["body"] for note in notes["nodes"]]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (PROJECT, "Validation error: Provide either url, or project_id and commit_sha"),
        ({"commit_sha": "main"}, "Validation error: Provide either url, or project_id and commit_sha"),
        (
            {"url": "http://x", "commit_sha": "main"},
            "Validation error: Provide either url, or project_id and commit_sha, not both",
        ),
        ({"url": "http://x/acme/site"}, "Validation error: Invalid commit URL: http://x/acme/site"),
        ({**PROJECT, "commit_sha": "0" * 40}, "Commit not found or inaccessible"),
        (
            {"project_id": "acme/nothing", "commit_sha": "main"},
            "Tool execution failed: Project 'acme/nothing' not found or inaccessible",
        ),
        (
            {**PROJECT, "commit_sha": "main", "include": ["all"]},
            "Validation error: Invalid include/0: 'all'. Must be one of: diff, notes",
        ),
    ],
)
def test_wrong_commits_to_read(fakeplat: Fakeplat, arguments: dict[str, Any], text: str) -> None:
    """A commit is named by its URL, or by project and revision."""
    assert text == fail(fakeplat, "get_commit", **arguments)


def test_commits_of_hidden_projects(fakeplat: Fakeplat) -> None:
    """The URL of a commit of a project that the caller does not see tells of no project."""
    sha = fakeplat.as_user("ada").get(f"{SITE}/repository/commits/main").json()["id"]
    url = f"{fakeplat.url.rstrip('/')}/acme/site/-/commit/{sha}"
    assert "Project not found or inaccessible" == fail(fakeplat, "get_commit", "eve", url=url)


# get_repository_file


def test_get_repository_file(fakeplat: Fakeplat) -> None:
    """get_repository_file shows a file as committed, whatever ends its lines, and how much of it there is."""
    write(fakeplat, add("docs/a.txt", "alpha\r\nbeta\r\n\r\nend\f"))
    expected = {
        "path": "docs/a.txt",
        "ref": "main",
        "metadata": {
            "total_lines": 4,
            "returned_lines": {"start": 1, "end": 4},
            "truncated": False,
            "size_bytes": 19,
        },
        "content": "alpha\r\nbeta\r\n\r\nend\f",
    }
    assert expected == succeed(fakeplat, "get_repository_file", **FILE, file_path="/docs/a.txt")
    url = f"{fakeplat.url.rstrip('/')}/acme/site/-/blob/main/docs/a.txt"
    for others in ({}, {"ref": "main", "project_id": "acme/site", "file_path": "docs/a.txt"}):
        assert expected == succeed(fakeplat, "get_repository_file", url=url, **others)
    result = call(fakeplat, "get_repository_file", **FILE, file_path="docs/a.txt")
    assert expected == json.loads(result["content"][0]["text"])


def test_windows_of_files(fakeplat: Fakeplat) -> None:
    """A window of lines tells where the next one begins, and whether there are any."""
    write(fakeplat, add("a.txt", "".join(f"{number}\n" for number in range(9))))
    shown = succeed(fakeplat, "get_repository_file", **FILE, file_path="a.txt", offset=2, limit=3)
    assert ("2\n3\n4\n", {"start": 3, "end": 5}, True) == (
        shown["content"],
        shown["metadata"]["returned_lines"],
        shown["metadata"]["truncated"],
    )
    assert shown["system_instruction"] == (
        'File truncated. Remaining lines: 4. To view more, call again with {"offset": 5, "limit": 3}.'
    )
    shown = succeed(fakeplat, "get_repository_file", **FILE, file_path="a.txt", offset=9)
    assert ("", None) == (shown["content"], shown["metadata"]["returned_lines"])
    text = "Offset 9 is past the end of the file (9 lines). Call again with an offset below 9."
    assert text == shown["system_instruction"]


def test_windows_have_a_megabyte(fakeplat: Fakeplat) -> None:
    """A window is at most a megabyte; a longer line is cut."""
    write(fakeplat, add("many.txt", ("x" * 600_000 + "\n") * 2), add("long.txt", "é" * 600_000))
    shown = succeed(fakeplat, "get_repository_file", **FILE, file_path="many.txt")
    assert (600_001, 1) == (len(shown["content"]), shown["metadata"]["returned_lines"]["end"])
    assert shown["system_instruction"].endswith(
        "The window was shortened to stay within the 1048576 byte response limit."
    )
    shown = succeed(fakeplat, "get_repository_file", **FILE, file_path="long.txt")
    assert (524_288, True) == (len(shown["content"]), shown["metadata"]["truncated"])
    assert shown["system_instruction"] == (
        "A line exceeded the 1048576 byte response limit and was cut; its remainder is not retrievable due to size."
    )


def test_urls_of_files_name_refs(fakeplat: Fakeplat) -> None:
    """The ref in a URL may have slashes, and ref_type tells a tag from a branch of the same name."""
    write(fakeplat, add("a.txt", "branch"), branch="with/slash", start_branch="main")
    write(fakeplat, add("a.txt", "tag"), branch="other", start_branch="main")
    tag = {"tag_name": "with/slash", "ref": "other"}
    assert 201 == fakeplat.as_user("ada").post(f"{SITE}/repository/tags", json=tag).status
    url = f"{fakeplat.url.rstrip('/')}/acme/site/-/raw/with/slash/a.txt?ref_type="
    contents = [succeed(fakeplat, "get_repository_file", url=f"{url}{kind}")["content"] for kind in ("heads", "tags")]
    assert ["branch", "tag"] == contents
    assert "with/slash" == succeed(fakeplat, "get_repository_file", url=f"{url}heads")["ref"]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({}, "Validation error: Provide either url, or project_id, file_path, and ref"),
        ({**FILE}, "Validation error: Provide either url, or project_id, file_path, and ref"),
        ({**PROJECT, "file_path": "a"}, "Validation error: Provide either url, or project_id, file_path, and ref"),
        ({**FILE, "file_path": "/"}, "Validation error: file_path must not be empty"),
        ({**FILE, "file_path": "a/"}, "Validation error: file_path must be a file, not a directory: 'a/'"),
        (
            {**FILE, "file_path": "a/../b"},
            "Validation error: file_path must not contain a path traversal sequence: 'a/../b'",
        ),
        (
            {**FILE, "file_path": "x.rb"},
            f"File 'x.rb' does not exist at ref 'main'. {RELATIVE}",
        ),
        (
            {**PROJECT, "file_path": "a", "ref": "nothing"},
            f"Ref 'nothing' not found. {EXISTING}",
        ),
        (
            {"project_id": "1" * 9, "file_path": "a", "ref": "main"},
            f"Tool execution failed: Project '{'1' * 9}' not found or inaccessible",
        ),
        ({**FILE, "file_path": "a", "limit": 2001}, "Validation error: limit is invalid"),
    ],
)
def test_wrong_files(fakeplat: Fakeplat, arguments: dict[str, Any], text: str) -> None:
    """What is wrong with a path, a ref or a project is told of."""
    assert text == fail(fakeplat, "get_repository_file", **arguments)


@pytest.mark.parametrize(
    ("url", "others", "text"),
    [
        ("tree/main/docs", {}, "Invalid file URL format. Expected: .../-/blob/<ref>/<file_path>"),
        ("blob/main/a", {"ref": "x"}, "Ref mismatch: ref is 'x' but url contains 'main'"),
        ("blob/main/a", {"file_path": "x"}, "File path mismatch: file_path is 'x' but url contains 'a'"),
        (
            "blob/main/a",
            {"project_id": "x/y"},
            "Project mismatch: project_id is 'x/y' but url contains 'acme/site'",
        ),
    ],
)
def test_urls_of_files_are_checked(fakeplat: Fakeplat, url: str, others: dict[str, str], text: str) -> None:
    """The URL of a file has to be one, and the other arguments must not contradict it."""
    address = f"{fakeplat.url.rstrip('/')}/acme/site/-/{url}"
    assert f"Validation error: {text}" == fail(fakeplat, "get_repository_file", url=address, **others)


def test_files_that_are_no_text(fakeplat: Fakeplat) -> None:
    """Binary files, and pointers of Git LFS, are not shown."""
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'a' * 64}\nsize 1234\n"
    write(fakeplat, add("a.bin", b64encode(b"a\0").decode(), encoding="base64"), add("b.iso", pointer))
    text = "File 'a.bin' is binary and cannot be returned as text. Size: 2 bytes."
    assert text == fail(fakeplat, "get_repository_file", **FILE, file_path="a.bin")
    fakeplat.as_user("ada").put(SITE, json={"lfs_enabled": True})
    text = "File 'b.iso' is stored in LFS (lfs) and its content cannot be read with this tool. Size: 1234 bytes."
    assert text == fail(fakeplat, "get_repository_file", **FILE, file_path="b.iso")


def test_files_need_access_to_the_code(fakeplat: Fakeplat) -> None:
    """Whoever must not read the code does not learn whether there is a project."""
    settings = {"visibility": "public", "repository_access_level": "private", "merge_requests_access_level": "private"}
    fakeplat.as_user("ada").put(SITE, json={**settings, "builds_access_level": "private"})
    text = "Tool execution failed: Project 'acme/site' not found or inaccessible"
    assert text == fail(fakeplat, "get_repository_file", "eve", **FILE, file_path="README.md")


# get_merge_request_conflicts


def cause_conflicts(fake: Fakeplat) -> None:
    """Change files on both sides of the merge request 1, and have it checked."""
    ada = fake.as_user("ada")
    source = ada.get(f"{SITE}/merge_requests/1").json()["source_branch"]
    actions = [{"action": "create", "file_path": name, "content": "base\n"} for name in ("x.txt", "y.txt")]
    for branch, text in (("main", "theirs\n"), (source, "ours\n")):
        sent = [{**action, "content": text} for action in actions]
        body = {"branch": branch, "commit_message": "Change", "actions": sent}
        assert 201 == ada.post(f"{SITE}/repository/commits", json=body).status
    fake.settle()
    for _ in range(3):
        ada.get(f"{SITE}/merge_requests/1")
    assert "cannot_be_merged" == ada.get(f"{SITE}/merge_requests/1").json()["merge_status"]


def test_get_merge_request_conflicts(fakeplat: Fakeplat) -> None:
    """The files in conflict are shown with git's markers, named by their paths, without structured content."""
    cause_conflicts(fakeplat)
    result = call(fakeplat, "get_merge_request_conflicts", "ada", **CONFLICT)
    assert (False, {}) == (result["isError"], result["structuredContent"])
    assert result["content"][0]["text"] == "\n\n".join(
        f"# File: {name}\n<<<<<<< {name}\nours\n=======\ntheirs\n>>>>>>> {name}\n" for name in ("x.txt", "y.txt")
    )


def test_conflicts_with_deletions(fakeplat: Fakeplat) -> None:
    """A file that one side deleted cannot be shown."""
    ada = fakeplat.as_user("ada")
    source = ada.get(f"{SITE}/merge_requests/1").json()["source_branch"]
    for branch, action in (("main", {"action": "delete"}), (source, {"action": "update", "content": "ours"})):
        body = {"branch": branch, "commit_message": "Change", "actions": [{"file_path": "README.md", **action}]}
        assert 201 == ada.post(f"{SITE}/repository/commits", json=body).status
    for _ in range(3):
        ada.get(f"{SITE}/merge_requests/1")
    text = "Tool execution failed: 9:conflict side missing"
    assert text == fail(fakeplat, "get_merge_request_conflicts", "ada", **CONFLICT)


@pytest.mark.parametrize(
    ("by", "arguments", "text"),
    [
        ("ada", {}, "Tool execution failed: project_id must be a string"),
        ("ada", {"project_id": 1}, "Tool execution failed: project_id must be a string"),
        ("ada", PROJECT, "Tool execution failed: get_merge_request_conflicts: merge request not found"),
        (
            "ada",
            {**PROJECT, "merge_request_iid": 99},
            "Tool execution failed: get_merge_request_conflicts: merge request not found",
        ),
        ("ada", {**PROJECT, "merge_request_iid": "1"}, "Validation error: merge_request_iid is invalid"),
        ("eve", CONFLICT, "Tool execution failed: Project 'acme/site' not found or inaccessible"),
    ],
)
def test_conflicts_that_are_not_shown(fakeplat: Fakeplat, by: str, arguments: dict[str, Any], text: str) -> None:
    """The merge request is looked up before the arguments are checked."""
    assert text == fail(fakeplat, "get_merge_request_conflicts", by, **arguments)


def test_conflicts_are_for_those_who_can_solve_them(fakeplat: Fakeplat) -> None:
    """Whoever must not push to the source branch is not shown the conflicts."""
    ada = fakeplat.as_user("ada")
    source = ada.get(f"{SITE}/merge_requests/1").json()["source_branch"]
    ada.post(f"{SITE}/members", json={"user_id": user_id(fakeplat, "eve"), "access_level": 20})
    project_id = ada.get(SITE).json()["id"]
    assert fail(fakeplat, "get_merge_request_conflicts", "eve", **CONFLICT) == (
        f"Tool execution failed: User {user_id(fakeplat, 'eve')} does not have permission to push to branch '{source}' "
        f"in project {project_id}"
    )


def test_conflicts_need_a_check(fakeplat: Fakeplat) -> None:
    """What is not checked, or can be merged, has no conflicts to show."""
    write(fakeplat, add("a.txt", "moves the target"))
    text = fail(fakeplat, "get_merge_request_conflicts", "ada", **CONFLICT)
    assert text == (
        "Merge request merge status is 'unchecked' — conflicts cannot be determined until mergeability has been checked"
    )
    for _ in range(3):
        fakeplat.as_user("ada").get(f"{SITE}/merge_requests/1")
    text = fail(fakeplat, "get_merge_request_conflicts", "ada", **CONFLICT)
    assert "Merge request does not have conflicts" == text


@pytest.mark.fakeplat(scenario=WORLD, version="19.2")
def test_conflicts_of_hidden_projects_earlier(fakeplat: Fakeplat) -> None:
    """Earlier a failure tells of the merge request that the caller must not see."""
    id_ = fakeplat.as_user("ada").get(f"{SITE}/merge_requests/1").json()["id"]
    assert fail(fakeplat, "get_merge_request_conflicts", "eve", **CONFLICT) == (
        f"Tool execution failed: CustomService: User {user_id(fakeplat, 'eve')} does not have permission to "
        f"read_merge_request for target {id_}"
    )


# get_pipeline


CONFIGURATION = """
unit:
  script: make
lint:
  script: make lint
  allow_failure: true
below:
  trigger: {project: acme/docs}
"""


def run_pipeline(fake: Fakeplat) -> dict[str, Any]:
    """Return a new pipeline with two jobs and one of another project below it."""
    ada = fake.as_user("ada")
    for project, text in (("docs", "page:\n  script: make\n"), ("site", CONFIGURATION)):
        action = {"action": "create", "file_path": ".gitlab-ci.yml", "content": text}
        found = ada.get(f"projects/acme%2F{project}").json()["default_branch"]
        body = {"branch": found, "commit_message": "Configure [skip ci]", "actions": [action]}
        reply = ada.post(f"projects/acme%2F{project}/repository/commits", json=body)
        if reply.status == 400:
            body["actions"] = [{**action, "action": "update"}]
            ada.post(f"projects/acme%2F{project}/repository/commits", json=body)
    pipeline: dict[str, Any] = ada.post(f"{SITE}/pipeline", json={"ref": "main"}).json()
    return pipeline


def test_get_pipeline(fakeplat: Fakeplat) -> None:
    """get_pipeline shows a pipeline, and one list of what belongs to it, in pages."""
    pipeline = run_pipeline(fakeplat)
    of_it = {"id": "acme/site", "pipeline_id": pipeline["id"]}
    shown = {name: pipeline[name] for name in ("id", "ref", "sha", "source", "web_url")}
    found = succeed(fakeplat, "get_pipeline", "ada", **of_it)
    assert shown == {name: value for name, value in found.items() if name != "status"}
    by_name = {
        job["name"]: job for job in fakeplat.as_user("ada").get(f"{SITE}/pipelines/{pipeline['id']}/jobs").json()
    }
    page = succeed(fakeplat, "get_pipeline", "ada", **of_it, include=["jobs"], first=1)
    assert page["page_info"]["has_next_page"] is True
    rest = succeed(fakeplat, "get_pipeline", "ada", **of_it, include=["jobs"], after=page["page_info"]["end_cursor"])
    jobs = [*page["jobs"], *rest["jobs"]]
    names = ("id", "name", "status", "stage", "allow_failure", "web_url")
    assert {name: {each: job[each] for each in names} for name, job in by_name.items()} == {
        job["name"]: job for job in jobs
    }
    assert [] == succeed(fakeplat, "get_pipeline", "ada", **of_it, include=["jobs"], job_status="failed")["jobs"]


def test_pipelines_below(fakeplat: Fakeplat) -> None:
    """Bridges and downstream pipelines name the project to ask for more; what the caller must not see is left out."""
    pipeline = run_pipeline(fakeplat)
    fakeplat.settle()
    of_it = {"id": "acme/site", "pipeline_id": pipeline["id"]}
    (below,) = succeed(fakeplat, "get_pipeline", "ada", **of_it, include=["downstream_pipelines"])[
        "downstream_pipelines"
    ]
    assert ("acme/docs", "pipeline") == (below["project_full_path"], below["source"])
    (bridge,) = succeed(fakeplat, "get_pipeline", "ada", **of_it, include=["bridge_jobs"])["bridge_jobs"]
    assert ("below", below) == (bridge["name"], bridge["downstream_pipeline"])


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"id": "acme/site"}, "Validation error: pipeline_id is missing"),
        ({"id": "acme/site", "pipeline_id": 99}, "Pipeline not found or inaccessible"),
        ({"id": "acme/nothing", "pipeline_id": 1}, "Project not found or inaccessible"),
        (
            {"id": "acme/site", "pipeline_id": 1, "include": ["jobs", "bridge_jobs"]},
            "Validation error: include cannot contain more than 1 items",
        ),
        ({"id": "acme/site", "pipeline_id": 1, "first": 101}, "Validation error: first is invalid"),
    ],
)
def test_wrong_pipelines(fakeplat: Fakeplat, arguments: dict[str, Any], text: str) -> None:
    """A pipeline or project that the caller does not see is told of."""
    assert text == fail(fakeplat, "get_pipeline", **arguments)


def test_variables_of_pipelines_are_checked(fakeplat: Fakeplat) -> None:
    """A variable of a new pipeline without a value is told of."""
    arguments = {**PROJECT, "ref": "main", "variables": [{"key": "A"}]}
    assert "Validation error: value is missing" == fail(fakeplat, "save_pipeline", **arguments)


# list_wiki_pages


def test_list_wiki_pages(fakeplat: Fakeplat) -> None:
    """list_wiki_pages shows pages with their addresses, and a cursor if there are more."""
    for title in ("home", "docs/Set up"):
        fakeplat.as_user("ada").post(f"{SITE}/wikis", json={"title": title, "content": "Text"})
    page = succeed(fakeplat, "list_wiki_pages", **PROJECT, first=1)
    rest = succeed(fakeplat, "list_wiki_pages", **PROJECT, after=page["metadata"]["end_cursor"])
    root = f"{fakeplat.url.rstrip('/')}/acme/site/-/wikis"
    assert [
        {"title": "Set up", "slug": "docs/Set-up", "webUrl": f"{root}/docs/Set-up"},
        {"title": "home", "slug": "home", "webUrl": f"{root}/home"},
    ] == [*page["items"], *rest["items"]]
    assert {"end_cursor": None} == rest["metadata"]


def test_wikis_of_groups(fakeplat: Fakeplat) -> None:
    """Groups have wikis where these are licensed."""
    fakeplat.as_user("ada").post("groups/acme/wikis", json={"title": "home", "content": "Text"})
    (page,) = succeed(fakeplat, "list_wiki_pages", group_id="acme")["items"]
    assert f"{fakeplat.url.rstrip('/')}/groups/acme/-/wikis/home" == page["webUrl"]


@pytest.mark.fakeplat(scenario={"extends": "starter"}, version="19.3")
def test_wikis_that_are_not_available(fakeplat: Fakeplat) -> None:
    """A wiki that is disabled, or not licensed, is not available."""
    text = (
        "This wiki isn't available. It may be disabled, not available on the current plan, or you don't have "
        "permission to view it. If you expected access, check the wiki's settings or contact an administrator."
    )
    assert text == fail(fakeplat, "list_wiki_pages", group_id="acme")
    fakeplat.as_user("ada").put(SITE, json={"wiki_access_level": "disabled"})
    assert text == fail(fakeplat, "list_wiki_pages", **PROJECT)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({}, "Validation error: Provide exactly one of project_id or group_id."),
        ({**PROJECT, "group_id": "acme"}, "Validation error: Provide exactly one of project_id or group_id."),
        ({"project_id": "x/y"}, "Tool execution failed: Project 'x/y' not found or inaccessible"),
        ({**PROJECT, "first": 0}, "Validation error: first is invalid"),
    ],
)
def test_wrong_wikis(fakeplat: Fakeplat, arguments: dict[str, Any], text: str) -> None:
    """Pages are those of one project or group."""
    assert text == fail(fakeplat, "list_wiki_pages", **arguments)


# get_work_item_types


def test_get_work_item_types(fakeplat: Fakeplat) -> None:
    """get_work_item_types shows the types of a project or group, with their widgets."""
    types = succeed(fakeplat, "get_work_item_types", **PROJECT)["workItemTypes"]
    issue = next(kind for kind in types if kind["name"] == "Issue")
    assert {"id", "name", "iconName", "widgetDefinitions"} == issue.keys()
    assert {"type": "ASSIGNEES"} in issue["widgetDefinitions"]
    url = f"{fakeplat.url.rstrip('/')}/groups/acme/-/work_items"
    of_group = succeed(fakeplat, "get_work_item_types", url=url)["workItemTypes"]
    assert of_group == succeed(fakeplat, "get_work_item_types", group_id="acme")["workItemTypes"]
    assert "Epic" in [kind["name"] for kind in of_group]
    text = "Validation error: Must provide either project_id or group_id"
    assert text == fail(fakeplat, "get_work_item_types")
    text = "Tool execution failed: Group 'x' not found or inaccessible"
    assert text == fail(fakeplat, "get_work_item_types", group_id="x")


def test_schemas_of_later_tools(fakeplat: Fakeplat) -> None:
    """The input schemas have the platform's names."""
    assert {"url", "project_id", "branch", "start_branch", "commit_message", "actions"} == schema_of(
        fakeplat, "add_commit"
    )["properties"].keys()
    assert ["branch", "commit_message", "actions"] == schema_of(fakeplat, "add_commit")["required"]
    assert ["project_id", "merge_request_iid"] == schema_of(fakeplat, "get_merge_request_conflicts")["required"]
    assert {"id", "pipeline_id", "include", "job_status", "first", "after"} == schema_of(fakeplat, "get_pipeline")[
        "properties"
    ].keys()
