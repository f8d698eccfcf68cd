"""Lists of commits, single commits, their refs and diffs. Source: docs/platform/commits.md. git itself."""

from pathlib import Path
from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import COMMITS_CHECK_PAGINATION
from tests.api.company import COMPANY
from tests.api.histories import commit_from_git, copy_repository, list_hunks, set_repository
from tests.api.requests import (
    FORBIDDEN,
    NO_ROUTE,
    PAGE_HEADERS,
    Outcome,
    invalid,
    names,
    outcome,
    refusal,
    resource_not_found,
)
from tests.by_release import by_release
from tests.git.command import Git

pytestmark = [pytest.mark.every_release, pytest.mark.fakeplat(scenario=COMPANY)]

SITE, DOCS = "projects/acme%2Fsite", "projects/acme%2Fdocs"
COMMITS = f"{SITE}/repository/commits"
BASIC = [
    "id",
    "short_id",
    "created_at",
    "parent_ids",
    "title",
    "message",
    "author_name",
    "author_email",
    "authored_date",
    "committer_name",
    "committer_email",
    "committed_date",
    "web_url",
]


def list_commits(fake: Fakeplat, **params: Any) -> list[dict[str, Any]]:
    reply = fake.as_user("rep").get(COMMITS, params={"per_page": 100, **params})
    assert 200 == reply.status, reply.text
    rows: list[dict[str, Any]] = reply.json()
    return rows


# Lists


@pytest.mark.fakeplat(releases="<13.9")
def test_a_list_shows_the_commits_of_git(fakeplat: Fakeplat, site: Git) -> None:
    """A list shows each field of each commit as git does."""
    rows = list_commits(fakeplat)

    assert [BASIC] * len(rows) == [list(row) for row in rows]
    page = f"{fakeplat.url}/acme/site/-/commit/"
    expected = [{**commit_from_git(site, sha), "web_url": page + sha} for sha in site.lines("rev-list", "master")]
    assert expected == rows


REVISIONS = ["master", "feature", "v1.0", "v1.0-again", "side..master", "master...side", "light..", "master~3"]


@pytest.mark.fakeplat(releases="<17.11")
@pytest.mark.parametrize("revision", REVISIONS)
def test_any_revision_or_range(fakeplat: Fakeplat, site: Git, revision: str) -> None:
    """Commits of any revision or range are listed in git's order with their total."""
    shas = site.lines("rev-list", revision)
    reply = fakeplat.as_user("rep").get(COMMITS, params={"ref_name": revision, "per_page": 3})

    assert shas[:3] == names(reply.json(), "id")
    assert str(len(shas)) == reply.headers["X-Total"]


FILTERS: list[tuple[dict[str, Any], list[str]]] = [
    ({"all": True}, ["--all"]),
    ({"all": True, "ref_name": "nowhere"}, ["--all"]),
    ({"first_parent": True}, ["--first-parent", "master"]),
    ({"order": "topo"}, ["--topo-order", "master"]),
    ({"path": "src"}, ["master", "--", "src"]),
    ({"path": "src/deep/"}, ["master", "--", "src/deep"]),
    ({"path": "with space", "ref_name": "feature"}, ["feature", "--", "with space"]),
    ({"path": "nowhere"}, ["master", "--", "nowhere"]),
    ({"since": "2020-09-13T12:31:00Z"}, ["--since=2020-09-13T12:31:00Z", "master"]),
    ({"until": "2020-09-13T14:31:00+02:00"}, ["--until=2020-09-13T12:31:00Z", "master"]),
    (
        {"since": "2020-09-13T12:29:00Z", "until": "2020-09-13T12:33:00Z", "all": True},
        ["--since=2020-09-13T12:29:00Z", "--until=2020-09-13T12:33:00Z", "--all"],
    ),
]


@pytest.mark.parametrize(("params", "options"), FILTERS, ids=[str(params) for params, _ in FILTERS])
def test_filters_and_orders(fakeplat: Fakeplat, site: Git, params: dict[str, Any], options: list[str]) -> None:
    """Filters and orders of commits match git's own options."""
    assert site.lines("rev-list", *options) == names(list_commits(fakeplat, **params), "id")


