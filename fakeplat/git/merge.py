"""Three-way merges of trees and commits, with rename detection."""

from typing import TYPE_CHECKING, NamedTuple

from fakeplat.git.libgit import libgit_repository
from fakeplat.git.objects import EMPTY_TREE, Objects
from fakeplat.git.tree_editing import TreeEditor

if TYPE_CHECKING:
    import pygit2


class Conflict(NamedTuple):
    """A file that both sides changed: its path in the base, on our side and on theirs (None if it does not exist)."""

    ancestor: str | None
    ours: str | None
    theirs: str | None

    @property
    def path(self) -> str:
        """Our path, else theirs, else the path in the base."""
        return self.ours or self.theirs or self.ancestor or ""


class MergeResult(NamedTuple):
    """The result of a merge: the tree, or the conflicts (then ``tree`` is None)."""

    tree: str | None
    conflicts: tuple[Conflict, ...] = ()

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths in conflict, sorted."""
        return tuple(sorted({conflict.path for conflict in self.conflicts}))


def merge_trees(objects: Objects, base: str | None, ours: str, theirs: str) -> MergeResult:
    """Merge two trees with a common base (None: the empty tree)."""
    base = base or EMPTY_TREE
    # These cases need no comparison of files, so libgit2 is not loaded for them.
    if base == theirs or ours == theirs:
        return MergeResult(ours)
    if base == ours:
        return MergeResult(theirs)
    return _result(objects, libgit_repository(objects).merge_trees(_oid(base), _oid(ours), _oid(theirs)))


def merge_commits(objects: Objects, bases: list[str], ours: str, theirs: str) -> MergeResult:
    """Merge two commits; several best common ancestors are merged first, as in git."""
    trees = [objects.commit(sha).tree for sha in (ours, theirs)]
    # Only libgit2's merge of commits builds a common base from several; its merge of trees takes exactly one.
    if len(bases) > 1:
        return _result(objects, libgit_repository(objects).merge_commits(_oid(ours), _oid(theirs)))
    return merge_trees(objects, objects.commit(bases[0]).tree if bases else None, *trees)


def _result(objects: Objects, index: "pygit2.Index") -> MergeResult:
    if index.conflicts is not None:
        conflicts = (Conflict(*(side and side.path for side in sides)) for sides in index.conflicts)
        return MergeResult(None, tuple(sorted(conflicts, key=lambda conflict: conflict.path)))
    # The index contains every file of the result, whether it was changed or not.
    editor = TreeEditor(objects, EMPTY_TREE)
    for entry in index:
        editor.put(entry.path, int(entry.mode), str(entry.id))
    return MergeResult(editor.write())


def _oid(sha: str) -> "pygit2.Oid":
    import pygit2

    return pygit2.Oid(hex=sha)
