"""What commits have in later releases. Source: docs/platform/later-releases.md."""

from typing import Any

import pytest

from fakeplat.core.release import Lifetime
from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import (
    BODIES_OF_COMMITS_ARE_READ_LATE,
    COMMANDS_ARE_ALWAYS_REPORTED,
    COMMITS_ARE_NOT_COUNTED,
    COMMITS_MAY_BE_EMPTY,
    FILE_HEADERS_SHOW_MODE,
    IMPOSSIBLE_REFS_ARE_REFUSED,
    LOGS_FOLLOW_FILES,
    PICKS_BELONG_TO_WHO_PICKS,
    PUSHES_NEED_LOGIN,
    REFS_OF_COMMITS_ARE_NOT_COUNTED,
)
from tests.api.merge_requests import DOCS, SITE, commit
from tests.api.requests import Outcome, form, invalid, names, refusal, resource_not_found
from tests.by_release import by_release

COMMITS = f"{SITE}/repository/commits"
EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
EXECUTABLE_FILES = Lifetime(since="14.10")
pytestmark = pytest.mark.fakeplat(version="latest")


def get(fake: Fakeplat, path: str = "", **params: Any) -> Any:
    reply = fake.as_user("rep").get(f"{COMMITS}{path}", params=params)
    assert 200 == reply.status, reply
    return reply.json()


def test_trailers_are_shown_on_demand(fakeplat: Fakeplat) -> None:
    """A list shows the trailers of commits if asked to; elsewhere they are empty."""
    message = "Title\n\nCc: One <one@x.test>\nCc: Two <two@x.test>\nChangelog: added"
    sha = commit(fakeplat, "main", by="mia", commit_message=message)
    shown, hidden, single = get(fakeplat, trailers=True)[0], get(fakeplat)[0], get(fakeplat, f"/{sha}")

    assert {"Cc": "Two <two@x.test>", "Changelog": "added"} == shown["trailers"]
    assert {"Cc": ["One <one@x.test>", "Two <two@x.test>"], "Changelog": ["added"]} == shown["extended_trailers"]
    assert [({}, {}), ({}, {})] == [(row["trailers"], row["extended_trailers"]) for row in (hidden, single)]


@by_release(COMMITS_ARE_NOT_COUNTED, "expected", {"17.10": ("1", None), "17.11": (None, "2")})
def test_commits_are_not_counted(fakeplat: Fakeplat, expected: tuple[str | None, str | None]) -> None:
    """The headers of later releases have no total, and a full page of commits has a next one, which may be empty."""
    commit(fakeplat, "main", by="mia", author_name="Zoe Zander", author_email="zoe@x.test")
    headers = fakeplat.as_user("rep").get(f"{COMMITS}?author=Zoe&per_page=1").headers
    assert expected == (headers.get("X-Total"), headers.get("X-Next-Page") or None)
    assert [] == get(fakeplat, author="Zoe", per_page=1, page=2)
    assert "" == fakeplat.as_user("rep").get(f"{COMMITS}?author=Zoe&per_page=9").headers["X-Next-Page"]


@by_release(EXECUTABLE_FILES, "expected", {"14.9": None, "14.10": [True, False]})
def test_files_show_whether_they_are_executable(fakeplat: Fakeplat, expected: list[bool] | None) -> None:
    """From 14.10 on, a file shows whether it can be executed."""
    actions = [
        {"action": "create", "file_path": "run", "content": "x"},
        {"action": "chmod", "file_path": "run", "execute_filemode": True},
        {"action": "create", "file_path": "text", "content": "x"},
    ]
    body = {"branch": "main", "commit_message": "Add", "actions": actions}
    assert 201 == fakeplat.as_user("mia").post(COMMITS, json=body).status
    shown = [
        fakeplat.as_user("rep").get(f"{SITE}/repository/files/{path}?ref=main").json().get("execute_filemode")
        for path in ("run", "text")
    ]
    assert expected == (None if None in shown else shown)


