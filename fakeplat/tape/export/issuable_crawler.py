"""What is asked of each issue and merge request beyond its row in the list.

A row tells whether anything was ever done with the thing: with one that has no comments, votes, labels and so on, and
was last changed when it was made, nobody did, and nothing more is asked.
"""

from typing import Final
from urllib.parse import unquote

from fakeplat.tape.export.api_reader import ApiReader
from fakeplat.tape.export.json_objects import Document, iterate_objects
from fakeplat.tape.export.record_kinds import PROJECT
from fakeplat.tape.export.subresources import (
    APPROVALS,
    AWARDS,
    CLOSED_BY,
    DISCUSSIONS,
    HISTORIES,
    ISSUES,
    LINKS,
    MERGE_REQUESTS,
    NOTES,
    VERSIONS,
    WEIGHT_EVENTS,
)

_SIGNS: Final = (
    "user_notes_count upvotes downvotes labels milestone assignees weight confidential due_date discussion_locked "
    "moved_to_id closed_at merged_at"
).split()
"""What a row shows of a thing with which something was done."""
_LISTS: Final = {
    ISSUES: (DISCUSSIONS, AWARDS, LINKS, *HISTORIES),
    MERGE_REQUESTS: (DISCUSSIONS, AWARDS, *(word for word in HISTORIES if word != WEIGHT_EVENTS)),
}
_OF_ANY_MERGE_REQUEST: Final = (VERSIONS, APPROVALS)


async def crawl_issuable(reading: ApiReader, place: str, things: str, one: Document) -> None:
    """Read what an issue or merge request of the project at ``place`` has, by the row that its list showed."""
    number = one.get("iid")
    if number is None:
        return
    if things == MERGE_REQUESTS:
        for word in _OF_ANY_MERGE_REQUEST:
            await reading.of_many(f"{place}/{things}/{number}/{word}")
    elif one.get("merge_requests_count"):
        await reading.of_many(f"{place}/{things}/{number}/{CLOSED_BY}")
    if things == ISSUES and not has_history(one):
        return
    await _single(reading, f"{place}/{things}/{number}", one)
    for word in _LISTS[things] if has_history(one) else ():
        if word != WEIGHT_EVENTS or "weight" in one:
            await reading.of_many(f"{place}/{things}/{number}/{word}")
    path = unquote(place.partition("/")[2])
    for note in reading.seen.parts_of(PROJECT, (path,), NOTES, f"{things}/{number}") or ():
        if not note.get("system") and note.get("id") is not None:
            await reading.of_many(f"{place}/{things}/{number}/{NOTES}/{note.get('id')}/{AWARDS}")


def has_history(one: Document) -> bool:
    """Whether anything was done with an issue or merge request since it was made."""
    return any(one.get(sign) for sign in _SIGNS) or one.get("updated_at") != one.get("created_at")


async def _single(reading: ApiReader, path: str, one: Document) -> None:
    """What a single one tells: who hears of it, and if it can be merged, which the server finds out when asked."""
    for shown in iterate_objects(await reading.page(path, "")):
        if "merge_status" in shown:
            one.update(shown)
