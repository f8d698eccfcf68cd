"""Draft notes: comments of a review, which are published together. Source: docs/platform/notes-discussions.md."""

import re
from collections.abc import Sequence
from typing import Final, TypedDict, Unpack

from fakeplat.core.operations.errors import BadRequest, Forbidden, RecordNotFound
from fakeplat.domain import signals
from fakeplat.domain.merge_requests import reviewers
from fakeplat.domain.notes import discussions, noteables, notes, resolution, todos
from fakeplat.domain.notes.discussions import Discussion
from fakeplat.domain.purging import purge
from fakeplat.domain.validation import BLANK, ValidationErrors
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.notes import DraftNote, Note, NoteFields, Position
from fakeplat.model.people import User
from fakeplat.model.world import World
from fakeplat.policy.authorization import caller_name
from fakeplat.policy.behaviours import DRAFTS_BECOME_THREADS, REVIEWS_ARE_TODOS
from fakeplat.policy.context import ReadContext, WriteContext

NO_THREAD: Final = "Thread to reply to cannot be found"
NO_REPLY: Final = "Replies to system notes are not allowed"
NOT_RESOLVABLE: Final = "User is not allowed to resolve thread"
TAKEN: Final = "has already been taken"
_SHA: Final = re.compile(r"[0-9a-f]{7,64}")


class DraftNoteParams(TypedDict, total=False):
    """What the author can set of a new draft besides its text."""

    in_reply_to_discussion_id: str | None
    resolve_discussion: bool
    commit_id: str | None
    position: Position | None


def list_own(ctx: ReadContext, merge_request: MergeRequest) -> list[DraftNote]:
    """Return the drafts of the caller on a merge request, oldest first."""
    user = ctx.viewer
    return [] if user is None else list(ctx.world.draft_notes.where("own", (merge_request.id, user.id)))


def get_own(ctx: ReadContext, merge_request: MergeRequest, id_: int) -> DraftNote:
    """Return a draft of the caller; 404 for one of somebody else."""
    draft = next((draft for draft in list_own(ctx, merge_request) if draft.id == id_), None)
    if draft is None:
        raise RecordNotFound(reason=lambda: f"{caller_name(ctx)} has no draft {id_} on !{merge_request.iid}")
    return draft


def create(ctx: WriteContext, merge_request: MergeRequest, note: str, **params: Unpack[DraftNoteParams]) -> DraftNote:
    """Write a draft as the caller. The first one begins a review; 400 if it is invalid."""
    author, is_first = ctx.signed_in_user, not list_own(ctx, merge_request)
    discussion = _find_thread(ctx, merge_request, params.get("in_reply_to_discussion_id"))
    if params.get("resolve_discussion") and not _can_resolve(ctx, merge_request, discussion):
        raise _refuse(NOT_RESOLVABLE)
    commit_id, discussion_id = params.get("commit_id"), discussion.id if discussion else None
    errors = ValidationErrors()
    errors.when(not note.strip(), "note", BLANK)
    errors.when(commit_id is not None and _SHA.fullmatch(commit_id) is None, "commit_id", "is invalid")
    has_reply = any(draft.discussion_id == discussion_id for draft in list_own(ctx, merge_request))
    errors.when(discussion_id is not None and has_reply, "author_id", TAKEN)
    errors.refuse()
    position = params.get("position")
    draft = insert(
        ctx,
        merge_request,
        author,
        note,
        discussion_id=discussion_id,
        resolve_discussion=bool(params.get("resolve_discussion")),
        commit_id=commit_id,
        position=position,
        line_code=_find_line_code(ctx, merge_request, position),
    )
    if is_first:
        reviewers.start_review(ctx, merge_request, author)
    return draft


class DraftNoteFields(TypedDict, total=False):
    """Fields of a draft, none of them required."""

    created_at: str
    updated_at: str
    discussion_id: str | None
    resolve_discussion: bool
    commit_id: str | None
    position: Position | None
    line_code: str | None


def insert(
    ctx: WriteContext, merge_request: MergeRequest, author: User, note: str, **fields: Unpack[DraftNoteFields]
) -> DraftNote:
    """Insert a draft, without any check."""
    table, now = ctx.world.draft_notes, ctx.now_iso
    fields.setdefault("updated_at", fields.setdefault("created_at", now))
    return table.add(DraftNote(table.next_id(), merge_request.id, author.id, note, **fields))


def _find_thread(ctx: ReadContext, merge_request: MergeRequest, id_: str | None) -> Discussion | None:
    if not id_:
        return None
    discussion = discussions.find_discussion(ctx, merge_request, id_)
    if discussion is None:
        raise _refuse(NO_THREAD)
    if discussion.notes[0].system:
        raise _refuse(NO_REPLY)
    return discussion


