"""What is said of commits: found by the activity of the project, since no list of commits tells of it."""

from collections import Counter
from collections.abc import Iterator
from typing import Final

from fakeplat.tape.export import field_mapping as saying
from fakeplat.tape.export.api_reader import PAGE, ApiReader
from fakeplat.tape.export.field_mapping import Said
from fakeplat.tape.export.json_objects import Document, iterate_objects
from fakeplat.tape.export.natural_keys import username
from fakeplat.tape.export.observations import Observations
from fakeplat.tape.export.record_kinds import NOTE, PROJECT
from fakeplat.tape.export.subresources import COMMENTS, COMMITS, DISCUSSIONS, NOTES, SubresourcePath

KEY: Final = "commit_comments"
_COMMIT: Final = "Commit"
_LEGACY: Final = "LegacyDiffNote"
_LINE: Final = ("path", "line", "line_type")


async def crawl_commit_notes(reading: ApiReader, place: str) -> None:
    """Ask about the commits of the project at ``place`` of which somebody said something.

    A server whose activity does not name the commit has all of them asked about, until as much was found.
    """
    named, unnamed = dict[str, None](), 0
    async for event in reading.every(f"{place}/events", f"{PAGE}&action=commented", kept=False):
        for note in iterate_objects(event.get("note")):
            if note.get("noteable_type") == _COMMIT:
                sha = note.get("commit_id")
                named |= {sha: None} if isinstance(sha, str) else {}
                unnamed += not isinstance(sha, str)
    for sha in named:
        await _commit(reading, place, sha)
    if unnamed:
        async for commit in reading.every(f"{place}/repository/{COMMITS}", f"{PAGE}&all=true", kept=False):
            unnamed -= await _commit(reading, place, str(commit.get("short_id"))) if unnamed > 0 else 0


async def _commit(reading: ApiReader, place: str, sha: str) -> int:
    """Ask what is said of a commit; how much that is."""
    path = f"{place}/repository/{COMMITS}/{sha}"
    count = 0
    async for comment in reading.every(f"{path}/{COMMENTS}", PAGE):
        count += bool(comment)
    if count:
        await reading.of_many(f"{path}/{DISCUSSIONS}")
    return count


def to_scenario(
    seen: Observations, owner: tuple[object, ...], places: list[SubresourcePath], left_out: Counter[str]
) -> Said:
    """What is said of the commits of the project with an id and a path, in the order in which it was.

    Nothing of a project whose commits did not come.
    """
    found = [one for place in places for one in _of_commit(seen, owner, place.within, left_out)]
    if owner[0] not in seen.repositories:
        left_out["comments of commits"] += len(found)
        return {}
    said = [note for _, note in sorted(found, key=lambda one: one[0])]
    return {KEY: said} if said else {}


def list_places(seen: Observations) -> dict[tuple[str, str], list[SubresourcePath]]:
    """Where something was said of commits, by project."""
    found: dict[tuple[str, str], list[SubresourcePath]] = {}
    for place in seen.parts:
        if place.word == COMMENTS or (place.word == NOTES and place.within.startswith(f"{COMMITS}/")):
            found.setdefault(place.owner, []).append(place._replace(word=NOTES))
    return {owner: list(dict.fromkeys(places)) for owner, places in found.items()}


def _of_commit(
    seen: Observations, owner: tuple[object, ...], within: str, left_out: Counter[str]
) -> Iterator[tuple[tuple[str, int], Said]]:
    comments = seen.parts_of(PROJECT, owner, COMMENTS, within) or []
    notes = seen.parts_of(PROJECT, owner, NOTES, within) or [
        {**comment, "body": comment.get("note"), "type": _LEGACY} for comment in comments
    ]
    for note in notes:
        id_ = note.get("id")
        order = (note.get("created_at") or "", id_ if isinstance(id_, int) else 0)
        yield order, _note(note, within.partition("/")[2], comments, left_out)


def _note(note: Document, sha: str, comments: list[Document], left_out: Counter[str]) -> Said:
    legacy = note.get("type") == _LEGACY
    shown = {name: value for name, value in note.items() if name not in (*_LINE, "note")}
    fields = saying.map_fields(NOTE, {**shown, "type": None} if legacy else shown, left_out)
    line = next((comment for comment in comments if _same(comment, note)), {}) if legacy else {}
    return {
        **{name: value for name, value in fields.items() if name not in ("body", "system")},
        "commit": note.get("commit_id") or sha,
        "author": username(note.get("author")),
        "note": note.get("body"),
        **{name: line[name] for name in _LINE if line.get(name) is not None},
    }


def _same(comment: Document, note: Document) -> bool:
    return (comment.get("note"), comment.get("created_at"), username(comment.get("author"))) == (
        note.get("body"),
        note.get("created_at"),
        username(note.get("author")),
    )
