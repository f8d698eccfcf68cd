"""What the platform itself notes of things, in the name of who did it. Source: docs/platform/alerts.md."""

from typing import Final

from fakeplat.model.notes import Note
from fakeplat.model.users import User
from fakeplat.policy.context import WriteContext

Subject = tuple[str, int]
ALERT: Final = "alert"
DISCUSSION: Final = "discussion"
"""The purpose under which the ids of discussions are drawn."""


def write(ctx: WriteContext, subject: Subject, author: User, body: str, *, source: Subject | None = None) -> Note:
    """Note something; ``source`` is what mentions the subject, where that is what is noted."""
    table, now = ctx.world.notes, ctx.now_iso
    thread = ctx.random_hex(DISCUSSION, 20)
    return table.add(
        Note(table.next_id(), subject, author.id, body, now, now, system=True, discussion_id=thread, source=source)
    )


def write_in_thread(ctx: WriteContext, first: Note, author: User, body: str) -> Note:
    """Note something in the thread that a note began, at its place."""
    table, now = ctx.world.notes, ctx.now_iso
    about = {name: getattr(first, name) for name in ("discussion_id", "type", "position", "line_code")}
    return table.add(Note(table.next_id(), first.subject, author.id, body, now, now, system=True, **about))
