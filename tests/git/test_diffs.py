"""Differences are those of `git diff`."""

import re
from itertools import combinations, groupby, pairwise
from pathlib import Path

import pytest

from fakeplat.git import FileDiff
from fakeplat.git.diffs import identify_patch
from tests.git.command import Git
from tests.git.conftest import Both, read_both
from tests.git.histories import rich

EMPTY = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"


def without_similarity(diff: bytes) -> bytes:
    """git and libgit2 count how alike two files are in slightly different ways."""
    return re.sub(rb"\nsimilarity index \d+%", b"", diff)


def format_diffs(diffs: list[FileDiff]) -> bytes:
    return without_similarity(b"".join(diff.text for diff in diffs))


def run_git_diff(git: Git, *arguments: str) -> bytes:
    return without_similarity(git.raw("diff", "--full-index", "-M", *arguments))


def count_lines(same_path: list[FileDiff]) -> list[str]:
    return [str(sum(diff.additions for diff in same_path)), str(sum(diff.deletions for diff in same_path))]


def test_each_commit(a_rich: Both) -> None:
    """The diff of each commit equals git's, with renames, binary files, modes, links, submodules and CRLF."""
    git, repository = a_rich
    shas = git.lines("rev-list", "--all")
    expected = [
        run_git_diff(git, f"{sha}^" if git.tried("rev-parse", "-q", "--verify", f"{sha}^").stdout else EMPTY, sha)
        for sha in shas
    ]
    assert expected == [format_diffs(repository.commit_diff(sha)) for sha in shas]


def test_any_two_commits(a_rich: Both) -> None:
    """The diff of any two commits equals git's, in both directions."""
    git, repository = a_rich
    pairs = list(combinations(git.lines("rev-list", "--all")[::2], 2))
    assert [run_git_diff(git, *pair) for pair in pairs] == [format_diffs(repository.diff(*pair)) for pair in pairs]
    assert [run_git_diff(git, *pair[::-1]) for pair in pairs] == [
        format_diffs(repository.diff(*pair[::-1])) for pair in pairs
    ]


def test_random_changes_differ_at_most_in_one_of_a_hundred(random_ones: list[Both]) -> None:
    """Diffs of random changes differ from git's in at most one of a hundred."""
    compared, wrong = 0, 0
    for git, repository in random_ones:
        shas = git.lines("rev-list", "--all")
        pairs = [*pairwise(shas), *zip(shas, shas[9:], strict=False)]
        compared += len(pairs)
        wrong += sum(run_git_diff(git, *pair) != format_diffs(repository.diff(*pair)) for pair in pairs)
    assert compared > 150
    assert wrong <= compared / 100


def test_the_patch_id_of_any_two_commits(a_rich: Both) -> None:
    """The id of a patch is what git prints for its text."""
    git, repository = a_rich
    patches = [repository.diff(*pair) for pair in combinations(git.lines("rev-list", "--all")[::2], 2)]

    printed = [git("patch-id", "--verbatim", stdin=b"".join(file.text for file in patch)) for patch in patches if patch]

    assert [line.split(" ")[0] for line in printed] == [identify_patch(patch) for patch in patches if patch]


@pytest.mark.parametrize("context", [0, 1, 10])
def test_context(a_rich: Both, context: int) -> None:
    """A diff has as many lines of context as asked for."""
    expected = run_git_diff(a_rich.git, f"-U{context}", "light", "master")
    assert expected == format_diffs(a_rich.ours.diff("light", "master", context=context))


def test_without_renames(a_rich: Both) -> None:
    """Without detection of renames, a renamed file is shown as deleted and added."""
    expected = run_git_diff(a_rich.git, "--no-renames", "light", "master")
    assert expected == format_diffs(a_rich.ours.diff("light", "master", renames=False))


@pytest.mark.parametrize("paths", [["src"], ["README.md", "link"], ["gone"], ["src/moved.py"], ["a/b"]])
def test_some_paths(a_rich: Both, paths: list[str]) -> None:
    """A diff limited to paths shows only changes of these files and folders."""
    expected = run_git_diff(a_rich.git, "light", "master", "--", *paths)
    assert expected == format_diffs(a_rich.ours.diff("light", "master", paths=paths))


def test_numbers_of_lines(a_rich: Both) -> None:
    """The numbers of added and deleted lines are those of `--numstat` and `--shortstat`."""
    git, repository = a_rich
    rows = [row.split("\t")[:2] for row in git.lines("diff", "-M", "--numstat", "light", "master")]
    diffs_of_files = [
        list(same) for _, same in groupby(repository.diff("light", "master"), key=lambda diff: diff.new_path)
    ]
    assert rows == [["-", "-"] if any(diff.binary for diff in same) else count_lines(same) for same in diffs_of_files]

    files, additions, deletions = map(int, re.findall(r"\d+", git("diff", "-M", "--shortstat", "light", "master")))
    assert (additions, deletions, files) == repository.stats("light", "master")
    assert additions + deletions == repository.stats("light", "master").total


def test_a_first_commit_is_compared_with_nothing(a_rich: Both) -> None:
    """The diff of a first commit adds all its files."""
    root = a_rich.git.lines("rev-list", "--max-parents=0", "HEAD")[0]
    diffs = a_rich.ours.commit_diff(root)
    assert {("A", 0, "0" * 40)} == {(diff.status, diff.old_mode, diff.old_sha) for diff in diffs}
    assert (sum(diff.additions for diff in diffs), 0, len(diffs)) == a_rich.ours.commit_stats(root)


def test_the_machine_s_configuration_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The user's git configuration has no influence on diffs."""
    (tmp_path / ".gitconfig").write_text(
        "[diff]\n noprefix = true\n context = 0\n renames = false\n[core]\n abbrev = 12\n"
    )
    git = rich(tmp_path / "work")
    import pygit2
    from pygit2.enums import ConfigLevel

    before = pygit2.settings.search_path[ConfigLevel.GLOBAL]
    pygit2.settings.search_path[ConfigLevel.GLOBAL] = str(tmp_path)
    try:
        assert run_git_diff(git, "light", "master") == format_diffs(read_both(git).ours.diff("light", "master"))
        assert str(tmp_path) == pygit2.settings.search_path[ConfigLevel.GLOBAL]
    finally:
        pygit2.settings.search_path[ConfigLevel.GLOBAL] = before
