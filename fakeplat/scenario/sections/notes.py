"""What is said of things, one by one and in discussions. Where notes of an alert are listed, those are all."""

from collections.abc import Iterable
from typing import Any, Final

from fakeplat.core.schema.records import fields
from fakeplat.core.schema.shapes import BOOLEAN, DATE_TIME, NULLABLE_TEXT, TEXT, Choice, ListOf, Nullable, Object
from fakeplat.domain.merge_requests import suggestions
from fakeplat.domain.notes import noteables, notes
from fakeplat.domain.purging import purge
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.notes import Note
from fakeplat.model.suggestions import Suggestion
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import ALERTS, Section, Told
from fakeplat.scenario.sections import serialization as telling
from fakeplat.scenario.sections import threads

KEY: Final = "notes"
_CONTENTS: Final = ("from_content", "to_content")
_SUGGESTION: Final = Object(fields(Suggestion, without=("id", "note_id")), required=_CONTENTS)
_OWN: Final = ("body", "system", "created_at", "updated_at", "type", "confidential", "resolved_at")
_SAID: Final = {
    "author": TEXT,
    "body": TEXT,
    "system": BOOLEAN,
    "confidential": BOOLEAN,
    "created_at": DATE_TIME,
    "updated_at": DATE_TIME,
}
_ABOUT: Final = {
    "author": "A username.",
    "system": "Whether the platform wrote it, as it does of alerts unless something else is said.",
    **threads.ABOUT,
    "type": "Null for a note that stands alone; otherwise it can be replied to in its discussion.",
    "suggestions": "Of a note on a line: its suggestions, in place of those in its body.",
    "mentioned_in": "What the note tells of, as acme/site#7, acme/site!7, acme/site@0123abcd or (the second snippet) "
    "acme/site$2: it is hidden from who does not see that.",
}


def _make(entry: Entry) -> Note:
    said, subject = entry.said, telling.subject_of(entry.owner)
    name = said.get("discussion", "")
    thread = threads.id_of(subject, name)
    usual = {
        "created_at": entry.created_at,
        "updated_at": entry.created_at,
        "system": subject[0] == "alert",
        **({"type": "DiscussionNote"} if threads.is_named(name) else {}),
        **_place(entry, thread),
    }
    fields = {**usual, **entry.given(_OWN)}
    if said.get("resolved_by") is not None:
        fields["resolved_by_id"] = entry.user("resolved_by").id
    body = fields.pop("body")
    note = notes.insert_note(entry.ctx, subject, entry.user("author"), body, discussion_id=thread, **fields)
    if "suggestions" in said:
        purge(entry.ctx, *suggestions.list_suggestions(entry.world, note))
        for suggestion in said["suggestions"]:
            suggestions.insert_suggestion(entry.ctx, note, **suggestion)
    if "mentioned_in" in said:
        entry.afterwards(lambda: _tie(entry, said["mentioned_in"]))
    return note


def _place(entry: Entry, thread: str) -> dict[str, Any]:
    """What line of the merge request a note is about."""
    if isinstance(entry.owner, MergeRequest):
        return threads.position_fields(entry, entry.owner, entry.said, thread)
    if entry.said.get("position"):
        entry.wrong("only what is said of merge requests and commits is about lines", "position")
    return {}


def _tie(entry: Entry, mentioning: str) -> None:
    source = noteables.subject_of(threads.find_noteable(entry, mentioning, "mentioned_in"))
    entry.world.notes.change(entry.record(), source=source)


def _tell(world: World, owner: Any) -> Iterable[tuple[Note, Told]] | None:
    found = world.notes.where("subject", telling.subject_of(owner))
    alone = telling.subject_of(owner)[0] == "alert"
    return [(note, _told(world, note, alone=alone)) for note in found] or ([] if alone else None)


def _told(world: World, note: Note, *, alone: bool) -> Told:
    found = telling.remove_defaults(telling.non_default_fields(note, _OWN), updated_at=note.created_at)
    told = {**found, "author": telling.username_of(world, note.author_id)}
    if alone:
        return {**told, "system": note.system}
    if note.resolved_by_id is not None:
        told["resolved_by"] = telling.username_of(world, note.resolved_by_id)
    source = noteables.find_record(world, note.source) if note.source else None
    mentioning = {"mentioned_in": threads.format_reference(world, source)} if source else {}
    own = [
        telling.non_default_fields(one, _SUGGESTION.keys, always=_CONTENTS)
        for one in suggestions.list_suggestions(world, note)
    ]
    return {**told, **threads.serialize_thread(note), **mentioning, **({"suggestions": own} if own else {})}


SECTION: Final = Section(
    KEY,
    under=("alert", "issue", "merge_request", "snippet"),
    rank=ALERTS,
    keys=Object(
        {
            **_SAID,
            **threads.KEYS,
            "type": Nullable(Choice("DiscussionNote", "DiffNote")),
            "mentioned_in": TEXT,
            "suggestions": ListOf(_SUGGESTION),
            "resolved_at": Nullable(DATE_TIME),
            "resolved_by": NULLABLE_TEXT,
        },
        required=("author", "body"),
        descriptions=_ABOUT,
    ),
    make=_make,
    tell=_tell,
    kind=notes.NOTE,
)


def _make_discussion(entry: Entry) -> Note | None:
    """The notes of a discussion, in their order."""
    first, thread, about = None, "", {"type": "DiscussionNote", **_place(entry, "")}
    if entry.said.get("resolved_by") is not None:
        about["resolved_by_id"] = entry.user("resolved_by").id
        about["resolved_at"] = entry.said.get("resolved_at") or entry.created_at
    for said in entry.said["notes"]:
        created_at = said.get("created_at") or entry.created_at
        fields = {"created_at": created_at, "updated_at": created_at, **said, **about}
        author, body = entry.named_user(fields.pop("author"), "notes"), fields.pop("body")
        note = notes.insert_note(
            entry.ctx, telling.subject_of(entry.owner), author, body, discussion_id=thread, **fields
        )
        first, thread = first or note, note.discussion_id
    return first


DISCUSSIONS: Final = Section(
    "discussions",
    under=("issue", "merge_request", "snippet"),
    rank=ALERTS,
    keys=Object(
        {
            "notes": ListOf(Object(_SAID, required=("author", "body"))),
            "created_at": DATE_TIME,
            "position": Nullable(threads.POSITION),
            "resolved_by": NULLABLE_TEXT,
            "resolved_at": Nullable(DATE_TIME),
        },
        required=("notes",),
        descriptions={
            "notes": "What was said in it, the oldest first; an export tells it under the thing's own notes.",
            "position": threads.ABOUT["position"],
            "resolved_by": "Who settled it, a username; nobody if it is not settled.",
        },
    ),
    make=_make_discussion,
    tell=lambda world, owner: None,
)
