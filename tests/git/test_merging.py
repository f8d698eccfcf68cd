"""Merges, picks, reverts and rebases give the trees that git gives."""

from itertools import combinations
from pathlib import Path
from random import Random

import pytest

from fakeplat.git import Person, Repository, writing
from fakeplat.git.errors import MergeConflict, MissingSide, NothingToCommit, Unmergeable
from fakeplat.git.merge import list_conflict_files
from tests.git.command import Git
from tests.git.conftest import Both, read_both
from tests.git.histories import create_random_history

REP = Person("Rep Example", "rep@example.test", 1_700_000_000, 60)
LINES = [f"line {number}\n" for number in range(12)]


def replace_line(at: int, line: str) -> str:
    return "".join([*LINES[:at], line, *LINES[at + 1 :]])


def expected_merge(git: Git, ours: str, theirs: str) -> tuple[str | None, list[str]]:
    done = git.tried("merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", ours, theirs)
    tree, *paths = done.stdout.decode().strip("\0").split("\0")
    return (None, sorted(paths)) if done.returncode else (tree, [])


def test_random_merges(random_ones: list[Both]) -> None:
    """Random merges give git's trees and conflicting paths, also with several merge bases."""
    compared, wrong = 0, []
    for git, ours in random_ones:
        for pair in list(combinations(git.lines("rev-list", "--all")[::4], 2))[:40]:
            merge = writing.try_merge(ours.objects, *pair)
            compared += 1
            if expected_merge(git, *pair) != (merge.tree, list(merge.paths)):
                wrong.append(pair)
    assert compared > 60
    assert len(wrong) <= compared / 100


@pytest.fixture
def forked(work: Git) -> Git:
    """`master` and `feature` after a common commit."""
    work.commit("root", {"a": "".join(LINES), "b": "b\n", "folder/c": "c\n" * 20})
    work("checkout", "-q", "-b", "feature")
    return work


def test_a_rename_on_one_side(forked: Git) -> None:
    """A change is merged into a file that the other side renamed, also with its folder."""
    forked("mv", "folder", "moved")
    forked.commit("rename", {"a": None, "z": "".join(LINES)})
    forked("checkout", "-q", "master")
    forked.commit("change", {"a": replace_line(3, "three\n"), "folder/c": "c\n" * 19 + "end\n"})
    merge = writing.try_merge(read_both(forked).ours.objects, forked.sha("master"), forked.sha("feature"))
    assert expected_merge(forked, "master", "feature") == (merge.tree, [])


def test_a_merge_that_was_tried_in_a_dropped_quarantine(forked: Git) -> None:
    """Its tree went with the quarantine, so the merge is made again."""
    forked.commit("feature", {"d": "d\n"})
    forked("checkout", "-q", "master")
    forked.commit("master", {"e": "e\n"})
    objects = read_both(forked).ours.objects
    heads = forked.sha("master"), forked.sha("feature")
    tried = writing.try_merge(objects.over(), *heads)
    assert tried.tree is not None
    assert tried.tree not in objects
    assert tried == writing.try_merge(objects, *heads)
    assert {"a", "b", "d", "e", "folder"} == set(objects.tree(tried.tree))


