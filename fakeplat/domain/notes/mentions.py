"""Effects of mentions in a text: to-dos for users, and cross-reference notes on issues, merge requests and epics.

Source: docs/platform/todos.md, docs/platform/notes-discussions.md.
"""

from fakeplat.domain.notes import note_access, noteables, references, system_notes, todos
from fakeplat.domain.notes.noteables import Noteable, Subject
from fakeplat.model.epics import Epic
from fakeplat.model.issues import Issue
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.notes import Note
from fakeplat.model.people import User
from fakeplat.model.projects import Container
from fakeplat.policy.context import WriteContext

Mentioned = Issue | MergeRequest | Epic


def apply_mentions(
    ctx: WriteContext, record: Noteable, text: str | None, before: str | None = None, note: Note | None = None
) -> None:
    """Apply the mentions of a text about a noteable, except those that were in the text ``before`` the change.

    ``note`` is the note with the text, None if it is the noteable's description.
    """
    if ctx.user is None or not text or not references.MAY_MENTION.search(text):
        return
    create_mention_todos(ctx, record, text, before, note)
    write_cross_references(ctx, record, text, before)


def create_mention_todos(ctx: WriteContext, record: Noteable, text: str, before: str | None, note: Note | None) -> None:
    """Create to-dos for the users whom a text mentions; users at the start of a paragraph are directly addressed."""
    if not noteables.noteable_of(record).has_todos:
        return
    container = noteables.container_of(ctx.world, record)
    already_mentioned = references.find_mentioned_users(ctx, container, before)
    addressed = references.find_addressed_users(ctx, container, text)
    for id_, user in references.find_mentioned_users(ctx, container, text).items():
        # A to-do shows the text of its note, so users from whom the note is hidden get none.
        if id_ not in already_mentioned and not (
            note is not None and note.confidential and not _can_read(ctx, user, note)
        ):
            todos.create_todo(ctx, user, "directly_addressed" if id_ in addressed else "mentioned", record, note)


def _can_read(ctx: WriteContext, user: User, note: Note) -> bool:
    return note_access.is_visible(ctx.as_user(user), note)


def write_cross_references(ctx: WriteContext, record: Noteable, text: str, before: str | None) -> None:
    """Write a system note on each record that a text mentions and the caller can see, once for each source."""
    container, source = noteables.container_of(ctx.world, record), noteables.subject_of(record)
    already_mentioned = _find_mentioned(ctx, container, before)
    for target, mentioned in _find_mentioned(ctx, container, text).items():
        if target in already_mentioned or target == source or not noteables.is_visible(ctx, mentioned):
            continue
        # The note is read in the target's project or group, which determines how short the reference is.
        target_container = noteables.container_of(ctx.world, mentioned)
        reference = noteables.format_reference(ctx.world, record, target_container)
        body = f"mentioned in {noteables.noteable_of(record).words_of(record)} {reference}"
        if any(note.body == body for note in ctx.world.notes.where("telling", (target, source))):
            continue
        system_notes.write(ctx, target, ctx.signed_in_user, body, source=source)
        noteables.touch_updated_at(ctx, mentioned)


def _find_mentioned(ctx: WriteContext, container: Container, text: str | None) -> dict[Subject, Mentioned]:
    """Return the issues, merge requests and epics that a text mentions, by subject."""
    mentioned: list[Mentioned] = [
        *references.find_issues(ctx, container, text).values(),
        *references.find_merge_requests(ctx, container, text).values(),
        *references.find_epics(ctx, container, text).values(),
    ]
    return {noteables.subject_of(record): record for record in mentioned}
