"""Ancestors, counts and merge bases are those of git."""

from itertools import combinations

import pytest

from fakeplat.git import Objects, Repository
from fakeplat.git.errors import UnknownRevision
from tests.git.command import Git
from tests.git.conftest import Both, read_both


def test_counts(a_rich: Both) -> None:
    """The number of commits of a revision or range is that of `git rev-list --count`."""
    revisions = ["HEAD", "feature", "light..master", "side...other", "v1.0-again", "master..master"]
    expected = {revision: int(a_rich.git("rev-list", "--count", revision)) for revision in revisions}
    assert expected == {revision: a_rich.ours.count(revision) for revision in revisions}


def test_ahead_and_behind(random_ones: list[Both]) -> None:
    """How far two branches are apart equals the output of `git rev-list --left-right --count`."""
    for git, ours in random_ones:
        pairs = list(combinations(ours.branches(), 2))[:20]
        expected = [
            tuple(map(int, git("rev-list", "--left-right", "--count", "...".join(pair)).split())) for pair in pairs
        ]
        assert expected == [ours.ahead_behind(*pair) for pair in pairs]


def test_merge_bases(random_ones: list[Both]) -> None:
    """The merge bases of two or three commits are those of `git merge-base --all`, in its order."""
    for git, ours in random_ones:
        shas = git.lines("rev-list", "--all")[::4]
        some = [*combinations(shas, 2)][:40] + [*combinations(shas, 3)][:15]
        expected = [git.tried("merge-base", "--all", *pair).stdout.decode().split() for pair in some]
        assert expected == [ours.merge_bases(*pair) for pair in some]


def test_criss_cross(work: Git) -> None:
    """Two branches that merged each other have the two merge bases that git finds."""
    work.commit("root", {"a": "a\n"})
    work("checkout", "-q", "-b", "other")
    left = work.commit("left", {"b": "b\n"})
    work("checkout", "-q", "master")
    right = work.commit("right", {"c": "c\n"})
    work.minute += 1
    work("merge", "-q", "--no-ff", "-m", "one", left)
    work("checkout", "-q", "other")
    work("merge", "-q", "--no-ff", "-m", "two", right)
    assert work.lines("merge-base", "--all", "master", "other") == read_both(work).ours.merge_bases("master", "other")


def test_unrelated_histories_have_no_merge_base(work: Git) -> None:
    """Two branches with different root commits have no merge base."""
    work.commit("one")
    work("checkout", "-q", "--orphan", "other")
    work.commit("two")
    assert read_both(work).ours.merge_base("master", "other") is None


def test_ancestors(a_rich: Both) -> None:
    """Whether a commit is an ancestor of another is decided as by `git merge-base --is-ancestor`."""
    shas = a_rich.git.lines("rev-list", "--all")
    pairs = [(sha, other) for sha in shas for other in shas[::3]]
    expected = [a_rich.git.tried("merge-base", "--is-ancestor", *pair).returncode == 0 for pair in pairs]
    assert expected == [a_rich.ours.is_ancestor(*pair) for pair in pairs]


def test_refs_that_contain_a_commit(a_rich: Both) -> None:
    """The refs that contain a commit are those of `git for-each-ref --contains`."""
    expected = a_rich.git.lines("for-each-ref", "--format=%(refname)", "--contains", "light")
    assert expected == a_rich.ours.contains("light")


@pytest.mark.parametrize(
    "revision",
    "master HEAD @ light v1.0 v1.0-again refs/heads/side heads/side tags/v1.0 HEAD~3 HEAD^ v1.0^{} HEAD~2^1".split(),
)
def test_revisions(a_rich: Both, revision: str) -> None:
    """Names, tags of tags and relative revisions resolve to the commit of `git rev-parse`."""
    assert a_rich.git.sha(f"{revision}^{{commit}}") == a_rich.ours.resolve(revision)


def test_hashes(a_rich: Both) -> None:
    """A full, an abbreviated and an upper-case hash resolve to their commit."""
    sha = a_rich.git.sha("feature")
    assert {sha} == {a_rich.ours.resolve(name) for name in (sha, sha[:8], sha[:12], sha.upper())}


@pytest.mark.parametrize(
    "revision", ["", "gone", "0" * 40, "abc", "HEAD~99", "HEAD^4", "..", "master:README.md", "v1.0~x"]
)
def test_what_means_nothing(a_rich: Both, revision: str) -> None:
    """Any other name raises UnknownRevision."""
    with pytest.raises(UnknownRevision):
        a_rich.ours.resolve(revision)


def test_tags_come_before_branches(work: Git) -> None:
    """A name of both a tag and a branch resolves to the tag, as in git."""
    first = work.commit("first")
    work("tag", "twin")
    work("checkout", "-q", "-b", "twin")
    work.commit("second")
    assert first == read_both(work).ours.resolve("twin")


def test_a_repository_shows_what_its_refs_lead_to(a_rich: Both) -> None:
    """Repositories that share a store show only the objects that their own refs lead to."""
    whole = a_rich.ours
    fork = Repository(whole.objects, {"refs/heads/light": whole.refs["refs/tags/light"]}, "refs/heads/light")
    head = whole.resolve("HEAD")
    secret = next(entry.sha for entry in whole.tree("HEAD") if entry.path == "other.txt")
    shared = next(entry.sha for entry in fork.tree("HEAD") if entry.path == "README.md")
    hidden = [head, secret, whole.refs["refs/tags/v1.0"], whole.commit("HEAD").tree]

    assert ([True] * 4, [False] * 4) == ([whole.shows(sha) for sha in hidden], [fork.shows(sha) for sha in hidden])
    assert b"# Hello\n" == fork.blob(shared)
    with pytest.raises(UnknownRevision):
        fork.resolve(head[:10])


def test_an_empty_repository() -> None:
    """An empty repository has no branches, no tags and no HEAD commit."""
    empty = Repository(Objects(), {}, "refs/heads/main")
    assert (True, {}, {}) == (empty.is_empty, empty.branches(), empty.tags())
    with pytest.raises(UnknownRevision):
        empty.resolve("HEAD")
