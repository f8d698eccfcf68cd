"""git itself clones and fetches from a served world."""

from pathlib import Path

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.git.command import Git
from tests.git_http.remote import ONE_GROUP, Remote, error_output

pytestmark = pytest.mark.every_release

VERSIONS = ["0", "2"]


def clone(here: Git, url: str, *options: str, name: str = "clone") -> Git:
    here("clone", "-q", *options, url, name)
    return Git(here.path / name, init=False)


@pytest.fixture
def long(work: Git) -> Git:
    """A work tree with five commits, a minute apart, and a tag on the third; all of it pushed."""
    for number in range(2, 6):
        work.commit(f"commit {number}", {"n": str(number)})
    work("tag", "-a", "-m", "third", "v3", "HEAD~2")
    work("push", "-q", "--follow-tags")
    return work


@pytest.mark.parametrize("version", VERSIONS)
def test_a_clone_has_everything(long: Git, remote: Remote, here: Git, version: str) -> None:
    """A mirror clone with each version of the protocol has all refs and passes git fsck."""
    here("-c", f"protocol.version={version}", "clone", "-q", "--mirror", remote.url("dev"), "clone")
    mirror = Git(here.path / "clone", init=False)
    assert long.sha() == mirror.sha("refs/heads/master")
    assert long.sha("v3") == mirror.sha("refs/tags/v3")
    assert "" == mirror("fsck", "--strict")


@pytest.mark.parametrize("version", VERSIONS)
def test_a_fetch_brings_what_is_new(long: Git, remote: Remote, here: Git, version: str) -> None:
    """A fetch brings new commits, and nothing if there are none."""
    there = clone(here, remote.url("dev"))
    new = long.commit("sixth", {"n": "6"})
    long("push", "-q")
    there("-c", f"protocol.version={version}", "fetch", "-q")
    assert new == there.sha("origin/master")
    assert "" == there("fetch")


SHALLOW = [
    (["--depth", "1"], 1),
    (["--depth", "3"], 3),
    (["--shallow-since", "1600000150"], 3),
    (["--shallow-exclude", "v3"], 2),
]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(("options", "commits"), SHALLOW)
def test_a_shallow_clone_can_be_made_whole(
    long: Git, remote: Remote, here: Git, version: str, options: list[str], commits: int
) -> None:
    """A shallow clone by depth, date or excluded tag can be unshallowed."""
    there = clone(here, remote.url("dev"), "-c", f"protocol.version={version}", *options)
    assert (commits, long.sha()) == (int(there("rev-list", "--count", "HEAD")), there.sha())
    there("fetch", "-q", "--unshallow")
    assert 5 == int(there("rev-list", "--count", "HEAD"))
    assert "" == there("fsck", "--strict", "--no-dangling")  # from git itself, too, a tag comes along that dangles


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("filter_", ["blob:none", "blob:limit=1", "tree:0"])
def test_a_partial_clone_fetches_missing_files_later(
    long: Git, remote: Remote, here: Git, version: str, filter_: str
) -> None:
    """A clone without old files, or without any, fetches them when they are needed."""
    there = clone(here, remote.url("dev"), "-c", f"protocol.version={version}", f"--filter={filter_}")
    missing = there.lines("rev-list", "--objects", "--all", "--missing=print")
    assert any(line.startswith("?") for line in missing)

    assert "5" == there("show", "HEAD:n")
    assert "2" == there("show", "HEAD~3:n")
    assert "" == there("fsck", "--strict")


@pytest.mark.parametrize("version", VERSIONS)
def test_an_empty_repository_can_be_cloned(remote: Remote, here: Git, version: str) -> None:
    """An empty repository can be cloned, and its first branch pushed from the clone."""
    there = clone(here, remote.url("ada"), "-c", f"protocol.version={version}")
    there("symbolic-ref", "HEAD", "refs/heads/master")
    first = there.commit("first", {"a": "a"})
    there("push", "-q", "-u", "origin", "master")
    assert {"master": first} == remote.branches


@pytest.mark.fakeplat(scenario=ONE_GROUP, default_branch="main")
def test_an_empty_clone_knows_the_default_branch(remote: Remote, here: Git) -> None:
    """HEAD of an empty repository is the instance's default branch."""
    remote.call("POST", "/repository/commits", json=FIRST_COMMIT | {"branch": "main"})
    there = clone(here, remote.url("ada"), "--depth", "1")
    assert "main\n" == there("branch", "--show-current")


