"""Validation of declared commits without git: the branches, tags and files after each commit.

The git package is slow to import, so it only checks names and paths that are not obviously valid.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from fakeplat.core.schema.mistakes import nearest_name
from fakeplat.model.repository import DeclaredCommit

# Accepts ``main``, ``feature/login`` and ``v1.2``, but leaves names such as ``a..b`` or ``-x`` to git.
_NAME: Final = re.compile(r"\w[\w-]*([./]\w[\w-]*)*", re.ASCII)
# Accepts ``README.md``, ``.gitignore`` and ``my file``; other parts of paths are left to git.
_PART: Final = re.compile(r"\.?\w[\w.@+ -]*")


class InvalidCommit(NamedTuple):
    """A mistake in a commit, with the commit's position in the list and the path of the key."""

    position: int
    text: str
    keys: tuple[str | int, ...]
    nearest: str | None = None


class CommitPlan:
    """The branches and files that result from a list of commits.

    ``branches`` are the paths of files by branch. ``asks_git``: whether only git can decide if the commits are valid,
    because branches are merged or a file is replaced by a folder.
    """

    def __init__(self, commits: Sequence[DeclaredCommit]) -> None:
        self.branches: dict[str, frozenset[str]] = {}
        self.mistakes: list[InvalidCommit] = []
        self.asks_git = False
        self._tags: dict[str, frozenset[str]] = {}
        for position, commit in enumerate(commits):
            self._add_commit(position, commit)

    def _add_commit(self, position: int, commit: DeclaredCommit) -> None:
        new = commit.branch not in self.branches
        if new and not _is_valid_name(commit.branch, tag=False):
            self._add_mistake(position, f"invalid branch name {commit.branch!r}", "branch")
        # A ref is a file in git's storage, so `a` and `a/b` cannot both exist.
        if new and _conflicts_with(commit.branch, self.branches):
            self._add_mistake(position, f"branch {commit.branch!r} conflicts with another branch", "branch")
        files = self.branches.get(commit.branch, frozenset())
        if new and commit.start is not None:
            files = self._files_of_ref(position, commit.start, "start")
        # The union can contain files that the merge deletes; only git computes the exact result.
        for merge_index, name in enumerate(commit.merges):
            files |= self._files_of_ref(position, name, "merges", merge_index)
            self.asks_git = True
        self.branches[commit.branch] = self._apply_files(position, files, commit)
        for tag in commit.tags:
            if not _is_valid_name(tag, tag=True) or _conflicts_with(tag, self._tags):
                self._add_mistake(position, f"invalid or conflicting tag name {tag!r}", "tags")
            self._tags[tag] = self.branches[commit.branch]

    def _files_of_ref(self, position: int, name: str, *keys: str | int) -> frozenset[str]:
        known = {**self._tags, **self.branches}
        if name not in known:
            self._add_mistake(position, f"unknown branch or tag {name!r}", *keys, nearest=nearest_name(name, known))
        return known.get(name, frozenset())

    def _apply_files(self, position: int, files_before: frozenset[str], commit: DeclaredCommit) -> frozenset[str]:
        files = set(files_before)
        for path, file in commit.files.items():
            if not _is_valid_path(path):
                self._add_mistake(position, f"invalid path {path!r}", "files", path)
            # The content of a file changes, which affects no path.
            if path in files and file is not None:
                continue
            inside = {other for other in files if other.startswith(f"{path}/")}
            files -= {path, *inside}
            if file is not None:
                self.asks_git = (
                    self.asks_git or bool(inside) or any(folder in files for folder in _parent_folders(path))
                )
                files.add(path)
        return frozenset(files)

    def _add_mistake(self, position: int, text: str, *keys: str | int, nearest: str | None = None) -> None:
        self.mistakes.append(InvalidCommit(position, text, keys, nearest))


def _parent_folders(path: str) -> Iterable[str]:
    parts = path.split("/")
    return ("/".join(parts[:count]) for count in range(1, len(parts)))


def _conflicts_with(name: str, others: Iterable[str]) -> bool:
    # A name conflicts in both directions, whichever of the two comes first.
    return any(name.startswith(f"{other}/") or other.startswith(f"{name}/") for other in others)


def _is_valid_name(name: str, *, tag: bool) -> bool:
    # Git reserves names that end in ``.lock`` for its lock files.
    if _NAME.fullmatch(name) and ".lock" not in name and name != "HEAD":
        return True
    from fakeplat.git.errors import BadName
    from fakeplat.git.name_checks import check_branch, check_tag

    try:
        (check_tag if tag else check_branch)(name)
    except BadName:
        return False
    return True


def _is_valid_path(path: str) -> bool:
    # File systems that ignore case or trailing dots and spaces would take these for ``.git``.
    if all(_PART.fullmatch(part) and not part.lower().startswith((".git.", ".git ")) for part in path.split("/")):
        return not re.search(r"(^|/)\.git(/|$)", path.lower())
    from fakeplat.git.errors import BadPath
    from fakeplat.git.name_checks import normalize_path

    try:
        return normalize_path(path) == path
    except BadPath:
        return False
