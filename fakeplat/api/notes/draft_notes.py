"""Draft notes of merge requests. Source: docs/platform/notes-discussions.md ('Draft notes')."""

from collections.abc import Sequence
from typing import Annotated, Final, Literal

from fakeplat.api.notes.discussions import PositionParams, build_position
from fakeplat.api.scopes import VISIBLE_MERGE_REQUEST
from fakeplat.core.operations.errors import BadRequest, Unprocessable
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.scope import Segment
from fakeplat.core.params.params import NotBlank, Params
from fakeplat.domain.merge_requests import approvals, reviewers
from fakeplat.domain.notes import draft_notes, note_access, notes
from fakeplat.domain.purging import purge
from fakeplat.entities.notes.notes import DraftNoteView
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.notes import DraftNote
from fakeplat.model.projects import Project
from fakeplat.policy.behaviours import VERDICTS_ARE_PUBLISHED
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Draft notes", login=Login.ALWAYS)
SINCE: Final = "<=16.11"
NO_CHANGE: Final = "400 Bad request - Missing params to modify"
NO_COMMIT: Final = "undefined"
"""The text for no commit, as the platform's own pages send it."""


def _get_draft(ctx: ReadContext, _project: Project, merge_request: MergeRequest, id_: int) -> DraftNote:
    return draft_notes.get_own(ctx, merge_request, id_)


DRAFT: Final = VISIBLE_MERGE_REQUEST / Segment(
    "draft_notes/:draft_note_id", kind="integer", locate=_get_draft, word="merge_request_draft_note"
)


@area.operation(
    "GET",
    "draft_notes",
    name="list_merge_request_draft_notes",
    scope=VISIBLE_MERGE_REQUEST,
    view=DraftNoteView,
    many=True,
    paging=None,
    since=SINCE,
)
def list_draft_notes(ctx: ReadContext, _project: Project, merge_request: MergeRequest) -> Sequence[DraftNote]:
    """List the caller's draft notes on a merge request."""
    return draft_notes.list_own(ctx, merge_request)


@area.operation("GET", "", name="get_merge_request_draft_note", scope=DRAFT, view=DraftNoteView, since=SINCE)
def get_draft_note(_ctx: ReadContext, _project: Project, _merge_request: MergeRequest, draft: DraftNote) -> DraftNote:
    """Get a draft note of the caller."""
    return draft


class DraftPosition(PositionParams):
    """A position in a diff, which may be a whole file in all releases that have draft notes."""

    position_type: Literal["text", "image", "file"]


class CreateDraftNote(Params):
    """A new draft note."""

    note: str
    in_reply_to_discussion_id: str | None = None
    commit_id: str | None = None
    resolve_discussion: bool | None = None
    position: DraftPosition | None = None


@area.operation(
    "POST",
    "draft_notes",
    name="create_merge_request_draft_note",
    scope=VISIBLE_MERGE_REQUEST,
    params=CreateDraftNote,
    view=DraftNoteView,
    since=SINCE,
    refusals=(400, 403),
)
def create_draft_note(
    ctx: WriteContext, _project: Project, merge_request: MergeRequest, p: CreateDraftNote
) -> DraftNote:
    """Create a draft note on a merge request, on a line of its difference, or in reply to a discussion."""
    note_access.authorize_comment(ctx, merge_request)
    return draft_notes.create(
        ctx,
        merge_request,
        p.note,
        in_reply_to_discussion_id=p.in_reply_to_discussion_id,
        resolve_discussion=bool(p.resolve_discussion),
        commit_id=None if p.commit_id in (NO_COMMIT, "") else p.commit_id,
        position=build_position(p.position),
    )


class UpdateDraftNote(Params):
    """Changes of a draft note."""

    note: Annotated[str | None, NotBlank] = None
    position: DraftPosition | None = None


@area.operation(
    "PUT",
    "draft_notes/:draft_note_id",
    name="update_merge_request_draft_note",
    scope=VISIBLE_MERGE_REQUEST,
    params=UpdateDraftNote,
    view=DraftNoteView,
    since=SINCE,
    refusals=(400, 404),
)
def update_draft_note(
    ctx: WriteContext, _project: Project, merge_request: MergeRequest, draft_note_id: int, p: UpdateDraftNote
) -> DraftNote:
    """Update the text and the position of a draft note of the caller."""
    # Checked before the draft is looked up.
    if not p.note:
        raise BadRequest(NO_CHANGE)
    draft = draft_notes.get_own(ctx, merge_request, draft_note_id)
    return draft_notes.update(ctx, merge_request, draft, p.note, build_position(p.position))


@area.operation("DELETE", "", name="delete_merge_request_draft_note", scope=DRAFT, since=SINCE)
def delete_draft_note(ctx: WriteContext, _project: Project, _merge_request: MergeRequest, draft: DraftNote) -> None:
    """Delete a draft note of the caller."""
    purge(ctx, draft)


@area.operation(
    "PUT", "publish", name="publish_merge_request_draft_note", scope=DRAFT, status=204, since=SINCE, refusals=(403,)
)
def publish_draft_note(ctx: WriteContext, _project: Project, merge_request: MergeRequest, draft: DraftNote) -> None:
    """Publish a draft note of the caller."""
    draft_notes.publish(ctx, merge_request, draft)


class PublishReview(Params):
    """What to add to a review: a summary, and the caller's verdict as a reviewer."""

    reviewer_state: Annotated[Literal["requested_changes", "reviewed"] | None, VERDICTS_ARE_PUBLISHED] = None
    note: Annotated[str | None, VERDICTS_ARE_PUBLISHED] = None
    internal: Annotated[bool, VERDICTS_ARE_PUBLISHED] = False


@area.operation(
    "POST",
    "draft_notes/bulk_publish",
    name="publish_merge_request_draft_notes",
    scope=VISIBLE_MERGE_REQUEST,
    params=PublishReview,
    status=204,
    since=SINCE,
    refusals=(400, 403, 422),
)
def publish_draft_notes(ctx: WriteContext, _project: Project, merge_request: MergeRequest, p: PublishReview) -> None:
    """Publish all draft notes of the caller on a merge request as one review."""
    draft_notes.publish_review(ctx, merge_request)
    if (p.note or "").strip():
        _add_summary(ctx, merge_request, p.note or "", is_internal=p.internal)
    current = ctx.world.merge_requests[merge_request.id]
    if p.reviewer_state and reviewers.find_reviewer(current, ctx.signed_in_user) is not None:
        _set_verdict(ctx, current, p.reviewer_state)


def _add_summary(ctx: WriteContext, merge_request: MergeRequest, text: str, *, is_internal: bool) -> None:
    result = notes.add_note(ctx, ctx.world.merge_requests[merge_request.id], text, confidential=is_internal)
    if result.note is None:
        raise Unprocessable("", reason="a summary needs a text besides its quick actions")


def _set_verdict(
    ctx: WriteContext, merge_request: MergeRequest, state: Literal["requested_changes", "reviewed"]
) -> None:
    if state == "requested_changes":
        approvals.request_changes(ctx, merge_request)
    else:
        reviewers.set_state(ctx, merge_request, ctx.signed_in_user, state)
