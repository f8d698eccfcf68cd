"""Notes of wiki pages. Source: docs/platform/notes-discussions.md."""

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar, Unpack

from fakeplat.api.notes.noteables import EDITABLE_WIKI_NOTES, WIKI_NOTES, WIKI_PAGE_SCOPES
from fakeplat.api.notes.notes import CreateNote, ListNotes, UpdateNote, collect_note_fields, order_notes
from fakeplat.core.operations.operation import Area, Login, Method, OperationOptions
from fakeplat.core.operations.scope import Scope
from fakeplat.domain.notes import note_access, notes
from fakeplat.domain.purging import purge
from fakeplat.entities.notes.notes import NoteView
from fakeplat.model.notes import Note
from fakeplat.model.projects import Container
from fakeplat.model.wikis import WikiPageMeta
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Notes", login=Login.ALWAYS)
SINCE: Final = "<=18.9"
F = TypeVar("F", bound=Callable[..., Any])


def _declare(
    method: Method, path: str, name: str, scopes: tuple[Scope, ...], **options: Unpack[OperationOptions]
) -> Callable[[F], F]:
    """Return a decorator that declares an operation of the wikis of projects, and (paid) of groups."""

    def register(function: F) -> F:
        project, group = scopes
        area.operation(method, path, name=name.format("wiki_page"), scope=project, since=SINCE, **options)(function)
        paid: OperationOptions = {**options, "tier": "premium"}
        area.operation(method, path, name=name.format("group_wiki_page"), scope=group, since=SINCE, **paid)(function)
        return function

    return register


@_declare("GET", "notes", "list_{}_notes", WIKI_PAGE_SCOPES, params=ListNotes, view=NoteView, many=True)
def list_wiki_page_notes(ctx: ReadContext, _container: Container, page: WikiPageMeta, p: ListNotes) -> Sequence[Note]:
    """List the notes of a wiki page, the latest first."""
    return order_notes(notes.list_visible_notes(ctx, page), p)


@_declare("GET", "", "get_{}_note", WIKI_NOTES, view=NoteView)
def get_wiki_page_note(_ctx: ReadContext, _container: Container, _page: WikiPageMeta, note: Note) -> Note:
    """Get a note of a wiki page."""
    return note


@_declare(
    "POST", "notes", "create_{}_note", WIKI_PAGE_SCOPES, params=CreateNote, view=NoteView, refusals=(400, 403, 429)
)
def create_wiki_page_note(ctx: WriteContext, _container: Container, page: WikiPageMeta, p: CreateNote) -> Note | None:
    """Create a note of a wiki page."""
    note_access.count_note(ctx)
    note_access.authorize_comment(ctx, page)
    # Pages have no quick actions, so each text becomes a note.
    return notes.add_note(ctx, page, p.body, **collect_note_fields(ctx, page, p)).note


@_declare("PUT", "", "update_{}_note", EDITABLE_WIKI_NOTES, params=UpdateNote, view=NoteView, refusals=(400, 403))
def update_wiki_page_note(
    ctx: WriteContext, _container: Container, page: WikiPageMeta, note: Note, p: UpdateNote
) -> Note | None:
    """Update a note of a wiki page."""
    note_access.authorize_change(ctx, page, note)
    return notes.update_note(ctx, page, note, **p.given()).note


@_declare("DELETE", "", "delete_{}_note", EDITABLE_WIKI_NOTES, refusals=(403, 412))
def delete_wiki_page_note(ctx: WriteContext, _container: Container, page: WikiPageMeta, note: Note) -> None:
    """Delete a note of a wiki page."""
    note_access.authorize_change(ctx, page, note)
    purge(ctx, note)
