"""Trees, blobs, comparisons, contributors and merge bases. Source: docs/platform/repository.md. git itself."""

from base64 import b64decode
from pathlib import Path
from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.company import COMPANY
from tests.api.histories import commit_from_git, list_hunks, ls_tree, set_repository
from tests.api.requests import FORBIDDEN, PAGE_HEADERS, Outcome, invalid, names, refusal, resource_not_found
from tests.git.command import Git

pytestmark = [pytest.mark.every_release, pytest.mark.fakeplat(scenario=COMPANY)]

SITE, DOCS = "projects/acme%2Fsite", "projects/acme%2Fdocs"
REPOSITORY = f"{SITE}/repository"


def list_tree(fake: Fakeplat, query: str = "") -> list[dict[str, Any]]:
    reply = fake.as_user("rep").get(f"{REPOSITORY}/tree?per_page=100&{query}")
    assert 200 == reply.status, reply.text
    rows: list[dict[str, Any]] = reply.json()
    return rows


# Trees


def test_a_folder_lists_folders_then_files_then_submodules(fakeplat: Fakeplat, site: Git) -> None:
    """A tree lists folders, files and submodules by name."""
    kinds = ("tree", "blob", "commit")
    listed = sorted(ls_tree(site, "master^"), key=lambda row: kinds.index(row["type"]))

    assert set(kinds) == set(names(listed, "type"))
    assert listed == list_tree(fakeplat, "ref=master^")


def folders_first(entries: list[dict[str, str]]) -> list[dict[str, str]]:
    """Entries of git, kind by kind."""
    return [entry for kind in ("tree", "blob", "commit") for entry in entries if entry["type"] == kind]


def test_recursively_folders_come_first_too(fakeplat: Fakeplat, site: Git) -> None:
    """A recursive tree lists whole paths, folders first."""
    assert folders_first(ls_tree(site, "-r", "-t", "master")) == list_tree(fakeplat, "recursive=true")


@pytest.mark.parametrize("path", ["src/deep", "src/deep/", "grüße"])
def test_a_folder_inside(fakeplat: Fakeplat, site: Git, path: str) -> None:
    """The tree of a folder lists its entries with whole paths."""
    reply = fakeplat.as_user("rep").get(f"{REPOSITORY}/tree", params={"path": path})

    assert ls_tree(site, "master", f"{path.strip('/')}/") == reply.json()


@pytest.mark.parametrize("path", ["nowhere", "README.md", "../src", "src/../src"])
@pytest.mark.usefixtures("site")
@pytest.mark.fakeplat(releases="<18.9")
def test_a_path_that_is_no_folder_is_empty(fakeplat: Fakeplat, path: str) -> None:
    """An unknown path and a file's are 200 with no entry."""
    assert [] == list_tree(fakeplat, f"path={path}")


@pytest.mark.parametrize("ref", ["feature", "light", "v1.0", "v1.0-again", "master~2"])
def test_a_tree_of_any_revision(fakeplat: Fakeplat, site: Git, ref: str) -> None:
    """The tree is shown of branches, tags and steps from them."""
    assert names(folders_first(ls_tree(site, "-r", "-t", ref)), "id") == names(
        list_tree(fakeplat, f"ref={ref}&recursive=true"), "id"
    )


@pytest.mark.usefixtures("site")
def test_a_tree_has_headers_of_pages(fakeplat: Fakeplat) -> None:
    """A tree has pages of 20 with totals."""
    whole = list_tree(fakeplat, "recursive=true")
    reply = fakeplat.as_user("rep").get(f"{REPOSITORY}/tree?recursive=true&per_page=5&page=2")

    assert whole[5:10] == reply.json()
    assert set(PAGE_HEADERS) <= set(reply.headers)
    assert str(len(whole)) == reply.headers["X-Total"]
    assert min(len(whole), 20) == len(fakeplat.as_user("rep").get(f"{REPOSITORY}/tree?recursive=true").json())


@pytest.mark.parametrize(("project", "ref"), [(SITE, "?ref=nowhere"), (SITE, "?ref=HEAD~99"), (DOCS, "")])
@pytest.mark.usefixtures("site")
def test_an_unknown_revision_has_no_tree(fakeplat: Fakeplat, project: str, ref: str) -> None:
    """The tree of an unknown revision or empty repository answers 404."""
    assert resource_not_found("Tree") == refusal(fakeplat, "rep", "GET", f"{project}/repository/tree{ref}")


