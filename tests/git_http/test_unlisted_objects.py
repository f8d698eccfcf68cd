"""Objects that no listed ref reaches, as Gitaly serves them (`uploadpack.allowAnySHA1InWant`), and hidden refs."""

import pytest
import requests

from tests.git.command import Git
from tests.git_http.remote import Remote, error_output

pytestmark = pytest.mark.every_release
VERSIONS = ["0", "1", "2"]


def lose(work: Git) -> str:
    """Push a commit to a branch, and force the branch to another; return the lost commit."""
    lost = work.commit("lost", {"lost": "lost\n"})
    work("push", "-q", "origin", "HEAD:refs/heads/topic")
    work("reset", "-q", "--hard", "HEAD~1")
    work.commit("found", {"found": "found\n"})
    work("push", "-q", "--force", "origin", "HEAD:refs/heads/topic")
    return lost


@pytest.mark.parametrize("version", VERSIONS)
def test_a_lost_commit_is_fetched_by_its_hash(work: Git, remote: Remote, here: Git, version: str) -> None:
    """A commit that a forced push took from its branch can still be fetched by its hash."""
    lost = lose(work)
    there = Git(here.path / "there")
    there("-c", f"protocol.version={version}", "fetch", "-q", remote.url("dev"), lost)
    assert "lost\n" == there("show", f"{lost}:lost")


def test_a_lost_commit_is_shown_by_the_api(work: Git, remote: Remote) -> None:
    """The API shows a lost commit, its files and its archive, and no branch contains it."""
    lost = lose(work)
    assert "lost" == remote.get(f"/repository/commits/{lost}")["title"]
    assert lost == remote.get(f"/repository/commits/{lost[:8]}")["id"]
    assert ["README.md", "folder", "lost"] == sorted(row["path"] for row in remote.get(f"/repository/tree?ref={lost}"))
    assert [] == remote.get(f"/repository/commits/{lost}/refs")


def test_a_lost_commit_becomes_a_branch_again(work: Git, remote: Remote) -> None:
    """A branch can be created from a commit whose branch was deleted, and git fetches it."""
    lost = lose(work)
    remote.call("DELETE", "/repository/branches/topic")
    remote.call("POST", "/repository/branches", params={"branch": "again", "ref": lost})
    work("fetch", "-q", "origin", "again")
    assert lost == work.sha("FETCH_HEAD")


def test_commits_of_a_fast_forward_are_not_kept_twice(work: Git, remote: Remote) -> None:
    """Nothing is kept for branches that only grow."""
    work.commit("second", {"b": "b"})
    work("push", "-q")
    world = remote.fake.bench.platform.view
    assert [] == [sha for record in world.repositories for sha in record.former]


@pytest.mark.parametrize("version", VERSIONS)
def test_objects_of_other_repositories_are_not_sent(work: Git, remote: Remote, here: Git, version: str) -> None:
    """A hash that the repository never had is refused, even if another repository has it."""
    lost = lose(work)
    other = Remote.make(remote.fake, "other", initialize_with_readme=True)
    there = Git(here.path / "there")
    done = there.tried("-c", f"protocol.version={version}", "fetch", "-q", other.url("ada"), lost)
    assert f"upload-pack: not our ref {lost}" in error_output(done)


def test_refs_that_keep_commits_are_hidden(work: Git, remote: Remote) -> None:
    """The refs of merge requests are listed for fetches only, and those that keep their commits nowhere."""
    work.commit("topic", {"topic": "t"})
    work("push", "-q", "origin", "HEAD:refs/heads/topic")
    remote.call("POST", "/merge_requests", json={"source_branch": "topic", "target_branch": "master", "title": "T"})
    records = remote.fake.bench.platform.view.repositories
    assert any(name.startswith("refs/keep-around/") for record in records for name in record.refs or ())
    listed = {line.split("\t")[1] for line in work("ls-remote", "origin").splitlines()}
    assert {"HEAD", "refs/heads/master", "refs/heads/topic", "refs/merge-requests/1/head"} == {
        name for name in listed if not name.endswith("/merge")
    }
    pushed = advertise(remote, "git-receive-pack")
    assert b"refs/heads/topic" in pushed
    assert b"refs/merge-requests" not in pushed


def advertise(remote: Remote, service: str, version: str = "") -> bytes:
    """Return what a service says first to ada's git."""
    url = f"{remote.url('ada')}/info/refs?service={service}"
    return requests.get(url, headers={"Git-Protocol": version}, timeout=10).content


def test_version_1_says_its_number(work: Git, remote: Remote) -> None:
    """A client that requests version 1 gets the refs of version 0 behind the number; a push has no version 2."""
    for service, requested, begin in (
        ("git-upload-pack", "version=1", b"000eversion 1\n"),
        ("git-upload-pack", "version=1:version=2", b"000eversion 2\n"),
        ("git-receive-pack", "version=1", b"000eversion 1\n"),
        ("git-receive-pack", "version=2", work.sha().encode()),
    ):
        assert begin in advertise(remote, service, requested).partition(b"0000")[2][:60]
