"""What notes and discussions show. Source: more on notes and discussions."""

from typing import Any, Final

from fakeplat.core.entity import Entity, attr, constant, shown, shown_when
from fakeplat.domain import noteables
from fakeplat.domain.discussions import Discussion
from fakeplat.entities.users import UserBasic
from fakeplat.model.notes import Note
from fakeplat.policy.context import Context

Text = str | None
RESOLVABLE: Final = ("merge_request",)
"""Kinds of things whose threads can be settled."""


def resolvable(note: Note) -> bool:
    """Whether a note is part of a thread that can be settled."""
    return note.type is not None and not note.system and note.subject[0] in RESOLVABLE


class NoteView(Entity[Note]):
    """A note."""

    cx: Context

    id = attr(int)
    type = attr(Text)
    body = attr(str)
    attachment = constant(None, Text)

    @shown
    def author(self) -> UserBasic | None:
        return self._user(self.record.author_id)

    created_at = attr(str)
    updated_at = attr(str)
    system = attr(bool)

    @shown
    def noteable_id(self) -> int:
        return self.record.subject[1]

    @shown
    def noteable_type(self) -> str:
        return noteables.NOTEABLES[self.record.subject[0]].type

    @shown
    def resolvable(self) -> bool:
        return resolvable(self.record)

    @shown_when(lambda view: resolvable(view.record))
    def resolved(self) -> bool:
        return self.record.resolved_at is not None

    @shown_when(lambda view: resolvable(view.record))
    def resolved_by(self) -> UserBasic | None:
        return self._user(self.record.resolved_by_id)

    @shown_when(lambda view: resolvable(view.record))
    def resolved_at(self) -> Text:
        return self.record.resolved_at

    confidential = attr(bool)

    @shown
    def noteable_iid(self) -> int | None:
        return getattr(noteables.found(self.cx.world, self.record.subject), "iid", None)

    commands_changes = constant({}, dict[str, Any])

    def _user(self, id_: int | None) -> UserBasic | None:
        found: UserBasic | None = self.cx.show(UserBasic, self.cx.world.users.get(id_) if id_ is not None else None)
        return found


class DiscussionView(Entity[Discussion]):
    """A discussion with its notes."""

    cx: Context
    keyed = False

    id = attr(str)
    individual_note = attr(bool, of="alone")

    @shown
    def notes(self) -> list[NoteView]:
        return [self.cx.show(NoteView, note) for note in self.record.notes]
