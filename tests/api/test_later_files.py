"""New and changed files in later releases. Source: lib/api/files.rb and doc/api/repository_files.md of the platform."""

from typing import Any

import pytest

from fakeplat.core.release import Lifetime
from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import BODIES_OF_FILES_ARE_READ_LATE, FOLDERS_ARE_NO_FILES
from tests.api.merge_requests import DOCS, SITE
from tests.api.requests import FORBIDDEN, UNAUTHORIZED, Outcome, form, invalid, outcome, refusal, resource_not_found
from tests.by_release import by_release

FILES = f"{SITE}/repository/files"
NEW: dict[str, Any] = {"branch": "main", "commit_message": "Add", "content": "text"}
MODES = Lifetime(since="14.10")
NO_PUSH: Outcome = (403, {"message": "403 Forbidden - You are not allowed to push into this branch"})
pytestmark = pytest.mark.fakeplat(version="latest")


def wrong(text: str) -> Outcome:
    """Return the refusal of a body that the platform reads itself."""
    return 400, {"message": f"400 Bad request - {text}"}


def write(fake: Fakeplat, method: str, path: str, **fields: Any) -> None:
    reply = fake.as_user("mia").request(method, f"{FILES}/{path}", json={**NEW, **fields})
    assert reply.status in (200, 201), reply
    assert {"file_path": path, "branch": "main"} == reply.json()


def is_executable(fake: Fakeplat, path: str) -> bool:
    mode = {entry["path"]: entry["mode"] for entry in fake.as_user("rep").get(f"{SITE}/repository/tree").json()}
    return bool(mode[path] == "100755")


@by_release(MODES, "expected", {"14.9": [False] * 4, "14.10": [True, True, False, True]})
def test_a_file_can_be_made_executable(fakeplat: Fakeplat, expected: list[bool]) -> None:
    """From 14.10 on, a new or changed file is made executable or not on demand; else a change keeps the mode."""
    write(fakeplat, "POST", "run", execute_filemode=True)
    seen = [is_executable(fakeplat, "run")]
    for fields in ({}, {"execute_filemode": False}, {"execute_filemode": "true"}):
        write(fakeplat, "PUT", "run", content=str(fields), **fields)
        seen.append(is_executable(fakeplat, "run"))
    assert expected == seen


@pytest.mark.parametrize("method", ["POST", "PUT"])
@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"branch": None}, "branch is required"),
        ({"branch": {"name": "main"}}, "branch must be a string"),
        ({"commit_message": ["Add"], "branch": ""}, "commit_message must be a string"),
        ({"commit_message": ""}, "commit_message is required"),
        ({"start_branch": 1}, "start_branch must be a string"),
        ({"author_name": ["Zoe"]}, "author_name must be a string"),
        ({"last_commit_id": 7}, "last_commit_id must be a string"),
        ({"encoding": "bin"}, "encoding must be text or base64"),
        ({"execute_filemode": 0}, "execute_filemode must be a boolean"),
    ],
)
def test_the_first_problem_of_a_file_is_named(
    fakeplat: Fakeplat, method: str, fields: dict[str, Any], text: str
) -> None:
    """Later releases name the first thing that is wrong with the commit of a file, whoever asks."""
    body = {**NEW, **fields}
    assert wrong(text) == refusal(fakeplat, "mia", method, f"{FILES}/README.md", json=body)
    assert wrong(text) == refusal(fakeplat, "gus", method, f"{FILES}/README.md", json=body)


@by_release(
    BODIES_OF_FILES_ARE_READ_LATE,
    "expected",
    {"18.6": invalid("content is missing"), "18.7": wrong("content is required")},
)
def test_a_file_needs_content(fakeplat: Fakeplat, expected: Outcome) -> None:
    """A file without content is refused; a null is an empty file, whatever its encoding."""
    body = {"branch": "main", "commit_message": "Add"}
    assert expected == refusal(fakeplat, "mia", "POST", f"{FILES}/x", json=body)
    write(fakeplat, "PUT", "README.md", content=None, encoding="base64")
    assert 0 == fakeplat.as_user("rep").get(f"{FILES}/README.md?ref=main").json()["size"]


@by_release(
    BODIES_OF_FILES_ARE_READ_LATE,
    "expected",
    {
        "18.6": ((400, {"message": "You are not allowed to push into this branch"}), FORBIDDEN, FORBIDDEN),
        "18.7": (NO_PUSH, NO_PUSH, UNAUTHORIZED),
    },
)
@pytest.mark.parametrize("method", ["POST", "PUT"])
def test_who_may_not_push(fakeplat: Fakeplat, method: str, expected: tuple[Outcome, ...]) -> None:
    """Later releases answer everybody who may not push alike, and ask anonymous callers to sign in."""
    fakeplat.as_user("ada").put("projects/acme%2Fdocs", json={"default_branch": "main"})
    public = f"{DOCS}/repository/files/new.txt"
    seen = (
        refusal(fakeplat, "dev", method, f"{FILES}/README.md", json=NEW),
        refusal(fakeplat, "rep", method, f"{FILES}/README.md", json=NEW),
        refusal(fakeplat, None, method, public, json=NEW),
    )
    assert expected == seen
    assert resource_not_found("Project") == refusal(fakeplat, None, method, f"{FILES}/README.md", json=NEW)