def test_commits_by_author(fakeplat: Fakeplat) -> None:
    """Commits are found by an expression for the name or address of their author."""
    commit(fakeplat, "main", by="mia", author_name="Zoe Zander", author_email="zoe@x.test")

    assert ["Zoe Zander"] == names(get(fakeplat, author="Zander"), "author_name")
    assert ["Zoe Zander"] == names(get(fakeplat, author="^Zoe.*x.test>$"), "author_name")
    assert [] == get(fakeplat, author="(")


def test_a_commit_has_a_number(fakeplat: Fakeplat) -> None:
    """The number of a commit counts its history, or only its first parents."""
    before = get(fakeplat, "/main/sequence")["count"]
    commit(fakeplat, "main", by="mia")

    assert {"count": before + 1} == get(fakeplat, "/main/sequence")
    assert get(fakeplat, "/main/sequence", first_parent=True)["count"] <= before + 1
    assert resource_not_found("Commit") == refusal(fakeplat, "rep", "GET", f"{COMMITS}/nope/sequence")


def test_diffs_in_the_unified_format(fakeplat: Fakeplat) -> None:
    """Diffs of a commit name the file before their hunks on demand."""
    sha = commit(fakeplat, "main", "new.txt", by="mia")

    assert get(fakeplat, f"/{sha}/diff", unidiff=True)[0]["diff"].startswith("--- /dev/null\n+++ b/new.txt\n@@ ")
    assert get(fakeplat, f"/{sha}/diff")[0]["diff"].startswith("@@ ")


def test_the_message_of_a_cherry_pick(fakeplat: Fakeplat) -> None:
    """A cherry-pick gets another message on demand."""
    sha = commit(fakeplat, "main", "new.txt", by="mia")
    body = {"branch": "feature", "message": "Another one"}
    answer = fakeplat.as_user("dev").post(f"{COMMITS}/{sha}/cherry_pick", json=body)

    assert (201, "Another one") == (answer.status, answer.json()["message"])


@by_release(IMPOSSIBLE_REFS_ARE_REFUSED, "expected", {"17.10": 200, "17.11": 400})
@pytest.mark.parametrize("ref", ["-main", "main branch"])
def test_what_cannot_name_a_ref_is_refused(fakeplat: Fakeplat, ref: str, expected: int) -> None:
    """Later releases refuse texts that no ref can have as its name; an unknown ref has no commits in any release."""
    reply = fakeplat.as_user("rep").get(COMMITS, params={"ref_name": ref})
    assert (expected, [] if expected == 200 else {"message": "ref_name is invalid"}) == (reply.status, reply.json())
    assert [] == get(fakeplat, ref_name="nope")


def test_the_empty_tree_hides_no_commits(fakeplat: Fakeplat) -> None:
    """A range may begin with the empty tree, which excludes nothing."""
    assert get(fakeplat, ref_name="main") == get(fakeplat, ref_name=f"{EMPTY_TREE}..main") != []


@by_release(PUSHES_NEED_LOGIN, "expected", {"17.10": 403, "17.11": 401})
@pytest.mark.parametrize("path", ["", "/main/cherry_pick", "/main/revert"])
def test_anonymous_callers_are_asked_to_sign_in(fakeplat: Fakeplat, path: str, expected: int) -> None:
    """Later releases ask who commits to a public project without a credential to sign in."""
    actions = [{"action": "create", "file_path": "new", "content": "x"}]
    body = {"branch": "main", "commit_message": "Add", "actions": actions}
    status, _ = refusal(fakeplat, None, "POST", f"{DOCS}/repository/commits{path}", json=body)
    assert expected == status


