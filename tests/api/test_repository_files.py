"""Single files of a repository. Source: docs/platform/repository-files.md. git itself."""

from base64 import b64decode, b64encode
from collections.abc import Callable
from hashlib import sha256
from typing import Any
from urllib.parse import quote

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.workbench.journal_entries import Reply
from tests.api.company import COMPANY
from tests.api.histories import commit_from_git, set_repository
from tests.api.requests import FORBIDDEN, NO_ROUTE, Outcome, invalid, refusal, resource_not_found
from tests.git.command import Git

pytestmark = [pytest.mark.every_release, pytest.mark.fakeplat(scenario=COMPANY)]

SITE, DOCS = "projects/acme%2Fsite", "projects/acme%2Fdocs"
FILES = f"{SITE}/repository/files"
HEADERS = ["File-Name", "File-Path", "Size", "Encoding", "Content-Sha256", "Ref", "Blob-Id", "Commit-Id"]
PATHS = ["README.md", "src/moved.py", "grüße/ñandú.txt", "with space", "empty", "logo.bin", "crlf.txt", "a/b/c/d.rb"]
WRITE = {"branch": "master", "commit_message": "change"}
READ_EARLY = pytest.mark.fakeplat(releases="<18.7")
"""Later releases read the bodies of new and changed files themselves (test_later_files.py)."""


def file_path(path: str, tail: str = "", project: str = SITE) -> str:
    return f"{project}/repository/files/{quote(path, safe='')}{tail}"


def bad_request(text: str) -> Outcome:
    return 400, {"message": text}


def of_git(git: Git, path: str, ref: str) -> dict[str, Any]:
    content = git.raw("cat-file", "blob", f"{ref}:{path}")
    return {
        "file_name": path.rpartition("/")[2],
        "file_path": path,
        "size": len(content),
        "encoding": "base64",
        "content_sha256": sha256(content).hexdigest(),
        "ref": ref,
        "blob_id": git.sha(f"{ref}:{path}"),
        "commit_id": git.sha(f"{ref}^{{commit}}"),
        "last_commit_id": git("log", "-1", "--format=%H", ref, "--", path).strip(),
        "content": b64encode(content).decode(),
    }


# Reading


@pytest.mark.fakeplat(releases="<14.10")
@pytest.mark.parametrize("path", PATHS)
def test_a_file(fakeplat: Fakeplat, site: Git, path: str) -> None:
    """A file shows git's content and metadata in the platform's order of fields."""
    expected = of_git(site, path, "master")
    view = fakeplat.as_user("rep").get(file_path(path, "?ref=master")).json()

    assert list(expected) == list(view)
    assert expected == view


@pytest.mark.fakeplat(releases="<14.10")
@pytest.mark.parametrize("ref", ["feature", "light", "v1.0", "master~1", "HEAD"])
def test_a_file_of_any_revision(fakeplat: Fakeplat, site: Git, ref: str) -> None:
    """The revision is named as it was asked for; whole hashes too."""
    calls = fakeplat.as_user("rep")
    for asked in (ref, site.sha(f"{ref}^{{commit}}")):
        assert of_git(site, "crlf.txt", asked) == calls.get(file_path("crlf.txt"), params={"ref": asked}).json()


def headers_of(reply: Reply, prefix: str) -> dict[str, str]:
    return {name: reply.headers[f"{prefix}-{name}"] for name in [*HEADERS, "Last-Commit-Id"]}


@pytest.mark.parametrize("tail", ["", "/raw", "/blame"])
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_headers_describe_the_file(fakeplat: Fakeplat, site: Git, tail: str, method: str) -> None:
    """HEAD of a file has its metadata as headers and no body."""
    whole = of_git(site, "src/moved.py", "master")
    reply = fakeplat.as_user("rep").request(method, file_path("src/moved.py", f"{tail}?ref=master"))
    expected = {"-".join(map(str.title, name.split("_"))): str(value) for name, value in whole.items()}
    del expected["Content"]

    assert (200, method == "GET") == (reply.status, bool(reply.content))
    assert expected == headers_of(reply, "X-Gitlab") == headers_of(reply, "X-Platform")