def test_branches_that_merged_each_other(forked: Git) -> None:
    """Branches with two merge bases merge as in git, and an equal resolution on both sides is no conflict."""
    forked.commit("theirs", {"a": replace_line(2, "two\n")})
    forked("branch", "early")
    forked("checkout", "-q", "master")
    forked.commit("ours", {"a": replace_line(9, "nine\n")})
    for branch, other, line in (("feature", "master", "feature\n"), ("master", "early", "master\n")):
        forked("checkout", "-q", branch)
        forked.minute += 1
        forked("merge", "-q", "--no-ff", "-m", f"{branch} takes {other}", other)
        forked.commit(branch, {branch: line})
    objects, heads = read_both(forked).ours.objects, (forked.sha("master"), forked.sha("feature"))
    assert 2 == len(forked.lines("merge-base", "--all", *heads))
    merge = writing.try_merge(objects, *heads)
    assert expected_merge(forked, *heads) == (merge.tree, list(merge.paths))
    assert merge.tree


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ({"a": replace_line(3, "ours\n")}, {"a": replace_line(3, "theirs\n")}),
        ({"a": None}, {"a": replace_line(3, "theirs\n")}),
        ({"new": "one\n"}, {"new": "two\n"}),
        ({"b": b"\0ours"}, {"b": b"\0theirs"}),
    ],
)
def test_conflicts(forked: Git, ours: dict[str, str], theirs: dict[str, str]) -> None:
    """A conflict in a line, a removed, an added or a binary file is refused with git's conflicting paths."""
    forked.commit("theirs", theirs)
    forked("checkout", "-q", "master")
    forked.commit("ours", ours)
    objects, heads = read_both(forked).ours.objects, (forked.sha("master"), forked.sha("feature"))
    expected = expected_merge(forked, "master", "feature")[1]

    with pytest.raises(MergeConflict) as refused:
        writing.merge(objects, *heads, "merge", REP)
    assert expected == list(refused.value.paths)
    assert 1 == len(expected)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ({"folder/c": None, "x": "c\n" * 20}, {"folder/c": None, "y": "c\n" * 20}),
        ({"folder/d": "d\n", "a": None, "x": "".join(LINES)}, {"folder/d": "d\n", "a": None, "y": "".join(LINES)}),
    ],
    ids=["a file of a folder", "a file at the root"],
)
def test_a_file_moved_to_two_places(forked: Git, ours: dict[str, str], theirs: dict[str, str]) -> None:
    """A file that the sides move to different places is a conflict at these places, as in git."""
    forked.commit("theirs", theirs)
    forked("checkout", "-q", "master")
    forked.commit("ours", ours)
    merge = writing.try_merge(read_both(forked).ours.objects, forked.sha("master"), forked.sha("feature"))
    tree, paths = expected_merge(forked, "master", "feature")
    assert (None, True) == (tree, {"x", "y"} <= set(paths))
    assert merge.tree is None
    assert merge.paths


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ({"folder/c": None}, {"b": "theirs\n"}),
        ({"folder/d": "d\n"}, {"folder/e": "e\n", "folder/deep/f": "f\n"}),
        ({"folder/d": "d\n", "same": "same\n"}, {"folder/c": None, "same": "same\n"}),
        ({"new/d": "d\n"}, {"new/e": "e\n"}),
    ],
    ids=["a removed folder", "one folder", "a removed file", "a new folder"],
)
def test_changes_of_different_files(forked: Git, ours: dict[str, str | None], theirs: dict[str, str | None]) -> None:
    """Changes of different files are merged folder by folder, to the tree that git writes."""
    forked.commit("theirs", theirs)
    forked("checkout", "-q", "master")
    forked.commit("ours", ours)
    merge = writing.try_merge(read_both(forked).ours.objects, forked.sha("master"), forked.sha("feature"))
    assert expected_merge(forked, "master", "feature") == (merge.tree, [])


def test_a_merge_commit(forked: Git) -> None:
    """A merge commit has both parents in order, the merged tree and the message."""
    feature = forked.commit("theirs", {"b": "theirs\n"})
    forked("checkout", "-q", "master")
    master = forked.commit("ours", {"a": replace_line(3, "ours\n")})
    ours = read_both(forked).ours
    sha = writing.merge(ours.objects, master, feature, "Merge branch 'feature'", REP)
    merged = ours.objects.commit(sha)
    assert (expected_merge(forked, master, feature)[0], (master, feature)) == (merged.tree, merged.parents)
    assert ("Merge branch 'feature'", REP, REP) == (merged.message, merged.author, merged.committer)
    assert (True, False) == (
        writing.can_fast_forward(ours.objects, master, sha),
        writing.can_fast_forward(ours.objects, sha, master),
    )


def test_squash(a_rich: Both) -> None:
    """Squashing gives a single commit on the merge base with the tree of the head."""
    ours = a_rich.ours
    base, head = ours.resolve("light"), ours.resolve("feature")
    squashed = ours.objects.commit(writing.squash(ours.objects, base, head, "All at once", REP))
    assert ((base,), ours.commit("feature").tree) == (squashed.parents, squashed.tree)


def apply_with_git(git: Git, onto: str, *command: str) -> str:
    """The tree after a pick or a revert, `conflict` or `empty`."""
    git("checkout", "-q", "-f", "--detach", onto)
    done = git.tried(*command)
    if done.returncode == 0:
        return "empty" if git.sha() == git.sha(onto) else git.sha("HEAD^{tree}")
    unmerged = git("diff", "--name-only", "--diff-filter=U")
    git.tried(command[0], "--abort")
    git("reset", "-q", "--hard")
    return "conflict" if unmerged else "empty"


def apply_with_ours(ours: Repository, onto: str, *command: str) -> str:
    try:
        if command[0] == "revert":
            sha = writing.revert(ours.objects, onto, command[-1], "Revert", REP)
        else:
            sha = writing.cherry_pick(ours.objects, onto, command[-1], REP)
    except MergeConflict:
        return "conflict"
    except NothingToCommit:
        return "empty"
    return ours.objects.commit(sha).tree


def test_random_picks_and_reverts(tmp_path: Path) -> None:
    """Random cherry-picks and reverts give git's result: a tree, a conflict, or nothing."""
    git = create_random_history(tmp_path / "random", 11)
    ours, chance = read_both(git).ours, Random(5)
    singles = git.lines("rev-list", "--all", "--max-parents=1", "--min-parents=1")
    commands = [
        (chance.choice(singles), *command)
        for _ in range(12)
        for sha in [chance.choice(singles)]
        for command in (("cherry-pick", sha), ("revert", "--no-edit", sha))
    ]
    expected = [apply_with_git(git, *command) for command in commands]
    assert {"conflict"} < set(expected)
    assert expected == [apply_with_ours(ours, *command) for command in commands]