@by_release(PICKS_BELONG_TO_WHO_PICKS, "expected", {"17.10": "Zoe Zander", "17.11": "Mia Example"})
def test_who_picks_a_commit_is_its_author(fakeplat: Fakeplat, expected: str) -> None:
    """Later releases make the caller the author of a cherry-pick, and name the original author in its message."""
    sha = commit(fakeplat, "main", by="mia", author_name="Zoe Zander", author_email="zoe@x.test", commit_message="Add")
    picked = fakeplat.as_user("mia").post(f"{COMMITS}/{sha}/cherry_pick", json={"branch": "feature"}).json()

    trailer = "\n\nCo-authored-by: Zoe Zander <zoe@x.test>" if expected == "Mia Example" else ""
    assert (expected, f"Add\n\n(cherry picked from commit {sha}){trailer}") == (
        picked["author_name"],
        picked["message"],
    )
    named = fakeplat.as_user("mia").post(f"{COMMITS}/{sha}/cherry_pick", json={"branch": "readme", "message": "Mine"})
    assert (expected, "Mine") == (named.json()["author_name"], named.json()["message"])


@by_release(COMMANDS_ARE_ALWAYS_REPORTED, "is_reported", {"17.10": False, "17.11": True})
def test_comments_on_commits_report_their_quick_actions(fakeplat: Fakeplat, is_reported: bool) -> None:
    """Later releases answer a comment of quick actions only with what these did."""
    sha = get(fakeplat, ref_name="main")[0]["id"]
    reply = fakeplat.as_user("mia").post(f"{COMMITS}/{sha}/comments", json={"note": "/tag v9 Ninth"})
    expected = {
        "commands_changes": {"tag_name": "v9", "tag_message": "Ninth"},
        "summary": ['Tagged this commit to v9 with "Ninth".'],
    }
    if is_reported:
        assert (202, expected) == (reply.status, reply.json())
    else:
        assert (400, {"message": 'Failed to save note {:note=>["can\'t be blank"]}'}) == (reply.status, reply.json())
    assert "v9" == fakeplat.as_user("mia").get(f"{SITE}/repository/tags/v9").json()["name"]
    text = "400 Bad request - Note" if is_reported else "Failed to save note"
    blank = {"message": f'{text} {{:note=>["can\'t be blank"]}}'}
    assert (400, blank) == refusal(fakeplat, "mia", "POST", f"{COMMITS}/{sha}/comments", json={"note": " "})


@by_release(REFS_OF_COMMITS_ARE_NOT_COUNTED, "expected", {"18.8": "1", "18.9": None})
def test_refs_of_a_commit_are_not_counted(fakeplat: Fakeplat, expected: str | None) -> None:
    """Later releases name no total of the branches and tags that contain a commit."""
    commit(fakeplat, "main", by="mia")
    reply = fakeplat.as_user("rep").get(f"{COMMITS}/main/refs")
    assert [{"type": "branch", "name": "main"}] == reply.json()
    assert (expected, "") == (reply.headers.get("X-Total"), reply.headers["X-Next-Page"])


@by_release(FILE_HEADERS_SHOW_MODE, "expected", {"14.9": None, "14.10": "true"})
@pytest.mark.parametrize("path", ["", "/raw", "/blame"])
def test_headers_of_files_show_whether_they_are_executable(fakeplat: Fakeplat, path: str, expected: str | None) -> None:
    """The headers of a file have what its JSON has, its mode included."""
    actions = [
        {"action": "create", "file_path": "run", "content": "x"},
        {"action": "chmod", "file_path": "run", "execute_filemode": True},
    ]
    body = {"branch": "main", "commit_message": "Add", "actions": actions}
    assert 201 == fakeplat.as_user("mia").post(COMMITS, json=body).status
    headers = fakeplat.as_user("rep").head(f"{SITE}/repository/files/run{path}?ref=main").headers
    assert expected == headers.get("X-Gitlab-Execute-Filemode")


_MUST_BE_KNOWN = "must be one of: create, update, move, delete, chmod"


