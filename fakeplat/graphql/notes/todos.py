"""To-dos. Source: docs/platform/todos.md."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final, TypedDict, Unpack

from graphql import GraphQLError

from fakeplat.core.operations.errors import NotModified, RecordNotFound
from fakeplat.core.release import Lifetime
from fakeplat.domain.issuables.issuable_records import Issuable
from fakeplat.domain.notes import noteables, todos
from fakeplat.domain.planning import labels
from fakeplat.domain.purging import purge
from fakeplat.domain.repository.commits import ProjectCommit
from fakeplat.entities.notes.todos import TodoView
from fakeplat.graphql.ids import global_id, parse_id
from fakeplat.graphql.issues.issuables import ISSUE, MERGE_REQUEST
from fakeplat.graphql.lookups import TODOABLE, require_noteable
from fakeplat.graphql.people.users import USER
from fakeplat.graphql.schema_builder import QUERY, Enumeration, Interface, Type, mutation
from fakeplat.model.epics import Epic
from fakeplat.model.issues import Issue
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.notes import Note, Todo, TodoState
from fakeplat.model.people import Group, User
from fakeplat.model.projects import Project
from fakeplat.policy.authorization import caller_name
from fakeplat.policy.context import ReadContext, WriteContext

Payload = Mapping[str, Any]
MAX_RESTORED: Final = 50
_NO_PRIORITY: Final = 1 << 30
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
_LATEST: Final = Lifetime(since="<=18.5")
_NEVER: Final = {
    "okr_checkin_requested": ("The user's progress is asked for.", Lifetime(since="<=16.9")),
    "ssh_key_expired": ("An SSH key of the user expired.", _LATEST),
    "ssh_key_expiring_soon": ("An SSH key of the user is about to expire.", _LATEST),
}
"""Actions of to-dos that nothing creates here."""
_TARGETS: Final = {kind: declared for kind, declared in noteables.NOTEABLES.items() if declared.has_todos}
_KINDS: Final = {kind: declared.type.upper().replace("::", "") for kind, declared in _TARGETS.items()}
_CONTAINERS: Final = {kind: name.upper() for kind, name in todos.CONTAINERS.items()}
_TARGET_TYPES: Final = {**_KINDS, **_CONTAINERS}
_WIKI_PAGE: Final = noteables.WIKI_PAGE.kind

Enumeration(
    "TodoActionEnum",
    "The reason for a to-do.",
    {
        **{action: (action, text) for action, text in _ACTIONS.items()},
        "review_requested": ("review_requested", "The user is to review a merge request.", Lifetime(since="13.10")),
        "review_submitted": ("review_submitted", "The user's merge request was reviewed.", Lifetime(since="<=16.3")),
        "merge_train_removed": (
            "merge_train_removed",
            "A merge request of the user was removed from its merge train.",
            Lifetime(since="13.10"),
        ),
        "member_access_requested": (
            "member_access_requested",
            "Somebody requested membership.",
            Lifetime(since="<=15.8"),
        ),
        **{action: (action, text, lifetime) for action, (text, lifetime) in _NEVER.items()},
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
        "WORKITEM": ("WORKITEM", "Type of the target: work item.", Lifetime(since="<=15.8")),
        **{name: (name, f"Type of the target: {name.lower()}.", _LATEST) for name in (*_CONTAINERS.values(), "KEY")},
    },
)
Interface(
    "CurrentUserTodos",
    "Records that the caller can have to-dos for.",
    {"currentUserTodos(state: TodoStateEnum): TodoConnection!": "The caller's to-dos for the record."},
)

TODO = Type("Todo", "A to-do of a user.", gid="Todo", has_count=True, count_since="<=18.5")
TODO.attributes({"snoozedUntil: Time": "The time until which lists do not show it."}, since="<=18.5")
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
    return _TARGET_TYPES[todo.subject[0]]


_TYPES: Final = {Issue: "Issue", MergeRequest: "MergeRequest", Epic: "Epic", ProjectCommit: "Commit"}
_LATER_NAME: Final = 'name: String @lifetime(since: "<=18.5")'
Interface(
    "Todoable",
    "Records that somebody can have to-dos about.",
    {"webUrl: String": "The URL of the page.", _LATER_NAME: "The name or title."},
    since="<=14.10",
    type_of=lambda record: _TYPES[type(record)],
)


@TODO.field("targetEntity: Todoable", since="<=18.5")
@TODO.field("target: Todoable!", since="<=14.10")
def target(ctx: ReadContext, todo: Todo) -> Any:
    """The target. Pages of wikis are not shown, which have no type here."""
    kind, *_ = todo.subject
    return noteables.find_record(ctx.world, todo.subject) if kind != _WIKI_PAGE else None


@TODO.field("body: String!")
def body(ctx: ReadContext, todo: Todo) -> str:
    """The text of the note, the title of the target, or the path of the project or group."""
    return str(TodoView(todo, ctx).body())


@TODO.field("group: Group", since="<=18.5")
def group(ctx: ReadContext, todo: Todo) -> Group | None:
    """The group of the target, if it belongs to one."""
    found = ctx.world.namespaces.get(todo.group_id or 0)
    return found if isinstance(found, Group) else None


@TODO.field("note: Note", since="<=15.3")
def note(ctx: ReadContext, todo: Todo) -> Note | None:
    """The note that caused it."""
    return ctx.world.notes.get(todo.note_id or 0)


@TODO.field("targetUrl: String", since="<=18.5")
def target_url(ctx: ReadContext, todo: Todo) -> str:
    """The URL of the target, or of the note on it."""
    return str(TodoView(todo, ctx).target_url())


@TODO.field("memberAccessType: String", since="<=18.5")
def member_access_type(_ctx: ReadContext, todo: Todo) -> str | None:
    """What somebody requested access to, a project or a group; null for all other reasons."""
    return str(todo.subject[0]) if todo.subject[0] in _CONTAINERS else None


@QUERY.field("todo(id: TodoID!): Todo", since="<=15.3")
def find_todo(ctx: ReadContext, id: str) -> Todo | None:  # the argument's name on the wire
    """The to-do of the caller with a global ID."""
    todo = ctx.world.todos.get(parse_id(ctx, id, "Todo"))
    return todo if todo is not None and ctx.viewer is not None and todo.user_id == ctx.viewer.id else None


_SNOOZED: Final = '@lifetime(since: "<=18.5")'
_SORTED: Final = {"created": "created_at", "updated": "updated_at"}
Enumeration(
    "TodoSort",
    "The order of to-dos.",
    {
        **{
            f"{write(name)}_{write(direction)}": ((column, direction == "desc"), f"By time, {direction}.")
            for name, column in _SORTED.items()
            for direction in ("asc", "desc")
            for write in (str.lower, str.upper)
        },
        **{
            f"LABEL_PRIORITY_{direction.upper()}": (("label_priority", direction == "desc"), "By the highest label.")
            for direction in ("asc", "desc")
        },
    },
    since="<=18.5",
)
_COMMON: Final = "action: [TodoActionEnum!], authorId: [ID!], projectId: [ID!], type: [TodoTargetEnum!]"
_FILTERS: Final = (
    f"{_COMMON}, state: [TodoStateEnum!], groupId: [ID!] {_SNOOZED}, isSnoozed: Boolean {_SNOOZED}, "
    f"sort: TodoSort {_SNOOZED}"
)


class TodoFilters(TypedDict, total=False):
    """What to-dos have."""

    action: Collection[str] | None
    author_id: Sequence[str] | None
    project_id: Sequence[str] | None
    group_id: Sequence[str] | None
    type: Collection[str] | None


@USER.field(f"todos({_FILTERS}): TodoConnection!", until="<=14.0")
@USER.field(f"todos({_FILTERS}): TodoConnection", since="<=14.0")
def todos_of_user(
    ctx: ReadContext,
    user: User,
    state: Collection[str] | None = None,
    is_snoozed: bool | None = None,
    sort: tuple[str, bool] | None = None,
    **filters: Unpack[TodoFilters],
) -> Sequence[Todo]:
    """The caller's own to-dos, newest first; by default the pending ones that are not snoozed."""
    # To-dos are private, even to administrators; other users seem to have none.
    if ctx.viewer is None or ctx.viewer.id != user.id:
        return ()
    states = state or ("pending",)
    # Only lists of pending ones leave out those that are snoozed, unless they are asked for.
    wanted = False if is_snoozed is None and [*states] == ["pending"] else is_snoozed or None
    found = [
        todo
        for todo in _select(ctx, user, filters)
        if todo.state in states and wanted in (None, todos.is_snoozed(ctx, todo))
    ]
    if sort is None:
        return found
    column, descending = sort
    return sorted(found, key=lambda todo: (_sort_value(ctx, todo, column), todo.id), reverse=descending)


