"""Notes on commits, found through the project's events, because lists of commits do not show which have notes."""

from collections import Counter
from collections.abc import Iterator
from typing import Final

from fakeplat.tape.export import field_mapping
from fakeplat.tape.export.api_reader import PAGE, ApiReader
from fakeplat.tape.export.field_mapping import Entry
from fakeplat.tape.export.natural_keys import username
from fakeplat.tape.export.subresources import COMMENTS, COMMITS, DISCUSSIONS, NOTES, SubresourcePath
from fakeplat.tape.records.json_objects import Document, iterate_objects
from fakeplat.tape.records.observations import Observations
from fakeplat.tape.records.record_kinds import NOTE, PROJECT

KEY: Final = "commit_comments"
_COMMIT: Final = "Commit"
_LEGACY: Final = "LegacyDiffNote"
_POSITION_KEYS: Final = ("path", "line", "line_type")


async def crawl_commit_notes(reader: ApiReader, container: str) -> None:
    """Read the notes of the commits of the project at the path ``container``.

    If the events do not name the commits, all commits are read until as many notes are found as there are events.
    """
    shas, unnamed_count = dict[str, None](), 0
    async for event in reader.iterate_rows(f"{container}/events", f"{PAGE}&action=commented", observe=False):
        for note in iterate_objects(event.get("note")):
            if note.get("noteable_type") == _COMMIT:
                sha = note.get("commit_id")
                shas |= {sha: None} if isinstance(sha, str) else {}
                unnamed_count += not isinstance(sha, str)
    for sha in shas:
        await _crawl_commit(reader, container, sha)
    if unnamed_count:
        async for commit in reader.iterate_rows(f"{container}/repository/{COMMITS}", f"{PAGE}&all=true", observe=False):
            # Once the notes of all unnamed events are found, no other commit is asked for its notes.
            unnamed_count -= (
                await _crawl_commit(reader, container, str(commit.get("short_id"))) if unnamed_count > 0 else 0
            )


async def _crawl_commit(reader: ApiReader, container: str, sha: str) -> int:
    """Read the notes on a commit and return their number."""
    path = f"{container}/repository/{COMMITS}/{sha}"
    count = 0
    async for comment in reader.iterate_rows(f"{path}/{COMMENTS}", PAGE):
        count += bool(comment)
    if count:
        await reader.read_optional(f"{path}/{DISCUSSIONS}")
    return count


def to_scenario(
    observations: Observations, owner: tuple[object, ...], paths: list[SubresourcePath], left_out: Counter[str]
) -> Entry:
    """Return the notes on the commits of a project (id and path), oldest first.

    There are none if the project's repository was not fetched.
    """
    dated_notes = [
        dated_note
        for notes_path in paths
        for dated_note in _dated_notes(observations, owner, notes_path.within, left_out)
    ]
    if owner[0] not in observations.repositories:
        left_out["comments on commits"] += len(dated_notes)
        return {}
    notes = [note for _, note in sorted(dated_notes, key=lambda dated_note: dated_note[0])]
    return {KEY: notes} if notes else {}


def list_note_paths(observations: Observations) -> dict[tuple[str, str], list[SubresourcePath]]:
    """Return the paths of notes on commits, by project."""
    paths_by_owner: dict[tuple[str, str], list[SubresourcePath]] = {}
    for path in observations.subresources:
        if path.name == COMMENTS or (path.name == NOTES and path.within.startswith(f"{COMMITS}/")):
            paths_by_owner.setdefault(path.owner, []).append(path._replace(name=NOTES))
    return {owner: list(dict.fromkeys(paths)) for owner, paths in paths_by_owner.items()}


def _dated_notes(
    observations: Observations, owner: tuple[object, ...], within: str, left_out: Counter[str]
) -> Iterator[tuple[tuple[str, int], Entry]]:
    comments = observations.subresources_of(PROJECT, owner, COMMENTS, within) or []
    notes = observations.subresources_of(PROJECT, owner, NOTES, within) or [
        {**comment, "body": comment.get("note"), "type": _LEGACY} for comment in comments
    ]
    for note in notes:
        id_ = note.get("id")
        order = (note.get("created_at") or "", id_ if isinstance(id_, int) else 0)
        yield order, _to_entry(note, within.partition("/")[2], comments, left_out)


def _to_entry(note: Document, sha: str, comments: list[Document], left_out: Counter[str]) -> Entry:
    # Only the comments of a commit show the position of a legacy diff note.
    is_legacy = note.get("type") == _LEGACY
    shown_fields = {name: value for name, value in note.items() if name not in (*_POSITION_KEYS, "note")}
    entry = field_mapping.map_fields(NOTE, {**shown_fields, "type": None} if is_legacy else shown_fields, left_out)
    position = next((comment for comment in comments if _is_same_note(comment, note)), {}) if is_legacy else {}
    return {
        **{name: value for name, value in entry.items() if name not in ("body", "system")},
        "commit": note.get("commit_id") or sha,
        "author": username(note.get("author")),
        "note": note.get("body"),
        **{name: position[name] for name in _POSITION_KEYS if position.get(name) is not None},
    }


def _is_same_note(comment: Document, note: Document) -> bool:
    return (comment.get("note"), comment.get("created_at"), username(comment.get("author"))) == (
        note.get("body"),
        note.get("created_at"),
        username(note.get("author")),
    )
