"""To-dos. Source: docs/platform/todos.md.

A user has at most one pending to-do for each action and record, of access requests one for each requester. Acting on a
record finishes the user's to-dos about it.
"""

from typing import Final

from fakeplat.core.operations.errors import NotModified
from fakeplat.core.timestamps import from_iso
from fakeplat.domain.notes import note_access, noteables
from fakeplat.domain.notes.noteables import Noteable, Subject
from fakeplat.domain.people import access_requests, members
from fakeplat.model.notes import Action, Note, Todo
from fakeplat.model.people import AccessRequest, Group, User
from fakeplat.model.projects import Container, Project
from fakeplat.model.world import World
from fakeplat.policy.authorization import can_see
from fakeplat.policy.behaviours import ACCESS_REQUESTS_ARE_TODOS, EACH_ACCESS_REQUEST_IS_A_TODO
from fakeplat.policy.context import ReadContext, WriteContext

CONTAINERS: Final = {"project": "Project", "group": "Namespace"}
"""The platform's names of the projects and groups that to-dos are about: somebody requested access to them."""
_REQUESTED: Final = "member_access_requested"


def list_pending(world: World, user: User, subject: Subject) -> list[Todo]:
    """Return the pending to-dos of a user about a record."""
    return list(world.todos.where("pending", (user.id, subject)))


def create_todo(ctx: WriteContext, user: User, action: Action, record: Noteable, note: Note | None = None) -> None:
    """Create a to-do, unless the user already has a pending one for this action or cannot see the record."""
    subject = noteables.subject_of(record)
    if any(todo.action == action for todo in list_pending(ctx.world, user, subject)):
        return
    if noteables.is_visible(ctx.as_user(user), record):
        insert_todo(ctx, user, ctx.signed_in_user, action, record, note)


def insert_todo(
    ctx: WriteContext, user: User, author: User, action: Action, record: Noteable, note: Note | None = None
) -> Todo:
    """Insert a to-do, without permission checks."""
    table, now, subject = ctx.world.todos, ctx.now_iso, noteables.subject_of(record)
    note_id = note.id if note else None
    container = noteables.container_of(ctx.world, record)
    project_id, group_id = (container.id, None) if isinstance(container, Project) else (None, container.id)
    todo = Todo(table.next_id(), user.id, author.id, project_id, subject, action, now, now, note_id, group_id=group_id)
    return table.add(todo)


def add_access_request(ctx: WriteContext, request: AccessRequest) -> None:
    """Create to-dos for those who may approve an access request."""
    if ctx.is_loading or not ctx.profile.has(ACCESS_REQUESTS_ARE_TODOS):
        return
    container, requester = members.container_of(ctx.world, request.source), ctx.world.users[request.user_id]
    if not isinstance(container, Project | Group):
        return
    for approver in access_requests.list_approvers(ctx, container):
        pending = list_pending(ctx.world, approver, request.source)
        if ctx.profile.has(EACH_ACCESS_REQUEST_IS_A_TODO):
            pending = [todo for todo in pending if todo.author_id == requester.id]
        if not pending:
            insert_access_todo(ctx, approver, requester, container)


def insert_access_todo(ctx: WriteContext, user: User, requester: User, container: Container) -> Todo:
    """Insert a to-do about a request for access, without checks."""
    table, now = ctx.world.todos, ctx.now_iso
    is_project = isinstance(container, Project)
    above = ctx.world.namespaces[container.namespace_id] if isinstance(container, Project) else container
    project_id, group_id = container.id if is_project else None, above.id if isinstance(above, Group) else None
    subject = members.source_of(container)
    todo = Todo(table.next_id(), user.id, requester.id, project_id, subject, _REQUESTED, now, now, group_id=group_id)
    return table.add(todo)


def finish_access_request(ctx: WriteContext, request: AccessRequest) -> None:
    """Mark the to-dos of all users about an access request as done, which was approved, denied or withdrawn."""
    for todo in list(ctx.world.todos.where("subject", request.source)):
        if todo.action == _REQUESTED and todo.author_id == request.user_id:
            mark_done(ctx, todo)


def mark_for_later(ctx: WriteContext, record: Noteable) -> Todo:
    """Create a to-do for the caller about a record; 304 if they have a pending one."""
    user = ctx.signed_in_user
    if list_pending(ctx.world, user, noteables.subject_of(record)):
        raise NotModified(
            reason=lambda: f"{user.username} has a pending to-do on {noteables.format_reference(ctx.world, record)}"
        )
    return insert_todo(ctx, user, user, "marked", record)


def mark_done(ctx: WriteContext, todo: Todo) -> Todo:
    """Mark a to-do as done."""
    if todo.state == "done":
        return todo
    return ctx.world.todos.change(todo, state="done", updated_at=ctx.now_iso)


def restore(ctx: WriteContext, todo: Todo) -> Todo:
    """Mark a to-do as pending again."""
    if todo.state == "pending":
        return todo
    return ctx.world.todos.change(todo, state="pending", updated_at=ctx.now_iso)


def is_snoozed(ctx: ReadContext, todo: Todo) -> bool:
    """Return whether lists of pending to-dos do not show a to-do yet."""
    return todo.snoozed_until is not None and not ctx.has_passed(from_iso(todo.snoozed_until))


def snooze(ctx: WriteContext, todo: Todo, until: str | None) -> Todo:
    """Hide a pending to-do from lists until a time, or (None) show it again."""
    if todo.snoozed_until == until:
        return todo
    return ctx.world.todos.change(todo, snoozed_until=until, updated_at=ctx.now_iso)


def finish_pending(ctx: WriteContext, user: User | None, subject: Subject) -> None:
    """Mark all pending to-dos of a user about a record as done."""
    if user is not None:
        for todo in list_pending(ctx.world, user, subject):
            mark_done(ctx, todo)


def find_target(world: World, todo: Todo) -> Noteable | Container | None:
    """Return what a to-do is about; None if it is gone."""
    kind, id_ = todo.subject[:2]
    if kind == "project":
        return world.projects.get(id_)
    if kind == "group":
        group = world.namespaces.get(id_)
        return group if isinstance(group, Group) else None
    return noteables.find_record(world, todo.subject)


def list_todos(ctx: ReadContext, user: User) -> list[Todo]:
    """Return a user's to-dos about records that the caller can still see, newest first."""
    return [todo for todo in ctx.world.todos.where("user", user.id).in_reverse() if is_visible(ctx, todo)]


def is_visible(ctx: ReadContext, todo: Todo) -> bool:
    """Return whether the caller can still see the record of a to-do, and the note that caused it."""
    record = find_target(ctx.world, todo)
    if isinstance(record, Project | Group):
        return bool(can_see(ctx, record))
    if record is None or not noteables.is_visible(ctx, record):
        return False
    note = ctx.world.notes.get(todo.note_id) if todo.note_id is not None else None
    return note is None or note_access.is_visible(ctx, note)
