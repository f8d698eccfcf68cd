"""Which objects a set of commits needs."""

from collections.abc import Iterable, Iterator

from fakeplat.git.errors import BadPack, MissingObject
from fakeplat.git.history import History
from fakeplat.git.name_checks import DEEPEST
from fakeplat.git.objects import EMPTY_TREE, Objects
from fakeplat.git.records import FOLDER, SUBMODULE, Commit, Kind

CLOSURES_AT_HAND = 16


def introduced_objects(objects: Objects, sha: str) -> tuple[str, ...]:
    """The trees and blobs of a commit that stand at no parent's same place. Kept: it never changes."""
    kept: dict[str, tuple[str, ...]] = objects.kept.setdefault(introduced_objects, {})
    if sha not in kept:
        commit = objects.commit(sha)
        kept[sha] = new_objects(objects, commit, commit.parents)
    return kept[sha]


def new_objects(objects: Objects, commit: Commit, parents: Iterable[str]) -> tuple[str, ...]:
    """The trees and blobs of a commit that stand at the same place of none of some parents."""
    beside = tuple(objects.commit(parent).tree for parent in parents)
    return tuple(dict.fromkeys(_new(objects, commit.tree, beside, set())))


def required_objects(objects: Objects, commits: Iterable[str]) -> list[str]:
    """Commits and what they introduce, each once, commits first."""
    listed = list(commits)
    return list(dict.fromkeys([*listed, *(sha for one in listed for sha in introduced_objects(objects, one))]))


def tags_on_the_way(objects: Objects, sha: str) -> tuple[list[str], str]:
    """The annotated tags that lead from a hash to what is no tag, and what that is."""
    tags = []
    while objects.get(sha).kind is Kind.TAG:
        tags.append(sha)
        sha = objects.tag(sha).target
    return tags, sha


def reachable_objects(objects: Objects, tips: Iterable[str]) -> frozenset[str]:
    """The hashes of all that can be reached from some refs' targets. Kept for the last few sets of tips."""
    kept: dict[tuple[str, ...], frozenset[str]] = objects.kept.setdefault(reachable_objects, {})
    key = tuple(sorted(set(tips)))
    if key not in kept:
        if len(kept) >= CLOSURES_AT_HAND:
            kept.clear()
        kept[key] = frozenset(list_reachable(objects, key))
    return kept[key]


def list_reachable(objects: Objects, tips: Iterable[str], hidden: Iterable[str] = ()) -> list[str]:
    """The hashes that tips lead to, without what the hidden commits lead to: commits, tags, then trees and blobs."""
    history = History.of(objects)
    tags, tops, others = _sorted_out(objects, tips)
    bits = history.reachable(objects, tops) & ~history.reachable(objects, peel_to_commits(objects, hidden))
    return list(dict.fromkeys([*tags, *required_objects(objects, history.shas(bits)), *others]))


def peel_to_commits(objects: Objects, shas: Iterable[str]) -> list[str]:
    """The commits that some hashes are or, as tags, lead to; each once."""
    return list(dict.fromkeys(_sorted_out(objects, shas)[1]))


def _sorted_out(objects: Objects, tips: Iterable[str]) -> tuple[list[str], list[str], list[str]]:
    """Tags, commits, and what odd refs point to: trees with all in them, and blobs."""
    tags: list[str] = []
    commits: list[str] = []
    others: list[str] = []
    for tip in tips:
        on_the_way, target = tags_on_the_way(objects, tip)
        tags += on_the_way
        match objects.get(target).kind:
            case Kind.COMMIT:
                commits.append(target)
            case Kind.TREE:
                others += _new(objects, target, (), set())
            case _:
                others.append(target)
    return tags, commits, others


def _new(
    objects: Objects, tree: str, beside: tuple[str, ...], walked: set[tuple[str, tuple[str, ...]]], depth: int = 0
) -> Iterator[str]:
    """The trees and blobs of a tree that stand at the same path of none of the others.

    ``walked`` are the pairs that were compared already: a small pack can name the same tree at any number of paths.
    """
    if tree in beside or (tree, beside) in walked:
        return
    if depth > DEEPEST:
        raise MissingObject(f"{tree} is nested too deep")
    walked.add((tree, beside))
    yield tree
    others = [objects.tree(other) for other in beside]
    fresh = list(objects.tree(tree).values())
    for other in others:
        fresh = [entry for entry in fresh if (found := other.get(entry.path)) is None or found.sha != entry.sha]
    for entry in fresh:
        if entry.mode == FOLDER:
            there = (found for other in others if (found := other.get(entry.path)) is not None)
            inside = tuple(found.sha for found in there if found.mode == FOLDER)
            yield from _new(objects, entry.sha, inside, walked, depth + 1)
        elif entry.mode != SUBMODULE:
            yield entry.sha


def check_tree_sizes(objects: Objects, limit: int) -> None:
    """BadPack if a tree that a store itself holds has more than so many paths in and below it.

    Listing, searching or packing a tree takes as long as it has paths; a kilobyte of nested trees can have billions.
    """
    counts: dict[str, int] = {}
    for sha in objects.added():
        if objects.get(sha).kind is Kind.TREE and _count_paths(objects, sha, counts) > limit:
            raise BadPack(f"tree {sha} holds more than {limit} paths")


def _count_paths(objects: Objects, tree: str, counts: dict[str, int], depth: int = 0) -> int:
    if depth > DEEPEST or tree not in objects or objects.get(tree).kind is not Kind.TREE:
        return 0  # whether a tree is whole and not nested too deep is checked where refs are judged
    if tree not in counts:
        entries = objects.tree(tree).values()
        folders = (entry.sha for entry in entries if entry.mode == FOLDER)
        counts[tree] = len(entries) + sum(_count_paths(objects, folder, counts, depth + 1) for folder in folders)
    return counts[tree]


def check_connected(objects: Objects, quarantine: Objects, tips: Iterable[str], reachable: Iterable[str]) -> None:
    """MissingObject unless all that new tips lead to came with them or can be reached from the refs' targets."""
    history = History.of(objects)
    tags, tops, others = _sorted_out(quarantine, tips)
    known = [tip for tip in reachable if tip in objects]
    commits = history.reachable(quarantine, tops)
    fresh = history.shas(commits & ~history.reachable(objects, peel_to_commits(objects, known)))
    came = {*quarantine.added(), EMPTY_TREE}
    outside = [sha for sha in [*tags, *others, *required_objects(quarantine, fresh)] if sha not in came]
    if outside and not set(outside) <= reachable_objects(objects, known):
        raise MissingObject(outside[0])