@pytest.mark.parametrize("path", PATHS)
def test_a_raw_file(fakeplat: Fakeplat, site: Git, path: str) -> None:
    """The bytes, not to be kept."""
    reply = fakeplat.as_user("rep").get(file_path(path, "/raw?ref=master"))

    assert (200, site.raw("cat-file", "blob", f"master:{path}")) == (reply.status, reply.content)
    assert reply.headers["Content-Disposition"].startswith("inline; filename=")
    assert quote(path.rpartition("/")[2], safe="") in reply.headers["Content-Disposition"]
    cache = "max-age=0, private, must-revalidate, no-store, no-cache"
    assert (cache, "no-cache", "Fri, 01 Jan 1990 00:00:00 GMT") == tuple(
        reply.headers[name] for name in ("Cache-Control", "Pragma", "Expires")
    )
    assert ("application/octet-stream" if path == "logo.bin" else "text/plain") == reply.headers["Content-Type"]


def test_a_raw_file_of_a_revision(fakeplat: Fakeplat, site: Git) -> None:
    """A raw file is served as it was at the given revision."""
    reply = fakeplat.as_user("rep").get(file_path("crlf.txt", "/raw?ref=light"))
    assert site.raw("cat-file", "blob", "light:crlf.txt") == reply.content


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("13.10", invalid("ref is missing, ref is empty")),
        ("13.11", (200, "# Site\n")),
        ("latest", (200, "# Site\n")),
    ],
)
def test_a_raw_file_without_a_revision(
    fakeplat_factory: Callable[..., Fakeplat], version: str, expected: Outcome
) -> None:
    """From 13.11 on, a raw file is that of the default branch unless another revision is asked for."""
    commits = [{"message": "first", "branch": "trunk", "files": {"README.md": "# Site\n"}}]
    site = {"path_with_namespace": "acme/site", "repository": {"commits": commits}, "default_branch": "trunk"}
    groups = [{**COMPANY["groups"][0], "projects": []}]
    fake = fakeplat_factory(version=version, scenario={**COMPANY, "groups": groups, "projects": [site]})
    reply = fake.as_user("root").get(file_path("README.md", "/raw"))

    assert expected == (reply.status, reply.text if reply.status == 200 else reply.json())
    assert expected[0] == fake.as_user("root").request("HEAD", file_path("README.md", "/raw")).status
    assert ("" if expected[0] == 200 else None) == reply.headers.get("X-Gitlab-Ref")
    assert invalid("ref is empty") == refusal(fake, "root", "GET", file_path("README.md", "/raw?ref="))
    for tail in ("", "/blame"):
        missing = invalid("ref is missing, ref is empty")
        assert missing == refusal(fake, "root", "GET", file_path("README.md", tail))


@pytest.mark.parametrize("path", ["src/moved.py", "crlf.txt", "README.md", "grüße/ñandú.txt"])
def test_blame(fakeplat: Fakeplat, site: Git, path: str) -> None:
    """Line by line the commit that git blames, the lines without their ends."""
    rows = fakeplat.as_user("rep").get(file_path(path, "/blame?ref=master")).json()
    blamed = [line.split(" ")[0] for line in site.lines("blame", "-s", "-l", "--root", "-M0", "master", "--", path)]
    text = site("show", f"master:{path}").removesuffix("\n").split("\n")

    assert text == [line for row in rows for line in row["lines"]]
    assert blamed == [row["commit"]["id"] for row in rows for _ in row["lines"]]
    fields = ["id", "parent_ids", "message", "authored_date", "author_name", "author_email"]
    assert [*fields, "committed_date", "committer_name", "committer_email"] == list(rows[0]["commit"])
    expected = commit_from_git(site, rows[0]["commit"]["id"])
    assert rows[0]["commit"] == {name: expected[name] for name in rows[0]["commit"]}