def _can_resolve(ctx: ReadContext, merge_request: MergeRequest, discussion: Discussion | None) -> bool:
    if discussion is None or not any(note.is_resolvable for note in discussion.notes):
        return False
    return resolution.can_resolve(ctx, merge_request).allowed


def _refuse(text: str) -> BadRequest:
    return BadRequest({"base": [text]})


def _find_line_code(ctx: ReadContext, merge_request: MergeRequest, position: Position | None) -> str | None:
    return discussions.place_on_line(ctx, merge_request, position)["line_code"] if position else None


def update(
    ctx: WriteContext, merge_request: MergeRequest, draft: DraftNote, note: str, position: Position | None
) -> DraftNote:
    """Replace the text and the position of a draft; without a position it has none any more."""
    code = _find_line_code(ctx, merge_request, position)
    return ctx.world.draft_notes.change(draft, note=note, position=position, line_code=code, updated_at=ctx.now_iso)


def publish(ctx: WriteContext, merge_request: MergeRequest, draft: DraftNote) -> None:
    """Publish one draft as a comment; 403 for callers who may not comment any more."""
    _authorize(ctx, merge_request)
    purge(ctx, draft)
    _publish_draft(ctx, merge_request, draft, in_review=False)


def publish_review(ctx: WriteContext, merge_request: MergeRequest) -> None:
    """Publish all drafts of the caller as one review; 403 for callers who may not comment any more."""
    _authorize(ctx, merge_request)
    drafts = list_own(ctx, merge_request)
    if not drafts:
        return
    # They are gone before the first is published, whose quick actions may submit the review once more.
    purge(ctx, *drafts)
    published = [_publish_draft(ctx, merge_request, draft, in_review=True) for draft in drafts]
    user, current = ctx.signed_in_user, ctx.world.merge_requests[merge_request.id]
    reviewed = reviewers.mark_reviewed(ctx, current, user)
    todos.finish_pending(ctx, user, noteables.subject_of(reviewed))
    _tell_author(ctx, reviewed)
    comments = [note for note in published if note is not None]
    if comments:
        signals.review_published.send(ctx, reviewed, comments)


def _tell_author(ctx: WriteContext, merge_request: MergeRequest) -> None:
    author = ctx.world.users.get(merge_request.author_id)
    if author is not None and author.id != ctx.signed_in_user.id and ctx.profile.has(REVIEWS_ARE_TODOS):
        todos.create_todo(ctx, author, "review_submitted", merge_request)


def _authorize(ctx: ReadContext, merge_request: MergeRequest) -> None:
    decision = noteables.can_comment(ctx, merge_request)
    if not decision.allowed:
        raise Forbidden(reason=decision.why)


def _publish_draft(ctx: WriteContext, merge_request: MergeRequest, draft: DraftNote, *, in_review: bool) -> Note | None:
    """Turn a draft into a comment; None if it had only quick actions."""
    discussion = _find_published_thread(ctx, merge_request, draft)
    fields = _place(ctx, merge_request, draft, discussion)
    current = ctx.world.merge_requests[merge_request.id]
    note = notes.add_note(ctx, current, draft.note, in_review=in_review, **fields).note
    if note is not None and discussion is not None:
        discussions.begin_thread(ctx, discussion)
        _settle_thread(ctx, merge_request, draft, discussion)
    return note


def _find_published_thread(ctx: ReadContext, merge_request: MergeRequest, draft: DraftNote) -> Discussion | None:
    id_ = draft.discussion_id
    return discussions.find_discussion(ctx, merge_request, id_) if id_ is not None else None


def _place(
    ctx: WriteContext, merge_request: MergeRequest, draft: DraftNote, discussion: Discussion | None
) -> NoteFields:
    if discussion is not None:
        return discussions.place_in_thread(ctx, merge_request, discussion)
    if draft.position is not None:
        line = discussions.place_on_line(ctx, merge_request, draft.position)
        return {
            "type": line["type"],
            "position": line["position"],
            "line_code": line["line_code"],
            "commit_id": draft.commit_id,
        }
    return {"type": "DiscussionNote"} if ctx.profile.has(DRAFTS_BECOME_THREADS) else {}


def _settle_thread(ctx: WriteContext, merge_request: MergeRequest, draft: DraftNote, discussion: Discussion) -> None:
    """Resolve the thread of a draft that resolves it, and otherwise reopen it."""
    thread = discussions.find_discussion(ctx, merge_request, discussion.id)
    if thread is not None and any(note.is_resolvable for note in thread.notes):
        may_resolve = resolution.can_resolve(ctx, merge_request).allowed
        resolution.set_resolved(ctx, merge_request, thread.notes, resolved=draft.resolve_discussion and may_resolve)


def list_drafts(world: World, merge_request: MergeRequest) -> Sequence[DraftNote]:
    """Return the drafts of all users on a merge request, oldest first."""
    return list(world.draft_notes.where("merge_request", merge_request.id))