FIRST_COMMIT = {"commit_message": "first", "actions": [{"action": "create", "file_path": "a", "content": "a"}]}


def test_a_path_without_its_ending_is_redirected(work: Git, remote: Remote, here: Git) -> None:
    """A clone from a path without `.git` is redirected, and git shows a warning."""
    done = here.tried("clone", remote.at(remote.path, "ada"), "clone", check=True)
    assert b"warning: redirecting to" in done.stderr
    assert work.sha() == Git(here.path / "clone", init=False).sha()


def test_everybody_clones_what_is_public(fakeplat: Fakeplat, here: Git) -> None:
    """A public project can be cloned without a name and password."""
    remote = Remote.make(fakeplat, "open", visibility="public")
    remote.call("POST", "/repository/commits", json=FIRST_COMMIT | {"branch": "master"})
    assert remote.branches["master"] == clone(here, remote.url()).sha()


NOT_LET_IN = [
    ("a wrong password", "ada", "no-such-password", "HTTP Basic: Access denied"),
    ("nobody", None, None, "could not read Username"),
    ("no member", "eve", None, "The project you were looking for could not be found"),
    ("a guest", "gus", None, "You are not allowed to download code from this project."),
    ("somebody blocked", "bob", None, "Your account has been blocked."),
]


@pytest.mark.parametrize(
    ("username", "password", "text"), [row[1:] for row in NOT_LET_IN], ids=[row[0] for row in NOT_LET_IN]
)
def test_git_tells_who_is_not_let_in(
    work: Git, remote: Remote, here: Git, username: str | None, password: str | None, text: str
) -> None:
    """git shows the platform's text when a clone is refused, and leaves no clone."""
    assert text in error_output(here.tried("clone", remote.url(username, password), "clone"))
    assert not (here.path / "clone").exists()


def test_a_wiki_without_pages_is_empty(remote: Remote, here: Git) -> None:
    """A wiki without pages can be cloned."""
    clone(here, remote.at(f"{remote.path}.wiki.git", "ada"))


def test_the_url_that_the_api_shows_is_served(work: Git, remote: Remote, here: Git, tmp_path: Path) -> None:
    """A project can be cloned from its `http_url_to_repo`, which has the origin that the client used."""
    url = remote.get()["http_url_to_repo"]
    assert url == remote.url()
    credentials = tmp_path / "credentials"
    credentials.write_text(f"{remote.at('', 'ada')}\n")
    there = clone(here, url, "-c", f"credential.helper=store --file={credentials}")
    assert work.sha() == there.sha()


def test_a_renamed_default_branch_is_cloned(work: Git, remote: Remote, here: Git) -> None:
    """A clone checks out the default branch that was set by the API."""
    work("push", "-q", "origin", "master:refs/heads/trunk")
    remote.call("PUT", "", json={"default_branch": "trunk"})
    assert "trunk\n" == clone(here, remote.url("dev"))("branch", "--show-current")


def test_a_fork_is_cloned_like_its_parent(long: Git, remote: Remote, here: Git) -> None:
    """A clone of a fork has all refs of its parent, and a push to the fork leaves the parent as it is."""
    remote.fake.as_user("dev").post(f"{remote.api}/fork")
    remote.fake.settle()
    fork = remote.at("dev/work.git", "dev")
    there = clone(here, fork, "--mirror")
    assert there("for-each-ref") == clone(here, remote.url("dev"), "--mirror", name="parent")("for-each-ref")
    before = remote.branches
    long("push", "-q", fork, "HEAD~1:refs/heads/own")
    assert before == remote.branches


@pytest.mark.parametrize("path", ["acme/site", "acme/docs", "acme/tools/kit", "ada/notes"])
def test_what_a_scenario_declares_can_be_cloned(fakeplat: Fakeplat, here: Git, path: str) -> None:
    """A repository declared in a scenario can be cloned and has the branches that the API shows."""
    remote = Remote(fakeplat, path)
    there = clone(here, remote.url("ada"), "--mirror")
    assert "" == there("fsck", "--strict")
    assert remote.branches == dict(
        line.split() for line in there.lines("branch", "--format=%(refname:short) %(objectname)")
    )
