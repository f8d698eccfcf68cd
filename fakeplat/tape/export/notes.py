"""What is said of things, and the emoji that people gave to them and to what was said."""

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any, Final

from fakeplat.domain.notes.diff_positions import line_code
from fakeplat.tape.export import field_mapping as saying
from fakeplat.tape.export.cloning import Fetched
from fakeplat.tape.export.field_mapping import Said
from fakeplat.tape.export.json_objects import Document
from fakeplat.tape.export.natural_keys import Names, username
from fakeplat.tape.export.observations import Observations
from fakeplat.tape.export.record_kinds import NOTE, PROJECT
from fakeplat.tape.export.subresources import AWARDS, NOTES

_CROSS_REFERENCE: Final = re.compile(
    r"(?:mentioned in|moved (?:to|from)|created merge request|removed the relation with"
    r"|marked this issue as (?:related to|a duplicate of)) |marked \S+ as a duplicate of this issue$"
)
"""The platform's notes that are hidden from whoever does not see what they name."""
_SHAS: Final = ("base_sha", "start_sha", "head_sha")
Owner = tuple[object, ...]
"""The names of a project: its id and its path."""


def list_notes(seen: Observations, owner: Owner, within: str) -> list[Document]:
    """The notes of an issue or merge request that were seen, in the order in which they were written."""
    found = seen.parts_of(PROJECT, owner, NOTES, within) or ()
    return sorted((note for note in found if isinstance(note.get("id"), int)), key=lambda note: int(note["id"]))


def to_scenario(seen: Observations, owner: Owner, within: str, names: Names, left_out: Counter[str]) -> Said:
    """Notes and awards of an issue or merge request."""
    given = awards(seen, owner, within)
    notes = [_note(seen, owner, within, note, names, left_out) for note in list_notes(seen, owner, within)]
    return {**({AWARDS: given} if given else {}), **({NOTES: notes} if notes else {})}


def _note(seen: Observations, owner: Owner, within: str, note: Document, names: Names, left_out: Counter[str]) -> Said:
    said = saying.map_fields(NOTE, note, left_out)
    given = awards(seen, owner, f"{within}/{NOTES}/{note['id']}")
    body = note.get("body")
    mentions = bool(note.get("system")) and isinstance(body, str) and _CROSS_REFERENCE.match(body) is not None
    mentioned = names.mentioned(str(body), str(owner[1])) if mentions else None
    settled = username(note.get("resolved_by"))
    return {
        **{name: value for name, value in said.items() if name != "position"},
        **_position(said.get("position"), _fetched(seen, owner), left_out),
        "author": username(note.get("author")),
        **({"resolved_by": settled} if settled and "resolved_at" in said else {}),
        **({"mentioned_in": mentioned} if mentioned else {}),
        **({AWARDS: given} if given else {}),
    }


def _fetched(seen: Observations, owner: Owner) -> Fetched | None:
    return seen.repositories.get(owner[0]) if isinstance(owner[0], int) else None


def _position(position: Any, fetched: Fetched | None, left_out: Counter[str]) -> Said:
    """The place in a difference that a note is about; where nobody has the commits, in the difference as it stands."""
    if not isinstance(position, dict):
        return {}
    if fetched is not None:
        gone = not fetched.holds.issuperset(str(position.get(name)) for name in _SHAS)
        left_out["places of comments in commits that are gone"] += gone
        return {} if gone else {"position": position}
    old, new = (position.get(f"{side}_line") or 0 for side in ("old", "new"))
    path = str(position.get("new_path") or position.get("old_path") or "")
    rest = {name: value for name, value in position.items() if name not in _SHAS}
    return {"position": rest, "line_code": line_code(path, old, new)}


def subscribers(seen: Observations, kind: str, one: Document, notes: Iterable[Document]) -> Said:
    """Who hears of an issue or merge request other than as its author, as assigned to it or by what they said."""
    by_nature = {username(one.get("author")), *map(username, one.get("assignees") or ())}
    by_nature |= {username(note.get("author")) for note in notes if not note.get("system")}
    said = seen.heard.get((kind, one["id"]), {})
    unusual = {name: hears for name, hears in said.items() if hears != (name in by_nature)}
    return {"subscribers": unusual} if unusual else {}


def awards(seen: Observations, owner: Owner, within: str) -> list[Said]:
    """The emoji that a thing was given."""
    return [saying.map_award(award) for award in seen.parts_of(PROJECT, owner, AWARDS, within) or ()]


def count_missed(seen: Observations, owner: Owner, kind: str, one: Document) -> Counter[str]:
    """Votes and comments of an issue or merge request of which only the number is known."""
    within, words = f"{kind}s/{one.get('iid')}", f"{kind.replace('_', ' ')}s"
    numbers = {
        (f"votes for {words}", AWARDS): (one.get("upvotes") or 0) + (one.get("downvotes") or 0),
        (f"notes of {words}", NOTES): one.get("user_notes_count") or 0,
    }
    unseen = {
        what: number
        for (what, word), number in numbers.items()
        if number and seen.parts_of(PROJECT, owner, word, within) is None
    }
    return Counter(unseen)
