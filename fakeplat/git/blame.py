"""The last commit of each line, as `git blame`."""

import re
from typing import NamedTuple

from fakeplat.git.errors import UnknownPath
from fakeplat.git.objects import Objects
from fakeplat.git.records import FOLDER, SUBMODULE
from fakeplat.git.trees import find_entry


class BlameRange(NamedTuple):
    """Consecutive lines (with their line feeds) last changed by one commit."""

    commit: str
    lines: tuple[bytes, ...]


def blame(objects: Objects, commit: str, path: str) -> list[BlameRange]:
    """Return the ranges of lines of a file in a commit, in order; UnknownPath if there is no such file."""
    import pygit2

    from fakeplat.git.libgit import libgit_repository

    entry = find_entry(objects, objects.commit(commit).tree, path)
    if entry is None or entry.mode in {FOLDER, SUBMODULE}:
        raise UnknownPath(path)
    # Only a line feed ends a line for git; bytes.splitlines() would also split at a carriage return.
    lines = re.findall(rb"[^\n]*\n|[^\n]+", objects.blob(entry.sha))
    if not lines:
        return []
    raw_path = path.encode(errors="surrogateescape")
    return [
        BlameRange(str(hunk.final_commit_id), tuple(lines[first : first + hunk.lines_in_hunk]))
        for hunk in libgit_repository(objects).blame(raw_path, newest_commit=pygit2.Oid(hex=commit))  # type: ignore[arg-type]  # bytes are accepted
        if (first := hunk.final_start_line_number - 1) >= 0
    ]