def test_files_are_deleted_as_before(fakeplat: Fakeplat) -> None:
    """The body of a deletion is checked as in all releases."""
    body = {"branch": "main", "commit_message": "Delete"}
    no_push = (400, {"message": "You are not allowed to push into this branch"})
    assert no_push == refusal(fakeplat, "dev", "DELETE", f"{FILES}/README.md", json=body)
    assert FORBIDDEN == refusal(fakeplat, "rep", "DELETE", f"{FILES}/README.md", json=body)
    assert invalid("commit_message is empty") == refusal(
        fakeplat, "mia", "DELETE", f"{FILES}/README.md", json={**body, "commit_message": ""}
    )


def test_files_of_forms(fakeplat: Fakeplat) -> None:
    """A form makes a file unless it contains an uploaded one."""
    reply = fakeplat.as_user("mia").post(f"{FILES}/form.txt", data={**NEW, "execute_filemode": "true"})
    assert (201, True) == (reply.status, is_executable(fakeplat, "form.txt"))
    sent = form(branch="main", commit_message="Add", content=("a.txt", "text/plain", b"a"))
    refused = refusal(fakeplat, "mia", "POST", f"{FILES}/x", **sent)
    assert wrong("This endpoint does not support form encoded file uploads") == refused


@by_release(
    FOLDERS_ARE_NO_FILES,
    "text",
    {"19.2": "A file with this name doesn't exist", "19.3": "Path is a directory, not a file"},
)
def test_a_folder_is_no_file(fakeplat: Fakeplat, text: str) -> None:
    """A folder cannot be changed like a file, and the newest releases say why."""
    assert (400, {"message": text}) == refusal(fakeplat, "mia", "PUT", f"{FILES}/app", json=NEW)
    elsewhere = {**NEW, "branch": "other", "start_branch": "feature"}
    assert (400, {"message": text}) == outcome(fakeplat.as_user("mia").put(f"{FILES}/app", json=elsewhere))


BROKEN: Outcome = (400, {"message": "Invalid json", "error": "Invalid json"})
JSON = "application/json"
PLACES = [("POST", f"{SITE}/repository/commits"), ("PUT", f"{FILES}/README.md"), ("POST", f"{FILES}/new.txt")]


def send(fake: Fakeplat, by: str | None, method: str, path: str, content_type: str, body: bytes) -> Outcome:
    return refusal(fake, by, method, path, headers={"Content-Type": content_type}, data=body)


@pytest.mark.parametrize(("method", "path"), PLACES)
@pytest.mark.parametrize(
    ("content_type", "body", "expected"),
    [
        (JSON, b"{", BROKEN),
        (JSON, b'{"branch": }', BROKEN),
        ("text/plain", b"branch=main", wrong("Unsupported Content-Type: text/plain")),
        ("application/x-www-form-urlencoded", b"branch=%zz", wrong("Invalid parameter: invalid %-encoding (%zz)")),
    ],
)
def test_bodies_that_nobody_can_read_are_refused(
    fakeplat: Fakeplat, method: str, path: str, content_type: str, body: bytes, expected: Outcome
) -> None:
    """Later releases name what is wrong with the body of a commit, once the caller may see the project."""
    assert expected == send(fakeplat, "mia", method, path, content_type, body)
    assert resource_not_found("Project") == send(fakeplat, "eve", method, path, content_type, body)


@pytest.mark.fakeplat(version="18.6")
def test_broken_json_was_no_hash_before(fakeplat: Fakeplat) -> None:
    """Earlier releases refuse broken JSON of commits as everywhere, before the project is looked up."""
    for by in ("mia", "eve"):
        status, body = send(fakeplat, by, *PLACES[0], JSON, b"{")
        assert (400, True) == (status, body["error"].startswith("Problem:\n  message body does not match"))


@by_release(BODIES_OF_FILES_ARE_READ_LATE, "statuses", {"18.6": [413] * 4, "18.7": [201, 200, 200, 429]})
def test_large_commits_are_limited(fakeplat: Fakeplat, statuses: list[int]) -> None:
    """Later releases take large commits, three in half a minute from a user."""
    fakeplat.as_user("ada").put(SITE, json={"default_branch": "main"})
    body = {**NEW, "content": "x" * (20 * 1024 * 1024)}
    mia = fakeplat.as_user("mia")
    assert statuses == [
        mia.request("PUT" if number else "POST", f"{FILES}/new.txt", json=body).status for number in range(4)
    ]
    assert (201 if statuses[0] == 413 else 400) == mia.post(f"{FILES}/new.txt", json=NEW).status


def test_large_commits_are_taken_again_later(fakeplat: Fakeplat) -> None:
    """After half a minute, large commits are accepted again; other users are counted alone."""
    actions = [{"action": "create", "file_path": "big.txt", "content": "x" * (20 * 1024 * 1024)}]
    body = {"branch": "main", "commit_message": "Add", "actions": actions}
    path = PLACES[0][1]
    # Only the size counts: the first is made, the others would make the same file again.
    statuses = [fakeplat.as_user("mia").post(path, json=body).status for _ in range(4)]
    assert [201, 400, 400, 429] == statuses
    text = "This endpoint has been requested too many times. Try again later."
    assert (429, {"message": {"error": text}}) == refusal(fakeplat, "mia", "POST", path, json=body)
    assert 400 == fakeplat.as_user("ada").post(path, json=body).status
    fakeplat.clock.advance("30s")
    assert 400 == fakeplat.as_user("mia").post(path, json=body).status
