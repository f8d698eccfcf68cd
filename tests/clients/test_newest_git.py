"""The newest git and Git LFS, of Debian's unstable suite, against a served world over HTTP and SSH."""

import subprocess
from pathlib import Path

import pytest
from typing_extensions import override

from fakeplat.harness.fake import Fakeplat
from tests.clients import debian
from tests.clients.programs import get_program
from tests.clients.test_ssh_clients import OpenSshGit
from tests.git.command import ALONE
from tests.git_http.remote import Remote, error_output

LARGE = bytes(range(256)) * 5_000
VERSIONS = ["0", "1", "2"]
pytestmark = [pytest.mark.clients, pytest.mark.fakeplat(version="latest", default_branch="master")]


class NewGit(OpenSshGit):
    """The newest git, over HTTP or with a key over SSH, with the newest Git LFS."""

    @override
    def _identity(self) -> dict[str, str]:
        git, lfs, ssh = debian.GIT.folder, debian.GIT_LFS.folder, get_program("ssh").parent
        path = f"{git}:{lfs}:{ssh}:{ALONE['PATH']}"
        return {**super()._identity(), "PATH": path, "GIT_EXEC_PATH": str(git)}

    @override
    def tried(
        self, *arguments: str, check: bool = False, stdin: bytes | None = None
    ) -> "subprocess.CompletedProcess[bytes]":
        result = subprocess.run(
            [debian.GIT.folder / "git", "-C", self.path, "-c", "gc.auto=0", *arguments],
            input=stdin,
            capture_output=True,
            check=False,
            timeout=60,
            env={**ALONE, **self._identity()},
        )
        assert not check or not result.returncode, result.stderr.decode(errors="replace")
        return result


@pytest.fixture
def remote(fakeplat: Fakeplat) -> Remote:
    return Remote.make(fakeplat, "work")


@pytest.fixture(params=["http", "ssh"])
def work(request: pytest.FixtureRequest, remote: Remote, tmp_path: Path) -> NewGit:
    """A work tree of ada's with five commits, a minute apart, and a tag on the third; all of it pushed."""
    work = NewGit(tmp_path / "work", remote.fake)
    work.add_key_of("ada")
    over_ssh = request.param == "ssh"
    work("remote", "add", "origin", f"{remote.fake.ssh_url}/{remote.path}.git" if over_ssh else remote.url("ada"))
    for number in range(1, 6):
        work.commit(f"commit {number}", {"n": str(number), f"folder/{number}": "f\n"})
    work("tag", "-a", "-m", "third", "v3", "HEAD~2")
    work("push", "-q", "--follow-tags", "-u", "origin", "master")
    return work


def clone(work: NewGit, *options: str, version: str = "2", name: str = "clone") -> NewGit:
    url = work("remote", "get-url", "origin").strip()
    work("-c", f"protocol.version={version}", "clone", "-q", *options, url, f"../{name}")
    there = NewGit(work.path.parent / name, work.fake, init=False)
    there.add_key_of("ada")
    there("config", "protocol.version", version)
    return there


@pytest.mark.parametrize(
    ("version", "options", "count"),
    [
        ("0", (), 5),
        ("1", ("--depth=2",), 2),
        ("2", ("--shallow-since=1600000150",), 3),
        ("0", ("--shallow-exclude=v3",), 2),
        ("1", ("--filter=blob:none",), 5),
        ("2", ("--filter=tree:0", "--depth=3"), 3),
    ],
)
def test_clones_fetches_and_pushes(
    work: NewGit, remote: Remote, version: str, options: tuple[str, ...], count: int
) -> None:
    """The newest git clones with each version of the protocol, whole, shallow and in part, and pushes."""
    there = clone(work, *options, version=version)
    assert count == int(there("rev-list", "--count", "HEAD"))
    there("fetch", "-q", "--deepen=1")
    new = there.commit("sixth", {"n": "6"})
    there("push", "-q", "origin", "HEAD:refs/heads/other")
    assert new == remote.branches["other"]
    if "--depth=2" in options:
        there("fetch", "-q", "--unshallow")
        assert 6 == int(there("rev-list", "--count", "HEAD"))
    assert "" == there("fsck", "--strict")


@pytest.mark.parametrize("version", VERSIONS)
def test_refs_are_listed_with_their_targets(work: NewGit, version: str) -> None:
    """`ls-remote --symref` says where HEAD points to, and the targets of tags."""
    lines = work("-c", f"protocol.version={version}", "ls-remote", "--symref", "origin").splitlines()
    tag, commit = work.sha("v3"), work.sha("v3^{}")
    head = work.sha()
    assert ["ref: refs/heads/master\tHEAD", f"{head}\tHEAD", f"{head}\trefs/heads/master"] == lines[:3]
    assert [f"{tag}\trefs/tags/v3", f"{commit}\trefs/tags/v3^{{}}"] == lines[-2:]


