"""A history from what somebody wrote down: the same words make the same hashes."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from fakeplat.git import writing
from fakeplat.git.errors import MergeConflict, UnknownRevision
from fakeplat.git.name_checks import BRANCHES, TAGS, check_branch, check_tag, normalize_path
from fakeplat.git.objects import EMPTY_TREE, Objects
from fakeplat.git.reachability import tags_on_the_way
from fakeplat.git.records import FILE, Person
from fakeplat.git.tree_editing import TreeEditor

_NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})


class File(NamedTuple):
    """A file's bytes and mode (`FILE`, `EXECUTABLE`; for a `SYMLINK` the bytes are where it leads)."""

    content: bytes
    mode: int = FILE


class Change(NamedTuple):
    """One commit to be made.

    ``files`` are put over those of the first parent; None takes a file or folder away. ``branch`` moves to the commit.
    Its first parent is where the branch stands, or, if it is new, where ``start`` (a branch or tag of what was made so
    far) stands; the first commit of a new branch without ``start`` has none. ``merges`` are further parents, by branch
    or tag; their files are merged in before ``files`` are put. ``tags``: lightweight ones by None, annotated ones by
    their message.
    """

    message: str
    author: Person
    files: Mapping[str, File | None] = _NOTHING
    branch: str = "master"
    start: str | None = None
    merges: Sequence[str] = ()
    committer: Person | None = None
    tags: Mapping[str, str | None] = _NOTHING


def build_history(objects: Objects, changes: Sequence[Change]) -> dict[str, str]:
    """The refs of a history. BadName, BadPath, FileExists, UnknownRevision and MergeConflict where it cannot be."""
    refs: dict[str, str] = {}
    for change in changes:
        parents = [tags_on_the_way(objects, sha)[1] for sha in _parents(refs, change)]
        tree = _put(objects, _before(objects, parents, change), change.files)
        committer = change.committer or change.author
        sha = writing.commit(objects, tree, parents, change.message, change.author, committer)
        refs[check_branch(change.branch)] = sha
        for name, message in change.tags.items():
            target = sha if message is None else writing.tag(objects, name, sha, message, committer)
            refs[check_tag(name)] = target
    return refs


def _parents(refs: Mapping[str, str], change: Change) -> list[str]:
    here = refs.get(BRANCHES + change.branch)
    if here is None and change.start is not None:
        here = _named(refs, change.start)
    return [*([here] if here else []), *(_named(refs, name) for name in change.merges)]


def _named(refs: Mapping[str, str], name: str) -> str:
    sha = refs.get(BRANCHES + name) or refs.get(TAGS + name)
    if sha is None:
        raise UnknownRevision(name)
    return sha


def _before(objects: Objects, parents: Sequence[str], change: Change) -> str:
    """The tree upon which files are put: the first parent's, with the others merged in."""
    if not parents:
        return EMPTY_TREE
    tree, ours = objects.commit(parents[0]).tree, parents[0]
    for theirs in parents[1:]:
        merged = writing.try_merge(objects, ours, theirs)
        if merged.tree is None:
            if not set(merged.paths) <= {normalize_path(path) for path in change.files}:
                raise MergeConflict(merged.paths)
            continue
        tree = merged.tree
        ours = writing.commit(objects, tree, [ours, theirs], change.message, change.author)
    return tree


def _put(objects: Objects, tree: str, files: Mapping[str, File | None]) -> str:
    editor = TreeEditor(objects, tree)
    for path, file in files.items():
        if file is None:
            editor.remove(normalize_path(path))
        else:
            editor.put(normalize_path(path), file.mode, editor.blob(file.content))
    return editor.written()
