"""Records as arguments name them: by full path, number or global id, and only as far as the caller sees them."""

from typing import Any, Final

from fakeplat.api.scopes import find_issue, find_merge_request, find_project
from fakeplat.core.operations.errors import NotFound
from fakeplat.core.store.ids import number_of
from fakeplat.domain.notes import noteables, notes
from fakeplat.domain.people import namespaces
from fakeplat.graphql.errors import Unavailable
from fakeplat.graphql.ids import id_of, named
from fakeplat.model.issues import Issue
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.namespaces import Namespace
from fakeplat.model.notes import Note
from fakeplat.model.projects import Project
from fakeplat.policy.context import Context
from fakeplat.policy.rulings import caller, sees

NOTES: Final = ("Note", "DiscussionNote", "DiffNote", "LegacyDiffNote")
"""What notes are called in global ids."""
_NOTEABLES: Final = {declared.type: declared.kind for declared in (noteables.ISSUE, noteables.MERGE_REQUEST)}


def project_at(cx: Context, full_path: str) -> Project | None:
    """The project at a path, or None."""
    found = namespaces.project_at(cx.world, full_path)
    return found if found is not None and sees(cx, found) else None


def namespace_at(cx: Context, full_path: str) -> Namespace | None:
    """The group's or user's namespace at a path, whoever asks."""
    return namespaces.at_path(cx.world, full_path)


def demand_project(cx: Context, full_path: str) -> Project:
    """The project at a path, or 404; a number is no path."""
    if number_of(full_path) is not None:
        raise NotFound("Project", reason=f"{full_path} is no full path")
    return find_project(cx, full_path)


def demand_issue(cx: Context, full_path: str, iid: str) -> tuple[Project, Issue]:
    """A project's issue, or 404."""
    project = demand_project(cx, full_path)
    return project, find_issue(cx, project, number_of(iid) or 0)


def demand_merge_request(cx: Context, full_path: str, iid: str) -> tuple[Project, MergeRequest]:
    """A project's merge request, or 404."""
    project = demand_project(cx, full_path)
    return project, find_merge_request(cx, project, number_of(iid) or 0)


def demand_noteable(cx: Context, text: str, wanted: str = "Noteable") -> Any:
    """The issue or merge request with a global id; an error for what is none, or hidden from the caller."""
    kind, id_ = named(cx, text, wanted, tuple(_NOTEABLES))
    found = noteables.found(cx.world, (_NOTEABLES[kind], number_of(id_) or 0))
    if found is None or not noteables.visible(cx, found):
        raise Unavailable(lambda: f"{text} is not there, or hidden from {caller(cx)}")
    return found


def demand_note(cx: Context, text: str) -> tuple[Any, Note]:
    """The note with a global id, with what it is about; an error for what is none, or hidden from the caller."""
    found = cx.world.notes.get(id_of(cx, text, *NOTES))
    record = noteables.found(cx.world, found.subject) if found is not None else None
    if found is None or record is None or not (noteables.visible(cx, record) and notes.visible(cx, found)):
        raise Unavailable(lambda: f"{text} is not there, or hidden from {caller(cx)}")
    return record, found


def demand_awardable(cx: Context, text: str) -> tuple[Any, Note | None]:
    """The issue or merge request with a global id, or the note on one."""
    kind, _ = named(cx, text, "Awardable", (*_NOTEABLES, *NOTES))
    return demand_note(cx, text) if kind in NOTES else (demand_noteable(cx, text), None)
