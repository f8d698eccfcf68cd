"""Lists of commits are those of `git log`, in its order."""

from pathlib import Path

import pytest

from fakeplat.git import Objects, Order, Repository, import_repository
from tests.git.command import Git
from tests.git.conftest import Both

ORDERS = [(Order.DEFAULT, ()), (Order.TOPO, ("--topo-order",)), (Order.DATE, ("--date-order",))]
RANGES = ["HEAD", "feature", "light..master", "feature..master", "master..feature", "side...master", "v1.0", "HEAD~2"]
PATHS = ["src", "src/main.py", "src/moved.py", "empty", "link", "README.md", "src/deep/er", "gone", "grüße/ñandú.txt"]


@pytest.mark.parametrize(("order", "flags"), ORDERS)
@pytest.mark.parametrize("revision", RANGES)
def test_ranges_and_orders(a_rich: Both, revision: str, order: Order, flags: tuple[str, ...]) -> None:
    """The log of a branch, a tag, `a..b` and `a...b` lists git's commits in git's order."""
    expected = a_rich.git.lines("log", "--format=%H", *flags, revision)
    assert expected == [commit.sha for commit in a_rich.ours.log(revision, order=order)]


@pytest.mark.parametrize(("order", "flags"), ORDERS)
def test_all_refs(random_ones: list[Both], order: Order, flags: tuple[str, ...]) -> None:
    """The log of all refs lists the commits of `git log --all` in its order."""
    expected = [git.lines("log", "--format=%H", "--all", *flags) for git, _ in random_ones]
    assert expected == [[commit.sha for commit in ours.log(everything=True, order=order)] for _, ours in random_ones]


@pytest.mark.parametrize("backwards", [False, True])
def test_all_refs_of_one_second(tmp_path: Path, backwards: bool) -> None:
    """Commits of equal time are listed by the names of their refs, whatever the order of the mapping."""
    git, objects = Git(tmp_path), Objects()
    for name in ("zeta", "alpha", "mid"):
        git("checkout", "-q", "--orphan", name)
        git.minute = 0
        git.commit(name)
    refs, head = import_repository(objects, tmp_path)
    ours = Repository(objects, dict(sorted(refs.items(), reverse=backwards)), head)

    assert git.lines("log", "--format=%H", "--all") == [commit.sha for commit in ours.log(everything=True)]


@pytest.mark.parametrize("path", PATHS)
def test_paths(a_rich: Both, path: str) -> None:
    """The log of a file or folder is simplified as by git and does not follow renames."""
    expected = a_rich.git.lines("log", "--format=%H", "--", path)
    assert expected == [commit.sha for commit in a_rich.ours.log(paths=[path])]


def test_paths_in_random_histories(random_ones: list[Both]) -> None:
    """The log of a path in random histories equals git's, with and without first parents."""
    wrong = []
    for git, ours in random_ones:
        branches = list(ours.branches())
        for path in ("f0", "f1", "f5"):
            for revision in ("HEAD", *(f"{left}..{right}" for left in branches[:3] for right in branches[:3])):
                for first in (False, True):
                    flags = ["--first-parent"] if first else []
                    expected = git.lines("log", "--format=%H", *flags, revision, "--", path)
                    if expected != [commit.sha for commit in ours.log(revision, paths=[path], first_parent=first)]:
                        wrong.append((path, revision, first))
    assert [] == wrong


def test_several_paths(a_rich: Both) -> None:
    """The log of several paths lists the commits that change any of them."""
    expected = a_rich.git.lines("log", "--format=%H", "--", "README.md", "side.txt")
    assert expected == [commit.sha for commit in a_rich.ours.log(paths=["README.md", "side.txt"])]


def test_first_parents(a_rich: Both) -> None:
    """The log of first parents lists the commits of `git log --first-parent`."""
    expected = a_rich.git.lines("log", "--format=%H", "--first-parent")
    assert expected == [commit.sha for commit in a_rich.ours.log(first_parent=True)]


@pytest.mark.parametrize("order", [Order.DEFAULT, Order.TOPO])
def test_times(a_rich: Both, order: Order) -> None:
    """A range of times includes both of its ends, as in git."""
    since, until = 1_600_000_240, 1_600_000_600
    flags = [f"--since={since}", f"--until={until}", *(["--topo-order"] if order is Order.TOPO else [])]
    expected = a_rich.git.lines("log", "--format=%H", *flags)
    assert expected == [commit.sha for commit in a_rich.ours.log(since=since, until=until, order=order)]


def test_what_a_commit_says(a_rich: Both) -> None:
    """A commit has git's tree, parents, people, times with offsets and message."""
    form = "%H%x01%T%x01%P%x01%an%x01%ae%x01%at%x01%cn%x01%ce%x01%ct%x01%B%x02"
    expected = [record.strip("\n").split("\x01") for record in a_rich.git("log", f"--format={form}").split("\x02")]
    commits = [
        [
            *(commit.sha, commit.tree, " ".join(commit.parents)),
            *(commit.author.name, commit.author.email, str(commit.author.when)),
            *(commit.committer.name, commit.committer.email, str(commit.committer.when), commit.message.rstrip("\n")),
        ]
        for commit in a_rich.ours.log()
    ]
    assert expected[:-1] == commits
    assert {90} == {commit.author.offset for commit in a_rich.ours.log()}


def test_last_commit_of_a_path(a_rich: Both) -> None:
    """The last commit of each file and folder is the one of `git log -1`."""
    paths = [entry.path for entry in a_rich.ours.tree("HEAD", recursive=True)]
    expected = {path: a_rich.git("log", "-1", "--format=%H", "--", path).strip() for path in paths}
    commits = {path: a_rich.ours.last_commit("HEAD", path) for path in paths}
    assert expected == {path: commit and commit.sha for path, commit in commits.items()}


def test_contributors(a_rich: Both, random_ones: list[Both]) -> None:
    """Contributors and their numbers of commits are those of `git shortlog`."""
    for git, ours in [a_rich, *random_ones]:
        expected = sorted(line.strip() for line in git.lines("shortlog", "-sne", "--no-merges", "HEAD"))
        assert expected == sorted(
            f"{contributor.commits}\t{contributor.name} <{contributor.email}>" for contributor in ours.contributors()
        )


def test_lines_of_contributors(a_rich: Both) -> None:
    """The lines of contributors are counted as by `git log --numstat`."""
    rows = a_rich.git.lines("log", "--no-merges", "--numstat", "-M", "--format=@%ae")
    expected: dict[str, list[int]] = {}
    author = ""
    for row in filter(None, rows):
        if row.startswith("@"):
            author = row[1:]
            expected.setdefault(author, [0, 0])
        elif not row.startswith("-"):
            expected[author] = [had + int(more) for had, more in zip(expected[author], row.split("\t"), strict=False)]
    lines = {
        contributor.email: [contributor.additions, contributor.deletions]
        for contributor in a_rich.ours.contributors(lines=True)
    }
    assert expected == lines
