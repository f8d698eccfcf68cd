"""Mails with patches, held against git's own."""

from pathlib import Path

import pytest

from fakeplat.git import Objects, Repository, import_repository
from fakeplat.git.format_patch import format_patches
from tests.git.command import Git

TEXT = "".join(f"line {number}\n" for number in range(120))
NEW = "".join(f"other {number}\n" for number in range(90))


@pytest.fixture
def git(tmp_path: Path) -> Git:
    """Changes of every kind, one commit each."""
    git = Git(tmp_path / "work")
    git.commit("first", {"a/one.txt": TEXT, "b/two.txt": "2\n", "b.bin": b"\0\1"})
    git.commit("much at once\n\nA body\n\n- with lines", {"a/one.txt": NEW, "b/two.txt": "2\n3\n", "new.py": "x\n"})
    (git.path / "a/one.txt").rename(git.path / "b/one.txt")
    git.commit("rename", {"b/two.txt": None})
    git.commit("Größe ändern", {"with space": "a\n", "grüße": "b\n"})
    deep = "deep/" * 18
    git.commit(
        "a title that goes on for so long that it does not fit into a single line of a mail's head", {f"{deep}x": "x\n"}
    )
    return git


def format_mails(git: Git, *commits: str) -> str:
    """What is written for some commits."""
    objects = Objects()
    there = import_repository(objects, git.path)
    repository = Repository(objects, there.refs, there.head)
    parsed = [repository.commit(commit) for commit in commits]
    return format_patches(objects, parsed, "X").decode(errors="surrogateescape")


@pytest.mark.parametrize("back", range(4))
def test_a_patch_is_that_of_git(git: Git, back: int) -> None:
    """A patch equals the output of `git format-patch` to the byte."""
    end = f"master~{back}"
    assert git("format-patch", "--stdout", "--signature=X", f"{end}^..{end}") == format_mails(git, end)


@pytest.mark.parametrize(
    "files",
    [
        {"b/two.txt": ""},
        {"a/one.txt": TEXT.partition("line 80")[0]},
        {"a/one.txt": f"{TEXT}more\n"},
        {"a/one.txt": TEXT.partition("line 80")[0], "new.txt": "x\n"},
    ],
    ids=["emptied", "deletions", "an addition", "both"],
)
def test_counts_of_a_patch_are_those_of_git(tmp_path: Path, files: dict[str, str | bytes | None]) -> None:
    """The statistics of a patch leave out a count of zero, as git does."""
    git = Git(tmp_path / "work")
    git.commit("first", {"a/one.txt": TEXT, "b/two.txt": "2\n"})
    git.commit("second", files)
    assert git("format-patch", "--stdout", "--signature=X", "master^..master") == format_mails(git, "master")


def test_a_changed_mode_has_both_counts(tmp_path: Path) -> None:
    """The patch of a changed mode shows both counts as zero, as git does."""
    git = Git(tmp_path / "work")
    git.commit("first", {"run": "x\n"})
    git.path.joinpath("run").chmod(0o755)
    git.commit("second", {})
    patch = format_mails(git, "master")
    assert git("format-patch", "--stdout", "--signature=X", "master^..master") == patch
    assert " 1 file changed, 0 insertions(+), 0 deletions(-)\n" in patch


def test_several_patches_are_numbered(git: Git) -> None:
    """Several patches are numbered, and merges and empty commits are left out."""
    git("commit", "-q", "--allow-empty", "-m", "empty")
    expected = git("format-patch", "--stdout", "--signature=X", "master~3..master~1")
    assert expected == format_mails(git, "master~2", "master~1", "master")


def test_a_binary_patch_can_be_applied(git: Git) -> None:
    """A binary patch can be applied by `git am` and gives the same tree."""
    git.commit("binary", {"b.bin": bytes(range(256)) * 3, "text": "x\n"})
    patch = format_mails(git, "master")
    git("checkout", "-q", "-b", "other", "master~1")
    git("am", "-q", stdin=patch.encode())
    assert git.sha("master^{tree}") == git.sha("other^{tree}")
    assert " b.bin | Bin 2 -> 768 bytes\n" in patch
