import pytest

from tests.api.histories import set_repository
from tests.git.command import Git
from tests.git.histories import rich


@pytest.fixture(scope="session")
def rich_git(tmp_path_factory: pytest.TempPathFactory) -> Git:
    """A history with all kinds of changes. Tests must not modify it."""
    return rich(tmp_path_factory.mktemp("rich"))


@pytest.fixture
def site(fakeplat: "object", rich_git: Git) -> Git:
    """The same history, as the repository of acme/site."""
    set_repository(fakeplat, rich_git)  # type: ignore[arg-type]  # the plugin's fixture has no type here
    return rich_git
