"""To-dos. Source: docs/platform/todos.md."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from graphql import GraphQLError

from fakeplat.core.operations.errors import NotModified, RecordNotFound
from fakeplat.core.release import Lifetime
from fakeplat.domain.issuables.issuable_records import Issuable
from fakeplat.domain.notes import noteables, todos
from fakeplat.entities.notes.todos import TodoView
from fakeplat.graphql.ids import global_id, parse_id
from fakeplat.graphql.issues.issuables import ISSUE, MERGE_REQUEST
from fakeplat.graphql.lookups import require_noteable
from fakeplat.graphql.people.users import USER
from fakeplat.graphql.schema_builder import Enumeration, Interface, Type, mutation
from fakeplat.model.notes import Todo
from fakeplat.model.people import User
from fakeplat.model.projects import Project
from fakeplat.policy.authorization import caller_name
from fakeplat.policy.context import ReadContext, WriteContext

Payload = Mapping[str, Any]
MAX_RESTORED: Final = 50
_UPDATED_IDS: Final = '"""Their IDs."""\nupdatedIds: [TodoID!]! @lifetime(until: "14.0")'

_ACTIONS: Final = {
    "assigned": "The user was assigned.",
    "mentioned": "The user was mentioned.",
    "build_failed": "A job of the user failed.",
    "marked": "The user added the to-do.",
    "approval_required": "The user's approval is required.",
    "unmergeable": "A merge request of the user cannot be merged.",
    "directly_addressed": "The user was addressed directly.",
}
_TARGETS: Final = {kind: declared for kind, declared in noteables.NOTEABLES.items() if declared.has_todos}
_KINDS: Final = {kind: declared.type.upper().replace("::", "") for kind, declared in _TARGETS.items()}
_WIKI_PAGE: Final = noteables.WIKI_PAGE.kind

Enumeration(
    "TodoActionEnum",
    "The reason for a to-do.",
    {
        **{action: (action, text) for action, text in _ACTIONS.items()},
        "review_requested": ("review_requested", "The user is to review a merge request.", Lifetime(since="13.10")),
        "review_submitted": ("review_submitted", "The user's merge request was reviewed.", Lifetime(since="<=16.3")),
    },
)
Enumeration(
    "TodoStateEnum",
    "The state of a to-do.",
    {"pending": ("pending", "The to-do is pending."), "done": ("done", "The to-do is done.")},
)
Enumeration(
    "TodoTargetEnum",
    "The type of a to-do's target.",
    {
        **{
            _KINDS[kind]: (_KINDS[kind], f"Type of the target: {declared.words}.")
            for kind, declared in _TARGETS.items()
            if kind != _WIKI_PAGE
        },
        _KINDS[_WIKI_PAGE]: (_KINDS[_WIKI_PAGE], "Type of the target: page of a wiki.", Lifetime(since="<=18.5")),
    },
)
Interface(
    "CurrentUserTodos",
    "Records that the caller can have to-dos for.",
    {"currentUserTodos(state: TodoStateEnum): TodoConnection!": "The caller's to-dos for the record."},
)

TODO = Type("Todo", "A to-do of a user.", gid="Todo", has_count=True, count_since="<=18.5")
TODO.attributes(
    {
        "action: TodoActionEnum!": "The reason.",
        "state: TodoStateEnum!": "The state.",
        "createdAt: Time!": "Timestamp of creation.",
    }
)


@TODO.field("author: User!")
def author(ctx: ReadContext, todo: Todo) -> User:
    """The user who caused the to-do."""
    return ctx.world.users[todo.author_id]


@TODO.field("project: Project")
def project(ctx: ReadContext, todo: Todo) -> Project | None:
    """The project of the target."""
    return ctx.world.projects.get(todo.project_id or 0)


@TODO.field("targetType: TodoTargetEnum!")
def target_type(_ctx: ReadContext, todo: Todo) -> str:
    """The type of the target."""
    return _KINDS[todo.subject[0]]


@TODO.field("body: String!")
def body(ctx: ReadContext, todo: Todo) -> str:
    """The text of the note, or the title of the target."""
    return str(TodoView(todo, ctx).body())


_FILTERS: Final = (
    "action: [TodoActionEnum!], authorId: [ID!], projectId: [ID!], state: [TodoStateEnum!], type: [TodoTargetEnum!]"
)


@USER.field(f"todos({_FILTERS}): TodoConnection!", until="<=14.0")
@USER.field(f"todos({_FILTERS}): TodoConnection", since="<=14.0")
def todos_of_user(
    ctx: ReadContext,
    user: User,
    action: Collection[str] | None = None,
    author_id: Sequence[str] | None = None,
    project_id: Sequence[str] | None = None,
    state: Collection[str] | None = None,
    type: Collection[str] | None = None,  # the argument's name on the wire
) -> Sequence[Todo]:
    """The caller's own to-dos, newest first; by default the pending ones."""
    # To-dos are private, even to administrators; other users seem to have none.
    if ctx.viewer is None or ctx.viewer.id != user.id:
        return ()
    authors = [parse_id(ctx, text, "User") for text in author_id or ()]
    projects = [parse_id(ctx, text, "Project") for text in project_id or ()]
    return [
        todo
        for todo in todos.list_todos(ctx, user)
        if todo.state in (state or ("pending",))
        and (not action or todo.action in action)
        and (not authors or todo.author_id in authors)
        and (not projects or todo.project_id in projects)
        and (not type or _KINDS[todo.subject[0]] in type)
    ]