def test_lost_commits_are_fetched(work: NewGit) -> None:
    """A commit that no branch has any more is fetched by its hash."""
    lost = work.commit("lost")
    work("push", "-q", "origin", "HEAD:refs/heads/topic")
    work("push", "-q", "origin", ":refs/heads/topic")
    there = clone(work, "--depth=1")
    there("fetch", "-q", "--depth=1", "origin", lost)
    assert lost == there.sha("FETCH_HEAD")


def test_pushes_with_leases_and_all_or_nothing(work: NewGit, remote: Remote) -> None:
    """A lease is refused once somebody else has pushed, and an atomic push moves all refs or none."""
    there = clone(work)
    new = there.commit("theirs")
    there("push", "-q")
    work("commit", "-q", "--amend", "-m", "mine")
    assert "stale info" in error_output(work.tried("push", "--force-with-lease", "origin", "master:refs/heads/master"))
    atomic = work.tried("push", "--atomic", "origin", "HEAD:refs/heads/a", "HEAD:refs/merge-requests/1/head")
    assert "atomic push failure" in error_output(atomic)
    assert {"master": new} == remote.branches
    remote.call("DELETE", "/protected_branches/master")
    work("fetch", "-q")
    work(
        "push", "-q", "--force-with-lease", "--force-if-includes", "origin", f"+{new}:refs/heads/b", "HEAD:refs/heads/c"
    )
    assert {"b", "c", "master"} == {*remote.branches}


def test_pushes_carry_options_and_no_signatures(work: NewGit, remote: Remote) -> None:
    """Push options create a merge request; a signed push is refused, since the server does not offer it."""
    work.commit("topic", {"topic": "t"})
    options = ("-o", "merge_request.create", "-o", "merge_request.title=By push")
    output = work.tried("push", *options, "origin", "HEAD:refs/heads/topic", check=True).stderr.decode()
    assert "View merge request for topic:" in output
    assert ["By push"] == [row["title"] for row in remote.get("/merge_requests")]
    refused = error_output(work.tried("push", "--signed=true", "origin", "HEAD:refs/heads/signed"))
    assert "the receiving end does not support --signed push" in refused


def test_bundles_and_packs_survive(work: NewGit, remote: Remote) -> None:
    """A mirror repacked with bitmaps pushes everything again."""
    mirror = clone(work, "--mirror", name="mirror")
    mirror("repack", "-q", "-a", "-d", "--write-bitmap-index")
    again = Remote.make(remote.fake, "again")
    refs = ("refs/heads/*:refs/heads/*", "refs/tags/*:refs/tags/*")
    mirror("-c", "push.useBitmaps=true", "push", "-q", again.url("ada"), *refs)
    assert remote.branches == again.branches
    assert remote.tags == again.tags


# Git LFS


@pytest.mark.fakeplat(lfs_pure_ssh_protocol=True)
@pytest.mark.parametrize("work", ["ssh"], indirect=True)
def test_large_files_go_over_ssh_alone(work: NewGit) -> None:
    """Git LFS pushes and pulls objects and locks over SSH, and asks for no credentials of HTTP."""
    work("lfs", "install", "--local")
    work("lfs", "track", "--lockable", "*.bin")
    work.commit("large", {"large.bin": LARGE, "other.bin": LARGE[::-1]})
    work("push", "-q")
    there = clone(work)
    there("lfs", "install", "--local")
    there("lfs", "pull")
    assert LARGE == (there.path / "large.bin").read_bytes()
    assert LARGE[::-1] == (there.path / "other.bin").read_bytes()
    assert "Locked large.bin" in there("lfs", "lock", "large.bin")
    assert "large.bin" in work("lfs", "locks")
    assert "Unlocked large.bin" in there("lfs", "unlock", "large.bin")
    sent = {entry.path for entry in work.fake.requests if entry.path.startswith("/acme/work.git/info/lfs")}
    assert "/acme/work.git/info/lfs/objects/batch" in sent
    agents = {entry.headers["user-agent"] for entry in work.fake.requests if entry.path in sent}
    assert all(agent.startswith("SSH-2.0-OpenSSH") for agent in agents)


@pytest.mark.parametrize("work", ["ssh"], indirect=True)
def test_large_files_fall_back_to_http(work: NewGit) -> None:
    """Without the transfer over SSH, Git LFS gets credentials over SSH and goes on over HTTP."""
    work("lfs", "install", "--local")
    work("lfs", "track", "*.bin")
    work.commit("large", {"large.bin": LARGE})
    work("push", "-q")
    there = clone(work)
    there("lfs", "install", "--local")
    there("lfs", "pull")
    assert LARGE == (there.path / "large.bin").read_bytes()