def test_a_pick_keeps_author_and_message(forked: Git) -> None:
    """A cherry-picked commit keeps author and message and has the given committer and parent."""
    picked = forked.commit("theirs\n\nwith a body", {"b": "theirs\n"})
    forked("checkout", "-q", "master")
    master = forked.commit("ours", {"a": replace_line(3, "ours\n")})
    ours = read_both(forked).ours
    commit = ours.objects.commit(writing.cherry_pick(ours.objects, master, picked, REP))
    original = ours.commit(picked)
    assert (original.author, original.message, REP, (master,)) == (
        commit.author,
        commit.message,
        commit.committer,
        commit.parents,
    )


def test_a_merge_is_picked_by_its_mainline(a_rich: Both) -> None:
    """A merge is reverted and picked against its first parent; an unknown mainline is refused."""
    ours = a_rich.ours
    merge = next(commit for commit in ours.log() if len(commit.parents) == 2)
    reverted = writing.revert(ours.objects, merge.sha, merge.sha, "Revert", REP)
    assert ours.objects.commit(merge.parents[0]).tree == ours.objects.commit(reverted).tree
    picked = writing.cherry_pick(ours.objects, merge.parents[0], merge.sha, REP)
    assert merge.tree == ours.objects.commit(picked).tree
    with pytest.raises(Unmergeable):
        writing.cherry_pick(ours.objects, merge.parents[0], merge.sha, REP, mainline=4)


def test_rebase(forked: Git) -> None:
    """A rebase drops merges and commits that are there already, and gives git's trees, authors and messages."""
    forked.commit("one", {"b": "theirs\n"})
    forked.commit("same", {"same": "same\n"})
    forked("checkout", "-q", "-b", "side", "master")
    forked.commit("side", {"side": "side\n"})
    forked("checkout", "-q", "feature")
    forked.minute += 1
    forked("merge", "-q", "--no-ff", "-m", "merge", "side")
    forked.commit("two", {"a": replace_line(9, "nine\n")})
    forked("checkout", "-q", "master")
    forked.commit("ours", {"a": replace_line(3, "ours\n"), "same": "same\n"})
    ours = read_both(forked).ours
    sha = writing.rebase(ours.objects, ours.resolve("feature"), ours.resolve("master"), REP)
    forked("checkout", "-q", "feature")
    forked("rebase", "-q", "master")

    expected = forked.lines("log", "--format=%T %an %s", "feature")
    commits = Repository(ours.objects, {"refs/heads/feature": sha}, "refs/heads/feature").log()
    assert expected == [f"{commit.tree} {commit.author.name} {commit.title}" for commit in commits]


def test_a_rebase_that_does_not_fit(forked: Git) -> None:
    """A rebase with a conflict is refused."""
    forked.commit("theirs", {"b": "theirs\n"})
    forked("checkout", "-q", "master")
    forked.commit("ours", {"b": "ours\n"})
    ours = read_both(forked).ours
    with pytest.raises(MergeConflict, match="b"):
        writing.rebase(ours.objects, ours.resolve("feature"), ours.resolve("master"), REP)


def test_nothing_to_rebase(a_rich: Both) -> None:
    """Rebasing a branch that is based on the other one already changes nothing."""
    ours = a_rich.ours
    assert ours.resolve("feature") == writing.rebase(ours.objects, ours.resolve("feature"), ours.resolve("light"), REP)


def test_the_text_of_conflicts(forked: Git) -> None:
    """A file in conflict is what git leaves in the tree, with its path in the markers."""
    forked.commit("theirs", {"a": replace_line(3, "three\n"), "b": "their b\n"})
    forked("checkout", "-q", "master")
    forked.commit("ours", {"a": replace_line(3, "drei\n"), "b": "our b\n"})
    ours, theirs = forked.sha("master"), forked.sha("feature")
    files = list_conflict_files(read_both(forked).ours.objects, ours, theirs)
    assert [("a", "a"), ("b", "b")] == [(file.ours, file.theirs) for file in files]
    tree = forked.tried("merge-tree", "--write-tree", ours, theirs).stdout.decode().splitlines()[0]
    for file in files:
        text = forked.tried("show", f"{tree}:{file.ours}").stdout.decode()
        assert text.replace(ours, file.ours).replace(theirs, file.theirs) == file.text


def test_a_conflict_with_a_deletion_has_no_text(forked: Git) -> None:
    """A file that one side deleted and the other changed has only one side."""
    forked.commit("theirs", {"b": None})
    forked("checkout", "-q", "master")
    forked.commit("ours", {"b": "our b\n"})
    objects, pair = read_both(forked).ours.objects, (forked.sha("master"), forked.sha("feature"))
    with pytest.raises(MissingSide):
        list_conflict_files(objects, *pair)
    with pytest.raises(MissingSide):
        list_conflict_files(objects, *reversed(pair))