def invalid_body(text: str) -> Outcome:
    """Return the refusal of a body that the platform reads itself."""
    return 400, {"message": f"400 Bad request - {text}"}


@by_release(
    BODIES_OF_COMMITS_ARE_READ_LATE,
    "expected",
    {
        "13.5": [invalid("actions[0][action] is empty"), invalid("actions[0][action] does not have a valid value")],
        "18.6": [invalid("actions[0][action] is empty"), invalid("actions[0][action] does not have a valid value")],
        "18.7": [invalid_body("actions[0][action] is required"), invalid_body(f"actions[0][action] {_MUST_BE_KNOWN}")],
    },
)
def test_a_null_is_no_unknown_action(fakeplat: Fakeplat, expected: list[Outcome]) -> None:
    """An action without a name is empty, or required; one with an unknown name has a wrong value."""
    for action, refused in zip((None, "rename"), expected, strict=True):
        body = {"branch": "main", "commit_message": "Add", "actions": [{"action": action, "file_path": "x"}]}
        assert refused == refusal(fakeplat, "mia", "POST", COMMITS, json=body)


_NEW: dict[str, Any] = {"action": "create", "file_path": "x", "content": "y"}


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        ({"branch": None}, "branch is required"),
        ({"branch": 7}, "branch must be a string"),
        ({"commit_message": " "}, "commit_message is required"),
        ({"commit_message": ["Add"]}, "commit_message must be a string"),
        ({"start_sha": {"sha": "a"}}, "start_sha must be a string"),
        ({"author_email": 7, "commit_message": ""}, "author_email must be a string"),
        ({"actions": []}, "Provide at least one action, or set allow_empty to true"),
        ({"actions": [], "allow_empty": False}, "Provide at least one action, or set allow_empty to true"),
        ({"actions": [], "allow_empty": "maybe"}, "allow_empty must be a boolean"),
        ({"actions": None}, "actions must be an array"),
        ({"actions": "create"}, "actions must be an array"),
        ({"actions": [{**_NEW, "file_path": ["x"]}]}, "actions[0][file_path] must be a string"),
        ({"actions": [_NEW, {**_NEW, "last_commit_id": 1}]}, "actions[1][last_commit_id] must be a string"),
        ({"start_branch": "a", "start_sha": "b"}, "start_branch, start_sha are mutually exclusive"),
        ({"actions": [_NEW, {"action": "create"}]}, "actions[1][file_path] is required"),
        ({"actions": [{**_NEW, "encoding": "rot13"}]}, "actions[0][encoding] must be text or base64"),
        (
            {"actions": [{"action": "update", "file_path": "x"}]},
            "actions[0][content] is required for update action",
        ),
        (
            {"actions": [{"action": "move", "file_path": "x"}]},
            "actions[0][previous_path] is required for move action",
        ),
        (
            {"actions": [{"action": "chmod", "file_path": "x"}]},
            "actions[0][execute_filemode] is required for chmod action",
        ),
        (
            {"actions": [{"action": "chmod", "file_path": "x", "execute_filemode": 0}]},
            "actions[0][execute_filemode] must be a boolean",
        ),
    ],
)
def test_the_first_problem_of_a_body_is_named(fakeplat: Fakeplat, wrong: dict[str, Any], text: str) -> None:
    """Later releases name the first thing that is wrong with a commit."""
    body = {"branch": "main", "commit_message": "Add", "actions": [_NEW], **wrong}
    assert invalid_body(text) == refusal(fakeplat, "mia", "POST", COMMITS, json=body)


@by_release(
    COMMITS_MAY_BE_EMPTY, "expected", {"18.7": invalid_body("actions is required"), "18.8": (201, {"Nothing": 0})}
)
@pytest.mark.parametrize("sent", [{}, {"actions": []}])
def test_a_commit_may_be_empty(fakeplat: Fakeplat, sent: dict[str, Any], expected: Outcome) -> None:
    """From 18.8 on, a commit without actions is made on demand, and changes no file."""
    body = {"branch": "main", "commit_message": "Nothing", "allow_empty": "true", **sent}
    reply = fakeplat.as_user("mia").post(COMMITS, json=body)
    made = reply.json()

    assert expected == (reply.status, {made["title"]: made["stats"]["total"]} if "title" in made else made)


