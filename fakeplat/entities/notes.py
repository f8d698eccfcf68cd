"""What notes and discussions show. Source: docs/platform/notes-discussions.md."""

from typing import Any

from fakeplat.core.operations.entity import Entity, attr, constant, shown, shown_when
from fakeplat.domain.notes import diff_positions, noteables
from fakeplat.domain.notes.discussions import Discussion
from fakeplat.entities.users import UserBasic
from fakeplat.model.notes import Note
from fakeplat.policy.context import Context

Text = str | None


def _is_resolvable(view: Entity[Note]) -> bool:
    return view.record.is_resolvable


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
    def noteable_id(self) -> int | None:
        return self.record.subject[1] if self._declared.table else None

    @shown
    def noteable_type(self) -> str:
        return self._declared.type

    @shown_when(lambda view: view.record.subject[0] == noteables.COMMIT.kind)
    def commit_id(self) -> str:
        return str(self.record.subject[-1])

    @shown_when(lambda view: view.record.type == "DiffNote" and view.record.position is not None)
    def position(self) -> dict[str, Any] | None:
        return diff_positions.shown(self.record.position) if self.record.position else None

    resolvable = attr(bool, of="is_resolvable")

    @shown_when(_is_resolvable)
    def resolved(self) -> bool:
        return self.record.resolved_at is not None

    @shown_when(_is_resolvable)
    def resolved_by(self) -> UserBasic | None:
        return self._user(self.record.resolved_by_id)

    @shown_when(_is_resolvable)
    def resolved_at(self) -> Text:
        return self.record.resolved_at

    confidential = attr(bool)

    @shown
    def noteable_iid(self) -> int | None:
        if self._declared.number != "iid" or not self._declared.table:
            return None
        found: int | None = getattr(noteables.found(self.cx.world, self.record.subject), "iid", None)
        return found

    commands_changes = constant({}, dict[str, Any])

    @property
    def _declared(self) -> noteables.Noteable:
        return noteables.NOTEABLES[self.record.subject[0]]

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
