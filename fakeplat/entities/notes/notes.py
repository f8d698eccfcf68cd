"""Notes and suggestions. Source: docs/platform/notes-discussions.md, docs/platform/external.md."""

from typing import Any

from fakeplat.core.operations.entity import Entity, attr, computed, computed_if, constant
from fakeplat.domain.merge_requests import suggestions
from fakeplat.domain.notes import noteables, resolution
from fakeplat.domain.notes.discussions import Discussion
from fakeplat.domain.reviews import diff_positions
from fakeplat.entities.people.users import UserBasic
from fakeplat.model.notes import DraftNote, Note, Suggestion
from fakeplat.model.projects import Project
from fakeplat.policy.behaviours import LINE_COMMENTS_NAME_A_COMMIT, NOTES_OF_EPICS_NAME_THE_WORK_ITEM
from fakeplat.policy.context import ReadContext


def _is_resolvable(view: "NoteView") -> bool:
    return resolution.is_resolvable(view.ctx.world, view.record)


def _is_of_merge_request(view: "NoteView") -> bool:
    return view.record.subject[0] == noteables.MERGE_REQUEST.kind


def _is_of_epic(view: "NoteView") -> bool:
    return view.record.subject[0] == noteables.EPIC.kind


def _is_line_of_merge_request(view: "NoteView") -> bool:
    has_commit = view.ctx.profile.has(LINE_COMMENTS_NAME_A_COMMIT)
    return has_commit and view.record.type == "DiffNote" and _is_of_merge_request(view)


class NoteView(Entity[Note]):
    """A note."""

    ctx: ReadContext

    id = attr()
    type = attr()
    body = attr()
    attachment = constant(None, str | None, until="<=18.9")

    @computed
    def author(self) -> UserBasic | None:
        return self._user(self.record.author_id)

    created_at = attr()
    updated_at = attr()
    system = attr()

    @computed
    def noteable_id(self) -> int | None:
        # Commits are not in a table and have no id; the field ``commit_id`` takes its place.
        return self.record.subject[1] if self._noteable_kind.table else None

    @computed
    def noteable_type(self) -> str:
        return self._noteable_kind.type

    # Epics have the id of their work item here.
    @computed_if(since=NOTES_OF_EPICS_NAME_THE_WORK_ITEM.since, when=_is_of_epic)
    def noteable_work_item_id(self) -> int:
        return self.record.subject[1]

    @computed_if(when=lambda view: view.record.subject[0] == noteables.COMMIT.kind or _is_line_of_merge_request(view))
    def commit_id(self) -> str | None:
        # The subject of a commit's note ends with the hash.
        return (
            str(self.record.subject[-1]) if self.record.subject[0] == noteables.COMMIT.kind else self.record.commit_id
        )

    @computed_if(when=lambda view: view.record.type == "DiffNote" and view.record.position is not None)
    def position(self) -> dict[str, Any] | None:
        return diff_positions.serialize_position(self.record.position) if self.record.position else None

    @computed
    def resolvable(self) -> bool:
        return resolution.is_resolvable(self.ctx.world, self.record)

    @computed_if(when=_is_resolvable)
    def resolved(self) -> bool:
        return self.record.resolved_at is not None

    @computed_if(when=_is_resolvable)
    def resolved_by(self) -> UserBasic | None:
        return self._user(self.record.resolved_by_id)

    @computed_if(when=_is_resolvable)
    def resolved_at(self) -> str | None:
        return self.record.resolved_at

    @computed_if(since="<=18.9", when=lambda view: view.record.type == "DiffNote" and _is_of_merge_request(view))
    def suggestions(self) -> list["SuggestionView"]:
        return [
            self.ctx.render(SuggestionView, suggestion)
            for suggestion in suggestions.list_suggestions(self.ctx.world, self.record)
        ]

    @computed_if(since="<=16.8")
    def project_id(self) -> int | None:
        container = noteables.container_of(self.ctx.world, noteables.get_record(self.ctx.world, self.record.subject))
        return container.id if isinstance(container, Project) else None

    imported = constant(False, bool, since="17.2")
    imported_from = constant("none", str, since="17.2")
    confidential = attr()
    internal = attr("confidential", since="15.0")

    @computed
    def noteable_iid(self) -> int | None:
        # Commits and snippets have no iid.
        if self._noteable_kind.number != "iid" or not self._noteable_kind.table:
            return None
        iid: int | None = getattr(noteables.find_record(self.ctx.world, self.record.subject), "iid", None)
        return iid

    # `note_responses` fills this in after executing quick actions; stored notes have no changes.
    commands_changes = constant({}, dict[str, Any])

    @property
    def _noteable_kind(self) -> noteables.NoteableKind[Any]:
        return noteables.NOTEABLES[self.record.subject[0]]

    def _user(self, id_: int | None) -> UserBasic | None:
        user: UserBasic | None = self.ctx.render(UserBasic, self.ctx.world.users.get(id_) if id_ is not None else None)
        return user


class DraftNoteView(Entity[DraftNote]):
    """A draft note."""

    ctx: ReadContext

    id = attr()
    author_id = attr()
    merge_request_id = attr()
    resolve_discussion = attr()
    discussion_id = attr()
    note = attr()
    commit_id = attr()
    line_code = attr()

    @computed
    def position(self) -> dict[str, Any]:
        if self.record.position is None:
            return dict.fromkeys(diff_positions.TEXT_FIELDS) | {"position_type": "text"}
        return diff_positions.serialize_position(self.record.position)


class DiscussionView(Entity[Discussion]):
    """A discussion with its notes."""

    ctx: ReadContext
    cached_by_id = False

    id = attr()
    individual_note = attr("alone")

    @computed
    def notes(self) -> list[NoteView]:
        return [self.ctx.render(NoteView, note) for note in self.record.notes]


class SuggestionView(Entity[Suggestion]):
    """A suggestion: the range of lines and their replacement."""

    ctx: ReadContext

    id = attr()

    @computed
    def from_line(self) -> int:
        return suggestions.get_lines(self.ctx.world, self.record).first

    @computed
    def to_line(self) -> int:
        return suggestions.get_lines(self.ctx.world, self.record).last

    @computed
    def appliable(self) -> bool:
        return not suggestions.inapplicable_reason(self.ctx.world, self.record)

    applied = attr()
    from_content = attr()
    to_content = attr()
