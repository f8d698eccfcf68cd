"""Objects that are reachable from commits."""

from collections.abc import Iterable, Iterator

from fakeplat.git.errors import BadPack, MissingObject
from fakeplat.git.history import History
from fakeplat.git.name_checks import MAX_DEPTH
from fakeplat.git.objects import EMPTY_TREE, Objects
from fakeplat.git.records import FOLDER, SUBMODULE, Commit, Kind

# Each set names every object of a repository, so only few are kept.
MAX_CACHED_SETS = 16


def introduced_objects(objects: Objects, sha: str) -> tuple[str, ...]:
    """Return the trees and blobs of a commit that no parent has at the same path. The result is cached."""
    cache: dict[str, tuple[str, ...]] = objects.caches.setdefault(introduced_objects, {})
    if sha not in cache:
        commit = objects.commit(sha)
        cache[sha] = new_objects(objects, commit, commit.parents)
    return cache[sha]


def new_objects(objects: Objects, commit: Commit, parents: Iterable[str]) -> tuple[str, ...]:
    """Return the trees and blobs of a commit that none of the given parents has at the same path."""
    parent_trees = tuple(objects.commit(parent).tree for parent in parents)
    return tuple(dict.fromkeys(_walk_new(objects, commit.tree, parent_trees, set())))


def required_objects(objects: Objects, commits: Iterable[str]) -> list[str]:
    """List commits and the objects that they introduce, without duplicates, commits first."""
    shas = list(commits)
    # What a commit shares with a parent comes with that parent. An object can be introduced again at another path.
    introduced = (sha for commit in shas for sha in introduced_objects(objects, commit))
    return list(dict.fromkeys([*shas, *introduced]))


def peel_tags(objects: Objects, sha: str) -> tuple[list[str], str]:
    """Peel an object: return the annotated tags passed on the way, and the first object that is not a tag."""
    tags = []
    while objects.get(sha).kind is Kind.TAG:
        tags.append(sha)
        sha = objects.tag(sha).target
    return tags, sha


def reachable_objects(objects: Objects, tips: Iterable[str]) -> frozenset[str]:
    """Return all objects that are reachable from the targets of refs. Cached for a few sets of tips."""
    cache: dict[tuple[str, ...], frozenset[str]] = objects.caches.setdefault(reachable_objects, {})
    key = tuple(sorted(set(tips)))
    if key not in cache:
        if len(cache) >= MAX_CACHED_SETS:
            cache.clear()
        cache[key] = frozenset(list_reachable(objects, key))
    return cache[key]


def list_reachable(objects: Objects, tips: Iterable[str], hidden: Iterable[str] = ()) -> list[str]:
    """List the objects reachable from tips but not from hidden commits: tags, commits, then trees and blobs."""
    history = History.of(objects)
    tags, commits, others = classify(objects, tips)
    bits = history.reachable(objects, commits) & ~history.reachable(objects, peel_to_commits(objects, hidden))
    return list(dict.fromkeys([*tags, *required_objects(objects, history.shas(bits)), *others]))


def peel_to_commits(objects: Objects, shas: Iterable[str]) -> list[str]:
    """List the commits among objects, with tags peeled, without duplicates."""
    return list(dict.fromkeys(classify(objects, shas)[1]))


def classify(objects: Objects, tips: Iterable[str]) -> tuple[list[str], list[str], list[str]]:
    """Return tags, commits, and objects of refs to other kinds: trees with their contents, and blobs."""
    tags: list[str] = []
    commits: list[str] = []
    others: list[str] = []
    for tip in tips:
        peeled_tags, target = peel_tags(objects, tip)
        tags += peeled_tags
        match objects.get(target).kind:
            case Kind.COMMIT:
                commits.append(target)
            case Kind.TREE:
                others += _walk_new(objects, target, (), set())
            case _:
                others.append(target)
    return tags, commits, others


def _walk_new(
    objects: Objects, tree: str, other_trees: tuple[str, ...], walked: set[tuple[str, tuple[str, ...]]], depth: int = 0
) -> Iterator[str]:
    """Yield the trees and blobs of a tree that none of the other trees has at the same path.

    ``walked`` holds the comparisons already made: a small pack can have the same tree at any number of paths.
    """
    if tree in other_trees or (tree, other_trees) in walked:
        return
    # A received tree can be nested deeper than the platform allows; following it would exhaust Python's stack.
    if depth > MAX_DEPTH:
        raise MissingObject(f"{tree} is nested too deep")
    walked.add((tree, other_trees))
    yield tree
    others = [objects.tree(other) for other in other_trees]
    new_entries = list(objects.tree(tree).values())
    for other in others:
        new_entries = [entry for entry in new_entries if (old := other.get(entry.path)) is None or old.sha != entry.sha]
    for entry in new_entries:
        if entry.mode == FOLDER:
            old_entries = (old for other in others if (old := other.get(entry.path)) is not None)
            old_folders = tuple(old.sha for old in old_entries if old.mode == FOLDER)
            yield from _walk_new(objects, entry.sha, old_folders, walked, depth + 1)
        elif entry.mode != SUBMODULE:
            yield entry.sha


def check_tree_sizes(objects: Objects, limit: int) -> None:
    """Raise BadPack if a tree that a store itself holds has more paths in and below it than allowed.

    The time to list, search or pack a tree grows with its paths; a kilobyte of nested trees can have billions.
    """
    counts: dict[str, int] = {}
    for sha in objects.added():
        if objects.get(sha).kind is Kind.TREE and _count_paths(objects, sha, counts) > limit:
            raise BadPack(f"tree {sha} contains more than {limit} paths")


def _count_paths(objects: Objects, tree: str, counts: dict[str, int], depth: int = 0) -> int:
    if depth > MAX_DEPTH or tree not in objects or objects.get(tree).kind is not Kind.TREE:
        return 0  # check_connected() refuses trees that are incomplete or nested too deep
    if tree not in counts:
        entries = objects.tree(tree).values()
        folders = (entry.sha for entry in entries if entry.mode == FOLDER)
        counts[tree] = len(entries) + sum(_count_paths(objects, folder, counts, depth + 1) for folder in folders)
    return counts[tree]


def check_connected(objects: Objects, quarantine: Objects, tips: Iterable[str], reachable: Iterable[str]) -> None:
    """Raise MissingObject unless all objects reachable from new tips are in the quarantine or reachable from refs.

    An object that is merely stored does not count: a push must not give access to objects of other repositories.
    """
    history = History.of(objects)
    tags, heads, others = classify(quarantine, tips)
    known = [tip for tip in reachable if tip in objects]
    commits = history.reachable(quarantine, heads)
    new_commits = history.shas(commits & ~history.reachable(objects, peel_to_commits(objects, known)))
    # Clients do not send the empty tree, which every repository has.
    received = {*quarantine.added(), EMPTY_TREE}
    outside = [sha for sha in [*tags, *others, *required_objects(quarantine, new_commits)] if sha not in received]
    # Most pushes send all that they need, so the set of all reachable objects is seldom computed.
    if outside and not set(outside) <= reachable_objects(objects, known):
        raise MissingObject(outside[0])