def _select(ctx: ReadContext, user: User, filters: TodoFilters) -> list[Todo]:
    """Return a user's to-dos that pass filters, newest first."""
    authors = _read_ids(ctx, filters.get("author_id"), "User")
    projects = _read_ids(ctx, filters.get("project_id"), "Project")
    groups = _read_ids(ctx, filters.get("group_id"), "Group")
    actions, types = filters.get("action"), filters.get("type")
    return [
        todo
        for todo in todos.list_todos(ctx, user)
        if (not actions or todo.action in actions)
        and (not authors or todo.author_id in authors)
        and (not projects or todo.project_id in projects)
        and (not groups or not groups.isdisjoint(_list_group_ids(ctx, todo)))
        and (not types or _TARGET_TYPES[todo.subject[0]] in types)
        # Earlier releases have no word for these targets.
        and (todo.subject[0] not in _CONTAINERS or ctx.profile.has(_LATEST))
    ]


def _read_ids(ctx: ReadContext, texts: Sequence[str] | None, kind: str) -> set[int]:
    return {parse_id(ctx, text, kind) for text in texts or ()}


def _list_group_ids(ctx: ReadContext, todo: Todo) -> list[int]:
    project, own = ctx.world.projects.get(todo.project_id or 0), group(ctx, todo)
    container = project or own
    above = [each.id for each in labels.groups_above(ctx.world, container)] if container is not None else []
    return [*above, own.id] if own is not None else above


