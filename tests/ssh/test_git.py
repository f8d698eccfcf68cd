"""git fetches and pushes over SSH. Source: docs/platform/git-over-ssh.md."""

from pathlib import Path

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.git_http.remote import Remote, error_output
from tests.ssh.keys import KeyPair
from tests.ssh.sshed import SshGit, add_key

VERSIONS = ["0", "2"]


@pytest.fixture
def here(tmp_path: Path, fakeplat: Fakeplat, ada: KeyPair) -> SshGit:
    """A folder to clone into."""
    return SshGit(tmp_path, fakeplat, ada, init=False)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_clone_has_everything(work: SshGit, here: SshGit, version: str) -> None:
    """A clone over SSH has each commit and tag, in both versions of the protocol."""
    work("tag", "-a", "v1.0", "-m", "one")
    work("push", "-q", "origin", "v1.0")
    here("-c", f"protocol.version={version}", "clone", "-q", work.url("acme/work"), "clone")
    clone = SshGit(here.path / "clone", work.fake, add_key(work.fake, "ada", "other"), init=False)
    assert work.lines("rev-list", "--objects", "--all") == clone.lines("rev-list", "--objects", "--all")
    assert "" == clone("fsck", "--strict")


@pytest.mark.parametrize("version", VERSIONS)
def test_a_fetch_negotiates_in_rounds(work: SshGit, here: SshGit, version: str) -> None:
    """A fetch of a client with many commits of its own brings only what is new, after several rounds."""
    here("clone", "-q", work.url("acme/work"), "clone")
    clone = SshGit(here.path / "clone", work.fake, add_key(work.fake, "ada", "other"), init=False)
    for number in range(70):
        clone.commit(f"own {number}")
    new = work.commit("second", {"new": "new\n"})
    work("push", "-q")
    clone("-c", f"protocol.version={version}", "fetch", "-q")
    assert new == clone.sha("origin/master")
    assert "" == clone("fsck", "--strict")


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("flags", [("--depth=1",), ("--filter=blob:none",), ("--filter=tree:0", "--no-checkout")])
def test_parts_are_cloned(work: SshGit, here: SshGit, version: str, flags: tuple[str, ...]) -> None:
    """Shallow and partial clones over SSH get what they lack later."""
    for number in range(3):
        work.commit(f"more {number}", {f"file-{number}": f"{number}\n"})
    work("push", "-q")
    here("-c", f"protocol.version={version}", "clone", "-q", *flags, work.url("acme/work"), "clone")
    clone = SshGit(here.path / "clone", work.fake, add_key(work.fake, "ada", "other"), init=False)
    if "--depth=1" in flags:
        assert ["more 2"] == clone.lines("log", "--format=%s")
        clone("-c", f"protocol.version={version}", "fetch", "-q", "--unshallow")
    assert ["more 2", "more 1", "more 0", "first"] == clone.lines("log", "--format=%s")
    assert "b\n" == clone("show", "HEAD:folder/b")


@pytest.mark.parametrize("version", VERSIONS)
def test_an_empty_repository_is_cloned(here: SshGit, remote: Remote, version: str) -> None:
    """An empty repository can be cloned over SSH."""
    here("-c", f"protocol.version={version}", "clone", "-q", here.url(remote.path), "clone")
    assert "refs/heads/master" == (here.path / "clone/.git/HEAD").read_text().strip().removeprefix("ref: ")


def test_nothing_new_is_nothing(work: SshGit) -> None:
    """A fetch and a push of a client that has everything change nothing."""
    assert "" == work("fetch")
    assert b"Everything up-to-date\n" == work.tried("push", check=True).stderr


def test_symbolic_refs_are_listed(work: SshGit) -> None:
    """The remote HEAD is listed with its target."""
    assert ["ref: refs/heads/master\tHEAD", f"{work.sha()}\tHEAD"] == work.lines(
        "ls-remote", "--symref", "origin", "HEAD"
    )


def test_a_push_has_its_effects_and_messages(work: SshGit, remote: Remote) -> None:
    """A push over SSH moves the branch, leaves an event, and prints the link to a new merge request."""
    work("checkout", "-q", "-b", "feature")
    new = work.commit("second", {"c": "c\n"})
    output = work.tried("push", "origin", "feature", check=True).stderr.decode()
    assert new == remote.branches["feature"]
    assert "remote: To create a merge request for feature, visit:" in output
    assert ("ada", "pushed new") == (
        (event := remote.get("/events")[0])["author_username"],
        event["action_name"],
    )