READS = [
    ("README.md", "", invalid("ref is missing, ref is empty")),
    pytest.param(
        *("README.md", "/raw", invalid("ref is missing, ref is empty")),
        marks=pytest.mark.fakeplat(releases="<13.11"),
        id="raw without a revision",
    ),
    ("README.md", "?ref=", invalid("ref is empty")),
    ("README.md", "/blame", invalid("ref is missing, ref is empty")),
    ("README.md", "?ref=nowhere", resource_not_found("Commit")),
    ("README.md", "/raw?ref=nowhere", resource_not_found("Commit")),
    ("README.md", "/blame?ref=nowhere", resource_not_found("Commit")),
    *(
        (path, f"{tail}?ref=master", resource_not_found("File"))
        for path in ("nowhere", "src", "module", "README.md/x")
        for tail in ("", "/raw", "/blame")
    ),
    ("../README.md", "?ref=master", invalid("file_path should be a valid file path")),
    ("src/../README.md", "/raw?ref=master", invalid("file_path should be a valid file path")),
    ("src/..", "/blame?ref=master", invalid("file_path should be a valid file path")),
    ("/README.md", "?ref=master", invalid("file_path should be a valid file path")),
    ("/README.md", "/raw?ref=master", invalid("file_path should be a valid file path")),
]


@pytest.mark.parametrize(("path", "tail", "expected"), READS)
def test_files_that_cannot_be_read(fakeplat: Fakeplat, rich_git: Git, path: str, tail: str, expected: Outcome) -> None:
    """Reading a file checks the revision first, and folders are no files."""
    set_repository(fakeplat, rich_git)
    if path == "module":
        tail = tail.replace("ref=master", "ref=v1.0")
    assert expected == refusal(fakeplat, "rep", "GET", file_path(path, tail))


@pytest.mark.usefixtures("site")
def test_a_path_is_one_segment(fakeplat: Fakeplat) -> None:
    """A slash that is not encoded leads nowhere; encoded dots are dots."""
    assert NO_ROUTE == refusal(fakeplat, "rep", "GET", f"{FILES}/src/moved.py?ref=master")
    assert 200 == fakeplat.as_user("rep").get(f"{FILES}/src%2Fmoved%2Epy?ref=master").status


def test_an_empty_repository_has_no_files(fakeplat: Fakeplat) -> None:
    """A raw file of an empty repository answers 404 for the commit."""
    assert resource_not_found("Commit") == refusal(fakeplat, "rep", "GET", file_path("README.md", "/raw?ref=master"))


@pytest.mark.parametrize("tail", ["?ref=master", "/raw?ref=master", "/blame?ref=master"])
@pytest.mark.usefixtures("site")
def test_files_of_a_private_project_are_for_reporters(fakeplat: Fakeplat, tail: str) -> None:
    """Below Reporter the files of a private project are hidden or forbidden."""
    assert FORBIDDEN == refusal(fakeplat, "gus", "GET", file_path("README.md", tail))
    assert resource_not_found("Project") == refusal(fakeplat, "eve", "GET", file_path("README.md", tail))
    assert resource_not_found("Project") == refusal(fakeplat, None, "GET", file_path("README.md", tail))


# Writing


def write_file(fake: Fakeplat, method: str, path: str, who: str = "mia", **body: Any) -> Reply:
    return fake.as_user(who).request(method, file_path(path), json={**WRITE, **body})


