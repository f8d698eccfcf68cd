"""Conversion of notes, awards and subscriptions to scenario entries."""

import re
from collections import Counter
from collections.abc import Iterable
from typing import Final

from fakeplat.core.json_types import JsonValue
from fakeplat.domain.reviews.diff_positions import line_code
from fakeplat.tape.export import field_mapping
from fakeplat.tape.export.cloning import FetchedRepository
from fakeplat.tape.export.field_mapping import Entry
from fakeplat.tape.export.natural_keys import Names, username
from fakeplat.tape.export.subresources import AWARDS, NOTES
from fakeplat.tape.records.json_objects import Document
from fakeplat.tape.records.observations import Observations
from fakeplat.tape.records.record_kinds import NOTE, PROJECT

_CROSS_REFERENCE: Final = re.compile(
    r"(?:mentioned in|moved (?:to|from)|created merge request|removed the relation with"
    r"|marked this issue as (?:related to|a duplicate of)) |marked \S+ as a duplicate of this issue$"
)
"""System notes that are visible only to users who can see the record that they mention."""
_SHAS: Final = ("base_sha", "start_sha", "head_sha")
Owner = tuple[object, ...]
"""The id and the path of a project."""


def list_notes(observations: Observations, owner: Owner, within: str) -> list[Document]:
    """Return the observed notes of an issue or merge request, oldest first."""
    notes = observations.subresources_of(PROJECT, owner, NOTES, within) or ()
    return sorted((note for note in notes if isinstance(note.get("id"), int)), key=lambda note: int(note["id"]))


def to_scenario(observations: Observations, owner: Owner, within: str, names: Names, left_out: Counter[str]) -> Entry:
    """Return the notes and awards of an issue or merge request."""
    given_awards = awards(observations, owner, within)
    notes = [
        _to_entry(observations, owner, within, note, names, left_out)
        for note in list_notes(observations, owner, within)
    ]
    return {**({AWARDS: given_awards} if given_awards else {}), **({NOTES: notes} if notes else {})}


def _to_entry(
    observations: Observations, owner: Owner, within: str, note: Document, names: Names, left_out: Counter[str]
) -> Entry:
    entry = field_mapping.map_fields(NOTE, note, left_out)
    given_awards = awards(observations, owner, f"{within}/{NOTES}/{note['id']}")
    body = note.get("body")
    is_cross_reference = bool(note.get("system")) and isinstance(body, str) and _CROSS_REFERENCE.match(body) is not None
    mentioned = names.find_mention(str(body), str(owner[1])) if is_cross_reference else None
    resolver = username(note.get("resolved_by"))
    return {
        **{name: value for name, value in entry.items() if name != "position"},
        **_diff_position(entry.get("position"), _find_repository(observations, owner), left_out),
        "author": username(note.get("author")),
        **({"resolved_by": resolver} if resolver and "resolved_at" in entry else {}),
        **({"mentioned_in": mentioned} if mentioned else {}),
        **({AWARDS: given_awards} if given_awards else {}),
    }


def _find_repository(observations: Observations, owner: Owner) -> FetchedRepository | None:
    return observations.repositories.get(owner[0]) if isinstance(owner[0], int) else None


def _diff_position(position: JsonValue, fetched: FetchedRepository | None, left_out: Counter[str]) -> Entry:
    """Return the diff position of a note; if the commits were not fetched, relative to the current diff."""
    if not isinstance(position, dict):
        return {}
    if fetched is not None:
        # After a force push, the commits of a position may be unreachable and so not part of the clone.
        is_missing = not fetched.shas.issuperset(str(position.get(name)) for name in _SHAS)
        left_out["positions of comments on missing commits"] += is_missing
        return {} if is_missing else {"position": position}
    old, new = (position.get(f"{side}_line") or 0 for side in ("old", "new"))
    path = str(position.get("new_path") or position.get("old_path") or "")
    line_fields = {name: value for name, value in position.items() if name not in _SHAS}
    return {"position": line_fields, "line_code": line_code(path, old, new)}


def subscribers(observations: Observations, kind: str, issuable: Document, notes: Iterable[Document]) -> Entry:
    """Return the subscriptions that do not follow from authorship, assignment or comments."""
    implicit = {username(issuable.get("author")), *map(username, issuable.get("assignees") or ())}
    implicit |= {username(note.get("author")) for note in notes if not note.get("system")}
    observed = observations.subscriptions.get((kind, issuable["id"]), {})
    explicit = {name: is_subscribed for name, is_subscribed in observed.items() if is_subscribed != (name in implicit)}
    return {"subscribers": explicit} if explicit else {}


def awards(observations: Observations, owner: Owner, within: str) -> list[Entry]:
    """Return the awards of an issuable or note."""
    return [
        field_mapping.map_award(award) for award in observations.subresources_of(PROJECT, owner, AWARDS, within) or ()
    ]


def count_missed(observations: Observations, owner: Owner, kind: str, issuable: Document) -> Counter[str]:
    """Count the votes and comments of an issue or merge request that were not read."""
    within, kind_name = f"{kind}s/{issuable.get('iid')}", f"{kind.replace('_', ' ')}s"
    counts = {
        (f"votes for {kind_name}", AWARDS): (issuable.get("upvotes") or 0) + (issuable.get("downvotes") or 0),
        (f"notes of {kind_name}", NOTES): issuable.get("user_notes_count") or 0,
    }
    missed = {
        label: number
        for (label, name), number in counts.items()
        if number and observations.subresources_of(PROJECT, owner, name, within) is None
    }
    return Counter(missed)
