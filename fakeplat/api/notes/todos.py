"""To-dos. Source: docs/platform/todos.md."""

from collections.abc import Sequence
from typing import Annotated, Any, Final, Literal, get_args

from fakeplat.api.issues.issues import ISSUE
from fakeplat.core.operations.errors import RecordNotFound
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import Params
from fakeplat.core.release import Lifetime
from fakeplat.domain.notes import noteables, todos
from fakeplat.domain.people.namespaces import list_descendants
from fakeplat.entities.notes.todos import TodoView
from fakeplat.model.issues import Issue
from fakeplat.model.notes import Action, Todo, TodoState
from fakeplat.model.people import Group
from fakeplat.model.projects import Project
from fakeplat.policy.authorization import caller_name
from fakeplat.policy.behaviours import TODOS_HAVE_MORE_ACTIONS
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("To dos", login=Login.ALWAYS)
_ACTIONS: Final = get_args(Action)
Type = Literal["Commit", "Issue", "MergeRequest", "DesignManagement::Design", "AlertManagement::Alert", "Epic"]
LaterAction = Literal[
    "merge_train_removed",
    "review_requested",
    "member_access_requested",
    "review_submitted",
    "okr_checkin_requested",
    "added_approver",
    "ssh_key_expired",
    "ssh_key_expiring_soon",
]
LatestAction = Literal[
    "duo_pro_access_granted",
    "duo_enterprise_access_granted",
    "duo_core_access_granted",
    "duo_workflow_input_required",
    "transfer_failed",
]
LaterType = Literal["WorkItem", "Namespace", "Project", "Key", "WikiPage::Meta", "User", "Vulnerability"]
"""Of these actions and types, only to-dos about reviews, requests for access and pages of wikis are made here."""


class TodoContext(Params):
    """Filters by author, project and group."""

    author_id: int | None = None
    project_id: int | None = None
    group_id: int | None = None


class TodoFilters(TodoContext):
    """Filters of the to-dos to mark. An unknown action, state or type is ignored."""

    action: str | None = None
    state: str | None = None
    type: str | None = None


class ListTodos(Paged, TodoContext):
    """Filters of the list of to-dos."""

    action: Annotated[
        Literal[Action, LaterAction, LatestAction] | None,
        Lifetime(since="<=18.9", values=get_args(LaterAction)),
        Lifetime(since=TODOS_HAVE_MORE_ACTIONS.since, values=get_args(LatestAction)),
    ] = None
    state: TodoState | None = None
    type: Annotated[Literal[Type, LaterType] | None, Lifetime(since="<=18.9", values=get_args(LaterType))] = None


@area.operation("GET", "todos", params=ListTodos, view=TodoView, many=True)
def list_todos(ctx: ReadContext, p: ListTodos) -> Sequence[Todo]:
    """List the caller's to-dos; by default the pending ones."""
    return _select_todos(ctx, p)


def _select_todos(ctx: ReadContext, p: ListTodos | TodoFilters) -> list[Todo]:
    # Any other state counts as pending, because marking does not validate it.
    state = "done" if p.state == "done" else "pending"
    exact: dict[str, Any] = {"author_id": p.author_id, "project_id": p.project_id}
    # The list validates these values; marking ignores unknown ones, as on the platform.
    if p.action in _ACTIONS:
        exact["action"] = p.action
    selected = [
        todo
        for todo in todos.list_todos(ctx, ctx.signed_in_user)
        if todo.state == state and (state == "done" or not todos.is_snoozed(ctx, todo))
    ]
    for name, value in exact.items():
        if value:
            selected = [todo for todo in selected if getattr(todo, name) == value]
    # The parameter has the platform's name of the type (``MergeRequest``), records have the kind (``merge_request``).
    kinds = {declared.type: kind for kind, declared in noteables.NOTEABLES.items()}
    kinds |= {name: kind for kind, name in todos.CONTAINERS.items()}
    if p.type in kinds:
        selected = [todo for todo in selected if todo.subject[0] == kinds[p.type]]
    if not p.group_id:
        return selected
    group_ids = _find_group_ids(ctx, p.group_id)
    return [todo for todo in selected if _find_group_id(ctx, todo) in group_ids]


def _find_group_id(ctx: ReadContext, todo: Todo) -> int | None:
    return todo.group_id if todo.project_id is None else ctx.world.projects[todo.project_id].namespace_id


def _find_group_ids(ctx: ReadContext, group_id: int) -> set[int]:
    """Return the ids of a group and its descendants; none for an unknown group."""
    group = ctx.world.namespaces.get(group_id)
    return (
        {group.id, *(descendant.id for descendant in list_descendants(ctx.world, group))}
        if isinstance(group, Group)
        else set()
    )


@area.operation("POST", "todos/:id/mark_as_done", view=TodoView, refusals=(404,))
def mark_todo_as_done(ctx: WriteContext, id: int) -> Todo:
    """Mark one of the caller's to-dos as done."""
    # Only the caller's own are searched, so a foreign to-do is missing, not forbidden.
    own_todo = next((todo for todo in todos.list_todos(ctx, ctx.signed_in_user) if todo.id == id), None)
    if own_todo is None:
        raise RecordNotFound(reason=lambda: f"{caller_name(ctx)} has no to-do with the id {id}")
    return todos.mark_done(ctx, own_todo)


@area.operation("POST", "todos/mark_as_done", params=TodoFilters, status=204)
def mark_all_todos_as_done(ctx: WriteContext, p: TodoFilters) -> None:
    """Mark all of the caller's to-dos as done, or those that match the filters."""
    for todo in _select_todos(ctx, p):
        todos.mark_done(ctx, todo)


@area.operation("POST", "todo", scope=ISSUE, view=TodoView, refusals=(304,))
def create_issue_todo(ctx: WriteContext, _project: Project, issue: Issue) -> Todo:
    """Create a to-do for an issue."""
    return todos.mark_for_later(ctx, issue)
