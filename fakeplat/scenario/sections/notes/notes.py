"""Notes, individual ones and discussions. A list of notes of an alert replaces its system notes."""

from collections.abc import Iterable
from typing import Any, Final

from fakeplat.core.schema.records import fields
from fakeplat.core.schema.shapes import BOOLEAN, DATE_TIME, NULLABLE_TEXT, TEXT, Choice, ListOf, Nullable, Object
from fakeplat.domain.merge_requests import suggestions
from fakeplat.domain.notes import noteables, notes
from fakeplat.domain.purging import purge
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.notes import Note, Suggestion
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import ALERTS, EntryData, Section
from fakeplat.scenario.sections import serialization
from fakeplat.scenario.sections.notes import threads

KEY: Final = "notes"
_CONTENTS: Final = ("from_content", "to_content")
_SUGGESTION: Final = Object(fields(Suggestion, without=("id", "note_id")), required=_CONTENTS)
_FIELDS: Final = ("body", "system", "created_at", "updated_at", "type", "confidential", "resolved_at", "commit_id")
_NOTE_KEYS: Final = {
    "author": TEXT,
    "body": TEXT,
    "system": BOOLEAN,
    "confidential": BOOLEAN,
    "created_at": DATE_TIME,
    "updated_at": DATE_TIME,
}
_DESCRIPTIONS: Final = {
    "author": "Username.",
    "system": "Whether the note was written by the platform. Default: true for alerts, false otherwise.",
    **threads.DESCRIPTIONS,
    "type": "Null for an individual note; other notes can be replied to in their discussion.",
    "commit_id": "The commit on which a line of a merge request was commented.",
    "suggestions": "Suggestions of a note on a line. Default: those in its body.",
    "mentioned_in": "The record that a cross-reference note refers to, as acme/site#7, acme/site!7, acme/site@0123abcd "
    "or (the second snippet) acme/site$2; the note is hidden from users who cannot see it.",
}


def _create(entry: Entry) -> Note:
    values, subject = entry.values, serialization.subject_of(entry.owner)
    name = values.get("discussion", "")
    thread = threads.discussion_id_of(subject, name)
    defaults = {
        "created_at": entry.created_at,
        "updated_at": entry.created_at,
        "system": subject[0] == "alert",
        **({"type": "DiscussionNote"} if threads.is_named(name) else {}),
        **_position_fields(entry, thread),
    }
    fields = {**defaults, **entry.select(_FIELDS)}
    if values.get("resolved_by") is not None:
        fields["resolved_by_id"] = entry.user("resolved_by").id
    # Passed separately; all other keys are fields of the note.
    body = fields.pop("body")
    note = notes.insert_note(entry.ctx, subject, entry.user("author"), body, discussion_id=thread, **fields)
    if "suggestions" in values:
        # Inserting the note adds the suggestions in its body, which the listed ones replace.
        purge(entry.ctx, *suggestions.list_suggestions(entry.world, note))
        for suggestion in values["suggestions"]:
            suggestions.insert_suggestion(entry.ctx, note, **suggestion)
    if "mentioned_in" in values:
        entry.defer(lambda: _set_mentioning_record(entry, values["mentioned_in"]))
    return note


def _position_fields(entry: Entry, thread: str) -> EntryData:
    """Return the fields for a note's position in the diff."""
    if isinstance(entry.owner, MergeRequest):
        return threads.position_fields(entry, entry.owner, entry.values, thread)
    if entry.values.get("position"):
        entry.fail("only notes on merge requests and commits can have a position", "position")
    return {}


def _set_mentioning_record(entry: Entry, reference: str) -> None:
    source = noteables.subject_of(threads.get_noteable(entry, reference, "mentioned_in"))
    entry.world.notes.change(entry.record(), source=source)


def _export(world: World, owner: Any) -> Iterable[tuple[Note, EntryData]] | None:
    notes_ = world.notes.where("subject", serialization.subject_of(owner))
    of_alert = serialization.subject_of(owner)[0] == "alert"
    # An empty list for an alert keeps loading from adding its usual system notes.
    return [(note, _serialize(world, note, of_alert=of_alert)) for note in notes_] or ([] if of_alert else None)


def _serialize(world: World, note: Note, *, of_alert: bool) -> EntryData:
    fields_ = serialization.remove_defaults(serialization.non_default_fields(note, _FIELDS), updated_at=note.created_at)
    data = {**fields_, "author": serialization.username_of(world, note.author_id)}
    if of_alert:
        return {**data, "system": note.system}
    if note.resolved_by_id is not None:
        data["resolved_by"] = serialization.username_of(world, note.resolved_by_id)
    source = noteables.find_record(world, note.source) if note.source else None
    mentioned_in = {"mentioned_in": threads.format_reference(world, source)} if source else {}
    suggestions_data = [
        serialization.non_default_fields(suggestion, _SUGGESTION.keys, always=_CONTENTS)
        for suggestion in suggestions.list_suggestions(world, note)
    ]
    return {
        **data,
        **threads.serialize_thread(note),
        **mentioned_in,
        **({"suggestions": suggestions_data} if suggestions_data else {}),
    }


SECTION: Final = Section(
    KEY,
    within=("alert", "epic", "issue", "merge_request", "snippet"),
    rank=ALERTS,
    keys=Object(
        {
            **_NOTE_KEYS,
            **threads.KEYS,
            "type": Nullable(Choice("DiscussionNote", "DiffNote")),
            "mentioned_in": TEXT,
            "suggestions": ListOf(_SUGGESTION),
            "resolved_at": Nullable(DATE_TIME),
            "resolved_by": NULLABLE_TEXT,
            "commit_id": NULLABLE_TEXT,
        },
        required=("author", "body"),
        descriptions=_DESCRIPTIONS,
    ),
    create=_create,
    export=_export,
    kind=notes.NOTE,
    record=Note,
)


def _create_discussion(entry: Entry) -> Note | None:
    """Create the notes of a discussion in their order; return the first one."""
    first, thread, common_fields = None, "", {"type": "DiscussionNote", **_position_fields(entry, "")}
    if entry.values.get("resolved_by") is not None:
        common_fields["resolved_by_id"] = entry.user("resolved_by").id
        common_fields["resolved_at"] = entry.values.get("resolved_at") or entry.created_at
    for note_values in entry.values["notes"]:
        created_at = note_values.get("created_at") or entry.created_at
        fields = {"created_at": created_at, "updated_at": created_at, **note_values, **common_fields}
        author, body = entry.get_user(fields.pop("author"), "notes"), fields.pop("body")
        note = notes.insert_note(
            entry.ctx, serialization.subject_of(entry.owner), author, body, discussion_id=thread, **fields
        )
        # The first note gets a new discussion, which the others join.
        first, thread = first or note, note.discussion_id
    return first


DISCUSSIONS: Final = Section(
    "discussions",
    within=("epic", "issue", "merge_request", "snippet"),
    rank=ALERTS,
    keys=Object(
        {
            "notes": ListOf(Object(_NOTE_KEYS, required=("author", "body"))),
            "created_at": DATE_TIME,
            "position": Nullable(threads.POSITION),
            "resolved_by": NULLABLE_TEXT,
            "resolved_at": Nullable(DATE_TIME),
        },
        required=("notes",),
        descriptions={
            "notes": "Notes, the oldest first. Exports contain them in the list of all notes of the record.",
            "position": threads.DESCRIPTIONS["position"],
            "resolved_by": "Username of the user who resolved the discussion. Default: not resolved.",
        },
    ),
    create=_create_discussion,
    export=lambda world, owner: None,
)
