"""Diffs of merge requests and commits, line by line."""

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from fakeplat.core.store.frozen import frozen
from fakeplat.domain.repository import diffs, repositories
from fakeplat.domain.repository.commits import ProjectCommit
from fakeplat.domain.repository.diffs import DiffOfFile
from fakeplat.domain.reviews import diff_versions
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.workbench.inspection import WorldView

_HUNK: Final = re.compile(r"@@ -([0-9]+)(?:,[0-9]+)? \+([0-9]+)")
_KINDS: Final = {"+": "added", "-": "removed", "@": "hunk", "\\": "hunk"}


class Line(NamedTuple):
    """A line of a diff: what happened to it, its numbers before and after (empty where it is absent), its text."""

    kind: str
    old: str
    new: str
    text: str


@frozen
class FileChange:
    """The change of one file. Without lines, the diff is too large to be shown, or the file is binary."""

    path: str
    old_path: str
    word: str
    lines: Sequence[Line]

    @property
    def added(self) -> int:
        """The number of added lines."""
        return sum(line.kind == "added" for line in self.lines)

    @property
    def removed(self) -> int:
        """The number of removed lines."""
        return sum(line.kind == "removed" for line in self.lines)


def list_files(view: WorldView, record: object) -> list[FileChange]:
    """Return the changed files of a merge request or commit; none for other records."""
    return describe_files(_list_diffs(view, record))


def describe_files(files: Sequence[DiffOfFile]) -> list[FileChange]:
    """Return what pages show of diffs."""
    return [_describe(file) for file in files]


def _list_diffs(view: WorldView, record: object) -> Sequence[DiffOfFile]:
    world = view.world
    if isinstance(record, MergeRequest):
        return diff_versions.list_diffs(world, record, diff_versions.latest_refs(world, record))
    if isinstance(record, ProjectCommit):
        git = repositories.open_repository(world, record.project)
        return diffs.limit_diffs(world, git.commit_diff(record.commit.sha))
    return ()


def _describe(file: DiffOfFile) -> FileChange:
    words = {"added": file.new_file, "deleted": file.deleted_file, "renamed": file.renamed_file}
    word = next((word for word, applies in words.items() if applies), "changed")
    return FileChange(file.new_path, file.old_path, word, list(_number_lines(file.text)))


def _number_lines(text: str) -> Iterator[Line]:
    old = new = 0
    # Only line feeds end a line of a diff; splitlines() would also split at other characters of the file.
    for line in text.removesuffix("\n").split("\n") if text else ():
        kind = _KINDS.get(line[:1], "kept")
        hunk = _HUNK.match(line) if kind == "hunk" else None
        if hunk:
            old, new = int(hunk[1]), int(hunk[2])
        if not old + new and kind == "kept":
            kind = "hunk"  # what is said of a binary file has no number
        is_old, is_new = kind in ("removed", "kept"), kind in ("added", "kept")
        yield Line(kind, str(old) if is_old else "", str(new) if is_new else "", line)
        old, new = old + is_old, new + is_new
