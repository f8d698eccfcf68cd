"""python-gitlab around repositories: it reads them, commits to them, and edits files in them, over HTTP."""

import tarfile
from io import BytesIO
from typing import Any
from zipfile import ZipFile

import gitlab
import pytest


@pytest.fixture
def site(fakeplat: Any) -> Any:
    """acme/site, as its maintainer sees it."""
    with gitlab.Gitlab(fakeplat.url, private_token=fakeplat.token("mia")) as client:
        yield client.projects.get("acme/site")


def test_a_tree_and_a_blob(site: Any) -> None:
    """A tree is read in pages and lazily, and a blob with its size and raw content."""
    paths = [entry["path"] for entry in site.repository_tree(recursive=True, get_all=True)]
    lazily = [entry["path"] for entry in site.repository_tree(recursive=True, iterator=True, per_page=2)]
    (readme,) = [entry for entry in site.repository_tree(get_all=True) if entry["name"] == "README.md"]
    raw = site.repository_raw_blob(readme["id"])

    assert paths == lazily
    assert "app/server.py" in paths
    assert raw.startswith(b"# Site\n")
    assert len(raw) == site.repository_blob(readme["id"])["size"]


def test_archives(site: Any) -> None:
    """An archive of a branch is downloaded as tar and zip, whole and in pieces."""
    with tarfile.open(fileobj=BytesIO(site.repository_archive())) as packed:
        assert any(name.endswith("/README.md") for name in packed.getnames())
    pieces: list[bytes] = []
    site.repository_archive(sha="feature", format="zip", streamed=True, action=pieces.append)
    with ZipFile(BytesIO(b"".join(pieces))) as zipped:
        assert any(name.startswith("site-feature-") and name.endswith("/app/search.py") for name in zipped.namelist())


def test_what_lies_between(site: Any) -> None:
    """A project compares two refs, finds their merge base and lists its contributors."""
    comparison = site.repository_compare("v1.0", "feature")
    base = site.repository_merge_base(["master", "feature"])

    assert ["Search by name"] == [commit["title"] for commit in comparison["commits"]]
    assert ["app/search.py"] == [diff["new_path"] for diff in comparison["diffs"]]
    assert site.commits.get("v1.0").id == base["id"]
    assert {"Ada Example"} <= {contributor["name"] for contributor in site.repository_contributors(get_all=True)}


def test_a_commit_with_every_action(site: Any) -> None:
    """A commit with every action is created, and has a diff, refs and comments."""
    created = site.commits.create(
        {
            "branch": "topic",
            "start_branch": "master",
            "commit_message": "Everything at once",
            "actions": [
                {"action": "create", "file_path": "new/file", "content": "aGVsbG8K", "encoding": "base64"},
                {"action": "update", "file_path": "README.md", "content": "# Other\n"},
                {"action": "move", "file_path": "app/main.py", "previous_path": "app/server.py"},
                {"action": "delete", "file_path": "LICENSE"},
                {"action": "chmod", "file_path": "Makefile", "execute_filemode": True},
            ],
        }
    )
    commit = site.commits.list(ref_name="topic", get_all=False)[0]
    created.comments.create({"note": "Well done", "path": "README.md", "line": 1, "line_type": "new"})
    changed = {diff["new_path"] for diff in commit.diff(get_all=True)}
    (comment,) = created.comments.list(get_all=True)

    assert created.id == commit.id == site.branches.get("topic").commit["id"]
    assert {"new/file", "README.md", "app/main.py", "LICENSE", "Makefile"} == changed
    assert [{"type": "branch", "name": "topic"}] == commit.refs()
    assert ("README.md", 1) == (comment.path, comment.line)
    assert created.stats["total"] == created.stats["additions"] + created.stats["deletions"]


def test_a_commit_that_does_not_fit(site: Any) -> None:
    """Creating an existing file in a commit gets 400, raised as GitlabCreateError."""
    wrong = {"action": "create", "file_path": "README.md", "content": ""}
    with pytest.raises(gitlab.GitlabCreateError) as error:
        site.commits.create({"branch": "master", "commit_message": "m", "actions": [wrong]})

    assert (400, "A file with this name already exists") == (error.value.response_code, error.value.error_message)


def test_a_pick_and_a_revert(site: Any) -> None:
    """A commit is cherry-picked to a branch and reverted there."""
    site.commits.get("feature").cherry_pick("master")
    assert site.files.get("app/search.py", ref="master").decode().startswith(b'"""Finds pages')
    site.commits.get("master").revert("master")

    with pytest.raises(gitlab.GitlabGetError) as error:
        site.files.get("app/search.py", ref="master")
    assert (404, "404 File Not Found") == (error.value.response_code, error.value.error_message)
    with pytest.raises(gitlab.GitlabCherryPickError) as again:
        site.commits.get("v1.0").cherry_pick("master")
    assert 400 == again.value.response_code


def test_a_file_lives(site: Any) -> None:
    """A file is created, read, edited, listed in the tree and deleted."""
    target = {"branch": "master", "commit_message": "change"}
    site.files.create({"file_path": "docs/one two.md", "content": "one\n", **target})
    file = site.files.get("docs/one two.md", ref="master")
    file.content = "two\n"
    file.save(**target)
    site.files.update("README.md", {"content": "# Other\n", **target})

    assert b"two\n" == site.files.raw("docs/one two.md", ref="master")
    assert "one two.md" == site.files.head("docs/one two.md", ref="master")["X-Gitlab-File-Name"]
    assert [["# Other"]] == [row["lines"] for row in site.files.blame("README.md", ref="master", get_all=True)]
    site.files.get("docs/one two.md", ref="master").delete(**target)
    assert "docs" not in [entry["path"] for entry in site.repository_tree(get_all=True)]
