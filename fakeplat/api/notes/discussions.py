"""Discussions. Source: docs/platform/notes-discussions.md."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Final, Literal

from fakeplat.api.notes.note_responses import created_response, updated_response
from fakeplat.api.notes.noteables import (
    DIFF_SCOPES,
    DISCUSSABLE_SCOPES,
    RESOLVABLE_SCOPES,
    get_editable_note,
)
from fakeplat.api.notes.notes import collect_note_fields
from fakeplat.core.operations.errors import NotFound
from fakeplat.core.operations.http_messages import RawBody
from fakeplat.core.operations.operation import Area, Login, Reading
from fakeplat.core.operations.paging import Paged
from fakeplat.core.operations.scope import Scope, Segment
from fakeplat.core.params.params import MomentOrNothing, NotBlank, Params, exactly_one_of
from fakeplat.core.release import Lifetime
from fakeplat.domain.notes import discussions, note_access, notes, resolution
from fakeplat.domain.notes.discussions import Discussion
from fakeplat.domain.notes.noteables import Noteable
from fakeplat.domain.notes.notes import NoteResult
from fakeplat.domain.purging import purge
from fakeplat.domain.repository.commits import ProjectCommit
from fakeplat.entities.notes.notes import DiscussionView, NoteView
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.notes import LineEnd, LineRange, Note, Position
from fakeplat.model.projects import Project, Routable
from fakeplat.policy.behaviours import (
    INTERNAL_NOTES_ARE_FOR_REPORTERS,
    ISSUE_THREADS_ARE_RESOLVABLE,
    LINE_COMMENTS_NAME_A_COMMIT,
)
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Discussions", login=Login.ALWAYS)


def _get_discussion(ctx: ReadContext, _container: Routable, record: Noteable, id_: str) -> Discussion:
    return discussions.get_discussion(ctx, record, id_)


def _get_note(ctx: ReadContext, _container: Routable, record: Noteable, id_: int) -> Note:
    """Find a note of a record. As on the platform, it need not belong to the discussion in the path."""
    return notes.get_note(ctx, record, id_)


def _get_discussed_notes(ctx: ReadContext, container: Routable, record: Noteable, id_: str) -> Discussion:
    """Find a discussion whose notes are listed: the platform names these in its 404."""
    try:
        return _get_discussion(ctx, container, record, id_)
    except NotFound as refusal:
        raise NotFound("Notes", reason=refusal.why) from None


def _discussed_scope(noteable_scope: Scope) -> Scope:
    notes_of = Segment("discussions/:discussion_id", locate=_get_discussed_notes, word=noteable_scope.word)
    return noteable_scope / notes_of


def _discussion_scope(noteable_scope: Scope) -> Scope:
    return noteable_scope / Segment("discussions/:discussion_id", locate=_get_discussion, word=noteable_scope.word)


def _note_scope(noteable_scope: Scope, locate: Callable[..., Note]) -> Scope:
    # The discussion in the path has no `locate`: the platform does not look it up, only the note.
    note = Segment("notes/:note_id", kind="integer", locate=locate, word=noteable_scope.word)
    return noteable_scope / Segment("discussions/:discussion_id") / note


DISCUSSIONS: Final = tuple(map(_discussion_scope, DISCUSSABLE_SCOPES))
NOTES: Final = tuple(_note_scope(scope, _get_note) for scope in DISCUSSABLE_SCOPES)
EDITABLE_NOTES: Final = tuple(_note_scope(scope, get_editable_note) for scope in DISCUSSABLE_SCOPES)


@area.operation(
    "GET",
    "discussions",
    name="list_{scope}_discussions",
    scope=DISCUSSABLE_SCOPES,
    params=Paged,
    view=DiscussionView,
    many=True,
)
def list_discussions(ctx: ReadContext, _container: Routable, record: Noteable) -> Sequence[Discussion]:
    """List discussions, oldest first."""
    return discussions.list_discussions(ctx, record)


@area.operation(
    "GET",
    "",
    name="get_{scope}_discussion",
    scope=DISCUSSIONS,
    view=DiscussionView,
    # No table has discussions, and no task is about one.
    reading=Reading(advances=lambda _world, _records: ()),
)
def get_discussion(_ctx: ReadContext, _container: Routable, _record: Noteable, discussion: Discussion) -> Discussion:
    """Get a discussion."""
    return discussion


class RangeEnd(Params):
    """The start or end of a range of lines."""

    line_code: str | None = None
    type: str | None = None
    old_line: int | None = None
    new_line: int | None = None


class Lines(Params):
    """A range of lines."""

    start: RangeEnd | None = None
    end: RangeEnd | None = None


class PositionParams(Params):
    """A position in a diff: a line of text or a point of an image."""

    base_sha: str
    start_sha: str
    head_sha: str
    position_type: Annotated[Literal["text", "image", "file"], Lifetime(since="16.4", values=("file",))]
    new_path: str | None = None
    new_line: int | None = None
    old_path: str | None = None
    old_line: int | None = None
    width: int | None = None
    height: int | None = None
    x: int | None = None
    y: int | None = None
    line_range: Lines | None = None


# Threads are internal through GraphQL only; here, earlier releases take the parameters of notes.
_UNTIL: Final = INTERNAL_NOTES_ARE_FOR_REPORTERS.since


class CreateThreadNote(Params):
    """A new note of a thread."""

    body: str
    confidential: Annotated[bool | None, Lifetime(until=_UNTIL)] = None
    internal: Annotated[bool | None, Lifetime(since="15.3", until=_UNTIL)] = None
    created_at: MomentOrNothing | None = None


class CreateDiscussion(CreateThreadNote):
    """A new discussion, optionally on a line; of a merge request also the commit that has the line."""

    position: PositionParams | None = None
    commit_id: Annotated[str | None, LINE_COMMENTS_NAME_A_COMMIT] = None


def build_position(p: PositionParams | None) -> Position | None:
    """Return the position of a note; None without one."""
    if p is None:
        return None
    fields = p.given()
    if p.line_range is not None:
        fields["line_range"] = LineRange(_build_line_end(p.line_range.start), _build_line_end(p.line_range.end))
    return Position(**fields)


def _build_line_end(p: RangeEnd | None) -> LineEnd | None:
    # Responses show exactly the fields that were sent, so the names of these are stored too.
    return LineEnd(**p.given(), given=tuple(p.given())) if p is not None else None


def discussion_response(ctx: WriteContext, record: Noteable, note_result: NoteResult) -> Any:
    """Return the discussion that was started, or the answer for a text of only quick actions."""
    return (
        created_response(ctx, note_result)
        if note_result.note is None
        else discussions.get_discussion(ctx, record, note_result.note.discussion_id)
    )


@area.operation(
    "POST",
    "discussions",
    name="create_{scope}_discussion",
    # Noteables with a diff take a position too; `create_line_discussion` is their operation.
    scope=tuple(scope for scope in DISCUSSABLE_SCOPES if scope not in DIFF_SCOPES),
    params=CreateThreadNote,
    view=DiscussionView,
    also=(202,),
    refusals=(400, 403, 429),
)
def create_discussion(ctx: WriteContext, _container: Routable, record: Noteable, p: CreateThreadNote) -> Any:
    """Start a discussion."""
    note_access.count_note(ctx)
    note_access.authorize_comment(ctx, record)
    note_result = discussions.start_discussion(ctx, record, p.body, **collect_note_fields(ctx, record, p))
    return discussion_response(ctx, record, note_result)


@area.operation(
    "POST",
    "discussions",
    name="create_{scope}_discussion",
    scope=DIFF_SCOPES,
    params=CreateDiscussion,
    view=DiscussionView,
    also=(202,),
    refusals=(400, 403, 429),
)
def create_line_discussion(
    ctx: WriteContext, project: Project, record: MergeRequest | ProjectCommit, p: CreateDiscussion
) -> Any:
    """Start a discussion, optionally on a line of the difference."""
    position = build_position(p.position)
    if position is None:
        return create_discussion(ctx, project, record, p)
    note_access.count_note(ctx)
    note_access.authorize_comment(ctx, record)
    note_fields = collect_note_fields(ctx, record, p)
    if isinstance(record, MergeRequest) and p.commit_id:
        note_fields["commit_id"] = p.commit_id
    note_result = discussions.start_line_discussion(ctx, record, p.body, position, **note_fields)
    return discussion_response(ctx, record, note_result)


class ResolveDiscussion(Params):
    """Whether the discussion is resolved."""

    resolved: bool


@area.operation(
    "PUT",
    "",
    name="resolve_{scope}_discussion",
    scope=tuple(map(_discussion_scope, RESOLVABLE_SCOPES)),
    since=("", ISSUE_THREADS_ARE_RESOLVABLE.since),
    params=ResolveDiscussion,
    view=DiscussionView,
    refusals=(403,),
)
def resolve_discussion(
    ctx: WriteContext, _container: Routable, record: Noteable, discussion: Discussion, p: ResolveDiscussion
) -> Discussion:
    """Resolve or reopen a discussion."""
    return discussions.resolve_discussion(ctx, record, discussion, resolved=p.resolved)


@area.operation(
    "GET",
    "notes",
    name="list_{scope}_discussion_notes",
    scope=tuple(map(_discussed_scope, DISCUSSABLE_SCOPES)),
    view=NoteView,
    many=True,
    paging=None,
)
def list_discussion_notes(
    _ctx: ReadContext, _container: Routable, _record: Noteable, discussion: Discussion
) -> Sequence[Note]:
    """List the notes of a discussion, oldest first."""
    return discussion.notes


@area.operation(
    "POST",
    "notes",
    name="create_{scope}_discussion_note",
    scope=DISCUSSIONS,
    params=CreateThreadNote,
    view=NoteView,
    also=(202,),
    refusals=(400, 403, 429),
)
def create_discussion_note(
    ctx: WriteContext, _container: Routable, record: Noteable, discussion: Discussion, p: CreateThreadNote
) -> Any:
    """Reply in a discussion."""
    note_access.count_note(ctx)
    note_access.authorize_comment(ctx, record)
    return created_response(
        ctx, discussions.reply_to(ctx, record, discussion, p.body, **collect_note_fields(ctx, record, p))
    )


@area.operation("GET", "", name="get_{scope}_discussion_note", scope=NOTES, view=NoteView)
def get_discussion_note(_ctx: ReadContext, _container: Routable, _record: Noteable, note: Note) -> Note:
    """Get a note of a discussion."""
    return note


class UpdateDiscussionNote(Params):
    """A change of a note in a discussion."""

    body: Annotated[str | None, NotBlank] = None
    resolved: bool | None = None

    rules = (exactly_one_of("body", "resolved"),)


@area.operation(
    "PUT",
    "",
    name="update_{scope}_discussion_note",
    scope=EDITABLE_NOTES,
    params=UpdateDiscussionNote,
    view=NoteView,
    also=(202,),
    refusals=(400, 403, 429),
)
def update_discussion_note(
    ctx: WriteContext, _container: Routable, record: Noteable, note: Note, p: UpdateDiscussionNote
) -> Note | RawBody:
    """Update a note of a discussion."""
    # Resolving has permissions of its own, which the function checks; the right to edit the note is not needed.
    if p.resolved is not None:
        return resolution.set_note_resolved(ctx, record, note, resolved=p.resolved)
    note_access.authorize_change(ctx, record, note)
    response: Note | RawBody = updated_response(ctx, notes.update_note(ctx, record, note, body=p.body))
    return response


@area.operation("DELETE", "", name="delete_{scope}_discussion_note", scope=EDITABLE_NOTES, refusals=(403, 412))
def delete_discussion_note(ctx: WriteContext, _container: Routable, record: Noteable, note: Note) -> None:
    """Delete a note of a discussion."""
    note_access.authorize_change(ctx, record, note)
    purge(ctx, note)