def test_a_branch_is_deleted_without_a_pack(work: SshGit, remote: Remote) -> None:
    """Deleting a branch over SSH needs no pack."""
    work("push", "-q", "origin", "master:gone")
    work("push", "-q", "origin", ":gone")
    assert ["master"] == [*remote.branches]


def test_options_of_a_push_are_understood(work: SshGit, remote: Remote) -> None:
    """The options of a push over SSH create a merge request."""
    work("checkout", "-q", "-b", "feature")
    work.commit("second", {"c": "c\n"})
    work("push", "-q", "-o", "merge_request.create", "-o", "merge_request.title=From SSH", "origin", "feature")
    assert ["From SSH"] == [request["title"] for request in remote.get("/merge_requests")]


def test_protected_branches_are_protected(work: SshGit, remote: Remote) -> None:
    """A force push to a protected branch is declined over SSH as over HTTP."""
    before = remote.branches
    work("commit", "-q", "--amend", "-m", "other")
    output = error_output(work.tried("push", "-f", "origin", "master"))
    assert "remote: Platform: You are not allowed to force push code to a protected branch on this project." in output
    assert "pre-receive hook declined" in output
    assert before == remote.branches


def test_a_push_creates_a_project(work: SshGit, fakeplat: Fakeplat) -> None:
    """A push over SSH to a new path creates a private project, and says so."""
    output = work.tried("push", work.url("ada/fresh"), "master", check=True).stderr.decode()
    assert "The private project ada/fresh was successfully created." in output
    assert "private" == fakeplat.as_user("ada").get("projects/ada%2Ffresh").json()["visibility"]


def test_a_large_pack_is_received_whole(work: SshGit, remote: Remote) -> None:
    """A pack of several megabytes, which arrives in many parts, is received whole."""
    import random

    new = work.commit("large", {"blob": random.Random(1).randbytes(3_000_000)})
    work("push", "-q")
    assert new == remote.branches["master"]


def test_fetches_over_ssh_are_not_counted(work: SshGit, here: SshGit, remote: Remote) -> None:
    """The statistics of a project count fetches over HTTP only."""
    here("clone", "-q", work.url(remote.path), "clone")
    assert 0 == remote.get("/statistics")["fetches"]["total"]


def test_the_journal_names_key_and_user(work: SshGit, fakeplat: Fakeplat) -> None:
    """The journal has the requests of a session, with the user and the kind of credential."""
    work("fetch", "-q")
    entries = [(entry.operation, entry.status, entry.user, entry.credential) for entry in fakeplat.requests][-2:]
    assert [
        ("advertise_git_refs", 200, "ada", "ssh_key"),
        ("upload_git_pack", 200, "ada", "ssh_key"),
    ] == entries


def test_urls_name_the_server(fakeplat: Fakeplat, remote: Remote) -> None:
    """The SSH URLs of projects name the port from the start of the server on."""
    assert "git@127.0.0.1:acme/work.git" == remote.get()["ssh_url_to_repo"]
    server = fakeplat.ssh_url
    assert server.startswith("ssh://git@127.0.0.1:")
    assert f"{server}/acme/work.git" == remote.get()["ssh_url_to_repo"]


def test_an_archive_is_sent(work: SshGit, tmp_path: Path) -> None:
    """An archive of a remote branch is the one that git makes itself."""
    archive = tmp_path / "a.tar"
    work("archive", f"--remote={work.url('acme/work')}", "--prefix=x/", f"--output={archive}", "master")
    assert work.raw("archive", "--prefix=x/", "master") == archive.read_bytes()


def test_an_archive_of_what_no_ref_names_is_refused(work: SshGit) -> None:
    """An archive of a hash is refused: only refs have one."""
    output = error_output(work.tried("archive", f"--remote={work.url('acme/work')}", work.sha()))
    assert f"remote: fatal: no such ref: {work.sha()}" in output


def test_faults_reach_sessions(work: SshGit, fakeplat: Fakeplat) -> None:
    """An injected status is an error of the internal API, and a lost connection ends the session."""
    fakeplat.faults.add(operation="advertise_git_refs", status=503, nth=1)
    assert "remote: ERROR: Internal API error (503)" in error_output(work.tried("fetch"))
    fakeplat.faults.add(operation="advertise_git_refs", connection="reset", nth=1)
    assert work.tried("fetch").returncode
    assert "" == work("fetch")