def test_a_path_that_is_no_text(fakeplat: Fakeplat, tmp_path: Path) -> None:
    """Bytes that are no UTF-8 become U+FFFD."""
    git = Git(tmp_path / "work")
    blob = git("hash-object", "-w", "--stdin", stdin=b"x").strip()
    tree_sha = git("mktree", "-z", stdin=b"100644 blob %b\tna\xefve\0" % blob.encode()).strip()
    git("update-ref", "refs/heads/master", git("commit-tree", "-m", "first", tree_sha).strip())
    set_repository(fakeplat, git)

    assert ["na�ve"] == names(list_tree(fakeplat), "path")


# Blobs


def test_a_blob(fakeplat: Fakeplat, site: Git) -> None:
    """A blob shows size, base64 content and hash."""
    sha = site.sha("master:logo.bin")
    content = site.raw("cat-file", "blob", sha)
    blob_view = fakeplat.as_user("rep").get(f"{REPOSITORY}/blobs/{sha}").json()

    assert ["size", "encoding", "content", "sha"] == list(blob_view)
    assert (len(content), "base64", sha) == (blob_view["size"], blob_view["encoding"], blob_view["sha"])
    assert content == b64decode(blob_view["content"], validate=True)


@pytest.mark.parametrize(
    ("path", "kind"), [("README.md", "text/plain"), ("logo.bin", "application/octet-stream"), ("empty", "text/plain")]
)
def test_a_raw_blob(fakeplat: Fakeplat, site: Git, path: str, kind: str) -> None:
    """The bytes, to be shown and not to be kept."""
    sha = site.sha(f"master:{path}")
    reply = fakeplat.as_user("rep").get(f"{REPOSITORY}/blobs/{sha}/raw")

    assert (200, site.raw("cat-file", "blob", sha)) == (reply.status, reply.content)
    assert kind == reply.headers["Content-Type"]
    assert "inline" == reply.headers["Content-Disposition"]
    assert "no-store" in reply.headers["Cache-Control"]


@pytest.mark.parametrize("tail", ["", "/raw"])
def test_an_unknown_blob(fakeplat: Fakeplat, site: Git, tail: str) -> None:
    """Unknown hashes and those of other objects answer 404 as blobs."""
    for sha in ("nothing", "0" * 40, site.sha(), site.sha("master:src")):
        assert resource_not_found("Blob") == refusal(fakeplat, "rep", "GET", f"{REPOSITORY}/blobs/{sha}{tail}")


def test_a_blob_of_another_project_is_not_there(fakeplat: Fakeplat, site: Git) -> None:
    """A blob that no ref of the project reaches is not found."""
    path = f"projects/acme%2Fdocs/repository/blobs/{site.sha('master:README.md')}"
    assert resource_not_found("Blob") == refusal(fakeplat, "rep", "GET", path)


# Comparing


@pytest.mark.parametrize("straight", [False, True])
@pytest.mark.parametrize(("old", "new"), [("side", "master"), ("master", "feature"), ("light", "v1.0")])
@pytest.mark.fakeplat(releases="<17.6")
def test_a_comparison(fakeplat: Fakeplat, site: Git, old: str, new: str, straight: bool) -> None:
    """The commits of old..new from the oldest on; the files of the merge base (straight: of old) and new."""
    asked = {"from": old, "to": new, "straight": str(straight).lower()}
    comparison = fakeplat.as_user("rep").get(f"{REPOSITORY}/compare", params=asked).json()
    shas = site.lines("rev-list", "--reverse", f"{old}..{new}")
    patch = site("diff", "-M", "--full-index", f"{old}..{new}" if straight else f"{old}...{new}")

    assert ["commit", "commits", "diffs", "compare_timeout", "compare_same_ref"] == list(comparison)
    assert shas == names(comparison["commits"], "id")
    assert (comparison["commits"] or [None])[-1] == comparison["commit"]
    assert list_hunks(patch) == names(comparison["diffs"], "diff")
    assert (False, False) == (comparison["compare_timeout"], comparison["compare_same_ref"])


