"""Positions in diffs: whether the line exists, its line code, and where it is in a later diff.

A comment can be on any line that the diff shows, and on an unchanged line of a changed file. A line code is
``<digest of the path>_<old line>_<new line>``.
"""

import re
from collections.abc import Iterator, Sequence
from hashlib import sha1
from typing import TYPE_CHECKING, Final, NamedTuple

from attrs import evolve

from fakeplat.core.operations.errors import BadRequest, inspect_errors
from fakeplat.domain.repository import repositories
from fakeplat.domain.repository.commits import ProjectCommit
from fakeplat.domain.reviews import diff_versions
from fakeplat.domain.validation import BLANK, ValidationErrors
from fakeplat.model.merge_requests import DiffRefs, MergeRequest
from fakeplat.model.notes import Position
from fakeplat.model.repository import ZERO_SHA
from fakeplat.model.world import World

if TYPE_CHECKING:
    from fakeplat.git.diffs import FileDiff
    from fakeplat.git.objects import Objects
    from fakeplat.git.repository import Repository as Git

NO_LINE: Final = "must be a valid line code"
INCOMPLETE: Final = "is incomplete"
OTHER_COMMIT: Final = "does not match the diff refs"
# Accepts "@@ -1,4 +1,5 @@" and "@@ -1 +1 @@", the short form for a single line.
_HUNK: Final = re.compile(rb"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")


class Row(NamedTuple):
    """A line of a unified diff: added (+), removed (-) or unchanged.

    On the side where it does not exist, its number is that of the next line.
    """

    sign: str
    old: int
    new: int

    @property
    def old_line(self) -> int | None:
        """The line number in the old file."""
        return None if self.sign == "+" else self.old

    @property
    def new_line(self) -> int | None:
        """The line number in the new file."""
        return None if self.sign == "-" else self.new


def parse_rows(body: bytes) -> Iterator[Row]:
    """Yield the lines of a unified diff without its hunk headers."""
    old = new = 0
    for text in body.split(b"\n"):
        sign = text[:1].decode(errors="replace")
        if hunk := _HUNK.match(text):
            old, new = int(hunk[1]), int(hunk[2])
        # Other first characters are skipped, such as that of "\ No newline at end of file".
        elif sign and sign in "+- ":
            yield Row(sign.strip(), old, new)
            # A line advances the numbers of the sides on which it exists.
            old, new = old + (sign != "+"), new + (sign != "-")


def line_code(path: str, old: int, new: int) -> str:
    """Return the line code of a line of a file."""
    # git paths are bytes; surrogateescape restores those that are not valid UTF-8.
    return f"{sha1(path.encode(errors='surrogateescape'), usedforsecurity=False).hexdigest()}_{old}_{new}"


def refs_of(position: Position) -> DiffRefs:
    """Return the commits of the diff that a position belongs to."""
    return DiffRefs(position.base_sha, position.start_sha, position.head_sha)


def check_position(world: World, record: MergeRequest | ProjectCommit, position: Position) -> str | None:
    """Return the line code of a position in the diff of a record, None for an image; 400 if it does not exist."""
    errors, code = ValidationErrors(), _find_code(world, record, position)
    if isinstance(record, ProjectCommit):
        errors.when(refs_of(position) != commit_refs(record), "commit_id", OTHER_COMMIT)
    if position.position_type == "text" and code is None:
        # The platform validates presence and format separately, so both texts appear.
        errors.add("line_code", BLANK)
        errors.add("line_code", NO_LINE)
    is_missing = position.position_type != "text" and _open_objects(world, record, position) is None
    errors.when(is_missing or not _is_complete(position), "position", INCOMPLETE)
    if errors:
        raise BadRequest(
            f"400 Bad request - Note {inspect_errors({field: errors.texts(field) for field in errors})}",
            reason=lambda: (
                f"the diff of {position.path!r} has no line {position.old_line} (old), {position.new_line} (new), "
                "or the position is incomplete"
            ),
        )
    return code


def _is_complete(position: Position) -> bool:
    if not (position.path and position.start_sha and position.head_sha):
        return False
    if position.position_type == "text":
        return position.old_line is not None or position.new_line is not None
    if position.position_type == "file":
        return True
    return None not in (position.x, position.y, position.width, position.height)


def commit_refs(commit: ProjectCommit) -> DiffRefs:
    """Return the commits of the diff between a commit and its first parent."""
    # A root commit has no parent; the null sha stands for the empty tree before it.
    parent = next(iter(commit.commit.parents), ZERO_SHA)
    return DiffRefs(parent, parent, commit.commit.sha)


def _find_code(world: World, record: MergeRequest | ProjectCommit, position: Position) -> str | None:
    if position.position_type != "text" or not _is_complete(position):
        return None
    objects = _open_objects(world, record, position)
    return find_line_code(objects, position) if objects is not None else None


def _open_objects(world: World, record: MergeRequest | ProjectCommit, position: Position) -> "Objects | None":
    """Return the objects of a record's project; None if a commit of the position does not exist."""
    if isinstance(record, ProjectCommit):
        project, own_shas = record.project, {*commit_refs(record)}
    else:
        project, own_shas = world.projects[record.project_id], _list_version_shas(world, record)
    git = repositories.open_repository(world, project)
    # Commits of older versions may be unreachable from any ref, so they are accepted without asking git.
    all_exist = all(sha in own_shas or sha == ZERO_SHA or _is_commit(git, sha) for sha in refs_of(position))
    return git.objects if all_exist else None


def _is_commit(git: "Git", sha: str) -> bool:
    from fakeplat.git.records import Kind

    return git.shows(sha) and git.objects.get(sha).kind is Kind.COMMIT


