"""To-dos: who is asked to look at what. Source: docs/platform/todos.md.

Of one kind there is one that is pending for a user and a thing. Who acts on a thing is done with it.
"""

from typing import Any

from fakeplat.core.operations.errors import NotModified
from fakeplat.domain.notes import note_access, noteables
from fakeplat.domain.notes.noteables import Subject
from fakeplat.model.notes import Note
from fakeplat.model.todos import Action, Todo
from fakeplat.model.users import User
from fakeplat.model.world import World
from fakeplat.policy.context import ReadContext, WriteContext


def list_pending(world: World, user: User, subject: Subject) -> list[Todo]:
    """What a user still has to do about a thing."""
    return list(world.todos.where("pending", (user.id, subject)))


def create_todo(ctx: WriteContext, user: User, action: Action, record: Any, note: Note | None = None) -> None:
    """Ask a user, who must see it, to look at a thing; one who is asked for the same already is not asked again."""
    subject = noteables.subject_of(record)
    if any(todo.action == action for todo in list_pending(ctx.world, user, subject)):
        return
    if noteables.is_visible(ctx.as_user(user), record):
        insert_todo(ctx, user, ctx.signed_in_user, action, record, note)


def insert_todo(
    ctx: WriteContext, user: User, author: User, action: Action, record: Any, note: Note | None = None
) -> Todo:
    """Make a to-do; nobody's rights are asked."""
    table, now, subject = ctx.world.todos, ctx.now_iso, noteables.subject_of(record)
    note_id = note.id if note else None
    project_id = noteables.noteable_of(record).project_id(record)
    todo = Todo(table.next_id(), user.id, author.id, project_id, subject, action, now, now, note_id)
    ctx.emit("todo_created", table.add(todo))
    return todo


def mark_for_later(ctx: WriteContext, record: Any) -> Todo:
    """Have the caller look at a thing later; 304 where something is to be done about it already."""
    user = ctx.signed_in_user
    if list_pending(ctx.world, user, noteables.subject_of(record)):
        raise NotModified(
            reason=lambda: f"{user.username} has a pending to-do on {noteables.format_reference(ctx.world, record)}"
        )
    return insert_todo(ctx, user, user, "marked", record)


def mark_done(ctx: WriteContext, todo: Todo) -> Todo:
    """Be done with it."""
    if todo.state == "done":
        return todo
    return ctx.world.todos.change(todo, state="done", updated_at=ctx.now_iso)


def restore(ctx: WriteContext, todo: Todo) -> Todo:
    """Make a to-do pending again."""
    if todo.state == "pending":
        return todo
    return ctx.world.todos.change(todo, state="pending", updated_at=ctx.now_iso)


def finish_pending(ctx: WriteContext, user: User | None, subject: Subject) -> None:
    """Be done with all that a user has to do about a thing."""
    if user is not None:
        for todo in list_pending(ctx.world, user, subject):
            mark_done(ctx, todo)


def list_todos(ctx: ReadContext, user: User) -> list[Todo]:
    """A user's to-dos about things that the caller still sees, the newest first."""
    return [todo for todo in ctx.world.todos.where("user", user.id).backwards() if is_visible(ctx, todo)]


def is_visible(ctx: ReadContext, todo: Todo) -> bool:
    """Whether the caller still sees what a to-do is about, and the note that asked."""
    record = noteables.find_record(ctx.world, todo.subject)
    if record is None or not noteables.is_visible(ctx, record):
        return False
    note = ctx.world.notes.get(todo.note_id) if todo.note_id is not None else None
    return note is None or note_access.is_visible(ctx, note)
