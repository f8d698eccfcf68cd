from pathlib import Path

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.git_http.remote import Remote
from tests.ssh.keys import KeyPair
from tests.ssh.sshed import SshGit, add_key


@pytest.fixture
def remote(fakeplat: Fakeplat) -> Remote:
    """The project acme/work of ada, private and empty."""
    return Remote.make(fakeplat, "work")


@pytest.fixture
def ada(fakeplat: Fakeplat) -> KeyPair:
    """The key of ada."""
    return add_key(fakeplat, "ada")


@pytest.fixture
def work(remote: Remote, ada: KeyPair, tmp_path: Path) -> SshGit:
    """A work tree of ada over SSH, whose first commit is pushed to `master`."""
    work = SshGit(tmp_path / "work", remote.fake, ada)
    work("remote", "add", "origin", work.url(remote.path))
    work.commit("first", {"README.md": "# Work\n", "folder/b": "b\n"})
    work("push", "-q", "-u", "origin", "master")
    return work