def _list_version_shas(world: World, merge_request: MergeRequest) -> set[str]:
    """Return the commits of all versions of a merge request."""
    versions = diff_versions.list_versions(world, merge_request)
    all_refs = (diff_versions.refs_of(world, version) for version in versions)
    return {sha for refs in all_refs if refs for sha in refs}


def find_line_code(objects: "Objects", position: Position) -> str | None:
    """Return the line code of a position; None if the diff does not have the line."""
    file = _find_file(objects, position)
    row = _find_row(objects, file, position) if file else None
    return line_code(position.path, row.old, row.new) if row else None


def _find_file(objects: "Objects", position: Position) -> "FileDiff | None":
    paths = [path for path in (position.old_path, position.new_path) if path]
    files = _diff(objects, position.base_sha, position.head_sha, list(dict.fromkeys(paths)))
    return next((file for file in files if position.path in (file.new_path, file.old_path)), None)


def _diff(objects: "Objects", old: str, new: str, paths: Sequence[str]) -> "list[FileDiff]":
    from fakeplat.git.diffs import diff_trees

    before, after = (None if sha == ZERO_SHA else objects.commit(sha).tree for sha in (old, new))
    return diff_trees(objects, before, after, paths=paths)


def _find_row(objects: "Objects", file: "FileDiff", position: Position) -> Row | None:
    """Return the row of a file's diff at a position, including unchanged lines outside the hunks."""
    rows = list(parse_rows(file.body))
    old, new = position.old_line, position.new_line
    matching = next((row for row in rows if (row.old_line, row.new_line) == (old, new)), None)
    # Only unchanged lines have both numbers, and a new, deleted or binary file has none outside its hunks.
    if matching is not None or old is None or new is None or file.binary or file.status in "AD":
        return matching
    # A line between the hunks is not in the diff: its two numbers must agree with the lines added and removed above.
    exists = min(old, new) > 0 and new <= _count_lines(objects, file.new_sha) and map_line(rows, old) == new
    return Row("", old, new) if exists else None


def _count_lines(objects: "Objects", blob: str) -> int:
    content = objects.blob(blob)
    return content.count(b"\n") + (not content.endswith(b"\n") and bool(content))


def map_line(rows: Sequence[Row], old: int) -> int | None:
    """Return the new number of a line of the old file; None if it was removed."""
    # The number of lines added minus the number of lines removed above the line.
    offset = 0
    for row in rows:
        # An added row has the number of the line that follows it, so the line itself is still to come.
        if row.old > old or (row.old == old and row.sign != "+"):
            return old + offset if row.sign != "-" or row.old > old else None
        offset += (row.sign == "+") - (row.sign == "-")
    return old + offset


class TracedPosition(NamedTuple):
    """A position in a later diff, and its line code (None for an image)."""

    position: Position
    line_code: str | None


def trace_position(objects: "Objects", position: Position, refs: DiffRefs) -> TracedPosition | None:
    """Return the position of the same line (or point of an image) in a later diff; None if it changed."""
    moved = evolve(position, base_sha=refs.base, start_sha=refs.start, head_sha=refs.head)
    if position.position_type == "image":
        is_unchanged = not _diff(objects, position.head_sha, refs.head, [position.path])
        return TracedPosition(moved, None) if is_unchanged else None
    new_path, old_path = position.path, position.old_path or position.path
    moved = evolve(
        moved,
        old_line=_trace_line(objects, old_path, position.base_sha, refs.base, position.old_line),
        new_line=_trace_line(objects, new_path, position.head_sha, refs.head, position.new_line),
    )
    # Both sides must survive: a removed or rewritten line has no counterpart.
    is_lost = any(
        (getattr(moved, side) is None) != (getattr(position, side) is None) for side in ("old_line", "new_line")
    )
    code = None if is_lost else find_line_code(objects, moved)
    return TracedPosition(moved, code) if code else None


def _trace_line(objects: "Objects", path: str, before: str, after: str, line: int | None) -> int | None:
    """Return the number of a line of a file in a later commit; None if it was changed."""
    if line is None or before == after:
        return line
    file = next(iter(_diff(objects, before, after, [path])), None)
    # A file that does not appear in the diff is unchanged, so its lines keep their numbers.
    if file is None:
        return line
    return None if file.status == "D" or file.binary else map_line(list(parse_rows(file.body)), line)


TEXT_FIELDS: Final = (
    "base_sha",
    "start_sha",
    "head_sha",
    "old_path",
    "new_path",
    "position_type",
    "old_line",
    "new_line",
    "line_range",
)
"""The fields of a position in a text."""


def serialize_position(position: Position) -> dict[str, object]:
    """Return a position as a JSON object of the API."""
    common: dict[str, object] = {
        "base_sha": position.base_sha,
        "start_sha": position.start_sha,
        "head_sha": position.head_sha,
        "old_path": position.old_path,
        "new_path": position.new_path,
        "position_type": position.position_type,
    }
    if position.position_type == "image":
        return common | {name: getattr(position, name) for name in ("width", "height", "x", "y")}
    if position.position_type == "file":
        return common
    return common | {
        "old_line": position.old_line,
        "new_line": position.new_line,
        "line_range": _serialize_range(position),
    }


def _serialize_range(position: Position) -> dict[str, object] | None:
    """Return the line range with only the fields that were sent, as the platform stores it."""
    if position.line_range is None:
        return None
    ends = {"start": position.line_range.start, "end": position.line_range.end}
    return {side: {name: getattr(end, name) for name in end.given} for side, end in ends.items() if end is not None}