@pytest.mark.parametrize(("old", "new"), [("master", "master"), ("v1.0", "v1.0-again")])
@pytest.mark.usefixtures("site")
@pytest.mark.fakeplat(releases="<17.6")
def test_comparing_the_same(fakeplat: Fakeplat, old: str, new: str) -> None:
    """A comparison of a revision with itself is empty and says so."""
    comparison = fakeplat.as_user("rep").get(f"{REPOSITORY}/compare?from={old}&to={new}").json()

    expected: dict[str, Any] = {
        "commit": None,
        "commits": [],
        "diffs": [],
        "compare_timeout": False,
        "compare_same_ref": True,
    }
    assert expected == comparison


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", invalid("from is missing, to is missing")),
        ("from=master", invalid("to is missing")),
        ("from=master&to=nowhere", resource_not_found("Ref")),
        ("from=nowhere&to=master", resource_not_found("Ref")),
        ("from=master&to=side&straight=perhaps", invalid("straight is invalid")),
    ],
)
@pytest.mark.usefixtures("site")
def test_comparing_is_refused(fakeplat: Fakeplat, query: str, expected: Outcome) -> None:
    """A comparison needs two existing revisions."""
    assert expected == refusal(fakeplat, "rep", "GET", f"{REPOSITORY}/compare?{query}")


# Contributors


def test_contributors_are_grouped_by_address(fakeplat: Fakeplat, site: Git) -> None:
    """Contributors are grouped by address without merges, and their lines are 0."""
    counted: dict[str, int] = {}
    for email in site.lines("log", "--no-merges", "--format=%ae"):
        counted[email] = counted.get(email, 0) + 1
    contributors = fakeplat.as_user("rep").get(f"{REPOSITORY}/contributors").json()

    assert counted == {contributor["email"]: contributor["commits"] for contributor in contributors}
    assert sorted(counted.values()) == names(contributors, "commits")
    assert {("name", "email", "commits", "additions", "deletions")} == {
        tuple(contributor) for contributor in contributors
    }
    assert {(0, 0)} == {(contributor["additions"], contributor["deletions"]) for contributor in contributors}


@pytest.mark.parametrize("order_by", ["name", "email", "commits"])
@pytest.mark.usefixtures("site")
def test_contributors_are_sorted(fakeplat: Fakeplat, order_by: str) -> None:
    """Contributors are sorted by name, email or commits in both directions."""
    calls = fakeplat.as_user("rep")
    rows = [calls.get(f"{REPOSITORY}/contributors?order_by={order_by}&sort={sort}").json() for sort in ("asc", "desc")]
    keys = [
        [str(key).lower() if order_by != "commits" else key for key in names(contributors, order_by)]
        for contributors in rows
    ]

    assert [sorted(keys[0]), sorted(keys[0], reverse=True)] == keys


def test_an_empty_repository_has_no_contributors(fakeplat: Fakeplat) -> None:
    """The contributors of an empty repository answer 404."""
    assert (404, {"message": "404 Not Found"}) == refusal(fakeplat, "rep", "GET", f"{REPOSITORY}/contributors")


@pytest.mark.parametrize("query", ["order_by=age", "sort=up"])
def test_contributors_are_refused(fakeplat: Fakeplat, query: str) -> None:
    """Unknown orders of contributors are refused."""
    expected = invalid(f"{query.partition('=')[0]} does not have a valid value")
    assert expected == refusal(fakeplat, "rep", "GET", f"{REPOSITORY}/contributors?{query}")


# Merge bases


@pytest.mark.parametrize(
    "refs", [("master", "side"), ("feature", "other"), ("side", "other", "feature"), ("v1.0", "light")]
)
def test_a_merge_base(fakeplat: Fakeplat, site: Git, refs: tuple[str, ...]) -> None:
    """The merge base of several revisions is git's."""
    expected = commit_from_git(site, site("merge-base", *refs).strip())
    for query in ("&".join(f"refs[]={ref}" for ref in refs), f"refs={','.join(refs)}"):
        commit = fakeplat.as_user("rep").get(f"{REPOSITORY}/merge_base?{query}").json()
        assert expected == {name: commit[name] for name in expected}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", invalid("refs is missing")),
        ("refs=master", (400, {"message": "Provide at least 2 refs"})),
        ("refs=master,x", (400, {"message": "Could not find ref: x"})),
        ("refs=x,master,y", (400, {"message": "Could not find refs: x, y"})),
        ("refs=master,alone", resource_not_found("Merge Base")),
    ],
)
def test_a_merge_base_is_refused(fakeplat: Fakeplat, site: Git, tmp_path: Path, query: str, expected: Outcome) -> None:
    """A merge base requires two existing revisions with a common ancestor."""
    git = Git(tmp_path / "work")
    git("fetch", "-q", str(site.path), "master")
    git("update-ref", "refs/heads/master", "FETCH_HEAD")
    git("update-ref", "refs/heads/alone", git("commit-tree", "-m", "alone", "FETCH_HEAD^{tree}").strip())
    set_repository(fakeplat, git)

    assert expected == refusal(fakeplat, "rep", "GET", f"{REPOSITORY}/merge_base?{query}")


