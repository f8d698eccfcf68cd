"""The crawler of single issues and merge requests: reads what their rows in a list do not show.

A row shows whether an issuable has a history. If it has no comments, votes, labels and so on, and was not updated since
its creation, nothing more is requested.
"""

from typing import Final
from urllib.parse import unquote

from fakeplat.tape.export.api_reader import ApiReader
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
from fakeplat.tape.records.json_objects import Document, iterate_objects
from fakeplat.tape.records.record_kinds import PROJECT

_HISTORY_FIELDS: Final = (
    "user_notes_count upvotes downvotes labels milestone assignees weight confidential due_date discussion_locked "
    "moved_to_id closed_at merged_at"
).split()
"""Fields of a row that are set if the issuable has a history."""
_SUBRESOURCES: Final = {
    ISSUES: (DISCUSSIONS, AWARDS, LINKS, *HISTORIES),
    MERGE_REQUESTS: (DISCUSSIONS, AWARDS, *(word for word in HISTORIES if word != WEIGHT_EVENTS)),
}
_OF_ANY_MERGE_REQUEST: Final = (VERSIONS, APPROVALS)


async def crawl_issuable(reader: ApiReader, container: str, collection: str, issuable: Document) -> None:
    """Read the subresources of an issue or merge request, given its row in a list.

    ``container`` is the path of the project, ``collection`` is ``issues`` or ``merge_requests``.
    """
    iid = issuable.get("iid")
    if iid is None:
        return
    if collection == MERGE_REQUESTS:
        for name in _OF_ANY_MERGE_REQUEST:
            await reader.read_optional(f"{container}/{collection}/{iid}/{name}")
    elif issuable.get("merge_requests_count"):
        await reader.read_optional(f"{container}/{collection}/{iid}/{CLOSED_BY}")
    if collection == ISSUES and not has_history(issuable):
        return
    await _read_single(reader, f"{container}/{collection}/{iid}", issuable)
    for name in _SUBRESOURCES[collection] if has_history(issuable) else ():
        # Rows only have the field on tiers with weights; elsewhere the request would be refused.
        if name != WEIGHT_EVENTS or "weight" in issuable:
            await reader.read_optional(f"{container}/{collection}/{iid}/{name}")
    path = unquote(container.partition("/")[2])
    for note in reader.observations.subresources_of(PROJECT, (path,), NOTES, f"{collection}/{iid}") or ():
        if not note.get("system") and note.get("id") is not None:
            await reader.read_optional(f"{container}/{collection}/{iid}/{NOTES}/{note.get('id')}/{AWARDS}")


def has_history(issuable: Document) -> bool:
    """Whether an issue or merge request was changed after its creation."""
    return any(issuable.get(field) for field in _HISTORY_FIELDS) or issuable.get("updated_at") != issuable.get(
        "created_at"
    )


async def _read_single(reader: ApiReader, path: str, issuable: Document) -> None:
    """Read the issuable itself, which shows the subscription, and triggers the merge check of a merge request."""
    for details in iterate_objects(await reader.page(path, "")):
        if "merge_status" in details:
            issuable.update(details)
