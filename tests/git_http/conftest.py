from pathlib import Path

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.git.command import Git
from tests.git_http.remote import Remote


@pytest.fixture
def here(tmp_path: Path) -> Git:
    """A folder to clone into."""
    return Git(tmp_path, init=False)


@pytest.fixture
def remote(fakeplat: Fakeplat) -> Remote:
    """The project acme/work of ada, private and empty."""
    return Remote.make(fakeplat, "work")


@pytest.fixture
def work(remote: Remote, here: Git) -> Git:
    """A work tree of ada, whose first commit is pushed to `master`."""
    work = Git(here.path / "work")
    work("remote", "add", "origin", remote.url("ada"))
    work.commit("first", {"README.md": "# Work\n", "folder/b": "b\n"})
    work("push", "-q", "-u", "origin", "master")
    return work
