"""Payloads of awarded emoji."""

from typing import Literal

from fakeplat.domain.hooks.payloads import blocks, notes
from fakeplat.domain.hooks.payloads.blocks import Block, format_time
from fakeplat.domain.notes import noteables
from fakeplat.domain.notes.noteables import Noteable
from fakeplat.model.issues import Award
from fakeplat.model.notes import Note
from fakeplat.model.projects import Project
from fakeplat.model.snippets import Snippet
from fakeplat.policy.context import ReadContext

AwardAction = Literal["award", "revoke"]


def build_emoji_event(
    ctx: ReadContext, project: Project, award: Award, note: Note | None, record: Noteable, action: AwardAction
) -> Block:
    """Return the payload of an emoji that was awarded to a note or, without one, to a record itself, or revoked."""
    url = notes.build_url(ctx, project, record)
    noteable = noteables.noteable_of(record)
    return {
        "object_kind": "emoji",
        "event_type": action,
        # Whoever deletes an award, the event names the user who gave it.
        "user": blocks.build_user(ctx, blocks.find_user(ctx, award.user_id)),
        "project_id": project.id,
        "project": blocks.build_project(ctx, project),
        "object_attributes": {
            "user_id": award.user_id,
            "created_at": format_time(award.created_at),
            "id": award.id,
            "name": award.name,
            "awardable_type": noteable.type if note is None else "Note",
            "awardable_id": award.subject[1],
            "updated_at": format_time(award.updated_at),
            "action": action,
            "awarded_on_url": url if note is None else f"{url}#note_{note.id}",
        },
        **({} if note is None else {"note": notes.build_attributes(ctx, project, note, record)}),
        # The platform names this block after the class of the record.
        "project_snippet" if isinstance(record, Snippet) else noteable.kind: notes.build_noteable(ctx, record),
    }
