"""Git LFS, unchanged, against a served world: large files go beside the repository and come back."""

from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest
from typing_extensions import override

from fakeplat.harness.fake import Fakeplat
from tests.clients.programs import get_program
from tests.git.command import ALONE, Git
from tests.git_http.remote import Remote, error_output

LARGE = bytes(range(256)) * 5_000
OTHER = b"other" * 1_000
pytestmark = pytest.mark.clients


class GitWithLfs(Git):
    """git with the LFS extension at hand."""

    @override
    def _identity(self) -> dict[str, str]:
        return {**super()._identity(), "PATH": f"{get_program('git-lfs').parent}:{ALONE['PATH']}"}

    def track(self) -> "GitWithLfs":
        """Keep `*.bin` beside the repository."""
        self("lfs", "install", "--local")
        self("lfs", "track", "*.bin")
        return self


@pytest.fixture
def remote(fakeplat: Fakeplat) -> Remote:
    return Remote.make(fakeplat, "large")


@pytest.fixture
def work(remote: Remote, tmp_path: Path) -> GitWithLfs:
    """A work tree of ada's with a large file, which is pushed."""
    work = GitWithLfs(tmp_path / "work").track()
    work("remote", "add", "origin", remote.url("ada"))
    work.commit("first", {"large.bin": LARGE, "small.txt": "small\n"})
    work("push", "-q", "-u", "origin", "master")
    return work


def clone(url: str, folder: Path) -> GitWithLfs:
    """A clone whose large files have been fetched."""
    GitWithLfs(folder.parent, init=False)("clone", "-q", url, folder.name)
    there = GitWithLfs(folder, init=False)
    there("lfs", "install", "--local")
    there("lfs", "pull")
    return there


def test_large_files_are_pushed_and_cloned(work: GitWithLfs, remote: Remote, tmp_path: Path) -> None:
    """The repository has LFS pointers, and a clone has the files."""
    there = clone(remote.url("dev"), tmp_path / "clone")
    assert [LARGE, b"small\n"] == [(there.path / name).read_bytes() for name in ("large.bin", "small.txt")]
    assert there("show", "HEAD:large.bin").startswith("version https://git-lfs.github.com/spec/v1\noid sha256:")
    assert "" == there("lfs", "fsck").replace("Git LFS fsck OK\n", "")


def test_only_new_files_are_sent(work: GitWithLfs, remote: Remote) -> None:
    """git-lfs uploads only objects that the server does not have."""
    work.commit("second", {"again.bin": LARGE, "other.bin": OTHER})
    work("push", "-q")
    uploads = [
        request
        for request in remote.fake.requests
        if request.operation == "upload_lfs_object" and request.status == 200
    ]
    assert 2 == len(uploads)
    assert work.sha() == remote.branches["master"]


def test_a_fork_has_the_large_files(work: GitWithLfs, remote: Remote, tmp_path: Path) -> None:
    """A fork has the LFS objects of its source without an upload."""
    remote.fake.as_user("dev").post(f"{remote.api}/fork")
    remote.fake.settle()
    there = clone(remote.at("dev/large.git", "dev"), tmp_path / "clone")
    assert LARGE == (there.path / "large.bin").read_bytes()


def test_who_may_not_push_uploads_nothing(work: GitWithLfs, remote: Remote) -> None:
    """A Reporter's push of an LFS file is refused and changes nothing."""
    work.commit("second", {"other.bin": OTHER})
    before = remote.fake.bench.platform.state
    assert error_output(work.tried("push", remote.url("rep"), "master"))
    assert before is remote.fake.bench.platform.state


def test_everybody_downloads_what_is_public(work: GitWithLfs, remote: Remote, tmp_path: Path) -> None:
    """LFS objects of a public project are cloned without credentials."""
    remote.call("PUT", "", json={"visibility": "internal"})
    remote.fake.load({"projects": [{"path_with_namespace": remote.path, "visibility": "public"}]})
    assert LARGE == (clone(remote.url(), tmp_path / "clone").path / "large.bin").read_bytes()


def test_archives_have_the_files_themselves(work: GitWithLfs, remote: Remote) -> None:
    """Archives and raw files have the LFS content, while the file itself is the pointer."""
    calls = remote.fake.as_user("dev")
    with ZipFile(BytesIO(calls.get(f"{remote.api}/repository/archive.zip").content)) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith("large.bin")]
        assert LARGE == archive.read(name)
    file = f"{remote.api}/repository/files/large%2Ebin"
    assert LARGE == calls.get(f"{file}/raw?ref=master").content
    assert len(work("show", "HEAD:large.bin")) == calls.get(f"{file}?ref=master").json()["size"]


def test_files_are_locked(work: GitWithLfs, remote: Remote, tmp_path: Path) -> None:
    """git-lfs locks, lists and unlocks a file, and others cannot push a change of a locked file."""
    assert "Locked large.bin" in work("lfs", "lock", "large.bin")
    there = clone(remote.url("dev"), tmp_path / "clone")
    assert "large.bin" in there("lfs", "locks")

    there("checkout", "-q", "-b", "topic")
    there.commit("other", {"large.bin": OTHER})
    refused = error_output(there.tried("push", "origin", "topic"))
    assert "The above files would have halted this push" in refused
    assert f"The path 'large.bin' is locked in Git LFS by {remote.fake.world.user('ada').name}" in refused
    assert "is locked by" in error_output(there.tried("lfs", "unlock", "--id", get_lock_id(remote)))
    assert "maintainer access" in error_output(there.tried("lfs", "unlock", "--force", "--id", get_lock_id(remote)))

    work("lfs", "unlock", "large.bin")
    assert "" == there("lfs", "locks").strip()
    there("push", "-q", "origin", "topic")
    assert there.sha() == remote.branches["topic"]


def get_lock_id(remote: Remote) -> str:
    """Return the id of the only lock."""
    (lock,) = remote.fake.bench.platform.view.lfs_locks.all()
    return str(lock.id)
