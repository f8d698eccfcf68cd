"""Searching the files and commits of a repository."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.planning_records import SITE, create_record, get_json

pytestmark = pytest.mark.fakeplat(scenario="starter")
FILES = {
    "coins.js": "let total = 0\n",
    "docs/coins.md": "one coin\n",
    "docs/guide/start.md": "Start here: coin\n2\n3\n4\n5\n6\n7\nThe last coin\n",
    "src/Wallet.py": "# a coin\n",
}


@pytest.fixture
def fake(fakeplat: Fakeplat) -> Fakeplat:
    """A repository with files about coins, and one more on a branch."""
    actions = [{"action": "create", "file_path": path, "content": text} for path, text in FILES.items()]
    commit(fakeplat, "master", actions, "Add coins")
    branch = [{"action": "create", "file_path": "branch.txt", "content": "a coin of the branch\n"}]
    commit(fakeplat, "side", branch, "Add a branch", start_branch="master")
    return fakeplat


def commit(fake: Fakeplat, branch: str, actions: list[Any], message: str, **rest: str) -> str:
    body: dict[str, Any] = {"branch": branch, "commit_message": message, "actions": actions, **rest}
    return str(create_record(fake, f"{SITE}/repository/commits", **body)["id"])


def search_blobs(fake: Fakeplat, query: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = get_json(fake, f"{SITE}/search?scope=blobs&search={query}")
    return rows


def search_paths(fake: Fakeplat, query: str) -> list[str]:
    return [blob["path"] for blob in search_blobs(fake, query)]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("coins.js", ["coins.js"]),
        ("/coins.js", ["coins.js"]),
        ("docs/guide", ["docs/guide/start.md"]),
        ("coin", ["docs/coins.md", "docs/guide/start.md", "docs/guide/start.md", "src/Wallet.py"]),
        ("COIN", ["docs/coins.md", "docs/guide/start.md", "docs/guide/start.md", "src/Wallet.py"]),
        ("coin%20filename:coins.md", ["docs/coins.md"]),
        ("coin%20filename:*S.md", ["docs/coins.md"]),
        ("filename:wallet.py%20coin", ["src/Wallet.py"]),
        ("coin%20path:guide", ["docs/guide/start.md", "docs/guide/start.md"]),
        ("coin%20extension:py", ["src/Wallet.py"]),
        ("coin%20-extension:md", ["src/Wallet.py"]),
        ("coin%20path:docs%20filename:coins.md", ["docs/coins.md"]),
        ("docs%20filename:coins.md", ["docs/coins.md"]),
        ("coin%20extension:", []),
        (
            "coin&ref=side",
            ["branch.txt", "docs/coins.md", "docs/guide/start.md", "docs/guide/start.md", "src/Wallet.py"],
        ),
        ("coin&ref=none", []),
        ("branch.txt", []),
        ("branch.txt&ref=side", ["branch.txt"]),
    ],
)
def test_files_are_found_by_path_and_by_content(fake: Fakeplat, query: str, expected: list[str]) -> None:
    """Files whose path it is come first; each piece that holds the text is a row; filters narrow both down."""
    assert expected == search_paths(fake, query)


def test_a_file_found_by_its_path_has_the_id_of_its_blob(fake: Fakeplat) -> None:
    """A file found by its path has its blob's id and starts at line 1."""
    (blob,) = search_blobs(fake, "coins.js")
    (entry,) = [row for row in get_json(fake, f"{SITE}/repository/tree") if row["path"] == "coins.js"]

    assert {
        "basename": "coins",
        "data": "let total = 0\n",
        "path": "coins.js",
        "filename": "coins.js",
        "id": entry["id"],
        "ref": "master",
        "startline": 1,
        "project_id": fake.world.project("acme/site").id,
    } == blob


def test_a_file_found_by_its_content_shows_the_lines_around_the_text(fake: Fakeplat) -> None:
    """A file found by content shows two lines around the match and has no id."""
    first, second = search_blobs(fake, "coin%20filename:start.md")

    assert (None, 1, "Start here: coin\n2\n3\n") == (first["id"], first["startline"], first["data"])
    assert (None, 6, "6\n7\nThe last coin\n") == (second["id"], second["startline"], second["data"])


def test_a_commit_is_found_by_its_hash(fake: Fakeplat) -> None:
    """A search finds a commit by at least seven digits of its hash."""
    sha = commit(fake, "side", [{"action": "create", "file_path": "x", "content": "x"}], "Another")
    target = f"{SITE}/search?scope=commits&search="

    assert [[sha], [sha], []] == [
        [row["id"] for row in get_json(fake, f"{target}{text}")] for text in (sha, sha[:7], sha[:6])
    ]


def test_commits_are_found_on_a_ref(fake: Fakeplat) -> None:
    """With `ref` a search finds commit messages of that ref instead of the default branch."""
    target = f"{SITE}/search?scope=commits&search=add%20a%20branch"
    assert [[], ["Add a branch"]] == [
        [row["title"] for row in get_json(fake, f"{target}{ref}")] for ref in ("", "&ref=side")
    ]
