"""What is said of things, by people or by the platform itself."""

from typing import Final, Literal

from fakeplat.core.store.frozen import frozen

NoteType = Literal["DiscussionNote", "DiffNote", "LegacyDiffNote"]
RESOLVABLE: Final = ("merge_request",)
"""Kinds of things whose threads can be settled."""
_IN_THREADS: Final = ("DiscussionNote", "DiffNote")


@frozen
class Line:
    """A line of a file in a commit's diff: its number in the new file, or (``line_type`` old) in the one before."""

    path: str
    line: int
    line_type: Literal["new", "old"]


@frozen
class LineEnd:
    """Where a range of lines begins or ends, as a client said it. ``given``: the names of the fields that were sent."""

    line_code: str | None = None
    type: str | None = None
    old_line: int | None = None
    new_line: int | None = None
    given: tuple[str, ...] = ()


@frozen
class LineRange:
    """The lines from one to another."""

    start: LineEnd | None = None
    end: LineEnd | None = None


@frozen
class Position:
    """A place in the difference between commits: a line of a file, or a point (in pixels) of a picture.

    An added line has a ``new_line``, a removed one an ``old_line``, one that did not change has both.
    """

    base_sha: str
    start_sha: str
    head_sha: str
    old_path: str | None = None
    new_path: str | None = None
    position_type: Literal["text", "image"] = "text"
    old_line: int | None = None
    new_line: int | None = None
    line_range: LineRange | None = None
    width: int | None = None
    height: int | None = None
    x: int | None = None
    y: int | None = None

    @property
    def path(self) -> str:
        """The file's path as it is now, else as it was; empty where none is said."""
        return self.new_path or self.old_path or ""

    @property
    def line_type(self) -> Literal["new", "old"] | None:
        """Whether its line was added or removed; None for one that did not change, and for a picture."""
        if (self.old_line is None) == (self.new_line is None):
            return None
        return "new" if self.old_line is None else "old"


@frozen
class Note:
    """A note. ``system``: the platform wrote it of something that ``author_id`` did.

    ``subject`` is (kind, id), and of a commit ("commit", project's id, hash). Notes of a thread have one
    ``discussion_id`` (40 hex digits) and a ``type``; a note without a type stands alone. Of a DiffNote ``position`` is
    what it is about, of a LegacyDiffNote ``line``; ``line_code`` names that line in its file. ``source`` is what
    mentions the subject, where the note tells just that.
    """

    id: int
    subject: tuple[str, int] | tuple[str, int, str]
    author_id: int
    body: str
    created_at: str
    updated_at: str
    system: bool = False
    line: Line | None = None
    discussion_id: str = ""
    type: NoteType | None = None
    confidential: bool = False
    resolved_at: str | None = None
    resolved_by_id: int | None = None
    source: tuple[str, int] | tuple[str, int, str] | None = None
    position: Position | None = None
    line_code: str | None = None

    @property
    def is_resolvable(self) -> bool:
        """Whether it is part of a thread that can be settled."""
        return self.subject[0] in RESOLVABLE and self.type in _IN_THREADS and not self.system

    @property
    def is_waiting(self) -> bool:
        """Whether it waits to be settled."""
        return self.is_resolvable and self.resolved_at is None
