"""Notes, suggestions, to-dos."""

from typing import Any, Final, Literal, TypedDict

from fakeplat.core.store.frozen import frozen
from fakeplat.core.store.records import fast_init

NoteType = Literal["DiscussionNote", "DiffNote", "LegacyDiffNote"]
RESOLVABLE: Final = ("merge_request", "issue")
"""Kinds of noteables whose threads can be resolved in some release; see `resolution.is_resolvable`."""
_IN_THREADS: Final = ("DiscussionNote", "DiffNote")


@frozen
class Line:
    """A line of a file in a commit's diff: its number in the new file (or in the old one, if ``line_type`` is old)."""

    path: str
    line: int
    line_type: Literal["new", "old"]


@frozen
class LineEnd:
    """The start or end of a range of lines, as sent by a client. ``given``: the names of the fields that were sent."""

    line_code: str | None = None
    type: str | None = None
    old_line: int | None = None
    new_line: int | None = None
    given: tuple[str, ...] = ()


@frozen
class LineRange:
    """A range of lines."""

    start: LineEnd | None = None
    end: LineEnd | None = None


@frozen
class Position:
    """A position in a diff: a line of a file, a point (in pixels) of an image, or a whole file.

    An added line has a ``new_line``, a removed line an ``old_line``, and an unchanged line has both.
    """

    base_sha: str
    start_sha: str
    head_sha: str
    old_path: str | None = None
    new_path: str | None = None
    position_type: Literal["text", "image", "file"] = "text"
    old_line: int | None = None
    new_line: int | None = None
    line_range: LineRange | None = None
    width: int | None = None
    height: int | None = None
    x: int | None = None
    y: int | None = None

    @property
    def path(self) -> str:
        """The file's new path, or else its old one; empty if there is neither."""
        return self.new_path or self.old_path or ""

    @property
    def line_type(self) -> Literal["new", "old"] | None:
        """Whether the line was added or removed; None for an unchanged line, and for an image."""
        if (self.old_line is None) == (self.new_line is None):
            return None
        return "new" if self.old_line is None else "old"


@fast_init
@frozen
class Note:
    """A note. ``system``: the platform wrote it about an action of ``author_id``.

    ``subject`` is (kind, id), or for a commit ("commit", project's id, hash). Notes of a thread share a
    ``discussion_id`` (40 hex digits) and have a ``type``; a note without a type is not part of a thread. ``position``
    is the location of a DiffNote, ``line`` that of a LegacyDiffNote; ``line_code`` identifies that line in its file.
    ``source`` is the origin of a mention, for system notes that report one. ``commit_id`` is the commit on which the
    line of a merge request was commented.
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
    commit_id: str | None = None

    @property
    def is_resolvable(self) -> bool:
        """Whether the note is part of a thread that can be resolved, in releases that resolve those of its kind."""
        return self.subject[0] in RESOLVABLE and self.type in _IN_THREADS and not self.system

    @property
    def is_waiting(self) -> bool:
        """Whether the note can be resolved, and is not resolved yet."""
        return self.is_resolvable and self.resolved_at is None


class NoteOptions(TypedDict, total=False):
    """What its author can set of a note besides its text."""

    created_at: str
    confidential: bool
    commit_id: str | None


class NoteFields(NoteOptions, total=False):
    """The fields of a note besides what it is about, its author and its text."""

    updated_at: str
    system: bool
    line: Line | None
    discussion_id: str
    type: NoteType | None
    resolved_at: str | None
    resolved_by_id: int | None
    source: tuple[str, int] | tuple[str, int, str] | None
    position: Position | None
    line_code: str | None


class NoteChanges(TypedDict, total=False):
    """The changes of a note; None changes nothing."""

    body: str | None
    confidential: bool | None


@frozen
class DraftNote:
    """A comment on a merge request that only its author sees until it is published.

    ``discussion_id`` is the thread that it replies to, and ``resolve_discussion`` says whether publishing it resolves
    that. ``commit_id`` is the commit that it is about.
    """

    id: int
    merge_request_id: int
    author_id: int
    note: str
    created_at: str
    updated_at: str
    discussion_id: str | None = None
    resolve_discussion: bool = False
    commit_id: str | None = None
    position: Position | None = None
    line_code: str | None = None


@frozen
class Suggestion:
    """New content for the line of a note's position, with ``lines_above`` before it and ``lines_below`` after it.

    Contents are complete lines with their line ends. ``commit_id`` is the commit that applied the suggestion.
    """

    id: int
    note_id: int
    from_content: str
    to_content: str
    lines_above: int = 0
    lines_below: int = 0
    applied: bool = False
    commit_id: str | None = None


Action = Literal[
    "assigned",
    "mentioned",
    "build_failed",
    "marked",
    "approval_required",
    "unmergeable",
    "directly_addressed",
    "review_requested",
    "review_submitted",
    "merge_train_removed",
    "member_access_requested",
]
TodoState = Literal["pending", "done"]


@frozen
class Todo:
    """A to-do item of ``user_id``. ``subject`` is (kind, id); ``note_id`` is the note that caused it, if any.

    Those about epics have a group instead of a project; those about access to a project have its group, too. Until
    ``snoozed_until`` lists do not show it.
    """

    id: int
    user_id: int
    author_id: int
    project_id: int | None
    subject: tuple[Any, ...]
    action: Action
    created_at: str
    updated_at: str
    note_id: int | None = None
    state: TodoState = "pending"
    group_id: int | None = None
    snoozed_until: str | None = None