@pytest.mark.fakeplat(releases="<17.11")
def test_pages_follow_each_other(fakeplat: Fakeplat, site: Git) -> None:
    """Together they are the whole list; each tells the totals."""
    shas = site.lines("rev-list", "master")
    calls = fakeplat.as_user("rep")
    pages = [calls.get(f"{COMMITS}?per_page=4&page={number}") for number in range(1, len(shas) // 4 + 3)]

    assert shas == [sha for page in pages for sha in names(page.json(), "id")]
    assert [set(PAGE_HEADERS) <= set(page.headers) for page in pages] == [True] * len(pages)
    assert {str(len(shas))} == {page.headers["X-Total"] for page in pages}


def test_a_list_with_stats(fakeplat: Fakeplat, site: Git) -> None:
    """The lines that each commit changed against its first parent, as git counts them."""
    stats_by_sha = {row["id"]: row["stats"] for row in list_commits(fakeplat, with_stats=True)}

    assert {sha: count_lines(site, sha) for sha in site.lines("rev-list", "master")} == stats_by_sha


def count_lines(git: Git, sha: str) -> dict[str, int]:
    """Return git's counts of lines; binary files have none."""
    rows = [line.split("\t") for line in git.lines("diff", "-M", "--numstat", find_parent(git, sha), sha)]
    added, removed = (sum(int(row[at]) for row in rows if row[at] != "-") for at in (0, 1))
    return {"additions": added, "deletions": removed, "total": added + removed}


def find_parent(git: Git, sha: str) -> str:
    """A commit's first parent, or the empty tree."""
    parents = git("log", "-1", "--format=%P", sha).split()
    return parents[0] if parents else git("hash-object", "-t", "tree", "/dev/null").strip()


@pytest.mark.parametrize("query", ["ref_name=nowhere", "ref_name=nowhere..master", "ref_name=master&path=../x"])
@pytest.mark.fakeplat(releases="<17.11")
@pytest.mark.usefixtures("site")
def test_unknown_revisions_have_no_commits(fakeplat: Fakeplat, query: str) -> None:
    """Commits of an unknown revision or empty repository are an empty list."""
    calls = fakeplat.as_user("rep")
    for path in (f"{COMMITS}?{query}", f"{DOCS}/repository/commits"):
        assert (200, [], "0") == ((reply := calls.get(path)).status, reply.json(), reply.headers["X-Total"])


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("order=date", "order does not have a valid value"),
        ("since=soon", "since is invalid"),
        ("until=never", "until is invalid"),
        ("all=perhaps", "all is invalid"),
        ("with_stats=perhaps", "with_stats is invalid"),
        ("first_parent=perhaps", "first_parent is invalid"),
    ],
)
@pytest.mark.usefixtures("site")
def test_lists_are_refused(fakeplat: Fakeplat, query: str, text: str) -> None:
    """Parameters that are no orders, times or switches."""
    assert invalid(text) == refusal(fakeplat, "rep", "GET", f"{COMMITS}?{query}")


@by_release(COMMITS_CHECK_PAGINATION, "text", {"19.1": None, "19.2": "pagination does not have a valid value"})
@pytest.mark.usefixtures("site")
def test_kinds_of_pagination(fakeplat: Fakeplat, text: str | None) -> None:
    """Later releases know two kinds of pagination; cursors are behind a flag, without which pages are sent."""
    for kind in ("legacy", "keyset"):
        assert list_commits(fakeplat) == list_commits(fakeplat, pagination=kind)
    reply = fakeplat.as_user("rep").get(COMMITS, params={"pagination": "cursor"})
    assert (400, {"error": text}) == outcome(reply) if text else reply.status == 200


def test_a_times_offset_is_the_commits_own(fakeplat: Fakeplat, tmp_path: Path) -> None:
    """Times of commits keep their own offset, even negative or outside of the calendar."""
    git = Git(tmp_path / "work")
    tree = git("mktree", stdin=b"").strip()
    commit = b"tree %b\nauthor A <a@example.test> 1600000000 -0830\ncommitter C <> 99999999999999 +0000\n\nold\n"
    git("update-ref", "refs/heads/master", hash_commit(git, commit % tree.encode()))
    set_repository(fakeplat, git)
    (row,) = list_commits(fakeplat)

    assert ("2020-09-13T03:56:40.000-08:30", "") == (row["authored_date"], row["committer_email"])
    assert row["committed_date"].startswith("9999-")


def hash_commit(git: Git, commit: bytes) -> str:
    return git("hash-object", "-t", "commit", "-w", "--literally", "--stdin", stdin=commit).strip()


# Single commits


