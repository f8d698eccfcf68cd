from pathlib import Path
from typing import NamedTuple

import pytest

from fakeplat.git import Objects, Repository, import_repository
from tests.git.command import Git
from tests.git.histories import create_random_history, rich


class Both(NamedTuple):
    """The same history twice: for git, and imported. Tests must not modify it."""

    git: Git
    ours: Repository


def read_both(git: Git) -> Both:
    objects = Objects()
    imported = import_repository(objects, git.path)
    return Both(git, Repository(objects, imported.refs, imported.head))


@pytest.fixture(scope="session")
def a_rich(tmp_path_factory: pytest.TempPathFactory) -> Both:
    """A history with all kinds of changes."""
    return read_both(rich(tmp_path_factory.mktemp("rich")))


@pytest.fixture(scope="session")
def random_ones(tmp_path_factory: pytest.TempPathFactory) -> list[Both]:
    """Histories with random changes, branches and merges, equal in every run."""
    return [read_both(create_random_history(tmp_path_factory.mktemp("random"), seed)) for seed in range(3)]


@pytest.fixture
def work(tmp_path: Path) -> Git:
    """An empty repository to work in."""
    return Git(tmp_path / "work")
