"""Creation of a history from a declaration; equal declarations give equal hashes."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from fakeplat.git import writing
from fakeplat.git.errors import MergeConflict, UnknownRevision
from fakeplat.git.name_checks import BRANCHES, TAGS, check_branch, check_tag, normalize_path
from fakeplat.git.objects import EMPTY_TREE, Objects
from fakeplat.git.reachability import peel_tags
from fakeplat.git.records import FILE, Person
from fakeplat.git.tree_editing import TreeEditor

_EMPTY: Final[Mapping[str, Any]] = MappingProxyType({})


class File(NamedTuple):
    """A file's bytes and mode (`FILE`, `EXECUTABLE`, or `SYMLINK` with the target as bytes)."""

    content: bytes
    mode: int = FILE


class Change(NamedTuple):
    """A commit to create.

    ``files`` are added to those of the first parent; None deletes a file or folder. ``branch`` moves to the commit.
    The first parent is the head of ``branch``; for a new branch it is that of ``start`` (a branch or tag created
    before), or none without ``start``. ``merges`` are further parents, by branch or tag; they are merged before
    ``files`` are applied. ``tags``: None for a lightweight tag, the message for an annotated one.
    """

    message: str
    author: Person
    files: Mapping[str, File | None] = _EMPTY
    branch: str = "master"
    start: str | None = None
    merges: Sequence[str] = ()
    committer: Person | None = None
    tags: Mapping[str, str | None] = _EMPTY


def build_history(objects: Objects, changes: Sequence[Change]) -> dict[str, str]:
    """Create a history and return its refs; BadName, BadPath, FileExists, UnknownRevision, MergeConflict."""
    refs: dict[str, str] = {}
    for change in changes:
        # A start or a merged name can be an annotated tag; the parent is the commit that it points to.
        parents = [peel_tags(objects, sha)[1] for sha in _parents(refs, change)]
        tree = _apply_files(objects, _base_tree(objects, parents, change), change.files)
        committer = change.committer or change.author
        sha = writing.commit(objects, tree, parents, change.message, change.author, committer)
        refs[check_branch(change.branch)] = sha
        for name, message in change.tags.items():
            target = sha if message is None else writing.tag(objects, name, sha, message, committer)
            refs[check_tag(name)] = target
    return refs


def _parents(refs: Mapping[str, str], change: Change) -> list[str]:
    head = refs.get(BRANCHES + change.branch)
    if head is None and change.start is not None:
        head = _resolve(refs, change.start)
    return [*([head] if head else []), *(_resolve(refs, name) for name in change.merges)]


def _resolve(refs: Mapping[str, str], name: str) -> str:
    sha = refs.get(BRANCHES + name) or refs.get(TAGS + name)
    if sha is None:
        raise UnknownRevision(name)
    return sha


def _base_tree(objects: Objects, parents: Sequence[str], change: Change) -> str:
    """Return the tree that the files are applied to: that of the first parent, with the other parents merged."""
    if not parents:
        return EMPTY_TREE
    tree, ours = objects.commit(parents[0]).tree, parents[0]
    for theirs in parents[1:]:
        result = writing.try_merge(objects, ours, theirs)
        if result.tree is None:
            # A conflict is allowed if the change itself declares all files in conflict.
            if not set(result.paths) <= {normalize_path(path) for path in change.files}:
                raise MergeConflict(result.paths)
            # Our tree stays, and the files of the change replace those in conflict.
            continue
        tree = result.tree
        # The next merge needs a base: an intermediate commit that no ref keeps.
        ours = writing.commit(objects, tree, [ours, theirs], change.message, change.author)
    return tree


def _apply_files(objects: Objects, tree: str, files: Mapping[str, File | None]) -> str:
    editor = TreeEditor(objects, tree)
    for path, file in files.items():
        if file is None:
            editor.remove(normalize_path(path))
        else:
            editor.put(normalize_path(path), file.mode, editor.blob(file.content))
    return editor.write()
