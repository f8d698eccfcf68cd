"""To-dos. Source: docs/platform/todos.md."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from graphql import GraphQLError

from fakeplat.core.operations.errors import NotModified, RecordNotFound
from fakeplat.domain.notes import noteables, todos
from fakeplat.entities.todos import TodoView
from fakeplat.graphql.ids import global_id, id_of
from fakeplat.graphql.issuables import ISSUE, MERGE_REQUEST, Issuable
from fakeplat.graphql.lookups import demand_noteable
from fakeplat.graphql.schema_builder import Enumeration, Interface, Type, mutation
from fakeplat.graphql.users import USER
from fakeplat.model.projects import Project
from fakeplat.model.todos import Todo
from fakeplat.model.users import User
from fakeplat.policy.authorization import caller_name
from fakeplat.policy.context import ReadContext, WriteContext

Payload = Mapping[str, Any]
MAX_RESTORED: Final = 50

_ACTIONS: Final = {
    "assigned": "Was assigned to it.",
    "mentioned": "Was named in it.",
    "build_failed": "A job of theirs failed.",
    "marked": "Wanted to be reminded.",
    "approval_required": "Is asked to approve it.",
    "unmergeable": "Wanted it merged, which cannot be done.",
    "directly_addressed": "Was spoken to.",
}
_TARGETS: Final = {kind: declared for kind, declared in noteables.NOTEABLES.items() if declared.asks}
_KINDS: Final = {kind: declared.type.upper() for kind, declared in _TARGETS.items()}

Enumeration("TodoActionEnum", "Why there is a to-do.", {word: (word, text) for word, text in _ACTIONS.items()})
Enumeration(
    "TodoStateEnum",
    "Whether something is still to be done.",
    {"pending": ("pending", "It is to be done."), "done": ("done", "It is done.")},
)
Enumeration(
    "TodoTargetEnum",
    "What a to-do is about.",
    {_KINDS[kind]: (_KINDS[kind], f"It is about: {declared.words}.") for kind, declared in _TARGETS.items()},
)
Interface(
    "CurrentUserTodos",
    "What the caller can have to-dos about.",
    {"currentUserTodos(state: TodoStateEnum): TodoConnection!": "The caller's to-dos about it."},
)

TODO = Type("Todo", "What somebody is asked to look at.", gid="Todo", counts=True)
TODO.attributes(
    {
        "action: TodoActionEnum!": "Why there is one.",
        "state: TodoStateEnum!": "Whether it is still to be done.",
        "createdAt: Time!": "When it was made.",
    }
)


@TODO.field("author: User!")
def author(ctx: ReadContext, todo: Todo) -> User:
    """Who asks."""
    return ctx.world.users[todo.author_id]


@TODO.field("project: Project")
def project(ctx: ReadContext, todo: Todo) -> Project | None:
    """The project of what it is about."""
    return ctx.world.projects.get(todo.project_id)


@TODO.field("targetType: TodoTargetEnum!")
def target_type(ctx: ReadContext, todo: Todo) -> str:
    """What it is about."""
    del ctx
    return _KINDS[todo.subject[0]]


@TODO.field("body: String!")
def body(ctx: ReadContext, todo: Todo) -> str:
    """The text that asks."""
    return str(TodoView(todo, ctx).body())


_FILTERS: Final = (
    "action: [TodoActionEnum!], authorId: [ID!], projectId: [ID!], state: [TodoStateEnum!], type: [TodoTargetEnum!]"
)


@USER.field(f"todos({_FILTERS}): TodoConnection!")
def todos_of_user(
    ctx: ReadContext,
    user: User,
    action: Collection[str] | None = None,
    author_id: Sequence[str] | None = None,
    project_id: Sequence[str] | None = None,
    state: Collection[str] | None = None,
    type: Collection[str] | None = None,  # its name on the wire
) -> Sequence[Todo]:
    """The caller's own to-dos, the newest first: those that are pending, unless others are asked for."""
    if ctx.viewer is None or ctx.viewer.id != user.id:
        return ()
    authors = [id_of(ctx, text, "User") for text in author_id or ()]
    projects = [id_of(ctx, text, "Project") for text in project_id or ()]
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
    """The caller's to-dos about it, the newest first."""
    user = ctx.viewer
    if user is None:
        return ()
    found = ctx.world.todos.where("subject", noteables.subject_of(record))
    own = (one for one in found.backwards() if one.user_id == user.id and state in (None, one.state))
    return [one for one in own if todos.is_visible(ctx, one)]


@mutation("todoCreate", takes='"""What it is about."""\ntargetId: TodoableID!', gives='"""The to-do."""\ntodo: Todo')
def todo_create(ctx: WriteContext, target_id: str) -> Payload:
    """Look at something later; where something is to be done about it already, nothing is made."""
    record = demand_noteable(ctx, target_id, "Todoable")
    try:
        return {"todo": todos.mark_for_later(ctx, record)}
    except NotModified:
        return {}


@mutation("todoMarkDone", takes='"""The to-do."""\nid: TodoID!', gives='"""The to-do."""\ntodo: Todo!')
def todo_mark_done(ctx: WriteContext, id: str) -> Payload:
    """Be done with one of the caller's to-dos."""
    return {"todo": todos.mark_done(ctx, _find_todo(ctx, id))}


def _find_todo(ctx: WriteContext, global_id_: str) -> Todo:
    """Find a to-do of the caller's, or refuse."""
    number = id_of(ctx, global_id_, "Todo")
    todo = next((todo for todo in todos.list_todos(ctx, ctx.signed_in_user) if todo.id == number), None)
    if todo is None:
        raise RecordNotFound(reason=lambda: f"{caller_name(ctx)} has no to-do with the id {number}")
    return todo


@mutation("todoRestore", takes='"""The to-do."""\nid: TodoID!', gives='"""The to-do."""\ntodo: Todo!')
def todo_restore(ctx: WriteContext, id: str) -> Payload:
    """Make one of the caller's to-dos pending again."""
    return {"todo": todos.restore(ctx, _find_todo(ctx, id))}


@mutation(
    "todoRestoreMany",
    takes='"""The to-dos, at most 50."""\nids: [TodoID!]!',
    gives='"""The to-dos that were restored."""\ntodos: [Todo!]!\n"""Their ids."""\nupdatedIds: [TodoID!]!',
)
def todo_restore_many(ctx: WriteContext, ids: Sequence[str]) -> Payload:
    """Make those of the given to-dos pending again that are the caller's and done."""
    if len(ids) > MAX_RESTORED:
        raise GraphQLError("Too many todos requested.")
    numbers = {id_of(ctx, text, "Todo") for text in ids}
    own = todos.list_todos(ctx, ctx.signed_in_user)
    return _listed(ctx, [todos.restore(ctx, todo) for todo in own if todo.id in numbers and todo.state == "done"])


@mutation(
    "todosMarkAllDone",
    takes="",
    gives='"""The to-dos that were done."""\ntodos: [Todo!]!\n"""Their ids."""\nupdatedIds: [TodoID!]!',
)
def todos_mark_all_done(ctx: WriteContext) -> Payload:
    """Be done with all of the caller's to-dos."""
    pending = [todo for todo in todos.list_todos(ctx, ctx.signed_in_user) if todo.state == "pending"]
    return _listed(ctx, [todos.mark_done(ctx, todo) for todo in pending])


def _listed(ctx: ReadContext, changed: Sequence[Todo]) -> Payload:
    """Return the payload of a mutation that changes several to-dos."""
    return {"todos": changed, "updated_ids": [global_id(ctx, "Todo", todo.id) for todo in changed]}