def test_a_file_lives(fakeplat: Fakeplat) -> None:
    """Creating, changing and deleting a file are commits of the caller."""
    new_file = write_file(fakeplat, "POST", "a/b.txt", content="one\n")
    assert (201, {"file_path": "a/b.txt", "branch": "master"}) == (new_file.status, new_file.json())
    changed = write_file(fakeplat, "PUT", "a/b.txt", content=b64encode(b"\0\xff").decode(), encoding="base64")
    assert (200, {"file_path": "a/b.txt", "branch": "master"}) == (changed.status, changed.json())
    view = fakeplat.as_user("rep").get(file_path("a/b.txt", "?ref=master")).json()
    assert b"\0\xff" == b64decode(view["content"], validate=True)
    gone = write_file(
        fakeplat, "DELETE", "a/b.txt", commit_message="remove", author_name="N", author_email="n@example.test"
    )
    assert (204, b"") == (gone.status, gone.content)

    log = fakeplat.as_user("rep").get(f"{SITE}/repository/commits").json()
    assert ["remove", "change", "change"] == [row["message"] for row in log]
    assert ["N", "mia", "mia"] == [row["author_name"] for row in log]
    assert {"mia"} == {row["committer_name"] for row in log}
    assert [] == fakeplat.as_user("rep").get(f"{SITE}/repository/tree").json()


def test_deleting_by_query(fakeplat: Fakeplat) -> None:
    """The parameters may stand in the query."""
    write_file(fakeplat, "POST", "x", content="")
    assert 204 == fakeplat.as_user("mia").delete(file_path("x", "?branch=master&commit_message=gone")).status


@READ_EARLY
def test_the_first_file_makes_the_default_branch(fakeplat: Fakeplat) -> None:
    """The first file creates the default branch, which is protected."""
    assert 201 == write_file(fakeplat, "POST", "x", branch="trunk", content="").status

    assert "trunk" == fakeplat.as_user("rep").get(SITE).json()["default_branch"]
    expected = bad_request("You are not allowed to push into this branch")
    body = {**WRITE, "branch": "trunk", "content": ""}
    assert expected == refusal(fakeplat, "dev", "POST", file_path("y"), json=body)


def test_on_a_new_branch(fakeplat: Fakeplat, site: Git) -> None:
    """A file is written to a new branch without changing its start branch."""
    assert 201 == write_file(fakeplat, "POST", "x", "dev", branch="topic", start_branch="feature", content="").status

    calls = fakeplat.as_user("rep")
    assert [site.sha("feature")] == calls.get(f"{SITE}/repository/commits/topic").json()["parent_ids"]
    assert site.sha("feature") == calls.get(f"{SITE}/repository/commits/feature").json()["id"]


def test_the_last_commit_lets_a_file_change(fakeplat: Fakeplat, site: Git) -> None:
    """The newest that changed that file, whatever came after."""
    last = site("log", "-1", "--format=%H", "--", "crlf.txt").strip()

    assert 200 == write_file(fakeplat, "PUT", "crlf.txt", content="x", last_commit_id=last).status
    stale = {**WRITE, "content": "y", "last_commit_id": last}
    text = "You are attempting to update a file that has changed since you started editing it."
    assert bad_request(text) == refusal(fakeplat, "mia", "PUT", file_path("crlf.txt"), json=stale)