# Languages, roles, what is kept


def test_languages_come_from_the_files(fakeplat: Fakeplat, site: Git) -> None:
    """Shares in per cent that add up to 100."""
    languages = fakeplat.as_user("rep").get(f"{SITE}/languages").json()
    sizes = {"Python": len(site.raw("show", "master:src/moved.py")), "Ruby": len(site.raw("show", "master:a/b/c/d.rb"))}
    total = sum(sizes.values())

    assert pytest.approx({name: 100 * size / total for name, size in sizes.items()}, abs=0.01) == languages
    assert pytest.approx(100, abs=0.01) == sum(languages.values())


PATHS = [
    "tree",
    "blobs/{sha}",
    "blobs/{sha}/raw",
    "archive",
    "compare?from=master&to=side",
    "contributors",
    "merge_base?refs=a,b",
]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.usefixtures("site")
def test_the_code_of_a_private_project_is_for_reporters(fakeplat: Fakeplat, path: str) -> None:
    """A guest is refused before parameters are looked at; who does not see the project gets its 404."""
    path = f"{REPOSITORY}/{path.format(sha='0' * 40)}"

    assert FORBIDDEN == refusal(fakeplat, "gus", "GET", f"{path}{'&' if '?' in path else '?'}per_page=all")
    assert resource_not_found("Project") == refusal(fakeplat, "eve", "GET", path)
    assert resource_not_found("Project") == refusal(fakeplat, None, "GET", path)


def test_the_code_of_a_public_project_is_open(fakeplat: Fakeplat, rich_git: Git) -> None:
    """The code of a public project is public unless its repository is for members."""
    set_repository(fakeplat, rich_git, "acme/docs")
    assert 200 == fakeplat.as_user(None).get(f"{DOCS}/repository/tree").status

    fakeplat.as_user("mia").put(DOCS, json={"repository_access_level": "private"})
    assert FORBIDDEN == refusal(fakeplat, None, "GET", f"{DOCS}/repository/tree")
    assert FORBIDDEN == refusal(fakeplat, "eve", "GET", f"{DOCS}/repository/tree")
    assert 200 == fakeplat.as_user("rep").get(f"{DOCS}/repository/tree").status


@pytest.mark.usefixtures("site")
def test_answers_are_updated_by_a_push(fakeplat: Fakeplat) -> None:
    """Kept answers follow the refs; while nothing moves, the tag stays."""
    calls = fakeplat.as_user("mia")
    before = [calls.get(f"{REPOSITORY}/{path}") for path in ("tree", "commits", "contributors")]
    again = [calls.get(f"{REPOSITORY}/{path}") for path in ("tree", "commits", "contributors")]
    change = {"branch": "master", "commit_message": "m", "content": "x"}
    assert 201 == calls.post(f"{REPOSITORY}/files/added.txt", json=change).status
    after = [calls.get(f"{REPOSITORY}/{path}") for path in ("tree", "commits", "contributors")]

    assert [reply.content for reply in before] == [reply.content for reply in again]
    assert [reply.headers["ETag"] for reply in before] == [reply.headers["ETag"] for reply in again]
    for old, new in zip(before, after, strict=True):
        assert (200, False) == (new.status, old.content == new.content)
        assert old.headers["ETag"] != new.headers["ETag"]
    fresh = [reply.content for reply in after]
    assert fresh == [calls.get(f"{REPOSITORY}/{path}").content for path in ("tree", "commits", "contributors")]


def test_pushes_to_other_projects_keep_the_entity_tag(fakeplat: Fakeplat, site: Git) -> None:
    """An answer depends on its own repository only."""
    del site
    calls = fakeplat.as_user("mia")
    before = calls.get(f"{REPOSITORY}/tree").headers["ETag"]
    change = {"branch": "master", "commit_message": "m", "content": "x"}
    assert 201 == calls.post(f"{DOCS}/repository/files/added.txt", json=change).status

    assert 304 == calls.get(f"{REPOSITORY}/tree", headers={"If-None-Match": before}).status
