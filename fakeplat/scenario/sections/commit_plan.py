"""What can be said of declared commits without git: which branches, tags and files there are after each.

git is costly to load, so names and paths that are plainly fine are not shown to it; others are.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from fakeplat.core.schema.mistakes import nearest_name
from fakeplat.model.repositories import DeclaredCommit

_NAME: Final = re.compile(r"\w[\w-]*([./]\w[\w-]*)*", re.ASCII)
_PART: Final = re.compile(r"\.?\w[\w.@+ -]*")


class InvalidCommit(NamedTuple):
    """What is wrong with a commit (``place`` in the list), and under which of its keys."""

    place: int
    text: str
    keys: tuple[str | int, ...]
    near: str | None = None


class CommitPlan:
    """Commits, one after the other.

    ``branches`` are the paths of files by branch. ``asks_git``: whether only git can say if the commits can be made,
    as where branches are merged or a file gives way to a folder.
    """

    def __init__(self, commits: Sequence[DeclaredCommit]) -> None:
        self.branches: dict[str, frozenset[str]] = {}
        self.faults: list[InvalidCommit] = []
        self.asks_git = False
        self._tags: dict[str, frozenset[str]] = {}
        for place, commit in enumerate(commits):
            self._commit(place, commit)

    def _commit(self, place: int, commit: DeclaredCommit) -> None:
        new = commit.branch not in self.branches
        if new and not _is_name(commit.branch, tag=False):
            self._fault(place, f"git takes no branch {commit.branch!r}", "branch")
        if new and _in_the_way(commit.branch, self.branches):
            self._fault(place, f"another branch is in the way of {commit.branch!r}", "branch")
        files = self.branches.get(commit.branch, frozenset())
        if new and commit.start is not None:
            files = self._started(place, commit.start, "start")
        for other, name in enumerate(commit.merges):
            files |= self._started(place, name, "merges", other)
            self.asks_git = True
        self.branches[commit.branch] = self._with(place, files, commit)
        for tag in commit.tags:
            if not _is_name(tag, tag=True) or _in_the_way(tag, self._tags):
                self._fault(place, f"git takes no tag {tag!r}", "tags")
            self._tags[tag] = self.branches[commit.branch]

    def _started(self, place: int, name: str, *keys: str | int) -> frozenset[str]:
        known = {**self._tags, **self.branches}
        if name not in known:
            self._fault(place, f"unknown branch or tag {name!r}", *keys, near=nearest_name(name, known))
        return known.get(name, frozenset())

    def _with(self, place: int, before: frozenset[str], commit: DeclaredCommit) -> frozenset[str]:
        files = set(before)
        for path, file in commit.files.items():
            if not _is_path(path):
                self._fault(place, f"git takes no path {path!r}", "files", path)
            if path in files and file is not None:
                continue
            inside = {other for other in files if other.startswith(f"{path}/")}
            files -= {path, *inside}
            if file is not None:
                self.asks_git = self.asks_git or bool(inside) or any(above in files for above in _above(path))
                files.add(path)
        return frozenset(files)

    def _fault(self, place: int, text: str, *keys: str | int, near: str | None = None) -> None:
        self.faults.append(InvalidCommit(place, text, keys, near))


def _above(path: str) -> Iterable[str]:
    parts = path.split("/")
    return ("/".join(parts[:count]) for count in range(1, len(parts)))


def _in_the_way(name: str, others: Iterable[str]) -> bool:
    return any(name.startswith(f"{other}/") or other.startswith(f"{name}/") for other in others)


def _is_name(name: str, *, tag: bool) -> bool:
    if _NAME.fullmatch(name) and ".lock" not in name and name != "HEAD":
        return True
    from fakeplat.git.errors import BadName
    from fakeplat.git.name_checks import check_branch, check_tag

    try:
        (check_tag if tag else check_branch)(name)
    except BadName:
        return False
    return True


def _is_path(path: str) -> bool:
    if all(_PART.fullmatch(part) and not part.lower().startswith((".git.", ".git ")) for part in path.split("/")):
        return not re.search(r"(^|/)\.git(/|$)", path.lower())
    from fakeplat.git.errors import BadPath
    from fakeplat.git.name_checks import normalize_path

    try:
        return normalize_path(path) == path
    except BadPath:
        return False
