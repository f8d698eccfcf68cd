"""Three-way merges of trees and commits, with rename detection."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from fakeplat.git.errors import MissingSide
from fakeplat.git.libgit import libgit_repository
from fakeplat.git.objects import EMPTY_TREE, Objects
from fakeplat.git.records import FOLDER, Entry
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


class ConflictFile(NamedTuple):
    """A file in conflict: its paths on both sides, and its text, with the lines of both sides between markers."""

    ours: str
    theirs: str
    text: str


def merge_trees(objects: Objects, base: str | None, ours: str, theirs: str) -> MergeResult:
    """Merge two trees with a common base (None: the empty tree)."""
    base = base or EMPTY_TREE
    # Without a path that both sides changed nothing has to be compared, so libgit2 is not loaded.
    try:
        return MergeResult(_merge_trivially(objects, base, ours, theirs))
    except _ChangedOnBothSides:
        pass
    return _result(objects, libgit_repository(objects).merge_trees(_oid(base), _oid(ours), _oid(theirs)))


def merge_commits(objects: Objects, bases: list[str], ours: str, theirs: str) -> MergeResult:
    """Merge two commits; several best common ancestors are merged first, as in git."""
    trees = [objects.commit(sha).tree for sha in (ours, theirs)]
    # Only libgit2's merge of commits builds a common base from several; its merge of trees takes exactly one.
    if len(bases) > 1:
        return _result(objects, libgit_repository(objects).merge_commits(_oid(ours), _oid(theirs)))
    return merge_trees(objects, objects.commit(bases[0]).tree if bases else None, *trees)


def list_conflict_files(objects: Objects, ours: str, theirs: str) -> list[ConflictFile]:
    """Return the files in conflict between two commits by path; MissingSide if a side has deleted one of them."""
    repository = libgit_repository(objects)
    conflicts = repository.merge_commits(_oid(ours), _oid(theirs)).conflicts or ()
    files = []
    for base, mine, other in conflicts:
        if mine is None or other is None:
            raise MissingSide
        merged = repository.merge_file_from_index(base, mine, other, use_deprecated=False)
        files.append(ConflictFile(mine.path, other.path, merged.contents))
    return sorted(files)


class _ChangedOnBothSides(Exception):
    """Both sides changed a path, so that its content, or where it was moved, decides."""


def _merge_trivially(objects: Objects, base: str, ours: str, theirs: str) -> str:
    """Return the tree with the changes of both sides."""
    if base == theirs or ours == theirs:
        return ours
    if base == ours:
        return theirs
    before, mine, other = objects.tree(base), objects.tree(ours), objects.tree(theirs)
    merged = dict(mine)
    # Most entries are the same in all three. Sets compare them without a step in Python for each.
    for name in {entry.name for entry in set(before.values()) ^ set(other.values())}:
        entry = _merge_entry(objects, name, (before, mine, other))
        if entry is not None:
            merged[name] = entry
        elif name in merged:
            del merged[name]
    return objects.add_tree(merged.values())


def _merge_entry(objects: Objects, name: str, sides: Sequence[Mapping[str, Entry]]) -> Entry | None:
    """Return what becomes of an entry that their side changed; None if it is gone."""
    base, ours, theirs = (side.get(name) for side in sides)
    if base == ours:
        return theirs
    # What both sides deleted can be what they renamed, to different names.
    if ours is None or theirs is None:
        raise _ChangedOnBothSides
    if not _is_folder(ours) or not _is_folder(theirs):
        if ours == theirs:
            return ours
        raise _ChangedOnBothSides
    if base is not None and (ours == theirs or not _is_folder(base)):
        raise _ChangedOnBothSides
    tree = _merge_trivially(objects, base.sha if base else EMPTY_TREE, ours.sha, theirs.sha)
    return None if tree == EMPTY_TREE else Entry(name, FOLDER, tree)


def _is_folder(entry: Entry) -> bool:
    return entry.mode == FOLDER


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
