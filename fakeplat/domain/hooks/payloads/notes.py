"""Payloads of notes."""

from collections.abc import Callable, Mapping
from typing import Any, Final, Literal

from fakeplat.domain import urls
from fakeplat.domain.hooks.payloads import blocks, issues, merge_requests
from fakeplat.domain.hooks.payloads.blocks import Block, Later, format_time, later
from fakeplat.domain.notes import noteables
from fakeplat.domain.notes.noteables import Noteable
from fakeplat.domain.reviews.diff_positions import serialize_position
from fakeplat.domain.snippets import snippet_files
from fakeplat.model.notes import Note
from fakeplat.model.people import VISIBILITY_RANK
from fakeplat.model.projects import Project
from fakeplat.model.snippets import Snippet
from fakeplat.model.wikis import WikiPageMeta
from fakeplat.policy.context import ReadContext

NoteAction = Literal["create", "update"]


def build_note_event(ctx: ReadContext, project: Project, note: Note, action: NoteAction) -> Block:
    """Return the payload of a note that was written or changed, with what it is about."""
    record = noteables.get_record(ctx.world, note.subject)
    kind = str(note.subject[0])
    return {
        "object_kind": "note",
        "event_type": "confidential_note" if noteables.is_confidential(note, record) else "note",
        "user": blocks.build_user(ctx, blocks.find_user(ctx, note.author_id)),
        "project_id": project.id,
        "project": blocks.build_project(ctx, project),
        "object_attributes": {
            **build_attributes(ctx, project, note, record),
            **blocks.read_later(ctx, _ACTION, action),
        },
        "repository": blocks.build_repository(ctx, project),
        # The page of a wiki is told by nothing but its address.
        **({} if isinstance(record, WikiPageMeta) else {kind: build_noteable(ctx, record)}),
    }


def build_attributes(ctx: ReadContext, project: Project, note: Note, record: Noteable) -> Block:
    """Return the columns of a note on a record, as payloads have them."""
    noteable = noteables.noteable_of(record)
    is_of_commit = noteable is noteables.COMMIT
    position = serialize_position(note.position) if note.position else None
    return {
        "attachment": None,
        "author_id": note.author_id,
        "change_position": None,
        "commit_id": str(note.subject[-1]) if is_of_commit else note.commit_id,
        "created_at": format_time(note.created_at),
        "discussion_id": note.discussion_id,
        "id": note.id,
        "line_code": note.line_code,
        "note": note.body,
        "noteable_id": None if is_of_commit else note.subject[1],
        "noteable_type": noteable.type,
        "original_position": position,
        "position": position,
        "project_id": project.id,
        "resolved_at": format_time(note.resolved_at),
        "resolved_by_id": note.resolved_by_id,
        "resolved_by_push": None,
        "st_diff": None,
        "system": note.system,
        "type": note.type,
        "updated_at": format_time(note.updated_at),
        "updated_by_id": None,
        "description": blocks.make_images_absolute(ctx, project, note.body),
        "url": f"{build_url(ctx, project, record)}#note_{note.id}",
        **blocks.read_later(ctx, _NOTE, note),
    }


def build_url(ctx: ReadContext, project: Project, record: Noteable) -> str:
    """Return the address of the page of a record that has notes."""
    noteable = noteables.noteable_of(record)
    return f"{urls.project_url(ctx, project)}/-/{noteable.page}/{noteable.number_of(record)}"


def build_noteable(ctx: ReadContext, record: Noteable) -> Block:
    """Return the columns of a record that has notes, as payloads have them."""
    return _BUILDERS[noteables.noteable_of(record).kind](ctx, record)


def _build_snippet(ctx: ReadContext, snippet: Snippet) -> Block:
    file_name, content = snippet_files.first_path(ctx.world, snippet)
    return {
        "id": snippet.id,
        "title": snippet.title,
        "content": content.decode(errors="replace"),
        "author_id": snippet.author_id,
        "project_id": snippet.project_id,
        "created_at": format_time(snippet.created_at),
        "updated_at": format_time(snippet.updated_at),
        "file_name": file_name,
        "expires_at": None,
        "type": "ProjectSnippet",
        "visibility_level": VISIBILITY_RANK[snippet.visibility],
        "description": snippet.description,
        **blocks.read_later(ctx, _SNIPPET, snippet),
    }


_ACTION: Final[Mapping[str, Later[NoteAction]]] = {"action": later("16.11", lambda ctx, action: action)}
_NOTE: Final[Mapping[str, Later[Note]]] = {"internal": later("<=19.1", lambda ctx, note: note.confidential)}
_SNIPPET: Final[Mapping[str, Later[Snippet]]] = {
    "url": later("<=19.1", lambda ctx, snippet: build_url(ctx, ctx.world.projects[snippet.project_id or 0], snippet)),
}
_BUILDERS: Final[Mapping[str, Callable[[ReadContext, Any], Block]]] = {
    "commit": blocks.build_commit,
    "issue": issues.build_attributes,
    "merge_request": merge_requests.build_attributes,
    "snippet": _build_snippet,
}
