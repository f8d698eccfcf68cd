"""What follows from naming people and things in a text: to-dos, and notes on what is mentioned.

Source: docs/platform/todos.md, docs/platform/notes-discussions.md.
"""

from typing import Any

from fakeplat.domain.notes import note_access, noteables, references, system_notes, todos
from fakeplat.domain.notes.noteables import Subject
from fakeplat.model.issues import Issue
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.notes import Note
from fakeplat.model.projects import Project
from fakeplat.model.users import User
from fakeplat.policy.context import WriteContext


def follow_mentions(
    ctx: WriteContext, record: Any, text: str | None, before: str | None = None, note: Note | None = None
) -> None:
    """Do what a text about a thing asks for, beyond what it asked ``before``; ``note`` is where it stands."""
    if ctx.user is None or not text:
        return
    create_mention_todos(ctx, record, text, before, note)
    write_cross_references(ctx, record, text, before)


def create_mention_todos(ctx: WriteContext, record: Any, text: str, before: str | None, note: Note | None) -> None:
    """Ask those whom a text names to look at it; of those with whom a line begins, directly."""
    if not noteables.noteable_of(record).asks:
        return
    project = noteables.project_of(ctx.world, record)
    known = references.find_mentioned_users(ctx, project, before)
    addressed = references.find_addressed_users(ctx, project, text)
    for id_, user in references.find_mentioned_users(ctx, project, text).items():
        if id_ not in known and not (note is not None and note.confidential and not _reads(ctx, user, note)):
            todos.create_todo(ctx, user, "directly_addressed" if id_ in addressed else "mentioned", record, note)


def _reads(ctx: WriteContext, user: User, note: Note) -> bool:
    return note_access.is_visible(ctx.as_user(user), note)


def write_cross_references(ctx: WriteContext, record: Any, text: str, before: str | None) -> None:
    """Note on each thing that a text names, and the caller sees, that it was mentioned; once for each mentioning."""
    project, source = noteables.project_of(ctx.world, record), noteables.subject_of(record)
    known = _named(ctx, project, before)
    for target, named in _named(ctx, project, text).items():
        if target in known or target == source or not noteables.is_visible(ctx, named):
            continue
        seen_from = noteables.project_of(ctx.world, named)
        reference = noteables.format_reference(ctx.world, record, seen_from)
        body = f"mentioned in {noteables.noteable_of(record).words} {reference}"
        if any(note.body == body for note in ctx.world.notes.where("telling", (target, source))):
            continue
        system_notes.write(ctx, target, ctx.signed_in_user, body, source=source)
        noteables.touch_updated_at(ctx, named)


def _named(ctx: WriteContext, project: Project, text: str | None) -> dict[Subject, Issue | MergeRequest]:
    """The issues and merge requests that a text names."""
    found: list[Issue | MergeRequest] = [
        *references.find_issues(ctx, project, text).values(),
        *references.find_merge_requests(ctx, project, text).values(),
    ]
    return {noteables.subject_of(one): one for one in found}
