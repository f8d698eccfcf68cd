"""Records as arguments name them: by full path, number or global id, and only as far as the caller sees them."""

from typing import Any, Final

from fakeplat.api.scopes import find_issue, find_merge_request, find_project
from fakeplat.core.operations.errors import NotFound
from fakeplat.core.store.sorted_sequence import number_of
from fakeplat.domain.notes import note_access, noteables
from fakeplat.domain.people import namespaces
from fakeplat.graphql.errors import ResourceNotAvailable
from fakeplat.graphql.ids import id_of, parse_global_id
from fakeplat.model.issues import Issue
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.namespaces import Namespace
from fakeplat.model.notes import Note
from fakeplat.model.projects import Project
from fakeplat.policy.authorization import caller_name, can_see
from fakeplat.policy.context import ReadContext

NOTES: Final = ("Note", "DiscussionNote", "DiffNote", "LegacyDiffNote")
"""What notes are called in global ids."""
_NOTEABLES: Final = {declared.type: declared.kind for declared in (noteables.ISSUE, noteables.MERGE_REQUEST)}


def project_at(ctx: ReadContext, full_path: str) -> Project | None:
    """The project at a path, or None."""
    found = namespaces.find_project_by_path(ctx.world, full_path)
    return found if found is not None and can_see(ctx, found) else None


def namespace_at(ctx: ReadContext, full_path: str) -> Namespace | None:
    """The group's or user's namespace at a path, whoever asks."""
    return namespaces.find_by_path(ctx.world, full_path)


def demand_project(ctx: ReadContext, full_path: str) -> Project:
    """The project at a path, or 404; a number is no path."""
    if number_of(full_path) is not None:
        raise NotFound("Project", reason=f"{full_path} is no full path")
    return find_project(ctx, full_path)


def demand_issue(ctx: ReadContext, full_path: str, iid: str) -> tuple[Project, Issue]:
    """A project's issue, or 404."""
    project = demand_project(ctx, full_path)
    return project, find_issue(ctx, project, number_of(iid) or 0)


def demand_merge_request(ctx: ReadContext, full_path: str, iid: str) -> tuple[Project, MergeRequest]:
    """A project's merge request, or 404."""
    project = demand_project(ctx, full_path)
    return project, find_merge_request(ctx, project, number_of(iid) or 0)


def demand_noteable(ctx: ReadContext, text: str, wanted: str = "Noteable") -> Any:
    """The issue or merge request with a global id; an error for what is none, or hidden from the caller."""
    kind, id_ = parse_global_id(ctx, text, wanted, tuple(_NOTEABLES))
    found = noteables.find_record(ctx.world, (_NOTEABLES[kind], number_of(id_) or 0))
    if found is None or not noteables.is_visible(ctx, found):
        raise ResourceNotAvailable(lambda: f"{text} is not there, or hidden from {caller_name(ctx)}")
    return found


def demand_note(ctx: ReadContext, text: str) -> tuple[Any, Note]:
    """The note with a global id, with what it is about; an error for what is none, or hidden from the caller."""
    found = ctx.world.notes.get(id_of(ctx, text, *NOTES))
    record = noteables.find_record(ctx.world, found.subject) if found is not None else None
    if (
        found is None
        or record is None
        or not (noteables.is_visible(ctx, record) and note_access.is_visible(ctx, found))
    ):
        raise ResourceNotAvailable(lambda: f"{text} is not there, or hidden from {caller_name(ctx)}")
    return record, found


def demand_awardable(ctx: ReadContext, text: str) -> tuple[Any, Note | None]:
    """The issue or merge request with a global id, or the note on one."""
    kind, _ = parse_global_id(ctx, text, "Awardable", (*_NOTEABLES, *NOTES))
    return demand_note(ctx, text) if kind in NOTES else (demand_noteable(ctx, text), None)