def _sort_value(ctx: ReadContext, todo: Todo, column: str) -> str | int:
    if column != "label_priority":
        return str(getattr(todo, column))
    record = todos.find_target(ctx.world, todo)
    if not isinstance(record, Issue | MergeRequest):
        return _NO_PRIORITY
    highest = labels.highest_priority(ctx.world, record.project_id, record.label_ids)
    return _NO_PRIORITY if highest is None else highest


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
    record = require_noteable(ctx, target_id, TODOABLE)
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


_LATER_INPUT: Final = "\n".join(
    f'"""Only those with this {name}."""\n{name}: {kind} {_SNOOZED}'
    for name, kind in (
        ("action", "[TodoActionEnum!]"),
        ("authorId", "[ID!]"),
        ("projectId", "[ID!]"),
        ("groupId", "[ID!]"),
        ("type", "[TodoTargetEnum!]"),
    )
)


@mutation(
    "todosMarkAllDone",
    input_fields=f'"""Only those about a record."""\ntargetId: TodoableID @lifetime(since: "<=15.0")\n{_LATER_INPUT}',
    payload_fields=f'"""The to-dos marked as done."""\ntodos: [Todo!]!\n{_UPDATED_IDS}',
)
def todos_mark_all_done(ctx: WriteContext, target_id: str | None = None, **filters: Unpack[TodoFilters]) -> Payload:
    """Mark the pending to-dos of the caller as done: all, or those that pass filters."""
    target = None if target_id is None else noteables.subject_of(require_noteable(ctx, target_id, TODOABLE))
    pending = [
        todo
        for todo in _select(ctx, ctx.signed_in_user, filters)
        if todo.state == "pending" and target in (None, todo.subject)
    ]
    return _payload_of_many(ctx, [todos.mark_done(ctx, todo) for todo in pending])


# Snoozing, and several to-dos at once

