"""Creation of commits and tags. The functions store new objects and return the hash; the caller updates refs."""

from collections.abc import Iterable, Sequence
from typing import Final

from fakeplat.core.cache.bounded import BoundedCache
from fakeplat.git.errors import MergeConflict, NothingToCommit, Unmergeable
from fakeplat.git.history import History
from fakeplat.git.merge import MergeResult, merge_commits, merge_trees
from fakeplat.git.name_checks import check_tag
from fakeplat.git.objects import EMPTY_TREE, Objects
from fakeplat.git.records import Commit, Kind, Person, commit_content, tag_content
from fakeplat.git.tree_editing import Action, apply_actions

_MAX_MERGES: Final = 1_024


def commit(
    objects: Objects, tree: str, parents: Sequence[str], message: str, author: Person, committer: Person | None = None
) -> str:
    """Create a commit of a tree. The committer defaults to the author."""
    return objects.add(Kind.COMMIT, commit_content(tree, parents, author, committer or author, message))


def commit_actions(
    objects: Objects,
    parent: str | None,
    actions: Iterable[Action],
    message: str,
    author: Person,
    committer: Person | None = None,
) -> str:
    """Create a commit that applies actions to a parent, or a first one; BadPath and EditRefused."""
    parent_tree = objects.commit(parent).tree if parent else EMPTY_TREE
    return commit(
        objects, apply_actions(objects, parent_tree, actions), [parent] if parent else [], message, author, committer
    )


def tag(objects: Objects, name: str, target: str, message: str, tagger: Person) -> str:
    """Create an annotated tag with a short name on any object; BadName if git would not create it."""
    check_tag(name)
    return objects.add(Kind.TAG, tag_content(target, objects.get(target).kind, name, tagger, message))


def can_fast_forward(objects: Objects, branch: str, to: str) -> bool:
    """Return whether a branch can move to a commit without losing commits."""
    history = History.of(objects)
    return history.holds(history.ancestors(objects, to), branch)


def try_merge(objects: Objects, ours: str, theirs: str) -> MergeResult:
    """Return the result of merging two commits: a tree, or conflicts. Without a common ancestor, the base is empty."""
    # A merge is tried by the mergeability check, for the merge ref and for the merge itself.
    cache: BoundedCache[tuple[str, str], MergeResult] = objects.caches.setdefault(try_merge, BoundedCache(_MAX_MERGES))
    result = cache.get((ours, theirs))
    # A quarantine that was dropped took its trees with it.
    if result is None or (result.tree is not None and result.tree not in objects):
        result = _merge_heads(objects, ours, theirs)
        cache.put((ours, theirs), result)
    return result


def _merge_heads(objects: Objects, ours: str, theirs: str) -> MergeResult:
    history = History.of(objects)
    bases = history.best_common(objects, history.ancestors(objects, ours), history.ancestors(objects, theirs))
    return merge_commits(objects, bases, ours, theirs)


def merge(
    objects: Objects, ours: str, theirs: str, message: str, author: Person, committer: Person | None = None
) -> str:
    """Create a merge commit of two commits, even if a fast-forward is possible; MergeConflict."""
    tree = _require_tree(try_merge(objects, ours, theirs))
    return commit(objects, tree, [ours, theirs], message, author, committer)


def squash(
    objects: Objects, base: str, head: str, message: str, author: Person, committer: Person | None = None
) -> str:
    """Create one commit on ``base`` (the merge base) with all changes up to ``head``."""
    return commit(objects, objects.commit(head).tree, [base], message, author, committer)


def cherry_pick(
    objects: Objects,
    onto: str,
    picked: str,
    committer: Person,
    *,
    message: str | None = None,
    author: Person | None = None,
    mainline: int = 1,
) -> str:
    """Cherry-pick a commit onto another; of a merge, the change from parent ``mainline`` (from 1).

    ``author``: that of the new commit, instead of the author of the picked one.

    MergeConflict; NothingToCommit if the change exists already; Unmergeable if there is no such parent.
    """
    source = objects.commit(picked)
    before = objects.commit(_mainline_parent(source, mainline)).tree if source.parents else None
    # A cherry-pick is a merge with the parent of the picked commit as the base.
    tree = _require_change(objects, onto, merge_trees(objects, before, objects.commit(onto).tree, source.tree))
    return commit(
        objects, tree, [onto], source.message if message is None else message, author or source.author, committer
    )


def revert(objects: Objects, onto: str, reverted: str, message: str, author: Person, *, mainline: int = 1) -> str:
    """Revert a commit on top of another; errors as in `cherry_pick`."""
    source = objects.commit(reverted)
    before = objects.commit(_mainline_parent(source, mainline)).tree if source.parents else EMPTY_TREE
    # A revert is a merge with the commit itself as the base, and the state before it as the other side.
    tree = _require_change(objects, onto, merge_trees(objects, source.tree, objects.commit(onto).tree, before))
    return commit(objects, tree, [onto], message, author)


def rebase(objects: Objects, head: str, onto: str, committer: Person) -> str:
    """Rebase the commits of ``head`` that are not in ``onto``, without merges and changes that exist already.

    MergeConflict at the first commit that cannot be applied.
    """
    from fakeplat.git.walk import Selection, walk_topologically

    tip = onto
    # The walk yields the newest commit first, and a rebase starts with the oldest.
    for source in reversed(list(walk_topologically(objects, Selection((head,), (onto,))))):
        # Merge commits are dropped, as by `git rebase`: the commits that they brought in are rebased one by one.
        if len(source.parents) < 2:
            if source.parents == (tip,):  # nothing to rewrite: fast-forward
                tip = source.sha
                continue
            is_empty = bool(source.parents) and objects.commit(source.parents[0]).tree == source.tree
            try:
                tip = cherry_pick(objects, tip, source.sha, committer)
            except NothingToCommit:
                # As in git, a commit that becomes empty is dropped, and one that was empty before is kept.
                if is_empty:
                    tip = commit(objects, objects.commit(tip).tree, [tip], source.message, source.author, committer)
    return tip


def _mainline_parent(source: Commit, mainline: int) -> str:
    if not 1 <= mainline <= len(source.parents):
        raise Unmergeable(f"{source.sha} has no parent {mainline}")
    return source.parents[mainline - 1]


def _require_change(objects: Objects, onto: str, result: MergeResult) -> str:
    tree = _require_tree(result)
    if tree == objects.commit(onto).tree:
        raise NothingToCommit(onto)
    return tree


def _require_tree(result: MergeResult) -> str:
    if result.tree is None:
        raise MergeConflict(result.paths)
    return result.tree