@ISSUE.field("currentUserTodos(state: TodoStateEnum): TodoConnection!")
@MERGE_REQUEST.field("currentUserTodos(state: TodoStateEnum): TodoConnection!")
def current_user_todos(ctx: ReadContext, record: Issuable, state: str | None = None) -> Sequence[Todo]:
    """The caller's to-dos for the record, newest first."""
    user = ctx.viewer
    if user is None:
        return ()
    todos_of_record = ctx.world.todos.where("subject", noteables.subject_of(record))
    own_todos = (
        todo for todo in todos_of_record.in_reverse() if todo.user_id == user.id and state in (None, todo.state)
    )
    return [todo for todo in own_todos if todos.is_visible(ctx, todo)]


@mutation(
    "todoCreate",
    input_fields='"""The ID of the target."""\ntargetId: TodoableID!',
    payload_fields='"""The to-do."""\ntodo: Todo',
    since="13.6",
)
def todo_create(ctx: WriteContext, target_id: str) -> Payload:
    """Create a to-do; nothing is created if the record has a pending one."""
    record = require_noteable(ctx, target_id, "Todoable")
    try:
        return {"todo": todos.mark_for_later(ctx, record)}
    except NotModified:
        # As on the platform, a second to-do is no error, but there is none to return.
        return {}


@mutation(
    "todoMarkDone",
    input_fields='"""The ID of the to-do."""\nid: TodoID!',
    payload_fields='"""The to-do."""\ntodo: Todo!',
)
def todo_mark_done(ctx: WriteContext, id: str) -> Payload:
    """Mark a to-do of the caller as done."""
    return {"todo": todos.mark_done(ctx, _get_todo(ctx, id))}


def _get_todo(ctx: WriteContext, global_id_: str) -> Todo:
    """Return a to-do of the caller, or 404."""
    number = parse_id(ctx, global_id_, "Todo")
    todo = next((todo for todo in todos.list_todos(ctx, ctx.signed_in_user) if todo.id == number), None)
    if todo is None:
        raise RecordNotFound(reason=lambda: f"{caller_name(ctx)} has no to-do with the id {number}")
    return todo


@mutation(
    "todoRestore",
    input_fields='"""The ID of the to-do."""\nid: TodoID!',
    payload_fields='"""The to-do."""\ntodo: Todo!',
)
def todo_restore(ctx: WriteContext, id: str) -> Payload:
    """Restore a to-do of the caller."""
    return {"todo": todos.restore(ctx, _get_todo(ctx, id))}


@mutation(
    "todoRestoreMany",
    input_fields='"""The IDs of the to-dos, at most 50."""\nids: [TodoID!]!',
    payload_fields=f'"""The to-dos that were restored."""\ntodos: [Todo!]!\n{_UPDATED_IDS}',
)
def todo_restore_many(ctx: WriteContext, ids: Sequence[str]) -> Payload:
    """Restore to-dos of the caller; those that are not done are ignored."""
    if len(ids) > MAX_RESTORED:
        raise GraphQLError("Too many todos requested.")
    # A set, so that a to-do that is named twice is restored once.
    numbers = {parse_id(ctx, text, "Todo") for text in ids}
    own_todos = todos.list_todos(ctx, ctx.signed_in_user)
    return _payload_of_many(
        ctx, [todos.restore(ctx, todo) for todo in own_todos if todo.id in numbers and todo.state == "done"]
    )


@mutation(
    "todosMarkAllDone",
    input_fields="",
    payload_fields=f'"""The to-dos marked as done."""\ntodos: [Todo!]!\n{_UPDATED_IDS}',
)
def todos_mark_all_done(ctx: WriteContext) -> Payload:
    """Mark all to-dos of the caller as done."""
    pending = [todo for todo in todos.list_todos(ctx, ctx.signed_in_user) if todo.state == "pending"]
    return _payload_of_many(ctx, [todos.mark_done(ctx, todo) for todo in pending])


def _payload_of_many(ctx: ReadContext, changed: Sequence[Todo]) -> Payload:
    """Return the payload of a mutation that changes several to-dos."""
    return {"todos": changed, "updated_ids": [global_id(ctx, "Todo", todo.id) for todo in changed]}