_ONE: Final = '"""The ID of the to-do."""\nid: TodoID!'
_MANY: Final = '"""The IDs of the to-dos, at most 100."""\nids: [TodoID!]!'
_UNTIL: Final = '"""The time until which lists do not show it."""\nsnoozeUntil: Time!'
_GIVES: Final = '"""The to-do."""\ntodo: Todo!'
_GIVES_MANY: Final = '"""The to-dos that were changed."""\ntodos: [Todo!]!'
_MAX_MANY: Final = 100


@mutation("todoSnooze", input_fields=f"{_ONE}\n{_UNTIL}", payload_fields=_GIVES, since="17.4")
def todo_snooze(ctx: WriteContext, id: str, snooze_until: str) -> Payload:
    """Hide a to-do of the caller from lists until a time."""
    return {"todo": todos.snooze(ctx, _get_todo(ctx, id), snooze_until)}


@mutation("todoUnSnooze", input_fields=_ONE, payload_fields=_GIVES, since="17.4")
def todo_unsnooze(ctx: WriteContext, id: str) -> Payload:
    """Show a to-do of the caller in lists again."""
    return {"todo": todos.snooze(ctx, _get_todo(ctx, id), None)}


def _list_chosen(ctx: WriteContext, ids: Sequence[str], state: TodoState) -> list[Todo]:
    """Return the caller's to-dos in a state that are among some; those of others are ignored."""
    if len(ids) > _MAX_MANY:
        raise GraphQLError("Too many to-do items requested.")
    numbers = {parse_id(ctx, text, "Todo") for text in ids}
    return [todo for todo in todos.list_todos(ctx, ctx.signed_in_user) if todo.id in numbers and todo.state == state]


@mutation("todoSnoozeMany", input_fields=f"{_MANY}\n{_UNTIL}", payload_fields=_GIVES_MANY, since="17.9")
def todo_snooze_many(ctx: WriteContext, ids: Sequence[str], snooze_until: str) -> Payload:
    """Hide pending to-dos of the caller from lists until a time."""
    return {"todos": [todos.snooze(ctx, todo, snooze_until) for todo in _list_chosen(ctx, ids, "pending")]}


@mutation("todoUnsnoozeMany", input_fields=_MANY, payload_fields=_GIVES_MANY, since="17.9")
def todo_unsnooze_many(ctx: WriteContext, ids: Sequence[str]) -> Payload:
    """Show pending to-dos of the caller in lists again."""
    return {"todos": [todos.snooze(ctx, todo, None) for todo in _list_chosen(ctx, ids, "pending")]}


@mutation("todoResolveMany", input_fields=_MANY, payload_fields=_GIVES_MANY, since="17.9")
def todo_resolve_many(ctx: WriteContext, ids: Sequence[str]) -> Payload:
    """Mark pending to-dos of the caller as done."""
    return {"todos": [todos.mark_done(ctx, todo) for todo in _list_chosen(ctx, ids, "pending")]}


@mutation("todoDeleteMany", input_fields=_MANY, payload_fields="", since="17.11")
def todo_delete_many(ctx: WriteContext, ids: Sequence[str]) -> Payload:
    """Delete done to-dos of the caller."""
    for todo in _list_chosen(ctx, ids, "done"):
        purge(ctx, todo)
    return {}


@mutation(
    "todoDeleteAllDone",
    input_fields='"""Only those that were done before."""\nupdatedBefore: Time',
    payload_fields='"""A text about what happens."""\nmessage: String @lifetime(until: "<=18.9")',
    since="17.11",
)
def todo_delete_all_done(ctx: WriteContext, updated_before: str | None = None) -> Payload:
    """Delete all done to-dos of the caller."""
    until = updated_before or ctx.now_iso
    own = [todo for todo in ctx.world.todos.where("user", ctx.signed_in_user.id) if todo.state == "done"]
    for todo in own:
        if todo.updated_at <= until:
            purge(ctx, todo)
    return {"message": "Your request has succeeded. Results will be visible in a couple of minutes."}


def _payload_of_many(ctx: ReadContext, changed: Sequence[Todo]) -> Payload:
    """Return the payload of a mutation that changes several to-dos."""
    return {"todos": changed, "updated_ids": [global_id(ctx, "Todo", todo.id) for todo in changed]}
