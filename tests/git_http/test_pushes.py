"""git itself pushes to a served world, and the API shows it."""

from collections.abc import Sequence
from random import Random

import pytest

from fakeplat.model.repository import ZERO_SHA, Push
from tests.git.command import Git
from tests.git_http.remote import ONE_GROUP, Remote, error_output
from tests.signals import SentSignals

pytestmark = pytest.mark.every_release

VERSIONS = ["0", "2"]


@pytest.mark.parametrize("version", VERSIONS)
def test_a_first_push_makes_the_default_branch(remote: Remote, here: Git, version: str) -> None:
    """The first push to an empty project sets its default branch and protects it."""
    assert (None, True) == (remote.get()["default_branch"], remote.get()["empty_repo"])
    work = Git(here.path / "work")
    sha = work.commit("first", {"a": "a"})
    work("-c", f"protocol.version={version}", "push", "-q", remote.url("ada"), "master")
    assert ("master", False) == (remote.get()["default_branch"], remote.get()["empty_repo"])
    assert ({"master": sha}, ["master"]) == (remote.branches, remote.protected)


FIRST = [
    (["trunk", "feature"], "feature"),
    (["trunk", "master"], "master"),
    (["trunk"], "trunk"),
]


@pytest.mark.parametrize(("pushed", "default"), FIRST)
def test_of_the_first_branches_one_is_the_default(
    remote: Remote, here: Git, pushed: Sequence[str], default: str
) -> None:
    """Of several first branches, `master` or else the first by name becomes the default branch."""
    work = Git(here.path / "work")
    work.commit("first")
    work("push", "-q", remote.url("ada"), *(f"HEAD:refs/heads/{name}" for name in pushed))
    assert (default, [default]) == (remote.get()["default_branch"], remote.protected)


@pytest.mark.fakeplat(scenario=ONE_GROUP, default_branch="main")
def test_the_instances_default_branch_comes_before_master(remote: Remote, here: Git) -> None:
    """The instance's default branch is preferred to `master` as the default branch."""
    work = Git(here.path / "work")
    work.commit("first")
    work("push", "-q", remote.url("ada"), "HEAD:refs/heads/main", "HEAD:refs/heads/master")
    assert "main" == remote.get()["default_branch"]


def test_the_api_shows_what_was_pushed_since(work: Git, remote: Remote) -> None:
    """Cached responses about branches, commits and files are not used after a push."""
    paths = ["/repository/branches", "/repository/commits", "/repository/files/README.md/raw?ref=master"]
    calls = remote.fake.as_user("ada")
    before = [calls.get(f"{remote.api}{path}").content for path in paths]
    assert before == [calls.get(f"{remote.api}{path}").content for path in paths]
    new = work.commit("second", {"README.md": "# Other\n"})
    work("push", "-q")
    assert {"master": new} == remote.branches
    assert ["second", "first"] == [commit["title"] for commit in remote.get("/repository/commits")]
    assert b"# Other\n" == calls.get(f"{remote.api}{paths[2]}").content


def test_git_fetches_what_the_api_wrote(work: Git, remote: Remote) -> None:
    """A commit created by the API can be pulled with git."""
    file = {"branch": "master", "content": "c", "commit_message": "by the API"}
    remote.call("POST", "/repository/files/c", json=file)
    work("pull", "-q", "--ff-only")
    assert (remote.branches["master"], "by the API\n") == (work.sha(), work("log", "-1", "--format=%s"))


def test_branches_and_tags_come_and_go(work: Git, remote: Remote) -> None:
    """Branches and tags can be pushed and deleted, and a deletion removes only what it names."""
    work("tag", "light")
    work("tag", "-a", "-m", "heavy", "heavy")
    work("push", "-q", "origin", "master:refs/heads/feature/one", "light", "heavy")
    assert {"master": work.sha(), "feature/one": work.sha()} == remote.branches
    assert {"heavy": work.sha("heavy"), "light": work.sha()} == remote.tags
    work("push", "-q", "origin", "--delete", "feature/one", "light")
    assert ({"master"}, {"heavy"}) == (set(remote.branches), set(remote.tags))