@pytest.mark.parametrize("name", ["master", "v1.0", "v1.0-again", "HEAD", "{sha}", "{short}", "team/topic"])
@pytest.mark.fakeplat(releases="<13.9")
def test_a_single_commit(fakeplat: Fakeplat, rich_git: Git, tmp_path: Path, name: str) -> None:
    """A commit is found by branch, tag or hash, and shows stats, status and pipeline."""
    site = copy_repository(rich_git, tmp_path)
    site("update-ref", "refs/heads/team/topic", "side")
    set_repository(fakeplat, site)
    name = name.format(sha=site.sha(), short=site.sha()[:7])
    sha = site.sha(f"{name}^{{commit}}")
    view = fakeplat.as_user("rep").get(f"{COMMITS}/{name.replace('/', '%2F')}").json()

    assert [*BASIC, "stats", "status", "project_id", "last_pipeline"] == list(view)
    expected = commit_from_git(site, sha)
    assert expected == {key: view[key] for key in expected}
    project = fakeplat.as_user("rep").get(SITE).json()["id"]
    assert (count_lines(site, sha), None, project, None) == tuple(list(view.values())[-4:])


@pytest.mark.fakeplat(releases="<13.9")
def test_a_commit_without_stats(fakeplat: Fakeplat, site: Git) -> None:
    """The field is not there."""
    view = fakeplat.as_user("rep").get(f"{COMMITS}/{site.sha()}?stats=false").json()

    assert [*BASIC, "status", "project_id", "last_pipeline"] == list(view)


UNKNOWN = ["nowhere", "0" * 40, "{tree}", "{blob}", "side..master"]


@pytest.mark.parametrize("tail", ["", "/refs", "/diff", "/comments"])
@pytest.mark.parametrize("name", UNKNOWN)
def test_an_unknown_commit(fakeplat: Fakeplat, site: Git, name: str, tail: str) -> None:
    """An unknown commit, or the hash of another object, answers 404."""
    name = name.format(tree=site.sha("master^{tree}"), blob=site.sha("master:README.md"))

    assert resource_not_found("Commit") == refusal(fakeplat, "rep", "GET", f"{COMMITS}/{name}{tail}")


def test_a_commit_of_another_project_is_not_there(fakeplat: Fakeplat, site: Git, tmp_path: Path) -> None:
    """A commit that no ref of the project reaches is not found."""
    other = Git(tmp_path / "work")
    other.commit("elsewhere", {"x": "x"})
    set_repository(fakeplat, other, "acme/docs")

    assert resource_not_found("Commit") == refusal(fakeplat, "rep", "GET", f"{COMMITS}/{other.sha()}")
    assert resource_not_found("Commit") == refusal(fakeplat, "rep", "GET", f"{DOCS}/repository/commits/{site.sha()}")


def test_a_web_url_is_a_page(fakeplat: Fakeplat, site: Git) -> None:
    """The page of a commit is shown to whoever may read the code, and links the API."""
    url = fakeplat.as_user("rep").get(f"{COMMITS}/master").json()["web_url"]
    page = fakeplat.as_user("rep").get(url)

    assert (200, "text/html; charset=utf-8") == (page.status, page.headers["Content-Type"])
    assert f"/repository/commits/{site.sha()}" in page.text
    assert NO_ROUTE == refusal(fakeplat, "gus", "GET", url)
    assert NO_ROUTE == refusal(fakeplat, "eve", "GET", url)
    assert NO_ROUTE == refusal(fakeplat, "rep", "GET", f"{url}0")


# Refs


@pytest.mark.parametrize(("kind", "places"), [("branch", ["heads"]), ("tag", ["tags"]), ("all", ["heads", "tags"])])
@pytest.mark.parametrize("revision", ["light", "master", "feature"])
@pytest.mark.fakeplat(releases="<18.9")
def test_the_refs_of_a_commit(fakeplat: Fakeplat, site: Git, revision: str, kind: str, places: list[str]) -> None:
    """The refs of a commit are the branches and tags that contain it, by name."""
    words = {"heads": "branch", "tags": "tag"}
    expected = [
        {"type": words[folder], "name": name}
        for folder in places
        for name in site.lines("for-each-ref", "--contains", revision, "--format=%(refname:strip=2)", f"refs/{folder}")
    ]
    reply = fakeplat.as_user("rep").get(f"{COMMITS}/{revision}/refs?type={kind}")

    assert expected == reply.json()
    assert str(len(expected)) == reply.headers["X-Total"]


@pytest.mark.usefixtures("site")
def test_refs_of_no_other_type(fakeplat: Fakeplat) -> None:
    """The refs of a commit are filtered by branch, tag or all; other types are refused."""
    expected = invalid("type does not have a valid value")
    assert expected == refusal(fakeplat, "rep", "GET", f"{COMMITS}/master/refs?type=note")


# Diffs


