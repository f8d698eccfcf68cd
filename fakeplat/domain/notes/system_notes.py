"""System notes, written by the platform in the name of the user who acted. Source: docs/platform/alerts.md."""

from typing import Final

from fakeplat.core.store.references import Subject
from fakeplat.model.notes import Note
from fakeplat.model.people import User
from fakeplat.policy.context import WriteContext

ALERT: Final = "alert"
DISCUSSION: Final = "discussion"
"""The name of the random stream for discussion ids."""


def write(ctx: WriteContext, subject: Subject, author: User, body: str, *, source: Subject | None = None) -> Note:
    """Write a system note; ``source`` is the subject of the referring record if it is a cross-reference."""
    table, now = ctx.world.notes, ctx.now_iso
    discussion_id = ctx.random_hex(DISCUSSION, 20)
    return table.add(
        Note(
            table.next_id(), subject, author.id, body, now, now, system=True, discussion_id=discussion_id, source=source
        )
    )


def write_in_thread(ctx: WriteContext, first: Note, author: User, body: str) -> Note:
    """Write a system note in the thread of a note, with the same position."""
    table, now = ctx.world.notes, ctx.now_iso
    thread_fields = {name: getattr(first, name) for name in ("discussion_id", "type", "position", "line_code")}
    return table.add(Note(table.next_id(), first.subject, author.id, body, now, now, system=True, **thread_fields))