ELSEWHERE = "A branch called 'master' already exists. Switch to that branch in order to make changes"
BODIES: list[tuple[str, str, dict[str, Any], Outcome]] = [
    ("POST", "x", {"branch": None, "content": ""}, invalid("branch is empty")),
    ("POST", "x", {"commit_message": " ", "content": ""}, invalid("commit_message is empty")),
    ("POST", "x", {}, invalid("content is missing")),
    ("POST", "x", {"content": "", "encoding": "rot13"}, invalid("encoding does not have a valid value")),
    ("PUT", "README.md", {}, invalid("content is missing")),
]
WRITES: list[tuple[str, str, dict[str, Any], Outcome]] = [
    ("POST", "../x", {"content": ""}, invalid("file_path should be a valid file path")),
    ("POST", "/etc/x", {"content": ""}, invalid("file_path should be a valid file path")),
    ("PUT", "/README.md", {"content": ""}, invalid("file_path should be a valid file path")),
    ("DELETE", "/README.md", {}, invalid("file_path should be a valid file path")),
    ("POST", "README.md", {"content": ""}, bad_request("A file with this name already exists")),
    ("POST", "src", {"content": ""}, bad_request("A directory with this name already exists")),
    ("POST", ".git/x", {"content": ""}, bad_request("invalid path: '.git/x'")),
    ("PUT", "nowhere", {"content": ""}, bad_request("A file with this name doesn't exist")),
    ("DELETE", "nowhere", {}, bad_request("A file with this name doesn't exist")),
    ("DELETE", "src", {}, bad_request("A file with this name doesn't exist")),
    *(
        (
            method,
            "README.md",
            {"content": "", "branch": "nowhere"},
            bad_request("You can only create or edit files when you are on a branch"),
        )
        for method in ("POST", "PUT", "DELETE")
    ),
    ("POST", "x", {"content": "", "start_branch": "side"}, bad_request(ELSEWHERE)),
    (
        "DELETE",
        "README.md",
        {"last_commit_id": "1" * 40},
        bad_request("You are attempting to delete a file that has been previously updated."),
    ),
]


@READ_EARLY
@pytest.mark.parametrize(("method", "path", "body", "expected"), BODIES)
def test_bodies_of_files(fakeplat: Fakeplat, method: str, path: str, body: dict[str, Any], expected: Outcome) -> None:
    """The parameters of new and changed files are checked before anything else."""
    assert expected == refusal(fakeplat, "mia", method, file_path(path), json={**WRITE, **body})


@pytest.mark.parametrize(("method", "path", "body", "expected"), WRITES)
@pytest.mark.usefixtures("site")
def test_files_that_cannot_be_written(
    fakeplat: Fakeplat, method: str, path: str, body: dict[str, Any], expected: Outcome
) -> None:
    """Writing a file checks its path, the branch and the file in this order."""
    assert expected == refusal(fakeplat, "mia", method, file_path(path), json={**WRITE, **body})


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
@pytest.mark.parametrize(
    ("who", "expected"),
    [
        (None, resource_not_found("Project")),
        ("eve", resource_not_found("Project")),
        pytest.param("gus", FORBIDDEN, marks=READ_EARLY),
        pytest.param("rep", FORBIDDEN, marks=READ_EARLY),
    ],
)
@pytest.mark.usefixtures("site")
def test_writing_is_for_developers(fakeplat: Fakeplat, method: str, who: str | None, expected: Outcome) -> None:
    """Developers write files on unprotected branches, Maintainers on protected ones."""
    path, body = file_path("x" if method == "POST" else "README.md"), {**WRITE, "branch": "side", "content": "x"}
    assert expected == refusal(fakeplat, who, method, path, json=body)
    assert fakeplat.as_user("dev").request(method, path, json=body).status in (200, 201, 204)


def test_a_token_for_reading_repositories(fakeplat: Fakeplat, site: Git) -> None:
    """The scope `read_repository` reads files and writes none."""
    del site
    headers = {"PRIVATE-TOKEN": fakeplat.token("mia", scopes=["read_repository"])}
    nobody = fakeplat.as_user(None)

    assert 200 == nobody.get(file_path("README.md", "?ref=master"), headers=headers).status
    refused = nobody.post(file_path("x"), json={**WRITE, "content": ""}, headers=headers)
    assert (403, "insufficient_scope") == (refused.status, refused.json()["error"])


@READ_EARLY
def test_an_archived_project_takes_no_files(fakeplat: Fakeplat) -> None:
    """Nobody, not even the owner, writes files to an archived project."""
    fakeplat.as_user("ada").post(f"{SITE}/archive")
    assert FORBIDDEN == refusal(fakeplat, "ada", "POST", file_path("x"), json={**WRITE, "content": ""})
