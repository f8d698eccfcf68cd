"""Places in differences: whether a line is there, how it is named, and where it is in a later difference.

A line can be commented if the difference shows it, and also where it did not change but the file did. The name of a
line (its code) is the digest of the path, the number before and the number now.
"""

import re
from collections.abc import Iterator, Sequence
from hashlib import sha1
from typing import TYPE_CHECKING, Final, NamedTuple

from attrs import evolve

from fakeplat.core.operations.errors import BadRequest
from fakeplat.domain.merge_requests import diff_versions
from fakeplat.domain.repository import repositories
from fakeplat.domain.repository.commits import ProjectCommit
from fakeplat.domain.repository.repositories import ZERO
from fakeplat.domain.validation import BLANK, ValidationErrors, ruby_inspect
from fakeplat.model.merge_requests import DiffRefs, MergeRequest
from fakeplat.model.notes import Position
from fakeplat.model.world import World

if TYPE_CHECKING:
    from fakeplat.git.diffs import FileDiff
    from fakeplat.git.objects import Objects
    from fakeplat.git.repository import Repository as Git

NO_LINE: Final = "must be a valid line code"
INCOMPLETE: Final = "is incomplete"
OTHER_COMMIT: Final = "does not match the diff refs"
_HUNK: Final = re.compile(rb"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")


class Row(NamedTuple):
    """A line of a unified difference: added (+), removed (-) or neither; of a number that it has not, the next one."""

    sign: str
    old: int
    new: int

    @property
    def old_line(self) -> int | None:
        """Its number before."""
        return None if self.sign == "+" else self.old

    @property
    def new_line(self) -> int | None:
        """Its number now."""
        return None if self.sign == "-" else self.new


def parse_rows(body: bytes) -> Iterator[Row]:
    """The lines of a unified difference, the headings of its parts left out."""
    old = new = 0
    for text in body.split(b"\n"):
        sign = text[:1].decode(errors="replace")
        if hunk := _HUNK.match(text):
            old, new = int(hunk[1]), int(hunk[2])
        elif sign and sign in "+- ":
            yield Row(sign.strip(), old, new)
            old, new = old + (sign != "+"), new + (sign != "-")


def line_code(path: str, old: int, new: int) -> str:
    """The name of a line of a file."""
    return f"{sha1(path.encode(errors='surrogateescape'), usedforsecurity=False).hexdigest()}_{old}_{new}"


def refs_of(position: Position) -> DiffRefs:
    """The commits whose difference a place is in."""
    return DiffRefs(position.base_sha, position.start_sha, position.head_sha)


def check_position(world: World, record: MergeRequest | ProjectCommit, position: Position) -> str | None:
    """The code of the line at a place in the difference of a record, None for a picture; 400 for no such place."""
    faults, code = ValidationErrors(), _code(world, record, position)
    if isinstance(record, ProjectCommit):
        faults.when(refs_of(position) != commit_refs(record), "commit_id", OTHER_COMMIT)
    if position.position_type == "text" and code is None:
        faults.add("line_code", BLANK)
        faults.add("line_code", NO_LINE)
    lost = position.position_type == "image" and _objects(world, record, position) is None
    faults.when(lost or not _is_complete(position), "position", INCOMPLETE)
    if faults:
        raise BadRequest(
            f"400 Bad request - Note {ruby_inspect({field: faults.texts(field) for field in faults})}",
            reason=lambda: f"no line {position.old_line} (old), {position.new_line} (new) of {position.path!r} there",
        )
    return code


def _is_complete(position: Position) -> bool:
    if not (position.path and position.start_sha and position.head_sha):
        return False
    if position.position_type == "text":
        return position.old_line is not None or position.new_line is not None
    return None not in (position.x, position.y, position.width, position.height)


def commit_refs(commit: ProjectCommit) -> DiffRefs:
    """The commits of a commit's own difference."""
    parent = next(iter(commit.commit.parents), ZERO)
    return DiffRefs(parent, parent, commit.commit.sha)


def _code(world: World, record: MergeRequest | ProjectCommit, position: Position) -> str | None:
    if position.position_type != "text" or not _is_complete(position):
        return None
    objects = _objects(world, record, position)
    return code_in(objects, position) if objects is not None else None


def _objects(world: World, record: MergeRequest | ProjectCommit, position: Position) -> "Objects | None":
    """The objects of a record's project, if the commits of a place are there."""
    if isinstance(record, ProjectCommit):
        project, own = record.project, {*commit_refs(record)}
    else:
        project, own = world.projects[record.project_id], _own(world, record)
    git = repositories.open_repository(world, project)
    known = all(sha in own or sha == ZERO or _is_commit(git, sha) for sha in refs_of(position))
    return git.objects if known else None


