"""Lines are blamed on the commits that `git blame` names."""

import pytest

from fakeplat.git.errors import UnknownPath
from tests.git.conftest import Both


def blame_both(both: Both, revision: str, path: str) -> tuple[list[str], list[str]]:
    rows = both.git.raw("blame", "-s", "-l", "--root", revision, "--", path).split(b"\n")
    ours = [(part.commit, len(part.lines)) for part in both.ours.blame(revision, path)]
    return [row.split()[0].decode() for row in rows if row], [sha for sha, count in ours for _ in range(count)]


@pytest.mark.parametrize("revision", ["light", "feature", "HEAD"])
def test_every_file(a_rich: Both, revision: str) -> None:
    """Blame of every file equals that of git, through merges and renames."""
    for entry in a_rich.ours.tree(revision, recursive=True):
        if entry.mode_text.startswith("100"):
            theirs, ours = blame_both(a_rich, revision, entry.path)
            assert theirs == ours, entry.path


def test_random_changes(random_ones: list[Both]) -> None:
    """Blame of randomly changed files differs from git's in at most one of a hundred."""
    compared, wrong = 0, 0
    for both in random_ones:
        for sha in both.git.lines("rev-list", "--all")[::5]:
            for entry in both.ours.tree(sha):
                theirs, ours = blame_both(both, sha, entry.path)
                compared += 1
                wrong += theirs != ours
    assert compared > 50
    assert wrong <= compared / 100


def test_the_lines_are_the_file(a_rich: Both) -> None:
    """The lines of blame joined together are the file's bytes; a carriage return ends no line."""
    for path in ("crlf.txt", "no newline", "src/moved.py", "empty"):
        lines = [line for part in a_rich.ours.blame("HEAD", path) for line in part.lines]
        assert a_rich.ours.file("HEAD", path) == b"".join(lines)
        assert a_rich.ours.file("HEAD", path).split(b"\n") == b"".join(lines).split(b"\n")


@pytest.mark.parametrize("path", ["gone", "src"])
def test_what_is_no_file(a_rich: Both, path: str) -> None:
    """Blame of a path that is not a file raises UnknownPath."""
    with pytest.raises(UnknownPath):
        a_rich.ours.blame("HEAD", path)
