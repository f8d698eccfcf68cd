"""What is said about a record in an archive: its notes with their suggestions, and award emoji on both.

Without its author in the world, a text names who wrote it.
"""

from typing import Any, Final

from fakeplat.domain.import_export import activity_parts, serialization
from fakeplat.domain.import_export.reading import Resolver, Row, read_fields, rows_in, text_in
from fakeplat.domain.merge_requests import suggestions
from fakeplat.domain.notes import awards, notes
from fakeplat.domain.notes.noteables import Subject
from fakeplat.domain.purging import purge
from fakeplat.model.notes import Note, Suggestion
from fakeplat.model.world import World

_NOTE: Final = (
    "created_at updated_at system discussion_id type confidential resolved_at position line_code line".split()
)
_SUGGESTION: Final = "from_content to_content lines_above lines_below applied commit_id".split()
_PLACEHOLDER: Final = "*By {name} on {time} (imported from {product} project)*"


def note_rows(world: World, subject: Subject) -> list[dict[str, Any]]:
    """Return the notes on a record, with their award emoji, events and suggestions."""
    return [_note_row(world, note) for note in world.notes.where("subject", subject)]


def _note_row(world: World, note: Note) -> dict[str, Any]:
    row = serialization.plain_fields(note, "body", "author_id", "resolved_by_id")
    users = serialization.user_fields(world, author=note.author_id, resolved_by=note.resolved_by_id)
    own = (notes.NOTE, note.id)
    parts = {
        "award_emoji": award_rows(world, own),
        "events": activity_parts.event_rows(world, own),
        "suggestions": [
            serialization.plain_fields(suggestion, "note_id")
            for suggestion in suggestions.list_suggestions(world, note)
        ],
    }
    return {**row, **users, "note": note.body, **{name: rows for name, rows in parts.items() if rows}}


def award_rows(world: World, subject: tuple[str, int]) -> list[dict[str, Any]]:
    """Return the award emoji on a record."""
    given = world.awards.where("subject", subject)
    return [
        {**serialization.plain_fields(award, "user_id"), **serialization.user_fields(world, user=award.user_id)}
        for award in given
    ]


def import_discussion(resolver: Resolver, row: Row, subject: tuple[str, int]) -> None:
    """Import the notes and award emoji of a row."""
    _import_awards(resolver, row, subject)
    for note_row in rows_in(row, "notes"):
        _import_note(resolver, note_row, subject)


def _import_awards(resolver: Resolver, row: Row, subject: tuple[str, int]) -> None:
    for award in rows_in(row, "award_emoji"):
        awards.insert_award(resolver.ctx, subject, resolver.user_or_importer(award, "user"), text_in(award, "name"))


def _import_note(resolver: Resolver, row: Row, subject: tuple[str, int]) -> None:
    author, text = resolver.find_user(row, "author"), text_in(row, "note")
    body = text if author or not isinstance(row.get("author"), dict) else _signed(resolver, text, row)
    resolver_user = resolver.find_user(row, "resolved_by")
    fields = {**read_fields(Note, row, _NOTE), "resolved_by_id": resolver_user.id if resolver_user else None}
    note = notes.insert_note(resolver.ctx, subject, author or resolver.importer, body, **fields)
    own = (notes.NOTE, note.id)
    _import_awards(resolver, row, own)
    activity_parts.import_events(resolver, row, own)
    _import_suggestions(resolver, row, note)


def _import_suggestions(resolver: Resolver, row: Row, note: Note) -> None:
    rows = rows_in(row, "suggestions")
    if rows:
        # Inserting the note added the suggestions in its text, as if none of them had been applied.
        purge(resolver.ctx, *suggestions.list_suggestions(resolver.ctx.world, note))
    for suggestion in rows:
        suggestions.insert_suggestion(resolver.ctx, note, **read_fields(Suggestion, suggestion, _SUGGESTION))


def read_description(resolver: Resolver, row: Row) -> dict[str, str]:
    """Return the description that names the author, if the import does not have this user; else nothing."""
    text = row.get("description")
    if resolver.find_user(row, "author") is not None or not isinstance(row.get("author"), dict):
        return {}
    return {"description": _signed(resolver, text if isinstance(text, str) else "", row)}


def _signed(resolver: Resolver, text: str, row: Row) -> str:
    product = resolver.ctx.instance.product_name
    placeholder = _PLACEHOLDER.format(name=row["author"].get("name"), time=row.get("created_at"), product=product)
    return f"{text}\n\n{placeholder}".strip()
