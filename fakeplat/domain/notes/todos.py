"""To-dos. Source: docs/platform/todos.md.

A user has at most one pending to-do for each action and record. Acting on a record finishes the user's to-dos about it.
"""

from fakeplat.core.operations.errors import NotModified
from fakeplat.core.timestamps import from_iso
from fakeplat.domain.notes import note_access, noteables
from fakeplat.domain.notes.noteables import Noteable, Subject
from fakeplat.model.notes import Action, Note, Todo
from fakeplat.model.people import User
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.context import ReadContext, WriteContext


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


def list_todos(ctx: ReadContext, user: User) -> list[Todo]:
    """Return a user's to-dos about records that the caller can still see, newest first."""
    return [todo for todo in ctx.world.todos.where("user", user.id).in_reverse() if is_visible(ctx, todo)]


def is_visible(ctx: ReadContext, todo: Todo) -> bool:
    """Return whether the caller can still see the record of a to-do, and the note that caused it."""
    record = noteables.find_record(ctx.world, todo.subject)
    if record is None or not noteables.is_visible(ctx, record):
        return False
    note = ctx.world.notes.get(todo.note_id) if todo.note_id is not None else None
    return note is None or note_access.is_visible(ctx, note)