def test_a_branch_that_is_not_protected_can_be_forced(work: Git, remote: Remote) -> None:
    """An unprotected branch can be overwritten by a forced push."""
    work("checkout", "-q", "-b", "feature")
    work.commit("old")
    work("push", "-q", "origin", "feature")
    work("commit", "-q", "--amend", "--allow-empty", "-m", "new")
    assert "non-fast-forward" in error_output(work.tried("push", "origin", "feature"))
    work("push", "-q", "--force-with-lease", "origin", "feature")
    assert work.sha() == remote.branches["feature"]


def test_each_ref_of_a_push_sends_a_signal(work: Git, remote: Remote, sent_signals: SentSignals) -> None:
    """The signal names the ref, its old and new hash, the user who pushed, and the push options as they came."""
    first = work.sha()
    new = work.commit("second")
    options = ("ci.skip", "merge_request.title=A  title, with = in it")
    work("push", "-q", *(f"-o{option}" for option in options), "origin", "master", "master~1:refs/heads/old")
    work("push", "-q", "origin", "--delete", "old")
    expected = [
        ("refs/heads/master", first, new, options),
        ("refs/heads/old", ZERO_SHA, first, options),
        ("refs/heads/old", first, ZERO_SHA, ()),
    ]
    pushes: list[Push] = sent_signals.list_records("ref_moved")
    assert expected == [(push.ref, push.before, push.after, push.options) for push in pushes]
    assert {remote.fake.world.user("ada").id} == {push.user_id for push in pushes}


def test_a_push_of_nothing_new_sends_no_signal(work: Git, remote: Remote, sent_signals: SentSignals) -> None:
    """A push that moves no ref sends no signal."""
    work("push", "-q", "origin", "master")
    assert [] == sent_signals.list_records("ref_moved")


def test_a_large_push_arrives(work: Git, remote: Remote) -> None:
    """A large push that git sends in chunks arrives complete."""
    work.commit("large", {f"file{number}": bytes(range(256)) * (number + 1) for number in range(60)})
    work("-c", "http.postBuffer=1000", "push", "-q")
    assert work.sha() == remote.branches["master"]


def test_a_push_may_be_larger_than_a_body_of_the_api(work: Git, remote: Remote) -> None:
    """A push may exceed the 10 MB limit of API requests."""
    work.commit("large", {"large": Random(1).randbytes(11_000_000)})
    work("push", "-q")
    assert work.sha() == remote.branches["master"]


def test_history_is_compressed_on_its_way(work: Git, remote: Remote, here: Git) -> None:
    """A fetch request with many lines, which git compresses, is understood."""
    for number in range(40):
        work("branch", f"branch-{number}", work.commit(f"commit {number}"))
    work("push", "-q", "--all")
    here("clone", "-q", remote.url("dev"), "clone")
    there = Git(here.path / "clone", init=False)
    for number in range(40):
        there.commit(f"own {number}")
    work.commit("last")
    work("push", "-q", "origin", "master")
    there("fetch", "-q")
    assert work.sha() == there.sha("origin/master")


def test_other_refs_can_be_pushed(work: Git, remote: Remote, here: Git) -> None:
    """Refs such as notes can be pushed and fetched."""
    work("notes", "add", "-m", "a note")
    work("push", "-q", "origin", "refs/notes/commits")
    there = Git(here.path / "there")
    there("fetch", "-q", remote.url("dev"), "refs/notes/*:refs/notes/*")
    assert work.sha("refs/notes/commits") == there.sha("refs/notes/commits")


def test_a_restored_world_has_its_refs_back(work: Git, remote: Remote) -> None:
    """A restored world has its refs of the snapshot, and what was pushed afterwards can be pushed again."""
    before = remote.branches
    remote.fake.snapshot()
    new = work.commit("second")
    work("push", "-q")
    remote.fake.restore()
    work("fetch", "-q")
    assert before == remote.branches == {"master": work.sha("origin/master")}
    work("push", "-q")
    assert {"master": new} == remote.branches
