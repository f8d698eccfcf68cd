"""Draft notes of merge requests."""

from collections.abc import Iterable
from typing import Final

from fakeplat.core.schema.shapes import BOOLEAN, DATE_TIME, TEXT, Object
from fakeplat.domain.notes import draft_notes
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.notes import DraftNote
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import ALERTS, EntryData, Section
from fakeplat.scenario.sections import serialization
from fakeplat.scenario.sections.notes import threads

_FIELDS: Final = ("resolve_discussion", "commit_id", "created_at", "updated_at")


def _create(entry: Entry) -> DraftNote:
    values, merge_request = entry.values, entry.owner
    name = values.get("discussion", "")
    thread = threads.discussion_id_of(serialization.subject_of(merge_request), name) or None
    times = {"created_at": entry.created_at, "updated_at": entry.created_at}
    place = threads.position_fields(entry, merge_request, values, "") if values.get("position") else {}
    fields = {name: value for name, value in place.items() if name in ("position", "line_code")}
    return draft_notes.insert(
        entry.ctx,
        merge_request,
        entry.user("author"),
        values["note"],
        **{**times, **entry.select(_FIELDS), **fields, "discussion_id": thread},
    )


def _export(world: World, merge_request: MergeRequest) -> Iterable[tuple[DraftNote, EntryData]] | None:
    drafts = draft_notes.list_drafts(world, merge_request)
    return [(draft, _serialize(world, draft)) for draft in drafts] or None


def _serialize(world: World, draft: DraftNote) -> EntryData:
    fields = serialization.remove_defaults(
        serialization.non_default_fields(draft, _FIELDS), updated_at=draft.created_at
    )
    thread = {} if draft.discussion_id is None else {"discussion": draft.discussion_id}
    place = threads.serialize_position(draft.position, draft.line_code)
    return {
        "author": serialization.username_of(world, draft.author_id),
        "note": draft.note,
        **fields,
        **thread,
        **place,
    }


SECTION: Final = Section(
    "draft_notes",
    within=("merge_request",),
    rank=ALERTS,
    keys=Object(
        {
            "author": TEXT,
            "note": TEXT,
            "resolve_discussion": BOOLEAN,
            "commit_id": TEXT,
            "created_at": DATE_TIME,
            "updated_at": DATE_TIME,
            **threads.KEYS,
        },
        required=("author", "note"),
        descriptions={
            **threads.DESCRIPTIONS,
            "author": "Username of the only user who sees it.",
            "note": "Text of the comment.",
            "discussion": "Discussion that it replies to: a name shared by its notes, or an id of 40 hex digits.",
            "resolve_discussion": "Whether publishing it resolves the discussion.",
            "commit_id": "Hash of the commit that it is about.",
        },
    ),
    create=_create,
    export=_export,
    name_key="note",
)
