"""New commits and tags: pure functions that keep new objects and give the hash; refs are the caller's."""

from collections.abc import Iterable, Sequence

from fakeplat.git.errors import MergeConflict, NothingToCommit, Unmergeable
from fakeplat.git.history import History
from fakeplat.git.merge import MergeResult, merge_commits, merge_trees
from fakeplat.git.name_checks import check_tag
from fakeplat.git.objects import EMPTY_TREE, Objects
from fakeplat.git.records import Commit, Kind, Person, commit_content, tag_content
from fakeplat.git.tree_editing import Action, apply_actions


def commit(
    objects: Objects, tree: str, parents: Sequence[str], message: str, author: Person, committer: Person | None = None
) -> str:
    """A commit of a tree; the committer is the author unless said."""
    return objects.add(Kind.COMMIT, commit_content(tree, parents, author, committer or author, message))


def commit_actions(
    objects: Objects,
    parent: str | None,
    actions: Iterable[Action],
    message: str,
    author: Person,
    committer: Person | None = None,
) -> str:
    """A commit of some actions upon a commit, or the first one. BadPath and EditRefused as in `editing.py`."""
    before = objects.commit(parent).tree if parent else EMPTY_TREE
    return commit(
        objects, apply_actions(objects, before, actions), [parent] if parent else [], message, author, committer
    )


def tag(objects: Objects, name: str, target: str, message: str, tagger: Person) -> str:
    """An annotated tag of a short name on any object; BadName if git would not make it."""
    check_tag(name)
    return objects.add(Kind.TAG, tag_content(target, objects.get(target).kind, name, tagger, message))


def can_fast_forward(objects: Objects, branch: str, to: str) -> bool:
    """Whether a branch may move to a commit without losing one of its own."""
    history = History.of(objects)
    return history.holds(history.ancestors(objects, to), branch)


def try_merge(objects: Objects, ours: str, theirs: str) -> MergeResult:
    """What merging two commits would give: a tree, or conflicts. Without a common ancestor, as from nothing."""
    history = History.of(objects)
    bases = history.best_common(objects, history.ancestors(objects, ours), history.ancestors(objects, theirs))
    return merge_commits(objects, bases, ours, theirs)


def merge(
    objects: Objects, ours: str, theirs: str, message: str, author: Person, committer: Person | None = None
) -> str:
    """The merge commit of two commits, also where a fast forward were possible; MergeConflict."""
    tree = _tree(try_merge(objects, ours, theirs))
    return commit(objects, tree, [ours, theirs], message, author, committer)


def squash(
    objects: Objects, base: str, head: str, message: str, author: Person, committer: Person | None = None
) -> str:
    """One commit upon ``base`` (the merge base) with all that leads to ``head``."""
    return commit(objects, objects.commit(head).tree, [base], message, author, committer)


def cherry_pick(
    objects: Objects, onto: str, picked: str, committer: Person, *, message: str | None = None, mainline: int = 1
) -> str:
    """A commit's change upon another one, by its author; a merge's change against its parent ``mainline`` (from 1).

    MergeConflict; NothingToCommit if the change is there already; Unmergeable if there is no such parent.
    """
    one = objects.commit(picked)
    before = objects.commit(_parent(one, mainline)).tree if one.parents else None
    tree = _changed(objects, onto, merge_trees(objects, before, objects.commit(onto).tree, one.tree))
    return commit(objects, tree, [onto], one.message if message is None else message, one.author, committer)


def revert(objects: Objects, onto: str, reverted: str, message: str, author: Person, *, mainline: int = 1) -> str:
    """The opposite of a commit's change upon another commit; refusals as of `cherry_pick`."""
    one = objects.commit(reverted)
    before = objects.commit(_parent(one, mainline)).tree if one.parents else EMPTY_TREE
    tree = _changed(objects, onto, merge_trees(objects, one.tree, objects.commit(onto).tree, before))
    return commit(objects, tree, [onto], message, author)


def rebase(objects: Objects, head: str, onto: str, committer: Person) -> str:
    """What leads to ``head`` and not to ``onto``, upon ``onto``: without merges and what is there already.

    MergeConflict at the first commit that does not fit.
    """
    from fakeplat.git.walk import Selection, in_topological_order

    tip = onto
    for one in reversed(list(in_topological_order(objects, Selection((head,), (onto,))))):
        if len(one.parents) < 2:
            if one.parents == (tip,):
                tip = one.sha
                continue
            empty = bool(one.parents) and objects.commit(one.parents[0]).tree == one.tree
            try:
                tip = cherry_pick(objects, tip, one.sha, committer)
            except NothingToCommit:
                if empty:
                    tip = commit(objects, objects.commit(tip).tree, [tip], one.message, one.author, committer)
    return tip


def _parent(one: Commit, mainline: int) -> str:
    if not 1 <= mainline <= len(one.parents):
        raise Unmergeable(f"{one.sha} has no parent {mainline}")
    return one.parents[mainline - 1]


def _changed(objects: Objects, onto: str, merged: MergeResult) -> str:
    tree = _tree(merged)
    if tree == objects.commit(onto).tree:
        raise NothingToCommit(onto)
    return tree


def _tree(merged: MergeResult) -> str:
    if merged.tree is None:
        raise MergeConflict(merged.paths)
    return merged.tree