def list_titles(fake: Fakeplat, **params: Any) -> list[str]:
    return names(fake.as_user("rep").get(COMMITS, params=params).json(), "title")


@by_release(LOGS_FOLLOW_FILES, "expected", {"18.9": ["Edit", "Move"], "18.10": ["Edit", "Move", "Make"]})
def test_the_commits_of_a_renamed_file(fakeplat: Fakeplat, expected: list[str]) -> None:
    """From 18.10 on, the commits of a file include those under its earlier names, unless they are not wanted."""
    changes = {
        "Make": {"action": "create", "file_path": "old.txt", "content": "one\ntwo\nthree\n"},
        "Move": {"action": "move", "file_path": "new/name.txt", "previous_path": "old.txt"},
        "Edit": {"action": "update", "file_path": "new/name.txt", "content": "one\n"},
    }
    for message, action in changes.items():
        body = {"branch": "main", "commit_message": message, "actions": [action]}
        assert 201 == fakeplat.as_user("mia").post(COMMITS, json=body).status

    assert expected == list_titles(fakeplat, path="/new/name.txt")
    assert expected == list_titles(fakeplat, path="new/name.txt", all="true")
    assert ["Edit", "Move"] == list_titles(fakeplat, path="new/name.txt", follow="false")
    assert ["Edit", "Move"] == list_titles(fakeplat, path="new")


def test_merges_change_no_followed_file(fakeplat: Fakeplat) -> None:
    """The commits of a file leave out merges, unless only first parents are followed."""
    for branch in ("main", "feature"):
        commit(fakeplat, branch, f"{branch}.txt", by="mia")
    merged = fakeplat.as_user("mia").put(f"{SITE}/merge_requests/1/merge", json={"merge_commit_message": "Merge"})
    assert "merged" == merged.json()["state"]

    assert "Merge" not in list_titles(fakeplat, path="feature.txt")
    assert ["Merge"] == list_titles(fakeplat, path="feature.txt", first_parent="true")


def test_the_right_to_push_comes_before_the_body(fakeplat: Fakeplat) -> None:
    """Later releases look at the actions of a commit only once its author may push to the branch."""
    expected = (403, {"message": "403 Forbidden - You are not allowed to push into this branch"})
    assert expected == refusal(fakeplat, "rep", "POST", COMMITS, json={"branch": "main"})


def test_bodies_are_forms_or_json(fakeplat: Fakeplat) -> None:
    """A form of either kind makes a commit, without files; flags may be texts."""
    fields = {
        "branch": "main",
        "commit_message": "Add",
        "actions[][action]": "create",
        "actions[][file_path]": "run",
        "actions[][content]": "eA==",
        "actions[][encoding]": "base64",
        "stats": "false",
    }
    reply = fakeplat.as_user("mia").post(COMMITS, data=fields)
    assert (201, False) == (reply.status, "stats" in reply.json())
    raw = fakeplat.as_user("mia").get(f"{SITE}/repository/files/run/raw?ref=main")
    assert "x" == raw.text
    chmod = {"action": "chmod", "file_path": "run", "execute_filemode": "true"}
    body = {"branch": "main", "commit_message": "Run", "actions": [chmod], "start_branch": "main"}
    assert 201 == fakeplat.as_user("mia").post(COMMITS, json=body).status
    with_file = form(branch="main", actions=("a.txt", "text/plain", b"a"))
    refused = refusal(fakeplat, "mia", "POST", COMMITS, **with_file)
    assert invalid_body("This endpoint does not support form encoded file uploads") == refused
