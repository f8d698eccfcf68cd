import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.histories import set_repository
from tests.git.command import Git
from tests.git.histories import rich


@pytest.fixture(scope="session")
def rich_git(tmp_path_factory: pytest.TempPathFactory) -> Git:
    """A history with all kinds of changes. Tests must not modify it."""
    return rich(tmp_path_factory.mktemp("rich"))


@pytest.fixture
def site(fakeplat: Fakeplat, rich_git: Git) -> Git:
    """The same history, as the repository of acme/site."""
    set_repository(fakeplat, rich_git)
    return rich_git
