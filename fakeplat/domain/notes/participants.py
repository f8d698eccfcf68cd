"""Participants of issues, merge requests and snippets. Source: docs/platform/issues.md ('Sub-resources')."""

from collections.abc import Iterator

from fakeplat.domain.notes import note_access, noteables, references
from fakeplat.domain.notes.noteables import Awardable
from fakeplat.model.people import User
from fakeplat.model.wikis import WikiPageMeta
from fakeplat.policy.context import ReadContext


def list_participants(ctx: ReadContext, record: Awardable | WikiPageMeta) -> list[User]:
    """Return author, assignees, reviewers, commenters and mentioned users who can see the record, without duplicates.

    Notes hidden from the caller do not count.
    """
    users = (ctx.world.users.get(id_) for id_ in dict.fromkeys(_list_user_ids(ctx, record)))
    return [user for user in users if user and noteables.is_visible(ctx.as_user(user), record)]


def list_commenters(ctx: ReadContext, record: Awardable) -> list[User]:
    """Return the authors of the notes that the caller may read, the newest user first."""
    notes = ctx.world.notes.where("comments", noteables.subject_of(record))
    ids = {note.author_id for note in notes if note_access.is_visible(ctx, note)}
    users = (ctx.world.users.get(id_) for id_ in sorted(ids, reverse=True))
    return [user for user in users if user is not None]


def _list_user_ids(ctx: ReadContext, record: Awardable | WikiPageMeta) -> Iterator[int]:
    container = noteables.container_of(ctx.world, record)
    notes = ctx.world.notes.where("comments", noteables.subject_of(record))
    comments = [note for note in notes if note_access.is_visible(ctx, note)]
    yield from noteables.noteable_of(record).participant_ids(record)
    yield from (note.author_id for note in comments)
    description = None if isinstance(record, WikiPageMeta) else record.description
    for text in (description, *(note.body for note in comments)):
        yield from references.find_mentioned_users(ctx, container, text)