def _is_commit(git: "Git", sha: str) -> bool:
    from fakeplat.git.records import Kind

    return git.shows(sha) and git.objects.get(sha).kind is Kind.COMMIT


def _own(world: World, merge_request: MergeRequest) -> set[str]:
    """The commits of all versions of a merge request."""
    found = (diff_versions.refs_of(world, version) for version in diff_versions.list_versions(world, merge_request))
    return {sha for refs in found if refs for sha in refs}


def code_in(objects: "Objects", position: Position) -> str | None:
    """The code of the line at a place; None where there is none."""
    file = _file(objects, position)
    row = _row(objects, file, position) if file else None
    return line_code(position.path, row.old, row.new) if row else None


def _file(objects: "Objects", position: Position) -> "FileDiff | None":
    paths = [path for path in (position.old_path, position.new_path) if path]
    found = _between(objects, position.base_sha, position.head_sha, list(dict.fromkeys(paths)))
    return next((file for file in found if position.path in (file.new_path, file.old_path)), None)


def _between(objects: "Objects", old: str, new: str, paths: Sequence[str]) -> "list[FileDiff]":
    from fakeplat.git.diffs import diff_trees

    before, after = (None if sha == ZERO else objects.commit(sha).tree for sha in (old, new))
    return diff_trees(objects, before, after, paths=paths)


def _row(objects: "Objects", file: "FileDiff", position: Position) -> Row | None:
    """The row of a file's difference at a place, also one that did not change and is not shown."""
    shown = list(parse_rows(file.body))
    wanted = (position.old_line, position.new_line)
    found = next((row for row in shown if (row.old_line, row.new_line) == wanted), None)
    old, new = wanted
    if found is not None or old is None or new is None or file.binary or file.status in "AD":
        return found
    is_there = min(old, new) > 0 and new <= _length(objects, file.new_sha) and now_at(shown, old) == new
    return Row("", old, new) if is_there else None


def _length(objects: "Objects", blob: str) -> int:
    content = objects.blob(blob)
    return content.count(b"\n") + (not content.endswith(b"\n") and bool(content))


def now_at(shown: Sequence[Row], old: int) -> int | None:
    """Which number a line of the file before has now; None for one that was removed."""
    moved = 0
    for row in shown:
        if row.old > old or (row.old == old and row.sign != "+"):
            return old + moved if row.sign != "-" or row.old > old else None
        moved += (row.sign == "+") - (row.sign == "-")
    return old + moved


class TracedPosition(NamedTuple):
    """A place in a later difference, and the code of its line."""

    position: Position
    line_code: str | None


def trace_position(objects: "Objects", position: Position, refs: DiffRefs) -> TracedPosition | None:
    """The same line (of a picture: the same point) in a later difference; None where that changed."""
    moved = evolve(position, base_sha=refs.base, start_sha=refs.start, head_sha=refs.head)
    if position.position_type == "image":
        same = not _between(objects, position.head_sha, refs.head, [position.path])
        return TracedPosition(moved, None) if same else None
    new_path, old_path = position.path, position.old_path or position.path
    moved = evolve(
        moved,
        old_line=_followed(objects, old_path, position.base_sha, refs.base, position.old_line),
        new_line=_followed(objects, new_path, position.head_sha, refs.head, position.new_line),
    )
    lost = any((getattr(moved, side) is None) != (getattr(position, side) is None) for side in ("old_line", "new_line"))
    code = None if lost else code_in(objects, moved)
    return TracedPosition(moved, code) if code else None


def _followed(objects: "Objects", path: str, before: str, after: str, line: int | None) -> int | None:
    """Which number a line of a file has in a later commit; None where it was changed."""
    if line is None or before == after:
        return line
    found = next(iter(_between(objects, before, after, [path])), None)
    if found is None:
        return line
    return None if found.status == "D" or found.binary else now_at(list(parse_rows(found.body)), line)


def serialize_position(position: Position) -> dict[str, object]:
    """A place as answers show it."""
    common = {
        "base_sha": position.base_sha,
        "start_sha": position.start_sha,
        "head_sha": position.head_sha,
        "old_path": position.old_path,
        "new_path": position.new_path,
        "position_type": position.position_type,
    }
    if position.position_type == "image":
        return common | {name: getattr(position, name) for name in ("width", "height", "x", "y")}
    return common | {"old_line": position.old_line, "new_line": position.new_line, "line_range": _range(position)}


def _range(position: Position) -> dict[str, object] | None:
    """Return the range of lines with just the fields that were sent, which is how the platform keeps it."""
    if position.line_range is None:
        return None
    ends = {"start": position.line_range.start, "end": position.line_range.end}
    return {word: {name: getattr(end, name) for name in end.given} for word, end in ends.items() if end is not None}
