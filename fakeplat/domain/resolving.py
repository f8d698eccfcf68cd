"""Threads on merge requests that are settled, or not yet. Source: more on notes and discussions."""

from typing import Final

from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.notes import Note
from fakeplat.model.world import World

_THREADS: Final = ("DiscussionNote", "DiffNote")


def is_resolvable(note: Note) -> bool:
    """Whether a note on a merge request is one that can be settled."""
    return note.subject[0] == "merge_request" and note.type in _THREADS and not note.system


def all_resolved(world: World, merge_request: MergeRequest) -> bool:
    """Whether nothing that was said of a merge request waits to be settled."""
    found = world.notes.where("subject", ("merge_request", merge_request.id))
    return not any(is_resolvable(note) and note.resolved_at is None for note in found)
