"""What is said of things, by people or by the platform itself."""

from typing import Literal

from attrs import frozen

NoteType = Literal["DiscussionNote", "DiffNote"]


@frozen
class Line:
    """A line of a file in a commit's diff: its number in the new file, or (``line_type`` old) in the one before."""

    path: str
    line: int
    line_type: Literal["new", "old"]


@frozen
class Note:
    """A note. ``system``: the platform wrote it of something that ``author_id`` did.

    ``subject`` is (kind, id), and of a commit ("commit", project's id, hash); then ``line`` is what it is about, if it
    is about a line. Notes of a thread have one ``discussion_id`` (40 hex digits) and a ``type``; a note without a type
    stands alone. ``source`` is what mentions the subject, where the note tells just that.
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
    source: tuple[str, int] | None = None
