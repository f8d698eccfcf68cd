"""Lookups of records by full path, number or global id, restricted to those that the caller can see."""

from typing import Any, Final

from fakeplat.api.scopes import get_issue, get_merge_request, get_project
from fakeplat.core.operations.errors import NotFound, OperationNotImplemented
from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.domain.notes import note_access, noteables
from fakeplat.domain.people import namespaces
from fakeplat.graphql.errors import ResourceNotAvailable
from fakeplat.graphql.ids import parse_global_id, parse_id
from fakeplat.model.issues import Issue
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.notes import Note
from fakeplat.model.people import Group, Namespace
from fakeplat.model.projects import Container, Project
from fakeplat.model.snippets import Snippet
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import caller_name, can, can_see
from fakeplat.policy.context import ReadContext
from fakeplat.policy.features import has_feature

NOTES: Final = ("Note", "DiscussionNote", "DiffNote", "LegacyDiffNote")
"""The kinds of notes in global ids."""
TODOABLE: Final = "Todoable"
"""The name of what can have to-dos."""
WORK_ITEM: Final = "WorkItem"
"""The kind of issues and epics in later global ids."""
_ISSUABLES: Final = {declared.type: declared.kind for declared in (noteables.ISSUE, noteables.MERGE_REQUEST)}
_NOTEABLES: Final = {
    **_ISSUABLES,
    **dict.fromkeys(("Snippet", "PersonalSnippet", "ProjectSnippet"), noteables.SNIPPET.kind),
    noteables.WIKI_PAGE.type: noteables.WIKI_PAGE.kind,
}


def find_visible_project(ctx: ReadContext, full_path: str) -> Project | None:
    """Return the project at a path that the caller can see, or None."""
    project = namespaces.find_project_by_path(ctx.world, full_path)
    return project if project is not None and can_see(ctx, project) else None


def require_ability(ctx: ReadContext, ability: Ability, container: Container) -> None:
    """Refuse the field of a query, with an error of the query, if the caller lacks an ability."""
    if not can(ctx, ability, container):
        raise ResourceNotAvailable(lambda: f"{caller_name(ctx)} lacks {ability.value}")


def find_namespace(ctx: ReadContext, full_path: str) -> Namespace | None:
    """Return the namespace at a path, without permission checks."""
    return namespaces.find_by_path(ctx.world, full_path)


def require_group(ctx: ReadContext, full_path: str) -> Group:
    """Return the group at a path; an error if it is missing or hidden from the caller."""
    group = find_namespace(ctx, full_path)
    if not isinstance(group, Group) or not can_see(ctx, group):
        raise ResourceNotAvailable(lambda: f"{caller_name(ctx)} sees no group {full_path}")
    return group


def require_project_with_id(ctx: ReadContext, text: str) -> Project:
    """Return the project with a global id; an error if it is missing or hidden from the caller."""
    project = ctx.world.projects.get(parse_id(ctx, text, "Project"))
    if project is None or not can_see(ctx, project):
        raise ResourceNotAvailable(lambda: f"{text} does not exist or is hidden from {caller_name(ctx)}")
    return project


def find_container(ctx: ReadContext, text: str, expected: str) -> Project | Namespace | None:
    """Return the project or group with a global id, without permission checks."""
    kind, id_ = parse_global_id(ctx, text, expected, ("Project", "Group"))
    number = parse_number(id_) or 0
    return ctx.world.projects.get(number) if kind == "Project" else ctx.world.namespaces.get(number)


def require_parent(ctx: ReadContext, parent: Project | Namespace | None, name: str) -> Project | Group:
    """Return a project, or in paid tiers a group; an error with its name if it is none or hidden from the caller."""
    is_paid = not isinstance(parent, Group) or has_feature(ctx.world, "premium", parent)
    if not isinstance(parent, Project | Group) or not can_see(ctx, parent) or not is_paid:
        raise ResourceNotAvailable(lambda: f"{caller_name(ctx)} sees no project or group {name}")
    return parent


def require_project(ctx: ReadContext, full_path: str) -> Project:
    """Return the project at a path, or 404; an id is not accepted."""
    # The lookup is shared with REST, where a project can be named by its id too.
    if parse_number(full_path) is not None:
        raise NotFound("Project", reason=f"{full_path} is not a full path")
    return get_project(ctx, full_path)


def require_issue(ctx: ReadContext, full_path: str, iid: str) -> tuple[Project, Issue]:
    """Return a project and its issue, or 404."""
    project = require_project(ctx, full_path)
    return project, get_issue(ctx, project, parse_number(iid) or 0)


def require_merge_request(ctx: ReadContext, full_path: str, iid: str) -> tuple[Project, MergeRequest]:
    """Return a project and its merge request, or 404."""
    project = require_project(ctx, full_path)
    return project, get_merge_request(ctx, project, parse_number(iid) or 0)


def require_noteable(ctx: ReadContext, text: str, expected: str = "Noteable") -> Any:
    """Return the record with a global id that can have notes; an error if it is missing or hidden from the caller.

    What can have to-dos, too, are issues and merge requests.
    """
    known = _ISSUABLES if expected == TODOABLE else _NOTEABLES
    kind, id_ = parse_global_id(ctx, text, expected, (*known, WORK_ITEM))
    noteable = _find_noteable(ctx, kind, parse_number(id_) or 0)
    if noteable is None or not noteables.is_visible(ctx, noteable):
        raise ResourceNotAvailable(lambda: f"{text} does not exist or is hidden from {caller_name(ctx)}")
    if isinstance(noteable, Snippet) and noteable.project_id is None:
        raise OperationNotImplemented("comments and emoji on personal snippets")
    return noteable


def _find_noteable(ctx: ReadContext, kind: str, id_: int) -> Any | None:
    if kind != WORK_ITEM:
        return noteables.find_record(ctx.world, (_NOTEABLES[kind], id_))
    # Ids of issues and of epics do not meet.
    return ctx.world.issues.get(id_) or ctx.world.epics.get(id_)


def require_note(ctx: ReadContext, text: str) -> tuple[Any, Note]:
    """Return the noteable and the note with a global id; an error if it is missing or hidden from the caller."""
    note = ctx.world.notes.get(parse_id(ctx, text, *NOTES))
    record = noteables.find_record(ctx.world, note.subject) if note is not None else None
    if note is None or record is None or not (noteables.is_visible(ctx, record) and note_access.is_visible(ctx, note)):
        raise ResourceNotAvailable(lambda: f"{text} does not exist or is hidden from {caller_name(ctx)}")
    return record, note


def require_awardable(ctx: ReadContext, text: str) -> tuple[Any, Note | None]:
    """Return the issue or merge request with a global id, or that and its note for the id of a note."""
    kind, _ = parse_global_id(ctx, text, "Awardable", (*_NOTEABLES, WORK_ITEM, *NOTES))
    return require_note(ctx, text) if kind in NOTES else (require_noteable(ctx, text), None)