@pytest.mark.fakeplat(releases="<16.11")
def test_the_diff_of_every_commit(fakeplat: Fakeplat, site: Git) -> None:
    """File by file as git says it: paths, modes, what happened, and the hunks; merges against their first parent."""
    for sha in site.lines("rev-list", "--all"):
        patch = site("diff", "-M", "--full-index", find_parent(site, sha), sha)
        raw = site("diff", "--raw", "-z", "-M", find_parent(site, sha), sha)
        rows = fakeplat.as_user("rep").get(f"{COMMITS}/{sha}/diff?per_page=100").json()

        assert list_hunks(patch) == names(rows, "diff")
        assert raw_rows(raw) == [{key: row[key] for key in row if key != "diff"} for row in rows]


def raw_rows(raw: str) -> list[dict[str, Any]]:
    """Git's raw diff, as the API names it; a file that becomes a link goes and comes, as in git's patches."""
    parts, rows = iter(raw.split("\0")[:-1]), []
    for head in parts:
        old_mode, new_mode, _, _, status = head.removeprefix(":").split(" ")
        old = next(parts)
        new = next(parts) if status[0] == "R" else old
        if status == "T":
            rows += [raw_row(old, new, old_mode, "0", "D"), raw_row(old, new, "0", new_mode, "A")]
        else:
            rows.append(raw_row(old, new, old_mode, new_mode, status[0]))
    return rows


def raw_row(old: str, new: str, old_mode: str, new_mode: str, status: str) -> dict[str, Any]:
    return {
        "old_path": old,
        "new_path": new,
        "a_mode": old_mode.lstrip("0") or "0",
        "b_mode": new_mode.lstrip("0") or "0",
        "new_file": status == "A",
        "renamed_file": status == "R",
        "deleted_file": status == "D",
    }


@pytest.mark.fakeplat(releases="<16.11")
def test_a_diff_in_its_order(fakeplat: Fakeplat, site: Git) -> None:
    """The fields, and pages with totals."""
    reply = fakeplat.as_user("rep").get(f"{COMMITS}/{site.sha()}/diff?per_page=1")

    fields = ["old_path", "new_path", "a_mode", "b_mode", "new_file", "renamed_file", "deleted_file", "diff"]
    assert [fields] == [list(row) for row in reply.json()]
    assert "3" == reply.headers["X-Total"]


def test_a_large_diff_is_left_out(fakeplat: Fakeplat, tmp_path: Path) -> None:
    """A file over diff_max_patch_bytes (100 KiB) is listed with an empty diff; the others are shown."""
    git = Git(tmp_path / "work")
    git.commit("large", {"large.txt": "0123456789\n" * 10_000, "small.txt": "x\n"})
    set_repository(fakeplat, git)
    rows = fakeplat.as_user("rep").get(f"{COMMITS}/master/diff").json()

    assert [("large.txt", ""), ("small.txt", "@@ -0,0 +1 @@\n+x\n")] == [(row["new_path"], row["diff"]) for row in rows]


def test_a_diff_of_many_files_overflows(fakeplat: Fakeplat, tmp_path: Path) -> None:
    """A thousand files are shown of a commit."""
    git = Git(tmp_path / "work")
    git.commit("many", {f"f{number:04}": "x\n" for number in range(1_010)})
    set_repository(fakeplat, git)

    assert "1000" == fakeplat.as_user("rep").get(f"{COMMITS}/master/diff").headers["X-Total"]


# Who may


@pytest.mark.parametrize("tail", ["", "/master", "/master/refs", "/master/diff", "/master/comments"])
@pytest.mark.usefixtures("site")
def test_commits_of_a_private_project_are_for_reporters(fakeplat: Fakeplat, tail: str) -> None:
    """A guest is refused before parameters are looked at."""
    assert FORBIDDEN == refusal(fakeplat, "gus", "GET", f"{COMMITS}{tail}?per_page=all")
    assert resource_not_found("Project") == refusal(fakeplat, "eve", "GET", f"{COMMITS}{tail}")
    assert 200 == fakeplat.as_user("rep").get(f"{COMMITS}{tail}").status


@pytest.mark.parametrize(
    ("level", "viewer", "expected"),
    [
        ("disabled", "ada", resource_not_found("Repository")),
        ("disabled", None, resource_not_found("Repository")),
        ("private", None, resource_not_found("Repository")),
    ],
)
def test_without_a_repository(fakeplat: Fakeplat, level: str, viewer: str | None, expected: Outcome) -> None:
    """Commits answer 404 where the repository is disabled or for members only."""
    fakeplat.as_user("mia").put(DOCS, json={"repository_access_level": level})

    assert expected == refusal(fakeplat, viewer, "GET", f"{DOCS}/repository/commits")
